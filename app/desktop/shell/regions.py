"""F6: the parts of the window, one after the other."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable
from weakref import WeakKeyDictionary

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from app.desktop.shell.messages import MessageArea
from app.desktop.shell.rail import Rail
from app.desktop.widgets.focus import tab_stops

_REASON = Qt.FocusReason.ShortcutFocusReason


@runtime_checkable
class Divided(Protocol):
    """A pane with several regions."""

    def regions(self) -> Sequence[QWidget]:
        """Return the regions, as they are on the screen."""
        ...


class Regions:
    """The sidebar, those of the pane, the side panel, messages and the status line.

    Each gets the focus where it was last, or at its first control. A new message comes first.
    """

    def __init__(self, rail: Rail, messages: MessageArea, status: QWidget) -> None:
        self._rail, self._messages, self._status = rail, messages, status
        self._last: WeakKeyDictionary[QWidget, QWidget] = WeakKeyDictionary()

    def go(self, step: int, pane: QWidget | None, side: QWidget | None) -> None:
        """Focus the next region (1) or the one before (-1).

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
