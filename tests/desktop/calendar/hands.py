"""What a person does to the calendar, with real events."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from zoneinfo import ZoneInfo

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QImage, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.calendar import CalendarPane
from app.desktop.calendar.days import Span
from app.desktop.calendar.geometry import HoursGeometry
from app.desktop.calendar.view import CalendarView
from app.workspace.messages import Message
from app.workspace.posts.planned import PlannedPost
from tests.desktop.calendar.memory import MemoryWorkspace

NONE = Qt.KeyboardModifier.NoModifier
ALT = Qt.KeyboardModifier.AltModifier
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton
ZONE = ZoneInfo("Europe/Lisbon")


@dataclass
class Hands:
    """Mouse and keyboard on one pane, and what it said."""

    pane: CalendarPane
    workspace: MemoryWorkspace
    told: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pane.told.connect(self.told.append)

    @property
    def view(self) -> CalendarView:
        return self.pane.grid.view

    def show(self, span: Span, day: str) -> None:
        """Shows the month or week of an ISO date."""
        self.pane.show_span(span, date.fromisoformat(day).toordinal())
        QApplication.processEvents()

    def show_morning(self) -> None:
        """Scrolls the hours to a quarter to seven."""
        geometry = self.view.page.geometry
        assert isinstance(geometry, HoursGeometry)
        self.view.verticalScrollBar().setValue(geometry.hour * 27 // 4)
        QApplication.processEvents()

    def post(self, key: str) -> PlannedPost:
        found = self.workspace.posts.get(key)
        assert found is not None
        return found

    def card(self, key: str) -> QRect:
        """Where a post's card is on the viewport; empty when it has none."""
        model = self.pane.model
        return QRect(self.view.visualRect(model.index(model.row_of(key))))

    def cell(self, day: str) -> QRect:
        """Where a day is on the viewport."""
        ordinal = date.fromisoformat(day).toordinal()
        return QRect(self.view.on_viewport(self.view.page.geometry.cell(ordinal)))

    def click(self, point: QPoint, modifiers: Qt.KeyboardModifier = NONE) -> None:
        QTest.mouseClick(self.view.viewport(), LEFT, modifiers, point)

    def choose(self, *keys: str) -> None:
        """Chooses posts by clicking, the first without a modifier."""
        for number, key in enumerate(keys):
            self.click(self.card(key).center(), CTRL if number else NONE)

    def move(self, point: QPoint, modifiers: Qt.KeyboardModifier = NONE) -> None:
        """Moves the pointer with the left button held."""
        self._send(QEvent.Type.MouseMove, point, Qt.MouseButton.NoButton, LEFT, modifiers)

    def release(self, point: QPoint, modifiers: Qt.KeyboardModifier = NONE) -> None:
        self._send(QEvent.Type.MouseButtonRelease, point, LEFT, Qt.MouseButton.NoButton, modifiers)

    @contextmanager
    def dragging(self, key: str, to: QPoint, modifiers: Qt.KeyboardModifier = NONE) -> Iterator[QPoint]:
        """Holds a card over a point; the button is released there at the end."""
        start = self.card(key).center()
        QTest.mousePress(self.view.viewport(), LEFT, NONE, start)
        for step in range(1, 5):
            self.move(start + (to - start) * step / 4, modifiers)
        QApplication.processEvents()
        yield to
        self.release(to, modifiers)

    def drag(self, key: str, to: QPoint, modifiers: Qt.KeyboardModifier = NONE) -> None:
        with self.dragging(key, to, modifiers):
            pass

    def turn_wheel(self, notches: int, modifiers: Qt.KeyboardModifier = NONE) -> None:
        """Turns the mouse wheel in the middle of the view; positive goes on in time."""
        surface = self.view.viewport()
        middle = QPointF(surface.rect().center())
        event = QWheelEvent(
            middle,
            surface.mapToGlobal(middle),
            QPoint(),
            QPoint(0, -120 * notches),
            Qt.MouseButton.NoButton,
            modifiers,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(surface, event)

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
        QTest.keyClick(self.view, key, modifiers)

    def picture(self) -> QImage:
        """What the days look like now."""
        QApplication.processEvents()
        return self.view.viewport().grab().toImage()

    def _send(
        self,
        kind: QEvent.Type,
        point: QPoint,
        button: Qt.MouseButton,
        buttons: Qt.MouseButton,
        modifiers: Qt.KeyboardModifier,
    ) -> None:
        surface = self.view.viewport()
        place = QPointF(point)
        event = QMouseEvent(kind, place, surface.mapToGlobal(place), button, buttons, modifiers)
        QApplication.sendEvent(surface, event)
