"""Flows whose browser reaches two processes, or whose process doesn't learn what it has stored."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import Connection

from app.contract.enums import ConnectionPlatform
from app.database import Database, DatabaseUnreachableError
from app.platforms.base import AppCredentials, Profile
from app.service.accounts.accounts import Caller, Plan, create_account
from app.service.connections import flow_rows
from app.service.connections.apps import Addresses
from app.service.connections.flow_rows import Choice, ChoiceDue, FlowEnd, Stage
from app.service.connections.flow_steps import Endings
from app.service.connections.flows import EXCHANGE_MAX, STORED_WITHIN, Choices, Flows
from app.service.connections.platforms import Platforms
from app.service.connections.tokens import TokenKeeper
from app.service.store.seal import Seal
from app.service.store.tables import connection_flows
from tests.service.platforms import ScriptedAdapter, robin
from tests.service.running import MovingClock
from tests.stores import service_store

LINKEDIN = ConnectionPlatform.LINKEDIN
T = TypeVar("T")


class HeldDatabase(Database):
    """A database whose writes wait while they're held, and whose ``lost``-th next write has no answer.

    While ``is_away``, writes fail.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database.engine, "the store")
        self.let_go, self.waits = asyncio.Event(), asyncio.Event()
        self.let_go.set()
        self.lost = 0
        self.is_away, self.failures = False, asyncio.Semaphore(0)

    async def write(self, work: Callable[[Connection], T]) -> T:
        self.waits.set()
        await self.let_go.wait()
        if self.is_away:
            self.failures.release()
            raise DatabaseUnreachableError("The server is away.")
        result = await super().write(work)
        self.lost -= 1
        if not self.lost:
            raise DatabaseUnreachableError("The server went away.")
        return result


class Process:
    """One process of the service, as far as flows go."""

    def __init__(
        self,
        database: Database,
        adapter: ScriptedAdapter,
        elsewhere: timedelta,
        stored_within: timedelta = STORED_WITHIN,
    ) -> None:
        self.database = HeldDatabase(database)
        platforms = Platforms({LINKEDIN: adapter}, {LINKEDIN: AppCredentials("app", "test-secret")})
        seal, clock = Seal(b"k" * 32), MovingClock()
        tokens, endings = (
            TokenKeeper(self.database, seal, platforms, clock),
            Endings(seal, clock, practice=False),
        )
        self.choices = Choices(self.database, seal, tokens, clock, endings)
        self.flows = Flows(
            *(self.database, seal, platforms, tokens, clock),
            *(Addresses("http://127.0.0.1", {}), endings),
            elsewhere=elsewhere,
            stored_within=stored_within,
        )

    def returns(self, answer: dict[str, str]) -> asyncio.Task[FlowEnd | ChoiceDue]:
        """A browser returns."""
        return asyncio.create_task(self.flows.end("linkedin", answer))

    async def hold(self, answer: dict[str, str]) -> asyncio.Task[FlowEnd | ChoiceDue]:
        """A browser returns, and the process stands still before it writes what follows from what it read."""
        self.database.let_go.clear()
        self.database.waits.clear()
        task = self.returns(answer)
        await self.database.waits.wait()
        return task


class Pair:
    """Two processes over one store, and a flow that a user has begun."""

    def __init__(
        self,
        database: Database,
        elsewhere: timedelta = EXCHANGE_MAX,
        stored_within: timedelta = STORED_WITHIN,
    ) -> None:
        self.adapter = ScriptedAdapter(LINKEDIN, people=[robin()])
        self.adapter.asked, self.adapter.pause = asyncio.Event(), asyncio.Event()
        self.first, self.second = (
            Process(database, self.adapter, elsewhere, stored_within) for _ in range(2)
        )
        self._database = database

    async def begin(self) -> dict[str, str]:
        now = MovingClock()()
        owner = self._database.write_now(lambda rows: create_account(rows, "Ines", Plan.LOCAL, now))
        begun = await self.first.flows.begin(Caller(owner), LINKEDIN)
        return {"state": parse_qs(urlsplit(begun.connect_url).query)["state"][0], "code": "c"}

    def go_on(self) -> None:
        assert self.adapter.pause is not None
        self.adapter.pause.set()

    async def asked(self) -> None:
        assert self.adapter.asked is not None
        await self.adapter.asked.wait()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = service_store(tmp_path)
    yield database
    database.close()


