"""Drafts, stored files and words dropped on a time of the calendar."""

from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtWidgets import QApplication

from app.desktop.calendar.days import Span
from app.desktop.carried import MEDIA, Carried, pack
from app.workspace.editing.draft import ComposerDraft
from tests.desktop.composer.composing import stored
from tests.desktop.dragged import dropping, entering
from tests.desktop.running import run, service_of_today, workspace
from tests.desktop.shell.person import DAY, DAYS, Person, at_home, tomorrow
from tests.workspace.media.samples import picture
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until


@pytest.fixture
def service() -> ModelService:
    made = service_of_today()
    made.add_account("x")
    return made


def drop(person: Person, data: QMimeData, day: int) -> None:
    """Drops on a day of the month (its ordinal)."""
    person.window.go("calendar")
    person.controller.calendar.show_span(Span.MONTH, day)
    view = person.controller.calendar.grid.view
    point: QPoint = view.on_viewport(view.page.geometry.cell(day)).center()
    QApplication.sendEvent(view.viewport(), entering(point, data))
    QApplication.sendEvent(view.viewport(), dropping(point, data))


def test_a_draft_goes_to_the_day_on_which_it_is_dropped(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            kept = opened.drafts.keep(ComposerDraft("Half a thought", at=tomorrow()))
            opened.drafts.keep(ComposerDraft("Another"))
            person.window.go("drafts")
            rows = person.controller.drafts.list
            (item,) = rows.findItems("Half a thought", Qt.MatchFlag.MatchExactly)
            data = rows.carried(item)
            assert data.text() == "Half a thought"
            there = DAYS.instant(date.today().toordinal() + 3, 9 * 60)  # noqa: DTZ011  three days are far enough
            drop(person, data, DAYS.place(there).day)
            panel = await person.composer()
            assert panel.text_box.text() == "Half a thought"
            assert panel.when.at() == there
            assert [draft.content.text for draft in opened.drafts.all()] == ["Another"]
            panel.close_panel()
            again = await opened.load_composer()
            assert again is not None
            assert (again.draft_id, again.at) == (kept.id, there)

    run(qapp, work)


def test_a_draft_that_went_meanwhile_is_said_to_be_gone(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            person.controller.calendar.dropped.emit(Carried(drafts=("gone",)), tomorrow())
            await until(lambda: "no longer exists" in person.said())
            assert person.window.side is None

    run(qapp, work)


def test_a_draft_on_a_day_that_is_over_keeps_its_own_time(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            kept = opened.drafts.keep(ComposerDraft("Half a thought", at=tomorrow() + DAY))
            person.controller.calendar.dropped.emit(Carried(drafts=(kept.id,)), None)
            panel = await person.composer()
            assert panel.when.at() == tomorrow() + DAY

    run(qapp, work)


def test_words_are_written_for_the_accounts_of_before(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    key = service.connections[0]["id"]

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            opened.save_composer(ComposerDraft("Before", (key,)))
            data = QMimeData()
            data.setText("Read this\nhttps://example.org")
            drop(person, data, DAYS.place(tomorrow()).day)
            await until(lambda: "saved to Drafts" in person.said())
            panel = await person.composer()
            assert panel.text_box.text() == "Read this\nhttps://example.org"
            assert panel.model.accounts.chosen == (key,)
            assert panel.when.at() == tomorrow()

    run(qapp, work)


async def uploaded(person: Person, folder: Path, *names: str) -> list[str]:
    """Uploads pictures; what the service calls them."""
    uploads = await person.workspace.media.add_files([picture(folder, name) for name in names])
    ids = [upload.id for upload in uploads]
    await until(lambda: all(one.is_done for one in person.workspace.media.uploads.all()))
    return [one.storage_path for one in person.workspace.media.uploads.all() if one.id in ids]


def carried_media(*paths: str) -> QMimeData:
    data = QMimeData()
    pack(data, MEDIA, paths)
    return data


def test_a_stored_file_is_written_for_without_being_uploaded_again(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            (path,) = await uploaded(person, tmp_path, "coat.jpg")
            drop(person, carried_media(path), DAYS.place(tomorrow()).day)
            panel = await person.composer()
            assert stored(panel) == path
            assert panel.when.at() == tomorrow()
            assert len(service.files) == 1

    run(qapp, work)


def test_several_stored_files_are_spread_after_a_look(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            paths = await uploaded(person, tmp_path, "one.jpg", "two.jpg")
            drop(person, carried_media(*paths), DAYS.place(tomorrow()).day)
            sheet = await person.sheet()
            assert [one.place.at for one in sheet.good if one.place] == [tomorrow(), tomorrow() + DAY]
            sheet.make.click()
            await until(lambda: "2 drafts created." in person.said())
            uploads = [opened.media.uploads.get(draft.content.upload_id) for draft in opened.drafts.all()]
            assert {one.storage_path for one in uploads if one is not None} == set(paths)
            person.press("Undo")
            await until(lambda: opened.drafts.all() == [])
            assert set(service.files) == set(paths)

    run(qapp, work)


def test_a_stored_file_that_is_gone_is_said_to_be(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            drop(person, carried_media("nobody/gone.jpg"), DAYS.place(tomorrow()).day)
            await until(lambda: "This file no longer exists." in person.said())
            assert person.window.side is None

    run(qapp, work)
