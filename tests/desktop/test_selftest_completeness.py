"""Each part that a bundle may lack is missed by the check that names it."""

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app import resources
from app.children import SOURCE
from app.desktop import selftest
from app.workspace.settings import about

WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
from app.desktop import selftest
selftest.{check}()
"""


@pytest.mark.parametrize("name", [name for name in selftest.CHECKS if name != "modules"])
def test_of_a_whole_program_nothing_is_missed(name: str) -> None:
    selftest.CHECKS[name]()


@pytest.mark.parametrize(
    ("check", "missing"),
    [
        pytest.param("modules", "", marks=pytest.mark.variation),  # nor if what only servers have is missing
        ("modules", "app.desktop.analytics.pane"),
        pytest.param("modules", "PySide6.QtPrintSupport", marks=pytest.mark.variation),
        pytest.param("modules", "icalendar", marks=pytest.mark.variation),
        ("time_zones", "tzdata"),
        ("notifications", "desktop_notifier.resources"),
    ],
)
def test_a_module_that_cannot_be_imported_is_missed(check: str, missing: str) -> None:
    code = WITHOUT.format(check=check, missing=(missing,))
    environ = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=SOURCE, env=environ, capture_output=True, text=True, check=False
    )

    assert bool(done.returncode) is bool(missing), done.stderr
    assert missing in done.stderr


@pytest.mark.variation
def test_endpoints_without_docstrings_are_missed() -> None:
    code = """
import app.service.posts.routes
app.service.posts.routes.__doc__ = None
from app.desktop import selftest
selftest.modules()
"""
    environ = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=SOURCE, env=environ, capture_output=True, text=True, check=False
    )

    assert done.returncode
    assert "app.service.posts.routes has no docstrings" in done.stderr


@pytest.mark.parametrize(
    "module",
    [
        pytest.param("app/desktop/never_bundled.py", marks=pytest.mark.variation),
        "app/desktop/drawers/__init__.py",
    ],
)
def test_a_module_of_the_wheel_that_is_not_there_is_missed(module: str, tmp_path: Path) -> None:
    """Nobody finds it by looking: it is only known from the list of what was installed."""
    package = tmp_path / "kalends-0.1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: kalends\nVersion: 0.1.0\n")
    there = [
        "app/__init__.py",
        "app/desktop/__init__.py",
        "app/desktop/main.py",
        "app/database/alembic/env.py",
    ]
    (package / "RECORD").write_text("".join(f"{file},,\n" for file in (*there, module)))
    code = "from app.desktop import selftest; selftest.modules()"
    environ = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": f"{SOURCE}{os.pathsep}{tmp_path}"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=SOURCE, env=environ, capture_output=True, text=True, check=False
    )

    name = module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    assert f"No module named '{name}'" in done.stderr


@pytest.mark.variation
def test_what_only_servers_have_is_not_missed() -> None:
    code = WITHOUT.format(check="modules", missing=("boto3", "obstore", "psycopg"))
    subprocess.run([sys.executable, "-c", code], cwd=SOURCE, check=True)


def test_what_only_the_service_uses_is_looked_for_too() -> None:
    code = (
        "from app.children.lean import leave_out; leave_out('click')\n"
        "from app.desktop import selftest; selftest.modules()"
    )
    subprocess.run([sys.executable, "-c", code], cwd=SOURCE, check=True)


def test_a_keyring_without_its_stores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_group: ())
    with pytest.raises(LookupError, match="passwords"):
        selftest.keyring()


def test_german_without_its_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "root", lambda: tmp_path)
    with pytest.raises(FileNotFoundError):
        selftest.german()


def test_notices_without_their_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(about, "notices", lambda: "")
    with pytest.raises(LookupError, match="notices"):
        selftest.notices()


@pytest.mark.parametrize("name", ["sample.jpg", "sample.heic", "sample.avif", "sample.mp4"])
def test_media_that_no_program_understands(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def path(relative: str) -> Path:
        if relative != f"samples/{name}":
            return found(relative)
        broken = tmp_path / name
        broken.write_bytes(found(relative).read_bytes()[:100])
        return broken

    found = resources.path
    monkeypatch.setattr(resources, "path", path)
    with pytest.raises((ValueError, RuntimeError), match=name):
        selftest.media()


def test_a_program_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = sys.executable, "-c", "raise ImportError('a library')"
    monkeypatch.setattr(selftest, "child_command", lambda _module: broken)
    with pytest.raises(RuntimeError, match=r"app\.media\.worker ended with 1(.|\n)*a library"):
        selftest.media()
