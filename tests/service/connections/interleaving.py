"""Two processes whose steps take turns as a test says, and a platform whose refresh tokens work once."""

import asyncio
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs
from uuid import UUID, uuid4

import httpx
from sqlalchemy import Connection, Row, select

from app.contract.enums import ConnectionPlatform
from app.database import Database
from app.platforms.base import AppCredentials, PlatformError, TokenGrant
from app.platforms.registry import build_adapters
from app.service.accounts.accounts import Plan, create_account
from app.service.connections.platforms import Platforms
from app.service.connections.rows import ConnectionWriter
from app.service.connections.tokens import Patience, TokenKeeper
from app.service.store.seal import Seal
from app.service.store.tables import connections, events
from tests.platforms.httpx_wire import HttpxWire
from tests.service.platforms import robin
from tests.stores import service_engine

T = TypeVar("T")
X = ConnectionPlatform.X


class Turns:
    """Holds a process before each of its steps until its turn has come."""

    def __init__(self) -> None:
        self._granted: asyncio.Queue[None] = asyncio.Queue()
        self.waits = asyncio.Event()

    async def mine(self) -> None:
        self.waits.set()
        await self._granted.get()
        self.waits.clear()

    def give(self) -> None:
        self.waits.clear()
        self._granted.put_nowait(None)


class SteppedDatabase(Database):
    """A database of one process, which reads and writes in its turn."""

    def __init__(self, root: Path, store: str, turns: Turns) -> None:
        super().__init__(service_engine(root, store), "the store")
        self.turns = turns

    async def read(self, work: Callable[[Connection], T], *, share: Hashable | None = None) -> T:
        await self.turns.mine()
        return await super().read(work, share=share)

    async def write(self, work: Callable[[Connection], T]) -> T:
        await self.turns.mine()
        return await super().write(work)


@dataclass
class RotatingPlatform:
    """X as far as tokens go: a refresh token works once, and its second use ends the access for good."""

    generation: int = 0
    uses: list[str] = field(default_factory=list)
    is_revoked: bool = False

    @property
    def refresh_token(self) -> str:
        return f"refresh-{self.generation}"

    @property
    def access_token(self) -> str:
        return f"access-{self.generation}"

    def works(self, access_token: str) -> bool:
        return not self.is_revoked and access_token == self.access_token

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return self._profile(request.headers["Authorization"].removeprefix("Bearer "))
        form = parse_qs(request.content.decode())
        assert form["grant_type"] == ["refresh_token"]
        [used] = form["refresh_token"]
        self.uses.append(used)
        if used != self.refresh_token or self.is_revoked:
            self.is_revoked = True
            return httpx.Response(400, json={"error": "invalid_request", "error_description": "invalid"})
        self.generation += 1
        return httpx.Response(
            200,
            json={
                "token_type": "bearer",
                "expires_in": 7200,
                "access_token": self.access_token,
                "refresh_token": self.refresh_token,
            },
        )

    def _profile(self, access_token: str) -> httpx.Response:
        if not self.works(access_token):
            return httpx.Response(
                401, json={"title": "Unauthorized", "status": 401, "detail": "Unauthorized"}
            )
        return httpx.Response(200, json={"data": {"id": "1", "name": "Robin", "username": "robin"}})


