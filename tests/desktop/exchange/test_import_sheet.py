"""A table becomes posts by keyboard alone, and what is wrong is said in its cell."""

import csv
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PIL import Image
from PySide6.QtCore import QModelIndex, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit

from app.desktop.exchange.import_sheet import ImportSheet, LeavingSheet
from app.desktop.exchange.rows import CELLS
from app.desktop.shell.main_controller import MainController
from app.desktop.shell.window import MainWindow
from app.desktop.theme import theme
from app.workspace.exchange.csv_columns import Column
from app.workspace.messages import Message
from app.workspace.time.written import DayOrder
from tests.desktop.pressing import choose
from tests.desktop.running import furnish, run, service_of_today, shown, workspace
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

LISBON = ZoneInfo("Europe/Lisbon")
SOON = f"{datetime.now(UTC) + timedelta(days=40):%Y-%m-%d}"
HELLO = "\u041f\u0440\u0438\u0432\u0435\u0442"
"""In Cyrillic."""
ROWS = ("Good,account1,{} 10:00", "Bad,nobody,{} 11:00", "Also good,account1,{} 12:00")
TABLE = "\n".join(("Text,Account,Date", *(row.format(SOON) for row in ROWS)))


@pytest.fixture
def service() -> ModelService:
    made = service_of_today()
    made.add_account()
    return made


@asynccontextmanager
async def furnished(folder: Path, service: ModelService) -> AsyncIterator[MainController]:
    window = MainWindow(QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat), LISBON)
    async with workspace(folder, service) as opened, shown(window, (1280, 800)):
        controller = furnish(window, opened)
        try:
            yield controller
        finally:
            controller.close()


async def opened_table(controller: MainController, folder: Path, content: str | bytes) -> ImportSheet:
    path = folder / "plan.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    sheet = controller.tables.open(path)
    await until(lambda: "ready" in sheet.facts.text())
    return sheet


