"""Buttons for pills and free slots: for Tab, arrow keys and screen readers.

The buttons lie below the view, which paints the pills and slots and handles their mouse events. Above it,
they would keep Qt from moving the view's pixels when it scrolls; docs/architecture.md has the figures.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import date
from typing import Generic, NamedTuple, TypeVar

from PySide6.QtCore import QCoreApplication, QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QFocusEvent, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.desktop import words
from app.desktop.calendar.cards import FindAccount
from app.desktop.calendar.page_view import PageView
from app.desktop.calendar.pills import EdgePills, Pill, PillKey
from app.desktop.calendar.placement import Box, FreeSlot
from app.language import tr

_REST_MS = 100
"""Delay after scrolling before the buttons follow, in ms, because moving each of them has a cost."""
_FARTHEST_DAYS = 35
"""Number of days searched for the next slot."""
_LEFT, _UP, _RIGHT, _DOWN = Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Right, Qt.Key.Key_Down
_PRESSES = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)

K = TypeVar("K", bound=Hashable)


class Stop(NamedTuple, Generic[K]):
    """Something painted in the view that needs a button: its rectangle on the viewport, and its name."""

    key: K
    place: QRect
    name: str
    hint: str = ""


class PaintedButtons(QObject, Generic[K]):
    """One button for each stop. Tab reaches the first one, or the last focused one; arrow keys the others."""

    def __init__(self, view: PageView, previous: Callable[[], QWidget]) -> None:
        """``previous`` returns the widget before these in the tab order."""
        super().__init__(view)
        self.shown: dict[K, PaintedButton[K]] = {}
        """The visible buttons, by the key of their stop."""
        self._view = view
        self._previous = previous
        self._made: list[PaintedButton[K]] = []
        """As many as were ever needed at a time, in the order of Tab."""
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self.follow)

    def last(self) -> QWidget:
        """Return the widget before the next tab stop: the last button, or the one before all of them."""
        return self._made[-1] if self._made else self._previous()

    def press(self, key: K) -> None:
        """Act like a click at the place."""
        raise NotImplementedError

    def walk(self, key: K, pressed: Qt.Key) -> bool:
        """Focus the place that an arrow key leads to; return False for any other key."""
        raise NotImplementedError

    def mark(self, key: K | None) -> None:
        """Paint the focus ring around a place, or none."""
        raise NotImplementedError

    def _stops(self) -> Sequence[Stop[K]]:
        """Return everything that needs a button now."""
        raise NotImplementedError

    def follow(self) -> None:
        """Make a button for each stop. If the focused one is gone, focus the days."""
        stops = self._stops()
        gone = [self.shown[key] for key in self.shown.keys() - {stop.key for stop in stops}]
        free = [button for button in self._made if button not in self.shown.values()]
        before, self.shown = self.shown, {}
        for stop in stops:
            button = before.get(stop.key) or (free.pop(0) if free else self._make())
            self.shown[stop.key] = button
            button.stand_for(stop, self._view)
        if any(button.hasFocus() for button in gone):
            self._view.setFocus()
        for button in gone:
            button.hide()
        self._let_tab_stop_at(self._focused() or next(iter(self.shown.values()), None))

    def focus(self, key: K) -> None:
        """Focus a stop's button."""
        if (button := self.shown.get(key)) is not None:
            button.setFocus(Qt.FocusReason.TabFocusReason)

    def _focused(self) -> "PaintedButton[K] | None":
        return next((button for button in self.shown.values() if button.hasFocus()), None)

    def _let_tab_stop_at(self, chosen: "PaintedButton[K] | None") -> None:
        """Let Tab stop at one of them; the others can still be focused."""
        for button in self._made:
            is_stop = button is chosen
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus if is_stop else Qt.FocusPolicy.ClickFocus)

    def _make(self) -> "PaintedButton[K]":
        button = PaintedButton(self, self._view)
        QWidget.setTabOrder(self.last(), button)
        self._made.append(button)
        return button


class PaintedButton(QAbstractButton, Generic[K]):
    """A button below the view, at the place of something painted."""

    def __init__(self, group: PaintedButtons[K], view: PageView) -> None:
        super().__init__(view.parentWidget())
        self._group, self._view = group, view
        self._key: K | None = None
        self.clicked.connect(self._press)
        self.lower()

    def stand_for(self, stop: Stop[K], view: PageView) -> None:
        """Take the place of something that the view paints."""
        self._key = stop.key
        self.setAccessibleName(stop.name)
        self.setAccessibleDescription(stop.hint)
        self.setGeometry(stop.place.translated(view.pos()))
        self.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle arrow keys, Enter and Space; pass all other keys to the days."""
        key, is_plain = Qt.Key(event.key()), not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if is_plain and key in _PRESSES:
            self.click()
        elif not (is_plain and self._key is not None and self._group.walk(self._key, key)):
            QCoreApplication.sendEvent(self._view, event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._group.mark(self._key)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._group.mark(None)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Do nothing: the view paints it."""

    def _press(self) -> None:
        if self._key is not None:
            self._group.press(self._key)


