"""An input with its label above, and help or what is wrong with it below."""

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.widgets.inputs import ComboBox
from app.desktop.widgets.label import Label


class Field(QWidget):
    """Label, editor, and one line below it.

    Args:
        label: what is asked for; a screen reader says it with the editor.
        editor: the input.
        help_text: a quiet line below.
        trailing: something small at the right of the label, such as a link.
        beside: a button at the right of the editor that does something with it.
        parent: the owner.
    """

    def __init__(
        self,
        label: str,
        editor: QWidget,
        help_text: str = "",
        *,
        trailing: QWidget | None = None,
        beside: QWidget | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.editor = editor
        self._help = help_text
        self._label = Label(label, "card", "text2", weight=QFont.Weight.Medium)
        self._note = Label(help_text, "card", "text3", wrap=True)
        if not isinstance(editor, ComboBox):  # it brings its own
            self._label.setBuddy(editor)
        editor.setAccessibleName(editor.accessibleName() or label)
        head = QHBoxLayout()
        head.addWidget(self._label)
        head.addStretch(1)
        if trailing is not None:
            head.addWidget(trailing)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(editor, 1)
        if beside is not None:
            row.addWidget(beside)
        column.addLayout(row)
        column.addWidget(self._note)
        column.addStretch(1)
        self.set_error("")

    def error(self) -> str:
        """Return what is wrong, or ""."""
        return self._note.text() if self.editor.property("invalid") else ""

    def set_error(self, text: str) -> None:
        """Say what is wrong and what to do, in place of the help; "" when all is well."""
        self._note.setText(text or self._help)
        self._note.set_tone("bad" if text else "text3")
        self._note.setVisible(bool(self._note.text()))
        self.editor.setAccessibleDescription(self._note.text())
        self.editor.setProperty("invalid", bool(text))
        self.editor.style().unpolish(self.editor)
        self.editor.style().polish(self.editor)

    def set_label(self, text: str) -> None:
        """Ask for something else."""
        if self.editor.accessibleName() == self._label.text():
            self.editor.setAccessibleName(text)
        self._label.setText(text)

    def set_help(self, text: str) -> None:
        """Change the quiet line; it shows when nothing is wrong."""
        self._help = text
        self.set_error(self.error())
