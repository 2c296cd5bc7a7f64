"""Moving a post from its panel: when it may be, and the form that asks for its new time."""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.contract.enums import PostStatus
from app.desktop.cancelling import schedule_again
from app.desktop.inspector.move_form import MoveForm
from app.desktop.widgets import announce
from app.desktop.words import day_and_time
from app.language import tr, trn
from app.workspace.clock import Clock
from app.workspace.editing.obstacles import inbox_full
from app.workspace.editing.schedule import in_zone, suggested
from app.workspace.posts.planned import PlannedPost
from app.workspace.time.wall import DAY_MS
from app.workspace.workspace import Workspace


class Moving(QObject):
    """Moves the post of a panel, alone or with others of the same idea. A cancelled one is scheduled again.

    Args:
        panel: the panel.
        workspace: where the post is.
        zone: the calendar's zone.
        key: of the post.
        now: the clock.
    """

    told = Signal(object)
    """A Message for the user."""

    def __init__(self, panel: QWidget, workspace: Workspace, zone: ZoneInfo, key: str, now: Clock) -> None:
        super().__init__(panel)
        self._panel, self._workspace, self._zone, self._key, self._now = panel, workspace, zone, key, now
        self._keys: tuple[str, ...] = (key,)
        self._is_again = False
        """Whether the form schedules the post again; it may be cancelled while the form is open."""
        post = workspace.posts.get(key)
        self.form = MoveForm(zone, post.at if post else now(), self._refusal, now)
        self.form.confirmed.connect(self._move)

    @property
    def is_possible(self) -> bool:
        """Whether the post can be moved, or scheduled again."""
        return self._workspace.refusal(self._key, self._now() + DAY_MS, again=self._is_cancelled()) is None

    def ask(self, post: PlannedPost, others: Sequence[str] = ()) -> None:
        """Ask for the time to which to move the post, and others by their keys."""
        self._keys = (self._key, *others)
        self._is_again = self._is_cancelled() and not others
        if post.waits_for_user:
            self.form.open_at(self._proposal(post), tr("Remind me"), tr("Remind me again at"))
            return
        action = tr("Schedule again") if self._is_again else tr("Move")
        if others:
            action = trn("Move {n} post", "Move {n} posts", len(self._keys))
        self.form.open_at(self._proposal(post), action)

    def _proposal(self, post: PlannedPost) -> int:
        """Return the time to offer: the post's own, or a future one if it's past and cancelled or waiting."""
        if (post.status is PostStatus.CANCELLED or post.waits_for_user) and post.at <= self._now():
            return suggested(self._now(), self._zone)
        return post.at

    def _refusal(self, at: int) -> str | None:
        again = self._is_again and self._is_cancelled()
        found = (self._workspace.refusal(key, at, again=again) for key in self._keys)
        return next(filter(None, found), None) or self._inbox_refusal(at)

    def _inbox_refusal(self, at: int) -> str | None:
        """Return why a post can't move into its account's full inbox; None if it can."""
        workspace, post = self._workspace, self._workspace.posts.get(self._key)
        account = workspace.accounts.get(post.account_key) if post is not None else None
        if post is None or account is None or post.by_hand or account.key not in workspace.inboxes:
            return None
        is_full = workspace.is_inbox_full(account.key, at, self._key)
        return inbox_full(account, is_only=True) if is_full else None

    def _is_cancelled(self) -> bool:
        post = self._workspace.posts.get(self._key)
        return post is not None and post.status is PostStatus.CANCELLED

    def _move(self, at: int) -> None:
        if self._is_again and self._is_cancelled():
            if told := schedule_again(self._workspace, {self._key: at}, self._zone):
                self.told.emit(told)
            return
        self._workspace.move(dict.fromkeys(self._keys, at))
        announce(self._panel, tr("Moved to {when}.", when=day_and_time(in_zone(at, self._zone))))
