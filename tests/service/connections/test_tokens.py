"""Tokens: refreshed in time, one refresh at a time, and never lost."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, Row
from sqlalchemy.exc import SQLAlchemyError

from app.contract.enums import ConnectionPlatform
from app.database import Database, DiskFullError
from app.platforms.base import AppCredentials, FailureKind, PlatformError, TokenGrant
from app.service.accounts.accounts import Plan, create_account
from app.service.connections.platforms import Platforms, authorized
from app.service.connections.rows import ConnectionWriter, token_columns
from app.service.connections.tokens import Patience, TokenKeeper
from app.service.store.seal import Seal
from app.service.store.tables import connections
from app.service.transfer.handover import is_quiet
from tests.service.platforms import ScriptedAdapter, robin
from tests.service.running import MovingClock
from tests.stores import service_store

LINKEDIN = ConnectionPlatform.LINKEDIN
HOUR = timedelta(hours=1)
T = TypeVar("T")


class FullDatabase(Database):
    """A database whose next writes find no room."""

    def __init__(self, root: Path) -> None:
        super().__init__(service_store(root).engine, "the store")
        self.failures = 0
        self.failure: Exception = DiskFullError("The disk is full.")

    async def write(self, work: Callable[[Connection], T]) -> T:
        if self.failures:
            self.failures -= 1
            raise self.failure
        return await super().write(work)


class Bench:
    """A keeper over a store of its own, and one connected account."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.clock = MovingClock()
        self.adapter = ScriptedAdapter(LINKEDIN)
        self.seal = Seal(b"k" * 32)
        self.patience = Patience()
        self.keeper = self.restarted()

    def restarted(self, seal: Seal | None = None, *, is_set_up: bool = True) -> TokenKeeper:
        app = {LINKEDIN: AppCredentials("app", "test-secret")} if is_set_up else {}
        platforms = Platforms({LINKEDIN: self.adapter}, app)
        return TokenKeeper(self.database, seal or self.seal, platforms, self.clock, self.patience)

    def connect(self, *, refresh: str | None = "refresh-0", lasts: timedelta | None = HOUR) -> UUID:
        expires_at = None if lasts is None else self.clock() + lasts
        grant, writer = TokenGrant("access-0", refresh, expires_at), ConnectionWriter(self.seal, self.clock)

        def work(rows: Connection) -> UUID:
            owner = create_account(rows, "Ines", Plan.LOCAL, self.clock())
            return writer.store(rows, owner, LINKEDIN, uuid4(), robin(), grant)

        return self.database.write_now(work)

    def row(self, connection_id: UUID) -> Row[Any]:
        wanted = connections.select().where(connections.c.id == connection_id)
        return self.database.read_now(lambda rows: rows.execute(wanted).one())

    def is_available(self, connection_id: UUID) -> bool:
        return bool(self.row(connection_id).is_available)

    async def token(self, connection_id: UUID) -> str:
        return await self.keeper.access_token(connection_id)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    database = service_store(tmp_path)
    yield Bench(database)
    database.close()


def refused(kind: FailureKind) -> PlatformError:
    return PlatformError(kind, "code", "words")


async def test_a_good_token_is_used_as_it_is(bench: Bench) -> None:
    for lasts in (HOUR, None):
        assert await bench.token(bench.connect(lasts=lasts)) == "access-0"
    assert bench.adapter.refreshes == []


async def test_a_token_near_its_end_is_refreshed_and_the_new_one_kept(bench: Bench) -> None:
    connection = bench.connect()
    bench.clock.ahead = timedelta(minutes=56)
    bench.adapter.grant = TokenGrant("access-1", "refresh-1", bench.clock() + HOUR)

    assert await bench.token(connection) == "access-1"
    bench.keeper = bench.restarted()
    assert await bench.token(connection) == "access-1"
    assert bench.adapter.refreshes == ["refresh-0"]


async def test_a_token_in_memory_is_refreshed_near_its_end_too(bench: Bench) -> None:
    connection = bench.connect()
    assert await bench.token(connection) == "access-0"

    bench.clock.ahead = timedelta(minutes=54)
    assert await bench.token(connection) == "access-0"
    bench.clock.ahead = timedelta(minutes=56)
    bench.adapter.grant = TokenGrant("access-1", "refresh-1", bench.clock() + HOUR)
    assert await bench.token(connection) == "access-1"


