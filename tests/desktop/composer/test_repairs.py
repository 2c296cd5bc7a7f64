"""A file that a platform refuses, from the sentence to the copy that is in the post."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.composer import ComposerPanel
from app.desktop.composer.part_sheet import PartSheet
from app.workspace.clock import wall_clock
from tests.desktop.composer.composing import stored
from tests.desktop.running import run, shown, workspace
from tests.media.samples import made_video, photo
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

LISBON = ZoneInfo("Europe/Lisbon")
DAY = 86_400_000


@asynccontextmanager
async def composing(
    folder: Path, service: ModelService, path: Path, *accounts: str
) -> AsyncIterator[ComposerPanel]:
    """A composer with a file for accounts, once the file is uploaded."""
    at = (wall_clock() // DAY + 2) * DAY
    async with workspace(folder, service) as opened, shown(ComposerPanel(opened, LISBON, at)) as panel:
        panel.resize(440, 900)
        await until(lambda: not panel.text_box.editor.isReadOnly())
        panel.attachment.take([path])
        await until(lambda: stored(panel))
        for account in accounts:
            panel.accounts.toggle(account).setChecked(True)
        yield panel


def sheet_of(panel: ComposerPanel) -> PartSheet:
    (sheet,) = panel.window().findChildren(PartSheet)
    return sheet


def name_of(panel: ComposerPanel) -> str:
    return panel.model.upload.name if panel.model.upload else ""


def test_a_webp_becomes_a_jpeg_at_the_press_of_a_button(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("instagram")
    path = photo(tmp_path, "coat.webp")
    before = path.read_bytes()

    async def work() -> None:
        async with composing(tmp_path, service, path, account) as panel:
            assert panel.problems.texts()[0] == "Instagram accepts only JPEG. This file is WebP."
            assert panel.repair.make.text() == "Convert to JPEG"
            assert not panel.repair.part.isVisible()
            panel.repair.make.setFocus()
            QTest.keyClick(panel.repair.make, Qt.Key.Key_Space)
            await until(lambda: name_of(panel) == "coat.jpg" and stored(panel))
            assert panel.problems.texts() == ()
            assert not panel.repair.isVisible()
            assert path.read_bytes() == before
            upload = panel.model.upload
            assert upload is not None
            content = service.files[upload.storage_path]
            assert content is not None
            assert content.startswith(b"\xff\xd8\xff")

    run(qapp, work)


def test_schedule_leads_to_the_repair_and_space_takes_nothing_away(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("instagram")
    path = photo(tmp_path, "coat.webp")

    async def work() -> None:
        async with composing(tmp_path, service, path, account) as panel:
            panel.resize(440, 420)
            await until(panel.repair.make.isVisible)
            panel.submit()
            assert panel.repair.make.hasFocus()
            assert not panel.repair.make.visibleRegion().isEmpty()
            QTest.keyClick(panel.repair.make, Qt.Key.Key_Space)
            await until(lambda: name_of(panel) == "coat.jpg" and stored(panel))

    run(qapp, work)


def test_a_file_that_no_copy_mends_is_not_removed_by_the_next_key(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("x")
    path = photo(tmp_path, "coat.jpg")

    async def work() -> None:
        async with composing(tmp_path, service, path, account) as panel:
            assert not panel.repair.isVisible()
            panel.file.focus_problem()
            focused = QApplication.focusWidget()
            assert focused is not None
            assert panel.file.isAncestorOf(focused)
            assert focused is not panel.file.cross

    run(qapp, work)


def test_the_part_of_a_tall_picture_is_chosen_by_mouse_or_keyboard(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("instagram")
    path = photo(tmp_path, "coat.jpg", (400, 1_000))

    async def work() -> None:
        async with composing(tmp_path, service, path, account) as panel:
            assert panel.repair.part.text() == "Adjust crop…"
            QTest.mouseClick(panel.repair.part, Qt.MouseButton.LeftButton)
            sheet = sheet_of(panel)
            assert sheet.accessibleName() == "Adjust crop"
            view = sheet.crop
            assert view is not None
            assert view.down == 0.5
            middle = view.kept().center().toPoint()
            QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=middle)
            QTest.mouseMove(view, middle - QPoint(0, 500))
            QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=middle - QPoint(0, 500))
            assert view.down == 0.0
            QTest.keyClick(view, Qt.Key.Key_Down)
            assert view.down == pytest.approx(0.02)
            assert "2% down" in view.accessibleDescription()
            QTest.mouseClick(sheet.make, Qt.MouseButton.LeftButton)
            await until(lambda: panel.model.upload is not None and panel.model.upload.height == 500)
            assert panel.problems.texts() == () or "still on its way" in panel.problems.texts()[0]

    run(qapp, work)


def test_where_a_long_film_begins_is_chosen(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("x")
    path = made_video(tmp_path, "walk.mp4", size=(64, 48), seconds=200, rate=1)

    async def work() -> None:
        async with composing(tmp_path, service, path, account) as panel:
            assert panel.repair.make.text() == "Trim to 2:20"
            assert panel.repair.part.text() == "Adjust trim…"
            QTest.mouseClick(panel.repair.part, Qt.MouseButton.LeftButton)
            sheet = sheet_of(panel)
            assert sheet.span.text() == "0:00 to 2:20 of 3:20"
            strip = sheet.strip
            assert strip is not None
            assert strip.hasFocus()
            await until(lambda: strip.is_full)
            for key in (Qt.Key.Key_Left, *[Qt.Key.Key_PageUp] * 6, Qt.Key.Key_PageDown, Qt.Key.Key_Right):
                QTest.keyClick(strip, key)
            assert sheet.span.text() == "0:51 to 3:11 of 3:20"
            assert strip.accessibleDescription() == sheet.span.text()
            middle = strip.kept().center().toPoint()
            QTest.mousePress(strip, Qt.MouseButton.LeftButton, pos=middle)
            QTest.mouseMove(strip, middle + QPoint(500, 0))
            QTest.mouseRelease(strip, Qt.MouseButton.LeftButton, pos=middle + QPoint(500, 0))
            assert strip.value() == strip.maximum() == 60_000
            QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(1, 5))
            assert strip.value() == 0
            strip.setValue(51_000)
            QTest.mouseClick(sheet.make, Qt.MouseButton.LeftButton)
            await until(lambda: panel.model.upload is not None and not panel.repair.isVisible())
            facts = panel.model.upload.facts if panel.model.upload else None
            assert facts is not None
            assert facts.duration_ms is not None
            assert 138_000 <= facts.duration_ms <= 140_000

    run(qapp, work)


def test_a_repair_can_be_stopped(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    account = service.add_account("instagram")
    path = photo(tmp_path, "coat.webp", (3_000, 3_000))

    async def work() -> None:
        async with composing(tmp_path, service, path, account) as panel:
            panel.repair.asked.emit()
            assert panel.repair.stop.isVisible()
            QTest.mouseClick(panel.repair.stop, Qt.MouseButton.LeftButton)
            await until(panel.repair.make.isVisible)
            assert name_of(panel) == "coat.webp"
            copies = tmp_path / "workspace.copies"
            assert not copies.exists() or list(copies.iterdir()) == []

    run(qapp, work)


def test_a_file_that_is_gone_is_told_in_words(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("instagram")
    path = photo(tmp_path, "coat.webp")

    async def work() -> None:
        async with composing(tmp_path, service, path, account) as panel:
            path.unlink()
            QTest.mouseClick(panel.repair.make, Qt.MouseButton.LeftButton)
            await until(lambda: "has changed or moved" in panel.frame.said())
            assert panel.repair.make.isVisible()

    run(qapp, work)
