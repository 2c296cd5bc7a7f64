"""Posts of one idea on several accounts are one card."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QAbstractItemModelTester, QTest

from app.contract.enums import PostingPlatform, PostStatus
from app.desktop.calendar.day_sheet import DaySheet
from app.desktop.calendar.days import Span
from app.desktop.calendar.filters import Filter
from app.desktop.calendar.moves import Target
from app.workspace.posts.ideas import by_idea
from app.workspace.posts.planned import PlannedPost
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import Hands
from tests.desktop.calendar.memory import ListedPosts, account, instant, post
from tests.desktop.calendar.test_model import LISBON

HOUR = 3_600_000
AT = "2031-06-12T08:00"
PLATFORMS = ("facebook", "instagram", "linkedin", "x", "threads")
ACCOUNTS = [account(name, name, color=number) for number, name in enumerate(PLATFORMS)]
ALT, SHIFT = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier


def idea(*names: str, at: str = AT, words: str = "Studio sale") -> list[PlannedPost]:
    """Posts with the same words for some accounts, whose names are their keys."""
    return [post(name, at, words, account_key=name, platform=name) for name in names]


def cards(hands: Hands) -> list[str]:
    return [hands.pane.model.post_at(row).key for row in range(hands.pane.model.rowCount())]


# What the model says -------------------------------------------------------------------------------------

SOME = st.lists(
    st.builds(
        post,
        st.sampled_from("abcdefgh"),
        st.integers(0, 3).map(lambda hour: hour * HOUR),
        st.sampled_from(["one", "two"]),
        account_key=st.sampled_from("ABC"),
        status=st.sampled_from([PostStatus.SCHEDULED, PostStatus.FAILED, PostStatus.CANCELLED]),
    ),
    max_size=6,
)
STEPS = st.lists(st.tuples(SOME, st.sets(st.sampled_from("abcdefgh"), max_size=2)), max_size=8)


def new_model() -> ListedPosts:
    return ListedPosts(LISBON, lambda posts: posts[0].headline)


def rows(model: ListedPosts) -> list[PlannedPost]:
    return [model.post_at(row) for row in range(model.rowCount())]


def expected_cards(posts: list[PlannedPost]) -> list[tuple[PlannedPost, ...]]:
    moments = sorted({one.at for one in posts})
    ideas = [found for at in moments for found in by_idea([one for one in posts if one.at == at])]
    return sorted(ideas, key=lambda found: (found[0].at, found[0].key))


@given(STEPS)
@pytest.mark.usefixtures("qapp")
def test_cards_after_any_changes_are_those_of_a_new_model(
    steps: list[tuple[list[PlannedPost], set[str]]],
) -> None:
    model, expected = new_model(), dict[str, PlannedPost]()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for changed, removed in steps:
        model.change(changed, removed)
        expected = {key: one for key, one in expected.items() if key not in removed}
        expected |= {one.key: one for one in changed}
        found = [model.members(card) for card in rows(model)]
        assert found == expected_cards(list(expected.values()))
        assert sorted(one for card in found for one in card) == sorted(expected.values())
        assert model.all() == sorted(expected.values(), key=lambda one: (one.at, one.key))
        assert [card for day in model.days() for card in model.on_day(day)] == rows(model)
        assert sum(map(model.count_on, model.days())) == model.post_count == len(expected)
        assert all(rows(model)[model.row_of(key)] == model.lead(one) for key, one in expected.items())
    assert tester.model() is model


@given(SOME)
@pytest.mark.usefixtures("qapp")
def test_without_grouping_every_post_is_a_card(posts: list[PlannedPost]) -> None:
    model = new_model()
    model.fill({one.key: one for one in posts}.values())
    grouped = rows(model)
    model.group_ideas(False)
    assert rows(model) == model.all()
    model.group_ideas(True)
    assert rows(model) == grouped


@given(SOME)
@pytest.mark.usefixtures("qapp")
def test_cards_that_are_set_apart_come_together_again(posts: list[PlannedPost]) -> None:
    model = new_model()
    model.fill({one.key: one for one in posts}.values())
    before = rows(model)
    for card in before:
        members = model.members(card)
        if not model.can_set_apart(card):
            continue
        model.set_apart(card)
        assert all(model.members(one) == (one,) and model.is_apart(one) for one in members)
        model.bring_together(members[-1])
        assert rows(model) == before


# What the calendar does ----------------------------------------------------------------------------------


@pytest.mark.parametrize("span", list(Span))
def test_one_card_shows_them_all(take: MakeHands, span: Span) -> None:
    hands = take(*idea("x", "linkedin", "facebook"), accounts=ACCOUNTS)
    hands.show(span, "2031-06-12")
    assert cards(hands) == ["facebook"]
    assert hands.card("x") == hands.card("facebook") == hands.card("linkedin")
    alone = take(*idea("facebook"), accounts=ACCOUNTS)
    alone.show(span, "2031-06-12")
    assert hands.picture() != alone.picture()


@pytest.mark.parametrize("span", list(Span))
def test_versions_of_one_draft_share_a_card_and_move_together(take: MakeHands, span: Span) -> None:
    versions = [one._replace(headline=f"For {one.key}", draft="draft") for one in idea("x", "linkedin")]
    hands = take(*versions, accounts=ACCOUNTS)
    hands.show(span, "2031-06-12")
    assert cards(hands) == ["linkedin"]
    hands.choose("x")
    hands.press(Qt.Key.Key_Right, ALT)
    assert {one.at for one in hands.workspace.posts} == {instant("2031-06-13T08:00")}
    assert cards(hands) == ["linkedin"]
    hands.press(Qt.Key.Key_E)
    assert cards(hands) == ["linkedin", "x"]
    hands.pane.group_ideas(False)
    assert cards(hands) == ["linkedin", "x"]


@pytest.mark.parametrize("span", [Span.MONTH, Span.AGENDA])
def test_a_drag_moves_all_in_one_step(take: MakeHands, span: Span) -> None:
    hands = take(*idea("x", "linkedin", "facebook"), post("other", "2031-06-13T08:00"), accounts=ACCOUNTS)
    hands.show(span, "2031-06-12")
    hands.drag("facebook", hands.cell("2031-06-13").center())
    assert {one.at for one in hands.workspace.posts if one.key != "other"} == {instant("2031-06-13T08:00")}
    assert hands.workspace.undo_label == "Move 3 posts"
    assert cards(hands) == ["facebook", "other"]
    hands.workspace.undo()
    assert {one.at for one in hands.workspace.posts if one.key != "other"} == {instant(AT)}
    assert cards(hands) == ["facebook", "other"]


def test_a_drag_in_the_week_moves_all_to_the_same_minute(take: MakeHands) -> None:
    hands = take(*idea("x", "linkedin"), accounts=ACCOUNTS, span=Span.WEEK)
    hands.drag("linkedin", hands.cell("2031-06-13").center())
    assert len({one.at for one in hands.workspace.posts}) == 1
    assert cards(hands) == ["linkedin"]


def test_a_drag_shows_the_card_once_and_counts_its_posts(take: MakeHands) -> None:
    hands = take(*idea("x", "linkedin", "facebook"), accounts=ACCOUNTS)
    with hands.dragging("facebook", hands.cell("2031-06-14").center()):
        drag = hands.view.drag
        assert drag is not None
        assert drag.preview.drop == 0
        assert drag.target == Target(LISBON.day_of(instant("2031-06-14T08:00")), None)
        assert drag.tip.startswith("3 posts · ")


def test_one_post_that_moves_alone_leaves_the_card(take: MakeHands) -> None:
    hands = take(*idea("x", "linkedin", "facebook"), accounts=ACCOUNTS)
    hands.workspace.move({"facebook": instant("2031-06-14T08:00")})
    assert cards(hands) == ["linkedin", "facebook"]
    hands.workspace.undo()
    assert cards(hands) == ["facebook"]


def test_the_card_looks_like_the_post_that_needs_the_user_most(take: MakeHands) -> None:
    facebook, linkedin, x = idea("facebook", "linkedin", "x", at="2031-06-09T08:00")
    published = [one._replace(status=PostStatus.POSTED, published=True) for one in (facebook, linkedin)]
    hands = take(*published, x, accounts=ACCOUNTS)
    hands.workspace.arrive(x._replace(status=PostStatus.FAILED, reason="Permission missing"))
    assert cards(hands) == ["x"]
    assert not hands.view.page.cards.is_quiet(hands.pane.model.post_at(0), instant("2031-06-10T11:00"))
    hands.workspace.arrive(x._replace(status=PostStatus.POSTED, published=True))
    assert cards(hands) == ["facebook"]
    assert hands.view.page.cards.is_quiet(hands.pane.model.post_at(0), instant("2031-06-10T11:00"))


def test_all_are_selected_moved_and_cancelled_by_keyboard(take: MakeHands) -> None:
    hands = take(*idea("x", "linkedin"), post("other", "2031-06-14T08:00"), accounts=ACCOUNTS)
    hands.choose("x")
    assert hands.view.selection.keys == {"x", "linkedin"}
    hands.press(Qt.Key.Key_Right, ALT)
    assert {one.at for one in hands.workspace.posts if one.key != "other"} == {instant("2031-06-13T08:00")}
    hands.press(Qt.Key.Key_Delete)
    states = {one.key: one.status for one in hands.workspace.posts}
    assert states == {"x": "cancelled", "linkedin": "cancelled", "other": "scheduled"}
    assert cards(hands) == ["linkedin", "other"]
    hands.workspace.undo()
    assert cards(hands) == ["linkedin", "other"]


def test_arrows_and_ctrl_take_a_card_as_one(take: MakeHands) -> None:
    first, second = idea("x", "linkedin"), idea("facebook", "threads", at="2031-06-13T08:00")
    hands = take(*first, *second, accounts=ACCOUNTS)
    hands.choose("linkedin")
    hands.press(Qt.Key.Key_Down)
    assert hands.view.selection.keys == {"facebook", "threads"}
    hands.press(Qt.Key.Key_Up, SHIFT)
    assert hands.view.selection.keys == {"x", "linkedin", "facebook", "threads"}
    hands.press(Qt.Key.Key_Space)
    assert hands.view.selection.keys == {"facebook", "threads"}


def test_the_bar_for_several_posts_needs_several_cards(take: MakeHands) -> None:
    hands = take(*idea("x", "linkedin"), post("other", "2031-06-14T08:00"), accounts=ACCOUNTS)
    hands.choose("x")
    assert not hands.pane.selection_bar.isVisible()
    hands.choose("x", "other")
    assert hands.pane.selection_bar.isVisible()
    assert hands.view.selection.keys == {"x", "linkedin", "other"}


def test_a_card_can_be_opened_in_place_and_one_post_moved(take: MakeHands) -> None:
    hands = take(*idea("x", "linkedin", "facebook"), accounts=ACCOUNTS)
    hands.choose("facebook")
    hands.press(Qt.Key.Key_E)
    assert cards(hands) == ["facebook", "linkedin", "x"]
    hands.choose("x")
    assert hands.view.selection.keys == {"x"}
    hands.press(Qt.Key.Key_Right, ALT)
    hands.choose("linkedin")
    hands.press(Qt.Key.Key_E, SHIFT)
    assert cards(hands) == ["facebook", "x"]
    assert hands.view.selection.keys == {"facebook", "linkedin"}


def test_the_setting_shows_each_post_and_keeps_the_selection(take: MakeHands) -> None:
    hands = take(*idea("x", "linkedin"), accounts=ACCOUNTS)
    hands.choose("x")
    hands.pane.group_ideas(False)
    assert cards(hands) == ["linkedin", "x"]
    assert hands.view.selection.keys == {"x", "linkedin"}
    hands.pane.group_ideas(True)
    assert cards(hands) == ["linkedin"]
    assert hands.view.selection.current == "linkedin"


def test_a_filter_leaves_only_what_matches_on_the_card(take: MakeHands) -> None:
    hands = take(*idea("x", "linkedin", "facebook"), accounts=ACCOUNTS)
    hands.pane.filters.choose(Filter(platforms=frozenset({PostingPlatform.X})))
    assert [one.key for one in hands.pane.model.members(hands.pane.model.post_at(0))] == ["x"]
    hands.pane.filters.clear()
    assert len(hands.pane.model.members(hands.pane.model.post_at(0))) == 3


def test_counts_are_those_of_posts(take: MakeHands) -> None:
    many = [
        one._replace(key=f"{one.key} {hour}")
        for hour in range(9)
        for one in idea("x", "linkedin", at=f"2031-06-12T{hour + 8:02}:00")
    ]
    hands = take(*many, accounts=ACCOUNTS)
    day = LISBON.day_of(instant(AT))
    layout, cards = hands.view.page.cells.layout(day), hands.pane.model.on_day(day)
    assert 0 < layout.hidden < 9
    assert hands.pane.model.count(card.post for card in layout.cards) == 18 - 2 * layout.hidden
    assert hands.pane.model.count_on(day) == 18
    more = hands.view.more_rect(cards[-1].key)
    assert more is not None
    hands.click(more.center())
    (sheet,) = hands.pane.findChildren(DaySheet)
    assert sheet.title.text().endswith("18 posts")
    assert len(sheet.listed()) == 9


def test_the_list_of_a_full_day_opens_a_card_too(take: MakeHands) -> None:
    others = [post(f"other {hour}", f"2031-06-12T{hour + 9:02}:00") for hour in range(9)]
    hands = take(*idea("x", "linkedin"), *others, accounts=ACCOUNTS)
    cards = hands.pane.model.on_day(LISBON.day_of(instant(AT)))
    more = hands.view.more_rect(cards[-1].key)
    assert more is not None
    hands.click(more.center())
    (sheet,) = hands.pane.findChildren(DaySheet)
    assert sheet.listed()[:2] == ["linkedin", "other 0"]
    sheet.list.setCurrentRow(0)
    QTest.keyClick(sheet.list, Qt.Key.Key_E)
    assert sheet.listed()[:3] == ["linkedin", "x", "other 0"]
    assert hands.view.selection.keys == {"linkedin"}


def test_posts_found_elsewhere_are_selected_without_others_of_their_card(take: MakeHands) -> None:
    posts = [*idea("x", "linkedin"), *idea("facebook", "threads", at="2031-06-13T08:00")]
    hands = take(*posts, accounts=ACCOUNTS)
    hands.pane.reveal(["x", "facebook", "threads"])
    assert hands.view.selection.keys == {"x", "facebook", "threads"}
    assert cards(hands) == ["linkedin", "x", "facebook"]
    hands.pane.reveal(["threads"])
    assert hands.view.selection.keys == {"facebook", "threads"}


@pytest.fixture
def _listening() -> Iterator[None]:
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


@pytest.mark.usefixtures("_listening")
def test_a_screen_reader_hears_the_accounts_and_which_one_failed(take: MakeHands) -> None:
    posts = idea("facebook", "linkedin", "x")
    hands = take(*posts, accounts=ACCOUNTS)
    view = QAccessible.queryAccessibleInterface(hands.view)
    assert view.childCount() == 1
    assert view.child(0).text(QAccessible.Text.Name) == (
        "Studio sale, Thursday 12 June 09:00, 3 accounts: Name of facebook on Facebook, "
        "Name of linkedin on LinkedIn, Name of x on X, scheduled"
    )
    hands.workspace.arrive(posts[2]._replace(status=PostStatus.FAILED, reason="Permission missing"))
    assert view.child(0).text(QAccessible.Text.Name) == (
        "Studio sale, Thursday 12 June 09:00, 3 accounts: Name of x on X (failed), "
        "Name of facebook on Facebook (scheduled), Name of linkedin on LinkedIn (scheduled), "
        "X refused this post. Permission missing"
    )
