"""Files that are dropped on the calendar, from the drop to the post that is scheduled."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from app.contract.enums import PostType
from app.desktop.media.wording import underway
from app.desktop.shell.incoming import PUT_BACK
from app.workspace.editing.draft import ComposerDraft
from app.workspace.media.upload import Upload, UploadState
from app.workspace.messages import MessageAction
from app.workspace.slots.slots import Slot
from app.workspace.workspace import Workspace
from tests.desktop.composer.composing import stored
from tests.desktop.running import run, workspace
from tests.desktop.shell.person import DAY, at_home, tomorrow
from tests.workspace.media.samples import SlowLine, picture, video, written
from tests.workspace.model_service import ModelService
from tests.workspace.opened import QUICK, until
from tests.workspace.test_opening_rescue import no_room


def words_of(widget: QWidget) -> str:
    return " | ".join(label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget))


def test_a_dropped_file_is_uploaded_and_scheduled_when_it_is_there(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("x")
    line = SlowLine(service)

    async def work() -> None:
        opened = await Workspace.open(
            line.client(), tmp_path / "workspace.db", name="Test", clock=service.clock, pace=QUICK
        )
        await opened.refresh()
        async with at_home(tmp_path, opened) as person:
            person.drop([video(tmp_path, "walk.mp4", 1_500_000)], tomorrow())
            panel = await person.composer()
            await until(lambda: line.uploads == 1)
            assert panel.when.at() == tomorrow()
            assert panel.file.name.text() == "walk.mp4"
            await until(lambda: "%" in panel.file.facts.text())
            panel.accounts.toggle(account).setChecked(True)
            QTest.keyClick(panel.text_box.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
            assert "“walk.mp4”" in panel.frame.said()
            assert len(opened.posts) == 0
            line.go.set()
            await until(lambda: opened.sync.waiting == 0 and len(opened.posts) == 1)
            (post,) = service.posts.values()
            assert (post["post_type"], post["media_storage_path"]) == ("video", next(iter(service.files)))
        await opened.close()

    run(qapp, work)


def test_a_failed_upload_says_why_and_is_tried_again(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account("x")
    service.room = 10

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            person.drop([picture(tmp_path)], tomorrow())
            panel = await person.composer()
            await until(panel.file.again.isVisible)
            assert "There isn't enough storage left" in panel.file.facts.text()
            service.room = 10**9
            QTest.mouseClick(panel.file.again, Qt.MouseButton.LeftButton)
            await until(lambda: stored(panel))
            assert not panel.file.again.isVisible()

    run(qapp, work)


def test_what_cannot_be_posted_is_refused_in_words(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account("x")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            person.drop([written(tmp_path, "notes.txt", b"words")], tomorrow())
            await until(lambda: "isn't a supported file type" in person.said())
            assert person.window.side is None
            assert opened.media.uploads.all() == []

    run(qapp, work)


def test_what_was_being_written_is_kept_among_the_drafts(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account("x")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            writing = person.controller.panels.compose(tomorrow())
            await until(lambda: not writing.text_box.editor.isReadOnly())
            QTest.keyClicks(writing.text_box.editor, "Half a thought")
            person.drop([picture(tmp_path)], tomorrow())
            await until(lambda: "saved to Drafts" in person.said())
            panel = await person.composer()
            assert panel.text_box.text() == ""
            assert panel.file.name.text() == "coat.jpg"
            (draft,) = opened.drafts.all()
            assert draft.content.text == "Half a thought"
            person.controller.open_draft(draft.id)
            await until(lambda: person.window.side is not panel)
            again = await person.composer()
            assert again.text_box.text() == "Half a thought"
            (other,) = opened.drafts.all()
            assert other.content.upload_id == panel.model.files.ids.of(panel.model.version)

    run(qapp, work)


def test_several_files_go_to_the_next_free_slots_of_accounts_that_take_them(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    x, youtube = service.add_account("x"), service.add_account("youtube")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            every_day = range(7)
            await opened.slots.set(x, [Slot(x, day, 10 * 60) for day in every_day])
            await opened.slots.set(youtube, [Slot(youtube, day, 9 * 60 + 30) for day in every_day])
            files = [
                picture(tmp_path, "one.jpg"),
                video(tmp_path, "two.mp4"),
                written(tmp_path, "notes.txt", b"words"),
                picture(tmp_path, "three.jpg"),
            ]
            person.drop(files, tomorrow())
            sheet = await person.sheet()
            assert sheet.make.text() == "Create 3 drafts"
            assert "isn't a supported file type" in words_of(sheet)
            assert opened.drafts.all() == []
            QTest.keyClick(sheet.make, Qt.Key.Key_Space)
            await until(lambda: len(opened.drafts.all()) == 3)
            planned = {
                opened.media.uploads.get(draft.content.upload_id).name: draft.content  # type: ignore[union-attr]
                for draft in opened.drafts.all()
            }
            assert planned["one.jpg"].at == tomorrow(10)
            assert planned["one.jpg"].account_keys == (x,)
            assert (planned["two.mp4"].at, planned["two.mp4"].account_keys) == (
                tomorrow(9) + 30 * 60_000,
                (youtube,),
            )
            assert planned["three.jpg"].at == tomorrow(10) + DAY
            person.drop([files[0], files[3]], tomorrow())
            again = await person.sheet()
            assert [one.place.at for one in again.good if one.place] == [
                tomorrow(10) + 2 * DAY,
                tomorrow(10) + 3 * DAY,
            ]
            QTest.keyClick(again, Qt.Key.Key_Escape)
            assert len(opened.drafts.all()) == 3

    run(qapp, work)


def test_the_drafts_of_a_drop_are_taken_back_at_once(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account("x")
    service.online = True

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            person.drop([picture(tmp_path, "a.jpg"), picture(tmp_path, "b.jpg")], tomorrow())
            sheet = await person.sheet()
            assert "each file gets a day of its own" in words_of(sheet)
            assert [one.place.at for one in sheet.good if one.place] == [tomorrow(), tomorrow() + DAY]
            sheet.make.click()
            await until(lambda: "2 drafts created" in person.said())
            person.press("Undo")
            await until(lambda: opened.drafts.all() == [] and opened.media.uploads.all() == [])

    run(qapp, work)


def test_a_new_draft_that_was_edited_stays(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    service.add_account("x")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            person.drop([picture(tmp_path, "a.jpg"), picture(tmp_path, "b.jpg")], tomorrow())
            (await person.sheet()).make.click()
            await until(lambda: "2 drafts created" in person.said())
            edited, _ = opened.drafts.all()
            opened.drafts.keep(replace(edited.content, text="Written just now"))
            person.press("Undo")
            await until(lambda: "1 draft was edited and stays." in person.said())
            assert [draft.content.text for draft in opened.drafts.all()] == ["Written just now"]

    run(qapp, work)


def test_a_draft_that_was_thrown_away_can_be_put_back(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            service.room = 10
            (upload,) = await opened.media.add_files([picture(tmp_path)])
            await until(lambda: opened.media.uploads.all()[0].is_failed)
            opened.drafts.keep(ComposerDraft("First"))
            kept = opened.drafts.keep(ComposerDraft("Second", at=tomorrow(), upload_id=upload.id))
            person.window.go("drafts")
            pane = person.controller.drafts
            assert pane.list.hasFocus()
            assert "Second" in pane.list.item(0).text()
            pane.list.setCurrentRow(0)
            QTest.keyClick(pane.list, Qt.Key.Key_Delete)
            assert [draft.content.text for draft in opened.drafts.all()] == ["First"]
            await until(lambda: "Draft deleted" in person.said())
            await until(lambda: opened.media.uploads.all() == [])
            service.room = 10**9
            person.press("Restore")
            await until(lambda: any(upload.is_done for upload in opened.media.uploads.all()))
            again = opened.drafts.get(kept.id)
            assert again is not None
            assert opened.media.uploads.get(again.content.upload_id) is not None
            pane.list.setCurrentRow(0)
            QTest.keyClick(pane.list, Qt.Key.Key_Return)
            panel = await person.composer()
            assert panel.text_box.text() == "Second"
            assert panel.when.at() == tomorrow()

    run(qapp, work)


def test_a_draft_that_is_thrown_away_leaves_the_file_of_its_copy(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            service.room = 10
            (upload,) = await opened.media.add_files([picture(tmp_path)])
            await until(lambda: opened.media.uploads.all()[0].is_failed)
            draft = opened.drafts.keep(ComposerDraft("Wool", upload_id=upload.id))
            opened.drafts.keep(replace(draft.content, draft_id="copy"))
            opened.drafts.remove([draft.id])
            await person.controller.incoming.offer_back(draft.content)
            assert opened.media.uploads.get(upload.id) is not None
            await person.controller.incoming.put_back(draft.id)
            again = opened.drafts.get(draft.id)
            assert again is not None
            assert again.content.upload_id == upload.id

    run(qapp, work)


@pytest.mark.skipif(sys.platform == "win32", reason="file sizes cannot be limited here")
def test_a_draft_can_be_put_back_also_when_its_upload_cannot_be_forgotten(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            service.room = 10
            (upload,) = await opened.media.add_files([picture(tmp_path)])
            await until(lambda: opened.media.uploads.all()[0].is_failed)
            kept = opened.drafts.keep(ComposerDraft("Precious", upload_id=upload.id))
            await until(lambda: opened.is_writing_kept)
            person.window.go("drafts")
            with no_room(tmp_path):
                QTest.keyClick(person.controller.drafts.list, Qt.Key.Key_Delete)
                await until(lambda: "disk is full" in person.said())
                assert "Draft deleted." in person.said()
            await until(lambda: opened.is_writing_kept)
            person.controller.act(MessageAction("", PUT_BACK, kept.id))
            await until(lambda: [draft.content.text for draft in opened.drafts.all()] == ["Precious"])

    run(qapp, work)


def test_the_composer_shows_its_file_again_and_can_do_without(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    insta, account = service.add_account("instagram"), service.add_account("x")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            panel = person.controller.panels.compose(tomorrow())
            await until(lambda: not panel.text_box.editor.isReadOnly())
            with pytest.raises(KeyError):
                panel.accounts.toggle(insta)
            panel.attachment.take([picture(tmp_path)])
            await until(lambda: stored(panel))
            panel.accounts.toggle(insta).setChecked(True)
            panel.close_panel()
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            again = person.controller.panels.compose()
            await until(lambda: not again.text_box.editor.isReadOnly())
            assert again.file.name.text() == "coat.jpg"
            assert again.model.accounts.chosen == (insta,)
            await until(lambda: not again.file.tile._picture.isNull())
            QTest.mouseClick(again.file.cross, Qt.MouseButton.LeftButton)
            assert not again.file.isVisible()
            with pytest.raises(KeyError):
                again.accounts.toggle(insta)
            again.accounts.toggle(account).setChecked(True)
            assert len(service.files) == 1  # what is stored stays stored

    run(qapp, work)


def test_the_status_line_tells_of_uploads(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    service.add_account("x")
    service.room = 10

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            (upload,) = await opened.media.add_files([picture(tmp_path)])
            await until(lambda: "1 upload failed" in person.window.status.accessibleName())
            service.room = 10**9
            await opened.media.retry(upload.id)
            await until(lambda: "upload" not in person.window.status.accessibleName())

    run(qapp, work)


def test_what_is_under_way_is_told_in_a_few_words(tmp_path: Path) -> None:
    def upload(name: str, sent: int, state: UploadState) -> Upload:
        return Upload(name, tmp_path, name, PostType.IMAGE, "image/png", 100, 0, 0, state=state, sent=sent)

    sending, failed = upload("a.png", 62, UploadState.SENDING), upload("b.png", 0, UploadState.FAILED)
    waiting, done = upload("c.png", 0, UploadState.WAITING), upload("d.png", 100, UploadState.DONE)
    assert underway([]) == underway([done]) == ""
    assert underway([sending, done]) == "a.png 62%"
    assert underway([sending, waiting, failed]) == "2 uploads 31%, 1 upload failed"
