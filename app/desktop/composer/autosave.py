"""Saves while the user types, so that a crash loses at most half a second."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from app.workspace.changes import Changes
from app.workspace.editing.draft import ComposerDraft
from app.workspace.workspace import Workspace

_SOON_MS: Final = 200
"""From a change until it is given to the disk, however fast somebody types on."""
_PAUSE_MS: Final = 500
"""So long nothing is changed in a pause."""


class Autosave(QObject):
    """``written`` returns the current content."""

    saved = Signal(bool)
    """Whether somebody who looks up from the keyboard may rely on it that all is kept."""

    def __init__(self, owner: QObject, workspace: Workspace, written: Callable[[], ComposerDraft]) -> None:
        super().__init__(owner)
        self._workspace, self._written = workspace, written
        self._settled = ComposerDraft()  # as at the last pause, or longer
        self._is_edited = self._is_over = False
        self._soon, self._pause = self._timer(_SOON_MS), self._timer(_PAUSE_MS)
        self._soon.timeout.connect(self.keep)
        self._pause.timeout.connect(self._rest)
        stop = workspace.listen(self._changed)
        self.destroyed.connect(lambda _object=None: stop())

    def begin(self, draft: ComposerDraft) -> None:
        """Start with content that is already saved."""
        self._settled = draft
        self.saved.emit(not draft.is_empty)

    def edited(self) -> None:
        """Note a change."""
        self._is_edited = True
        if not self._soon.isActive():
            self._soon.start()
        self._pause.start()
        self.saved.emit(False)

    def keep(self) -> None:
        """Save the content unless it's saved."""
        if not self._is_edited or self._is_over:
            return
        self._is_edited = False
        self._soon.stop()
        draft = self._written()
        self._settled = self._workspace.versions.note(self._settled, draft)
        self._workspace.save_composer(draft)

    def stop(self) -> None:
        """Stop saving, because the post is scheduled or a draft."""
        self._is_over = True
        self._soon.stop()
        self._pause.stop()

    def _rest(self) -> None:
        self.keep()
        self._settled = self._written()
        self._show()

    def _changed(self, changes: Changes) -> None:
        if changes.writing and not (self._is_edited or self._pause.isActive()):
            self._show()

    def _show(self) -> None:
        self.saved.emit(self._workspace.is_writing_kept and not self._written().is_empty)

    def _timer(self, interval: int) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval)
        return timer
