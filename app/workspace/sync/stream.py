"""Follows the service's stream of changes, and stores the position in it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import Connection

from app.client import ClientError, is_event_id
from app.client.events import EventData
from app.contract.changes import ConnectionChanged, MediaChanged, PostChanged, Reset
from app.contract.posts import Post
from app.database import DatabaseError
from app.workspace.core import Core
from app.workspace.store.tables import get_setting, put_setting

_NAME = "sync"
_BEGIN_WITHIN_S = 2.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Position:
    """``listed``: everything was listed once. ``event``: ID of the last event that was processed."""

    listed: bool = False
    event: str = ""


_SHAPE: TypeAdapter[Position] = TypeAdapter(Position)


def load_position(connection: Connection) -> Position:
    position = get_setting(connection, _NAME, _SHAPE) or Position()
    # Earlier versions stored any ID; the stream can never resume from an invalid one.
    return position if is_event_id(position.event) else replace(position, event="")


def save_position(connection: Connection, position: Position) -> None:
    put_setting(connection, _NAME, position, _SHAPE)


@dataclass(frozen=True, slots=True)
class Ears:
    """Callbacks for events of the stream.

    Attributes:
        listening: The stream was opened or closed; while it is closed, the app polls.
        reset: Everything has to be listed again.
        post: A post changed; None if it was deleted.
        connections: Accounts changed.
        files: Files stored by the service changed.
        deliveries: A delivery to a webhook was made.
    """

    listening: Callable[[bool], None]
    reset: Callable[[], None]
    post: Callable[[UUID, Post | None], Awaitable[None]]
    connections: Callable[[], None]
    files: Callable[[], None]
    deliveries: Callable[[], None]


class Gathered:
    """A callback that is called immediately, and then at most every ``pause`` seconds."""

    def __init__(self, tell: Callable[[], None], pause: float) -> None:
        self._tell = tell
        self._pause = pause
        self._not_before = float("-inf")
        self._later: asyncio.TimerHandle | None = None

    def __call__(self) -> None:
        if self._later is not None:
            return
        loop = asyncio.get_running_loop()
        if loop.time() >= self._not_before:
            self._tell_now()
        else:
            self._later = loop.call_at(self._not_before, self._tell_now)

    def stop(self) -> None:
        """Cancel the waiting callback."""
        if self._later is not None:
            self._later.cancel()
            self._later = None

    def _tell_now(self) -> None:
        self._later = None
        self._not_before = asyncio.get_running_loop().time() + self._pause
        self._tell()


class ChangeStream:
    """Listens to the stream if the service offers one."""

    def __init__(self, core: Core, ears: Ears, position: str) -> None:
        """``position`` is the last event processed when the workspace was last open."""
        self.position = position
        self._core = core
        self._ears = ears
        self._connections = Gathered(ears.connections, core.pace.news)
        self._files = Gathered(ears.files, core.pace.news)
        self._deliveries = Gathered(ears.deliveries, core.pace.news)
        self._offered = asyncio.Event()
        self._begun = asyncio.Event()

    async def offer(self, *, offered: bool) -> None:
        """Note whether the service offers a stream, and wait briefly for it to open.

        A list read afterwards, together with the stream, misses nothing.
        """
        if not offered:
            self._offered.clear()
            return
        self._offered.set()
        try:
            async with asyncio.timeout(_BEGIN_WITHIN_S):
                await self._begun.wait()
        except TimeoutError:
            _log.info("the stream of changes does not begin")

    async def run(self) -> None:
        try:
            await self._follow()
        finally:
            for gathered in (self._connections, self._files, self._deliveries):
                gathered.stop()

    async def _follow(self) -> None:
        while True:
            await self._offered.wait()
            try:
                await self._listen()
            except ClientError as error:
                _log.info("the stream of changes ended: %s", type(error).__name__)
            except DatabaseError as error:
                _log.warning("what the stream said could not be kept: %s", error)
            finally:
                self._hear(listening=False)
            await asyncio.sleep(self._core.pace.stream_again)

    async def _listen(self) -> None:
        events = self._core.client.events(
            self.position, on_listening=lambda listening: self._hear(listening=listening)
        )
        async with aclosing(events):
            async for event in events:
                await self._take(event.data)
                self.position = event.id
                self._begun.set()

    def _hear(self, *, listening: bool) -> None:
        if not listening:
            self._begun.clear()
        elif self.position:
            self._begun.set()  # it resumes where it was, and may have no events
        self._ears.listening(listening)

    async def _take(self, data: EventData) -> None:
        if isinstance(data, Reset):
            self._ears.reset()
        elif isinstance(data, PostChanged):
            await self._ears.post(data.id, data.post)
        elif isinstance(data, ConnectionChanged):
            self._connections()
        elif isinstance(data, MediaChanged):
            self._files()
        else:
            self._deliveries()
