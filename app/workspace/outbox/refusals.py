"""Messages about changes that the service refused, which are stored until they're shown."""

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import TypeAdapter
from sqlalchemy import Connection

from app.language import filled, tr
from app.workspace.core import Core
from app.workspace.messages import Message, MessageAction
from app.workspace.store.journal import Batch
from app.workspace.store.tables import get_setting, put_setting

What = Literal["planned", "moved", "cancelled"]
_NOT_DONE: dict[What, str] = {
    "planned": tr("{post} wasn't scheduled."),
    "moved": tr("{post} wasn't moved."),
    "cancelled": tr("{post} wasn't cancelled."),
}
_NOT_DONE_SINCE: dict[What, str] = {
    "planned": tr("{post} wasn't scheduled: {reason}."),
    "moved": tr("{post} wasn't moved: {reason}."),
    "cancelled": tr("{post} wasn't cancelled: {reason}."),
}
_SEVERAL: dict[What, str] = {
    "planned": tr("{n} posts weren't scheduled. {first}"),
    "moved": tr("{n} posts weren't moved. {first}"),
    "cancelled": tr("{n} posts weren't cancelled. {first}"),
}
_NAME: Final = "refusals"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The key and name of a post, what failed ("moved"), and the reason."""

    key: str
    name: str
    what: What
    reason: str
    details: str

    @property
    def line(self) -> str:
        """Return a sentence with the post and the reason."""
        told = (_NOT_DONE_SINCE if self.reason else _NOT_DONE)[self.what]
        return told.format(post=self.name, reason=self.reason)


_SHAPE: Final = TypeAdapter(tuple[Refusal, ...])


class Refusals:
    """Collects refusals until nothing is being sent; one message then names the posts and reasons.

    The changes are dropped before that, so the refusals are stored with that: if the app ends first, its
    next start shows them.
    """

    def __init__(self, core: Core, kept: Iterable[Refusal]) -> None:
        """``kept`` are those that the last run didn't show."""
        self._core = core
        self._waiting = list(kept)
        self._storing: list[Refusal] = []

    async def store(self, refusal: Refusal, batch: Batch) -> None:
        """Write a batch with the refusal, which is then to be added. Raises DatabaseError."""
        self._storing.append(refusal)
        try:
            await self._core.commit(self.with_them(batch))
        finally:
            self._storing.remove(refusal)

    def add(self, refusal: Refusal) -> None:
        """Add a refusal; the message is shown once nothing else is being sent."""
        self._waiting.append(refusal)
        mirror = self._core.mirror
        if mirror.intentions.keys() <= mirror.conflicts:
            self.tell()

    def with_them(self, batch: Batch) -> Callable[[Connection], None]:
        """Return the work of writing a batch and the refusals that are still to be shown."""
        waiting = (*self._waiting, *self._storing)

        def work(connection: Connection) -> None:
            batch.apply(connection)
            put_setting(connection, _NAME, waiting or None, _SHAPE)

        return work

    def tell(self) -> None:
        """Show one message for each kind of failed change, if anybody listens."""
        if not (self._waiting and self._core.messages.has_any):
            return
        waiting, self._waiting = self._waiting, []
        for what in dict.fromkeys(refusal.what for refusal in waiting):
            self._say([refusal for refusal in waiting if refusal.what == what])
        self._core.database.submit(self.with_them(Batch())).add_done_callback(_log_failure)

    def _say(self, alike: list[Refusal]) -> None:
        first = alike[0]
        action = MessageAction(tr("Show"), "show_post", first.key)
        if len(alike) == 1:
            self._core.messages.tell(Message("error", first.line, first.details, action))
            return
        text = filled(_SEVERAL[first.what], n=len(alike), first=first.line)
        details = "\n".join(dict.fromkeys((*(refusal.line for refusal in alike), first.details)))
        self._core.messages.tell(Message("error", text, details, action))


def load_refusals(connection: Connection) -> tuple[Refusal, ...]:
    """Return the refusals that weren't shown before the app ended."""
    return get_setting(connection, _NAME, _SHAPE) or ()


def _log_failure(done: Future[None]) -> None:
    """Log that refusals are still stored; the next start shows them again."""
    if error := done.exception():
        _log.warning("refusals could not be removed: %s", error)
