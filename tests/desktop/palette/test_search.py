"""The search in the real window."""

from uuid import UUID

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.inspector import Inspector
from app.desktop.palette import Mode
from app.desktop.palette.result_list import Footer
from app.desktop.theme import theme
from app.desktop.widgets import KeyHint, screen_reader
from app.workspace.clock import wall_clock
from app.workspace.editing.draft import ComposerDraft
from tests.desktop.palette.conftest import CTRL, MakeStudio
from tests.desktop.running import run
from tests.workspace.model_service import HOUR, ModelService
from tests.workspace.opened import until

Key = Qt.Key
DAY = 24 * HOUR


def test_it_begins_with_what_is_nearest(
    qapp: QApplication, studio: MakeStudio, service: ModelService
) -> None:
    account = service.add_account()
    service.add_post(account, wall_clock() + 2 * DAY, "Second")
    service.add_post(account, wall_clock() + DAY, "First")
    service.add_post(account, wall_clock() - DAY, "Over", status="posted")

    async def work() -> None:
        async with studio() as at:
            at.workspace.drafts.keep(ComposerDraft("An idea", (account,)))
            at.press(Key.Key_F, CTRL)
            assert at.palette.mode is Mode.SEARCH
            assert at.headings == ["Upcoming posts", "Drafts"]
            assert at.titles == ["First", "Second", "An idea"]

    run(qapp, work)


def test_posts_drafts_and_files_stand_in_groups_with_their_number(
    qapp: QApplication, studio: MakeStudio, service: ModelService
) -> None:
    account = service.add_account()
    picture = service.add_post(account, wall_clock() + DAY, "Look at this")
    for number in range(60):
        service.add_post(account, wall_clock() + DAY + number, f"Linen {number}")
    service.posts[UUID(picture)] |= {"media_storage_path": "me/linen.png", "post_type": "image"}

    async def work() -> None:
        async with studio() as at:
            at.workspace.drafts.keep(ComposerDraft("Thoughts on linen", (account,)))
            await until(lambda: at.workspace.is_writing_kept)
            at.press(Key.Key_F, CTRL)
            await at.type("line")
            await until(at.palette.footer.all.isVisible)
            assert [(one.title, one.count) for one in at.palette.list.rows if not hasattr(one, "run")] == [
                ("Posts", "60"),
                ("Drafts", "1"),
                ("Files", "1"),
            ]
            assert at.palette.footer.all.text() == "Select all 60 posts"
            at.entry("linen.png").run()
            await until(at.controller.media.grid.current_item)
            item = at.controller.media.grid.current_item()
            assert item is not None
            assert (item.path, [post.key for post in item.used_in]) == ("me/linen.png", [picture])

    run(qapp, work)


def test_all_that_match_are_chosen_on_the_calendar(
    qapp: QApplication, studio: MakeStudio, service: ModelService
) -> None:
    account, other = service.add_account(), service.add_account()
    wool = {service.add_post(account, wall_clock() + day * DAY, f"Wool {day}") for day in (1, 2, 90)}
    wool.add(service.add_post(other, wall_clock() + DAY, "More wool"))
    service.add_post(account, wall_clock() + DAY, "Linen")

    async def work() -> None:
        async with studio() as at:
            calendar = at.controller.calendar
            calendar.filters.choose(calendar.filters.filter.with_account(account))
            at.press(Key.Key_F, CTRL)
            await at.type("wool")
            await until(at.palette.footer.all.isVisible)
            at.press(Key.Key_Return, CTRL)
            assert not at.is_open
            assert calendar.grid.view.selection.keys == wool
            assert QApplication.focusWidget() is calendar.grid.view
            assert calendar.selection_bar.isVisible()
            before = {key: at.workspace.posts.get(key) for key in wool}
            at.press(Key.Key_Right, Qt.KeyboardModifier.AltModifier)
            assert all((post := at.workspace.posts.get(key)) and post != before[key] for key in wool)

    run(qapp, work)


