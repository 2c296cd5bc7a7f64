"""A line above a pane's content that says what is not as it should be: offline, failed, read-only."""

from typing import Literal

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout

from app.desktop.theme import theme
from app.desktop.widgets.button import Button
from app.desktop.widgets.label import IconLabel, Label
from app.desktop.widgets.painting import rounded
from app.language import tr

StripKind = Literal["info", "warn", "bad"]

_TO_MEND = frozenset({"key_refused", "forbidden"})
"""Causes that do not pass by themselves: the person has to do something."""
_ICONS: dict[StripKind, str] = {"info": "info", "warn": "cloud-off", "bad": "triangle-alert"}


class StateStrip(QFrame):
    """Hidden while there is nothing to say; what it says is one or two sentences and, perhaps, one action."""

    acted = Signal()
    """The button was pressed."""

    def __init__(self, action: str = tr("Try again")) -> None:
        super().__init__()
        self._kind: StripKind = "info"
        self._icon, self.label = IconLabel("info"), Label("", "card", "text", wrap=True)
        self.button = Button(action, size="small")
        self.button.clicked.connect(self.acted)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(10)
        row.addWidget(self._icon)
        row.addWidget(self.label, 1)
        row.addWidget(self.button)
        self.hide()

    def text(self) -> str:
        """What it says."""
        return self.label.text()

    def kind(self) -> StripKind:
        """How it says it."""
        return self._kind

    def set_action(self, action: str) -> None:
        """Change the label of the button."""
        self.button.setText(action)
        self.button.updateGeometry()

    def say_problem(self, text: str, cause: str) -> None:
        """Say what could not be done, and offer the action; ``cause`` is the kind of the problem."""
        self.say(text, "bad" if cause in _TO_MEND else "warn")

    def say(self, text: str, kind: StripKind = "warn", *, can_act: bool = True) -> None:
        """Say this; "" for nothing."""
        self._kind = kind
        self.label.setText(text)
        self.setAccessibleName(text)
        self._icon.set_icon(_ICONS[kind], "text3" if kind == "info" else kind)
        self.button.setVisible(can_act)
        self.setVisible(bool(text))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        fill = "sunken" if self._kind == "info" else f"{self._kind}_soft"
        rounded(QPainter(self), QRectF(self.rect()), theme.current().metrics.radius, fill=fill)