class PillButtons(PaintedButtons[PillKey]):
    """The buttons of the pills at the edges of the hours."""

    def __init__(self, view: PageView, pills: EdgePills) -> None:
        super().__init__(view, lambda: view)
        self._pills = pills
        pills.changed.connect(self._rest.start)

    def press(self, key: PillKey) -> None:
        """Scroll to where the pill leads."""
        if (pill := self._pill(key)) is not None:
            self._pills.go_to(pill)

    def walk(self, key: PillKey, pressed: Qt.Key) -> bool:
        """Let every arrow key go to the next or the previous pill."""
        step = {_LEFT: -1, _UP: -1, _RIGHT: 1, _DOWN: 1}.get(pressed)
        if step is not None:
            keys = list(self.shown)
            place = keys.index(key) + step
            if 0 <= place < len(keys):
                self.focus(keys[place])
        return step is not None

    def mark(self, key: PillKey | None) -> None:
        self._pills.focus(self._pill(key))

    def follow(self) -> None:
        """Also move the focus ring, because a pill keeps the focus while it moves."""
        super().follow()
        self.mark(next((key for key, button in self.shown.items() if button.hasFocus()), None))

    def _stops(self) -> list[Stop[PillKey]]:
        return [
            Stop(pill.key, pill.place, f"{pill.whole}, {words.day_long(date.fromordinal(pill.day))}")
            for pill in self._pills.shown
        ]

    def _pill(self, key: PillKey | None) -> Pill | None:
        return next((pill for pill in self._pills.shown if pill.key == key), None)


class SlotButtons(PaintedButtons[FreeSlot]):
    """The buttons of the visible slots; only one without a screen reader, until it's focused."""

    opened = Signal(object)
    """A FreeSlot that was pressed."""
    walked = Signal(int)
    """The day of the slot to be focused, before it's scrolled into view."""

    def __init__(
        self,
        view: PageView,
        find_account: FindAccount,
        show_ring: Callable[[Box | None], None],
        previous: Callable[[], QWidget],
    ) -> None:
        """``show_ring`` paints the focus ring around a rectangle of the canvas, or none."""
        super().__init__(view, previous)
        self._find_account = find_account
        self._show_ring = show_ring
        self._days: tuple[int, ...] = ()
        self._places: dict[FreeSlot, tuple[int, Box]] = {}
        """The day of each slot that has a button, and its rectangle on the canvas."""

    def show_for(self, days: Iterable[int]) -> None:
        """Update the slots for these days, with a short delay."""
        self._days = tuple(days)
        self._rest.start()

    def press(self, key: FreeSlot) -> None:
        """Start a post in its slot."""
        self.opened.emit(key)

    def walk(self, key: FreeSlot, pressed: Qt.Key) -> bool:
        """Go to the next slot in time (Up, Down), or to the nearest one of the next day (Left, Right)."""
        day, _ = self._places[key]
        if pressed in (_UP, _DOWN):
            self._go_to(self._next(day, key, 1 if pressed == _DOWN else -1))
        elif pressed in (_LEFT, _RIGHT):
            self._go_to(self._next_day(day, key, 1 if pressed == _RIGHT else -1))
        else:
            return False
        return True

    def mark(self, key: FreeSlot | None) -> None:
        """Paint the ring, scroll to the slot, and let Tab return to it."""
        box = self._places[key][1] if key is not None else None
        self._show_ring(box)
        if key is not None and box is not None:
            self._view.ensure_visible(box)
            self._let_tab_stop_at(self.shown[key])
            self._rest.start()

    def _next(self, day: int, slot: FreeSlot, by: int) -> tuple[int, Box, FreeSlot] | None:
        for there in range(day, day + by * _FARTHEST_DAYS, by):
            found = [one for one in self._view.page.slots_on(there) if (one[1].at - slot.at) * by > 0]
            if found:
                return there, *min(found, key=lambda one: one[1].at * by)
        return None

    def _next_day(self, day: int, slot: FreeSlot, by: int) -> tuple[int, Box, FreeSlot] | None:
        """Return the slot of the next day with any that is nearest in time of day."""
        for there in range(day + by, day + by * (_FARTHEST_DAYS + 1), by):
            if found := self._view.page.slots_on(there):
                return there, *min(found, key=lambda one: abs(one[1].minute - slot.minute))
        return None

    def _go_to(self, place: tuple[int, Box, FreeSlot] | None) -> None:
        if place is None:
            return
        day, box, slot = place
        self.walked.emit(day)
        self._view.ensure_visible(box)
        self.follow()
        self.focus(slot)

    def _stops(self) -> list[Stop[FreeSlot]]:
        """Return the visible slots, sorted by time; if there are none, the first one of the visible days."""
        page, shown = self._view.page, self._view.visible
        every = [(day, box, slot) for day in self._days for box, slot in page.slots_on(day)]
        every.sort(key=lambda one: one[2].at)
        wanted = [one for one in every if one[1].intersects(shown)] or every[:1]
        if not (self._focused() or QAccessible.isActive()):
            del wanted[1:]
        self._places = {slot: (day, box) for day, box, slot in wanted}
        hint = tr("Press Enter to start a post there")
        on_viewport = self._view.on_viewport
        return [Stop(slot, on_viewport(box), self._name(day, slot), hint) for day, box, slot in wanted]

    def _name(self, day: int, slot: FreeSlot) -> str:
        accounts = [account for key in slot.account_keys if (account := self._find_account(key))]
        whose = [
            tr("{account} on {platform}", account=one.name, platform=words.platform_name(one.platform.value))
            for one in accounts
        ]
        when = words.day_long(date.fromordinal(day))
        clock = self._view.page.days.clock(slot.at)
        return tr(
            "Free posting time, {day} {time}, {accounts}", day=when, time=clock, accounts=words.joined(whose)
        )
