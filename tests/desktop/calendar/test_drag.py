"""Posts dragged with the mouse."""

from datetime import datetime, timedelta

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.contract.enums import PostStatus, PostType
from app.desktop.calendar.controller import State
from app.desktop.calendar.days import Span
from app.desktop.calendar.filters import Filter
from app.desktop.theme import theme
from app.desktop.theme.tokens import LIGHT
from app.workspace.messages import Message
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import ALT, CTRL, LEFT, NONE, SHIFT, ZONE, Hands
from tests.desktop.calendar.memory import post

OUTSIDE = QPoint(-200, -200)


def wall(at: int) -> str:
    """The wall clock in the calendar's zone."""
    return f"{datetime.fromtimestamp(at / 1_000, ZONE):%Y-%m-%d %H:%M}"


def times(hands: Hands) -> dict[str, str]:
    """What the last move asked for."""
    return {key: wall(at) for key, at in hands.workspace.moves[-1].items()}


def test_in_the_month_a_post_changes_the_day_and_keeps_its_time(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:07"))
    hands.drag("a", hands.cell("2031-06-19").center())
    assert times(hands) == {"a": "2031-06-19 09:07"}
    assert hands.cell("2031-06-19").contains(hands.card("a"))


@pytest.mark.parametrize(
    "span",
    [pytest.param(span, marks=() if span is Span.WEEK else pytest.mark.variation) for span in Span],
)
def test_the_preview_of_a_drag_follows_the_text_size(take: MakeHands, qapp: QApplication, span: Span) -> None:
    hands = take(post("a", "2031-06-11T08:00"), span=span)
    start = hands.card("a")
    with hands.dragging("a", start.center() + QPoint(20, 60)):
        drag = hands.view.drag
        assert drag is not None
        before, pointer = drag.preview, drag.pointer
        theme.apply(qapp, "light", 1.5)
        assert drag.card_size[1] > start.height()
        assert drag.preview is not before
        picture, card = drag.preview.flat_picture(), QRect(QPoint(), QSize(*drag.card_size))
        assert picture.height() >= card.height()
        assert card.contains(drag.grip)
        assert drag.pointer == pointer
        assert drag.target is not None
    theme.apply(qapp, "light")


def test_the_time_of_day_stays_over_a_clock_change(take: MakeHands) -> None:
    hands = take(post("a", "2031-10-24T08:00"), day="2031-10-11")
    before = hands.post("a").at
    hands.drag("a", hands.cell("2031-10-27").center())
    assert times(hands) == {"a": "2031-10-27 09:00"}
    assert hands.post("a").at - before == timedelta(days=3, hours=1) // timedelta(milliseconds=1)


def test_a_group_keeps_its_gaps_and_is_one_move(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-11T08:00"), post("b", "2031-06-13T14:30"), post("c", "2031-06-12T10:00"))
    hands.choose("a", "b")
    hands.drag("b", hands.cell("2031-06-20").center())
    assert len(hands.workspace.moves) == 1
    assert times(hands) == {"a": "2031-06-18 09:00", "b": "2031-06-20 15:30"}


@pytest.mark.parametrize("chosen", ["a", "ab"])
def test_ctrl_held_while_a_chosen_card_is_pressed_takes_it_along(take: MakeHands, chosen: str) -> None:
    hands = take(post("a", "2031-06-12T08:00"), post("b", "2031-06-13T08:00"))
    hands.choose(*chosen)
    start, goal = hands.card("a").center(), hands.cell("2031-06-19").center()
    QTest.mousePress(hands.view.viewport(), LEFT, CTRL, start)
    hands.move((start + goal) / 2, CTRL)
    hands.move(goal, CTRL)
    hands.release(goal, CTRL)
    assert times(hands) == {key: f"2031-06-{19 + number} 09:00" for number, key in enumerate(chosen)}
    assert hands.view.selection.keys == set(chosen)


def test_a_past_day_is_refused_while_dragging_and_changes_nothing(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    with hands.dragging("a", hands.cell("2031-06-03").center()):
        drag = hands.view.drag
        assert drag is not None
        assert drag.refusal == drag.tip == "That time has passed."
    assert hands.workspace.moves == []
    assert [message.text for message in hands.told] == ["That time has passed."]
    assert hands.cell("2031-06-12").contains(hands.card("a"))
    assert hands.view.selection.keys == {"a"}


def test_a_published_post_is_refused_everywhere(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-05T08:00", status=PostStatus.POSTED))
    with hands.dragging("a", hands.cell("2031-06-20").center()):
        assert hands.view.drag is not None
        assert hands.view.drag.refusal == "It's already published."
    assert hands.workspace.moves == []


@pytest.mark.parametrize(
    ("modifiers", "expected"),
    [(NONE, "2031-06-13 11:15"), (ALT, "2031-06-13 11:16"), (SHIFT, "2031-06-13 10:00")],
)
def test_in_the_week_a_drop_snaps_to_the_quarter_or_the_minute_or_keeps_the_time(
    take: MakeHands, modifiers: Qt.KeyboardModifier, expected: str
) -> None:
    hands = take(post("a", "2031-06-12T09:00"), span=Span.WEEK)
    step = hands.cell("2031-06-13").left() - hands.cell("2031-06-12").left()
    to = hands.card("a").center() + QPoint(step, 61)
    hands.drag("a", to, modifiers)
    assert times(hands) == {"a": expected}


def test_the_ghost_and_the_ruler_tell_the_new_time(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T09:00"), span=Span.WEEK)
    with hands.dragging("a", hands.card("a").center() + QPoint(0, 96)):
        assert hands.view.drag is not None
        assert hands.view.drag.tip == "10:00 → 12:00 · Thu 12 Jun"
        assert hands.pane.grid.ruler.drag_minute == 12 * 60
    assert hands.pane.grid.ruler.drag_minute is None


def _colors(picture: QImage, area: QRect) -> set[str]:
    inside = area & picture.rect()
    return {
        picture.pixelColor(x, y).name()
        for x in range(inside.left(), inside.right() + 1)
        for y in range(inside.top(), inside.bottom() + 1)
    }


def test_a_refused_drag_is_marked_in_one_colour(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T09:00"), span=Span.WEEK)
    accent, bad = LIGHT.accent.lower(), LIGHT.bad.lower()
    step = hands.cell("2031-06-13").left() - hands.cell("2031-06-12").left()
    start, ruler = hands.card("a").center(), hands.pane.grid.ruler
    with hands.dragging("a", start - QPoint(3 * step, 0)):
        drag = hands.view.drag
        assert drag is not None
        assert drag.refusal is not None
        tag = _colors(ruler.grab().toImage(), ruler.rect())
        ghost = drag.preview.flat_picture(refused=True).toImage()
        assert bad in tag
        assert accent not in tag
        assert bad in _colors(ghost, ghost.rect())
        assert accent not in _colors(ghost, ghost.rect())
        place = drag.preview_rect()
        shown = hands.picture().copy(place)
        drag.refusal = None
        hands.view.viewport().update()
        usual = hands.picture().copy(place)
        assert accent not in _colors(shown, shown.rect())
        assert accent in _colors(usual, usual.rect())


@pytest.mark.parametrize("share", [0.1, 0.6, 0.99])
def test_a_row_of_the_agenda_is_dragged_as_a_card_below_the_pointer(take: MakeHands, share: float) -> None:
    hands = take(post("a", "2031-06-12T09:00"), post("b", "2031-06-14T09:00"), span=Span.AGENDA)
    row, goal = hands.card("a"), hands.card("b")
    assert row.width() > 800
    start = QPoint(row.left() + round(share * row.width()), row.center().y())
    QTest.mousePress(hands.view.viewport(), LEFT, NONE, start)
    hands.move(start + QPoint(0, 30))
    hands.move(QPoint(start.x(), goal.center().y()))
    drag = hands.view.drag
    assert drag is not None
    assert drag.preview_rect().width() == 420
    assert drag.preview_rect().contains(drag.pointer)
    hands.release(QPoint(start.x(), goal.center().y()))
    assert times(hands) == {"a": "2031-06-14 10:00"}


def test_words_of_a_group_in_the_month(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"), post("b", "2031-06-12T09:00"))
    hands.choose("a", "b")
    with hands.dragging("a", hands.cell("2031-06-18").center()):
        assert hands.view.drag is not None
        assert hands.view.drag.tip == "2 posts · Wed 18 Jun · times kept"


def test_esc_ends_a_drag_without_a_trace(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    hands.choose("a")
    before = hands.picture()
    with hands.dragging("a", hands.cell("2031-06-19").center()):
        hands.press(Qt.Key.Key_Escape)
        assert hands.view.drag is None
    assert hands.workspace.moves == []
    assert hands.told == []
    assert hands.picture() == before


def test_a_drop_beside_the_grid_does_nothing(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    hands.drag("a", OUTSIDE)
    assert hands.workspace.moves == []
    assert hands.told == []
    assert hands.pane.mouse.state is State.IDLE


def test_a_drop_where_it_was_does_nothing(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    hands.drag("a", hands.cell("2031-06-12").bottomLeft() + QPoint(30, -8))
    assert hands.workspace.moves == []


def test_the_right_button_drags_nothing(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    start = hands.card("a").center()
    QTest.mousePress(hands.view.viewport(), Qt.MouseButton.RightButton, NONE, start)
    hands.move(start + QPoint(200, 0))
    assert hands.view.drag is None


def test_the_wheel_takes_a_drag_to_other_weeks(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    with hands.dragging("a", hands.cell("2031-06-19").center()) as held:
        hands.turn_wheel(2)
        day = hands.view.page.geometry.day_at(held.x(), hands.view.canvas(held).y())
        assert hands.view.drag is not None
        assert hands.view.drag.target is not None
        assert hands.view.drag.target.day == day
    assert hands.cell(times(hands)["a"][:10]).contains(held)


def test_losing_the_window_ends_a_drag(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    with hands.dragging("a", hands.cell("2031-06-19").center()):
        QApplication.sendEvent(hands.view, QEvent(QEvent.Type.WindowDeactivate))
        assert hands.view.drag is None
    assert hands.workspace.moves == []


def test_another_pane_ends_a_drag(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    with hands.dragging("a", hands.cell("2031-06-19").center()):
        hands.pane.grid.hide()  # by a key, while the button is held
        hands.pane.grid.show()
        assert hands.view.drag is None
    hands.move(hands.cell("2031-06-20").center())
    assert hands.pane.mouse.state is State.IDLE
    assert hands.workspace.moves == []


def test_the_edge_scrolls_while_a_drag_rests_there(take: MakeHands, qtbot: QtBot) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    before = hands.view.verticalOffset()
    low = QPoint(hands.cell("2031-06-19").center().x(), hands.view.viewport().height() - 4)
    with hands.dragging("a", low):
        qtbot.waitUntil(lambda: hands.view.verticalOffset() > before + 200, timeout=30_000)
    assert times(hands)["a"] > "2031-06-30"


def test_resting_on_the_arrow_turns_the_page(take: MakeHands, qtbot: QtBot) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    arrow = hands.pane.toolbar.forward
    surface = hands.view.viewport()
    on_arrow = surface.mapFromGlobal(arrow.mapToGlobal(arrow.rect().center()))
    with hands.dragging("a", on_arrow):
        qtbot.waitUntil(lambda: hands.pane.grid.title() != ("June", "2031"), timeout=30_000)
        shown = datetime.strptime(" ".join(hands.pane.grid.title()), "%B %Y")  # noqa: DTZ007  a month has no zone
        day = f"{shown:%Y-%m}-16"  # in July, or later where the machine was slow to come back
        hands.move(hands.cell(day).center())
        hands.release(hands.cell(day).center())
    assert day >= "2031-07-16"
    assert times(hands) == {"a": f"{day} 09:00"}


def test_a_drag_survives_that_its_post_goes_away(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    with hands.dragging("a", hands.cell("2031-06-19").center()):
        hands.workspace.arrive(removed=["a"])
    assert hands.workspace.posts.get("a") is None
    assert hands.pane.mouse.state is State.IDLE


def test_what_changes_meanwhile_shows_below_a_drag(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"), post("b", "2031-06-13T08:00"))
    with hands.dragging("a", hands.cell("2031-06-19").center()):
        before = hands.picture()
        hands.pane.filters.choose(Filter(kinds=frozenset({PostType.VIDEO})))
        assert hands.picture() != before


def test_a_band_chooses_what_it_touches(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"), post("b", "2031-06-13T08:00"), post("c", "2031-06-24T08:00"))
    start = hands.cell("2031-06-11").topLeft() + QPoint(40, 10)
    QTest.mousePress(hands.view.viewport(), LEFT, NONE, start)
    end = hands.cell("2031-06-13").bottomRight()
    hands.move(start + QPoint(40, 10))
    hands.move(end)
    assert hands.view.selection.keys == {"a", "b"}
    hands.release(end)
    assert hands.view.marks.band is None
    assert hands.view.selection.keys == {"a", "b"}


def test_a_drag_never_moves_a_cancelled_post(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00", status=PostStatus.CANCELLED))
    told: list[Message] = []
    hands.pane.told.connect(told.append)
    before = hands.post("a")
    hands.drag("a", hands.cell("2031-06-19").center())
    assert (hands.post("a"), hands.workspace.moves) == (before, [])
    assert [one.text for one in told] == ["It's cancelled. To publish it after all, choose “Schedule again”."]


def test_a_dragged_group_leaves_its_cancelled_posts_behind_and_says_so(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-11T08:00"), post("b", "2031-06-12T08:00", status=PostStatus.CANCELLED))
    before = hands.post("b")
    hands.choose("a", "b")
    with hands.dragging("a", hands.cell("2031-06-19").center()):
        drag = hands.view.drag
        assert drag is not None
        assert drag.tip.endswith("1 cancelled post won't move")
    assert times(hands)["a"] == "2031-06-19 09:00"
    assert hands.post("b") == before
