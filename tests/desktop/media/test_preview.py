"""A video in the preview: played, paused, moved along with mouse and keyboard, and let go of."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.contract.enums import PostType
from app.desktop.composer import ComposerPanel
from app.desktop.media.pane import MediaPane
from app.desktop.media.preview import Canvas, Preview, Viewed
from app.workspace.media.video import Video
from app.workspace.messages import Problem
from tests.desktop.browsing import Browser
from tests.desktop.composer.composing import ready, tomorrow
from tests.desktop.running import LISBON, run, service_of_today, shown, workspace
from tests.media.samples import made_video, photo
from tests.workspace.opened import until


@dataclass
class Opening:
    """Opens a file of this computer, and keeps what it opened."""

    path: Path
    videos: list[Video] = field(default_factory=list)

    async def video(self) -> Video:
        self.videos.append(await Video.open(self.path))
        return self.videos[-1]

    def viewed(self) -> Viewed:
        return Viewed(self.path.name, "a file", PostType.VIDEO, QSize(), (), self.video, self.path)

    def is_over(self) -> bool:
        """Whether no program is at work any more."""
        programs = [video._helper._process for video in self.videos]
        return all(one is None or one.poll() is not None for one in programs)


@asynccontextmanager
async def watched(path: Path) -> AsyncIterator[tuple[Preview, Opening]]:
    """A preview of a video, once its first picture shows."""
    async with shown(QWidget()) as window:
        window.resize(800, 600)
        opening = Opening(path)
        sheet = Preview(window)
        sheet.show_file(opening.viewed())
        sheet.present()
        await until(lambda: sheet.canvas.share > 0)
        try:
            yield sheet, opening
        finally:
            sheet.dismiss()
            await until(opening.is_over)


@pytest.mark.parametrize("name", ["walk.mp4", "walk.hta", "walk.mp4.desktop", "walk"])
def test_only_a_video_by_its_name_is_opened_in_another_program(
    qapp: QApplication, tmp_path: Path, browser: Browser, name: str
) -> None:
    """Systems go by names: of these files only one is sure to open in a player."""
    path = made_video(tmp_path, "made.mp4", seconds=1).rename(tmp_path / name)

    async def work() -> None:
        async with watched(path) as (sheet, _opening):
            if name == "walk.mp4":
                await until(sheet.elsewhere.isVisible)
            sheet._open_elsewhere()
            await until(lambda: not sheet._scope.is_busy)
            assert sheet.elsewhere.isVisible() is (name == "walk.mp4")
            assert browser.files == ([path] if name == "walk.mp4" else [])

    run(qapp, work)


def test_it_is_played_paused_and_moved_along_by_keys(qapp: QApplication, tmp_path: Path) -> None:
    path = made_video(tmp_path, "walk.mp4", seconds=60, rate=10, sound="aac")

    async def work() -> None:
        async with watched(path) as (sheet, _opening):
            bar = sheet.transport
            assert bar.time.text() == "0:00 / 1:00"
            assert bar.note.text() == "Plays without sound here"
            assert (bar.play.accessibleName(), bar.position.accessibleName()) == ("Play (Space)", "Position")
            QTest.keyClick(sheet, Qt.Key.Key_Space)
            assert bar.play.accessibleName() == "Pause (Space)"
            await until(lambda: sheet.player.position_ms > 300 and bar.position.value() > 0)
            QTest.keyClick(sheet, Qt.Key.Key_Space)
            assert not sheet.player.is_playing
            bar.position.setFocus()
            QTest.keyClick(bar.position, Qt.Key.Key_End)
            await until(lambda: sheet.player.position_ms == sheet.player.length_ms)
            QTest.keyClick(bar.position, Qt.Key.Key_PageDown)
            await until(lambda: sheet.player.position_ms == sheet.player.length_ms - 10_000)
            assert bar.position.accessibleDescription() == "0:50 of 1:00"
            before = sheet.player.position_ms
            QTest.keyClick(sheet, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
            await until(lambda: sheet.player.position_ms == before - 5_000)

    run(qapp, work)


def test_a_press_on_the_line_goes_there(qapp: QApplication, tmp_path: Path) -> None:
    path = made_video(tmp_path, "walk.mp4", seconds=20)

    async def work() -> None:
        async with watched(path) as (sheet, _opening):
            line = sheet.transport.position
            await until(lambda: line.maximum() > 0 and line.isVisible())
            middle = QPoint(line.width() // 2, line.height() // 2)
            QTest.mouseClick(line, Qt.MouseButton.LeftButton, pos=middle)
            await until(lambda: sheet.player.position_ms > 0)
            assert sheet.player.position_ms == pytest.approx(10_000, abs=400)

    run(qapp, work)


def test_at_its_end_it_rests_and_begins_again(qapp: QApplication, tmp_path: Path) -> None:
    path = made_video(tmp_path, "walk.mp4", seconds=1)

    async def work() -> None:
        async with watched(path) as (sheet, _opening):
            player = sheet.player
            assert sheet.transport.note.text() == "This video has no sound"
            player.toggle()
            await until(lambda: not player.is_playing)
            assert player.position_ms == player.length_ms
            seen: list[int] = []
            player.moved.connect(seen.append)
            player.toggle()
            await until(lambda: seen and not player.is_playing)
            assert seen[0] < player.length_ms

    run(qapp, work)


def test_another_file_ends_the_program_of_the_one_before(qapp: QApplication, tmp_path: Path) -> None:
    first, second = (made_video(tmp_path, name, seconds=2) for name in ("walk.mp4", "hem.mp4"))

    async def work() -> None:
        other = Opening(second)
        async with watched(first) as (sheet, opening):
            sheet.show_file(other.viewed())
            await until(lambda: opening.is_over() and sheet.canvas.share > 0)
            assert sheet.name.text() == "hem.mp4"
        await until(other.is_over)

    run(qapp, work)


def test_a_damaged_one_says_so_in_one_sentence(qapp: QApplication, tmp_path: Path) -> None:
    path = tmp_path / "walk.mp4"
    path.write_bytes(b"\0\0\0\x18ftypmp42" + b"\0" * 500)

    async def work() -> None:
        async with shown(QWidget()) as window:
            sheet = Preview(window)
            sheet.show_file(Opening(path).viewed())
            sheet.present()
            await until(lambda: sheet.transport.note.text().startswith("This video is damaged"))
            assert not sheet.transport.position.isVisible()
            QTest.keyClick(sheet, Qt.Key.Key_Space)
            assert not sheet.player.is_playing

    run(qapp, work)


def test_the_picture_that_shows_becomes_the_cover_of_a_stored_video(
    qapp: QApplication, tmp_path: Path
) -> None:
    service = service_of_today()
    service.offers = ("media",)
    service.files["me/walk.mp4"] = made_video(tmp_path, "walk.mp4", seconds=20).read_bytes()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(MediaPane(opened, LISBON)) as pane:
            pane.resize(1_000, 700)
            await until(lambda: pane.model.rowCount() and pane.grid.thumbnails._there.get("me/walk.mp4"))
            await until(lambda: not pane.details.picture._picture.isNull())
            before = pane.details.picture._picture.toImage()
            pane.grid.opened.emit()
            (sheet,) = pane.findChildren(Preview)
            await until(sheet.cover.isVisible)
            assert sheet.cover.note.text() == (
                "No cover selected. Kalends shows the first frame; each platform chooses its own."
            )
            sheet.player.seek(12_000)
            await until(lambda: sheet.player.position_ms == 12_000)
            QTest.keyClick(sheet.cover.use, Qt.Key.Key_Space)
            await until(lambda: sheet.cover.note.text().startswith("The cover is the frame at 0:12."))
            assert service.described["me/walk.mp4"] == {"cover_ms": 12_000}
            await until(lambda: pane.grid.thumbnails._there.get("me/walk.mp4 12000"))
            await until(lambda: pane.details.picture._picture.toImage() != before)
            sheet.player.seek(0)
            await until(lambda: sheet.player.position_ms == 0)
            QTest.keyClick(sheet.cover.use, Qt.Key.Key_Space)
            await until(lambda: service.described["me/walk.mp4"] == {"cover_ms": 0})
            await until(lambda: sheet.cover.note.text().startswith("The cover is the frame at 0:00."))

    run(qapp, work)


def test_a_cover_that_cannot_be_kept_says_why(qapp: QApplication, tmp_path: Path) -> None:
    path = made_video(tmp_path, "walk.mp4", seconds=2)

    async def refuse(_cover_ms: int | None) -> None:
        raise Problem("The service can't be reached. Check your network, then try again.")

    async def work() -> None:
        async with watched(path) as (sheet, opening):
            assert not sheet.cover.isVisible()  # nobody can keep it
            sheet.show_file(replace(opening.viewed(), choose_cover=refuse))
            await until(sheet.cover.isVisible)
            QTest.mouseClick(sheet.cover.use, Qt.MouseButton.LeftButton)
            await until(lambda: sheet.cover.note.text().startswith("The service can't be reached."))

    run(qapp, work)


@pytest.mark.parametrize("kind", ["video", "image"])
def test_the_file_of_a_post_is_looked_at_from_the_composer(
    qapp: QApplication, tmp_path: Path, kind: str
) -> None:
    is_video = kind == "video"
    path = made_video(tmp_path, "walk.mp4", seconds=2) if is_video else photo(tmp_path, "coat.jpg")
    service = service_of_today()
    service.add_account("x")

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(ComposerPanel(opened, LISBON, tomorrow())) as panel,
        ):
            panel.resize(440, 900)
            await ready(panel)
            panel.attachment.take([path])
            await until(lambda: panel.file.tile.isEnabled() and panel.file.tile.isVisible())
            assert panel.file.tile.accessibleName() == ("Play video" if is_video else "View larger")
            QTest.keyClick(panel.file.tile, Qt.Key.Key_Space)
            await until(lambda: panel.findChildren(Preview))
            (sheet,) = panel.findChildren(Preview)
            await until(lambda: sheet.canvas.share > 0)
            assert sheet.transport.isVisible() == is_video
            assert not sheet.next.isVisible()
            QTest.keyClick(sheet, Qt.Key.Key_Escape)
            await until(lambda: not panel.findChildren(Preview))

    run(qapp, work)


def test_a_picture_keeps_its_shape_whatever_size_its_record_has(qtbot: QtBot) -> None:
    canvas = Canvas(400)
    qtbot.addWidget(canvas)
    canvas.resize(800, 624)
    canvas.set_picture(QImage(480, 360, QImage.Format.Format_RGB32), QSize(1_000, 1_000))
    place = canvas._place()
    assert place.width() / place.height() == pytest.approx(4 / 3, rel=0.01)
    canvas.set_picture(QImage(99, 66, QImage.Format.Format_RGB32), QSize(3_000, 1_999))
    assert canvas.share == pytest.approx(canvas._place().width() / 3_000)  # a thumbnail's size is rounded
