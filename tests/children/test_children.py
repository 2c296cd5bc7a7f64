"""Children run our code, and nothing from the folder where the parent was started."""

import ast
import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import Connection

from app.children import SOURCE, child_command, child_environment, helper_environment
from app.service.clock import system_clock
from app.service.media import rows
from app.service.media.files import LocalMediaStore
from app.service.media.prober import Frames, Prober
from app.service.media.rows import Stored
from app.service.media.stores import Place
from app.service.store.tables import accounts, media
from app.workspace.homes import programs
from app.workspace.repair.repairs import Workshop
from tests.architecture.sources import sources
from tests.service.media.samples import image, video
from tests.stores import service_store

PLANTED = ("PIL", "av", "app", "json", "pi_heif", "structlog", "sitecustomize", "usercustomize")
_STARTS = {"Popen", "run", "create_subprocess_exec", "call", "check_call", "check_output"}


@pytest.fixture
def strange_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with packages named like imports of children; each leaves a trace."""
    folder = tmp_path / "strange"
    for name in PLANTED:
        package = folder / name
        package.mkdir(parents=True)
        trace = folder / "traces" / name
        package.joinpath("__init__.py").write_text(
            f"import pathlib\npathlib.Path({str(trace)!r}).touch()\nraise ImportError('strange')\n", "utf-8"
        )
    (folder / "traces").mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", ".", "PIL"]))
    return folder


def traces(folder: Path) -> list[str]:
    return sorted(trace.name for trace in (folder / "traces").iterdir())


@pytest.mark.usefixtures("strange_folder")
def test_the_folder_would_be_run_by_a_child_that_is_started_carelessly(strange_folder: Path) -> None:
    command = [sys.executable, "-m", "app.media.worker"]
    subprocess.run(command, input=b"", capture_output=True, check=False, env=child_environment())

    assert traces(strange_folder) != []


async def test_what_looks_into_stored_files_runs_nothing_of_the_working_folder(
    strange_folder: Path, tmp_path: Path
) -> None:
    store, clip = LocalMediaStore(Path("media")), video()
    now, account, path = system_clock(), "0" * 32, "files/clip.mp4"
    with closing(service_store(tmp_path / "data")) as database:
        prober = Prober(database, store, system_clock)

        def fill(opened: Connection) -> None:
            opened.execute(
                accounts.insert().values(
                    id=UUID(account), name="Ines", plan="local", status="active", created_at=now
                )
            )
            row = {"account_id": UUID(account), "kind": "video", "content_type": "video/mp4"}
            opened.execute(
                media.insert().values(
                    id=UUID(account), storage_path=path, size_bytes=len(clip), created_at=now, **row
                )
            )
            rows.mark_stored(opened, Place(path), Stored(len(clip), "0" * 64), now)

        database.write_now(fill)
        file = store.file(Place(path))
        file.parent.mkdir(parents=True)
        file.write_bytes(clip)
        frames = Frames(store)

        async def work() -> bytes | None:
            await prober.probe_some()
            return await frames.picture(Place(path), len(clip), 0)

        picture = await work()
        [row] = database.read_now(lambda opened: opened.execute(media.select()).all())

    assert (row.width, row.height) == (64, 48)
    assert picture is not None
    assert traces(strange_folder) == []


async def test_what_repairs_files_runs_nothing_of_the_working_folder(strange_folder: Path) -> None:
    file = strange_folder / "photo.png"
    file.write_bytes(image())

    workshop = Workshop()
    [seen] = await workshop.probe([(file, "image/png")])
    assert seen.fault is None
    assert traces(strange_folder) == []


def test_the_service_runs_nothing_of_the_working_folder(strange_folder: Path) -> None:
    told = programs.ask(
        "service", "account", "create", "--data", str(strange_folder / "data"), "--name", "Ines"
    )

    assert "account_id" in told
    assert traces(strange_folder) == []


def test_helpers_get_no_secrets_and_find_us_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    elsewhere = str(tmp_path / "elsewhere")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["relative", elsewhere, ""]))
    for name in ("PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "KALENDS_KEY", "PYTHONSTARTUP", "LD_PRELOAD"):
        monkeypatch.setenv(name, "needle")
    program = "import json, os, sys; print(json.dumps([dict(os.environ), sys.path]))"
    command = [sys.executable, "-P", "-c", program]
    done = subprocess.run(command, env=helper_environment(), capture_output=True, text=True, check=True)
    environment, path = json.loads(done.stdout)

    assert "needle" not in environment.values()
    assert environment["PATH"] == os.environ["PATH"]
    assert path[:2] == [str(SOURCE), elsewhere]
    assert child_environment()["PGPASSWORD"] == "needle"
    assert child_command("app.service", "serve")[1:] == ("-P", "-X", "utf8", "-m", "app.service", "serve")


def test_a_frozen_child_sets_up_the_path_of_its_libraries_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_PYI_ARCHIVE_FILE", "/opt/kalends/kalends")
    monkeypatch.setenv("_PYI_PARENT_PROCESS_LEVEL", "0")
    for environment in (child_environment(), helper_environment()):
        assert [name for name in environment if name.startswith("_PYI_")] == []


def test_every_child_has_a_folder_and_an_environment_of_its_own() -> None:
    found = []
    for source in sources("app"):
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = ast.unparse(node.func.value)
                if node.func.attr in _STARTS and owner in {"subprocess", "asyncio"}:
                    names = {keyword.arg for keyword in node.keywords}
                    if owner == "subprocess" or node.func.attr == "create_subprocess_exec":
                        found.append((source.name, {"cwd", "env"} <= names))

    assert len(found) >= 6
    assert [name for name, is_careful in found if not is_careful] == []