async def test_a_refresh_without_a_refresh_token_keeps_the_former(bench: Bench) -> None:
    connection = bench.connect()
    for number in (1, 2):
        bench.clock.ahead += HOUR
        bench.adapter.grant = TokenGrant(f"access-{number}", None, bench.clock() + HOUR)
        assert await bench.token(connection) == f"access-{number}"

    assert bench.adapter.refreshes == ["refresh-0", "refresh-0"]


async def test_many_who_need_it_share_one_refresh(bench: Bench) -> None:
    connection = bench.connect(lasts=timedelta(seconds=-1))

    bench.adapter.pause, bench.adapter.asked = asyncio.Event(), asyncio.Event()
    waiting = [asyncio.create_task(bench.keeper.access_token(connection)) for _ in range(20)]
    waiting += [asyncio.create_task(bench.keeper.refused(connection, "access-0")) for _ in range(5)]
    await bench.adapter.asked.wait()
    bench.adapter.pause.set()
    assert set(await asyncio.gather(*waiting)) == {"access-1"}
    assert bench.adapter.refreshes == ["refresh-0"]


async def test_who_stops_waiting_does_not_stop_the_refresh(bench: Bench) -> None:
    connection = bench.connect(lasts=timedelta(seconds=-1))

    bench.adapter.pause, bench.adapter.asked = asyncio.Event(), asyncio.Event()
    waiting = asyncio.create_task(bench.keeper.access_token(connection))
    await bench.adapter.asked.wait()
    waiting.cancel()
    bench.adapter.pause.set()
    await bench.keeper.access_token(connection)
    assert bench.adapter.refreshes == ["refresh-0"]


@pytest.mark.parametrize("kind", [FailureKind.TRANSIENT, FailureKind.RATE_LIMITED, FailureKind.AMBIGUOUS])
async def test_a_disturbance_ends_nothing(bench: Bench, kind: FailureKind) -> None:
    soon, over = bench.connect(lasts=timedelta(minutes=1)), bench.connect(lasts=timedelta(seconds=-1))
    bench.adapter.grant = refused(kind)

    assert await bench.token(soon) == "access-0"
    with pytest.raises(PlatformError) as raised:
        await bench.token(over)
    assert raised.value.kind is kind
    assert bench.is_available(soon)
    assert bench.is_available(over)
    bench.adapter.grant = TokenGrant("access-1", None, None)
    assert await bench.token(over) == "access-1"


async def test_a_refused_refresh_token_ends_the_connection(bench: Bench) -> None:
    connection = bench.connect(lasts=timedelta(minutes=1))
    bench.adapter.grant = bench.adapter.people = refused(FailureKind.AUTH_EXPIRED)

    for _ in range(2):
        with pytest.raises(PlatformError) as raised:
            await bench.token(connection)
        assert raised.value.kind is FailureKind.AUTH_EXPIRED
    assert not bench.is_available(connection)
    assert bench.adapter.refreshes == ["refresh-0"]


async def test_without_a_refresh_token_it_is_used_to_its_end(bench: Bench) -> None:
    connection = bench.connect(refresh=None, lasts=timedelta(minutes=1))
    assert await bench.token(connection) == "access-0"
    bench.clock.ahead = timedelta(minutes=2)

    assert await bench.token(connection) == "access-0", "it is only our clock that says so"
    bench.adapter.people = refused(FailureKind.AUTH_EXPIRED)
    with pytest.raises(PlatformError) as raised:
        await bench.token(connection)
    assert raised.value.kind is FailureKind.AUTH_EXPIRED
    assert not bench.is_available(connection)


@pytest.mark.parametrize("kind", [FailureKind.TRANSIENT, FailureKind.RATE_LIMITED, FailureKind.AMBIGUOUS])
@pytest.mark.parametrize("refresh", ["refresh-0", None])
async def test_an_end_that_cannot_be_confirmed_is_none(
    bench: Bench, kind: FailureKind, refresh: str | None
) -> None:
    connection = bench.connect(refresh=refresh, lasts=timedelta(seconds=-1))
    bench.adapter.grant, bench.adapter.people = refused(FailureKind.AUTH_EXPIRED), refused(kind)

    with pytest.raises(PlatformError) as raised:
        await bench.token(connection)
    assert raised.value.kind is kind
    assert bench.is_available(connection)
    assert bench.row(connection).renewing_until is None


async def test_a_lost_refresh_token_ends_the_account_when_its_access_token_dies(bench: Bench) -> None:
    """The platform gave another one to a program that died before it could store it."""
    connection = bench.connect(lasts=timedelta(minutes=1))
    bench.adapter.grant = refused(FailureKind.AUTH_EXPIRED)

    assert await bench.token(connection) == "access-0"
    assert bench.is_available(connection)
    assert bench.row(connection).renew_at is not None
    bench.adapter.people = refused(FailureKind.AUTH_EXPIRED)
    with pytest.raises(PlatformError, match="words"):
        await bench.token(connection)
    assert not bench.is_available(connection)


