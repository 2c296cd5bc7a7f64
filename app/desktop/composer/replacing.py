"""The post that gives way to what is written, where there is one."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from PySide6.QtCore import QObject, Signal

from app.desktop.composer.frame import ComposerFrame
from app.desktop.words import day_and_time
from app.language import tr
from app.workspace.editing.schedule import in_zone
from app.workspace.posts.new import NewPost
from app.workspace.posts.refusal import named
from app.workspace.workspace import Workspace


class Replacing(QObject):
    """Says which post gives way, plans in its place, and lets it stay after all.

    ``go_on`` takes the focus when what had it is gone.
    """

    given_up = Signal()
    """The post stays: what is written becomes a new one."""

    def __init__(
        self, frame: ComposerFrame, workspace: Workspace, zone: ZoneInfo, go_on: Callable[[], None]
    ) -> None:
        super().__init__(frame.keep_old)
        self._frame, self._workspace, self._zone, self._go_on = frame, workspace, zone, go_on
        self.key = ""
        """The post's key; "" for none."""
        frame.keep_old.clicked.connect(self.keep_old)

    def begin(self, key: str) -> None:
        """Say which post gives way; "" for none."""
        self.key = key
        self._frame.set_replaced(self._words())

    def plan(self, posts: list[NewPost]) -> list[str]:
        """Plan posts, in place of the one that gives way where there is one. Raises Problem."""
        return self._workspace.replace(self.key, posts) if self.key else self._workspace.plan(posts)

    def keep_old(self) -> None:
        """Make this a new post: what it was to replace stays."""
        if self._frame.keep_old.hasFocus():
            self._go_on()
        self.begin("")
        self.given_up.emit()

    def _words(self) -> str:
        post = self._workspace.posts.get(self.key)
        if post is not None:
            return tr(
                "Replaces {post}, {time}, which will be cancelled.",
                post=named(post),
                time=day_and_time(in_zone(post.at, self._zone)),
            )
        return tr("The post this was meant to replace no longer exists.") if self.key else ""
