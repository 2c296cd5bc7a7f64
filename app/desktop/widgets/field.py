"""A form field: a label above the input, and help or an error below."""

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.widgets.inputs import ComboBox
from app.desktop.widgets.label import Label


class Field(QWidget):
    """Label, input, and a line below.

    Args:
        label: also the accessible name of the input.
        editor: the input.
        help_text: the help below.
        trailing: a small widget at the right of the label, such as a link.
        beside: a button at the right of the input.
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
        """Return the error, or ""."""
        return self._note.text() if self.editor.property("invalid") else ""

    def set_error(self, text: str) -> None:
        """Show an error and how to fix it instead of the help; "" shows the help again."""
        self._note.setText(text or self._help)
        self._note.set_tone("bad" if text else "text3")
        self._note.setVisible(bool(self._note.text()))
        self.editor.setAccessibleDescription(self._note.text())
        self.editor.setProperty("invalid", bool(text))
        self.editor.style().unpolish(self.editor)
        self.editor.style().polish(self.editor)

    def set_label(self, text: str) -> None:
        """Change the label."""
        if self.editor.accessibleName() == self._label.text():
            self.editor.setAccessibleName(text)
        self._label.setText(text)

    def set_help(self, text: str) -> None:
        """Change the help, which is shown without an error."""
        self._help = text
        self.set_error(self.error())
