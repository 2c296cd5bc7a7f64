"""A message to the person as a strip: what happened, and one thing to do about it."""

from typing import Literal

from PySide6.QtCore import QRectF, Qt, Signal, SignalInstance
from PySide6.QtGui import QAccessible, QFont, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QGridLayout, QHBoxLayout, QWidget

from app.desktop.theme import theme
from app.desktop.widgets.button import Button, IconButton
from app.desktop.widgets.label import IconLabel, Label
from app.desktop.widgets.painting import rounded
from app.desktop.widgets.roles import spoken_as
from app.language import tr

_LEAST_WORDS = 140
"""The width that the words keep at least beside the buttons, with what is around them."""

MessageKind = Literal["info", "warning", "error"]

_LOOKS = {
    "info": ("info", "accent", "accent_soft"),
    "warning": ("triangle-alert", "warn", "warn_soft"),
    "error": ("circle-alert", "bad", "bad_soft"),
}


@spoken_as(QAccessible.Role.Notification)
class MessageStrip(QFrame):
    """One message; `fold` counts the same message again instead of showing it twice.

    Args:
        kind: "info", "warning" or "error".
        text: one or two short sentences.
        details: more, behind a toggle, such as the platform's own words; "" for none.
        action: the label of the first button, or "" for none.
        other: the label of a second one, or "" for none.
        closable: whether it has a close button.
        dismiss: the words of the close button, or "" for a cross.
        parent: the owner.
    """

    acted = Signal()
    """The action's button was pressed."""
    other_acted = Signal()
    """The other button was pressed."""
    dismissed = Signal()
    """The close button was pressed."""

    def __init__(
        self,
        kind: MessageKind,
        text: str,
        details: str = "",
        action: str = "",
        other: str = "",
        *,
        closable: bool = True,
        dismiss: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        icon, color, self._fill = _LOOKS[kind]
        self._times = 1
        self.setAccessibleName(text)
        self._text = Label(text, "card", "text", wrap=True)
        self._count = Label("", "card", color, weight=QFont.Weight.DemiBold)
        self._action: Button | None = None
        self._details = Label(details, "small", "text2", wrap=True)
        self._details.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._details.hide()
        self._count.hide()
        self._side, self._is_narrow = self._buttons(details, action, other, dismiss, closable=closable), False
        grid = self._grid = QGridLayout(self)
        grid.setContentsMargins(12, 8, 8, 8)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        grid.addWidget(IconLabel(icon, color), 0, 0)
        grid.addWidget(self._text, 0, 1)
        grid.addWidget(self._side, 0, 2)
        grid.addWidget(self._details, 1, 1)

    def count(self) -> int:
        """Return how often this message was said."""
        return self._times

    def fold(self) -> None:
        """Count the same message once more and show how often it was said."""
        self._times += 1
        self._count.setText(f"\u00d7{self._times}")
        self._count.show()

    def ways(self) -> list[QAbstractButton]:
        """What can be done about it: the action first, then what else there is."""
        buttons: list[QAbstractButton] = self.findChildren(QAbstractButton)
        return sorted(buttons, key=lambda button: button is not self._action)

    def paintEvent(self, _event: QPaintEvent) -> None:
        rounded(QPainter(self), QRectF(self.rect()), theme.current().metrics.radius, fill=self._fill)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Puts the buttons below the words where they would leave them next to no room."""
        super().resizeEvent(event)
        beside = self._side.sizeHint().width() + theme.current().grown(_LEAST_WORDS)
        if (beside > self.width()) != self._is_narrow:
            self._is_narrow = not self._is_narrow
            self._grid.removeWidget(self._side)
            if self._is_narrow:
                self._grid.addWidget(self._side, 2, 1, Qt.AlignmentFlag.AlignLeading)
            else:
                self._grid.addWidget(self._side, 0, 2)

    def _buttons(self, details: str, action: str, other: str, dismiss: str, *, closable: bool) -> QWidget:
        side = QWidget()
        row = QHBoxLayout(side)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self._count)
        if details:
            toggle = Button(tr("Details"), "quiet", size="small")
            toggle.setCheckable(True)
            toggle.setAccessibleDescription(self.accessibleName())
            toggle.toggled.connect(self._details.setVisible)
            row.addWidget(toggle)
        if action:
            self._action = self._button(action, self.acted)
            row.addWidget(self._action)
        if other:
            row.addWidget(self._button(other, self.other_acted))
        if closable and dismiss:
            row.addWidget(self._button(dismiss, self.dismissed))
        elif closable:
            close = IconButton("x", tr("Dismiss"), size="small")
            close.setAccessibleDescription(self.accessibleName())
            close.clicked.connect(self.dismissed)
            row.addWidget(close)
        return side

    def _button(self, label: str, pressed: SignalInstance) -> Button:
        button = Button(label, size="small")
        button.setAccessibleDescription(self.accessibleName())
        button.clicked.connect(pressed)
        return button
