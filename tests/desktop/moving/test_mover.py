"""A move that couldn't begin can be tried again, and cancelled."""

import asyncio
import threading
from pathlib import Path
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from app.desktop.moving.mover import Mover
from app.desktop.shell.window import MainWindow
from app.workspace.homes import Home, HomeKind, Homes, programs
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.moving.note import Direction, MoveNote
from app.workspace.homes.visit import Visits
from tests.desktop.running import run
from tests.workspace.opened import until

NOTE = MoveNote(direction=Direction.THERE, base_url="https://plan.example.com")


def test_a_move_that_could_not_begin_begins_later_and_can_be_cancelled(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[str, ...]] = []

    def broken(*arguments: str) -> None:
        begun.append(arguments)
        raise programs.ProgramEndedError("The data can't be read.", "service", 1)

    monkeypatch.setattr(programs, "Command", broken)
    window = MainWindow(QSettings(str(tmp_path / "w.ini"), QSettings.Format.IniFormat), ZoneInfo("UTC"))
    visits = Visits(Homes(tmp_path), Credentials(tmp_path))
    home = Home(kind=HomeKind.EMBEDDED, name="Okafor Studio")
    opened: list[Home] = []
    mover = Mover(window, visits, opened.append)

    async def work() -> None:
        in_the_way = visits.homes.folder(home)
        in_the_way.parent.mkdir(parents=True, exist_ok=True)
        in_the_way.write_text("")
        mover.move(home, NOTE, "stp_rest_key")
        screen = mover.screen
        assert screen is not None
        await until(lambda: not screen.go_on.isHidden())
        assert not visits.is_moving(home)
        assert screen.title.text().endswith("stopped")
        assert screen.details.isHidden(), "only the user asks for technical words"
        assert screen.more.isHidden() is (not screen.details.text())

        in_the_way.unlink()
        screen.go_on.click()
        screen.go_on.click()
        await until(lambda: "can't be read" in screen.text.text())
        assert len(begun) == 1
        assert visits.is_moving(home)

        screen.cancel.click()
        screen.cancel.click()
        await until(lambda: opened == [home])
        assert not visits.is_moving(home)
        mover.close()

    run(qapp, work)


def test_a_move_that_never_began_can_be_cancelled(qapp: QApplication, tmp_path: Path) -> None:
    window = MainWindow(QSettings(str(tmp_path / "w.ini"), QSettings.Format.IniFormat), ZoneInfo("UTC"))
    visits = Visits(Homes(tmp_path), Credentials(tmp_path))
    home = Home(kind=HomeKind.EMBEDDED, name="Okafor Studio")
    opened: list[Home] = []
    mover = Mover(window, visits, opened.append)

    async def work() -> None:
        in_the_way = visits.homes.folder(home)
        in_the_way.parent.mkdir(parents=True, exist_ok=True)
        in_the_way.write_text("")
        mover.move(home, NOTE, "stp_rest_key")
        screen = mover.screen
        assert screen is not None
        await until(lambda: not screen.go_on.isHidden())
        screen.cancel.click()
        await until(lambda: opened == [home])
        mover.close()

    run(qapp, work)


def test_a_cancellation_goes_on_at_the_next_start(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[tuple[str, ...]] = []

    class Ready:
        def __init__(self, *arguments: str) -> None:
            commands.append(arguments)

        def answer(self) -> dict[str, str]:
            return {}

    monkeypatch.setattr(programs, "Command", Ready)
    window = MainWindow(QSettings(str(tmp_path / "w.ini"), QSettings.Format.IniFormat), ZoneInfo("UTC"))
    visits = Visits(Homes(tmp_path), Credentials(tmp_path))
    home = Home(kind=HomeKind.EMBEDDED, name="Okafor Studio")
    opened: list[Home] = []
    mover = Mover(window, visits, opened.append)

    async def work() -> None:
        note = NOTE.model_copy(update={"account_id": uuid4(), "is_cancelled": True})
        await visits.move(home).begin(note, "stp_rest_key")
        assert await mover.continues(home)
        screen = mover.screen
        assert screen is not None
        assert not screen.cancel.isEnabled()
        await until(lambda: opened == [home])
        assert [command[-1] for command in commands] == ["--cancel"]
        assert not visits.is_moving(home)
        mover.close()

    run(qapp, work)


def test_a_move_that_is_complete_can_no_longer_be_cancelled(qapp: QApplication, tmp_path: Path) -> None:
    """Opening the calendar takes seconds, in which the screen still shows."""
    window, visits, home = arrived(tmp_path)
    opened: list[Home] = []
    mover = Mover(window, visits, opened.append)

    async def work() -> None:
        await visits.move(home).begin(NOTE, "stp_rest_key")
        assert await mover.continues(home)
        screen = mover.screen
        assert screen is not None
        await until(lambda: opened)
        screen.cancel.click()
        screen.cancel_wanted.emit()  # a click that was on its way
        await asyncio.sleep(0.05)
        assert opened == [home]
        assert window.messages.texts() == [ARRIVED]
        mover.close()

    run(qapp, work)


def test_cancelling_in_the_last_moment_says_where_the_calendar_is(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, visits, home = arrived(tmp_path)
    opened: list[Home] = []
    mover = Mover(window, visits, opened.append)
    deleted, goes_on, unlink = threading.Event(), threading.Event(), Path.unlink

    def slow(path: Path, *, missing_ok: bool = False) -> None:
        unlink(path, missing_ok=missing_ok)
        if path.name == "moving.json":
            deleted.set()
            goes_on.wait()

    async def work() -> None:
        await visits.move(home).begin(NOTE, "stp_rest_key")
        monkeypatch.setattr(Path, "unlink", slow)
        assert await mover.continues(home)
        screen = mover.screen
        assert screen is not None
        await until(deleted.is_set)
        screen.cancel.click()
        await until(lambda: opened)
        goes_on.set()
        assert opened == [home]
        assert window.messages.texts() == [ARRIVED]
        mover.close()

    run(qapp, work)


ARRIVED = (
    "Okafor Studio is on plan.example.com now, which publishes your posts. "
    "What was on this computer was kept."
)


def arrived(data: Path) -> tuple[MainWindow, Visits, Home]:
    """Return a calendar on a server, whose move there only has to be cleaned up."""
    window = MainWindow(QSettings(str(data / "w.ini"), QSettings.Format.IniFormat), ZoneInfo("UTC"))
    home = Home(kind=HomeKind.REMOTE, name="Okafor Studio", base_url=NOTE.base_url)
    return window, Visits(Homes(data), Credentials(data)), home
