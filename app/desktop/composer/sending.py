"""Scheduling after an upload, and replacing another post."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from PySide6.QtCore import QObject, Signal

from app.desktop.composer.frame import ComposerFrame
from app.desktop.widgets import MessageStrip
from app.desktop.words import day_and_time
from app.language import tr, trn
from app.workspace.editing.model import DraftModel
from app.workspace.editing.schedule import in_zone
from app.workspace.posts.new import NewPost
from app.workspace.posts.refusal import named
from app.workspace.workspace import Workspace


class Waiting(QObject):
    """Remembers which button was pressed, shows it above the footer, and presses it after the upload."""

    over = Signal(bool)
    """The file is there, or will not come; whether the posts were to be published at once."""

    def __init__(self, frame: ComposerFrame, model: DraftModel, parent: QObject) -> None:
        super().__init__(parent)
        self._frame, self._model = frame, model
        self._asked: bool | None = None
        frame.promise.stop.clicked.connect(self.stop)

    @property
    def is_on(self) -> bool:
        return self._asked is not None

    def begin(self, posts: int, *, at_once: bool) -> None:
        """Wait for the file, and say so."""
        self._asked = at_once
        asked = self._frame.publish if at_once else self._frame.schedule
        self._frame.set_promise(self._promise(posts, at_once=at_once), asked)

    def stop(self) -> None:
        """Stop waiting."""
        if self.is_on:
            self._asked = None
            self._frame.set_promise("")

    def change(self) -> None:
        """Stop waiting and say so, because the post has changed."""
        self._end(
            tr("You changed the post, so it isn't waiting for its file anymore. Schedule it when it's ready.")
        )

    def lose_account(self) -> None:
        """Stop waiting and say so, because fewer posts than promised would be scheduled."""
        self._end(
            tr(
                "One of the accounts is no longer available, so this post isn't waiting "
                "for its file anymore. Schedule it when it's ready."
            )
        )

    def given_up(self) -> str:
        """Return the message for closing meanwhile; "" if nothing was waiting."""
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
        """Press the button if the file isn't uploading any more."""
        if self._asked is not None and self._model.awaited is None:
            asked = self._asked
            self.stop()
            self.over.emit(asked)


class Replacing(QObject):
    """Shows which post is replaced, replaces it, or keeps it after all.

    ``go_on`` gets the focus if the focused widget disappears.
    """

    def __init__(
        self,
        frame: ComposerFrame,
        model: DraftModel,
        workspace: Workspace,
        zone: ZoneInfo,
        go_on: Callable[[], None],
    ) -> None:
        super().__init__(frame.keep_old)
        self._frame, self._model, self._workspace, self._zone = frame, model, workspace, zone
        self._go_on = go_on
        self._shown = ""
        frame.keep_old.clicked.connect(self.keep_old)

    def refresh(self) -> None:
        """Update which post is replaced."""
        if self._model.replaces != self._shown:
            self._shown = self._model.replaces
            self._frame.set_replaced(self._words())

    def plan(self, posts: list[NewPost]) -> list[str]:
        """Schedule posts, replacing the old one if there is one. Raises Problem."""
        key = self._model.replaces
        return self._workspace.replace(key, posts) if key else self._workspace.plan(posts)

    def keep_old(self) -> None:
        """Make this a new post, and keep the old one."""
        if self._frame.keep_old.hasFocus():
            self._go_on()
        self._model.keep_replaced()

    def _words(self) -> str:
        post = self._workspace.posts.get(self._shown)
        if post is not None:
            return tr(
                "Replaces {post}, {time}, which will be cancelled.",
                post=named(post),
                time=day_and_time(in_zone(post.at, self._zone)),
            )
        return tr("The post this was meant to replace no longer exists.") if self._shown else ""