def test_a_table_is_planned_by_keyboard_and_the_bad_row_comes_back(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    theme.apply(qapp, "light")

    async def work() -> None:
        async with furnished(tmp_path, service) as controller:
            sheet = await opened_table(controller, tmp_path, TABLE)
            assert sheet.facts.text() == "3 rows · 2 posts ready · 1 row has problems"
            sheet.grid.setFocus()
            QTest.keyClick(sheet.grid, Qt.Key.Key_F8)
            assert sheet.detail.text() == "Line 3: Account: No connected account is named “nobody”."
            current = sheet.grid.currentIndex()
            assert current.data() == "nobody"
            said = current.data(Qt.ItemDataRole.AccessibleTextRole)
            assert said == "nobody. Account: No connected account is named “nobody”."
            QTest.keyClick(sheet.grid, Qt.Key.Key_Tab)
            while not sheet.go.hasFocus():
                focused = QApplication.focusWidget()
                assert focused is not None
                QTest.keyClick(focused, Qt.Key.Key_Tab)
                assert QApplication.focusWidget() is not sheet.grid  # once around would be enough
            QTest.keyClick(sheet.go, Qt.Key.Key_Space)
            await until(lambda: sheet.go.text() == "Done" and "sending" not in sheet.facts.text())
            assert sheet.facts.text() == "2 rows scheduled · 1 not scheduled"
            assert sorted(service.effects) == ["Also good", "Good"]
            sheet.grid.setCurrentIndex(QModelIndex())
            assert sheet.detail.text().startswith("Save the rows"), "cells can't be edited any more"
            sheet.save_back(tmp_path / "back.csv")
            await until(lambda: "back.csv" in sheet.detail.text())
            service.online = False
            await until(lambda: not controller.workspace.sync.connected)
            sheet._later.timeout.emit()  # of a state that arrived at the end of the import
            assert "back.csv" in sheet.detail.text()
            rows = list(csv.DictReader(io.StringIO((tmp_path / "back.csv").read_text("utf-8-sig"))))
            assert [(row["Text"], row["Reason"]) for row in rows] == [
                ("Bad", "No connected account is named “nobody”.")
            ]
            QTest.keyClick(sheet.go, Qt.Key.Key_Escape)
            assert sheet.isHidden()

    run(qapp, work)


def test_columns_are_chosen_and_remembered(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    theme.apply(qapp, "dark")
    content = f"one;two;three\nHello;account1;{SOON} 10:00\n"

    async def work() -> None:
        async with furnished(tmp_path, service) as controller:
            sheet = await opened_table(controller, tmp_path, content)
            assert "No column found for the account" in sheet.notes.text()
            assert sheet.reading.isHidden()
            box = sheet.form.columns[Column.ACCOUNT]
            box.setFocus()
            QTest.keyClick(box, Qt.Key.Key_Down)
            QTest.keyClick(box, Qt.Key.Key_Down)
            assert box.currentText() == "two"
            await until(lambda: sheet.go.text() == "Schedule 1 post" and sheet.go.isEnabled())
            assert sheet.notes.isHidden()
            sheet.go.click()
            await until(lambda: sheet.go.text() == "Done")
            sheet.go.click()
            again = await opened_table(controller, tmp_path, content)
            assert again.form.columns[Column.ACCOUNT].currentText() == "two"
            assert again.facts.text() == "1 row · 0 posts ready · 1 already scheduled"
            assert not again.go.isEnabled()
            again.cancel.click()
            assert again.isHidden()

    run(qapp, work)


def test_dates_zones_and_letters_can_be_read_otherwise(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    theme.apply(qapp, "light")
    year = datetime.now(UTC).year + 1
    content = f"Text,Account,Date\n{HELLO},account1,03/04/{year} 10:00\n".encode("cp1251")

    async def work() -> None:
        async with furnished(tmp_path, service) as controller:
            sheet = await opened_table(controller, tmp_path, content)
            form = sheet.form
            choose(form.encoding, "cp1251")
            await until(lambda: sheet.model.index(0, 2).data() == HELLO)
            await until(lambda: f"4 Mar {year}, 10:00, Lisbon time" in sheet.reading.text())
            choose(form.order, form.order.findData(DayOrder.DAY_FIRST))
            form.zone.set_zone(ZoneInfo("Asia/Tokyo"))
            await until(sheet.go.isEnabled)
            day = f"{datetime(year, 4, 3, tzinfo=UTC):%a}"
            read = f"“03/04/{year} 10:00” is read as {day} 3 Apr {year}, 10:00, Tokyo time."
            assert sheet.reading.text() == read
            assert sheet.reading.isVisible()
            sheet.go.click()
            await until(lambda: len(service.posts) == 1)
            (post,) = service.posts.values()
            assert post["scheduled_at"].startswith(f"{year}-04-03T01:00:00")

    run(qapp, work)


def test_a_running_import_is_stopped_by_a_button_and_survives_the_window(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    theme.apply(qapp, "light")
    Image.new("RGB", (320, 320)).save(tmp_path / "coat.jpg")
    content = f"Text,Account,Date,Image\nA,account1,{SOON} 10:00,\nB,account1,{SOON} 11:00,coat.jpg\n"

    async def work() -> None:
        async with furnished(tmp_path, service) as controller:
            sheet = await opened_table(controller, tmp_path, content)
            service.online = False
            sheet.go.click()
            sheet.go.click()  # a second click of a double click begins nothing, and stops nothing
            await until(lambda: "1 row" in sheet.facts.text() and "you can close" in sheet.facts.text())
            QTest.keyClick(sheet, Qt.Key.Key_Escape)
            assert sheet.isVisible()
            assert sheet.go.text() == "Stop"
            sheet.go.click()
            await until(lambda: sheet.go.text() == "Done")
            saved = "1 row saved, to be sent when the service responds; you can close this"
            await until(lambda: sheet.facts.text() == f"1 not scheduled · {saved}")
            assert controller.workspace.media.uploads.all() == []
            sheet.go.click()
            again = await opened_table(controller, tmp_path, content)
            again.go.click()
            await until(controller.workspace.media.uploads.all)
        assert len(controller.workspace.posts) == 1

    run(qapp, work)


def test_a_file_that_cannot_be_read_is_told_of(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    theme.apply(qapp, "light")

    async def work() -> None:
        async with furnished(tmp_path, service) as controller:
            said: list[Message] = []
            controller.tables.told.connect(said.append)
            controller.tables.open(tmp_path / "nowhere.csv")
            await until(lambda: said)
            assert said[0].text == "Couldn't read “nowhere.csv”: it doesn't exist."
            await until(lambda: not controller.window.findChildren(ImportSheet))

    run(qapp, work)


def test_posts_and_an_empty_table_go_out(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    theme.apply(qapp, "light")

    async def work() -> None:
        async with furnished(tmp_path, service) as controller:
            said: list[Message] = []
            controller.tables.told.connect(said.append)
            controller.tables.export.write(tmp_path / "out.csv", controller.calendar.model.all())
            controller.tables.export.write_template(tmp_path / "empty.csv")
            controller.tables.export.write_template(tmp_path / "no such folder" / "empty.csv")
            await until(lambda: len(said) == 3)
            assert sorted(message.kind for message in said) == ["error", "info", "info"]
            assert (tmp_path / "empty.csv").read_text("utf-8-sig").startswith("Text,Account,Date,Time")

    run(qapp, work)


def editor_of(sheet: ImportSheet) -> QLineEdit:
    focused = QApplication.focusWidget()
    assert isinstance(focused, QLineEdit)
    assert sheet.grid.isAncestorOf(focused)
    return focused


def leaving(sheet: ImportSheet) -> LeavingSheet:
    (found,) = [one for one in sheet.window().findChildren(LeavingSheet) if one.isVisible()]
    return found


def test_a_cell_is_corrected_in_place_and_the_row_is_checked_again(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    theme.apply(qapp, "light")

    async def work() -> None:
        async with furnished(tmp_path, service) as controller:
            sheet = await opened_table(controller, tmp_path, TABLE)
            sheet.grid.setFocus()
            QTest.keyClick(sheet.grid, Qt.Key.Key_F8)
            QTest.keyClick(sheet.grid, Qt.Key.Key_Return)
            editor = editor_of(sheet)
            assert editor.text() == "nobody"
            QTest.keyClick(editor, Qt.Key.Key_Escape)
            assert not sheet.isHidden()
            assert sheet.grid.currentIndex().data() == "nobody"
            QTest.keyClick(sheet.grid, Qt.Key.Key_Return)
            editor_of(sheet).selectAll()
            QTest.keyClicks(editor_of(sheet), "account1")
            QTest.keyClick(editor_of(sheet), Qt.Key.Key_Return)
            await until(lambda: "3 posts ready" in sheet.facts.text())
            assert sheet.grid.currentIndex().data() == "account1"
            assert (tmp_path / "plan.csv").read_text() == TABLE
            sheet.go.click()
            await until(lambda: sheet.go.text() == "Done" and "sending" not in sheet.facts.text())
            assert sorted(service.effects) == ["Also good", "Bad", "Good"]
            QTest.keyClick(sheet.grid, Qt.Key.Key_Return)
            assert QApplication.focusWidget() is not None
            assert not isinstance(QApplication.focusWidget(), QLineEdit)

    run(qapp, work)


@pytest.mark.parametrize("way", ["key", "click"])
def test_what_was_meant_is_taken_by_a_key_or_a_click(
    qapp: QApplication, tmp_path: Path, service: ModelService, way: str
) -> None:
    theme.apply(qapp, "light")
    service.add_account("linkedin")
    content = f"Text,Platform,Date\nHello,Linkdin,{SOON} 10:00\n"

    async def work() -> None:
        async with furnished(tmp_path, service) as controller:
            sheet = await opened_table(controller, tmp_path, content)
            sheet.grid.setFocus()
            QTest.keyClick(sheet.grid, Qt.Key.Key_F8)
            assert "Did you mean LinkedIn?" in sheet.detail.text()
            assert sheet.fix.isVisible()
            assert sheet.fix.text() == "Use “LinkedIn” (F9)"
            if way == "key":
                QTest.keyClick(sheet.grid, Qt.Key.Key_F9)
            else:
                QTest.mouseClick(sheet.fix, Qt.MouseButton.LeftButton)
            await until(lambda: "1 post ready" in sheet.facts.text())
            assert not sheet.fix.isVisible()

    run(qapp, work)


def test_esc_asks_only_where_something_would_be_lost(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    theme.apply(qapp, "light")

    async def work() -> None:
        async with furnished(tmp_path, service) as controller:
            sheet = await opened_table(controller, tmp_path, TABLE)
            QTest.keyClick(sheet, Qt.Key.Key_Escape)
            assert sheet.isHidden()
            sheet = await opened_table(controller, tmp_path, TABLE)
            sheet.grid.setFocus()
            QTest.keyClick(sheet.grid, Qt.Key.Key_F8)
            sheet.model.setData(sheet.grid.currentIndex(), "account1")
            await until(lambda: "3 posts ready" in sheet.facts.text())
            QTest.keyClick(sheet.grid, Qt.Key.Key_Escape)
            QTest.keyClick(leaving(sheet), Qt.Key.Key_Escape)
            assert not sheet.isHidden()
            sheet.cancel.click()
            leaving(sheet).leave.click()
            assert sheet.isHidden()
            sheet = await opened_table(controller, tmp_path, TABLE)
            box = sheet.form.columns[Column.ACCOUNT]
            choose(box, 0)
            QTest.keyClick(sheet.grid, Qt.Key.Key_Escape)
            assert leaving(sheet).stay.hasFocus()
            leaving(sheet).leave.click()
            assert sheet.isHidden()

    run(qapp, work)


def test_a_cell_of_several_lines_keeps_them(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    theme.apply(qapp, "light")
    content = f'Text,Account,Date\n"One\nTwo",account1,{SOON} 10:00\n'

    async def work() -> None:
        async with furnished(tmp_path, service) as controller:
            sheet = await opened_table(controller, tmp_path, content)
            sheet.grid.setFocus()
            sheet.grid.setCurrentIndex(sheet.model.index(0, CELLS))
            QTest.keyClick(sheet.grid, Qt.Key.Key_F2)
            editor = QApplication.focusWidget()
            assert isinstance(editor, QPlainTextEdit)
            editor.moveCursor(editor.textCursor().MoveOperation.End)
            QTest.keyClicks(editor, "!")
            QTest.keyClick(editor, Qt.Key.Key_Tab)
            await until(lambda: sheet.go.isEnabled() and sheet.model.index(0, CELLS).data() == "One Two!")
            sheet.go.click()
            await until(lambda: service.effects == ["One\nTwo!"])

    run(qapp, work)
