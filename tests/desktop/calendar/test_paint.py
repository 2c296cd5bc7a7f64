"""What is painted when: a crowded week is there at once, and nothing is painted more often than it shows."""

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from app.desktop.calendar.days import Span
from app.desktop.calendar.paint import FramePacer
from app.workspace.posts.planned import PlannedPost
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import Hands
from tests.desktop.calendar.memory import post

_CROWD = 46


def crowd(day: str) -> list[PlannedPost]:
    """So many posts on a day that a week of such days is crowded."""
    minutes = [7 * 60 + 18 * number for number in range(_CROWD)]
    return [post(f"{day} {at}", f"{day}T{at // 60:02}:{at % 60:02}", "Words to read") for at in minutes]


def crowded_week(take: MakeHands) -> Hands:
    days = [f"2031-06-{day:02}" for day in range(16, 23)]
    return take(*(one for day in days for one in crowd(day)), span=Span.WEEK, day="2031-06-11")


def inks(hands: Hands, place: QRect) -> int:
    """How many colours there are in a card."""
    picture = hands.view.viewport().grab().toImage().copy(place)
    points = ((x, y) for x in range(picture.width()) for y in range(picture.height()))
    return len({picture.pixel(x, y) for x, y in points})


def test_a_crowded_week_is_sketched_first_and_complete_soon(take: MakeHands, qtbot: QtBot) -> None:
    hands = crowded_week(take)
    hands.pane.toolbar.forward.click()
    view = hands.view
    assert view.page.missing(view.visible) > 110
    card = hands.card("2031-06-18 600").adjusted(2, 2, -2, -2)
    assert 1 < inks(hands, card) <= 3, "its ground and its account's colour"
    assert not view.is_complete
    qtbot.waitUntil(lambda: view.is_complete)
    assert view.page.missing(view.visible) == 0
    assert inks(hands, card) > 10


def test_who_goes_on_meanwhile_is_not_kept_waiting(take: MakeHands, qtbot: QtBot) -> None:
    hands = crowded_week(take)
    hands.pane.toolbar.forward.click()
    hands.picture()
    hands.pane.toolbar.back.click()
    hands.picture()
    assert hands.view.is_complete
    hands.pane.toolbar.forward.click()
    qtbot.waitUntil(lambda: hands.view.is_complete and not hands.view.page.missing(hands.view.visible))


def test_a_week_of_a_few_posts_is_painted_whole(take: MakeHands) -> None:
    hands = take(*crowd("2031-06-18"), span=Span.WEEK, day="2031-06-18")
    hands.picture()
    assert hands.view.is_complete
    assert hands.view.page.missing(hands.view.visible) == 0


def test_what_is_scrolled_to_in_a_crowd_is_sketched_until_the_wheel_rests(
    take: MakeHands, qtbot: QtBot
) -> None:
    hands = crowded_week(take)
    hands.pane.toolbar.forward.click()
    view = hands.view
    qtbot.waitUntil(lambda: view.is_complete)
    view.scroll_to(view.offset + QPoint(2 * view.viewport().width() // 3, 0))
    QApplication.processEvents()
    assert not view.is_complete
    assert view.page.missing(view.visible) > 0
    qtbot.waitUntil(lambda: view.is_complete)
    assert view.page.missing(view.visible) == 0


def test_what_shows_no_more_is_not_waited_for(take: MakeHands, qtbot: QtBot) -> None:
    hands = crowded_week(take)
    hands.pane.toolbar.forward.click()
    hands.picture()
    view = hands.view
    assert not view.is_complete
    view.scroll_to(QPoint(0, 0))
    qtbot.waitUntil(lambda: view.is_complete)


class Painted(QWidget):
    """Remembers what of it was painted."""

    def __init__(self) -> None:
        super().__init__()
        self.areas: list[QRect] = []

    def paintEvent(self, event: QPaintEvent) -> None:
        self.areas.append(event.rect())


def test_many_repaints_of_a_moment_are_one_after_the_first(qtbot: QtBot) -> None:
    widget = Painted()
    qtbot.addWidget(widget)
    widget.resize(400, 100)
    widget.show()
    qtbot.waitExposed(widget)
    QApplication.processEvents()
    widget.areas.clear()
    pacer = FramePacer(widget)
    for left in range(0, 400, 10):
        pacer.update(widget, QRect(left, 0, 10, 10))
    qtbot.waitUntil(lambda: any(area.right() == 399 for area in widget.areas))
    assert len(widget.areas) <= 2, "not each by itself"
    covered = QRect()
    for area in widget.areas:
        covered |= area
    assert covered == QRect(0, 0, 400, 10)


def test_a_page_that_was_closed_is_not_repainted(qtbot: QtBot) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    page, pacer = QWidget(host), FramePacer(host)
    for _ in range(2):  # the second one waits for the next frame
        pacer.update(page, QRect(0, 0, 10, 10))
    delete(page)
    qtbot.wait(50)