async def test_a_token_that_the_platform_refuses_is_replaced(bench: Bench) -> None:
    connection = bench.connect()
    assert await bench.token(connection) == "access-0"

    assert await bench.keeper.refused(connection, "access-0") == "access-1"
    assert await bench.token(connection) == "access-1"


async def test_a_connection_that_is_gone_has_no_token(bench: Bench) -> None:
    with pytest.raises(PlatformError) as raised:
        await bench.token(uuid4())
    assert raised.value.kind is FailureKind.AUTH_EXPIRED


async def test_another_key_ends_no_account(bench: Bench) -> None:
    connection = bench.connect()
    bench.keeper = bench.restarted(Seal(b"x" * 32))

    with pytest.raises(PlatformError) as raised:
        await bench.token(connection)
    assert raised.value.kind is FailureKind.TRANSIENT
    assert bench.is_available(connection)

    bench.keeper = bench.restarted()
    assert await bench.token(connection) == "access-0"


async def test_an_unexpected_error_of_an_adapter_releases_the_renewal(bench: Bench) -> None:
    connection = bench.connect(lasts=timedelta(seconds=-1))
    bench.adapter.grant = RuntimeError("a bug")
    with pytest.raises(RuntimeError, match="a bug"):
        await bench.token(connection)
    assert bench.row(connection).renewing_until is None
    assert bench.is_available(connection)


async def test_a_platform_that_is_not_set_up_any_more_ends_no_account(bench: Bench) -> None:
    connection = bench.connect(lasts=timedelta(seconds=-1))
    bench.keeper = bench.restarted(is_set_up=False)

    with pytest.raises(PlatformError) as raised:
        await bench.token(connection)
    assert (raised.value.kind, raised.value.code) == (FailureKind.PERMISSION, "not_set_up")
    assert bench.adapter.refreshes == []
    assert bench.is_available(connection)
    bench.keeper = bench.restarted()
    assert await bench.token(connection) == "access-1"


@pytest.mark.parametrize("lasts", [HOUR, None])
async def test_what_is_not_due_is_not_renewed(bench: Bench, lasts: timedelta | None) -> None:
    """Another process may have been faster."""
    connection = bench.connect(lasts=lasts)
    await bench.keeper.renew(connection)
    assert bench.adapter.refreshes == []


async def test_with_no_renewal_under_way_there_is_nothing_to_wait_for(bench: Bench) -> None:
    await bench.keeper.finish(timedelta(minutes=1))


async def test_no_secret_is_in_a_representation(bench: Bench) -> None:
    await bench.token(bench.connect())

    assert "access-0" not in repr(vars(bench.keeper))


async def refuse(_token: str) -> str:
    raise refused(FailureKind.AUTH_EXPIRED)


async def call(
    bench: Bench, connection: UUID, work: Callable[[str], Awaitable[str]] = refuse
) -> PlatformError:
    """How a call ends that uses a token of the account."""
    with pytest.raises(PlatformError) as raised:
        await authorized(bench.keeper, connection, await bench.token(connection), work)
    return raised.value


async def test_a_token_that_is_refused_while_there_is_a_newer_one_says_nothing(bench: Bench) -> None:
    connection = bench.connect()

    async def refuse_old(token: str) -> str:
        if token == "access-1":
            bench.adapter.grant = TokenGrant("access-2", "refresh-2", None)
            await bench.restarted().refused(connection, token)
        raise refused(FailureKind.AUTH_EXPIRED)

    assert (await call(bench, connection, refuse_old)).kind is FailureKind.TRANSIENT
    assert bench.row(connection).doubted_at is None
    assert await bench.token(connection) == "access-2"


REFRESH = pytest.mark.parametrize("refresh", ["refresh-0", None], ids=["renewable", "not renewable"])


@REFRESH
async def test_refused_calls_alone_end_no_account(bench: Bench, refresh: str | None) -> None:
    connection = bench.connect(refresh=refresh)

    error = await call(bench, connection)
    assert (error.kind, error.code) == (FailureKind.TRANSIENT, "refused_account")
    assert bench.is_available(connection)
    bench.adapter.people = refused(FailureKind.AUTH_EXPIRED)
    for minutes in range(5):
        bench.clock.ahead = timedelta(minutes=minutes)
        bench.keeper = bench.restarted()
        with pytest.raises(PlatformError, match="currently refuses"):
            await bench.token(connection)
    bench.adapter.people = [robin()]
    bench.keeper = bench.restarted()
    token = await bench.token(connection)
    assert token == ("access-1" if refresh else "access-0")
    assert bench.row(connection).doubted_at is None
    assert bench.adapter.refreshes == (["refresh-0"] if refresh else [])


