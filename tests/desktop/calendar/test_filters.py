"""Filtering by platform, batch and words, and the way back to everything."""

from dataclasses import replace
from itertools import combinations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.contract.enums import PostStatus, PostType
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.filter_panel import FilterPanel
from app.desktop.calendar.filters import Filter, batches
from app.desktop.warnings.wording import Summary
from app.desktop.widgets import Avatar, Label
from app.workspace.posts.planned import PlannedPost
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import ZONE, Hands
from tests.desktop.calendar.memory import account, post
from tests.desktop.running import run
from tests.workspace.opened import until

WARNING = Summary("3 posts will fail", "3 will fail", "3")


def rows(hands: Hands) -> list[str]:
    model = hands.pane.model
    return [model.post_at(row).key for row in range(model.rowCount())]


def row_of(box: QWidget) -> QWidget:
    row = box.parentWidget()
    assert row is not None
    return row


def label_beside(box: QWidget) -> Label:
    """The name in the row of a box."""
    label = row_of(box).findChild(Label)
    assert isinstance(label, Label)
    return label


def panel(hands: Hands) -> FilterPanel:
    """The panel of the filter, which the stack of accounts opens."""
    bar = hands.pane.filters
    if bar.panel is None:
        bar.stack.click()
    assert bar.panel is not None
    return bar.panel


def chip(hands: Hands, words: str) -> QAbstractButton:
    found = [one for one in panel(hands).findChildren(QAbstractButton) if one.text().startswith(words)]
    return next(one for one in found if one.isVisible())


def batched(key: str, at: str, batch: str | None) -> PlannedPost:
    return post(key, at)._replace(batch_id=batch)


def close_panel(hands: Hands) -> None:
    panel(hands).close()
    QApplication.processEvents()
    assert hands.pane.filters.panel is None


def test_several_platforms_together_and_back_to_all(take: MakeHands) -> None:
    hands = take(
        post("a", "2031-06-12T08:00", platform="x"),
        post("b", "2031-06-12T09:00", platform="linkedin"),
        post("c", "2031-06-12T10:00", platform="facebook"),
        accounts=[account("studio", "x"), account("two", "linkedin"), account("three", "facebook")],
    )
    chip(hands, "X").click()
    assert rows(hands) == ["a"]
    chip(hands, "Facebook").click()
    assert rows(hands) == ["a", "c"]
    assert [chip(hands, name).isChecked() for name in ("X", "LinkedIn", "Facebook")] == [True, False, True]
    assert hands.pane.filters.button.isChecked()
    assert hands.pane.filters.button.accessibleName() == "Filter: X, Facebook"
    chip(hands, "Show all").click()
    assert rows(hands) == ["a", "b", "c"]
    assert not hands.pane.filters.show_all.isVisible()


def test_accounts_of_one_name_are_told_apart_by_their_platform(take: MakeHands) -> None:
    one, other = account("one", "x"), account("other", "linkedin")
    hands = take(accounts=[one, replace(other, name=one.name), account("two", "x")])
    boxes = [panel(hands).accounts[key] for key in ("one", "other", "two")]
    labels = [label_beside(box).text() for box in boxes]
    assert labels == ["Name of one · X", "Name of one · LinkedIn", "Name of two"]


def test_an_account_is_filtered_by_in_the_panel_and_the_button_names_it(take: MakeHands) -> None:
    hands = take(
        post("a", "2031-06-12T08:00", account_key="studio"),
        post("b", "2031-06-12T09:00", account_key="two"),
        accounts=[account("studio", "x"), account("two", "linkedin")],
    )
    box = panel(hands).accounts["two"]
    assert box.accessibleName() == "Name of two on LinkedIn"
    box.click()
    assert rows(hands) == ["b"]
    close_panel(hands)
    assert hands.pane.filters.button.text() == "Name of two"
    panel(hands).accounts["studio"].click()
    assert rows(hands) == ["a", "b"]
    close_panel(hands)
    assert hands.pane.filters.button.text() == "2 filters"
    box = panel(hands).accounts["two"]
    hands.pane.filters.show_all.click()
    assert rows(hands) == ["a", "b"]
    assert not box.isChecked()


