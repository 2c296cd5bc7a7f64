"""From stored files to posts: one by its button, several dropped on a day."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.desktop.carried import Carried
from app.desktop.theme import theme
from tests.desktop.running import run, service_of_today, workspace
from tests.desktop.shell.person import at_home, tomorrow
from tests.workspace.media.samples import picture
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

PATHS = ("me/coat-0a1b2c3d.jpg", "me/hem.jpg")


@pytest.fixture
def service(qapp: QApplication, tmp_path: Path) -> ModelService:
    theme.apply(qapp, "light")
    made = service_of_today()
    made.offers = ("media",)
    made.add_account("x")
    made.files = dict.fromkeys(PATHS, picture(tmp_path).read_bytes())
    return made


def test_a_stored_file_is_planned_without_uploading_it_again(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = str(service.connections[0]["id"])

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            person.window.go("media")
            pane = person.controller.media
            await until(lambda: pane.model.rowCount() == 2)
            pane.show_file(PATHS[0])
            QTest.mouseClick(pane.details.schedule, Qt.MouseButton.LeftButton)
            panel = await person.composer()
            assert panel.file.name.text() == "coat.jpg"
            panel.accounts.toggle(account).setChecked(True)
            QTest.keyClick(panel.text_box.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
            await until(lambda: opened.sync.waiting == 0 and len(opened.posts) == 1)
            (post,) = service.posts.values()
            assert (post["post_type"], post["media_storage_path"]) == ("image", PATHS[0])
            assert [request.method for request in service.requests].count("PUT") == 0
            await until(lambda: any(item.needed_by for item in pane.model.items))

    run(qapp, work)


def test_several_chosen_files_are_planned_from_their_menu(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            person.window.go("media")
            pane = person.controller.media
            await until(lambda: pane.model.rowCount() == 2)
            pane.grid.choose(list(PATHS))
            pane.operations.show_menu(pane.grid, QPoint())
            (menu,) = pane.grid.findChildren(QMenu)
            next(action for action in menu.actions() if action.text() == "Plan 2 files…").trigger()
            menu.close()
            sheet = await person.sheet()
            QTest.mouseClick(sheet.make, Qt.MouseButton.LeftButton)
            await until(lambda: len(opened.drafts.all()) == 2)

    run(qapp, work)


def test_several_stored_files_are_spread_and_taken_back(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            await opened.media.refresh()
            person.controller.calendar.dropped.emit(Carried(media=PATHS), tomorrow())
            sheet = await person.sheet()
            QTest.mouseClick(sheet.make, Qt.MouseButton.LeftButton)
            await until(lambda: len(opened.drafts.all()) == 2)
            uploads = {upload.id: upload.storage_path for upload in opened.media.uploads.all()}
            named = {uploads[draft.content.upload_id] for draft in opened.drafts.all()}
            assert (named, person.said()) == (set(PATHS), "2 drafts created.")
            person.press("Undo")
            await until(lambda: opened.drafts.all() == [])
            assert sorted(uploads.values()) == sorted(PATHS)
            assert set(service.files) == set(PATHS)

    run(qapp, work)
