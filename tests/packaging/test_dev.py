"""`packaging/dev.py` as developers call it, and the choice of the screen."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from setup import screen

from tests.architecture.sources import ROOT

DEV = ROOT / "packaging" / "dev.py"


def dev(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, DEV, *arguments], capture_output=True, text=True, check=False)


def test_an_old_python_gets_as_far_as_the_sentence() -> None:
    """The version check precedes any import that an old Python couldn't parse."""
    tree = ast.parse(DEV.read_text("utf-8"), feature_version=(3, 9))
    kinds = [type(node).__name__ for node in tree.body]
    assert kinds[:4] == ["Expr", "Import", "If", "ImportFrom"]


def test_doctor_ends_with_one_line_for_programs() -> None:
    answer = dev("doctor")
    findings = json.loads(answer.stdout.splitlines()[-1])
    assert findings["ok"] is (answer.returncode == 0)
    assert findings["python"] == sys.version.split()[0]


def test_doctor_names_every_kind_of_screen() -> None:
    *lines, last = dev("doctor").stdout.splitlines()
    assert set(json.loads(last)["missing_by_screen"]) == {"offscreen", "X11", "Wayland"}
    shown = [line.split("  ")[0] for line in lines]
    assert {"Qt on offscreen", "Qt on X11", "Qt on Wayland", "Tests"} <= set(shown)


@pytest.mark.parametrize(
    ("environ", "kinds"),
    [
        ({}, ["offscreen"]),
        ({"DISPLAY": ":0"}, ["X11"]),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, ["Wayland", "X11"]),
    ],
)
def test_the_libraries_belong_to_the_screens_that_are_there(
    environ: dict[str, str], kinds: list[str]
) -> None:
    assert screen.kinds(environ) == kinds


def test_an_unknown_command_is_refused() -> None:
    answer = dev("fly")
    assert answer.returncode == 2
    assert "invalid choice" in answer.stderr


@pytest.mark.parametrize(
    ("environ", "system", "platform", "sentence"),
    [
        ({}, "linux", "offscreen", "No display found: running offscreen"),
        ({"DISPLAY": ":0"}, "linux", "", "Screen: X11, :0"),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, "linux", "", "Screen: Wayland, wayland-0"),
        ({"QT_QPA_PLATFORM": "xcb"}, "linux", "xcb", "Screen: xcb, as QT_QPA_PLATFORM says"),
        ({}, "darwin", "", "Screen: this computer's own"),
        ({}, "win32", "", "Screen: this computer's own"),
    ],
)
def test_the_screen_is_chosen_and_named(
    environ: dict[str, str], system: str, platform: str, sentence: str
) -> None:
    assert screen.choose(environ, system) == (platform, sentence)


def test_the_tests_stay_off_a_screen_that_is_there() -> None:
    assert screen.choose_for_tests({"DISPLAY": ":0"}, "linux")[0] == "offscreen"
    assert screen.choose_for_tests({"QT_QPA_PLATFORM": "xcb"}, "linux")[0] == "xcb"


def test_an_environment_of_another_checkout_is_left_alone(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    (theirs / "bin").mkdir(parents=True)
    link = tmp_path / ".venv"
    link.symlink_to(theirs)

    done = subprocess.run(
        [sys.executable, ROOT / "packaging" / "dev.py", "--no-system", "run"],
        env={**os.environ, "KALENDS_VENV": str(link)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert "is a link to" in done.stderr
    assert [file.name for file in theirs.iterdir()] == ["bin"]