def test_the_button_keeps_its_place_above_its_panel(take: MakeHands) -> None:
    accounts = [account("studio", "x"), account("two", "linkedin")]
    hands = take(post("a", "2031-06-12T08:00", account_key="studio"), accounts=accounts)
    bar = hands.pane.filters
    hands.picture()
    before = bar.button.mapTo(hands.pane, bar.button.rect().topLeft())
    panel(hands).accounts["two"].click()
    hands.picture()
    assert bar.button.mapTo(hands.pane, bar.button.rect().topLeft()) == before
    assert bar.button.accessibleName() == "Filter: Name of two"
    assert bar.button.isChecked()
    assert not bar.show_all.isVisible()
    close_panel(hands)
    assert bar.button.text() == "Name of two"
    assert bar.show_all.isVisible()


def test_an_account_can_be_clicked_anywhere_in_its_row_and_its_box_comes_first(take: MakeHands) -> None:
    hands = take(
        post("a", "2031-06-12T08:00", account_key="studio"),
        post("b", "2031-06-12T09:00", account_key="two"),
        accounts=[account("studio", "x"), account("two", "linkedin")],
    )
    box = panel(hands).accounts["two"]
    row, label = row_of(box), label_beside(box)
    avatar = row.findChild(Avatar)
    assert isinstance(avatar, Avatar)
    assert box.x() < avatar.x() < label.x()
    QTest.mouseClick(row, Qt.MouseButton.LeftButton, pos=label.geometry().center())
    assert rows(hands) == ["b"]


def test_the_stack_and_the_button_open_the_panel_by_key(take: MakeHands) -> None:
    hands = take(accounts=[account("studio", "x"), account("two", "linkedin")])
    bar = hands.pane.filters
    assert bar.stack.accessibleName() == "Filter 2 accounts"
    for button in (bar.stack, bar.button):
        QTest.keyClick(button, Qt.Key.Key_Return)
        assert bar.panel is not None
        assert bar.panel.words.hasFocus()
        QTest.keyClick(bar.panel.words, Qt.Key.Key_Escape)
        QApplication.processEvents()
        assert bar.panel is None


def test_only_platforms_that_are_connected_are_offered(take: MakeHands) -> None:
    hands = take(accounts=[account("studio", "x")])
    assert [one.accessibleName() for one in panel(hands).platforms.values()] == ["Platform: X"]


def test_posts_by_hand_are_those_of_their_platform(take: MakeHands) -> None:
    by_hand = post("hand", "2026-11-23 10:00", account_key="b", platform="x-by-hand")
    other = post("other", "2026-11-23 12:00", account_key="c")
    accounts = [account("studio", "x"), account("b", "x-by-hand"), account("c", "linkedin")]
    hands = take(by_hand, other, accounts=accounts)
    names = [one.accessibleName() for one in panel(hands).platforms.values()]
    assert names == ["Platform: LinkedIn", "Platform: X"]
    chip(hands, "X").click()
    assert rows(hands) == ["hand"]
    assert hands.pane.filters.button.accessibleName() == "Filter: X"


def test_statuses_and_types_are_chosen_together(take: MakeHands) -> None:
    hands = take(
        post("a", "2031-06-12T08:00", kind=PostType.IMAGE),
        post("b", "2031-06-12T09:00", kind=PostType.IMAGE, status=PostStatus.FAILED),
        post("c", "2031-06-12T10:00", status=PostStatus.FAILED),
    )
    chip(hands, "Failed").click()
    chip(hands, "Image").click()
    assert rows(hands) == ["b"]
    chip(hands, "Failed").click()
    assert rows(hands) == ["a", "b"]


def test_a_batch_is_named_and_filtered_by(take: MakeHands) -> None:
    hands = take(
        batched("a", "2031-06-12T08:00", "one"),
        batched("b", "2031-06-13T08:00", "one"),
        batched("c", "2031-06-14T08:00", None),
        size=(1_712, 1_050),
    )
    chip(hands, "2 posts from 12 June 2031").click()
    assert rows(hands) == ["a", "b"]
    assert hands.pane.state().filter.batches == {"one"}


