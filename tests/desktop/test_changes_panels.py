"""The history of undo, and the choice between both sides of a post that was changed elsewhere."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication

from app.contract.base import format_timestamp
from app.desktop.calendar.looks import Look, look_of
from app.desktop.changes import LINE, ConflictPanel, StepLine, StepPanel
from app.desktop.words import clock, day_and_time
from app.workspace.changes import Changes
from app.workspace.clock import from_millis
from app.workspace.workspace import Workspace
from tests.desktop.pressing import LEFT
from tests.desktop.running import run, shown, workspace
from tests.workspace.model_service import HOUR, ModelService
from tests.workspace.opened import until

LISBON = ZoneInfo("Europe/Lisbon")


def states(panel: StepPanel) -> list[str]:
    """What a screen reader hears at the end of each line."""
    role = Qt.ItemDataRole.AccessibleTextRole
    heard = [str(panel.list.item(row).data(role)) for row in range(panel.list.count())]
    return [line.rpartition(", ")[2] for line in heard]


def lines(panel: StepPanel) -> list[StepLine]:
    return [panel.list.item(row).data(LINE) for row in range(panel.list.count())]


async def press(panel: ConflictPanel, words: str) -> None:
    def shown() -> list[QAbstractButton]:
        buttons = panel.findChildren(QAbstractButton)
        return [one for one in buttons if one.isVisible() and one.text() == words]

    await until(shown)
    shown()[0].click()


@asynccontextmanager
async def conflicting(
    folder: Path, service: ModelService, *names: str
) -> AsyncIterator[tuple[Workspace, list[str]]]:
    """Posts that were moved by an hour here, and by a day elsewhere before the service could be told."""
    account = service.add_account()
    start = service.clock() + 48 * HOUR
    ids = [service.add_post(account, start, name) for name in names]
    async with workspace(folder, service) as opened:
        keys = [post.key for post in opened.posts.all()]
        service.online = False
        opened.move(dict.fromkeys(keys, start + HOUR))
        for post_id in ids:
            service.posts[UUID(post_id)]["scheduled_at"] = format_timestamp(from_millis(start + 24 * HOUR))
        service.online = True
        await opened.refresh()
        await until(lambda: len(opened.conflicts) == len(names))
        yield opened, keys


def test_every_step_is_listed_and_can_be_gone_back_to(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    start = service.clock() + 48 * HOUR
    for name in ("a", "b"):
        service.add_post(account, start, name)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(StepPanel(opened, LISBON)) as panel:
            assert states(panel) == []
            first, second = (post.key for post in opened.posts.all())
            opened.move({first: start + HOUR})
            opened.move({first: start + 2 * HOUR, second: start + HOUR})
            assert states(panel) == ["current", "done", "done"]
            panel.list.setFocus()
            panel.list.setCurrentRow(2)
            QTest.keyClick(panel.list, Qt.Key.Key_Return)
            assert {post.at for post in opened.posts.all()} == {start}
            assert states(panel) == ["undone", "undone", "current"]
            panel.list.itemClicked.emit(panel.list.item(0))
            assert {post.at for post in opened.posts.all()} == {start + HOUR, start + 2 * HOUR}

    run(qapp, work)


def test_a_click_on_a_step_and_the_row_of_the_keyboard_survive_what_arrives(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    start = service.clock() + 48 * HOUR
    service.add_post(account, start, "a")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(StepPanel(opened, LISBON)) as panel:
            (key,) = (post.key for post in opened.posts.all())
            for hours in (1, 2, 3):
                opened.move({key: start + hours * HOUR})
            panel.list.setCurrentRow(1)
            opened._core.changes.tell(Changes(undo=True))
            assert panel.list.currentRow() == 1
            port, place = panel.list.viewport(), panel.list.visualItemRect(panel.list.item(2)).center()
            QTest.mousePress(port, LEFT, pos=place)
            opened._core.changes.tell(Changes(undo=True))
            QTest.mouseRelease(port, LEFT, pos=place)
            assert {post.at for post in opened.posts.all()} == {start + HOUR}
            assert states(panel) == ["undone", "undone", "current", "done"]
            assert panel.list.currentRow() == 2

    run(qapp, work)


def test_a_step_shows_the_post_and_what_was_done(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    start = service.clock() + 48 * HOUR
    for name in ("Wool", "Linen", "Felt"):
        service.add_post(account, start, name)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(StepPanel(opened, LISBON)) as panel:
            first, second, third = (post.key for post in opened.posts.all())
            wool = opened.posts.get(first)
            assert wool is not None
            opened.move({first: start + HOUR})
            opened.move({first: start + 25 * HOUR})
            opened.move(dict.fromkeys((first, second, third), start + 50 * HOUR))
            opened.cancel([first])
            cancelled, several, next_day, same_day, beginning = lines(panel)
            then, later, much_later = (
                datetime.fromtimestamp(at / 1_000, LISBON) for at in (start, start + HOUR, start + 25 * HOUR)
            )
            assert (cancelled.title, cancelled.detail, cancelled.hint) == (wool.headline, "Cancelled", "")
            assert several.title == "3 posts moved"
            assert several.detail.endswith("and 1 more")
            assert next_day.detail == f"{day_and_time(later)} → {day_and_time(much_later)}"
            assert f"Moved from {day_and_time(later)} to {day_and_time(much_later)}" in next_day.spoken
            end = day_and_time(later) if later.date() != then.date() else clock(later)
            assert same_day.detail == f"{day_and_time(then)} → {end}"
            assert (beginning.detail, beginning.hint) == ("", "Undo all")
            opened.undo()
            undone, current, *_ = lines(panel)
            assert (undone.hint, undone.when, undone.is_done) == ("Redo to here", "Undone", False)
            assert current.when != "Undone"
            assert (current.is_current, current.has_line) == (True, True)

    run(qapp, work)


@pytest.mark.parametrize("mine", [True, False])
def test_a_choice_settles_a_post(
    qapp: QApplication, tmp_path: Path, service: ModelService, *, mine: bool
) -> None:
    async def work() -> None:
        async with (
            conflicting(tmp_path, service, "a") as (opened, keys),
            shown(ConflictPanel(opened, LISBON)) as panel,
        ):
            here, there = opened.conflicts[0].here.at, opened.conflicts[0].there.at
            assert here != there
            post = opened.posts.get(keys[0])
            assert post is not None
            assert look_of(post, service.clock()) is Look.CONFLICT
            await press(panel, "Keep mine" if mine else "Keep theirs")
            await until(lambda: not opened.sync.waiting)
            assert opened.conflicts == []
            assert {post.at for post in opened.posts.all()} == {here if mine else there}
            assert "No conflicts." in panel._why.text()

    run(qapp, work)


def test_a_pressed_button_and_the_focus_stay_while_the_service_is_asked(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with (
            conflicting(tmp_path, service, "a", "b") as (opened, keys),
            shown(ConflictPanel(opened, LISBON)) as panel,
        ):
            buttons = [one for one in panel.findChildren(QAbstractButton) if one.text() == "Keep theirs"]
            second = buttons[1]
            await until(second.isVisible)
            second.setFocus()
            await opened.refresh()
            assert QApplication.focusWidget() is second
            QTest.mousePress(second, LEFT)
            opened.keep_there(keys[:1])
            assert [conflict.key for conflict in opened.conflicts] == keys[1:]
            QTest.mouseRelease(second, LEFT)
            assert opened.conflicts == []

    run(qapp, work)


def test_several_are_settled_at_once(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        async with (
            conflicting(tmp_path, service, "a", "b", "c") as (opened, _),
            shown(ConflictPanel(opened, LISBON)) as panel,
        ):
            await press(panel, "Keep all mine")
            await until(lambda: not opened.sync.waiting)
            assert opened.conflicts == []

    run(qapp, work)