@REFRESH
async def test_an_account_that_is_refused_for_minutes_ends_also_after_a_restart(
    bench: Bench, refresh: str | None
) -> None:
    connection = bench.connect(refresh=refresh)
    assert (await call(bench, connection)).kind is FailureKind.TRANSIENT
    bench.adapter.people = refused(FailureKind.AUTH_EXPIRED)
    bench.clock.ahead = Patience().refused - timedelta(seconds=1)
    bench.keeper = bench.restarted()
    with pytest.raises(PlatformError, match="currently refuses"):
        await bench.token(connection)
    assert bench.is_available(connection)

    bench.adapter.grant = TokenGrant("access-2", "refresh-2", None)
    bench.clock.ahead = Patience().refused
    bench.keeper = bench.restarted()
    with pytest.raises(PlatformError) as raised:
        await bench.token(connection)
    assert raised.value.kind is FailureKind.AUTH_EXPIRED
    assert not bench.is_available(connection)
    assert bench.row(connection).doubted_at is None
    assert bench.adapter.refreshes == (["refresh-0", "refresh-1"] if refresh else [])


async def test_new_tokens_at_the_last_moment_save_an_account(bench: Bench) -> None:
    connection = bench.connect()
    await call(bench, connection)
    bench.clock.ahead = Patience().refused
    bench.adapter.grant = TokenGrant("access-2", "refresh-2", None)

    assert await bench.token(connection) == "access-2"
    assert bench.is_available(connection)


async def test_while_an_account_is_in_doubt_its_platform_is_asked_now_and_then(bench: Bench) -> None:
    connection = bench.connect()
    await call(bench, connection)
    bench.adapter.people = refused(FailureKind.AUTH_EXPIRED)

    every = Patience().ask_again.total_seconds()
    waits = []
    for _ in range(3):
        with pytest.raises(PlatformError) as raised:
            await bench.keeper.access_token(connection)
        waits.append(raised.value.retry_after or 0)
    assert all(0 < wait <= every for wait in waits)
    assert bench.adapter.asked_for_profiles == ["access-1"]
    assert bench.adapter.refreshes == ["refresh-0"]


async def test_an_account_in_doubt_is_not_renewed_for_each_call_that_is_refused(bench: Bench) -> None:
    """The calls of many posts may be refused at the same time; each refresh spends a token."""
    connection = bench.connect()
    await call(bench, connection)
    assert bench.adapter.refreshes == ["refresh-0"]
    bench.adapter.grant = TokenGrant("access-2", "refresh-2", None)

    with pytest.raises(PlatformError, match="currently refuses") as raised:
        await bench.keeper.refused(connection, "access-1")
    assert raised.value.kind is FailureKind.TRANSIENT
    assert bench.adapter.refreshes == ["refresh-0"]


async def test_a_doubt_from_the_future_begins_now(bench: Bench) -> None:
    """The clock was set back meanwhile."""
    connection = bench.connect()
    bench.clock.ahead = HOUR
    await call(bench, connection)
    bench.adapter.people = refused(FailureKind.AUTH_EXPIRED)
    bench.clock.ahead = timedelta()
    with pytest.raises(PlatformError, match="currently refuses"):
        await bench.token(connection)
    assert bench.row(connection).doubted_at <= bench.clock()


async def test_a_second_doubt_is_looked_into_at_once(bench: Bench) -> None:
    connection = bench.connect(refresh=None)
    for asked in (1, 2):
        await call(bench, connection)
        assert await bench.token(connection) == "access-0"
        assert len(bench.adapter.asked_for_profiles) == asked
        assert bench.row(connection).doubted_at is None


async def test_another_failure_of_the_profile_says_that_the_token_works(bench: Bench) -> None:
    connection = bench.connect()
    await call(bench, connection)
    bench.adapter.people = refused(FailureKind.PERMISSION)
    assert await bench.token(connection) == "access-1"
    assert bench.row(connection).doubted_at is None


