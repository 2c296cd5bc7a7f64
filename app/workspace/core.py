"""What the parts of a workspace share, and keeping them running."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, TypeVar
from uuid import UUID, uuid4

from sqlalchemy import Connection

from app.client import PublishingCalls, ServiceClient
from app.database import Database
from app.language import tr
from app.platforms.cards import COMPANION_NETWORKS
from app.workspace.changes import Changes, Listeners
from app.workspace.clock import Clock, Pace
from app.workspace.messages import Message
from app.workspace.posts.mirror import Mirror
from app.workspace.problems import as_problem
from app.workspace.undo import History

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Core:
    """One service's posts in memory, their rows, the client, and the listeners.

    ``new_id`` names new posts.
    """

    client: ServiceClient
    database: Database
    clock: Clock
    pace: Pace
    mirror: Mirror = field(default_factory=Mirror)
    history: History = field(default_factory=History)
    changes: Listeners[Changes] = field(default_factory=Listeners)
    messages: Listeners[Message] = field(default_factory=Listeners)
    new_id: Callable[[], UUID] = uuid4

    def calls_for(self, platform: str) -> PublishingCalls:
        """Return the calls for a platform's posts: companion networks have their own."""
        return self.client.places if platform in COMPANION_NETWORKS else self.client

    def calls_of(self, platform: str, *, by_hand: bool) -> PublishingCalls:
        """Return the calls for changing one post: the specified API doesn't know posts by hand."""
        return self.client.any_posts if by_hand else self.calls_for(platform)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Read rows. Raises Problem."""
        with as_problem():
            return await self.database.read(work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Like ``commit`` for callers that show the error to the user. Raises Problem."""
        with as_problem():
            return await self.commit(work)

    async def commit(self, work: Callable[[Connection], T]) -> T:
        """Write what memory already shows, even if the caller is cancelled. Raises DatabaseError."""
        return await asyncio.shield(asyncio.wrap_future(self.database.submit(work)))

    async def call(self, answer: Awaitable[T], not_found: str = "") -> T:
        """Await an answer of the service. Raises Problem; ``not_found`` is its text for a 404."""
        with as_problem(not_found):
            return await answer


_TOLD_FROM: Final = 3
"""Failures of one part before the user gets a message."""
_STEADY_S: Final = 600.0
"""How long a part must have run for its earlier failures to be forgotten."""

_log = logging.getLogger(__name__)

Run = Callable[[], Awaitable[None]]


class Supervisor:
    """Runs parts until ``stop``. A failing part is restarted after a delay that grows with each failure."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, parts: Iterable[Run]) -> None:
        loop = asyncio.get_running_loop()
        self._tasks += [loop.create_task(self._keep_running(run)) for run in parts]

    async def stop(self) -> None:
        """Cancel all parts and wait for their end."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _keep_running(self, run: Run) -> None:
        loop, pace, failures = asyncio.get_running_loop(), self._core.pace, 0
        while True:
            began = loop.time()
            try:
                return await run()
            except Exception as error:  # noqa: BLE001  whatever it is, it must not be the end
                _log.error("a part of the workspace stopped", exc_info=error)
                failures = 1 if loop.time() - began >= _STEADY_S else failures + 1
                if failures == _TOLD_FROM:
                    self._tell(error)
            await asyncio.sleep(min(pace.backoff_max, pace.backoff * 2.0 ** min(failures - 1, 16)))

    def _tell(self, error: Exception) -> None:
        text = tr(
            "Part of Kalends keeps failing, so what you see may be out of date. "
            "Restart Kalends; your changes are saved."
        )
        self._core.messages.tell(Message("error", text, repr(error)))
