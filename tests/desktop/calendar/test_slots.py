"""Free posting times on the days, and the ways to use them."""

from datetime import date

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.calendar.days import Span
from app.desktop.theme import theme
from app.workspace.slots.slots import Slot
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import LEFT, NONE, SHIFT, Hands
from tests.desktop.calendar.memory import account, instant, post

NINE, FIVE = 9 * 60, 17 * 60
THURSDAY = 3


def slot_at(hands: Hands, day: str, minute: int) -> QPoint:
    """A point in the slot that stands, or would stand, at a time."""
    hands.view.ensure_visible(hands.view.page.geometry.cell(0)._replace(x=hands.view.offset.x(), y=0))
    geometry = hands.view.page.geometry
    cell = hands.cell(day)
    top = geometry.y_of(minute) - hands.view.verticalOffset()  # type: ignore[attr-defined]
    return QPoint(cell.x() + cell.width() // 2, top + 8)


def chosen(hands: Hands) -> list[tuple[int, tuple[str, ...]]]:
    found: list[tuple[int, tuple[str, ...]]] = []
    hands.pane.slotChosen.connect(lambda at, keys: found.append((at, keys)))
    return found


def weekly(hands: Hands, key: str, *minutes: int) -> None:
    hands.workspace.slots.put(key, [Slot(key, day, minute) for day in range(7) for minute in minutes])


def test_a_click_on_a_free_slot_begins_a_post_for_its_accounts(take: MakeHands) -> None:
    hands = take(span=Span.WEEK, accounts=[account("studio"), account("own", "x")])
    found = chosen(hands)
    hands.click(slot_at(hands, "2031-06-12", NINE))
    assert found == []
    weekly(hands, "studio", NINE)
    weekly(hands, "own", NINE)
    hands.click(slot_at(hands, "2031-06-12", NINE))
    assert [(at, set(keys)) for at, keys in found] == [(instant("2031-06-12T08:00"), {"studio", "own"})]


def test_a_double_click_on_a_slot_asks_once(take: MakeHands) -> None:
    hands = take(span=Span.WEEK)
    found = chosen(hands)
    asked: list[object] = []
    hands.pane.newPostRequested.connect(asked.append)
    weekly(hands, "studio", NINE)
    place = slot_at(hands, "2031-06-12", NINE)
    hands.click(place)
    QTest.mouseDClick(hands.view.viewport(), LEFT, NONE, place)
    assert len(found) >= 1
    assert asked == []


def test_a_slot_of_one_wide_day_is_no_wider_than_a_card(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T15:00"), span=Span.DAY, size=(1_400, 900))
    hands.show(Span.DAY, "2031-06-12")
    weekly(hands, "studio", NINE)
    card, found = hands.card("a"), chosen(hands)
    height = slot_at(hands, "2031-06-12", NINE).y()
    hands.click(QPoint(card.right() + 20, height))
    assert found == []
    hands.click(QPoint(card.right() - 20, height))
    assert len(found) == 1


def test_slots_show_only_where_they_are_free(take: MakeHands) -> None:
    taken = post("a", "2031-06-12T08:05")
    hands = take(taken, span=Span.WEEK)
    weekly(hands, "studio", NINE, FIVE)
    free = hands.pane._slots.on_day
    day = hands.pane._days.place(taken.at).day
    assert [slot.minute for slot in free(day, taken.at - 1)] == [FIVE]
    assert [slot.minute for slot in free(day, instant("2031-06-12T16:00"))] == []
    hands.workspace.arrive(removed=["a"])
    assert [slot.minute for slot in free(day, taken.at - 3_600_000)] == [NINE, FIVE]


def test_a_slot_below_the_card_of_another_account_is_left_out(take: MakeHands) -> None:
    other = post("a", "2031-06-12T08:10", account_key="own")
    hands = take(other, span=Span.WEEK, accounts=[account("studio"), account("own", "x")])
    weekly(hands, "studio", NINE, FIVE)
    page, day = hands.view.page, hands.pane._days.place(other.at).day
    corner = page.geometry.cell(day)
    assert page.slot_at(corner.x + 20, page.geometry.y_of(NINE) + 4) is None  # type: ignore[attr-defined]
    assert page.slot_at(corner.x + 20, page.geometry.y_of(FIVE) + 4) is not None  # type: ignore[attr-defined]


def test_the_picture_of_a_day_changes_with_its_slots(take: MakeHands) -> None:
    hands = take(span=Span.WEEK)
    before = hands.picture()
    weekly(hands, "studio", NINE)
    assert hands.picture() != before
    hands.workspace.slots.put("studio", [])
    assert hands.picture() == before


def test_filtered_accounts_take_their_slots_along(take: MakeHands) -> None:
    hands = take(span=Span.WEEK, accounts=[account("studio"), account("own", "x")])
    weekly(hands, "studio", NINE)
    weekly(hands, "own", FIVE)
    day = hands.pane._days.place(instant("2031-06-12T08:00")).day
    assert len(hands.pane._slots.on_day(day, 0)) == 2
    hands.pane.filters.choose(hands.pane.filters.filter.with_account("own"))
    assert [slot.account_keys for slot in hands.pane._slots.on_day(day, 0)] == [("own",)]


def test_s_moves_the_chosen_posts_to_the_next_slots_in_one_step(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-11T10:00"), post("b", "2031-06-11T11:00"), span=Span.WEEK)
    weekly(hands, "studio", NINE)
    hands.choose("a", "b")
    hands.press(Qt.Key.Key_S)
    assert hands.workspace.moves == [{"a": instant("2031-06-12T08:00"), "b": instant("2031-06-13T08:00")}]
    hands.workspace.undo()
    assert hands.post("a").at == instant("2031-06-11T10:00")
    assert hands.post("b").at == instant("2031-06-11T11:00")


def test_s_keeps_the_posts_of_one_card_together(take: MakeHands) -> None:
    accounts = [account("studio"), account("own", "x")]
    posts = [post(key, "2031-06-11T10:00", account_key=key) for key in ("studio", "own")]
    hands = take(*posts, span=Span.WEEK, accounts=accounts)
    weekly(hands, "studio", NINE)
    weekly(hands, "own", FIVE)
    hands.choose("studio")
    hands.press(Qt.Key.Key_S)
    assert hands.workspace.moves == [dict.fromkeys(("studio", "own"), instant("2031-06-11T16:00"))]
    hands.press(Qt.Key.Key_S)
    assert hands.workspace.moves[1:] == [dict.fromkeys(("studio", "own"), instant("2031-06-12T08:00"))]


def test_without_posting_times_it_is_said_where_they_are_set(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-11T10:00"), span=Span.WEEK)
    hands.choose("a")
    hands.press(Qt.Key.Key_S)
    hands.press(Qt.Key.Key_N, SHIFT)
    assert hands.workspace.moves == []
    assert [message.action.verb for message in hands.told if message.action] == ["show_slots", "show_slots"]


def test_a_new_post_takes_the_next_free_slot(take: MakeHands) -> None:
    hands = take(span=Span.MONTH)
    found = chosen(hands)
    weekly(hands, "studio", NINE)
    hands.view.setFocus()
    hands.press(Qt.Key.Key_N, SHIFT)
    [(at, keys)] = found
    assert keys == ("studio",)
    assert hands.pane._days.place(at).minute == NINE


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_the_ring_of_an_empty_half_hour_crosses_no_free_slot(
    qapp: QApplication, take: MakeHands, scale: float
) -> None:
    theme.apply(qapp, "light", scale)
    hands = take(span=Span.DAY, day="2031-06-12")
    weekly(hands, "studio", 12 * 60 + 15)
    page, day = hands.view.page, date(2031, 6, 12).toordinal()
    ((slot, _),) = page.slots_on(day)
    rings = [page.focus_box(day, instant(f"2031-06-12T{at}")) for at in ("11:00", "11:30", "12:00", "12:30")]
    for ring in rings:
        encloses = ring.y <= slot.y and slot.y + slot.height <= ring.y + ring.height
        assert encloses or not ring.intersects(slot)
        assert ring.height >= 10
    assert len(set(rings)) == len(rings)
