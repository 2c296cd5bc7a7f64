"""What was asked for while the file is still on its way: done by itself when it is there."""

from PySide6.QtCore import QObject, Signal

from app.desktop.composer.frame import ComposerFrame
from app.desktop.widgets import MessageStrip
from app.language import tr, trn
from app.workspace.editing.model import DraftModel


class Waiting(QObject):
    """Remembers which button was pressed, says so above the foot, and presses it again in time."""

    over = Signal(bool)
    """The file is there, or will not come; whether the posts were to be published at once."""

    def __init__(self, frame: ComposerFrame, model: DraftModel, parent: QObject) -> None:
        super().__init__(parent)
        self._frame, self._model = frame, model
        self._asked: bool | None = None

    @property
    def is_on(self) -> bool:
        return self._asked is not None

    def begin(self, posts: int, *, at_once: bool) -> None:
        """Wait for the file, and say so."""
        self._asked = at_once
        words = self._promise(posts, at_once=at_once)
        strip = MessageStrip("info", words, action=tr("Don't wait"), closable=False)
        strip.acted.connect(self.stop)
        self._frame.say(strip)

    def stop(self) -> None:
        """Wait no longer."""
        if self.is_on:
            self._asked = None
            self._frame.unsay()

    def change(self) -> None:
        """What was asked for is another post now: it waits no longer, and that is said."""
        self._end(
            tr("You changed the post, so it isn't waiting for its file anymore. Schedule it when it's ready.")
        )

    def lose_account(self) -> None:
        """There would be fewer posts than was promised: somebody has to know that first."""
        self._end(
            tr(
                "One of the accounts is no longer available, so this post isn't waiting "
                "for its file anymore. Schedule it when it's ready."
            )
        )

    def given_up(self) -> str:
        """Return what to say to somebody who leaves meanwhile; "" when nothing was asked for."""
        if not self.is_on:
            return ""
        return tr(
            "Not scheduled: “{name}” hasn't finished uploading. Your post is saved; "
            "continue in the composer.",
            name=self._name(),
        )

    def _end(self, why: str) -> None:
        if self.is_on:
            self.stop()
            self._frame.say(MessageStrip("info", why))

    def _promise(self, posts: int, *, at_once: bool) -> str:
        if at_once:
            return trn(
                "Once “{name}” is uploaded, {n} post will be published.",
                "Once “{name}” is uploaded, {n} posts will be published.",
                posts,
                name=self._name(),
            )
        return trn(
            "Once “{name}” is uploaded, {n} post will be scheduled.",
            "Once “{name}” is uploaded, {n} posts will be scheduled.",
            posts,
            name=self._name(),
        )

    def _name(self) -> str:
        return self._model.awaited.name if self._model.awaited else tr("The file")

    def look(self) -> None:
        """Press the button again if the file isn't on its way anymore."""
        if self._asked is not None and self._model.awaited is None:
            asked = self._asked
            self.stop()
            self.over.emit(asked)