def test_nothing_found_is_said(qapp: QApplication, studio: MakeStudio, service: ModelService) -> None:
    service.add_post(service.add_account(), wall_clock() + DAY, "Wool")

    async def work() -> None:
        async with studio() as at:
            at.press(Key.Key_F, CTRL)
            await at.type("velvet")
            assert at.titles == []
            assert at.palette.nothing.isVisible()
            assert at.palette.nothing.text() == "No results for “velvet”."
            hints = at.palette.footer.findChildren(KeyHint)
            assert [hint.isVisible() for hint in hints[:3]] == [False, False, True], "nothing to open"
            at.press(Key.Key_Return)
            at.press(Key.Key_Return, CTRL)
            assert at.is_open
            at.palette.line.clear()
            assert at.titles == ["Wool"]
            assert [hint.isVisible() for hint in hints[:3]] == [True, True, True]

    run(qapp, work)


def test_the_number_of_results_and_their_lack_are_announced_after_a_pause(
    qapp: QApplication, studio: MakeStudio, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.add_post(service.add_account(), wall_clock() + DAY, "Wool")
    told: list[str] = []
    monkeypatch.setattr(screen_reader, "announce", lambda _source, text: told.append(text))

    async def work() -> None:
        async with studio() as at:
            at.press(Key.Key_F, CTRL)
            await at.type("velvet")
            await until(lambda: told == ["No results for “velvet”."])
            at.palette.line.clear()
            await at.type("wool")
            await until(lambda: told[1:] == ["1 result"])

    run(qapp, work)


def test_what_is_typed_stays_between_palette_and_search(
    qapp: QApplication, studio: MakeStudio, service: ModelService
) -> None:
    account = service.add_account()
    for number in range(9):
        service.add_post(account, wall_clock() + DAY + number, f"Weekly wool {number}")

    async def work() -> None:
        async with studio() as at:
            at.press(Key.Key_K, CTRL)
            await at.type("wee")
            assert at.current == "Show week"
            assert at.titles.count("Show all matches") == 1
            at.entry("Show all matches").run()
            modes = [at.palette.mode]
            assert len(at.titles) == 9
            at.press(Key.Key_K, CTRL)
            modes.append(at.palette.mode)
            assert at.current == "Show week"
            at.press(Key.Key_F, CTRL)
            modes.append(at.palette.mode)
            assert modes == [Mode.SEARCH, Mode.COMMANDS, Mode.SEARCH]
            assert at.palette.line.text() == "wee"

    run(qapp, work)


def test_only_the_answer_to_the_last_words_is_shown(
    qapp: QApplication, studio: MakeStudio, service: ModelService
) -> None:
    account = service.add_account()
    for words in ("Wool", "Linen"):
        service.add_post(account, wall_clock() + DAY, words)

    async def work() -> None:
        async with studio() as at:
            at.press(Key.Key_F, CTRL)
            seen: list[list[str]] = []
            palette = at.palette
            palette.list.model().modelReset.connect(lambda: seen.append(at.titles))
            QTest.keyClicks(palette.line, "wool")
            palette.line.clear()
            QTest.keyClicks(palette.line, "linen")
            await until(lambda: not palette.is_waiting)
            assert at.titles == ["Linen"]
            assert ["Wool"] not in seen

    run(qapp, work)


def test_enter_opens_a_post_beside_the_calendar(
    qapp: QApplication, studio: MakeStudio, service: ModelService
) -> None:
    key = service.add_post(service.add_account(), wall_clock() + DAY, "Wool")

    async def work() -> None:
        async with studio() as at:
            at.press(Key.Key_F, CTRL)
            await at.type("wo")
            at.press(Key.Key_Return)
            assert isinstance(at.window.side, Inspector)
            assert at.window.side.key == key

    run(qapp, work)


def test_hints_give_their_room_to_the_buttons_at_large_text(qapp: QApplication, qtbot: QtBot) -> None:
    footer = Footer()
    qtbot.addWidget(footer)
    footer.resize(720, 48)
    footer.show()
    footer.show_mode(searching=False)
    footer.show_matching(3)
    hints = footer.findChildren(KeyHint)
    assert any(hint.isVisible() for hint in hints)
    theme.apply(qapp, "light", 2.0)
    footer.resize(700, 96)
    QTest.qWait(1)
    assert not any(hint.isVisible() for hint in hints)
    assert footer.search.geometry().right() < footer.all.geometry().left()
    assert footer.search.width() >= footer.search.sizeHint().width()
    theme.apply(qapp, "light")
