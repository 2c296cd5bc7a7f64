"""The palette in the real window, by keyboard and mouse."""

import asyncio
from datetime import datetime, timedelta

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.calendar.days import Span
from app.desktop.commands import Command
from app.desktop.composer import ComposerPanel
from app.desktop.inspector import Inspector
from app.desktop.palette.keyboard_help import KeyboardHelp
from app.desktop.palette.rows import Entry
from app.workspace.clock import wall_clock
from app.workspace.editing.draft import ComposerDraft
from tests.desktop.palette.conftest import CTRL, LISBON, MakeStudio, Studio
from tests.desktop.running import run
from tests.workspace.model_service import HOUR, ModelService
from tests.workspace.opened import until

Key = Qt.Key
DAY = 24 * HOUR


def test_ctrl_k_opens_it_and_esc_gives_the_focus_back(qapp: QApplication, studio: MakeStudio) -> None:
    async def work() -> None:
        async with studio() as at:
            at.controller.calendar.grid.view.setFocus()
            at.press(Key.Key_K, CTRL)
            assert QApplication.focusWidget() is at.palette.line
            at.press(Key.Key_Escape)
            assert not at.is_open
            assert QApplication.focusWidget() is at.controller.calendar.grid.view

    run(qapp, work)


def test_a_command_is_found_run_and_offered_first_next_time(qapp: QApplication, studio: MakeStudio) -> None:
    async def work() -> None:
        async with studio() as at:
            at.press(Key.Key_K, CTRL)
            await at.type("wee")
            assert at.current == "Show week"
            assert at.entry("Show week").caps == ("W",)
            at.press(Key.Key_Return)
            assert not at.is_open
            assert at.controller.calendar.grid.span is Span.WEEK
            at.press(Key.Key_K, CTRL)
            assert at.headings[0] == "Recently used"
            assert at.current == "Show week"

    run(qapp, work)


def test_what_was_used_last_is_known_after_a_restart(qapp: QApplication, studio: MakeStudio) -> None:
    async def work() -> None:
        async with studio() as at:
            at.press(Key.Key_K, CTRL)
            await at.type("agenda")
            at.press(Key.Key_Return)
        async with studio() as at:
            at.press(Key.Key_K, CTRL)
            assert at.current == "Show agenda"

    run(qapp, work)


def test_a_command_of_the_calendar_is_run_there_from_anywhere(qapp: QApplication, studio: MakeStudio) -> None:
    async def work() -> None:
        async with studio() as at:
            at.window.go("connections")
            at.press(Key.Key_K, CTRL)
            await at.type("show day")
            at.press(Key.Key_Return)
            assert at.controller.calendar.isVisible()
            assert at.controller.calendar.grid.span is Span.DAY

    run(qapp, work)


def test_arrows_walk_past_headings_and_around(qapp: QApplication, studio: MakeStudio) -> None:
    async def work() -> None:
        async with studio() as at:
            at.press(Key.Key_K, CTRL)
            titles = at.titles
            at.press(Key.Key_Down)
            assert at.current == titles[1]
            at.press(Key.Key_Up)
            at.press(Key.Key_Up)
            assert at.current == titles[-1]
            at.press(Key.Key_Down)
            assert at.current == titles[0]
            at.press(Key.Key_PageDown)
            assert at.current == titles[8]

    run(qapp, work)


def test_what_cannot_be_done_now_is_shown_but_not_chosen(qapp: QApplication, studio: MakeStudio) -> None:
    async def work() -> None:
        async with studio() as at:
            at.press(Key.Key_K, CTRL)
            assert "Undo" not in at.titles
            await at.type("undo")
            undo = at.entry("Undo")
            assert not undo.enabled
            assert "not available now" in undo.said.words
            assert at.current != "Undo"

    run(qapp, work)


def test_a_click_chooses(qapp: QApplication, studio: MakeStudio) -> None:
    async def work() -> None:
        async with studio() as at:
            at.press(Key.Key_K, CTRL)
            await at.type("month")
            view = at.palette.list
            at.controller.calendar.show_span(Span.DAY)
            row = next(i for i, one in enumerate(view.rows) if one.title == "Show month")
            QTest.mouseClick(
                view.viewport(),
                Qt.MouseButton.LeftButton,
                pos=view.visualRect(view.model().index(row, 0)).center(),
            )
            assert at.controller.calendar.grid.span is Span.MONTH

    run(qapp, work)


def test_a_click_on_a_heading_or_beside_does_no_harm(qapp: QApplication, studio: MakeStudio) -> None:
    async def work() -> None:
        async with studio() as at:
            at.press(Key.Key_K, CTRL)
            view = at.palette.list
            heading = view.visualRect(view.model().index(0, 0)).center()
            QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=heading)
            assert at.is_open
            QTest.mouseClick(at.palette, Qt.MouseButton.LeftButton, pos=QPoint(4, 4))
            assert not at.is_open

    run(qapp, work)


