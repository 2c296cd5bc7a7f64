"""Asks before texts are lost that couldn't be written to disk, and saves them elsewhere."""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout

from app.desktop.aio import TaskScope
from app.desktop.file_dialogs import ask_to_save
from app.desktop.widgets import Button, Divider, Label, MessageStrip, Sheet, primary, secondary
from app.desktop.widgets.sheet import sheet_foot
from app.desktop.words import day_year_and_time, platform_name
from app.language import tr, trn
from app.workspace.accounts.account import Account
from app.workspace.clock import from_millis
from app.workspace.messages import Problem
from app.workspace.unsaved import UnsavedText, save_texts

if TYPE_CHECKING:
    from app.desktop.shell.window import MainWindow
    from app.workspace.workspace import Workspace

_BETWEEN: Final = "\n\n* * *\n\n"


class UnsavedSheet(Sheet):
    """Offers to save the texts in another place, and to go on without them."""

    settled = Signal()
    """The texts are saved elsewhere, or may be lost."""

    def __init__(self, window: "MainWindow", texts: Sequence[UnsavedText], content: str) -> None:
        title = trn("{n} text isn't saved yet", "{n} texts aren't saved yet", len(texts))
        super().__init__(window, title, 560)
        self._content = content
        self._scope = TaskScope(self)
        said = tr(
            "Your disk is full or can't be written, so these texts would be lost. Free up space and wait, or "
            "save them in another place, such as a USB stick."
        )
        self.setAccessibleDescription(said)
        self.save, self.go = primary(tr("Save elsewhere…")), secondary(tr("Continue without saving"))
        self.stay = Button(tr("Cancel"), key_hint="Esc")
        self._body = QVBoxLayout()
        self._body.setContentsMargins(20, 16, 20, 16)
        self._body.setSpacing(8)
        self._body.addWidget(Label(title, "section", wrap=True))
        self._body.addWidget(Label(said, "text", "text2", wrap=True))
        self.layout_.addLayout(self._body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.stay, self.go, self.save))
        self.stay.clicked.connect(self.dismiss)
        self.go.clicked.connect(self._settle)
        self.save.clicked.connect(self._choose_place)

    def save_to(self, file: Path) -> None:
        """Write the texts to a file, and go on if that works."""
        self._scope.start(self._save_to(file))

    async def _save_to(self, file: Path) -> None:
        try:
            await save_texts(file, self._content)
        except Problem as problem:
            self._body.addWidget(MessageStrip("error", problem.text, problem.details))
            return
        self._settle()

    def _choose_place(self) -> None:
        ask_to_save(self, tr("Save texts"), tr("Unsaved texts") + ".txt", ("txt",), self.save_to, "documents")

    def _settle(self) -> None:
        self.dismiss()
        self.settled.emit()


def written(texts: Sequence[UnsavedText], accounts: Mapping[str, Account], zone: tzinfo) -> str:
    """Return texts as one, each below its accounts and time."""
    return _BETWEEN.join(_written(text, accounts, zone) for text in texts) + "\n"


def _written(text: UnsavedText, accounts: Mapping[str, Account], zone: tzinfo) -> str:
    known = [accounts[key] for key in text.account_keys if key in accounts]
    names = [f"{account.name} ({platform_name(account.platform)})" for account in known]
    when = [day_year_and_time(from_millis(text.at).astimezone(zone))] if text.at is not None else []
    return "\n\n".join(part for part in (", ".join([*names, *when]), text.title, text.text) if part.strip())


def unless_unsaved(window: "MainWindow", workspace: "Workspace | None", go: Callable[[], object]) -> None:
    """Call ``go``; if it would lose texts that couldn't be written, ask first."""
    texts = workspace.unsaved_texts() if workspace is not None else []
    if workspace is None or not texts:
        go()
        return
    window.come_forward()
    if any(sheet.isVisible() for sheet in window.findChildren(UnsavedSheet)):
        return
    sheet = UnsavedSheet(window, texts, written(texts, workspace.accounts, window.zone))
    sheet.settled.connect(go)
    sheet.present(sheet.save)
