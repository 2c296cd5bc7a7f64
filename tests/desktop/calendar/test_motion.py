"""What moves on the calendar, over days that already show the end."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.contract.enums import PostStatus
from app.desktop import motion
from app.desktop.calendar.days import Span
from app.desktop.motion import tokens
from app.workspace.posts.planned import SyncState
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import Hands
from tests.desktop.calendar.memory import account, instant, post

POSTS = [
    post("first", "2031-06-11T09:00"),
    post("second", "2031-06-12T10:00", "Behind the scenes"),
    post("third", "2031-07-15T10:00", "In July"),
]


@pytest.fixture
def hands(take: MakeHands) -> Hands:
    made = take(*POSTS, accounts=(account("studio", color=2),))
    made.view.setFocus()
    return made


def rest(qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not motion.is_moving())


def turn(hands: Hands) -> None:
    QTest.mouseClick(hands.pane.toolbar.forward, Qt.MouseButton.LeftButton)


def zoom(hands: Hands) -> None:
    hands.pane.toolbar.span.set_value("week")


def zoom_back(hands: Hands) -> None:
    hands.pane.toolbar.span.set_value("week")
    motion.finish_all()
    hands.pane.toolbar.span.set_value("month")


def drop(hands: Hands) -> None:
    hands.drag("second", hands.cell("2031-06-20").center())


def refuse(hands: Hands) -> None:
    hands.drag("second", hands.cell("2031-06-09").center())


def publish(hands: Hands) -> None:
    hands.workspace.arrive(hands.post("first")._replace(status=PostStatus.POSTED, published=True))


def arrive(hands: Hands) -> None:
    hands.workspace.arrive(hands.post("first")._replace(at=instant("2031-06-18T09:00")))


ACTIONS = [turn, zoom, zoom_back, drop, refuse, publish, arrive]


@pytest.mark.parametrize("act", ACTIONS)
def test_the_end_is_the_same_with_and_without_motion(take: MakeHands, qtbot: QtBot, act: object) -> None:
    pictures = []
    for mode in ("on", "off"):
        motion.choose("on" if mode == "on" else "off")
        hands = take(*POSTS, accounts=(account("studio", color=2),))
        hands.view.setFocus()
        assert callable(act)
        act(hands)
        assert motion.is_moving() is (mode == "on")
        rest(qtbot)
        hands.view.viewport().setFocus()
        pictures.append(hands.pane.grid.grab().toImage())
    assert pictures[0] == pictures[1]


@pytest.mark.usefixtures("moving")
@pytest.mark.parametrize("act", ACTIONS)
def test_the_first_frame_shows_that_something_moves(hands: Hands, qtbot: QtBot, act: object) -> None:
    assert callable(act)
    act(hands)
    first = hands.pane.grid.grab().toImage()
    rest(qtbot)
    assert hands.pane.grid.grab().toImage() != first


@pytest.mark.usefixtures("moving")
@pytest.mark.parametrize("act", ACTIONS)
def test_the_pane_may_be_deleted_in_the_middle(hands: Hands, qtbot: QtBot, act: object) -> None:
    assert callable(act)
    act(hands)
    assert motion.is_moving()
    hands.pane.grid.setParent(None)
    hands.pane.grid.deleteLater()
    qtbot.waitUntil(lambda: not motion.is_moving())


@pytest.mark.usefixtures("moving")
def test_the_next_month_is_there_before_it_has_slid_in(hands: Hands) -> None:
    turn(hands)
    assert hands.pane.grid.title() == ("July", "2031")
    assert hands.view.motion.shift.y() > 0
    card = hands.card("third")
    hands.click(card.center())
    assert hands.view.selection.keys == {"third"}
    assert hands.view.motion.shift == QPoint()


@pytest.mark.usefixtures("moving")
def test_a_week_slides_with_the_names_of_its_days(hands: Hands) -> None:
    hands.show(Span.WEEK, "2031-06-11")
    motion.finish_all()
    turn(hands)
    first = hands.pane.grid._header.grab().toImage()
    assert hands.view.motion.shift.x() > 0
    motion.finish_all()
    assert hands.pane.grid._header.grab().toImage() != first


@pytest.mark.usefixtures("moving")
def test_keys_show_the_next_month_immediately(hands: Hands) -> None:
    hands.press(Qt.Key.Key_PageDown)
    assert hands.pane.grid.title() == ("July", "2031")
    assert not motion.is_moving()


@pytest.mark.usefixtures("moving")
def test_a_lifted_card_follows_the_pointer_immediately(hands: Hands, qtbot: QtBot) -> None:
    with hands.dragging("second", hands.cell("2031-06-20").center()) as pointer:
        assert motion.is_moving()
        drag = hands.view.drag
        assert drag is not None
        assert drag.pointer == pointer
        rest(qtbot)
    assert hands.workspace.moves == [{"second": instant("2031-06-20T10:00")}]


@pytest.mark.usefixtures("moving")
def test_a_card_dropped_on_a_full_day_flies_to_what_counts_it(hands: Hands) -> None:
    hands.workspace.arrive(*(post(f"{n}", f"2031-06-20T{n:02}:00") for n in range(10)))
    motion.finish_all()
    drop(hands)
    more = hands.view.more_rect("second")
    assert more is not None
    assert motion.is_moving()
    motion.finish_all()
    assert not hands.view.motion.hidden


@pytest.mark.usefixtures("moving")
def test_a_dropped_card_lands_where_it_is_and_can_be_taken_on_the_way(hands: Hands) -> None:
    drop(hands)
    assert hands.view.motion.hidden == {"second"}
    assert hands.cell("2031-06-20").contains(hands.card("second"))
    hands.drag("second", hands.cell("2031-06-25").center())
    assert [moved["second"] for moved in hands.workspace.moves] == [
        instant("2031-06-20T10:00"),
        instant("2031-06-25T10:00"),
    ]


@pytest.mark.usefixtures("moving")
def test_a_refused_card_shakes_and_flies_home(hands: Hands, qtbot: QtBot) -> None:
    refuse(hands)
    assert [message.kind for message in hands.told] == ["warning"]
    assert hands.workspace.moves == []
    assert hands.view.motion.hidden == {"second"}
    rest(qtbot)
    assert not hands.view.motion.hidden


@pytest.mark.usefixtures("moving")
def test_a_move_that_the_service_refuses_shakes_on_its_way_home(hands: Hands) -> None:
    drop(hands)
    motion.finish_all()
    moved = hands.post("second")
    assert moved.sync is SyncState.WAITING
    home = moved._replace(at=instant("2031-06-12T10:00"), sync=SyncState.SYNCED)
    hands.workspace.arrive(home)
    (run,) = hands.view.motion._runs.values()
    assert run.timing == tokens.REFUSED
    assert hands.cell("2031-06-12").contains(hands.card("second"))


@pytest.mark.usefixtures("moving")
def test_a_large_sync_moves_nothing(hands: Hands) -> None:
    many = [post(f"{number}", "2031-06-17T09:00") for number in range(30)]
    hands.workspace.arrive(*many)
    hands.workspace.arrive(*(one._replace(at=instant("2031-06-18T09:00")) for one in many))
    assert not motion.is_moving()


@pytest.mark.usefixtures("moving")
def test_scrolling_shows_the_end_of_everything(hands: Hands) -> None:
    publish(hands)
    assert motion.is_moving()
    hands.view.verticalScrollBar().setValue(hands.view.verticalOffset() + 30)
    assert not motion.is_moving()


@pytest.mark.usefixtures("moving")
def test_a_published_post_moves_though_a_key_was_pressed(hands: Hands) -> None:
    with motion.still():
        publish(hands)
    assert motion.is_moving()
    hands.press(Qt.Key.Key_Right)
    assert not motion.is_moving()