@pytest.mark.logs_error("new tokens could not be stored")
@pytest.mark.parametrize("failure", [DiskFullError("The disk is full."), SQLAlchemyError("unforeseen")])
async def test_new_tokens_are_stored_however_often_that_takes(
    bench: Bench, tmp_path: Path, failure: Exception
) -> None:
    """The former refresh token is spent: to let go of the new one would be the end of the account."""
    connection = bench.connect(lasts=timedelta(seconds=-1))
    full = FullDatabase(tmp_path)
    full.failure = failure
    bench.adapter.grant = TokenGrant("access-1", "refresh-1", bench.clock() + HOUR)

    bench.adapter.asked = asyncio.Event()
    bench.adapter.pause = asyncio.Event()
    bench.database = full
    waiting = asyncio.create_task(bench.restarted().access_token(connection))
    await bench.adapter.asked.wait()
    full.failures = 2
    bench.adapter.pause.set()
    assert (await waiting) == "access-1"
    full.close()
    assert await bench.token(connection) == "access-1"
    assert bench.adapter.refreshes == ["refresh-0"]


@pytest.mark.parametrize("is_refused", [False, True])
async def test_tokens_that_came_during_a_renewal_are_the_ones_that_count(
    bench: Bench, is_refused: bool
) -> None:
    """A person has connected the account again meanwhile."""
    connection = bench.connect(lasts=timedelta(seconds=-1))
    newer = token_columns(bench.seal, connection, TokenGrant("access-9", "refresh-9", None), bench.clock())
    if is_refused:
        bench.adapter.grant = bench.adapter.people = refused(FailureKind.AUTH_EXPIRED)

    bench.adapter.asked, bench.adapter.pause = asyncio.Event(), asyncio.Event()
    waiting = asyncio.create_task(bench.keeper.access_token(connection))
    await bench.adapter.asked.wait()
    await bench.database.write(lambda rows: rows.execute(connections.update().values(newer)))
    bench.adapter.pause.set()
    assert (await waiting) == "access-9"
    assert bench.is_available(connection)
    assert await bench.token(connection) == "access-9"
    assert bench.adapter.asked_for_profiles == []


async def test_a_renewal_that_is_cut_off_at_the_end_is_no_error(bench: Bench) -> None:
    connection = bench.connect(lasts=timedelta(seconds=-1))

    bench.adapter.asked, bench.adapter.pause = asyncio.Event(), asyncio.Event()
    waiting = asyncio.create_task(bench.keeper.access_token(connection))
    await bench.adapter.asked.wait()
    waiting.cancel()
    bench.adapter.pause = None
    bench.patience = Patience(claim=timedelta(seconds=0.1), look_again=timedelta(milliseconds=5))
    bench.keeper = bench.restarted()
    assert await bench.token(connection) == "access-1"


async def test_an_account_is_busy_while_a_token_is_renewed(bench: Bench) -> None:
    """It can't move to another service then: the new tokens would be stored in the old one only."""
    connection = bench.connect(lasts=timedelta(seconds=-1))
    owner = bench.row(connection).account_id

    async def is_quiet_now() -> bool:
        return await bench.database.read(lambda rows: is_quiet(rows, owner, bench.clock()))

    assert await is_quiet_now()
    bench.adapter.asked, bench.adapter.pause = asyncio.Event(), asyncio.Event()
    waiting = asyncio.create_task(bench.keeper.access_token(connection))
    await bench.adapter.asked.wait()
    assert not await is_quiet_now()
    bench.adapter.pause.set()
    await waiting
    assert await is_quiet_now()


async def test_a_renewal_under_way_is_waited_for_at_the_end(bench: Bench) -> None:
    connection = bench.connect(lasts=timedelta(seconds=-1))

    bench.adapter.asked, bench.adapter.pause = asyncio.Event(), asyncio.Event()
    waiting = asyncio.create_task(bench.keeper.access_token(connection))
    await bench.adapter.asked.wait()
    waiting.cancel()
    finishing = asyncio.create_task(bench.keeper.finish(timedelta(minutes=1)))
    await asyncio.sleep(0)
    bench.adapter.pause.set()
    await finishing
    bench.keeper = bench.restarted()
    assert await bench.token(connection) == "access-1"
    assert bench.adapter.refreshes == ["refresh-0"]


async def test_who_has_a_token_that_is_still_good_does_not_wait_for_long(bench: Bench) -> None:
    connection = bench.connect(lasts=timedelta(minutes=1))
    bench.patience = Patience(spare=timedelta(milliseconds=1))
    bench.keeper = bench.restarted()

    bench.adapter.pause = asyncio.Event()
    token = await bench.keeper.access_token(connection)
    bench.adapter.pause.set()
    await bench.keeper.finish(timedelta(minutes=1))
    assert token == "access-0"
    assert await bench.token(connection) == "access-1"
