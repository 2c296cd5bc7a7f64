"""What a screen reader is told."""

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QAccessible, QAccessibleInterface

from app.contract.enums import PostStatus, PostType
from app.desktop.calendar.days import Span
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import Hands
from tests.desktop.calendar.memory import account, post

NAME = QAccessible.Text.Name


@pytest.fixture(autouse=True)
def listening() -> Iterator[None]:
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


def tree(hands: Hands) -> QAccessibleInterface:
    return QAccessible.queryAccessibleInterface(hands.view)


@pytest.mark.parametrize(
    ("span", "names"),
    [
        (Span.MONTH, ("Previous month", "Next month")),
        (Span.WEEK, ("Previous week", "Next week")),
        (Span.DAY, ("Previous day", "Next day")),
    ],
)
def test_the_arrows_name_what_they_turn_to(take: MakeHands, span: Span, names: tuple[str, str]) -> None:
    bar = take().pane.toolbar
    bar.span_chosen.emit(span.value)
    assert (bar.back.accessibleName(), bar.forward.accessibleName()) == names


def test_the_calendar_is_a_list_of_its_posts(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T09:00"), post("b", "2031-06-13T08:00", "Second"))
    view = tree(hands)
    assert view.role() == QAccessible.Role.List
    assert view.text(NAME) == "Calendar"
    assert view.childCount() == 2
    assert (
        view.child(0).text(NAME)
        == "Launch teaser, Thursday 12 June 10:00, Name of studio on LinkedIn, scheduled"
    )


def test_a_card_says_what_is_wrong_and_that_it_is_practice(take: MakeHands) -> None:
    failed = post("a", "2031-06-12T09:00", status=PostStatus.FAILED, reason="No.")
    hands = take(failed, accounts=[account("studio", practice=True)])
    words = tree(hands).child(0).text(NAME)
    assert words.endswith("Name of studio on LinkedIn (practice), failed, LinkedIn refused this post. No.")


def test_two_accounts_of_a_platform_and_their_files_are_told_apart(take: MakeHands) -> None:
    accounts = [account("studio"), account("other")]
    image = post("b", "2031-06-12T10:00", account_key="other", kind=PostType.IMAGE)
    view = tree(take(post("a", "2031-06-12T09:00"), image, accounts=accounts))
    assert view.child(0).text(NAME).endswith("Name of studio on LinkedIn, scheduled")
    assert view.child(1).text(NAME).endswith("Name of other on LinkedIn, scheduled, 1 image")


def test_cards_are_where_they_are_painted(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T09:00"))
    place = tree(hands).child(0).rect()
    corner = hands.view.viewport().mapToGlobal(hands.card("a").topLeft())
    assert (place.topLeft(), place.size()) == (corner, hands.card("a").size())


def test_a_post_behind_the_count_has_no_place(take: MakeHands) -> None:
    hands = take(*(post(f"{hour:02}", f"2031-06-12T{hour:02}:00") for hour in range(9)))
    assert not tree(hands).child(0).rect().isEmpty()
    assert tree(hands).child(8).rect().isEmpty()


def names(hands: Hands) -> list[str]:
    view = tree(hands)
    return [view.child(number).text(NAME).split(",")[0] for number in range(view.childCount())]


def test_cards_keep_their_names_when_they_move_come_and_go(take: MakeHands) -> None:
    hands = take(*(post(key, f"2031-06-1{n}T09:00", key) for n, key in enumerate("abcd", 2)))
    assert names(hands) == ["a", "b", "c", "d"]
    hands.choose("a", "b")
    hands.drag("a", hands.cell("2031-06-19").center())
    assert names(hands) == ["c", "d", "a", "b"]
    hands.workspace.arrive(post("e", "2031-06-15T10:00", "e"), removed=["d"])
    assert names(hands) == ["c", "e", "a", "b"]


def test_chosen_cards_stay_chosen_where_they_move(take: MakeHands) -> None:
    hands = take(*(post(key, f"2031-06-1{n}T09:00", key) for n, key in enumerate("abcd", 2)))
    hands.choose("a", "b")
    hands.drag("b", hands.cell("2031-06-19").center())
    view = tree(hands)
    chosen = [view.child(number).text(NAME)[0] for number in range(4) if view.child(number).state().selected]
    assert chosen == ["a", "b"]
    assert hands.view.currentIndex().row() == hands.pane.model.row_of("b")