def test_without_batches_there_is_no_chip_for_them(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"), size=(1_712, 1_050))
    assert not panel(hands).batches


def test_a_batch_that_is_planned_meanwhile_is_offered(take: MakeHands, qtbot: QtBot) -> None:
    hands = take(post("a", "2031-06-12T08:00"), size=(1_712, 1_050))
    hands.workspace.arrive(batched("b", "2031-06-13T08:00", "one"), batched("c", "2031-06-14T08:00", "one"))
    qtbot.waitUntil(lambda: "2 posts from 13 June 2031" in hands.pane.filters._batches.values())
    hands.workspace.arrive(removed=["b"])
    qtbot.waitUntil(lambda: "1 post from 14 June 2031" in hands.pane.filters._batches.values())
    chip(hands, "1 post from 14 June 2031").click()
    assert rows(hands) == ["c"]


def test_the_newest_batches_come_first() -> None:
    posts = [batched("a", "2031-06-12T08:00", "old"), batched("b", "2031-07-13T08:00", "new")]
    found = batches(posts, LocalDays(ZONE))
    assert [one.id for one in found] == ["new", "old"]


def test_words_filter_a_moment_after_they_are_typed(take: MakeHands, qapp: QApplication) -> None:
    hands = take(post("a", "2031-06-12T08:00", "Winter coat"), post("b", "2031-06-12T09:00", "Summer hat"))

    async def work() -> None:
        QTest.keyClicks(panel(hands).words, "coat")
        await until(lambda: rows(hands) == ["a"])
        assert hands.pane.filters.button.isChecked()
        hands.workspace.arrive(post("c", "2031-06-13T08:00", "Another coat"))
        await until(lambda: rows(hands) == ["a", "c"])
        panel(hands).words.clear()
        await until(lambda: rows(hands) == ["a", "b", "c"])
        assert not hands.pane.filters.filter.is_on

    run(qapp, work)


def test_words_are_kept_and_looked_for_at_the_start(take: MakeHands, qapp: QApplication) -> None:
    hands = take(post("a", "2031-06-12T08:00", "Winter coat"), post("b", "2031-06-12T09:00", "Summer hat"))

    async def work() -> None:
        hands.pane.restore(replace(hands.pane.state(), filter=Filter(text="hat")))
        assert panel(hands).words.text() == "hat"
        await until(lambda: rows(hands) == ["b"])
        QTest.keyClick(panel(hands).words, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(panel(hands).words, "coat")
        QTest.keyClick(panel(hands).words, Qt.Key.Key_Return)
        await until(lambda: rows(hands) == ["a"])

    run(qapp, work)


def test_a_filter_shows_however_narrow_it_is(take: MakeHands) -> None:
    hands = take(accounts=[account(f"n{number}") for number in range(6)], size=(376, 560))
    bar = hands.pane.filters
    bar.choose(Filter(statuses=frozenset({PostStatus.FAILED}), batches=frozenset({"b"})))
    QApplication.processEvents()
    assert bar.button.isVisible()
    assert bar.button.text() == "2 filters"
    assert bar.show_all.isVisible()
    assert not bar.stack.isVisible()


def test_the_toolbar_never_overlaps_beside_a_warning(take: MakeHands) -> None:
    hands = take(accounts=[account(f"n{number}") for number in range(12)], size=(1_500, 560))
    hands.pane.filters.show_warnings(WARNING)
    for width in range(500, 1_500, 50):
        hands.pane.resize(width, 560)
        QApplication.processEvents()
        for parent in (hands.pane.toolbar, hands.pane.filters):
            shown = [one for one in parent.children() if isinstance(one, QWidget) and one.isVisible()]
            pairs = combinations((one.geometry() for one in shown), 2)
            assert not any(one.intersects(other) for one, other in pairs), width
            assert all(parent.rect().contains(one.geometry()) for one in shown), width


def test_a_warning_is_shortened_before_the_accounts_are_left_out(take: MakeHands) -> None:
    hands = take(accounts=[account(f"n{number}") for number in range(12)], size=(1_500, 560))
    bar = hands.pane.filters
    bar.show_warnings(WARNING)
    seen: dict[bool, list[str]] = {True: [], False: []}
    for width in range(1_500, 800, -10):
        hands.pane.resize(width, 560)
        QApplication.processEvents()
        has_accounts, words = bar.stack.isVisible(), bar.warnings.text()
        assert not has_accounts or not seen[False]
        if words not in seen[has_accounts]:
            seen[has_accounts].append(words)
    assert seen[True] == ["3 posts will fail", "3 will fail", "3"]
    assert seen[False][0] == "3 will fail"  # in the place of the accounts
    assert bar.warnings.accessibleName() == "3 posts will fail"


def test_tab_follows_the_toolbar(take: MakeHands) -> None:
    hands = take(size=(1_500, 872))
    bar = hands.pane.toolbar
    hands.pane.filters.show_warnings(WARNING)
    hands.pane.activateWindow()
    bar.go_to.setFocus()
    lefts: list[int] = []
    while (one := QApplication.focusWidget()) is not None and bar.isAncestorOf(one) and len(lefts) < 20:
        lefts.append(one.mapTo(bar, QPoint()).x())
        QTest.keyClick(one, Qt.Key.Key_Tab)
    assert len(lefts) == 10
    assert lefts == sorted(lefts)
