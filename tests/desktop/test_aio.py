"""Qt's event loop as asyncio's: how it ends, and what tasks do whose owner is destroyed."""

import asyncio
import gc
import weakref
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from app.desktop import aio
from app.desktop.links import AddFiles, BeginPost, understood
from app.workspace.messages import Message, Problem
from tests.desktop.running import run


def test_a_wish_to_quit_is_told_and_the_loop_goes_on(qapp: QApplication) -> None:
    assert isinstance(qapp, aio.AsyncApplication)

    async def main(stop: asyncio.Event) -> int:
        asyncio.get_running_loop().call_soon(qapp.quit)
        async with asyncio.timeout(30):
            await stop.wait()
        await asyncio.sleep(0.05)
        return 3

    assert aio.run(qapp, main) == 3


def test_a_loop_that_qt_ends_by_itself_goes_on_until_all_is_cleaned_up(qapp: QApplication) -> None:
    """Qt does so when the display is gone, and ends it again whenever it is run."""
    assert isinstance(qapp, aio.AsyncApplication)

    async def main(stop: asyncio.Event) -> int:
        asyncio.get_running_loop().call_soon(qapp.exit, 1)
        async with asyncio.timeout(30):
            await stop.wait()
        asyncio.get_running_loop().call_soon(qapp.exit, 1)
        await asyncio.sleep(0.05)
        return 3

    assert aio.run(qapp, main) == 3


@pytest.mark.parametrize(
    ("url", "meant"),
    [
        (QUrl.fromLocalFile("/Users/ines/Küste 100%.jpg"), AddFiles((Path("/Users/ines/Küste 100%.jpg"),))),
        (QUrl("kalends://new?text=K%C3%BCste%20%26%20Meer"), BeginPost("Küste & Meer")),
    ],
)
def test_what_macos_asks_to_open_is_passed_on(qapp: QApplication, url: QUrl, meant: object) -> None:
    assert isinstance(qapp, aio.AsyncApplication)
    handed: list[list[str]] = []
    qapp.handed.connect(handed.append)
    try:
        assert QApplication.sendEvent(qapp, QFileOpenEvent(url))
    finally:
        qapp.handed.disconnect(handed.append)
    [things] = handed
    assert understood(things) == [meant]


class Owner(QObject):
    """Tells of errors by a signal of its own, as panes do."""

    failed = Signal(Exception)


async def rest() -> None:
    """Let everything happen that waits for its turn."""
    for _ in range(5):
        await asyncio.sleep(0)


def test_what_a_task_raises_is_reported_once(qapp: QApplication) -> None:
    async def work() -> None:
        owner, told = Owner(), list[Exception]()
        owner.failed.connect(told.append)
        scope = aio.TaskScope(owner, owner.failed.emit)

        async def fail() -> None:
            raise Problem("No network.")

        scope.start(fail())
        await rest()
        assert [str(error) for error in told] == ["No network."]
        assert not scope.is_busy

    run(qapp, work)


def test_a_task_that_fails_as_its_owner_is_destroyed_is_told_to_nobody(
    qapp: QApplication, caplog: pytest.LogCaptureFixture
) -> None:
    """It had failed before it could be cancelled."""
    caplog.set_level("INFO", "app.desktop.aio")

    async def work() -> None:
        owner = Owner()
        scope = aio.TaskScope(owner, owner.failed.emit)

        async def fail() -> None:
            shiboken6.delete(owner)
            raise Problem("No network.")

        task = scope.start(fail())
        await rest()
        assert isinstance(task.exception(), Problem)
        assert not scope.is_busy

    run(qapp, work)
    assert [(record.levelname, record.exc_info[0]) for record in caplog.records if record.exc_info] == [
        ("INFO", Problem)
    ]


@pytest.mark.logs_error("a background task failed (KeyError")
def test_a_defect_is_logged_and_reported_apart_from_problems(qapp: QApplication) -> None:
    async def work() -> None:
        owner, problems, defects = Owner(), list[Problem](), list[Exception]()
        scope = aio.TaskScope(owner, problems.append, defects.append)

        async def fail() -> None:
            raise KeyError("post")

        scope.start(fail())
        await rest()
        assert problems == []
        assert [type(error) for error in defects] == [KeyError]

    run(qapp, work)


def test_problems_become_messages_where_they_are_passed_on(qapp: QApplication) -> None:
    async def work() -> None:
        owner, told = Owner(), list[Message]()
        scope = aio.TaskScope(owner, aio.report_to(told.append))

        async def fail() -> None:
            raise Problem("No network.", details="ConnectError")

        scope.start(fail())
        await rest()
        assert told == [Message("error", "No network.", "ConnectError")]

    run(qapp, work)


@pytest.mark.logs_error("a background task failed after its owner was closed (KeyError")
def test_a_defect_in_a_task_whose_owner_is_destroyed_is_an_error_of_the_log(qapp: QApplication) -> None:
    async def work() -> None:
        owner = Owner()

        async def fail() -> None:
            shiboken6.delete(owner)
            raise KeyError("post")

        aio.TaskScope(owner, owner.failed.emit).start(fail())
        await rest()

    run(qapp, work)


@pytest.mark.parametrize("end", ["destroyed", "closed"])
def test_a_scope_that_is_over_cancels_its_tasks_and_starts_none(qapp: QApplication, end: str) -> None:
    async def work() -> None:
        owner, begun = Owner(), list[str]()
        scope = aio.TaskScope(owner, owner.failed.emit)

        async def wait(name: str) -> None:
            begun.append(name)
            await asyncio.get_running_loop().create_future()

        before = scope.start(wait("before"))
        await rest()
        if end == "destroyed":
            shiboken6.delete(owner)
        else:
            scope.close()
        after = scope.start(wait("after"))
        await rest()
        assert before.cancelled()
        assert after.cancelled()
        assert begun == ["before"]
        assert not scope.is_busy

    run(qapp, work)


def test_a_scope_keeps_its_owner_no_longer_than_its_tasks_do(qapp: QApplication) -> None:
    async def work() -> None:
        owner = Owner()
        scope = aio.TaskScope(owner, owner.failed.emit)
        scope.start(asyncio.sleep(0))
        await rest()
        gone = weakref.ref(owner)
        del owner, scope
        gc.collect()
        assert gone() is None

    run(qapp, work)
