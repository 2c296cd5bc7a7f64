"""The pane of files, over a service in memory: what shows, what is sought, and what is deleted."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QScrollArea

from app.client import ServiceClient
from app.desktop import carried
from app.desktop.media.details import UseRow
from app.desktop.media.operations import CopySheet, RemovalSheet
from app.desktop.media.preview import Preview
from app.workspace.changes import Changes
from app.workspace.clock import wall_clock
from app.workspace.editing.draft import ComposerDraft
from app.workspace.messages import Problem
from app.workspace.workspace import Workspace
from tests.desktop.media.seeing import MIB, OnPane, Seen, jpeg, seen
from tests.desktop.pressing import LEFT, drag_begins, press
from tests.desktop.running import run, service_of_today, workspace
from tests.workspace.model_service import BASE_URL, HOUR, KEY, ModelService
from tests.workspace.opened import QUICK, until
from tests.workspace.opened import opened as opened_workspace


def test_what_is_stored_shows_with_its_picture_and_is_narrowed(on_pane: OnPane) -> None:
    async def story(now: Seen) -> None:
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

    on_pane(story)


def test_without_files_there_is_one_sentence_and_one_action(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service_of_today()) as opened, seen(opened) as now:
            await until(now.pane.empty.isVisible)
            assert not now.pane.toolbar.search.isVisible()
            assert not now.pane.details.isVisible()

    run(qapp, work)


def test_without_files_a_service_that_never_answered_is_the_reason(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.online = False

    async def work() -> None:
        async with opened_workspace(tmp_path, service) as opened, seen(opened) as now:
            failed = now.pane.failed
            await until(failed.isVisible)
            assert "can't be reached" in failed.text()
            service.online = True
            failed.acted.emit()
            await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")

    run(qapp, work)


def test_without_files_a_list_that_the_service_does_not_give_is_the_reason(
    qapp: QApplication, tmp_path: Path
) -> None:
    class Silent(ModelService):
        def answer(self, request: httpx.Request) -> httpx.Response:
            if request.url.path == "/companion/v1/media":
                error = {"code": "not_found", "message": "There is no such address."}
                return httpx.Response(404, json={"error": error, "request_id": "req_1"})
            return super().answer(request)

    service = Silent(wall_clock)
    service.offers = ("media",)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await until(now.pane.failed.isVisible)
            assert now.pane.failed.text() == "This service doesn't list its files."

    run(qapp, work)


def test_a_tile_says_everything_it_shows_and_can_be_dragged(on_pane: OnPane, service: ModelService) -> None:
    service.add_post(service.connections[0]["id"], service.clock() + HOUR)
    next(iter(service.posts.values()))["media_storage_path"] = "me/walk-0a1b2c3d.mp4"

    async def story(now: Seen) -> None:
        await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
        model = now.pane.model
        index = model.index(model.row_of("me/walk-0a1b2c3d.mp4"))
        await until(lambda: "in 1 post" in str(index.data(Qt.ItemDataRole.AccessibleTextRole)))
        told = str(index.data(Qt.ItemDataRole.AccessibleTextRole))
        assert told == "walk.mp4, MP4 video, 0:42, 111 bytes, in 1 post, added 20 Nov 2026"
        assert carried.read(model.mimeData([index])).media == ("me/walk-0a1b2c3d.mp4",)

    on_pane(story)


def test_a_file_that_no_post_needs_is_deleted_for_good(on_pane: OnPane, service: ModelService) -> None:
    async def story(now: Seen) -> None:
        await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
        upload = await now.media.library.upload_of("me/coat.jpg")
        now.workspace.drafts.keep(ComposerDraft("Wool", upload_id=upload.id))
        now.choose("me/coat.jpg")
        QTest.keyClick(now.pane.grid, Qt.Key.Key_Delete)
        await until(lambda: now.pane.findChildren(RemovalSheet))
        (sheet,) = now.pane.findChildren(RemovalSheet)
        assert "1 draft will lose its file." in sheet.text.text()
        press(sheet.go)
        await now.until_listed("Café.jpg", "walk.mp4")
        await until(lambda: now.said)
        assert now.said[-1].text == "“coat.jpg” was deleted."
        assert "me/coat.jpg" not in service.files
        assert now.media.uploads.all() == []

    on_pane(story)


def test_the_question_also_counts_the_composer_and_cancelled_posts(
    on_pane: OnPane, service: ModelService
) -> None:
    service.add_post(service.connections[0]["id"], service.clock() + HOUR, status="cancelled")
    next(iter(service.posts.values()))["media_storage_path"] = "me/coat.jpg"

    async def story(now: Seen) -> None:
        await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
        upload = await now.media.library.upload_of("me/coat.jpg")
        now.workspace.save_composer(ComposerDraft("Wool", upload_id=upload.id))
        now.choose("me/coat.jpg")
        press(now.pane.details.remove)
        await until(lambda: now.pane.findChildren(RemovalSheet))
        (sheet,) = now.pane.findChildren(RemovalSheet)
        assert sheet.text.text() == (
            "This can't be undone. Copies on this computer stay. 1 draft will lose its file. "
            "1 cancelled post can't be scheduled again without its file."
        )
        press(sheet.cancel)

    on_pane(story)


def need_coat(service: ModelService) -> None:
    """Plan a post with the picture of the coat."""
    service.add_post(service.connections[0]["id"], service.clock() + HOUR)
    next(iter(service.posts.values()))["media_storage_path"] = "me/coat.jpg"


async def until_coat_is_needed(now: Seen) -> None:
    await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
    await until(lambda: any(item.needed_by for item in now.pane.model.items))


def test_the_question_names_only_the_files_that_will_be_deleted(
    on_pane: OnPane, service: ModelService
) -> None:
    need_coat(service)

    async def story(now: Seen) -> None:
        await until_coat_is_needed(now)
        items = [item for item in now.pane.model.items if item.name != "walk.mp4"]
        sheet = RemovalSheet(now.pane, items, 0)
        assert sheet.accessibleName() == "Delete “Café.jpg”?"
        sheet.deleteLater()

    on_pane(story)


def test_a_file_that_a_post_needs_stays_and_one_that_is_gone_leaves_the_list(
    on_pane: OnPane, service: ModelService
) -> None:
    need_coat(service)

    async def story(now: Seen) -> None:
        await until_coat_is_needed(now)
        now.choose("me/coat.jpg")
        assert now.pane.details.kept.text() == "Used by 1 scheduled post"
        press(now.pane.details.remove)
        await until(lambda: now.pane.findChildren(RemovalSheet))
        (sheet,) = now.pane.findChildren(RemovalSheet)
        assert sheet.text.text() == "“coat.jpg” is kept: 1 unpublished post uses it."
        assert not sheet.go.isVisible()
        press(sheet.cancel)
        del service.files["me/Café.jpg"]
        items = [item for item in now.pane.model.items if item.path != "me/walk-0a1b2c3d.mp4"]
        await now.pane.operations._remover._remove(items)
        assert now.said[-1].text == "1 file was deleted. 1 file was kept because unpublished posts use it."
        await now.until_listed("walk.mp4", "coat.jpg")

    on_pane(story)


def test_a_click_on_a_post_that_uses_a_file_is_not_lost_when_the_post_changes(
    on_pane: OnPane, service: ModelService
) -> None:
    need_coat(service)

    async def story(now: Seen) -> None:
        await until_coat_is_needed(now)
        now.choose("me/coat.jpg")
        details, opened = now.pane.details, list[str]()
        details.post_opened.connect(opened.append)
        (row,) = details.findChildren(UseRow)
        said = row.accessibleName()
        QTest.mousePress(row, LEFT)
        post = next(post for post in now.workspace.posts.all() if post.media)
        now.workspace.move({post.key: post.at + HOUR})
        await until(lambda: row.accessibleName() != said)
        QTest.mouseRelease(row, LEFT)
        assert opened == [post.key]

    on_pane(story)


def test_words_for_those_who_cannot_see_are_kept(on_pane: OnPane, service: ModelService) -> None:
    async def story(now: Seen) -> None:
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
        assert (await now.workspace.search("brown")).media == ("me/coat.jpg",)

    on_pane(story)


def test_words_that_are_written_offline_stay_and_are_sent_later(
    on_pane: OnPane, service: ModelService
) -> None:
    async def story(now: Seen) -> None:
        await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
        service.online = False
        now.choose("me/coat.jpg")
        now.pane.details.alt_text.editor.setPlainText("A brown coat")
        now.choose("me/Café.jpg")
        now.choose("me/coat.jpg")
        assert now.pane.details.alt_text.editor.toPlainText() == "A brown coat"
        service.online = True
        now.workspace.look_again()
        await until(lambda: any(item.file.alt_text == "A brown coat" for item in now.pane.model.items))

    on_pane(story)


def test_a_picture_is_looked_at_larger_and_the_arrows_walk(on_pane: OnPane) -> None:
    async def story(now: Seen) -> None:
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

    on_pane(story)


async def saved(opened: Workspace, target: Path) -> None:
    item = next(item for item in await opened.media.library.items() if item.path == "me/coat.jpg")
    await opened.media.library.save(item, target)


def test_a_copy_is_saved_whole_or_not_at_all(on_pane: OnPane, tmp_path: Path, service: ModelService) -> None:
    async def story(now: Seen) -> None:
        await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
        await saved(now.workspace, tmp_path / "copy.jpg")
        assert (tmp_path / "copy.jpg").read_bytes() == service.files["me/coat.jpg"]
        service.online = False
        with pytest.raises(Exception, match="can't be reached"):
            await saved(now.workspace, tmp_path / "other.jpg")

    on_pane(story)
    assert [path.name for path in tmp_path.iterdir() if "other" in path.name] == []


def test_a_copy_that_takes_a_while_shows_how_far_it_is_and_can_be_stopped(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    go, content = asyncio.Event(), bytes(3 * MIB)
    service.files["me/coat.jpg"] = content

    class Dripping(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield content[: 2 * MIB]
            await go.wait()

    class Slow(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            answer = service.answer(request)
            if request.url.path == "/view/me/coat.jpg":
                answer = httpx.Response(200, stream=Dripping())
            answer.request = request
            return answer

    async def work() -> None:
        client = ServiceClient(BASE_URL, KEY, transport=Slow())
        opened = await Workspace.open(
            client, tmp_path / "workspace.db", name="Test", clock=service.clock, pace=QUICK
        )
        await opened.refresh()
        async with seen(opened) as now:
            await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
            item = now.pane.model.item(now.pane.model.row_of("me/coat.jpg"))
            assert item is not None
            saving = asyncio.ensure_future(now.pane.operations._save(item, tmp_path / "copy.jpg"))
            await until(lambda: now.pane.window().findChildren(CopySheet))
            (sheet,) = now.pane.window().findChildren(CopySheet)
            await until(sheet.isVisible)
            await until(lambda: sheet.text.text() == "2 MB of 3 MB")  # arrives in pieces
            assert sheet.bar.value() > 0
            press(sheet.cancel)
            await saving
            assert now.said[-1].text == "“copy.jpg” wasn't saved."
        await opened.close()

    run(qapp, work)
    assert [path.name for path in tmp_path.iterdir() if "copy" in path.name] == []


def test_a_copy_leaves_some_of_the_disk_free(on_pane: OnPane, tmp_path: Path) -> None:
    async def story(now: Seen) -> None:
        await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
        (item,) = [item for item in await now.media.library.items() if item.path == "me/coat.jpg"]
        with pytest.raises(Problem) as caught:
            await now.media.library.save(item, tmp_path / "copy.jpg", spared=10**15)
        assert caught.value.text == (
            "“copy.jpg” wasn't saved: the disk is almost full. Free up space, then try again."
        )
        large = replace(item, file=replace(item.file, size_bytes=5 * 1024**3 + 1))
        with pytest.raises(Problem, match="larger than 5 GB"):
            await now.media.library.save(large, tmp_path / "copy.jpg")

    on_pane(story)
    assert [path.name for path in tmp_path.iterdir() if "copy" in path.name] == []


def test_the_grid_stays_where_it_is_when_the_list_changes(on_pane: OnPane, service: ModelService) -> None:
    service.files = {f"me/{number:03}.jpg": jpeg(8) for number in range(60)}

    async def story(now: Seen) -> None:
        await until(lambda: now.pane.model.rowCount() == 60)
        pane, bar = now.pane, now.pane.grid.verticalScrollBar()
        pane.toolbar.order.setCurrentIndex(pane.toolbar.order.findData("name"))
        await until(lambda: bar.maximum() > 600)
        bar.setValue(600)
        service.files["me/061.jpg"] = jpeg(8)
        now.workspace._core.changes.tell(Changes(files=True))
        await until(lambda: pane.model.rowCount() == 61)
        assert bar.value() == 600
        del service.files["me/061.jpg"]
        await now.media.refresh()
        await until(lambda: pane.model.rowCount() == 60)
        assert bar.value() == 600

    on_pane(story)


def test_a_file_is_dragged_though_the_list_changes_while_it_is_pressed(
    on_pane: OnPane, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story(now: Seen) -> None:
        await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
        grid, dragged = now.pane.grid, list[list[str]]()
        monkeypatch.setattr(
            grid, "startDrag", lambda _actions: dragged.append([item.path for item in grid.chosen_items()])
        )
        await until(lambda: not grid.visualRect(now.pane.model.index(2)).isEmpty())
        place = grid.visualRect(now.pane.model.index(2)).center()
        QTest.mousePress(grid.viewport(), LEFT, pos=place)
        coat = now.pane.model.item(2)
        assert coat is not None
        del service.files["me/Café.jpg"]
        service.files["me/hat.jpg"] = jpeg(80)
        await now.media.library.refresh()
        await now.until_listed("hat.jpg", "walk.mp4", "coat.jpg")
        drag_begins(grid, place)
        assert dragged == [[coat.path]]

    on_pane(story)


def test_the_panel_beside_the_files_does_not_scroll_sideways(on_pane: OnPane) -> None:
    async def story(now: Seen) -> None:
        await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
        details = now.pane.details
        await until(details.isVisible)
        now.pane.resize(1_000, 480)
        details.alt_text.note.setText("Words about what it is for, as long as other languages have them")
        (area,) = details.findChildren(QScrollArea)
        await until(lambda: area.verticalScrollBar().maximum() > 0)
        assert area.horizontalScrollBar().maximum() == 0

    on_pane(story)


@pytest.mark.parametrize(
    ("stored", "proposed"),
    [
        ("me/~/.bashrc", "bashrc.jpg"),
        ("me/../../../etc/cron.d/job", "job.jpg"),
        ("me/\u202egnp.desktop", "gnp.desktop.jpg"),
        ("me/\\\\host\\share\\coat.jpg", "coat.jpg"),
    ],
)
def test_a_copy_is_proposed_under_a_safe_name_in_a_folder_of_the_person(
    on_pane: OnPane, service: ModelService, stored: str, proposed: str
) -> None:
    service.files = {stored: jpeg(8)}

    async def story(now: Seen) -> None:
        await until(lambda: now.pane.model.rowCount() == 1)
        item = now.pane.model.item(0)
        assert item is not None
        now.pane.operations.save(item)
        (dialog,) = now.pane.window().findChildren(QFileDialog)
        folder = Path(dialog.directory().absolutePath())
        assert dialog.directory().exists()
        assert [Path(name) for name in dialog.selectedFiles()] == [folder / proposed]
        dialog.reject()

    on_pane(story)


def test_dialogs_begin_where_files_were_chosen_last(on_pane: OnPane, tmp_path: Path) -> None:
    async def story(now: Seen) -> None:
        await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
        item = next(item for item in map(now.pane.model.item, range(3)) if item and item.name == "coat.jpg")
        now.pane.operations.save(item)
        (first,) = now.pane.window().findChildren(QFileDialog)
        first.setDirectory(str(tmp_path))
        first.accept()
        await until((tmp_path / "coat.jpg").exists)
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        now.pane.operations.save(item)
        (second,) = now.pane.window().findChildren(QFileDialog)
        assert Path(second.directory().absolutePath()) == tmp_path
        second.reject()

    on_pane(story)
