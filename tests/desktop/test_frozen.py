"""The entry of the frozen app, run from source as the bootloader would run it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.children import PROGRAMS, SOURCE, child_command

START = "import sys, app.desktop.frozen; sys.exit(app.desktop.frozen.main())"


def started(*arguments: str, name: str = "kalends", **environ: str) -> "subprocess.CompletedProcess[str]":
    code = f"import sys; sys.argv[0] = {name!r}; {START}"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=SOURCE,
        env={**os.environ, **environ},
        input="",
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("module", sorted(PROGRAMS))
def test_it_answers_each_of_our_programs(module: str) -> None:
    arguments = ["--help"] if module in ("app.service", "app.practice") else []

    done = started("-m", module, *arguments)

    assert done.returncode == 0, done.stderr
    assert not arguments or "usage" in done.stdout


def test_it_is_no_interpreter() -> None:
    done = started("-m", "http.server")

    assert done.returncode == 2
    assert "usage: kalends" in done.stderr


def test_a_link_to_it_is_the_service(tmp_path: Path) -> None:
    done = started(
        "account", "create", "--data", str(tmp_path), "--name", "Ines", name="/usr/bin/kalends-service"
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["account_id"]


def test_only_our_programs_can_be_children() -> None:
    with pytest.raises(ValueError, match=r"http\.server"):
        child_command("http.server")


def test_what_we_start_gets_the_environment_of_before() -> None:
    code = (
        "import os, app.desktop.frozen as f\n"
        "f._give_back_the_environment(); print(os.environ.get('LD_LIBRARY_PATH'))"
    )
    bundle = {"LD_LIBRARY_PATH": "/bundle"}
    told = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=SOURCE,
            env={**os.environ, **bundle, **before},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for before in ({"LD_LIBRARY_PATH_ORIG": "/mine"}, {})
    ]

    assert told == ["/mine", "None"]


def test_plugins_of_another_qt_are_left_alone(tmp_path: Path) -> None:
    code = (
        "import os, app.desktop.frozen as f; f._give_back_the_environment();"
        "from PySide6.QtCore import QCoreApplication; print(*QCoreApplication.libraryPaths(), sep='\\n')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=SOURCE,
        env={**os.environ, "QT_PLUGIN_PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert str(tmp_path) not in done.stdout.splitlines()
