"""What the parts of a workspace share."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import UUID, uuid4

from sqlalchemy import Connection

from app.client import PublishingCalls, ServiceClient
from app.database import Database
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
