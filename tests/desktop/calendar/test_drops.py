"""Text and files that are dropped on a day or an hour from elsewhere."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QUrl
from PySide6.QtGui import QDragLeaveEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.calendar import controller
from app.desktop.calendar.days import Span
from app.desktop.calendar.geometry import HOUR_HEIGHT
from app.desktop.carried import DRAFTS, Carried, pack
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import Hands
from tests.desktop.calendar.memory import instant, post
from tests.desktop.dragged import dropping, entering


def text(words: str) -> QMimeData:
    data = QMimeData()
    data.setText(words)
    return data


def address(url: str) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl(url)])
    return data


def many_files() -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(f"/home/{number}.jpg") for number in range(201)])
    return data


def two_files() -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/home/a.jpg"), QUrl.fromLocalFile("/home/b.jpg")])
    return data


def enter(hands: Hands, data: QMimeData, point: QPoint) -> bool:
    event = entering(point, data)
    QApplication.sendEvent(hands.view.viewport(), event)
    return event.isAccepted()


def drop(hands: Hands, data: QMimeData, point: QPoint) -> list[tuple[Carried, object]]:
    """Drops, and gives what the pane handed on."""
    asked: list[tuple[Carried, object]] = []
    hands.pane.dropped.connect(lambda found, at: asked.append((found, at)))
    enter(hands, data, point)  # Qt drops nothing that has not come in
    QApplication.sendEvent(hands.view.viewport(), dropping(point, data))
    return asked


def shown(at: object, hands: Hands) -> str:
    assert isinstance(at, int)
    moment = hands.pane._days.place(at)
    return f"{moment.minute // 60:02}:{moment.minute % 60:02}"


def test_text_on_a_day_becomes_a_post_of_that_day(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    point = hands.cell("2031-06-20").center()
    assert enter(hands, text("Read this"), point)
    assert hands.view.marks.aim is not None
    ((found, at),) = drop(hands, text("Read this"), point)
    assert found == Carried(text="Read this")
    assert isinstance(at, int)
    assert hands.pane._days.place(at).day == hands.view.page.geometry.day_at(
        hands.view.canvas(point).x(), hands.view.canvas(point).y()
    )
    assert shown(at, hands) == "09:00"
    assert hands.view.marks.aim is None


def test_text_on_an_hour_takes_the_hour_and_the_ruler_tells_it(take: MakeHands) -> None:
    hands = take(span=Span.WEEK)
    geometry = hands.view.page.geometry
    point = QPoint(
        hands.cell("2031-06-12").center().x(), geometry.content_height // 2 - hands.view.offset.y()
    )
    assert enter(hands, text("Read this"), point)
    minute = hands.pane.grid.ruler.drag_minute
    assert minute is not None
    ((_, at),) = drop(hands, text("Read this"), point)
    assert shown(at, hands) == f"{minute // 60:02}:{minute % 60:02}"
    assert hands.pane.grid.ruler.drag_minute is None


def test_an_address_is_text(take: MakeHands) -> None:
    hands = take()
    ((found, _),) = drop(hands, address("https://example.org/a"), hands.cell("2031-06-20").center())
    assert found.text == "https://example.org/a"


def test_files_on_a_day_are_handed_on_each_once(take: MakeHands) -> None:
    hands = take()
    point = hands.cell("2031-06-20").center()
    data = QMimeData()
    names = ("/home/a b.mp4", "/home/ü%41.jpg", "/home/a b.mp4")
    data.setUrls([*(QUrl.fromLocalFile(name) for name in names), QUrl("https://example.org/c.jpg")])
    assert enter(hands, data, point)
    ((found, at),) = drop(hands, data, point)
    assert found == Carried(files=(Path("/home/a b.mp4"), Path("/home/ü%41.jpg")))
    assert shown(at, hands) == "09:00"


@pytest.mark.parametrize("data", [text(""), text("x" * 200_000), many_files(), address("file:"), QMimeData()])
def test_what_is_no_text_is_not_taken(take: MakeHands, data: QMimeData) -> None:
    hands = take()
    point = hands.cell("2031-06-20").center()
    assert not enter(hands, data, point)
    assert drop(hands, data, point) == []
    assert hands.view.marks.aim is None


def drafts(*ids: str) -> QMimeData:
    data = QMimeData()
    pack(data, DRAFTS, ids)
    return data


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (text("Read this"), "New post · Fri 20 Jun · 09:00"),
        (drafts("a"), "Draft · Fri 20 Jun · 09:00"),
        (two_files(), "2 files · from Fri 20 Jun · 09:00"),
    ],
)
def test_what_a_drop_would_do_is_said_beside_the_pointer(take: MakeHands, data: QMimeData, told: str) -> None:
    hands = take()
    corner = hands.view.viewport().rect().bottomRight() - QPoint(40, 40)
    for point in (hands.cell("2031-06-20").center(), corner):
        enter(hands, data, point)
        assert hands.view.viewport().rect().contains(hands.pane.drops._tip.geometry())
    enter(hands, data, hands.cell("2031-06-20").center())
    assert hands.pane.drops._tip.words == told
    drop(hands, data, hands.cell("2031-06-20").center())
    assert not hands.pane.drops._tip.isVisible()


def test_a_day_that_is_over_is_said_to_be(take: MakeHands) -> None:
    hands = take(day="2020-06-11")
    enter(hands, text("Read this"), hands.cell("2020-06-10").center())
    assert hands.pane.drops._tip.words == "New post · Wed 10 Jun has passed, so no time is set"


def test_an_hour_that_comes_twice_is_meant_by_its_half(take: MakeHands) -> None:
    hands = take(span=Span.WEEK, day="2031-10-26")  # Lisbon: 02:00 is 01:00 once more
    cell = hands.cell("2031-10-26")
    y = cell.top() + 90 * HOUR_HEIGHT // 60
    times = []
    for x in (cell.left() + 10, cell.right() - 10):
        ((_, at),) = drop(hands, text("Read this"), QPoint(x, y))[-1:]
        times.append(at)
    assert times == [instant("2031-10-26T00:30"), instant("2031-10-26T01:30")]


def test_what_is_held_at_an_edge_scrolls_the_days(take: MakeHands, qtbot: QtBot) -> None:
    hands = take(span=Span.WEEK)
    before = hands.view.verticalOffset()
    enter(hands, text("Read this"), QPoint(400, hands.view.viewport().height() - 6))
    first = hands.view.marks.aim
    qtbot.waitUntil(lambda: hands.view.verticalOffset() > before + 30, timeout=30_000)
    assert hands.view.marks.aim != first
    QApplication.sendEvent(hands.view.viewport(), QDragLeaveEvent())
    assert not hands.pane.drops._edges._timer.isActive()


def test_what_passes_along_an_edge_on_its_way_scrolls_nothing(
    take: MakeHands, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = take(span=Span.MONTH)
    timer = hands.pane.drops._edges._timer
    enter(hands, text("Read this"), QPoint(400, 4))
    monkeypatch.setattr(controller, "_SCROLL_AFTER_MS", 60_000)
    begun = timer.interval()
    enter(hands, text("Read this"), QPoint(401, 5))  # a hand at rest trembles
    assert timer.interval() == begun
    enter(hands, text("Read this"), QPoint(440, 9))
    assert timer.interval() == 60_000  # it waits from here


def test_leaving_forgets_the_aim(take: MakeHands) -> None:
    hands = take()
    before = hands.picture()
    assert enter(hands, text("Read this"), hands.cell("2031-06-20").center())
    assert hands.picture() != before
    QApplication.sendEvent(hands.view.viewport(), QDragLeaveEvent())
    assert hands.picture() == before


def test_a_day_that_is_over_leaves_the_time_open(take: MakeHands) -> None:
    hands = take(day="2020-06-11")
    ((_, at),) = drop(hands, text("Read this"), hands.cell("2020-06-10").center())
    assert at is None
