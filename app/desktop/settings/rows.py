"""The parts of settings sections: cards, rows with controls, and sheets."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QLineEdit, QVBoxLayout, QWidget

from app.desktop.aio import TaskScope
from app.desktop.theme import theme
from app.desktop.widgets import (
    Button,
    Divider,
    ElidedLabel,
    Field,
    Label,
    Panel,
    Sheet,
    StateStrip,
    Switch,
    clear,
    danger,
    primary,
    scrolled,
)
from app.desktop.widgets.screen_reader import spoken_as
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr
from app.workspace.messages import Problem

INSET: Final = 16
_WIDEST: Final = 760
_GAP: Final = 12
_BAR: Final = 12
_LEAST_WORDS: Final = 160
_ANYWHERE: Final = Qt.AlignmentFlag(0)


class SettingsCard(Panel):
    """A card with a title, a caption, and rows separated by lines."""

    def __init__(self, title: str, text: str = "", *, head: QLayout | None = None) -> None:
        """``head`` replaces title and caption."""
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
        """Remove all rows."""
        clear(self._rows)

    def add(self, row: QWidget) -> None:
        """Append a row."""
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
    """The name and caption of a setting, with its controls on the right."""

    def __init__(self, title: str, text: str, *controls: QWidget) -> None:
        super().__init__()
        self.title, self.text = Label(title, "text"), Label(text, "card", "text3", wrap=True)
        if not text:
            self.text.hide()
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.title)
        words.addWidget(self.text)
        self._ends = QHBoxLayout()
        self._ends.setSpacing(8)
        for control in controls:
            self._ends.addWidget(control, 0, Qt.AlignmentFlag.AlignVCenter)
        self._row = row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        row.setContentsMargins(INSET, 10, INSET, 10)
        row.setSpacing(16 if controls else 0)
        row.addLayout(words, 1)
        row.addLayout(self._ends)
        self._switch = next((control for control in controls if isinstance(control, Switch)), None)
        if self._switch is not None:
            self._switch.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fade the name of a setting that can't be switched."""
        if event.type() == QEvent.Type.EnabledChange and self._switch is not None:
            self.title.set_tone("text" if self._switch.isEnabled() else "text3")
        return super().eventFilter(watched, event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Toggle the row's switch: the whole row is clickable."""
        is_inside = self.rect().contains(event.position().toPoint())
        if self._switch is not None and is_inside and event.button() is Qt.MouseButton.LeftButton:
            self._switch.click()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Accept the press, so that the release arrives here."""
        event.accept()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the controls below the words where both don't fit side by side."""
        super().resizeEvent(event)
        across = self._least_words() + self._ends.minimumSize().width() + 16 + 2 * INSET
        is_narrow = bool(self._ends.count()) and self.width() < across
        way = QBoxLayout.Direction
        self._row.setDirection(way.TopToBottom if is_narrow else way.LeftToRight)
        self._row.setSpacing(8 if is_narrow else 16 if self._ends.count() else 0)
        self._row.setAlignment(self._ends, Qt.AlignmentFlag.AlignLeading if is_narrow else _ANYWHERE)

    def minimumSizeHint(self) -> QSize:
        """Return the width of the wider of words and controls."""
        width = max(self._least_words(), self._ends.minimumSize().width()) + 2 * INSET
        return QSize(width, super().minimumSizeHint().height())

    def _least_words(self) -> int:
        return max(self.title.minimumSizeHint().width(), theme.current().grown(_LEAST_WORDS))

    def say(self, text: str) -> None:
        """Change the caption."""
        self.text.setText(text)
        self.text.setVisible(bool(text))


@spoken_as(QAccessible.Role.Grouping)
class Section(QWidget):
    """A page of the settings, which scrolls."""

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
        """As wide as the rows, so the list of sections moves above before a row is cut off."""
        least = super().minimumSizeHint()
        return QSize(self._holder.minimumSizeHint().width() + _BAR, least.height())

    def sizeHint(self) -> QSize:
        """As high as needed: the page scrolls, not the pane."""
        return QSize(super().sizeHint().width(), self.minimumSizeHint().height())

    def finish(self) -> None:
        """Align the content to the top."""
        self.body.addStretch(1)

    def _restyle(self) -> None:
        self._holder.setMaximumWidth(round(_WIDEST * max(1.0, theme.current().scale)))

    def came_to_view(self) -> None:
        """Update the content; called whenever the section is selected."""


_INSET: Final = 20

Work = Callable[[str], Awaitable[Callable[[], object]]]
"""Takes what was typed, and gives what is called once the sheet is closed. Raises Problem."""


class AskSheet(Sheet):
    """Asks for a line of text, and stays open until the work is done; Esc cancels it."""

    def __init__(
        self, host: QWidget, title: str, label: str, editor: QLineEdit, *, help_text: str, go: str
    ) -> None:
        super().__init__(host, title, 520, closes_beside=False)
        self.editor = editor
        self.field = Field(label, editor, help_text)
        self.strip = StateStrip()
        self.go, self.cancel = primary(go), Button(tr("Cancel"), key_hint="Esc")
        self._scope = TaskScope(self, self._refused)
        self._work: Work | None = None
        body = QVBoxLayout()
        body.setContentsMargins(_INSET, 16, _INSET, 16)
        body.setSpacing(14)
        body.addWidget(Label(title, "section"))
        body.addWidget(self.field)
        body.addWidget(self.strip)
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.cancel, self.go))
        self.cancel.clicked.connect(self.dismiss)
        self.go.clicked.connect(self._begin)
        editor.returnPressed.connect(self._begin)
        editor.textEdited.connect(lambda _text: self.field.set_error(""))

    def ask(self, work: Work) -> None:
        """Open the sheet; its button passes on the text."""
        self._work = work
        self.present(self.editor)

    def dismiss(self) -> None:
        """Close, and cancel running work."""
        self._scope.cancel()
        super().dismiss()

    def _begin(self) -> None:
        if self._work is not None and self.go.isEnabled():
            self.go.setEnabled(False)
            self.strip.say("")
            self._scope.start(self._run(self._work))

    async def _run(self, work: Work) -> None:
        go_on = await work(self.editor.text())
        super().dismiss()
        go_on()

    def _refused(self, problem: Problem) -> None:
        self.go.setEnabled(True)
        self.field.set_error(problem.text)
        self.editor.setFocus()


