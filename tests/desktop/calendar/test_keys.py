"""The calendar by keyboard alone."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.contract.enums import PostStatus
from app.desktop.calendar import keys, pane
from app.desktop.calendar.commands import redone, undone
from app.desktop.calendar.day_sheet import DaySheet
from app.desktop.calendar.days import Span
from app.desktop.calendar.filters import Filter
from app.desktop.calendar.half_hours import HalfHours, Stop
from app.desktop.widgets import screen_reader
from app.workspace.messages import Message
from app.workspace.posts.planned import PlannedPost
from app.workspace.slots.slots import Slot
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import ALT, CTRL, NONE, SHIFT, Hands
from tests.desktop.calendar.memory import ListedPosts, instant, post
from tests.desktop.calendar.test_model import LISBON

Key = Qt.Key


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What screen readers are told."""
    texts: list[str] = []
    for module in (keys, pane):
        monkeypatch.setattr(module, "announce", lambda _source, text: texts.append(text))
    return texts


def watch_focus(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the keys of the posts that screen readers are told to have the focus."""
    focused: list[str] = []

    def note(_view: object, row: int) -> None:
        focused.append(hands.pane.model.post_at(row).key)

    monkeypatch.setattr(screen_reader, "announce_focus", note)
    return focused


def current(hands: Hands) -> str | None:
    return hands.view.selection.current


def visible(hands: Hands, key: str) -> bool:
    return hands.view.viewport().rect().contains(hands.card(key))


def test_arrows_walk_days_and_posts(take: MakeHands) -> None:
    hands = take(
        post("a", "2031-06-12T08:00"),
        post("b", "2031-06-12T15:00"),
        post("c", "2031-06-17T14:00"),
        post("d", "2031-06-17T07:00"),
    )
    walk = []
    for key in (Key.Key_Right, Key.Key_Down, Key.Key_Down, Key.Key_Down, Key.Key_Up, Key.Key_Up):
        hands.press(key)
        walk.append(current(hands))
    assert walk == ["a", "b", "d", "c", "d", "b"]
    assert hands.view.selection.keys == {"b"}


def test_left_and_right_stop_on_empty_days(take: MakeHands, said: list[str]) -> None:
    hands = take(post("a", "2031-06-12T08:00"), post("b", "2031-06-14T15:00"))
    walk = []
    for key in (Key.Key_Right, Key.Key_Right, Key.Key_Right, Key.Key_Left, Key.Key_Left):
        hands.press(key)
        walk.append((current(hands), hands.view.selection.day))
    empty = date(2031, 6, 13).toordinal()
    assert walk == [("a", None), (None, empty), ("b", None), (None, empty), ("a", None)]
    assert said == ["Friday 13 June, no posts"] * 2


@pytest.mark.parametrize("span", [Span.MONTH, Span.WEEK, Span.DAY])
def test_a_post_begins_on_an_empty_day(take: MakeHands, qtbot: QtBot, span: Span) -> None:
    hands = take(post("a", "2031-06-12T08:00"), span=span, day="2031-06-12")
    hands.view.selection.choose({"a"}, "a")
    hands.press(Key.Key_Right)
    assert hands.pane.grid.shows(date(2031, 6, 13).toordinal())
    for key in (Key.Key_N, Key.Key_Return):
        with qtbot.waitSignal(hands.pane.newPostRequested, timeout=30_000) as asked:
            hands.press(key)
        assert datetime.fromtimestamp(asked.args[0] / 1_000, UTC).date() == date(2031, 6, 13)
    hands.press(Key.Key_Delete)
    assert hands.post("a").status is PostStatus.SCHEDULED


@pytest.mark.parametrize("span", [Span.WEEK, Span.DAY])
def test_among_hours_up_and_down_stop_at_every_half_hour(
    take: MakeHands, said: list[str], qtbot: QtBot, span: Span
) -> None:
    hands = take(post("a", "2031-06-12T08:00"), post("b", "2031-06-12T09:10"), span=span, day="2031-06-12")
    hands.choose("a")
    walk = []
    for key in (Key.Key_Down, Key.Key_Down, Key.Key_Down, Key.Key_Up, Key.Key_Up, Key.Key_Right):
        hands.press(key)
        walk.append(current(hands) or hands.view.selection.half_hour)
    half_past_nine = instant("2031-06-12T08:30")
    later = [half_past_nine + hours * 3_600_000 for hours in (0, 1, 0, 24)]
    assert walk == [later[0], "b", later[1], "b", later[2], later[3]]
    assert said[-2:] == ["Thursday 12 June, 09:30, no posts", "Friday 13 June, 09:30, no posts"]
    for key in (Key.Key_N, Key.Key_Return):
        with qtbot.waitSignal(hands.pane.newPostRequested, timeout=30_000) as asked:
            hands.press(key)
        assert asked.args == [instant("2031-06-13T08:30"), True]
    hands.press(Key.Key_Up, CTRL)
    assert (current(hands), hands.view.selection.half_hour) == ("b", None)


def test_down_leads_from_an_empty_day_into_its_hours(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"), span=Span.WEEK)
    hands.choose("a")
    hands.press(Key.Key_Right)
    assert (hands.view.selection.day, hands.view.selection.half_hour) == (date(2031, 6, 13).toordinal(), None)
    hands.press(Key.Key_Down)
    assert hands.view.selection.half_hour == instant("2031-06-13T08:00")


def test_an_empty_half_hour_is_marked_and_shown(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"), span=Span.DAY, day="2031-06-12")
    hands.pane.activateWindow()
    hands.view.setFocus()
    hands.choose("a")
    for _ in range(29):
        hands.press(Key.Key_Down)
    day, last = date(2031, 6, 12).toordinal(), instant("2031-06-12T22:30")
    assert (hands.view.selection.day, hands.view.selection.half_hour) == (day, last)
    place = hands.view.on_viewport(hands.view.page.focus_box(day, last))
    assert hands.view.viewport().rect().contains(place)
    marked = hands.picture().copy(place)
    hands.press(Key.Key_Down)
    assert (hands.view.selection.day, hands.view.selection.half_hour) == (day + 1, last + 1_800_000)
    hands.show(Span.DAY, "2031-06-12")
    hands.view.scroll_to(hands.view.offset)
    assert hands.picture().copy(place) != marked


@given(st.lists(st.integers(0, 5 * 60), min_size=1, max_size=12, unique=True), st.booleans())
@pytest.mark.usefixtures("qapp")
def test_arrows_reach_every_post_where_the_clock_changes(minutes: list[int], back: bool) -> None:
    midnight = instant("2031-10-25T23:00" if back else "2031-03-30T00:00")
    posts = [post(f"{number}", midnight + minute * 60_000) for number, minute in enumerate(minutes)]
    model = ListedPosts(LISBON, lambda found: found[0].headline)
    model.group_ideas(False)
    model.fill(posts)
    half_hours = HalfHours(model, LISBON)
    for way in (1, -1):
        left = sorted(posts, key=lambda one: way * one.at)
        stop: Stop = left.pop(0)
        while left:
            before = stop if isinstance(stop, int) else stop.at
            stop = half_hours.beside(stop, 0, way) if isinstance(stop, int) else half_hours.after(stop, way)
            if isinstance(stop, PlannedPost):
                assert stop == left.pop(0)
            else:
                assert 0 < (stop - before) * way <= 60 * 60_000


def test_up_and_down_lead_from_an_empty_day_to_posts(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"), post("b", "2031-06-17T15:00"))
    for way, expected in ((Key.Key_Down, "b"), (Key.Key_Up, "a")):
        hands.choose("a")
        hands.press(Key.Key_Right)
        assert current(hands) is None
        hands.press(way)
        assert (current(hands), hands.view.selection.day) == (expected, None)


def test_an_empty_day_is_marked_while_the_keyboard_is_there(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    hands.pane.activateWindow()
    hands.view.setFocus()
    hands.choose("a")
    before = hands.picture().copy(hands.cell("2031-06-13"))
    hands.press(Key.Key_Right)
    assert hands.picture().copy(hands.cell("2031-06-13")) != before
    hands.press(Key.Key_Left)
    assert hands.picture().copy(hands.cell("2031-06-13")) == before


def test_the_agenda_has_no_empty_days(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"), post("b", "2031-06-17T15:00"), span=Span.AGENDA)
    hands.choose("a")
    hands.press(Key.Key_Right)
    assert current(hands) == "b"


def test_what_keys_did_is_announced(take: MakeHands, said: list[str]) -> None:
    hands = take(post("a", "2031-06-12T08:00", "Swatch day"), post("b", "2031-06-17T15:00"))
    hands.press(Key.Key_Right)
    hands.press(Key.Key_Right, ALT)
    hands.press(Key.Key_PageDown)
    hands.press(Key.Key_W)
    hands.press(Key.Key_PageDown)
    assert said == [
        "Moved to Fri 13 Jun, 09:00.",
        "July 2031, 0 posts",
        "Week 27, 30 Jun – 6 Jul 2031, 0 posts",  # noqa: RUF001  a range
        "Week 28, 7 – 13 July 2031, 0 posts",  # noqa: RUF001  a range
    ]


def test_a_move_to_the_next_free_slot_is_announced_and_can_be_undone(
    take: MakeHands, said: list[str]
) -> None:
    hands = take(post("a", "2031-06-11T10:00"))
    hands.workspace.slots.put("studio", [Slot("studio", weekday=3, minute=540)])
    hands.view.selection.choose((), "a")  # focused, not selected
    hands.press(Key.Key_S)
    assert hands.post("a").at == instant("2031-06-12T08:00")
    assert said == ["Moved to Thu 12 Jun, 09:00."]
    hands.press(Key.Key_Z, CTRL)
    assert hands.post("a").at == instant("2031-06-11T10:00")


def test_the_focused_post_is_duplicated(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-11T10:00"), post("b", "2031-06-11T12:00"))
    found: list[list[str]] = []
    hands.pane.duplicateRequested.connect(found.append)
    hands.view.selection.choose((), "b")
    hands.press(Key.Key_D, CTRL)
    assert found == [["b"]]


def test_every_span_and_today_are_announced(take: MakeHands, said: list[str]) -> None:
    hands = take(post("a", "2031-06-12T08:00"), post("b", "2031-06-17T15:00"))
    hands.choose("a")
    for key in (Key.Key_W, Key.Key_D, Key.Key_M, Key.Key_PageUp, Key.Key_T):
        hands.press(key)
    assert said[:-1] == [
        "Week 24, 9 – 15 June 2031, 1 post",  # noqa: RUF001  a range
        "Week 24, Thursday 12 June 2031, 1 post",
        "June 2031, 2 posts",
        "May 2031, 0 posts",
    ]
    assert said[-1] == f"{datetime.now(UTC):%B %Y}, 0 posts"


def test_a_filter_says_how_many_posts_it_leaves(
    take: MakeHands, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = take(post("a", "2031-06-12T08:00", status=PostStatus.FAILED), post("b", "2031-06-17T15:00"))
    told: list[str] = []

    def announce(source: QWidget, text: str) -> None:
        if hands.pane.isAncestorOf(source):  # a pane of an earlier test may still announce something
            told.append(text)

    monkeypatch.setattr(screen_reader, "announce", announce)
    hands.pane.filters.choose(Filter(statuses=frozenset({PostStatus.FAILED})))
    qtbot.waitUntil(lambda: bool(told))
    assert told == ["1 of 2 posts"]


def test_cancelling_is_told_and_can_be_undone_from_the_message(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00", "Swatch day"), post("b", "2031-06-13T08:00"))
    hands.choose("a")
    hands.press(Key.Key_Delete)
    (told,) = hands.told
    assert told.text == "Cancelled: “Swatch day”, Thu 12 Jun, 09:00."
    assert told.action is not None
    assert told.action.label == "Undo"
    hands.choose("a", "b")
    hands.press(Key.Key_Delete)
    assert hands.told[1].text.startswith("Cancelled: “Launch teaser”")  # the other one already was


@pytest.mark.parametrize(("key", "held"), [(Key.Key_Menu, NONE), (Key.Key_F10, SHIFT)])
def test_keys_open_the_menu_of_a_card(take: MakeHands, key: Qt.Key, held: Qt.KeyboardModifier) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    hands.press(Key.Key_Right)
    hands.press(Key.Key_Escape)
    hands.press(key, held)
    (menu,) = open_menus()
    names = [action.text().split("\t")[0] for action in menu.actions()]
    assert names[:2] == ["Open post", "Move to the next free slot"]
    next(action for action in menu.actions() if action.text().startswith("Cancel posts")).trigger()
    menu.close()
    assert hands.post("a").status is PostStatus.CANCELLED


def test_a_right_click_opens_the_menu_of_the_card_below(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"), post("b", "2031-06-13T08:00"))
    hands.choose("a")
    place = hands.card("b").center()
    reason = QContextMenuEvent.Reason.Mouse
    surface = hands.view.viewport()
    QApplication.sendEvent(surface, QContextMenuEvent(reason, place, surface.mapToGlobal(place)))
    (menu,) = open_menus()
    assert hands.view.selection.keys == {"b"}
    menu.close()
    beside = hands.cell("2031-06-20").center()
    QApplication.sendEvent(surface, QContextMenuEvent(reason, beside, surface.mapToGlobal(beside)))
    assert open_menus() == []


def open_menus() -> list[QMenu]:
    return [top for top in QApplication.topLevelWidgets() if isinstance(top, QMenu) and top.isVisible()]


def test_a_moved_post_is_the_only_one_to_get_the_focus(
    take: MakeHands, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = take(*(post(key, f"2031-06-1{n}T09:00", key) for n, key in enumerate("abcd", 2)))
    hands.choose("b")
    focused = watch_focus(hands, monkeypatch)
    hands.press(Key.Key_Down, ALT)
    hands.press(Key.Key_Z, CTRL)
    assert set(focused) == {"b"}


def test_when_the_current_post_goes_the_next_one_gets_the_focus(
    take: MakeHands, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = take(*(post(key, f"2031-06-1{n}T09:00", key) for n, key in enumerate("abc", 2)))
    hands.choose("b")
    focused = watch_focus(hands, monkeypatch)
    hands.workspace.arrive(removed=["b"])
    assert focused == ["c"]


def test_walking_scrolls_and_turns_weeks(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"), post("b", "2031-09-12T21:00"))
    hands.press(Key.Key_Right)
    hands.press(Key.Key_Down)
    assert visible(hands, "b")
    hands.show(Span.WEEK, "2031-06-12")
    hands.press(Key.Key_Up)
    hands.press(Key.Key_Down, CTRL)
    assert current(hands) == "b"
    assert visible(hands, "b")


@pytest.mark.parametrize("span", list(Span))
def test_in_another_period_walking_begins_there(take: MakeHands, span: Span) -> None:
    days = [f"2031-{month:02}-{day:02}" for month in (6, 9) for day in (11, 12)]
    hands = take(*(post(day, f"{day}T08:00") for day in days), span=span, size=(1232, 800))
    hands.choose(days[0])
    hands.pane.show_span(span, date.fromisoformat(days[2]).toordinal())
    hands.press(Key.Key_Down)
    assert current(hands) == days[2]
    hands.press(Key.Key_Right)
    assert current(hands) == days[3]


@pytest.mark.parametrize(("key", "expected"), [(Key.Key_Down, "2031-12-01"), (Key.Key_Up, "2031-06-12")])
def test_from_an_empty_period_walking_leads_out(take: MakeHands, key: Qt.Key, expected: str) -> None:
    hands = take(*(post(day, f"{day}T08:00") for day in ("2031-06-11", "2031-06-12", "2031-12-01")))
    hands.show(Span.WEEK, "2031-09-01")
    hands.press(key)
    assert current(hands) == expected
    assert visible(hands, expected)


def test_another_span_shows_the_period_that_was_gone_to(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-11T08:00"))
    hands.choose("a")
    for _ in range(3):
        hands.press(Key.Key_PageDown)
    hands.press(Key.Key_W)
    assert hands.pane.grid.shows(date(2031, 9, 1).toordinal())
    hands.press(Key.Key_PageUp)
    hands.press(Key.Key_M)
    assert hands.pane.grid.title() == ("August", "2031")


def test_shift_and_arrows_choose_more(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"), post("b", "2031-06-13T08:00"))
    hands.press(Key.Key_Right)
    hands.press(Key.Key_Right, SHIFT)
    assert hands.view.selection.keys == {"a", "b"}
    hands.press(Key.Key_Escape)
    assert hands.view.selection.keys == frozenset()
    hands.press(Key.Key_A, CTRL)
    assert hands.view.selection.keys == {"a", "b"}


def test_alt_and_arrows_move_by_days_and_weeks(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:07"))
    hands.press(Key.Key_Right)
    for key in (Key.Key_Right, Key.Key_Down, Key.Key_Left, Key.Key_Right, Key.Key_Up, Key.Key_Right):
        hands.press(key, ALT)
    assert hands.post("a").at == post("", "2031-06-14T08:07").at
    assert len(hands.workspace.moves) == 6
    assert hands.view.selection.keys == {"a"}
    assert visible(hands, "a")


def test_in_the_week_alt_and_arrows_go_from_slot_to_slot(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:07"), span=Span.WEEK)
    hands.press(Key.Key_Right)
    hands.press(Key.Key_Down, ALT)
    assert hands.post("a").at == post("", "2031-06-12T08:15").at
    hands.press(Key.Key_Down, ALT)
    assert hands.post("a").at == post("", "2031-06-12T08:30").at
    hands.press(Key.Key_Up, ALT)
    hands.press(Key.Key_Up, ALT)
    assert hands.post("a").at == post("", "2031-06-12T08:00").at


def test_a_post_moved_out_of_the_week_is_followed(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-15T08:00"), span=Span.WEEK)
    hands.press(Key.Key_Right)
    hands.press(Key.Key_Right, ALT)
    assert hands.post("a").at == post("", "2031-06-16T08:00").at
    assert visible(hands, "a")
    assert hands.pane.grid.week_number() == 25


def test_a_group_moves_together_and_a_refusal_moves_none(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-11T08:00"), post("b", "2031-06-12T08:00"))
    hands.choose("a", "b")
    hands.press(Key.Key_Left, ALT)
    assert [hands.post(key).at for key in "ab"] == [post("", f"2031-06-{day}T08:00").at for day in (11, 12)]
    assert [message.text for message in hands.told] == ["That time has passed."]
    hands.press(Key.Key_Right, ALT)
    assert [hands.post(key).at for key in "ab"] == [post("", f"2031-06-{day}T08:00").at for day in (12, 13)]


def test_ctrl_y_does_again_and_changes_have_a_key_of_their_own(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    asked: list[bool] = []
    hands.pane.changesRequested.connect(lambda: asked.append(True))
    hands.pane.activateWindow()
    before = hands.post("a").at
    hands.choose("a")
    hands.press(Qt.Key.Key_Right, ALT)
    moved = hands.post("a").at
    hands.press(Qt.Key.Key_Z, CTRL)
    assert hands.post("a").at == before != moved
    hands.press(Qt.Key.Key_Y, CTRL)
    assert (hands.post("a").at, asked) == (moved, [])
    hands.press(Qt.Key.Key_Y, CTRL | SHIFT)
    assert asked == [True]


def test_undo_and_redo(take: MakeHands) -> None:
    one = post("a", "2031-06-12T08:00")
    hands = take(one)
    hands.pane.activateWindow()
    hands.view.setFocus()
    hands.press(Key.Key_Right)
    hands.press(Key.Key_Right, ALT)
    moved = hands.post("a").at
    hands.press(Key.Key_Z, CTRL)
    assert hands.post("a").at == one.at
    hands.press(Key.Key_Z, CTRL | SHIFT)
    assert hands.post("a").at == moved


def test_only_what_was_undone_is_said_to_be(take: MakeHands) -> None:
    hands = take(post("past", "2031-06-09T08:00"), post("ahead", "2031-06-12T08:00"))
    hands.choose("past")
    hands.press(Key.Key_Down, ALT)
    hands.choose("ahead")
    hands.press(Key.Key_Right, ALT)
    assert undone(hands.workspace) == "Move post"
    assert redone(hands.workspace) == "Move post"
    assert undone(hands.workspace) == "Move post"
    assert undone(hands.workspace) == "", "its time before has passed"


def test_enter_opens_and_del_cancels(take: MakeHands, qtbot: QtBot) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    hands.press(Key.Key_Right)
    with qtbot.waitSignal(hands.pane.postOpened, timeout=30_000) as opened:
        hands.press(Key.Key_Return)
    assert opened.args == ["a"]
    hands.press(Key.Key_Delete)
    assert hands.post("a").status is PostStatus.CANCELLED


def test_enter_on_a_hidden_post_lists_its_day(take: MakeHands) -> None:
    hands = take(*(post(f"{hour:02}", f"2031-06-12T{hour:02}:00") for hour in range(9)))
    for _ in range(9):
        hands.press(Key.Key_Down)
    assert current(hands) == "08"
    assert hands.view.more_rect("08") is not None
    hands.press(Key.Key_Return)
    sheet = hands.pane.findChild(DaySheet)
    assert isinstance(sheet, DaySheet)
    assert current(hands) == "08"
    sheet.close()


def test_letters_are_commands(take: MakeHands, qtbot: QtBot) -> None:
    hands = take()
    titles = []
    for key in (Key.Key_W, Key.Key_PageDown, Key.Key_M, Key.Key_PageUp):
        hands.press(key)
        titles.append(hands.pane.grid.title()[0])
    assert titles == ["26 May – 1 Jun", "2 – 8 June", "June", "May"]  # noqa: RUF001  ranges
    hands.press(Key.Key_T)
    assert hands.pane.grid.shows(date.today().toordinal())  # noqa: DTZ011  close enough: the month shows
    with qtbot.waitSignal(hands.pane.newPostRequested, timeout=30_000):
        hands.press(Key.Key_N)


def test_the_keyboard_shows_where_it_is(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    hands.pane.activateWindow()
    hands.view.setFocus()
    before = hands.picture()
    hands.press(Key.Key_Right)
    assert hands.picture() != before
    hands.press(Key.Key_Escape)
    assert hands.view.selection.keys == frozenset()
    assert hands.picture() != before


def test_a_key_never_moves_a_cancelled_post(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00", status=PostStatus.CANCELLED))
    told: list[Message] = []
    hands.pane.told.connect(told.append)
    before = hands.post("a")
    hands.choose("a")
    for arrow in (Key.Key_Left, Key.Key_Right, Key.Key_Up, Key.Key_Down):
        hands.press(arrow, ALT)
    assert (hands.post("a"), hands.workspace.moves) == (before, [])
    assert {one.text for one in told} == {"It's cancelled. To publish it after all, choose “Schedule again”."}


def test_cancelled_posts_are_scheduled_again_by_a_key_of_their_own(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00", status=PostStatus.CANCELLED), post("b", "2031-06-13T08:00"))
    told: list[Message] = []
    hands.pane.told.connect(told.append)
    hands.choose("b")
    hands.press(Key.Key_R, SHIFT)
    assert told == []  # nothing of what is chosen is cancelled
    hands.choose("a", "b")
    hands.press(Key.Key_R, SHIFT)
    assert hands.post("a").status is PostStatus.SCHEDULED
    assert [one.text for one in told] == ["“Launch teaser” is scheduled again for Thu 12 Jun, 09:00."]
    assert hands.workspace.undo_label == "Schedule post again"
    hands.press(Key.Key_Z, CTRL)
    assert hands.post("a").status is PostStatus.CANCELLED


def test_a_cancelled_post_of_the_past_is_opened_to_get_another_time(take: MakeHands) -> None:
    hands = take(post("a", "2021-06-12T08:00", status=PostStatus.CANCELLED), day="2021-06-12")
    opened: list[str] = []
    hands.pane.postOpened.connect(opened.append)
    hands.choose("a")
    hands.press(Key.Key_R, SHIFT)
    assert opened == ["a"]
    assert hands.post("a").status is PostStatus.CANCELLED
