"""The regions of the window: F6 cycles through them, panes scroll, and the side panel slides in."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, runtime_checkable
from weakref import WeakKeyDictionary

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QLayout, QScrollArea, QStackedWidget, QStyle, QWidget
from shiboken6 import isValid

from app.desktop import motion
from app.desktop.motion import tokens
from app.desktop.shell.messages import MessageArea
from app.desktop.shell.rail import Rail
from app.desktop.widgets.focus import enter, tab_stops

_REASON = Qt.FocusReason.ShortcutFocusReason
_STRIP = 48
"""Width below which nothing of a pane can be used, in px."""


@runtime_checkable
class Divided(Protocol):
    """A pane with several regions."""

    def regions(self) -> Sequence[QWidget]:
        """Return the regions in their order on the screen."""
        ...


class Regions:
    """The sidebar, the pane's regions, the side panel, messages and the status line.

    The focus returns to the last focused control of a region, or its first one. A new message comes first.
    """

    def __init__(self, rail: Rail, messages: MessageArea, status: QWidget) -> None:
        self._rail, self._messages, self._status = rail, messages, status
        self._last: WeakKeyDictionary[QWidget, QWidget] = WeakKeyDictionary()

    def go(self, step: int, pane: QWidget | None, side: QWidget | None) -> None:
        """Focus the next region (1) or the previous one (-1).

        Args:
            step: The direction.
            pane: The current pane, if any.
            side: The side panel, if any.
        """
        regions = self._regions(pane, side)
        focused = QApplication.focusWidget()
        at = next((place for place, one in enumerate(regions) if _is_in(one, focused)), None)
        if at is not None and focused is not None:
            self._last[regions[at]] = focused
        if step > 0 and self._messages.has_news:
            self._messages.focus_newest()
        elif at is None:
            self._enter(regions[0 if step > 0 else -1])
        else:
            self._enter(regions[(at + step) % len(regions)])

    def _regions(self, pane: QWidget | None, side: QWidget | None) -> list[QWidget]:
        panes = [] if pane is None else pane.regions() if isinstance(pane, Divided) else [pane]
        sides = [] if side is None else [side]
        regions = (self._rail, *panes, *sides, self._messages, self._status)
        return [one for one in regions if one.isVisible() and (one is self._status or _first_stop(one))]

    def _enter(self, region: QWidget) -> None:
        last = self._last.get(region)
        if region is self._messages:
            self._messages.focus_newest()
        elif last is not None and isValid(last) and last.isVisible() and last.isEnabled():
            last.setFocus(_REASON)
        elif region is self._rail:
            self._rail.focus_selected()
        else:
            (_first_stop(region) or region).setFocus(_REASON)


def _first_stop(region: QWidget) -> QWidget | None:
    return next(tab_stops(region), None)


def _is_in(region: QWidget, focused: QWidget | None) -> bool:
    return focused is not None and (region is focused or region.isAncestorOf(focused))


class _Stack(QStackedWidget):
    """A stack sized for the current pane only."""

    def minimumSizeHint(self) -> QSize:
        shown = self.currentWidget()
        return QSize() if shown is None else shown.minimumSizeHint().expandedTo(shown.minimumSize())


class _Ground(QWidget):
    """What `PaneArea` scrolls: as high as the current pane needs at least.

    A scroll area takes the usual height of a widget whose lines wrap. A pane that scrolls by itself then
    has a second scroll bar next to its own.
    """

    def __init__(self, stack: QStackedWidget) -> None:
        super().__init__()
        self._stack = stack
        stack.setParent(self)
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def minimumSizeHint(self) -> QSize:
        return self._stack.minimumSizeHint()

    def sizeHint(self) -> QSize:
        return self._stack.sizeHint()

    def heightForWidth(self, width: int) -> int:
        pane = self._stack.currentWidget()
        layout = None if pane is None else pane.layout()
        wrapped = layout.minimumHeightForWidth(width) if layout and layout.hasHeightForWidth() else 0
        return max(wrapped, self.minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Pass a changed minimum of the pane on to the scroll area."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._stack.resize(event.size())
        super().resizeEvent(event)


class PaneArea(QScrollArea):
    """Shows the current pane of ``stack``."""

    def __init__(self) -> None:
        super().__init__()
        self.stack = _Stack()
        self.stack.setProperty("ground", "bg")
        self.stack.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setWidget(_Ground(self.stack))

    def minimumSizeHint(self) -> QSize:
        return QSize()

    def sizeHint(self) -> QSize:
        return self.stack.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show no scroll bars while a panel leaves only a strip."""
        policy = Qt.ScrollBarPolicy
        wanted = policy.ScrollBarAlwaysOff if event.size().width() < _STRIP else policy.ScrollBarAsNeeded
        self.setHorizontalScrollBarPolicy(wanted)
        self.setVerticalScrollBarPolicy(wanted)
        super().resizeEvent(event)

    def keep_free(self, height: int) -> None:
        """Reserve space below the panes, in logical pixels."""
        self.setViewportMargins(0, 0, 0, height)

    def add(self, pane: QWidget) -> None:
        """Add a pane."""
        self.stack.addWidget(pane)

    def show_pane(self, pane: QWidget) -> None:
        """Show a pane and focus it.

        It's focused before the previous one is hidden: Qt moves the focus of a hidden widget to the next
        control of the window, and a screen reader would announce that as well.
        """
        before = self.stack.currentWidget()
        if before is not None and before is not pane:
            pane.setGeometry(before.geometry())
            pane.raise_()
            pane.show()
        enter(pane)
        self.stack.setCurrentWidget(pane)
        self.stack.updateGeometry()


@contextmanager
def sliding_in(host: QWidget, row: QLayout, panel: QWidget) -> Iterator[None]:
    """Slide in the panel that this block appends to a row of ``host``."""
    area = _edge(host, row, panel.minimumWidth())
    ground = host.grab(area) if motion.answers() and host.isVisible() else None
    yield
    if ground is None:
        return
    _lay_out(host)
    if _place(host, panel) == area:
        motion.slide(host, area, tokens.PANEL, ground, motion.picture_of(panel), _shift(host))


@contextmanager
def sliding_out(host: QWidget, panel: QWidget) -> Iterator[None]:
    """Slide out the panel that this block removes from ``host``."""
    area = _place(host, panel)
    piece = motion.picture_of(panel) if motion.answers() and panel.isVisible() else None
    yield
    if piece is None:
        return
    _lay_out(host)
    motion.slide(host, area, tokens.PANEL, host.grab(area), piece, _shift(host), leaves=True)


def _lay_out(host: QWidget) -> None:
    """Lay out now instead of with the next event, so that the snapshots show the final state."""
    if (layout := host.layout()) is not None:
        layout.activate()


def _edge(host: QWidget, row: QLayout, width: int) -> QRect:
    whole = row.geometry()
    end = QRect(whole.right() + 1 - width, whole.y(), width, whole.height())
    return QStyle.visualRect(host.layoutDirection(), whole, end)


def _place(host: QWidget, panel: QWidget) -> QRect:
    return QRect(panel.mapTo(host, QPoint()), panel.size())


def _shift(host: QWidget) -> QPoint:
    return QPoint(-tokens.PANEL_PX if host.isRightToLeft() else tokens.PANEL_PX, 0)
