"""What lies above and below the hours that show, by keyboard and for screen readers."""

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QColor, QImage, QPaintEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.calendar.buttons import PaintedButton
from app.desktop.calendar.days import Span
from app.desktop.calendar.pills import PillKey
from app.desktop.theme.tokens import LIGHT
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import NONE, SHIFT, Hands
from tests.desktop.calendar.memory import post

NAMES = [
    "1 earlier, 02:00, Wednesday 11 June",
    "1 later, 22:30, Wednesday 11 June",
    "2 later, 22:30, Friday 13 June",
]


@pytest.fixture
def hands(take: MakeHands, qtbot: QtBot) -> Hands:
    """A week with three pills, the focus on its days."""
    times = ("11T01:00", "11T21:30", "12T12:00", "13T21:30", "13T22:45")
    made = take(*(post(time, f"2031-06-{time}") for time in times), span=Span.WEEK, size=(1232, 700))
    made.show_morning()
    made.view.setFocus()
    made.pane.activateWindow()
    qtbot.waitUntil(lambda: names(made) == NAMES)
    return made


def buttons(hands: Hands) -> list[PaintedButton[PillKey]]:
    return list(hands.pane.grid.pill_buttons.shown.values())


def names(hands: Hands) -> list[str]:
    return [button.accessibleName() for button in buttons(hands)]


def focused() -> str:
    widget = QApplication.focusWidget()
    return widget.accessibleName() if widget is not None else ""


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
    widget = QApplication.focusWidget()
    assert widget is not None
    QTest.keyClick(widget, key, modifiers)


def test_posts_that_have_no_card_of_their_own_are_counted_too(take: MakeHands, qtbot: QtBot) -> None:
    late = [post(f"late{n}", f"2031-06-13T21:{30 + n}") for n in range(10)]
    early = [post(f"early{n}", f"2031-06-13T01:{n:02}") for n in range(7)]
    hands = take(*late, *early, span=Span.WEEK, size=(1232, 700))
    hands.show_morning()
    layout = hands.view.page.cells.layout(hands.view.page.days.place(late[0].at).day)
    assert len(layout.cards) < 17
    qtbot.waitUntil(
        lambda: names(hands) == ["7 earlier, 02:06, Friday 13 June", "10 later, 22:30, Friday 13 June"]
    )
    bar = hands.view.verticalScrollBar()
    bar.setValue(bar.maximum())
    qtbot.waitUntil(lambda: names(hands) == ["7 earlier, 02:06, Friday 13 June"])


@pytest.mark.parametrize("width", [430, 540, 700])
def test_posts_under_the_header_are_counted_in_narrow_columns_too(take: MakeHands, width: int) -> None:
    hands = take(
        post("a", "2031-06-11T01:00"), post("b", "2031-06-11T01:30"), span=Span.WEEK, size=(width, 700)
    )
    hands.show_morning()
    (pill,) = hands.view.pills.shown
    assert pill.whole == "2 earlier, 02:30"
    assert hands.cell("2031-06-11").contains(pill.place)
    assert pill.place.width() >= hands.view.pills._width(pill.text)


@pytest.mark.usefixtures("hands")
def test_tab_reaches_the_pills_and_arrows_walk_them() -> None:
    assert focused() == "Calendar"
    press(Qt.Key.Key_Tab)
    assert focused() == NAMES[0]
    walked = []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Up):
        press(key)
        walked.append(focused())
    assert walked == [NAMES[1], NAMES[2], NAMES[2], NAMES[1], NAMES[0]]
    press(Qt.Key.Key_Backtab, SHIFT)
    assert focused() == "Calendar"


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_enter_shows_what_a_pill_counts(hands: Hands, key: Qt.Key) -> None:
    assert not hands.view.viewport().rect().contains(hands.card("11T21:30"))
    press(Qt.Key.Key_Tab)
    press(Qt.Key.Key_Right)
    press(key)
    assert hands.view.viewport().rect().contains(hands.card("11T21:30"))
    assert focused() == "Calendar"


