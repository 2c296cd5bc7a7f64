"""Mouse and keyboard for the stage."""

from typing import TypeVar

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QApplication, QWidget

from app.desktop.calendar import CalendarPane
from app.language import tr
from app.workspace.clock import now_in
from tests.gallery.samples import ZONE
from tests.gallery.stage import Stage

Widget = TypeVar("Widget", bound=QWidget)
_STEPS = 8
_LEFT = Qt.MouseButton.LeftButton
_CTRL = Qt.KeyboardModifier.ControlModifier
_PLAIN = Qt.KeyboardModifier.NoModifier


def the(kind: type[Widget], inside: QWidget) -> Widget:
    """The one visible widget of a kind; raises LookupError when there is not exactly one."""
    found = [widget for widget in inside.findChildren(kind) if widget.isVisible()]
    if len(found) != 1:
        raise LookupError(f"{len(found)} widgets of {kind.__name__}, wanted one")
    return found[0]


def button(words: str, inside: QWidget) -> QAbstractButton:
    """The visible button whose text or accessible name begins with these words, or with what they are in
    the language that is spoken.
    """
    said = tr(words)
    for one in inside.findChildren(QAbstractButton):
        if one.isVisible() and any(name.startswith(said) for name in (one.text(), one.accessibleName())):
            return one
    raise LookupError(f"no button says {words!r}")


def click(target: QWidget, point: QPoint | None = None, *, ctrl: bool = False) -> None:
    """Clicks in the middle of a widget or at a point of it."""
    QTest.mouseClick(target, _LEFT, _CTRL if ctrl else _PLAIN, point or target.rect().center())


def card(pane: CalendarPane, headline: str, platform: str = "") -> QPoint:
    """Where a post's card is held: near its upper left corner, on the viewport."""
    posts = (pane.model.post_at(row) for row in range(pane.model.rowCount()))
    same = (post for post in posts if post.headline == headline)
    key = next(post.key for post in same if post.platform.value.startswith(platform))
    rect = pane.grid.view.visualRect(pane.model.index(pane.model.row_of(key)))
    if rect.isEmpty():
        raise LookupError(f"the card of {headline!r} does not show")
    return rect.topLeft() + QPoint(28, 12)


def ordinal(days: int) -> int:
    """The day that is so many days from today, as the calendar counts days."""
    return now_in(ZONE).date().toordinal() + days


def day(pane: CalendarPane, days: int) -> QPoint:
    """The middle of a day on the viewport, ``days`` from today."""
    view = pane.grid.view
    return view.on_viewport(view.page.geometry.cell(ordinal(days))).center()


async def pictures(stage: Stage, pane: CalendarPane) -> None:
    """Waits for the pictures on the cards."""
    await stage.settle()
    await stage.until(lambda: pane.pictures.is_at_rest)


def choose(pane: CalendarPane, *cards: QPoint) -> None:
    """Clicks the first card and adds the others with Ctrl."""
    for number, point in enumerate(cards):
        click(pane.grid.view.viewport(), point, ctrl=number > 0)


def carry(stage: Stage, pane: CalendarPane, start: QPoint, end: QPoint) -> None:
    """Drags a card and holds still for the picture; Esc ends it without a trace."""
    pull(stage, pane.grid.view, start, end)


def pull(stage: Stage, area: QAbstractScrollArea, start: QPoint, end: QPoint) -> None:
    """Drags what is at a point in small steps, and holds still for the picture; Esc ends it."""
    port = area.viewport()
    corner = port.mapToGlobal(QPoint())  # what is dragged may move it
    _send(port, QEvent.Type.MouseButtonPress, start, corner, _LEFT)
    for step in range(1, _STEPS + 1):
        point = start + (end - start) * step / _STEPS
        _send(port, QEvent.Type.MouseMove, point, corner, Qt.MouseButton.NoButton)

    async def let_go() -> None:
        QTest.keyClick(area, Qt.Key.Key_Escape)

    stage.keep(let_go)


def _send(port: QWidget, kind: QEvent.Type, point: QPoint, corner: QPoint, pressed: Qt.MouseButton) -> None:
    """QTest's own mouse move carries no button."""
    event = QMouseEvent(kind, QPointF(point), QPointF(point + corner), pressed, _LEFT, _PLAIN)
    QApplication.sendEvent(port, event)