class ConfirmSheet(Sheet):
    """Explains an action, and asks.

    ``points`` are further sentences, one per line. ``folder`` is shown below them, elided in the middle.
    """

    confirmed = Signal()

    def __init__(
        self,
        host: QWidget,
        title: str,
        text: str,
        go: Button,
        *,
        keep: str = tr("Cancel"),
        points: Sequence[str] = (),
        folder: Path | None = None,
    ) -> None:
        super().__init__(host, title, 520)
        self.setAccessibleDescription(" ".join((text, *points, *([] if folder is None else [str(folder)]))))
        self.is_confirmed = False
        self.text = Label(text, "text", "text2", wrap=True)
        self.go, self.cancel = go, Button(keep, key_hint="Esc")
        body = QVBoxLayout()
        body.setContentsMargins(_INSET, 16, _INSET, 16)
        body.setSpacing(8)
        body.addWidget(Label(title, "section"))
        body.addWidget(self.text)
        for point in points:
            body.addWidget(_point(point))
        if folder is not None:
            body.addWidget(ElidedLabel(str(folder), "mono", "text2", elide="middle"))
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.cancel, self.go))
        self.cancel.clicked.connect(self.dismiss)
        self.go.clicked.connect(self._confirm)

    def ask(self, then: Callable[[], object]) -> None:
        """Open the sheet, with the focus on the safe button."""
        self.confirmed.connect(then)
        self.present(self.cancel)

    def _confirm(self) -> None:
        self.is_confirmed = True
        self.dismiss()
        self.confirmed.emit()


def _point(text: str) -> QWidget:
    """Return a sentence with a bullet."""
    point = QWidget()
    row = QHBoxLayout(point)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    row.addWidget(Label("•", "text", "text3"), 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(Label(text, "text", "text2", wrap=True), 1)
    return point


def removal(host: QWidget, title: str, text: str) -> ConfirmSheet:
    """Ask before removing something."""
    return ConfirmSheet(host, title, text, danger(tr("Remove"), "trash-2"), keep=tr("Keep"))