def test_the_pill_with_the_focus_has_a_ring(hands: Hands) -> None:
    before = hands.picture()
    press(Qt.Key.Key_Tab)
    ring = hands.view.pills.shown[0].place
    now = hands.picture()
    assert now.copy(ring) != before.copy(ring)
    press(Qt.Key.Key_Right)
    assert hands.picture().copy(ring) == before.copy(ring)


def test_letters_on_a_pill_do_what_they_do_on_the_days(hands: Hands) -> None:
    press(Qt.Key.Key_Tab)
    press(Qt.Key.Key_M)
    assert hands.pane.grid.span is Span.MONTH


def test_a_screen_reader_finds_each_pill_where_it_is_painted(hands: Hands) -> None:
    for button, pill in zip(buttons(hands), hands.view.pills.shown, strict=True):
        found = QAccessible.queryAccessibleInterface(button)
        assert found.role() == QAccessible.Role.Button
        assert found.state().focusable
        assert not found.state().invisible
        corner = hands.view.viewport().mapToGlobal(pill.place.topLeft())
        assert found.rect() == QRect(corner, pill.place.size())


def test_the_buttons_go_with_their_pills(hands: Hands, qtbot: QtBot) -> None:
    press(Qt.Key.Key_Tab)
    hands.workspace.arrive(removed=[one.key for one in hands.workspace.posts.all()])
    qtbot.waitUntil(lambda: names(hands) == [])
    assert focused() == "Calendar"


def test_a_click_at_a_pill_is_the_views(hands: Hands) -> None:
    place = hands.view.pills.shown[1].place
    hands.click(place.center())
    assert hands.view.viewport().rect().contains(hands.card("11T21:30"))


def test_a_card_that_a_pill_would_cover_is_counted_and_one_that_it_would_cut_fades(hands: Hands) -> None:
    bar = hands.view.verticalScrollBar()
    hands.workspace.arrive(post("nine", "2031-06-12T08:00"))
    card = hands.card("nine").translated(0, bar.value())
    thursday = hands.cell("2031-06-12")

    def above(shown: int) -> list[str]:
        """Scrolls until so much of the card shows; the pills of its day."""
        bar.setValue(card.bottom() + 1 - shown)
        QApplication.processEvents()
        return [pill.text for pill in hands.view.pills.shown if thursday.intersects(pill.place)]

    assert above(29) == []
    assert above(28) == ["1 earlier, 09:00"]
    hands.workspace.arrive(post("early", "2031-06-12T05:00"))
    assert above(36) == ["1 earlier, 06:00"]
    pill = next(one for one in hands.view.pills.shown if thursday.intersects(one.place))
    beside = QPoint(pill.veil.left() + 12, 2)
    covered = hands.picture().pixelColor(beside)
    assert covered == QColor(LIGHT.surface)


def test_scrolling_still_moves_pixels(hands: Hands) -> None:
    painted = Painted()
    surface = hands.view.viewport()
    hands.picture()
    surface.installEventFilter(painted)
    hands.view.verticalScrollBar().setValue(hands.view.verticalOffset() + 24)
    QApplication.processEvents()
    assert 0 < painted.pixels < surface.width() * surface.height() // 4


class Painted(QObject):
    """Counts the pixels that were painted."""

    pixels = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.pixels += sum(area.width() * area.height() for area in event.region())  # type: ignore[attr-defined]
        return super().eventFilter(watched, event)


@pytest.mark.parametrize("step", [QPoint(37, 0), QPoint(-220, 0), QPoint(0, 45), QPoint(61, -30)])
def test_scrolled_pixels_are_those_that_painting_anew_gives(hands: Hands, step: QPoint) -> None:
    view = hands.view
    place = QRect(view.viewport().mapTo(view.window(), QPoint()), view.viewport().size())

    def on_screen() -> QImage:
        QApplication.processEvents()
        return view.screen().grabWindow(view.window().winId()).toImage().copy(place)

    hands.move(view.pills.shown[0].place.center())
    on_screen()
    for _ in range(4):
        view.scroll_to(view.offset + step)
        scrolled = on_screen()
        view.viewport().update()
        assert scrolled == on_screen()
