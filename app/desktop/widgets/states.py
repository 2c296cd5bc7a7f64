"""What a pane shows instead of content, or above it: empty, failed, loading, offline, read-only."""

from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.desktop.theme import theme
from app.desktop.theme.theme import grow
from app.desktop.widgets.button import Button, Kind
from app.desktop.widgets.label import IconLabel, Label
from app.desktop.widgets.painting import rounded
from app.language import tr

_MIDDLE = Qt.AlignmentFlag.AlignHCenter


class EmptyState(QWidget):
    """An icon, one sentence and one action in the middle of a pane; also for a pane that failed to load.

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


class Skeleton(QWidget):
    """Quiet bars in place of lines of text that are loading; nothing shows in the first 150 ms.

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
