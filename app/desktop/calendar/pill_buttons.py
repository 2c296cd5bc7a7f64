"""The pills as buttons: Tab reaches them, and screen readers find them.

The buttons lie below the view, which paints the pills and takes what is done to them with the mouse: above it
they would keep Qt from moving its pixels when it scrolls.
"""

from datetime import date

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.desktop import words
from app.desktop.calendar.pills import EdgePills, Pill

_REST_MS = 100
"""So long the days stand still before the buttons follow: each of them costs a little to move."""
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}
_PRESSES = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class PillButtons(QObject):
    """One button for each pill of a view; Tab reaches the first, arrows the others."""

    def __init__(self, view: QWidget, pills: EdgePills) -> None:
        super().__init__(view)
        self._view = view
        self._pills = pills
        self.all: list[PillButton] = []
        """As many as were ever needed at a time; the first ones show."""
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._follow)
        pills.changed.connect(self._rest.start)

    def last(self) -> QWidget:
        """Where Tab goes on from: the last button, or the view."""
        return self.all[-1] if self.all else self._view

    def step(self, button: "PillButton", by: int) -> None:
        """Gives the focus to the next pill or the one before."""
        place = self.all.index(button) + by
        if 0 <= place < len(self._pills.shown):
            self.all[place].setFocus(Qt.FocusReason.TabFocusReason)

    def press(self, button: "PillButton") -> None:
        """Goes where its pill leads to."""
        self._pills.go_to(self._pills.shown[self.all.index(button)])

    def pass_on(self, event: QKeyEvent) -> None:
        """Lets the days have a key."""
        QCoreApplication.sendEvent(self._view, event)

    def show_focus(self, button: "PillButton | None") -> None:
        """Paints the ring around the pill of a button, or none."""
        shown = self._pills.shown
        place = self.all.index(button) if button is not None else len(shown)
        self._pills.focus(shown[place] if place < len(shown) else None)

    def _follow(self) -> None:
        shown = self._pills.shown
        while len(self.all) < len(shown):
            self._add()
        for number, button in enumerate(self.all):
            if number < len(shown):
                button.show_pill(shown[number], self._view)
            elif button.isVisible():
                if button.hasFocus():
                    self._view.setFocus()
                button.hide()
        focused = next((button for button in self.all if button.hasFocus()), None)
        self.show_focus(focused)

    def _add(self) -> None:
        button = PillButton(self, self._view)
        QWidget.setTabOrder(self.last(), button)
        # Tab stops at the first only; the others can have the focus all the same.
        policy = Qt.FocusPolicy.ClickFocus if self.all else Qt.FocusPolicy.TabFocus
        button.setFocusPolicy(policy)
        self.all.append(button)


class PillButton(QAbstractButton):
    """Lies where a pill is painted, below the view."""

    def __init__(self, group: PillButtons, view: QWidget) -> None:
        super().__init__(view.parentWidget())
        self._group = group
        self.clicked.connect(lambda: group.press(self))
        self.lower()

    def show_pill(self, pill: Pill, view: QWidget) -> None:
        """Stands for a pill of a view."""
        day = date.fromordinal(pill.day)
        self.setAccessibleName(f"{pill.whole}, {words.day_long(day)}")
        self.setGeometry(pill.place.translated(view.pos()))
        self.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows lead to other pills, Enter and Space where the pill leads to; the rest is for the days."""
        step = _STEPS.get(Qt.Key(event.key()))
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self._group.pass_on(event)
        elif step is not None:
            self._group.step(self, step)
        elif event.key() in _PRESSES:
            self.click()
        else:
            self._group.pass_on(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._group.show_focus(self)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._group.show_focus(None)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Nothing: the view does."""
