"""A network between processes and their database, which can be cut."""

import asyncio
import contextlib
import threading
from collections.abc import Coroutine, Iterator
from enum import Enum, auto
from pathlib import Path
from random import Random
from typing import Any, Final, Self

from tests.ports import free_port

_HOST: Final = "127.0.0.1"
_PIECE: Final = 65_536


class Cut(Enum):
    """How a cut looks to the processes."""

    REFUSED = auto()
    """Connections break, and new ones are refused."""
    SILENT = auto()
    """Connections stay open, but nothing arrives any more. New ones are accepted and get no answer."""


class _Fate(Enum):
    """What a connection does after a silence."""

    RESUMES = auto()
    """Everything arrives late, as when TCP sends it again."""
    BREAKS = auto()
    """Neither side receives what was sent during the silence, as behind a restarted firewall."""
    LOSES_ANSWERS = auto()
    """The server still receives what was sent; the client doesn't learn the outcome."""


class Network:
    """A relay from a TCP port to PostgreSQL's socket, with its own thread.

    Attributes:
        port: The port of 127.0.0.1 to connect to. It stays the same.
        silenced: Number of connections that were open when they were silenced.
    """

    def __init__(self, socket: Path, random: Random) -> None:
        self._socket = socket
        self._random = random
        self.port = free_port()
        self.silenced = 0
        self._loop = asyncio.new_event_loop()
        self._passes = asyncio.Event()
        self._connections: set[_Connection] = set()
        self._server: asyncio.Server | None = None

    @contextlib.contextmanager
    def running(self) -> Iterator[Self]:
        """Relay during the block."""
        thread = threading.Thread(target=self._loop.run_forever, name="network", daemon=True)
        thread.start()
        self._call(self._listen())
        try:
            yield self
        finally:
            self._call(self._close())
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join()
            self._loop.close()

    def cut(self, how: Cut) -> None:
        """Cut the network between all processes and the database."""
        self._call(self._cut(how))

    def restore(self) -> None:
        """End a cut."""
        self._call(self._restore())

    def _call(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _listen(self) -> None:
        self._passes.set()
        self._server = await asyncio.start_server(self._accept, _HOST, self.port)

    async def _close(self) -> None:
        await self._refuse()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _refuse(self) -> None:
        if self._server is not None:
            self._server.close()
        self._server = None
        for connection in self._connections:
            connection.abort()

    async def _cut(self, how: Cut) -> None:
        if how is Cut.REFUSED:
            await self._refuse()
            return
        self._passes.clear()
        self.silenced += len(self._connections)
        for connection in self._connections:
            connection.fate = self._random.choice(list(_Fate))

    async def _restore(self) -> None:
        for connection in self._connections:
            connection.meet_fate()
        self._passes.set()
        if self._server is None:
            await self._listen()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = _Connection(self._passes, writer)
        self._connections.add(connection)
        try:
            await self._passes.wait()
            await connection.relay(self._socket, reader)
        except OSError:
            pass  # either side is gone
        finally:
            connection.abort()
            self._connections.discard(connection)


class _Connection:
    """A connection of a process, and the one to the server that belongs to it."""

    def __init__(self, passes: asyncio.Event, client: asyncio.StreamWriter) -> None:
        self._passes = passes
        self._client = client
        self._server: asyncio.StreamWriter | None = None
        self.fate = _Fate.RESUMES

    def abort(self) -> None:
        """Break both sides."""
        for side in (self._client, self._server):
            if side is not None:
                side.transport.abort()

    def meet_fate(self) -> None:
        """Break the sides that don't survive a silence."""
        if self.fate is _Fate.BREAKS:
            self.abort()
        elif self.fate is _Fate.LOSES_ANSWERS:
            self._client.transport.abort()

    async def relay(self, socket: Path, reader: asyncio.StreamReader) -> None:
        """Pass everything on until both sides have ended."""
        answers, self._server = await asyncio.open_unix_connection(socket)
        async with asyncio.TaskGroup() as sides:
            sides.create_task(self._pass_on(reader, self._server))
            sides.create_task(self._pass_on(answers, self._client))

    async def _pass_on(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while piece := await source.read(_PIECE):
                await self._passes.wait()
                target.write(piece)
                await target.drain()
        await self._passes.wait()
        target.close()  # once everything was sent
