"""The field for a file's alt text."""

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QFont
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.contract.limits import ALT_TEXT_MAX
from app.desktop.theme import theme
from app.desktop.widgets import Label
from app.desktop.widgets.inputs import redo_pressed
from app.language import tr

_PAUSE_MS = 800
_HEIGHT = 68


class AltText(QWidget):
    """Saves after a pause in typing, in milliseconds, and when it loses focus."""

    written = Signal(str, str)
    """The key of a file, and its words."""
    edited = Signal()

    def __init__(self, pause_ms: int = _PAUSE_MS) -> None:
        super().__init__()
        self._key = ""
        self._kept = ""
        self.editor = _Editor()
        self.note = Label("", "small", "text3", wrap=True)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(pause_ms)
        self._pause.timeout.connect(self.keep)
        self.editor.textChanged.connect(self._edited)
        self.editor.left.connect(self.keep)
        self._lay_out()

    def show_for(self, key: str, words: str) -> None:
        """Show a file's alt text, unless the user is editing it."""
        if key == self._key and self.editor.toPlainText() != self._kept:
            return
        self.keep()
        self._key, self._kept = key, words
        if self.editor.toPlainText() != words:
            self.editor.setPlainText(words)
        self._tell()

    @property
    def words(self) -> str:
        """The text as typed so far."""
        return self.editor.toPlainText()

    def keep(self) -> None:
        """Save the text, also if it's still too long for the service."""
        self._pause.stop()
        words = self.editor.toPlainText()
        if self._key and words != self._kept:
            self._kept = words
            self.written.emit(self._key, words)

    def _edited(self) -> None:
        if self.editor.toPlainText() != self._kept:
            self._pause.start()
        self._tell()
        self.edited.emit()

    def _tell(self) -> None:
        over = len(self.editor.toPlainText()) - ALT_TEXT_MAX
        self.note.setText(tr("{n} too many", n=over) if over > 0 else tr("For people using screen readers"))
        self.note.set_tone("bad" if over > 0 else "text3")

    def _lay_out(self) -> None:
        title = Label(tr("Alt text"), "card", "text2", weight=QFont.Weight.Medium)
        title.setBuddy(self.editor)
        head = QHBoxLayout()
        head.addWidget(title)
        self.note.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        head.addWidget(self.note, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.editor)
        theme.follow(self._restyle)

    def _restyle(self) -> None:
        for widget in (self.editor, self.editor.viewport()):  # which keeps its own for the placeholder
            theme.set_font(widget, theme.current().font("card"))
        self.editor.setFixedHeight(round(_HEIGHT * theme.current().scale))


class _Editor(QPlainTextEdit):
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)
        self.setAcceptDrops(False)  # a file that is dropped here is for the pane around it
        self.setAccessibleName(tr("Alt text"))
        self.setPlaceholderText(tr("Describe what it shows in a sentence"))

    def event(self, event: QEvent) -> bool:
        """Handle Ctrl+Y."""
        return redo_pressed(self, event) or super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.left.emit()
