"""Posting times are seen, added, changed and removed, and every change is kept."""

from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, QTime
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTimeEdit

from app.desktop.slots import SlotPanel
from app.desktop.slots.panel import AccountSlots
from app.workspace.slots.slots import Slot
from tests.desktop.running import run, shown, workspace
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

NINE = 9 * 60
ZONE = ZoneInfo("Europe/Lisbon")


def card(panel: SlotPanel, key: str) -> AccountSlots:
    return panel._by_account[key]


def test_times_are_added_changed_and_removed(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    key = service.add_account()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(SlotPanel(opened, ZONE)) as panel:
            one = card(panel, key)
            QTest.keyClick(one.add, Qt.Key.Key_Space)
            await until(opened.slots.all)
            assert opened.slots.all() == tuple(Slot(key, day, NINE) for day in range(5))
            [row] = one.rows()
            QTest.keyClick(row.days[0], Qt.Key.Key_Space)
            QTest.keyClick(row.days[6], Qt.Key.Key_Space)
            await until(lambda: Slot(key, 6, NINE) in opened.slots.all())
            assert Slot(key, 0, NINE) not in opened.slots.all()
            row.time.setTime(QTime(10, 30))
            row.time.editingFinished.emit()
            await until(lambda: {slot.minute for slot in opened.slots.all()} == {630})
            assert {slot.weekday for slot in opened.slots.all()} == {1, 2, 3, 4, 6}
            QTest.keyClick(row.remove, Qt.Key.Key_Space)
            await until(lambda: not opened.slots.all())
            assert one.rows() == []

    run(qapp, work)


def test_what_is_kept_is_shown_in_the_order_of_time(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    key, other = service.add_account(), service.add_account()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await opened.slots.set(key, [Slot(key, 2, 1_020), Slot(key, 2, NINE), Slot(key, 4, NINE)])
            async with shown(SlotPanel(opened, ZONE)) as panel:
                rows = [(row.minute(), row.weekdays()) for row in card(panel, key).rows()]
                assert rows == [(NINE, frozenset({2, 4})), (1_020, frozenset({2}))]
                assert card(panel, other).rows() == []
                await opened.slots.set(other, [Slot(other, 0, NINE)])
                assert [row.minute() for row in card(panel, other).rows()] == [NINE]

    run(qapp, work)


def test_rows_stay_while_other_times_arrive(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    key = service.add_account()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await opened.slots.set(key, [Slot(key, 2, NINE), Slot(key, 2, 1_020), Slot(key, 2, 1_080)])
            async with shown(SlotPanel(opened, ZONE)) as panel:
                one = card(panel, key)
                typed, pressed, _ = one.rows()
                typed.time.setFocus()
                typed.time.setSelectedSection(QTimeEdit.Section.HourSection)
                QTest.keyClicks(typed.time, "11")
                QTest.mousePress(pressed.days[4], Qt.MouseButton.LeftButton)
                await opened.slots.set(
                    key, [Slot(key, 2, NINE), Slot(key, 3, NINE), Slot(key, 2, 600), Slot(key, 2, 1_020)]
                )
                assert [row.minute() for row in one.rows()] == [NINE, 600, 1_020]
                assert typed.weekdays() == {2, 3}
                assert typed.time.hasFocus()
                assert typed.time.lineEdit().text().startswith("11")
                QTest.mouseRelease(pressed.days[4], Qt.MouseButton.LeftButton)
                await until(lambda: Slot(key, 4, 1_020) in opened.slots.all())
                assert [row.y() for row in one.rows()] == sorted(row.y() for row in one.rows())

    run(qapp, work)


def test_a_second_time_is_another_one(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    key = service.add_account()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(SlotPanel(opened, ZONE)) as panel:
            for count in (1, 2, 3):
                card(panel, key).add.click()
                await until(lambda count=count: len(opened.slots.all()) == 5 * count)  # type: ignore[misc]
            assert len({row.minute() for row in card(panel, key).rows()}) == 3

    run(qapp, work)


def test_accounts_that_take_no_posts_have_no_posting_times(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account("threads")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(SlotPanel(opened, ZONE)) as panel:
            assert not panel._by_account
            assert "Connect an account first" in panel._why.text()

    run(qapp, work)
