"""The next post in the sidebar."""

from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.contract.enums import PostStatus
from app.desktop.shell.rail import Destination, Rail
from app.desktop.theme import theme
from app.workspace.clock import wall_clock
from tests.desktop.calendar.memory import MemoryWorkspace, account, post

ZONE = ZoneInfo("Europe/Lisbon")
TALL, LOW = 700, 100
HOUR = 3_600_000


@pytest.fixture
def rail(qapp: QApplication, qtbot: QtBot) -> Rail:
    theme.apply(qapp, "light")
    rail = Rail(
        (Destination("calendar", "Calendar", "image"), Destination("usage", "Usage", "gauge", "Set up"))
    )
    qtbot.addWidget(rail)
    rail.resize(rail.width(), TALL)
    rail.show()
    return rail


def plan(*hours: float, practice: bool = False) -> MemoryWorkspace:
    """Posts due so many hours from now."""
    posts = [
        post(f"p{n}", at=wall_clock() + round(each * HOUR) + 30_000, headline=f"Post {n}")
        for n, each in enumerate(hours, 1)
    ]
    return MemoryWorkspace(posts, [account("studio", practice=practice)])


def test_the_card_names_the_first_post_that_is_still_to_come(rail: Rail) -> None:
    rail.next_post.show_posts_of(plan(-1, 2.5, 4), ZONE)
    assert rail.next_post.isVisible()
    assert rail.next_post.accessibleName().endswith("LinkedIn, in 2 h 30 min: Post 2")


def test_a_practice_account_is_named_as_one(rail: Rail) -> None:
    rail.next_post.show_posts_of(plan(2.5, practice=True), ZONE)
    assert "LinkedIn (practice)" in rail.next_post.accessibleName()


def test_a_click_and_enter_open_the_post(rail: Rail) -> None:
    rail.next_post.show_posts_of(plan(1), ZONE)
    opened: list[str] = []
    rail.next_post.opened.connect(opened.append)
    QTest.mouseClick(rail.next_post, Qt.MouseButton.LeftButton)
    QTest.keyClick(rail.next_post, Qt.Key.Key_Return)
    assert opened == ["p1", "p1"]


def test_it_moves_on_when_the_post_is_cancelled_and_goes_with_the_last(rail: Rail) -> None:
    planned = plan(1, 2)
    rail.next_post.show_posts_of(planned, ZONE)
    for key, shown in (("p1", "Post 2"), ("p2", None)):
        cancelled = planned.posts.get(key)
        assert cancelled is not None
        planned.posts.apply([cancelled._replace(status=PostStatus.CANCELLED)])
        rail.next_post.refresh()
        assert rail.next_post.isVisible() == bool(shown)
        assert shown is None or rail.next_post.accessibleName().endswith(shown)


def test_in_a_low_sidebar_the_status_line_is_asked_to_show_it(rail: Rail) -> None:
    shown: list[bool] = []
    rail.next_post_shown.connect(shown.append)
    rail.next_post.show_posts_of(plan(1), ZONE)
    visible = [rail.next_post.isVisible()]
    for height in (LOW, TALL):
        rail.resize(rail.width(), height)
        visible.append(rail.next_post.isVisible())
    assert visible == [True, False, True]
    assert shown == visible


def test_a_closed_calendar_leaves_no_post_behind(rail: Rail) -> None:
    rail.next_post.show_posts_of(plan(1), ZONE)
    rail.next_post.clear()
    rail.next_post.refresh()
    assert not rail.next_post.isVisible()
