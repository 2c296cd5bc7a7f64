"""The pane of files, over a service in memory: what shows, what is sought, uploads, what is deleted."""

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PIL import Image
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication

from app.desktop import carried
from app.desktop.media import MediaPane
from app.desktop.media.import_sheet import ImportSheet
from app.desktop.media.preview import Preview
from app.desktop.media.queue_row import QueueRow
from app.desktop.media.removal import RemovalSheet
from app.desktop.media.twice_sheet import TwiceSheet
from app.desktop.theme import theme
from app.workspace.changes import Changes
from app.workspace.composer.draft import ComposerDraft
from app.workspace.media.upload import UploadState
from app.workspace.messages import Message
from app.workspace.workspace import Workspace
from tests.desktop.dragged import dropping, entering
from tests.desktop.running import run, service_of_today, shown, workspace
from tests.workspace.media.samples import SlowLine, picture, video, written
from tests.workspace.model_service import HOUR, ModelService
from tests.workspace.opened import QUICK, until
from tests.workspace.opened import opened as opened_workspace

LISBON = ZoneInfo("Europe/Lisbon")
MIB = 1024 * 1024


@pytest.fixture(autouse=True)
def light(qapp: QApplication) -> None:
    theme.apply(qapp, "light")


@pytest.fixture
def service() -> ModelService:
    """Three files, and an account for posts."""
    made = service_of_today()
    made.offers, made.tells_usage, made.room = ("media",), True, 10 * MIB
    made.add_account("x")
    made.files = {"me/Café.jpg": jpeg(80), "me/walk-0a1b2c3d.mp4": b"\0\0\0\x18ftypmp42" + b"\0" * 99}
    made.files["me/coat.jpg"] = jpeg(900)
    return made


def jpeg(edge: int) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (edge, edge), "brown").save(content, "JPEG")
    return content.getvalue()


class Seen:
    """The pane, and what it told."""

    def __init__(self, pane: MediaPane) -> None:
        self.pane = pane
        self.said: list[Message] = []
        pane.told.connect(self.said.append)

    def names(self) -> list[str]:
        rows = range(self.pane.model.rowCount())
        return [item.name for row in rows if (item := self.pane.model.item(row))]

    async def until_listed(self, *names: str) -> None:
        await until(lambda: sorted(self.names()) == sorted(names))

    def choose(self, *paths: str) -> None:
        self.pane.grid.choose(list(paths))

    def row(self, number: int = 0) -> QueueRow:
        return self.pane.queue.rows()[number]


@asynccontextmanager
async def seen(opened: Workspace) -> AsyncIterator[Seen]:
    async with shown(MediaPane(opened, LISBON)) as pane:
        pane.resize(1_000, 700)
        yield Seen(pane)


