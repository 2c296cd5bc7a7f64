"""The states of a pane: empty, failed, loading, offline; and messages above its content."""

from collections import deque
from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QAccessible, QFont, QHideEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.desktop.theme import theme
from app.desktop.theme.theme import grow
from app.desktop.widgets.button import Button, IconButton, Kind
from app.desktop.widgets.label import IconLabel, Label
from app.desktop.widgets.painting import insets, rounded
from app.desktop.widgets.screen_reader import rename, spoken_as
from app.language import tr

_MIDDLE = Qt.AlignmentFlag.AlignHCenter


class EmptyState(QWidget):
    """An icon, a sentence and an action in the middle of a pane; also for a pane that failed to load.

    Args:
        icon: name of an icon.
        text: one sentence.
        action: the label of the button, or "" for none.
        kind: of the button.
        parent: the owner.
    """

    acted = Signal()
    """The button was pressed."""

    def __init__(
        self,
        icon: str,
        text: str,
        action: str = "",
        *,
        kind: Kind = "secondary",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.has_action = bool(action)
        self._label = Label(text, "text", "text2", wrap=True)
        self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        grow(self._label, QWidget.setFixedWidth, 340, 440)  # beside a panel there is no room for more
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addStretch(1)
        self._icon = IconLabel(icon, "text3", 28)
        column.addWidget(self._icon, 0, _MIDDLE)
        column.addWidget(self._label, 0, _MIDDLE)
        self._button = Button(action, kind)
        self._button.clicked.connect(self.acted)
        if action:
            column.addWidget(self._button, 0, _MIDDLE)
            self.setFocusProxy(self._button)
        column.addStretch(1)
        self.set_text(text)

    def text(self) -> str:
        """Return the sentence."""
        return self._label.text()

    def set_text(self, text: str) -> None:
        """Change the sentence."""
        self._label.setText(text)
        self._button.setAccessibleDescription(text)

    def set_action(self, action: str, icon: str) -> None:
        """Change the label of the button, and the icon; without a label, the button is hidden."""
        self._icon.set_icon(icon)
        self.has_action = bool(action)
        # Tab would stop at a hidden one. PySide's types don't know that None is allowed.
        self.setFocusProxy(self._button if action else None)  # type: ignore[arg-type]
        self._button.setText(action)
        self._button.setVisible(bool(action))
        self._button.updateGeometry()


@spoken_as(QAccessible.Role.StaticText)
class Skeleton(QWidget):
    """Placeholder bars for text that is loading; invisible for the first 150 ms.

    Args:
        lines: how many.
        parent: the owner.
    """

    def __init__(self, lines: int = 3, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines = lines
        self._ripe = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(theme.current().metrics.skeleton_delay)
        self._timer.timeout.connect(self._ripen)
        self.setAccessibleName(tr("Loading"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def is_ripe(self) -> bool:
        """Return whether the delay is over and the bars show."""
        return self._ripe

    def sizeHint(self) -> QSize:
        return QSize(240, 24 * self._lines)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()
        self._ripe = False

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self._ripe:
            return
        painter = QPainter(self)
        for line in range(self._lines):
            share = 0.6 if line == self._lines - 1 else 1.0
            bar = QRectF(0, 24 * line + 7, self.width() * share, 10)
            rounded(painter, bar, 5, fill="line2")

    def _ripen(self) -> None:
        self._ripe = True
        self.update()


StripKind = Literal["info", "warn", "bad"]

_TO_MEND = frozenset({"key_refused", "forbidden"})
"""Causes that do not pass by themselves: the person has to do something."""
_ICONS: dict[StripKind, str] = {"info": "info", "warn": "cloud-off", "bad": "triangle-alert"}


class StateStrip(QFrame):
    """A strip with one or two sentences and at most one action; hidden without a text."""

    acted = Signal()
    """The button was pressed."""

    def __init__(self, action: str = tr("Try again")) -> None:
        super().__init__()
        self._kind: StripKind = "info"
        self._icon, self.label = IconLabel("info"), Label("", "card", "text", wrap=True)
        self.button = Button(action, size="small")
        self.button.clicked.connect(self.acted)
        row = QHBoxLayout(self)
        row.setContentsMargins(insets(12, 6, 8, 6))
        row.setSpacing(10)
        row.addWidget(self._icon)
        row.addWidget(self.label, 1)
        row.addWidget(self.button)
        self.hide()

    def text(self) -> str:
        """The text."""
        return self.label.text()

    def kind(self) -> StripKind:
        """The kind of message."""
        return self._kind

    def set_action(self, action: str) -> None:
        """Change the label of the button."""
        self.button.setText(action)
        self.button.updateGeometry()

    def say_problem(self, text: str, cause: str) -> None:
        """Show what failed, and offer the action; ``cause`` is the kind of problem."""
        self.say(text, "bad" if cause in _TO_MEND else "warn")

    def say(self, text: str, kind: StripKind = "warn", *, can_act: bool = True) -> None:
        """Show a text; "" hides the strip."""
        self._kind = kind
        self.label.setText(text)
        rename(self, text)
        self._icon.set_icon(_ICONS[kind], "text3" if kind == "info" else kind)
        self.button.setVisible(can_act)
        self.setVisible(bool(text))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        fill = "sunken" if self._kind == "info" else f"{self._kind}_soft"
        rounded(QPainter(self), QRectF(self.rect()), theme.current().metrics.radius, fill=fill)


_DETAILS_MOST = 20
"""How many repeats of a message show their details, the newest ones."""
_LEAST_WORDS = 140
"""The width that the words keep at least beside the buttons, with what is around them."""

MessageKind = Literal["info", "warning", "error"]

_LOOKS = {
    "info": ("info", "accent", "accent_soft"),
    "warning": ("triangle-alert", "warn", "warn_soft"),
    "error": ("circle-alert", "bad", "bad_soft"),
}


def _message_words(text: str) -> QVBoxLayout:
    """Return a message's lines, of several the first one as their title."""
    title, _, rest = text.partition("\n")
    column = QVBoxLayout()
    column.setSpacing(2)
    column.addWidget(Label(title, "card", wrap=True, weight=QFont.Weight.DemiBold if rest else None))
    if rest:
        column.addWidget(Label(rest, "card", "text2", wrap=True))
    return column


@spoken_as(QAccessible.Role.Notification)
class MessageStrip(QFrame):
    """A message; `fold` counts repeats instead of showing them again.

    Args:
        kind: "info", "warning" or "error".
        text: one or two short sentences. If it has more lines, the first one is the title.
        details: more, behind a toggle, such as the platform's own message; "" for none.
        action: the label of the first button, or "" for none.
        other: the label of a second one, or "" for none.
        closable: whether it has a close button.
        dismiss: the label of the close button, or "" for an icon.
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
        self._told = deque([details] if details else (), _DETAILS_MOST)
        self.setAccessibleName(text)
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
        grid.setContentsMargins(insets(12, 8, 8, 8))
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        grid.addWidget(IconLabel(icon, color), 0, 0)
        grid.addLayout(_message_words(text), 0, 1)
        grid.addWidget(self._side, 0, 2)
        grid.addWidget(self._details, 1, 1)

    def count(self) -> int:
        """Return how often this message was shown."""
        return self._times

    def fold(self, details: str = "") -> None:
        """Count a repeat of the message, and show the number. Other details are added."""
        self._times += 1
        if details and details not in self._told:
            self._told.append(details)
            self._details.setText("\n".join(self._told))
        self._count.setText(f"\u00d7{self._times}")
        self._count.show()

    def ways(self) -> list[QAbstractButton]:
        """The actions, the main one first."""
        buttons: list[QAbstractButton] = self.findChildren(QAbstractButton)
        return sorted(buttons, key=lambda button: button is not self._action)

    def paintEvent(self, _event: QPaintEvent) -> None:
        rounded(QPainter(self), QRectF(self.rect()), theme.current().metrics.radius, fill=self._fill)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the buttons below the text if they would leave too little space for it."""
        super().resizeEvent(event)
        beside = self._side.sizeHint().width() + theme.current().grown(_LEAST_WORDS)
        if (beside > self.width()) != self._is_narrow:
            self._is_narrow = not self._is_narrow
            self._grid.removeWidget(self._side)
            if self._is_narrow:
                self._grid.addWidget(self._side, 2, 0, 1, 3, Qt.AlignmentFlag.AlignLeading)
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
