"""Address and key of a service elsewhere, checked here before anything is sent."""

from typing import Literal

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.desktop.welcome.checks import address_problem, key_problem, lacks_scheme
from app.desktop.welcome.secret_edit import SecretEdit
from app.desktop.widgets import Button, Label, LineEdit, LinkButton
from app.language import tr

FieldName = Literal["address", "key"]

_HELP = tr("Tested, then saved in your keyring or in a file only you can read.")
_ADDRESS_MAX = 2_048
_KEY_MAX = 512


class ServiceForm(QWidget):
    """Two inputs and one line below them, which says what is wrong."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.address, self.key = LineEdit(), SecretEdit()
        self.address.setPlaceholderText("https://plan.example.com")
        self.address.setMaxLength(_ADDRESS_MAX)
        self.key.setPlaceholderText("stp_rest_…")
        self.key.setMaxLength(_KEY_MAX)
        self._note = Label(_HELP, "card", "text3", wrap=True)
        self._details = Label("", "small", "text2", wrap=True)
        self._remedy = Button(tr("Add https://"), size="small")
        self._more = Button(tr("Details"), "quiet", size="small")
        self._more.setCheckable(True)
        self.proxy = LinkButton(tr("Behind a proxy?"))
        self._more.toggled.connect(self._details.setVisible)
        self._remedy.clicked.connect(self._add_scheme)
        for editor in (self.address, self.key):
            editor.textEdited.connect(self.clear_problem)
        self._lay_out()
        self.clear_problem()

    def values(self) -> tuple[str, str]:
        """Return address and key without space around them."""
        return self.address.text().strip(), self.key.text().strip()

    def check(self) -> bool:
        """Return whether both can be sent; else say what is wrong and go there."""
        address, key = self.values()
        if problem := address_problem(address):
            self.show_problem(problem, "", "address")
            self._remedy.setVisible(lacks_scheme(address))
        elif problem := key_problem(key):
            self.show_problem(problem, "", "key")
        return not problem

    def show_problem(self, text: str, details: str, field: FieldName) -> None:
        """Say what is wrong with an input, and put the focus into it."""
        self.clear_problem()
        editor = self.address if field == "address" else self.key
        self._note.setText(text)
        self._note.set_tone("bad")
        self._details.setText(details)
        self._more.setVisible(bool(details))
        self._mark(editor, text)
        editor.setFocus()

    def clear_problem(self) -> None:
        """Say nothing but the help."""
        self._note.setText(_HELP)
        self._note.set_tone("text3")
        self._remedy.hide()
        self._more.setChecked(False)
        self._more.hide()
        self._details.hide()
        for editor in (self.address, self.key):
            self._mark(editor, "")

    def problem(self) -> str:
        """Return what is said to be wrong, or ""."""
        return self._note.text() if self._note.tone() == "bad" else ""

    def _add_scheme(self) -> None:
        self.address.setText(f"https://{self.values()[0]}")
        self.clear_problem()
        self.address.setFocus()

    def _mark(self, editor: QLineEdit, problem: str) -> None:
        editor.setAccessibleDescription(problem or _HELP)
        editor.setProperty("invalid", bool(problem))
        editor.style().unpolish(editor)
        editor.style().polish(editor)

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        fields = ((tr("Address"), self.address), (tr("API key"), self.key))
        for column, (title, editor) in enumerate(fields):
            label = Label(title, "card", "text2", weight=QFont.Weight.Medium)
            label.setBuddy(editor)
            editor.setAccessibleName(title)
            grid.addWidget(label, 0, column)
            grid.addWidget(editor, 1, column)
            grid.setColumnStretch(column, 1)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self._note, 1)
        foot.addWidget(self._remedy)
        foot.addWidget(self._more)
        column_ = QVBoxLayout(self)
        column_.setContentsMargins(0, 0, 0, 0)
        column_.setSpacing(8)
        column_.addLayout(grid)
        column_.addLayout(foot)
        column_.addWidget(self._details)
        column_.addWidget(self.proxy)
