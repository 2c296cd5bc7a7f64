"""Filtering by platform, batch and words, and the way back to everything."""

from dataclasses import replace
from itertools import combinations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from app.contract.enums import PostingPlatform, PostStatus
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.filters import Filter, batches
from app.desktop.widgets import Chip, Menu
from app.workspace.posts.planned import PlannedPost
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import ZONE, Hands
from tests.desktop.calendar.memory import account, post
from tests.desktop.running import run
from tests.workspace.opened import until


def rows(hands: Hands) -> list[str]:
    model = hands.pane.model
    return [model.post_at(row).key for row in range(model.rowCount())]


def chip(hands: Hands, words: str) -> QAbstractButton:
    found = [one for one in hands.pane.filters.findChildren(QAbstractButton) if one.text().startswith(words)]
    return next(one for one in found if one.isVisible())


def choose(hands: Hands, words: str) -> None:
    menu = next(menu for menu in hands.pane.findChildren(Menu) if menu.isVisible())
    next(action for action in menu.actions() if action.text() == words).trigger()
    menu.close()
    QApplication.processEvents()


def batched(key: str, at: str, batch: str | None) -> PlannedPost:
    return post(key, at)._replace(batch_id=batch)


def test_several_platforms_together_and_back_to_all(take: MakeHands) -> None:
    hands = take(
        post("a", "2031-06-12T08:00", platform="x"),
        post("b", "2031-06-12T09:00", platform="linkedin"),
        post("c", "2031-06-12T10:00", platform="facebook"),
        accounts=[account("studio", "x"), account("two", "linkedin"), account("three", "facebook")],
    )
    chip(hands, "Platform").click()
    choose(hands, "X")
    assert rows(hands) == ["a"]
    chip(hands, "X").click()
    choose(hands, "Facebook")
    assert rows(hands) == ["a", "c"]
    assert chip(hands, "Platform: 2").isChecked()
    assert chip(hands, "Filtered").isChecked()
    chip(hands, "Show all").click()
    assert rows(hands) == ["a", "b", "c"]
    assert not hands.pane.filters.show_all.isVisible()


def test_only_platforms_that_are_connected_are_offered(take: MakeHands) -> None:
    hands = take(accounts=[account("studio", "x")])
    chip(hands, "Platform").click()
    menu = next(menu for menu in hands.pane.findChildren(Menu) if menu.isVisible())
    assert [action.text() for action in menu.actions()] == ["Any", "X"]
    menu.close()


def test_a_batch_is_named_and_filtered_by(take: MakeHands) -> None:
    hands = take(
        batched("a", "2031-06-12T08:00", "one"),
        batched("b", "2031-06-13T08:00", "one"),
        batched("c", "2031-06-14T08:00", None),
        size=(1_712, 1_050),
    )
    chip(hands, "Created together").click()
    choose(hands, "2 posts from 12 June 2031")
    assert rows(hands) == ["a", "b"]
    assert hands.pane.state().filter.batches == {"one"}


def test_without_batches_there_is_no_chip_for_them(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"), size=(1_712, 1_050))
    assert not hands.pane.filters._batch.isVisible()


def test_a_batch_that_is_planned_meanwhile_is_offered(take: MakeHands, qtbot: QtBot) -> None:
    hands = take(post("a", "2031-06-12T08:00"), size=(1_712, 1_050))
    hands.workspace.arrive(batched("b", "2031-06-13T08:00", "one"), batched("c", "2031-06-14T08:00", "one"))
    qtbot.waitUntil(hands.pane.filters._batch.isVisible)
    hands.workspace.arrive(removed=["b"])
    qtbot.waitUntil(lambda: "1 post from 14 June 2031" in hands.pane.filters._batches.values())
    chip(hands, "Created together").click()
    choose(hands, "1 post from 14 June 2031")
    assert rows(hands) == ["c"]


def test_the_newest_batches_come_first() -> None:
    posts = [batched("a", "2031-06-12T08:00", "old"), batched("b", "2031-07-13T08:00", "new")]
    found = batches(posts, LocalDays(ZONE))
    assert [one.id for one in found] == ["new", "old"]


def test_words_filter_a_moment_after_they_are_typed(take: MakeHands, qapp: QApplication) -> None:
    hands = take(post("a", "2031-06-12T08:00", "Winter coat"), post("b", "2031-06-12T09:00", "Summer hat"))

    async def work() -> None:
        QTest.keyClicks(hands.pane.filters.words, "coat")
        await until(lambda: rows(hands) == ["a"])
        assert chip(hands, "Filtered").isChecked()
        hands.workspace.arrive(post("c", "2031-06-13T08:00", "Another coat"))
        await until(lambda: rows(hands) == ["a", "c"])
        hands.pane.filters.words.clear()
        await until(lambda: rows(hands) == ["a", "b", "c"])
        assert not hands.pane.filters.filter.is_on

    run(qapp, work)


def test_words_are_kept_and_looked_for_at_the_start(take: MakeHands, qapp: QApplication) -> None:
    hands = take(post("a", "2031-06-12T08:00", "Winter coat"), post("b", "2031-06-12T09:00", "Summer hat"))

    async def work() -> None:
        hands.pane.restore(replace(hands.pane.state(), filter=Filter(text="hat")))
        assert hands.pane.filters.words.text() == "hat"
        await until(lambda: rows(hands) == ["b"])
        QTest.keyClick(hands.pane.filters.words, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(hands.pane.filters.words, "coat")
        QTest.keyClick(hands.pane.filters.words, Qt.Key.Key_Return)
        await until(lambda: rows(hands) == ["a"])

    run(qapp, work)


def test_what_hides_something_shows_however_narrow_it_is(take: MakeHands) -> None:
    hands = take(accounts=[account(f"n{number}") for number in range(6)], size=(376, 560))
    bar = hands.pane.filters
    bar.choose(
        Filter(
            platforms=frozenset({PostingPlatform.X}),
            statuses=frozenset({PostStatus.FAILED}),
            batches=frozenset({"b"}),
        )
    )
    QApplication.processEvents()
    assert all(one.isVisible() for one in (bar._platform, bar._status, bar._batch, bar.show_all))
    assert not bar._kind.isVisible()


def test_chips_never_lie_over_each_other_beside_a_warning(take: MakeHands) -> None:
    hands = take(accounts=[account(f"n{number}") for number in range(6)], size=(376, 560))
    bar = hands.pane.filters
    bar.show_warnings("3 posts will fail")
    for width in range(200, 700, 20):
        bar.setFixedWidth(width)
        QApplication.processEvents()
        shown = [one for one in bar.findChildren(Chip) if one.isVisible()]
        pairs = combinations((one.geometry() for one in shown), 2)
        assert not any(one.intersects(other) for one, other in pairs), width
    assert bar._others.isVisible()


def test_tab_follows_the_line_of_chips_also_where_accounts_came_later(take: MakeHands) -> None:
    hands = take(size=(1_500, 872))
    hands.workspace.connect(account("second", color=2), account("third", color=3))
    bar = hands.pane.filters
    hands.pane.activateWindow()
    bar._everything.setFocus()
    lefts: list[int] = []
    while (one := QApplication.focusWidget()) is not None and one.parent() is bar and len(lefts) < 20:
        lefts.append(one.x())
        QTest.keyClick(one, Qt.Key.Key_Tab)
    assert len(lefts) == 8
    assert lefts == sorted(lefts)