def press(button: QAbstractButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_what_is_stored_shows_with_its_picture_and_is_narrowed(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
            pane = now.pane
            await until(lambda: pane.grid.thumbnails._there.get("me/coat.jpg"))
            assert pane.toolbar.count.text() == "3 files"
            pane.toolbar.search.setText("cafe")
            assert (now.names(), pane.toolbar.count.text()) == (["Café.jpg"], "1 of 3 files")
            pane.toolbar.kinds.set_value("video")
            assert pane.no_match.isVisible()
            pane.no_match.acted.emit()
            assert len(now.names()) == 3
            pane.toolbar.order.setCurrentIndex(pane.toolbar.order.findData("name"))
            assert now.names() == ["Café.jpg", "coat.jpg", "walk.mp4"]
            pane.toolbar.order.setCurrentIndex(pane.toolbar.order.findData("largest"))
            assert now.names()[0] == "coat.jpg"

    run(qapp, work)


def test_without_files_there_is_one_sentence_and_one_action(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service_of_today()) as opened, seen(opened) as now:
            await until(now.pane.empty.isVisible)
            assert not now.pane.toolbar.search.isVisible()
            assert not now.pane.details.isVisible()

    run(qapp, work)


def test_a_tile_says_everything_it_shows_and_can_be_dragged(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.connections[0]["id"]
    post = service.add_post(account, service.clock() + HOUR)
    next(iter(service.posts.values()))["media_storage_path"] = "me/walk-0a1b2c3d.mp4"
    del post

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
            model = now.pane.model
            index = model.index(model.row_of("me/walk-0a1b2c3d.mp4"))
            await until(lambda: "in 1 post" in str(index.data(Qt.ItemDataRole.AccessibleTextRole)))
            told = str(index.data(Qt.ItemDataRole.AccessibleTextRole))
            assert told == "walk.mp4, MP4 video, 0:42, 111 bytes, in 1 post, added 20 Nov 2026"
            assert carried.read(model.mimeData([index])).media == ("me/walk-0a1b2c3d.mp4",)

    run(qapp, work)


def test_files_are_dropped_uploaded_and_listed_and_odd_ones_are_refused(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
            good, odd = picture(tmp_path, "hem.jpg"), written(tmp_path, "list.pdf", b"%PDF-1.7")
            data = QMimeData()
            data.setUrls([QUrl.fromLocalFile(str(path)) for path in (good, odd)])
            QApplication.sendEvent(now.pane, entering(QPoint(9, 9), data))
            QApplication.sendEvent(now.pane, dropping(QPoint(9, 9), data))
            await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg", "hem.jpg")
            assert "list.pdf" in now.said[0].text
            await until(lambda: now.row().state.text() == "Stored")
            press(now.row().see)
            chosen = now.pane.grid.current_item()
            assert chosen is not None
            assert (chosen.name, now.pane.details.name.text()) == ("hem.jpg", "hem.jpg")
            press(now.row().cross)
            assert now.pane.queue.rows() == []
            now.pane.adding.take([good])
            await until(lambda: now.pane.findChildren(TwiceSheet))
            assert len(opened.media.uploads.all()) == 1
            press(now.pane.findChildren(TwiceSheet)[0].again)
            await until(lambda: len(opened.media.uploads.all()) == 2)

    run(qapp, work)


def test_an_upload_is_paused_hastened_goes_on_and_is_cancelled(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    line = SlowLine(service)

    async def work() -> None:
        opened = await Workspace.open(
            line.client(), tmp_path / "workspace.db", name="Test", clock=service.clock, pace=QUICK
        )
        await opened.refresh()
        async with seen(opened) as now:
            files = [video(tmp_path, f"{name}.mp4", MIB) for name in "abcd"]
            await opened.media.add_files(files)
            uploads = opened.media.uploads
            await until(lambda: line.uploads == 2)
            await until(lambda: now.pane.queue.counts.text() == "2 running · 2 waiting")
            await until(lambda: len(now.pane.queue.rows()) == 4)
            press(now.row(0).pause)
            await until(lambda: uploads.all()[0].state is UploadState.PAUSED)
            await until(lambda: now.pane.queue.counts.text() == "2 running · 1 waiting · 1 paused")
            press(now.row(3).first)
            await until(lambda: [row.name.text()[0] for row in now.pane.queue.rows()] == list("dabc"))
            assert [upload.name[0] for upload in uploads.all()] == list("dabc")
            press(now.row(2).cross)
            await until(lambda: [upload.name[0] for upload in uploads.all()] == list("dac"))
            paused = next(row for row in now.pane.queue.rows() if row.name.text() == "a.mp4")
            press(paused.go_on)
            line.go.set()
            await until(lambda: all(upload.is_done for upload in uploads.all()))
            await until(lambda: now.pane.queue.counts.text() == "All stored")
        await opened.close()

    run(qapp, work)


def test_of_many_uploads_only_those_in_sight_have_rows(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    line = SlowLine(service)

    async def work() -> None:
        opened = await Workspace.open(
            line.client(), tmp_path / "workspace.db", name="Test", clock=service.clock, pace=QUICK
        )
        await opened.refresh()
        async with seen(opened) as now:
            queue = now.pane.queue
            await opened.media.add_files([video(tmp_path, f"{number:02}.mp4") for number in range(40)])
            await until(lambda: queue.counts.text() == "2 running · 38 waiting")
            await until(lambda: not queue._building.isActive())
            assert [row.name.text() for row in queue.rows()][:4] == ["00.mp4", "01.mp4", "02.mp4", "03.mp4"]
            assert len(queue.rows()) < 20
            bar = queue._area.verticalScrollBar()
            await until(lambda: bar.maximum() > 30 * 44)
            bar.setValue(bar.maximum())
            await until(lambda: len(queue.rows()) == 40)
        await opened.close()

    run(qapp, work)


def test_a_limit_is_chosen_from_a_menu_and_shown(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            limit = now.pane.queue.limit
            assert limit.text() == "Limit speed"
            choices = limit.menu_of(limit).actions()
            (wanted,) = [action for action in choices if action.text() == "2 MB/s"]
            wanted.trigger()
            await until(lambda: opened.media.uploads.limit.rate == 2 * MIB)
            assert (limit.text(), limit.accessibleName()) == ("2 MB/s", "Upload speed: 2 MB/s")

    run(qapp, work)


def test_what_is_put_off_can_be_tried_at_once(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.faults = [("PUT", "500")]
    patient = replace(QUICK, backoff=600.0, backoff_max=600.0)

    async def work() -> None:
        async with opened_workspace(tmp_path, service, pace=patient) as opened, seen(opened) as now:
            await opened.media.add_files([picture(tmp_path)])
            await until(lambda: now.pane.queue.rows() and now.row().again.isVisible())
            assert now.row().again.text() == "Try now"
            assert now.row().state.text() == "broken. The upload begins again by itself."
            press(now.row().again)
            await until(lambda: opened.media.uploads.all()[0].is_done)

    run(qapp, work)


def test_what_does_not_fit_is_refused_before_it_is_sent(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.room = 300_000

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await until(now.pane.queue.gauge.isVisible)
            now.pane.adding.take([video(tmp_path, size=400_000)])
            await until(lambda: now.said)
            assert now.said[0].text.startswith("There is no room for “walk.mp4”: 390.6 KB are needed, and ")
            assert opened.media.uploads.all() == []
            assert [request.method for request in service.requests].count("POST") == 0

    run(qapp, work)


def test_a_file_is_imported_from_an_address_or_says_why_not(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.web["https://okafor.studio/linen.jpg"] = jpeg(60)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
            now.pane.adding.ask_for_address()
            (sheet,) = now.pane.findChildren(ImportSheet)
            sheet.address.setText("linen, please")
            press(sheet.go)
            assert "no address of a file" in sheet.field.error()
            sheet.address.setText("https://okafor.studio/linen.jpg")
            press(sheet.go)
            await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg", "linen.jpg")
            opened.media.imports.begin("https://okafor.studio/wool.jpg")
            await until(now.row(1).again.isVisible)
            assert now.row(1).state.text() == "Nothing is found at this address."
            service.web["https://okafor.studio/wool.jpg"] = jpeg(60)
            press(now.row(1).again)
            await until(lambda: "wool.jpg" in now.names())

    run(qapp, work)


def test_a_file_that_no_post_needs_is_deleted_for_good(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
            upload = await opened.media.library.upload_of("me/coat.jpg")
            opened.drafts.keep(ComposerDraft("Wool", upload_id=upload.id))
            now.choose("me/coat.jpg")
            QTest.keyClick(now.pane.grid, Qt.Key.Key_Delete)
            (sheet,) = now.pane.findChildren(RemovalSheet)
            assert "1 draft will be without a file." in sheet.text.text()
            press(sheet.go)
            await now.until_listed("Café.jpg", "walk.mp4")
            assert now.said[-1].text == "“coat.jpg” was deleted."
            assert "me/coat.jpg" not in service.files
            assert opened.media.uploads.all() == []

    run(qapp, work)


def test_a_file_that_a_post_needs_stays_and_one_that_is_gone_leaves_the_list(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_post(service.connections[0]["id"], service.clock() + HOUR)
    next(iter(service.posts.values()))["media_storage_path"] = "me/coat.jpg"

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
            await until(lambda: any(item.needed_by for item in now.pane.model.items))
            now.choose("me/coat.jpg")
            assert now.pane.details.kept.text() == "Kept until 1 post is out"
            press(now.pane.details.remove)
            (sheet,) = now.pane.findChildren(RemovalSheet)
            assert sheet.text.text() == "“coat.jpg” stays: 1 post not out yet needs it."
            assert not sheet.go.isVisible()
            press(sheet.cancel)
            del service.files["me/Café.jpg"]
            items = [item for item in now.pane.model.items if item.path != "me/walk-0a1b2c3d.mp4"]
            await now.pane.doings._remover._remove(items)
            assert now.said[-1].text == "1 file was deleted. 1 file was kept for posts not out yet."
            await now.until_listed("walk.mp4", "coat.jpg")

    run(qapp, work)


def test_words_for_those_who_cannot_see_are_kept(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
            now.choose("me/coat.jpg")
            now.pane.details.alt_text.editor.setPlainText("A brown coat")
            now.choose("me/Café.jpg")
            assert now.pane.details.alt_text.editor.toPlainText() == ""

            def described() -> bool:
                items = now.pane.model.items
                return any(item.file.alt_text == "A brown coat" for item in items)

            await until(described)
            assert [request.method for request in service.requests].count("PATCH") == 1
            assert (await opened.search("brown")).media == ("me/coat.jpg",)

    run(qapp, work)


def test_a_picture_is_looked_at_larger_and_the_arrows_walk(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
            now.pane.toolbar.order.setCurrentIndex(now.pane.toolbar.order.findData("name"))
            now.choose("me/Café.jpg")
            QTest.keyClick(now.pane.grid, Qt.Key.Key_Return)
            (sheet,) = now.pane.findChildren(Preview)
            QTest.keyClick(sheet, Qt.Key.Key_Right)
            assert sheet.name.text() == "coat.jpg"
            await until(lambda: sheet.canvas.share > 0)
            before = sheet.canvas.share
            QTest.keyClick(sheet, Qt.Key.Key_Plus)
            assert sheet.canvas.share == pytest.approx(before * 1.25)
            QTest.keyClick(sheet, Qt.Key.Key_0)
            assert sheet.canvas.share == pytest.approx(before)
            QTest.keyClick(sheet, Qt.Key.Key_Right)
            await until(lambda: sheet.transport.note.text().startswith("This video is damaged"))
            assert not sheet.transport.play.isVisible()
            QTest.keyClick(sheet, Qt.Key.Key_Escape)
            assert now.pane.grid.current_item() is not None

    run(qapp, work)


async def saved(opened: Workspace, target: Path) -> None:
    item = next(item for item in await opened.media.library.items() if item.path == "me/coat.jpg")
    await opened.media.library.save(item, target)


def test_a_copy_is_saved_whole_or_not_at_all(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
            await saved(opened, tmp_path / "copy.jpg")
            assert (tmp_path / "copy.jpg").read_bytes() == service.files["me/coat.jpg"]
            service.online = False
            with pytest.raises(Exception, match="cannot be reached"):
                await saved(opened, tmp_path / "other.jpg")

    run(qapp, work)
    assert [path.name for path in tmp_path.iterdir() if "other" in path.name] == []


def test_the_grid_stays_where_it_is_when_the_list_changes(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.files = {f"me/{number:03}.jpg": jpeg(8) for number in range(60)}

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await until(lambda: now.pane.model.rowCount() == 60)
            pane, bar = now.pane, now.pane.grid.verticalScrollBar()
            pane.toolbar.order.setCurrentIndex(pane.toolbar.order.findData("name"))
            await until(lambda: bar.maximum() > 600)
            bar.setValue(600)
            service.files["me/061.jpg"] = jpeg(8)
            opened._core.changes.tell(Changes(files=True))
            await until(lambda: pane.model.rowCount() == 61)
            assert bar.value() == 600
            del service.files["me/061.jpg"]
            await opened.media.refresh()
            await until(lambda: pane.model.rowCount() == 60)
            assert bar.value() == 600

    run(qapp, work)
