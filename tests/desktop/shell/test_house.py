"""What the panes and the window hand to each other."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.desktop.carried import Carried
from app.desktop.changes import ConflictPanel, StepPanel
from app.desktop.commands import CommandSet
from app.desktop.drafts.list import FACTS
from app.desktop.inspector import Inspector
from app.workspace.clock import wall_clock
from app.workspace.editing.draft import ComposerDraft
from app.workspace.messages import MessageAction
from tests.desktop.running import run, workspace
from tests.desktop.shell.person import DAY, Person, at_home
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until


@pytest.mark.parametrize("kept", ["", "Another one, half written"])
def test_a_failed_post_is_written_again_and_no_other_text_is_lost(
    qapp: QApplication, tmp_path: Path, service: ModelService, kept: str
) -> None:
    account = service.add_account()
    service.add_post(account, wall_clock() - DAY, "Orders open at nine.", status="failed")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            opened.save_composer(ComposerDraft(kept))
            person.controller.panels.inspect(opened.posts.all()[0].key)
            inspector = person.window.side
            assert isinstance(inspector, Inspector)
            await until(inspector.outcome.write_button.isVisible)
            inspector.outcome.write_button.click()
            composer = await person.composer()
            assert composer.text_box.text() == "Orders open at nine."
            assert composer.model.accounts.chosen == (account,)
            assert [draft.content.text for draft in opened.drafts.all()] == ([kept] if kept else [])

    run(qapp, work)


@pytest.mark.parametrize("kept", ["", "Another one, half written"])
def test_dropped_text_is_written_and_another_becomes_a_draft(
    qapp: QApplication, tmp_path: Path, service: ModelService, kept: str
) -> None:
    service.add_account()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            opened.save_composer(ComposerDraft(kept))
            person.controller.calendar.dropped.emit(Carried(text="Read this"), wall_clock() + DAY)
            composer = await person.composer()
            assert composer.text_box.text() == "Read this"
            assert [draft.content.text for draft in opened.drafts.all()] == ([kept] if kept else [])

    run(qapp, work)


def test_what_was_changed_can_be_looked_at(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    service.add_account()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            person.controller.calendar.changesRequested.emit()
            steps = person.window.side
            assert isinstance(steps, StepPanel)
            person.controller.act(MessageAction("Compare", "compare", "any"))
            conflicts = person.window.side
            assert isinstance(conflicts, ConflictPanel)
            conflicts.closed.emit()
            assert person.window.side is not conflicts

    run(qapp, work)


def keys_beside_panes_to_come(person: Person) -> set[tuple[str, str]]:
    sets = [one for one in person.window.findChildren(CommandSet) if one.place in {"", "calendar"}]
    return {(key, command.name) for one in sets for command in one.all() for key in command.keys}


def test_every_key_of_the_calendar_works_before_the_other_panes_are_built(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            at_first = keys_beside_panes_to_come(person)
            person.controller.complete()
            assert "Ctrl+Shift+I" in {key for key, _ in at_first}
            assert keys_beside_panes_to_come(person) == at_first

    run(qapp, work)


def test_what_the_pane_of_the_accounts_says_itself_is_told_by_no_message_besides(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            controller, messages = person.controller, person.window.messages
            person.window.go("connections")
            service.online = False
            controller.connections.refresh_button.click()
            await until(controller.connections.strip.isVisible)
            await until(lambda: not controller._scope.is_busy)
            assert not messages.texts()
            controller.calendar.refreshRequested.emit()
            await until(messages.texts)

    run(qapp, work)


def test_an_unfinished_post_keeps_its_day_unless_somebody_points_at_another(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    wednesday, friday = wall_clock() + 3 * DAY, wall_clock() + 5 * DAY

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            opened.save_composer(
                ComposerDraft("Half written", (account,), at=wednesday, zone="Europe/Lisbon")
            )
            person.controller.calendar.request_new()
            composer = await person.composer()
            assert composer.text_box.text() == "Half written"
            assert composer.when.at() == wednesday // 60_000 * 60_000
            composer.close_panel()
            person.controller.calendar.newPostRequested.emit(friday, True)
            composer = await person.composer()
            assert composer.when.at() == friday // 60_000 * 60_000

    run(qapp, work)


def test_a_new_text_begins_on_the_day_that_is_suggested(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    friday = wall_clock() + 5 * DAY

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            opened.save_composer(ComposerDraft("", (account,), at=wall_clock() + DAY))
            person.controller.calendar.newPostRequested.emit(friday, False)
            composer = await person.composer()
            assert composer.when.at() == friday // 60_000 * 60_000
            assert composer.model.accounts.chosen == (account,)

    run(qapp, work)


def test_what_was_left_in_the_composer_is_among_the_drafts(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    """From the start on, while it is not open, and as what it is."""
    account = service.add_account()
    wednesday = wall_clock() + 3 * DAY

    def listed(person: Person) -> list[str]:
        drafts = person.controller.drafts.list
        return [drafts.item(row).text() for row in range(drafts.count())]

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            opened.drafts.keep(ComposerDraft("An idea"))
            opened.save_composer(ComposerDraft("Half written", (account,), at=wednesday))
            async with at_home(tmp_path, opened) as person:
                await until(lambda: listed(person) == ["Half written", "An idea"])
                pane = person.controller.drafts
                assert str(pane.list.item(0).data(FACTS)).startswith("Unfinished · ")
                pane.list.setCurrentRow(0)
                pane.open_button.click()
                composer = await person.composer()
                assert composer.text_box.text() == "Half written"
                assert composer.when.at() == wednesday // 60_000 * 60_000
                assert listed(person) == ["An idea"]
                composer.close_panel()
                await until(lambda: listed(person) == ["Half written", "An idea"])
                person.window.go("drafts")
                pane.list.setCurrentRow(0)
                pane.delete_button.click()
                await until(lambda: listed(person) == ["An idea"])
                assert await opened.load_composer() is None
                await until(lambda: "Draft deleted" in person.said())
                person.press("Restore")
                await until(lambda: listed(person) == ["Half written", "An idea"])
                assert [one.content.at for one in opened.drafts.all()] == [wednesday, None]

    run(qapp, work)


def test_an_unfinished_post_that_is_dragged_onto_a_day_goes_on_there(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account()
    friday = wall_clock() + 5 * DAY

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            draft = ComposerDraft("Half written", at=wall_clock() + DAY)
            opened.save_composer(draft)
            person.controller.calendar.dropped.emit(Carried(drafts=(draft.draft_id,)), friday)
            composer = await person.composer()
            assert composer.text_box.text() == "Half written"
            assert composer.when.at() == friday // 60_000 * 60_000
            assert opened.drafts.all() == []

    run(qapp, work)
