"""Settings that rebuild all panes: messages stay, and so does everything that their buttons bring back."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel

from app.desktop.application import Application
from app.desktop.background.unsaved import UnsavedSheet
from app.desktop.file_dialogs import ask_to_open
from app.desktop.links import BeginPost, LinkSheet
from app.desktop.shell.failure import FailureScreen
from app.workspace.clock import wall_clock
from app.workspace.editing.draft import ComposerDraft
from app.workspace.homes import Home
from app.workspace.homes.registry import HomeKind
from app.workspace.homes.visit import Visit
from app.workspace.messages import Problem
from tests.desktop.running import run, service_of_today, workspace
from tests.desktop.shell.person import DAY, LISBON, Person
from tests.workspace.failing_disk import refusing
from tests.workspace.model_service import ModelService
from tests.workspace.opened import QUICK, new_post, settled, until

HOLD_S = 5.0
"""How long posts that are published now are held, in seconds; the tests don't wait for its end."""


@asynccontextmanager
async def in_app(folder: Path, service: ModelService) -> AsyncIterator[tuple[Person, Callable[[], None]]]:
    """Yield a person in front of the app, and what the setting of the first day of the week does."""
    async with running(folder, service) as (application, person):

        def rebuild() -> None:
            before = person.controller
            before.settings.refurnish_wanted.emit()
            assert application.controller is not None
            person.controller = application.controller
            assert person.controller is not before

        yield person, rebuild


@asynccontextmanager
async def running(folder: Path, service: ModelService) -> AsyncIterator[tuple[Application, Person]]:
    """Yield an app with a calendar, and a person in front of it."""
    application = Application(folder, LISBON)
    async with workspace(folder, service, replace(QUICK, publish_hold=HOLD_S)) as opened:
        await settled(opened)
        home = Home(kind=HomeKind.REMOTE, name="Studio", base_url="https://studio.example")
        application.window.show()
        application.visit = Visit(home, opened, None, lambda: None)
        application._furnish(application.visit)
        assert application.controller is not None
        application.controller.complete()
        try:
            yield application, Person(application.controller, application.window, opened)
        finally:
            application.visit = None  # its workspace is closed below
            await application.close()
            application.window.deleteLater()


