"""What sections are made of: cards with a title, and rows with what can be chosen at their right."""

from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QLayout, QVBoxLayout, QWidget

from app.desktop.theme import theme
from app.desktop.widgets import Divider, Label, Panel, Switch, clear, scrolled

INSET: Final = 16
_WIDEST: Final = 760
_GAP: Final = 12
_BAR: Final = 12


class SettingsCard(Panel):
    """A card with a title, a quiet sentence, and rows with hairlines between them."""

    def __init__(self, title: str, text: str = "", *, head: QLayout | None = None) -> None:
        """``head``: stands in place of title and sentence."""
        super().__init__()
        self.setAccessibleName(title)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(0)
        head = head or _head(title, text)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(self._rows)

    def clear(self) -> None:
        """Take all rows away."""
        clear(self._rows)

    def add(self, row: QWidget) -> None:
        """Put a row below the others."""
        self._rows.addWidget(Divider(inner=True))
        self._rows.addWidget(row)


def _head(title: str, text: str) -> QLayout:
    head = QVBoxLayout()
    head.setContentsMargins(INSET, 12, INSET, 11)
    head.setSpacing(3)
    head.addWidget(Label(title, "strong"))
    if text:
        head.addWidget(Label(text, "card", "text2", wrap=True))
    return head


class SettingRow(QWidget):
    """What is chosen and what that means; at its right the controls."""

    def __init__(self, title: str, text: str, *controls: QWidget) -> None:
        super().__init__()
        self.title, self.text = Label(title, "text"), Label(text, "card", "text3", wrap=True)
        if not text:
            self.text.hide()
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.title)
        words.addWidget(self.text)
        row = QHBoxLayout(self)
        row.setContentsMargins(INSET, 10, INSET, 10)
        row.setSpacing(8)
        row.addLayout(words, 1)
        row.addSpacing(8)
        for control in controls:
            row.addWidget(control, 0, Qt.AlignmentFlag.AlignVCenter)
        self._switch = next((control for control in controls if isinstance(control, Switch)), None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click anywhere on the row switches its switch."""
        is_inside = self.rect().contains(event.position().toPoint())
        if self._switch is not None and is_inside and event.button() is Qt.MouseButton.LeftButton:
            self._switch.click()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the press, so that the release comes here."""
        event.accept()

    def say(self, text: str) -> None:
        """Say something else of it."""
        self.text.setText(text)
        self.text.setVisible(bool(text))


class Section(QWidget):
    """One page of the settings; it scrolls where there is little room."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._holder = QWidget()
        self.body = QVBoxLayout(self._holder)
        self.body.setContentsMargins(0, 0, 0, 16)
        self.body.setSpacing(_GAP)
        outer, inner = QVBoxLayout(self), QWidget()
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(inner))
        row = QHBoxLayout(inner)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._holder, 1)
        row.addStretch(0)
        theme.follow(self._restyle)

    def minimumSizeHint(self) -> QSize:
        """As wide as its rows, so that the names of the sections go above it before a row is cut off."""
        least = super().minimumSizeHint()
        return QSize(self._holder.minimumSizeHint().width() + _BAR, least.height())

    def sizeHint(self) -> QSize:
        """No higher than it needs: it takes what is left, and is no reason to scroll the pane."""
        return QSize(super().sizeHint().width(), self.minimumSizeHint().height())

    def finish(self) -> None:
        """Keep what was added at the top."""
        self.body.addStretch(1)

    def _restyle(self) -> None:
        self._holder.setMaximumWidth(round(_WIDEST * max(1.0, theme.current().scale)))

    def came_to_view(self) -> None:
        """Bring what shows up to date; called whenever the section is gone to."""
