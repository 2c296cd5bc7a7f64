"""Shows the card on request or when a post is due, and counts the waiting posts."""

from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from app.desktop.aio import TaskScope, report_to
from app.desktop.finishing.words import UNFINISH, waiting_words
from app.desktop.shell.window import MainWindow
from app.workspace.changes import Changes
from app.workspace.clock import wall_clock
from app.workspace.messages import MessageAction
from app.workspace.notices import notice
from app.workspace.time.wall import MINUTE_MS
from app.workspace.workspace import Workspace

if TYPE_CHECKING:
    from app.desktop.finishing.card import FinishingCard

LATER_MS: Final = 15 * MINUTE_MS
"""Delay of the button Later in a notification, in ms."""


class FinishingDesk:
    """The card of one calendar, built when it's first needed."""

    def __init__(self, window: MainWindow, workspace: Workspace, zone: ZoneInfo) -> None:
        self._window, self._workspace, self._zone = window, workspace, zone
        self._card: FinishingCard | None = None
        self._scope = TaskScope(window, report_to(window.messages.tell))
        self._stop = workspace.listen(self._changed)
        self._opened = window.rail.waiting.clicked.connect(lambda _checked: self.open())
        self._count()

    @property
    def card(self) -> "FinishingCard | None":
        """The card, if it was built."""
        return self._card

    @property
    def is_shown(self) -> bool:
        """Whether the card is open."""
        return self._card is not None and self._card.isVisible()

    def open(self, key: str = "", *, is_asked: bool = True) -> "FinishingCard":
        """Show the card, with this post if it's waiting; it only takes the focus if ``is_asked`` for."""
        from app.desktop.finishing.card import FinishingCard

        if self._card is None:
            self._card = FinishingCard(self._workspace, self._zone)
        self._card.present(key, is_asked=is_asked)
        return self._card

    def hand_over(self, key: str) -> None:
        """Show the card with a post, and open the platform's composer."""
        self._scope.start(self._hand_over(key))

    async def _hand_over(self, key: str) -> None:
        await self.open(key).open_composer()

    def act(self, action: MessageAction) -> bool:
        """Carry out the button of a notification, if it's about waiting posts."""
        posts = {post.key for post in self._workspace.finishing.waiting()}
        if action.verb == notice.FINISH:
            self.open(action.subject)
        elif action.verb == notice.ASK_LATER and action.subject in posts:
            self._workspace.move({action.subject: wall_clock() + LATER_MS})
        elif action.verb == notice.SKIP and action.subject in posts:
            self._workspace.cancel([action.subject])
        elif action.verb == UNFINISH:
            self._scope.start(self._workspace.finishing.take_back(action.subject))
        return action.verb in notice.BY_HAND or action.verb == UNFINISH

    def close(self) -> None:
        """Close the card, and stop counting."""
        self._stop()
        self._scope.close()
        self._window.rail.waiting.clicked.disconnect(self._opened)
        self._show(0)
        if self._card is not None:
            self._card.close()
            self._card.deleteLater()
            self._card = None

    def _changed(self, changes: Changes) -> None:
        if changes.posts or changes.removed or changes.reset:
            self._count()

    def _count(self) -> None:
        self._show(len(self._workspace.finishing.waiting()))

    def _show(self, count: int) -> None:
        self._window.rail.set_waiting(count, waiting_words(count))
        self._window.status.set_waiting(waiting_words(count))
