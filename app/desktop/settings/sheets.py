"""Sheets of the settings: one asks for a line and tests it, the other before something is done."""

from collections.abc import Awaitable, Callable
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from app.desktop.aio import TaskScope
from app.desktop.widgets import (
    Button,
    Divider,
    Field,
    Label,
    Sheet,
    StateStrip,
    danger,
    primary,
)
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr
from app.workspace.messages import Problem

_INSET: Final = 20

Work = Callable[[str], Awaitable[Callable[[], object]]]
"""Takes what was typed, and gives what is called once the sheet is closed. Raises Problem."""


class AskSheet(Sheet):
    """Asks for one line, and stays until the work with it is done; Esc gives up what goes on."""

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
        """Show it; the button does this with what was typed."""
        self._work = work
        self.present(self.editor)

    def dismiss(self) -> None:
        """Close, and give up what goes on."""
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
    """Says what will happen, and asks."""

    confirmed = Signal()

    def __init__(self, host: QWidget, title: str, text: str, go: Button, *, keep: str = tr("Cancel")) -> None:
        super().__init__(host, title, 520)
        self.setAccessibleDescription(text)
        self.is_confirmed = False
        self.text = Label(text, "text", "text2", wrap=True)
        self.go, self.cancel = go, Button(keep, key_hint="Esc")
        body = QVBoxLayout()
        body.setContentsMargins(_INSET, 16, _INSET, 16)
        body.setSpacing(8)
        body.addWidget(Label(title, "section"))
        body.addWidget(self.text)
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.cancel, self.go))
        self.cancel.clicked.connect(self.dismiss)
        self.go.clicked.connect(self._confirm)

    def ask(self, then: Callable[[], object]) -> None:
        """Show it, with the focus where nothing happens."""
        self.confirmed.connect(then)
        self.present(self.cancel)

    def _confirm(self) -> None:
        self.is_confirmed = True
        self.dismiss()
        self.confirmed.emit()


def removal(host: QWidget, title: str, text: str) -> ConfirmSheet:
    """Asks before something is removed."""
    return ConfirmSheet(host, title, text, danger(tr("Remove"), "trash-2"), keep=tr("Keep"))
