"""The post that gives way to what is written, where there is one."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from PySide6.QtCore import QObject

from app.desktop.composer.frame import ComposerFrame
from app.desktop.words import day_and_time
from app.language import tr
from app.workspace.editing.model import DraftModel
from app.workspace.editing.schedule import in_zone
from app.workspace.posts.new import NewPost
from app.workspace.posts.refusal import named
from app.workspace.workspace import Workspace


class Replacing(QObject):
    """Says which post gives way, plans in its place, and lets it stay after all.

    ``go_on`` takes the focus when what had it is gone.
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
        """Say which post gives way, if another one does than before."""
        if self._model.replaces != self._shown:
            self._shown = self._model.replaces
            self._frame.set_replaced(self._words())

    def plan(self, posts: list[NewPost]) -> list[str]:
        """Plan posts, in place of the one that gives way where there is one. Raises Problem."""
        key = self._model.replaces
        return self._workspace.replace(key, posts) if key else self._workspace.plan(posts)

    def keep_old(self) -> None:
        """Make this a new post: what it was to replace stays."""
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