def test_a_date_leads_to_its_day(qapp: QApplication, studio: MakeStudio) -> None:
    day = datetime.now(LISBON).date() + timedelta(days=70)

    async def work() -> None:
        async with studio() as at:
            at.press(Key.Key_K, CTRL)
            await at.type(f"{day.day} {day:%B}")
            assert at.current == f"Go to {day:%A} {day.day} {day:%B} {day.year}"
            at.press(Key.Key_Return)
            assert at.controller.calendar.grid.shows(day.toordinal())

    run(qapp, work)


def test_a_text_with_its_time_begins_a_post_and_keeps_what_was_written(
    qapp: QApplication, studio: MakeStudio
) -> None:
    day = datetime.now(LISBON).date() + timedelta(days=70)

    async def work() -> None:
        async with studio() as at:
            at.workspace.save_composer(ComposerDraft("Half a thought"))
            at.press(Key.Key_K, CTRL)
            await at.type(f"{day.isoformat()} 15:30 Our new song")
            assert (at.headings[0], at.current) == ("New post", "Our new song")
            assert "15:30" in at.entry("Our new song").said.words
            at.press(Key.Key_Return)
            await until(lambda: at.window.findChildren(ComposerPanel))
            (panel,) = at.window.findChildren(ComposerPanel)
            await until(lambda: panel.model.text.shared == "Our new song")
            moment = datetime(day.year, day.month, day.day, 15, 30, tzinfo=LISBON)
            assert panel.when.at() == int(moment.timestamp() * 1_000)
            assert [draft.content.text for draft in at.workspace.drafts.all()] == ["Half a thought"]

    run(qapp, work)


@pytest.mark.parametrize("typed", ["yesterday 15:00 Our new song", "2020-01-01 Our new song"])
def test_no_post_is_begun_in_the_past(qapp: QApplication, studio: MakeStudio, typed: str) -> None:
    async def work() -> None:
        async with studio() as at:
            at.press(Key.Key_K, CTRL)
            await at.type(typed)
            assert "New post" not in at.headings

    run(qapp, work)


def test_a_post_is_shown_on_the_calendar_and_beside(
    qapp: QApplication, studio: MakeStudio, service: ModelService
) -> None:
    account = service.add_account()
    far = service.add_post(account, wall_clock() + 200 * DAY, "Spring linen, first look")
    service.add_post(account, wall_clock() + DAY, "Something else")

    async def work() -> None:
        async with studio() as at:
            at.window.go("connections")
            at.press(Key.Key_K, CTRL)
            await at.type("linen")
            entry = at.entry("Spring linen, first look")
            assert at.workspace.accounts[account].name in entry.said.facts
            assert "UTC+" in entry.said.words
            assert entry.said.words.endswith("scheduled")
            at.press(Key.Key_Return)
            view = at.controller.calendar.grid.view
            assert view.selection.keys == {far}
            model = at.controller.calendar.model
            assert view.viewport().rect().contains(view.visualRect(model.index(model.row_of(far))))
            assert isinstance(at.window.side, Inspector)
            assert at.window.side.key == far
            assert QApplication.focusWidget() is view

    run(qapp, work)


def test_a_command_that_only_its_hidden_words_match_comes_after_posts(
    qapp: QApplication, studio: MakeStudio, service: ModelService
) -> None:
    service.add_post(service.add_account(), wall_clock() + DAY, "Lookbook, page by page")

    async def work() -> None:
        async with studio() as at:
            at.press(Key.Key_K, CTRL)
            await at.type("look")
            assert at.titles[0] == "Lookbook, page by page"
            assert "Appearance: dark" in at.titles

    run(qapp, work)


def test_a_post_that_a_filter_hides_is_shown_all_the_same(
    qapp: QApplication, studio: MakeStudio, service: ModelService
) -> None:
    account, other = service.add_account(), service.add_account()
    service.add_post(account, wall_clock() + DAY, "Seen")
    hidden = service.add_post(other, wall_clock() + DAY, "Unseen")

    async def work() -> None:
        async with studio() as at:
            calendar = at.controller.calendar
            calendar.filters.choose(calendar.filters.filter.with_account(account))
            assert calendar.model.get(hidden) is None
            at.press(Key.Key_K, CTRL)
            await at.type("unseen")
            at.press(Key.Key_Return)
            assert calendar.grid.view.selection.keys == {hidden}
            assert not calendar.filters.filter.is_on

    run(qapp, work)


def test_enter_before_the_answer_chooses_what_was_typed(
    qapp: QApplication, studio: MakeStudio, service: ModelService
) -> None:
    key = service.add_post(service.add_account(), wall_clock() + DAY, "Velvet ribbon")

    async def work() -> None:
        async with studio() as at:
            at.press(Key.Key_K, CTRL)
            QTest.keyClicks(at.palette.line, "week")
            at.press(Key.Key_Return)
            assert at.controller.calendar.grid.span is Span.WEEK
            at.press(Key.Key_K, CTRL)
            QTest.keyClicks(at.palette.line, "velvet")
            at.press(Key.Key_Return)
            await until(lambda: isinstance(at.window.side, Inspector))
            assert at.controller.calendar.grid.view.selection.keys == {key}

    run(qapp, work)


