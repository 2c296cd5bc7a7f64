"""Scheduling once the file is there, and replacing another post."""

from collections.abc import Callable, Mapping
from typing import Final, Literal
from zoneinfo import ZoneInfo

from PySide6.QtCore import QObject, Signal

from app.desktop.composer.attachment import Attachment
from app.desktop.composer.frame import ComposerFrame
from app.desktop.widgets import MessageStrip
from app.desktop.words import day_and_time
from app.language import filled, tr, trn
from app.workspace.editing.model import DraftModel
from app.workspace.editing.schedule import in_zone
from app.workspace.posts.new import NewPost
from app.workspace.posts.refusal import named
from app.workspace.workspace import Workspace

Asked = Literal["schedule", "publish", "draft", "copy"]
"""What was asked for while a file was on its way."""

_ONCE_ADDED: Final[Mapping[Asked, str]] = {
    "schedule": tr("Once “{name}” is added, your post will be scheduled."),
    "publish": tr("Once “{name}” is added, your post will be published."),
    "draft": tr("Once “{name}” is added, the draft will be saved."),
    "copy": tr("Once “{name}” is added, a copy will be saved to Drafts."),
}


class Waiting(QObject):
    """Remembers what was asked for, shows it above the footer, and does it once the file is there.

    A file first arrives: it's inspected, until it's an upload of the draft. Only posts wait for the upload.

    Attributes:
        is_due: Whether what was asked for is being done now.
    """

    broken = Signal(str)
    """Why what was asked for isn't done."""

    def __init__(
        self, frame: ComposerFrame, model: DraftModel, attachment: Attachment, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._frame, self._model, self._attachment = frame, model, attachment
        self._asked: Asked = "schedule"
        self._then: Callable[[], None] | None = None
        self._is_for_upload = self.is_due = False
        self._chosen: tuple[str, ...] = ()
        frame.promise.stop.clicked.connect(self.stop)
        attachment.moved.connect(self._follow_arrival)
        attachment.failed.connect(self._fail)

    @property
    def is_on(self) -> bool:
        return self._then is not None

    def for_arrival(self, asked: Asked, then: Callable[[], None]) -> bool:
        """Wait for a file that is arriving, and say so; return False if none is."""
        if name := self._attachment.arriving:
            self._is_for_upload = False
            self._begin(filled(_ONCE_ADDED[asked], name=name), asked, then)
        return bool(name)

    def for_upload(self, posts: int, then: Callable[[], None], *, at_once: bool) -> None:
        """Wait for an upload, and say so."""
        self._is_for_upload = True
        self._begin(self._promise(posts, at_once=at_once), "publish" if at_once else "schedule", then)

    def _begin(self, words: str, asked: Asked, then: Callable[[], None]) -> None:
        frame = self._frame
        buttons = {"schedule": frame.schedule, "publish": frame.publish, "draft": frame.keep}
        self._asked, self._then, self._chosen = asked, then, self._model.accounts.chosen
        frame.set_promise(words, buttons.get(asked))

    def stop(self) -> None:
        """Stop waiting."""
        if self.is_on:
            self._then = None
            self._frame.set_promise("")

    def change(self, *, is_file: bool) -> None:
        """Stop waiting and say so, because the post has changed; but not if its file has arrived."""
        if is_file and self._attachment.arriving:
            return
        if self._is_post:
            self._end(
                tr(
                    "You changed the post, so it isn't waiting for its file anymore. "
                    "Schedule it when it's ready."
                )
            )
        else:
            self._end(tr("You changed the post, so it wasn't saved to Drafts."))

    def lose_account(self) -> None:
        """Stop waiting and say so, because fewer posts than promised would be scheduled."""
        if self._is_post:
            self._end(
                tr(
                    "One of the accounts is no longer available, so this post isn't waiting "
                    "for its file anymore. Schedule it when it's ready."
                )
            )

    @property
    def _is_post(self) -> bool:
        return self._asked in ("schedule", "publish")

    def given_up(self) -> str:
        """Return the message for closing meanwhile; "" if no file is on its way."""
        if name := self._attachment.arriving:
            return tr(
                "Not attached: “{name}” wasn't ready yet. Your text is saved; attach the file again.",
                name=name,
            )
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
            self.broken.emit(why)

    def _fail(self, why: str) -> None:
        if self.is_on:
            self.stop()
            self.broken.emit(why)

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

    def _follow_arrival(self) -> None:
        if self._is_for_upload and self._attachment.arriving:
            self.change(is_file=False)  # another file replaces the one that is awaited
        else:
            self.look()

    def look(self) -> None:
        """Do what was asked for if no file is on its way."""
        is_coming = self._is_for_upload and self._model.awaited is not None
        if self._then is None or self._attachment.arriving or is_coming:
            return
        if self._is_post and not set(self._chosen) <= set(self._model.accounts.chosen):
            self._end(tr("One of the accounts can't publish this file, so your post wasn't scheduled."))
            return
        then = self._then
        self.stop()
        self.is_due = True
        then()
        self.is_due = False


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
