"""Streams whose account changes, or that begin while the feed is reading."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine, event, insert

from app.contract.enums import KeyScope
from app.database import Database
from app.service.accounts.accounts import Plan, Principal, authenticate, create_account, create_key
from app.service.clock import system_clock
from app.service.companion.change_log import Change
from app.service.companion.feed import ChangeFeed
from app.service.store.tables import connections
from app.service.transfer.hosts import replace_host
from tests.stores import ON_BOTH, service_engine

pytestmark = ON_BOTH

_PATIENCE_S = 60
_SHORTLY = timedelta(milliseconds=50)


@pytest.fixture
def database(tmp_path: Path, store: str) -> Iterator[Database]:
    """A store that is read in threads, whose commits of other processes are noticed by reading."""
    opened = Database(service_engine(tmp_path, store), "the database of this test")
    yield opened
    opened.close()


def new_principal(database: Database) -> Principal:
    now = system_clock()
    account = database.write_now(lambda rows: create_account(rows, "Ines", Plan.STUDIO, now))
    _, key = database.write_now(lambda rows: create_key(rows, account, KeyScope.API_FULL, None, now))
    return database.read_now(lambda rows: authenticate(rows, key, now))


async def connect(database: Database, account_id: UUID) -> None:
    connection_id = uuid4()
    row = {
        "id": connection_id,
        "account_id": account_id,
        "platform": "linkedin",
        "account_identifier": connection_id.hex,
        "is_available": True,
        "access_token": b"sealed",
        "created_at": system_clock(),
    }
    await database.write(lambda rows: rows.execute(insert(connections).values(row)))


class Stream:
    """A stream that is read as fast as it comes."""

    def __init__(self) -> None:
        self.has_begun = asyncio.Event()
        self.has_change = asyncio.Event()
        self.has_ended = asyncio.Event()
        self.is_idle = asyncio.Event()

    async def read(self, feed: ChangeFeed, principal: Principal) -> None:
        async for one in feed.follow(principal, None):
            if isinstance(one, Change):
                self.has_change.set()
            elif one is None:  # it waits, having read everything so far
                self.is_idle.set()
            else:
                self.has_begun.set()
        self.has_ended.set()


@asynccontextmanager
async def streaming(feed: ChangeFeed, principal: Principal) -> AsyncIterator[Stream]:
    stream = Stream()
    reading = asyncio.create_task(stream.read(feed, principal))
    await wait_for(stream.has_begun)
    try:
        yield stream
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


async def wait_for(happened: asyncio.Event) -> None:
    async with asyncio.timeout(_PATIENCE_S):
        await happened.wait()


class HeldRead:
    """Holds up the next reading transaction before it sees anything."""

    def __init__(self, engine: Engine) -> None:
        self.has_begun, self._release = threading.Event(), threading.Event()
        event.listen(engine, "before_cursor_execute", self._hold)

    def _hold(self, *_call: Any) -> None:
        if not self.has_begun.is_set() and threading.current_thread().name.startswith("reader"):
            self.has_begun.set()
            self._release.wait(_PATIENCE_S)

    def release(self) -> None:
        self._release.set()


async def test_a_stream_that_begins_during_a_look_misses_no_change(database: Database) -> None:
    feed = ChangeFeed(database, system_clock, keep_alive=_SHORTLY)
    early, late = new_principal(database), new_principal(database)
    async with streaming(feed, early) as first:
        await wait_for(first.is_idle)
        look = HeldRead(database.engine)  # only the feed's look reads now
        try:
            await asyncio.to_thread(look.has_begun.wait, _PATIENCE_S)
            async with streaming(feed, late) as second:
                await wait_for(second.is_idle)
                await connect(database, late.account_id)
                look.release()
                await wait_for(second.has_change)
        finally:
            look.release()


async def test_a_stream_ends_when_its_key_is_given_to_the_account_that_arrived(database: Database) -> None:
    feed = ChangeFeed(database, system_clock, keep_alive=_SHORTLY)
    host, arrived, other = (new_principal(database) for _ in range(3))
    async with streaming(feed, host) as ending, streaming(feed, other) as staying:
        await wait_for(ending.is_idle)
        await database.write(lambda rows: replace_host(rows, host.account_id, arrived.account_id))
        await wait_for(ending.has_ended)
        await connect(database, other.account_id)
        await wait_for(staying.has_change)
        assert not staying.has_ended.is_set()


async def test_a_stream_whose_key_is_given_away_before_it_reads_ends(database: Database) -> None:
    """It reads for an account that no longer exists."""
    feed = ChangeFeed(database, system_clock, keep_alive=_SHORTLY)
    host, arrived = new_principal(database), new_principal(database)
    await database.write(lambda rows: replace_host(rows, host.account_id, arrived.account_id))
    async with streaming(feed, host) as stream:
        await wait_for(stream.has_ended)


@pytest.mark.logs_error("changes could not be watched")
async def test_streams_go_on_after_an_unforeseen_failure(database: Database) -> None:
    feed = ChangeFeed(database, system_clock, keep_alive=_SHORTLY)
    principal, failed = new_principal(database), threading.Event()

    def fail(*_call: Any) -> None:
        if not failed.is_set() and threading.current_thread().name.startswith("reader"):
            failed.set()
            raise RuntimeError("unforeseen")

    async with streaming(feed, principal) as stream:
        await wait_for(stream.is_idle)
        event.listen(database.engine, "before_cursor_execute", fail)  # only the feed's look reads now
        await asyncio.to_thread(failed.wait, _PATIENCE_S)
        await connect(database, principal.account_id)
        await wait_for(stream.has_change)
