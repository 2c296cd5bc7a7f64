"""The offer of practice accounts."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.widgets import CheckBox, Label, PracticeTag
from app.language import tr

_TITLE = tr("Try with practice accounts")
_FIRST_LINE = tr("Adds two stand-in accounts, marked {tag} wherever they appear. You can plan")
"""With the sign of practice accounts in it; the sentence goes on in the second line."""
_SECOND_LINE = tr("and publish to them; nothing reaches a real platform.")
_TOGETHER = tr(
    "Adds two stand-in accounts. You can plan and publish to them; nothing reaches a real platform."
)
_UNAVAILABLE = tr("They run only on this computer, so choose the first option.")


class PracticeChoice(QWidget):
    """A tick box with its explanation, in which the sign of practice accounts is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = CheckBox()
        self.box.setAccessibleName(_TITLE)
        self._title = Label(_TITLE, "strong")
        self._sentence = _sentence()
        self._rest = Label(_SECOND_LINE, "card", "text2", wrap=True)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(self._title)
        words.addWidget(self._sentence)
        words.addWidget(self._rest)
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 0, 0, 0)
        row.setSpacing(14)
        row.addWidget(self.box, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        self.set_available(available=True)

    def is_checked(self) -> bool:
        """Return whether practice accounts are wanted."""
        return self.box.isChecked()

    def set_available(self, available: bool, *, explain: bool = True) -> None:
        """Let the person choose or not; when not, `explain` says that the first choice is needed for it."""
        self.box.setEnabled(available)
        self._title.set_tone("text" if available else "text3")
        unavailable = explain and not available
        self._sentence.setVisible(not unavailable)
        self._rest.setText(_UNAVAILABLE if unavailable else _SECOND_LINE)
        self._rest.set_tone("text2" if available else "text3")
        self.box.setAccessibleDescription(_UNAVAILABLE if unavailable else _TOGETHER)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The words are part of the target."""
        if self.box.isEnabled() and self.rect().contains(event.position().toPoint()):
            self.box.toggle()
        event.accept()


def _sentence() -> QWidget:
    line = QWidget()
    row = QHBoxLayout(line)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(5)
    before, _, after = _FIRST_LINE.partition("{tag}")
    row.addWidget(Label(before.strip(), "card", "text2"))
    row.addWidget(PracticeTag())
    row.addWidget(Label(after.strip(), "card", "text2"))
    row.addStretch(1)
    return line