async def test_a_choice_is_shown_also_if_the_answer_to_storing_it_is_lost(database: Database) -> None:
    """It was a closing page without words, and ``status=choosing`` for another app's address."""
    pair = Pair(database)
    pair.adapter.people = [robin(), Profile("other", "Sam")]
    answer = await pair.begin()
    pair.go_on()
    pair.first.database.lost = 2
    due = await pair.first.returns(answer)
    assert isinstance(due, ChoiceDue)
    shown = await pair.first.choices.show(due.token)
    assert isinstance(shown, Choice)
    assert len(shown.accounts) == 2


async def test_a_reload_at_another_process_leads_to_the_choice_that_has_just_begun(
    database: Database,
) -> None:
    """It had waited so long for the exchange that this counted as interrupted."""
    pair = Pair(database, elsewhere=timedelta())
    pair.adapter.people = [robin(), Profile("other", "Sam")]
    answer = await pair.begin()
    first = pair.first.returns(answer)
    await pair.asked()
    second = await pair.second.hold(answer)
    pair.go_on()
    due = await first
    assert isinstance(due, ChoiceDue)
    pair.second.database.let_go.set()
    assert await second == due


async def test_both_processes_that_a_browser_reaches_at_once_show_the_result(database: Database) -> None:
    pair = Pair(database)
    answer = await pair.begin()
    second = await pair.second.hold(answer)
    first = pair.first.returns(answer)
    await pair.asked()
    pair.second.database.let_go.set()
    await asyncio.sleep(0.1)  # so that it most likely waits; it must come right in any order
    pair.go_on()
    ends = [await first, await second]
    assert [(end.stage, end.words) for end in ends if isinstance(end, FlowEnd)] == [
        (Stage.CONNECTED, "Robin Marsh on LinkedIn is connected.")
    ] * 2
    assert len(pair.adapter.exchanges) == 1


async def test_a_process_that_died_in_the_exchange_is_waited_for_only_so_long(database: Database) -> None:
    pair = Pair(database, elsewhere=timedelta(seconds=0.1))
    answer = await pair.begin()
    second = await pair.second.hold(answer)
    exchanging = connection_flows.update().values(stage="exchanging")
    database.write_now(lambda rows: rows.execute(exchanging))
    pair.second.database.let_go.set()
    end = await second
    assert isinstance(end, FlowEnd)
    assert (end.stage, end.words) == (Stage.FAILED, flow_rows.INTERRUPTED)


async def away_after_the_exchange(pair: Pair) -> asyncio.Task[FlowEnd | ChoiceDue]:
    """A browser returns, and its code is exchanged while the database goes away."""
    answer = await pair.begin()
    task = pair.first.returns(answer)
    await pair.asked()
    pair.first.database.is_away = True
    pair.go_on()
    await pair.first.database.failures.acquire()
    return task


async def test_an_account_is_connected_once_the_database_is_back(database: Database) -> None:
    pair = Pair(database)
    task = await away_after_the_exchange(pair)
    pair.first.database.is_away = False
    end = await task
    assert isinstance(end, FlowEnd)
    assert (end.stage, end.words) == (Stage.CONNECTED, "Robin Marsh on LinkedIn is connected.")
    assert len(pair.adapter.exchanges) == 1


async def test_a_refusal_is_stored_once_the_database_is_back(database: Database) -> None:
    pair = Pair(database)
    pair.adapter.people = []
    task = await away_after_the_exchange(pair)
    pair.first.database.is_away = False
    end = await task
    assert isinstance(end, FlowEnd)
    assert (end.stage, end.words) == (Stage.FAILED, flow_rows.no_account(LINKEDIN))


@pytest.mark.logs_error("could not be stored")
async def test_the_user_learns_that_an_account_could_not_be_stored(database: Database) -> None:
    pair = Pair(database, stored_within=timedelta())
    end = await (await away_after_the_exchange(pair))
    assert isinstance(end, FlowEnd)
    assert (end.stage, end.words) == (Stage.FAILED, flow_rows.NOT_STORED)