def test_a_draft_is_gone_on_with_and_what_was_being_written_becomes_one(
    qapp: QApplication, studio: MakeStudio, service: ModelService
) -> None:
    account = service.add_account()

    async def work() -> None:
        async with studio() as at:
            at.workspace.drafts.keep(ComposerDraft("Buttons of horn", (account,), draft_id="d1"))
            await until(lambda: at.workspace.is_writing_kept)
            at.workspace.save_composer(ComposerDraft("Half written", (account,), draft_id="d2"))
            at.press(Key.Key_K, CTRL)
            await at.type("horn")
            assert at.entry("Buttons of horn").said.words.startswith("Buttons of horn, draft")
            at.press(Key.Key_Return)
            await until(lambda: isinstance(at.window.side, ComposerPanel))
            composer = at.window.side
            assert isinstance(composer, ComposerPanel)
            await until(lambda: composer.text_box.text() == "Buttons of horn")
            await until(lambda: [draft.id for draft in at.workspace.drafts.all()] == ["d2"])

    run(qapp, work)


def test_it_opens_from_the_rail_and_from_a_text_that_is_written(
    qapp: QApplication, studio: MakeStudio, service: ModelService
) -> None:
    service.add_account()

    async def work() -> None:
        async with studio() as at:
            at.window.rail.search_asked.emit()
            assert at.is_open
            at.press(Key.Key_Escape)
            composer = at.controller.panels.compose()
            await until(lambda: not composer.text_box.editor.isReadOnly())
            composer.text_box.editor.setFocus()
            at.press(Key.Key_K, CTRL)
            assert at.is_open
            at.press(Key.Key_Escape)
            assert QApplication.focusWidget() is composer.text_box.editor

    run(qapp, work)


def test_the_list_follows_posts_that_come_and_go(
    qapp: QApplication, studio: MakeStudio, service: ModelService
) -> None:
    account = service.add_account()
    key = service.add_post(account, wall_clock() + DAY, "Ribbon, red")

    async def work() -> None:
        async with studio() as at:
            at.press(Key.Key_K, CTRL)
            await at.type("ribbon")
            service.add_post(account, wall_clock() + DAY, "Ribbon, blue")
            await at.workspace.refresh()
            await until(lambda: "Ribbon, blue" in at.titles)
            assert len(at.titles) == len(set(at.titles))
            at.palette.dismiss()
            at.controller.finder.open_post("gone")
            assert at.window.messages.texts() == ["This post no longer exists."]
            assert key in at.workspace.posts

    run(qapp, work)


@pytest.mark.parametrize("size", [(1024, 640), (1280, 800)])
def test_everything_has_room(qapp: QApplication, studio: MakeStudio, size: tuple[int, int]) -> None:
    async def work() -> None:
        async with studio() as at:
            at.window.resize(*size)
            at.press(Key.Key_K, CTRL)
            await asyncio.sleep(0)
            panel = at.palette.panel.geometry()
            assert at.window.rect().contains(panel)
            assert at.palette.line.width() > panel.width() * 0.8
            assert at.palette.list.height() > panel.height() * 0.6

    run(qapp, work)


def test_the_help_lists_every_key_that_works(qapp: QApplication, studio: MakeStudio) -> None:
    async def work() -> None:
        async with studio() as at:
            at.controller.calendar.grid.view.setFocus()
            at.press(Key.Key_F1)
            (help_sheet,) = at.window.findChildren(KeyboardHelp)
            assert help_sheet.isVisible()
            named = {row.name for row in help_sheet.rows}
            assert named == {one.name for one in _commands(at) if one.all_keys}
            said = [row.accessibleName() for row in help_sheet.rows]
            assert "New post: Ctrl N or N" in said
            assert len(said) == len(set(said))

    run(qapp, work)


def test_no_key_means_two_things_in_one_place_and_no_name_stands_twice(
    qapp: QApplication, studio: MakeStudio
) -> None:
    async def work() -> None:
        async with studio() as at:
            names = [one.name for one in _commands(at) if one.listed]
            for place in {owner.place for owner in at.controller.finder.sets()}:
                here = [owner for owner in at.controller.finder.sets() if owner.place in ("", place)]
                keys = [key for owner in here for one in owner.all() for key in one.all_keys]
                assert sorted(keys) == sorted(set(keys))
            assert sorted(names) == sorted(set(names))

    run(qapp, work)


def test_a_screen_reader_hears_each_line(qapp: QApplication, studio: MakeStudio) -> None:
    async def work() -> None:
        async with studio() as at:
            at.press(Key.Key_K, CTRL)
            view = at.palette.list
            role = Qt.ItemDataRole.AccessibleTextRole
            for row, one in enumerate(view.rows):
                heard = view.model().index(row, 0).data(role)
                assert one.title in heard
                assert heard.endswith("command") or not isinstance(one, Entry) or heard != one.title
            assert at.palette.line.accessibleName()
            assert at.palette.line.accessibleDescription() == f"{len(at.titles)} results"

    run(qapp, work)


def _commands(at: Studio) -> list[Command]:
    return [one for owner in at.controller.finder.sets() for one in owner.all()]