def test_a_deleted_draft_can_be_restored(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    service.add_account("x")

    async def work() -> None:
        async with in_app(tmp_path, service) as (person, rebuild):
            drafts = person.workspace.drafts
            draft = drafts.keep(ComposerDraft("An hour of work")).content
            drafts.remove([draft.draft_id])
            await person.controller.incoming.offer_back(draft)
            rebuild()
            person.press("Restore")
            await until(lambda: [one.content.text for one in drafts.all()] == ["An hour of work"])

    run(qapp, work)


def test_new_drafts_can_be_removed(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    account = service.add_account("x")

    async def work() -> None:
        async with in_app(tmp_path, service) as (person, rebuild):
            drafts = person.workspace.drafts
            at = wall_clock() + DAY
            person.workspace.plan([new_post(account, text, at) for text in ("One", "Two")])
            await settled(person.workspace)
            keys = [post.key for post in person.workspace.posts.all()]
            await person.controller.rewriting.duplicate(keys)
            rebuild()
            person.press("Undo")
            await until(lambda: not drafts.all())
            assert person.said() == ""

    run(qapp, work)


def test_posts_about_to_be_published_can_be_held_back(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    account = service.add_account("x")

    async def work() -> None:
        async with in_app(tmp_path, service) as (person, rebuild):
            draft = ComposerDraft("Not yet", (account,))
            keys = person.workspace.plan([new_post(account, "Not yet", None, draft.idempotency_key(account))])
            person.controller.rewriting.offer_back(keys, draft)
            rebuild()
            person.press("Undo")
            assert (await person.composer()).model.draft.text == "Not yet"
            assert not person.workspace.posts.all()
            assert not service.effects

    run(qapp, work)


def test_links_without_an_answer_are_asked_about_again(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    service.add_account("x")

    def asked(person: Person) -> list[str]:
        sheets = (sheet for sheet in person.window.findChildren(LinkSheet) if sheet.isVisible())
        return [label.text() for sheet in sheets for label in sheet.findChildren(QLabel)]

    async def work() -> None:
        async with in_app(tmp_path, service) as (person, rebuild):
            person.controller.run_errands([BeginPost(text, None, ()) for text in ("First", "Second")])
            rebuild()
            assert "First" in asked(person)
            (sheet,) = (one for one in person.window.findChildren(LinkSheet) if one.isVisible())
            sheet.dismiss()
            assert "Second" in asked(person)
            rebuild()
            assert "Second" in asked(person)
            assert "First" not in asked(person)

    run(qapp, work)


async def fail_to_start() -> bool:
    raise Problem("The service doesn't start.")


def test_a_calendar_is_not_reopened_while_a_link_is_asked_about(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    service.add_account("x")

    async def work() -> None:
        async with running(tmp_path, service) as (application, person):
            assert application.visit is not None
            person.controller.run_errands([BeginPost("Text of the link", None, ())])
            (sheet,) = person.window.findChildren(LinkSheet)
            starting = asyncio.ensure_future(fail_to_start())
            waiting = asyncio.create_task(application._await_service(application.visit, starting))
            await asyncio.sleep(0.5)
            assert sheet.isVisible()
            assert not waiting.done()
            QTest.mouseClick(sheet.begin, Qt.MouseButton.LeftButton)
            await waiting  # then the calendar has closed
            assert person.controller.is_closed
            async with workspace(tmp_path, service) as reopened:
                kept = await reopened.load_composer()
                assert kept is not None
                assert kept.text == "Text of the link"

    run(qapp, work)


def test_a_calendar_renamed_while_its_service_starts_still_follows_it(
    qapp: QApplication, tmp_path: Path
) -> None:
    service = service_of_today()

    async def work() -> None:
        async with running(tmp_path, service) as (application, person):
            assert application.visit is not None
            starting: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
            waiting = asyncio.create_task(application._await_service(application.visit, starting))
            await asyncio.sleep(0)
            renamed = application.visit.home.model_copy(update={"name": "Another name"})
            person.controller.settings.calendars.renamed.emit(renamed)
            starting.set_exception(Problem("The service doesn't start."))
            await waiting
            assert person.controller.is_closed
            assert application.window.findChildren(FailureScreen)

    run(qapp, work)


def test_a_file_dialog_closes_with_its_calendar(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        async with running(tmp_path, service_of_today()) as (application, person):
            files: list[Path] = []
            ask_to_open(person.window, "Import", ("All files (*)",), files.append, "documents")
            assert [one.isVisible() for one in person.window.findChildren(QFileDialog)] == [True]
            await application.leave()
            await until(lambda: not person.window.findChildren(QFileDialog))
            assert files == []

    run(qapp, work)


def test_a_calendar_is_not_reopened_while_undo_is_offered(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    service.add_account("x")

    async def work() -> None:
        async with running(tmp_path, service) as (application, person):
            assert application.visit is not None
            drafts = person.workspace.drafts
            draft = drafts.keep(ComposerDraft("An hour of work")).content
            drafts.remove([draft.draft_id])
            await person.controller.incoming.offer_back(draft)
            starting = asyncio.ensure_future(fail_to_start())
            waiting = asyncio.create_task(application._await_service(application.visit, starting))
            await asyncio.sleep(0.5)
            person.press("Restore")
            await waiting
            assert person.controller.is_closed
            async with workspace(tmp_path, service) as reopened:
                assert [one.content.text for one in reopened.drafts.all()] == ["An hour of work"]

    run(qapp, work)


def test_it_is_asked_before_a_calendar_is_removed_whose_texts_are_not_saved(
    qapp: QApplication, tmp_path: Path
) -> None:
    service = service_of_today()

    async def work() -> None:
        async with running(tmp_path, service) as (application, person):
            assert application.visit is not None
            async with refusing(person.workspace, "INSERT ON settings", "NEW.name = 'composer'"):
                person.workspace.save_composer(ComposerDraft("Half a text"))
                await until(person.workspace.unsaved_texts)
                person.controller.settings.calendars.removed.emit(application.visit.home)
                [sheet] = [one for one in person.window.findChildren(UnsavedSheet) if one.isVisible()]
                sheet.stay.click()
                await asyncio.sleep(0.05)
                assert application.controller is person.controller
            await until(lambda: not person.workspace.unsaved_texts())

    run(qapp, work)
