"""The jump list of Windows. Windows itself accepts it only in the test that runs there."""

import ctypes
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

import pytest

from app import language
from app.desktop import jump_list
from app.desktop.jump_list import APP_ID, Task
from app.desktop.links import BeginPost, ShowDay, understood
from app.desktop.notices import load
from app.desktop.options import PORTABLE_MARK, parse


class Windows:
    """Receives jump lists, or refuses them."""

    def __init__(self, *, refuses: bool = False) -> None:
        self.refuses = refuses
        self.lists: list[tuple[str, Path, tuple[Task, ...]]] = []

    def write(self, app_id: str, program: Path, tasks: Sequence[Task]) -> None:
        self.lists.append((app_id, program, tuple(tasks)))
        if self.refuses:
            raise OSError("Access is denied")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program of an installed app."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "kalends.exe"))
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    return tmp_path / "kalends.exe"


def test_the_installed_app_offers_its_tasks(program: Path) -> None:
    windows = Windows()
    jump_list.offer(windows.write)
    ((app_id, started, tasks),) = windows.lists
    assert (app_id, started) == (APP_ID, program)
    assert [task.title for task in tasks] == ["New post", "Today"]


def test_their_titles_are_translated() -> None:
    language.use("de")
    try:
        assert [task.title for task in jump_list.tasks()] == ["Neuer Beitrag", "Heute"]
    finally:
        language.use("en")


def test_their_links_start_a_post_and_show_today() -> None:
    handed = [parse(["--", task.link]).things for task in jump_list.tasks()]
    assert [understood(things) for things in handed] == [[BeginPost()], [ShowDay()]]


def test_a_portable_copy_leaves_no_jump_list_behind(program: Path) -> None:
    windows = Windows()
    program.with_name(PORTABLE_MARK).touch()
    jump_list.offer(windows.write)
    assert windows.lists == []


def test_a_checkout_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    windows = Windows()
    monkeypatch.delattr(sys, "frozen", raising=False)
    jump_list.offer(windows.write)
    assert windows.lists == []


@pytest.mark.usefixtures("program")
@pytest.mark.logs_error("the jump list is not available")
def test_a_refused_list_is_logged_only() -> None:
    windows = Windows(refuses=True)
    jump_list.offer(windows.write)
    assert len(windows.lists) == 1


class Shell:
    """The library of Windows that knows the application IDs of processes."""

    given: ClassVar[list[str | None]] = []

    def __init__(self, name: str) -> None:
        assert name == "shell32"

    def SetCurrentProcessExplicitAppUserModelID(self, app_id: ctypes.c_wchar_p) -> int:  # noqa: N802
        self.given.append(app_id.value)
        return 0


def test_the_installed_app_has_the_application_id_of_its_shortcut(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ctypes, "CDLL", Shell)
    monkeypatch.setattr(Shell, "given", [])
    jump_list.identify()
    assert Shell.given == [APP_ID]
    program.with_name(PORTABLE_MARK).touch()
    jump_list.identify()
    assert Shell.given == [APP_ID], "the taskbar would show tasks that open the installed app"


def test_notifications_use_the_same_application_id() -> None:
    """The notification library registers its name as an application ID."""
    center = load()
    assert isinstance(center, partial)
    assert center.args[0] == APP_ID


if sys.platform == "win32":

    def test_windows_accepts_the_list(program: Path) -> None:
        folder = Path(os.environ["APPDATA"], "Microsoft", "Windows", "Recent", "CustomDestinations")
        before = set(folder.glob("*.customDestinations-ms"))
        jump_list.write("Kalends.Test", program, jump_list.tasks())
        (made,) = set(folder.glob("*.customDestinations-ms")) - before
        content = made.read_bytes()
        made.unlink()
        for text in ("New post", "-- kalends://new", "-- kalends://today"):
            assert text.encode("utf-16-le") in content

    @pytest.mark.usefixtures("program")
    def test_the_process_gets_the_application_id() -> None:
        from win32com.shell import shell

        jump_list.identify()
        assert shell.GetCurrentProcessExplicitAppUserModelID() == APP_ID
