"""Puts emoji into an editor, where its cursor is."""

import asyncio
from functools import cache

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QTextEdit

from app import resources
from app.desktop.aio import OnProblem, TaskScope
from app.desktop.emoji.catalogue import Catalogue
from app.desktop.emoji.popover import EmojiPopover
from app.desktop.widgets import IconButton
from app.language import tr
from app.workspace.editing.emoji_habits import EmojiHabits
from app.workspace.messages import Problem


class EmojiPicker(QObject):
    """The panel opened by a button next to an editor."""

    def __init__(self, button: IconButton, editor: QTextEdit, habits: EmojiHabits, report: OnProblem) -> None:
        super().__init__(button)
        self.popover: EmojiPopover | None = None
        self._opening: asyncio.Task[None] | None = None
        self._button, self._editor, self._habits = button, editor, habits
        self._scope = TaskScope(self, report)
        button.clicked.connect(self.open)

    def open(self) -> None:
        """Show the panel below the button, as soon as its names are read."""
        if self.popover is None and (self._opening is None or self._opening.done()):
            self._opening = self._scope.start(self._open())

    async def _open(self) -> None:
        await self._habits.load()
        catalogue = await asyncio.to_thread(_catalogue)
        self.popover = popover = EmojiPopover(self._button, catalogue, self._habits.recent, self._habits.tone)
        popover.chosen.connect(self._put_in)
        popover.tone_liked.connect(lambda tone: self._scope.start(self._habits.like(tone)))
        popover.closed.connect(self._forget)
        popover.open_below(self._button)
        popover.line.setFocus()

    def _put_in(self, text: str, stay: bool) -> None:
        self._editor.insertPlainText(text)
        self._scope.start(self._habits.use(text))
        if not stay and self.popover is not None:
            self.popover.close()
            self._editor.setFocus()

    def _forget(self) -> None:
        self.popover = None


@cache
def _catalogue() -> Catalogue:
    """Read it, once. Blocking; raises Problem where the installation is not whole."""
    try:
        return Catalogue.read(resources.path("emoji/en.json"))
    except (OSError, ValueError, KeyError) as error:
        text = tr("The emoji names are missing or damaged. Reinstall Kalends.")
        raise Problem(text, details=repr(error)) from error