class Process:
    """One process: its own database, transport and keeper, and what it was asked for."""

    def __init__(self, name: str, database: SteppedDatabase, platform: RotatingPlatform) -> None:
        self.name = name
        self.database = database
        self.turns = database.turns
        self._platform = platform
        self._task: asyncio.Task[str | PlatformError] | None = None
        self._stack = AsyncExitStack()
        self.keeper: TokenKeeper

    async def open(self, patience: Patience, clock: Callable[[], datetime]) -> None:
        adapters = await self._stack.enter_async_context(
            build_adapters(wire=HttpxWire(httpx.MockTransport(self._carry)), clock=clock)
        )
        platforms = Platforms(adapters, {X: AppCredentials("app", "test-secret")})
        self.keeper = TokenKeeper(self.database, Seal(b"k" * 32), platforms, clock, patience)

    async def _carry(self, request: httpx.Request) -> httpx.Response:
        """The request arrives in one turn, the answer comes back in another."""
        await self.turns.mine()
        answer = self._platform.answer(request)
        await self.turns.mine()
        return answer

    def ask(self, connection: UUID) -> None:
        """Asks for another token than the first one, as a worker does to which the platform refused it."""
        self._task = asyncio.create_task(self._ask(connection))

    async def _ask(self, connection: UUID) -> str | PlatformError:
        try:
            return await self.keeper.refused(connection, "access-0")
        except PlatformError as error:
            return error

    @property
    def is_done(self) -> bool:
        return self._task is None or self._task.done()

    @property
    def result(self) -> str | PlatformError:
        assert self._task is not None
        return self._task.result()

    async def step(self) -> None:
        """Does one step: to the next wait, or to the end."""
        if await self._settled():
            self.turns.give()
            await self._settled()

    async def _settled(self) -> bool:
        """Waits for it to wait; False when it is done instead."""
        assert self._task is not None
        waiting = asyncio.create_task(self.turns.waits.wait())
        await asyncio.wait({waiting, self._task}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        return not self._task.done()

    async def die(self) -> None:
        """Ends where it stands. A write that the database has received by then is carried out."""
        for task in (self._task, *self.keeper._refreshing.values()):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        self._task = None
        await Database.write(self.database, lambda _: None)  # after that one

    async def close(self) -> None:
        await self.die()
        await self._stack.aclose()
        self.database.close()


class Pair:
    """Two processes over one store and one connected account."""

    def __init__(self, root: Path, store: str = "sqlite", patience: Patience | None = None) -> None:
        self.platform = RotatingPlatform()
        self._patience = patience or Patience(look_again=timedelta(milliseconds=5))
        self.processes = [
            Process(name, SteppedDatabase(root, store, Turns()), self.platform) for name in "AB"
        ]
        self.connection = self._connect()
        self.clock_ahead = timedelta()

    def _connect(self) -> UUID:
        now, seal = datetime.now(UTC), Seal(b"k" * 32)
        grant, writer = TokenGrant("access-0", "refresh-0", now), ConnectionWriter(seal, lambda: now)

        def work(rows: Connection) -> UUID:
            owner = create_account(rows, "Ines", Plan.LOCAL, now)
            return writer.store(rows, owner, X, uuid4(), robin(), grant)

        return self.processes[0].database.write_now(work)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.clock_ahead

    async def open(self) -> None:
        for process in self.processes:
            await process.open(self._patience, self.now)

    async def close(self) -> None:
        for process in self.processes:
            await process.close()

    async def play(self, turns: Iterable[int]) -> None:
        """Both ask at once; their steps are taken in the order of ``turns``, and then by turns to the end."""
        for process in self.processes:
            process.ask(self.connection)
        for number in _then_in_turn(turns):
            if all(process.is_done for process in self.processes):
                return
            if not self.processes[number].is_done:
                await self.processes[number].step()

    @property
    def row(self) -> Row[Any]:
        wanted = select(connections).where(connections.c.id == self.connection)
        return self.processes[1].database.read_now(lambda rows: rows.execute(wanted).one())

    @property
    def stored(self) -> tuple[str, str]:
        """The access and the refresh token in the row."""
        seal, row = Seal(b"k" * 32), self.row
        return seal.open(row.access_token, row.id), seal.open(row.refresh_token, row.id)

    @property
    def told(self) -> list[str]:
        """The connection's events since it was connected."""
        wanted = select(events.c.type).where(events.c.account_id == self.row.account_id)
        found = self.processes[1].database.read_now(lambda rows: rows.scalars(wanted).all())
        return [one for one in found if one != "connection.connected"]


def _then_in_turn(turns: Iterable[int]) -> Iterator[int]:
    yield from turns
    while True:
        yield from (0, 1)


def run(pair: Pair, scene: Callable[[Pair], Any]) -> None:
    """Plays a scene with two processes."""

    async def main() -> None:
        await pair.open()
        try:
            async with asyncio.timeout(60):
                await scene(pair)
        finally:
            await pair.close()

    asyncio.run(main())
