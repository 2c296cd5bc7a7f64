"""Tokens: which one is kept in memory, when a platform is asked again, and what is counted."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from app.contract.enums import ConnectionPlatform
from app.platforms.base import AppCredentials, Cause, FailureKind, PlatformError, TokenGrant
from app.service.connections.platforms import Platforms
from app.service.connections.rows import token_columns
from app.service.connections.tokens import Patience, TokenKeeper
from app.service.monitoring.meter import Meter
from app.service.store.tables import connections
from tests.leaping import leap, run_leaping
from tests.service.connections.test_tokens import HOUR, LINKEDIN, Bench, call, refused
from tests.service.platforms import robin
from tests.stores import service_store

MINUTE = timedelta(minutes=1)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    database = service_store(tmp_path)
    yield Bench(database)
    database.close()


async def test_a_token_that_was_replaced_is_forgotten(bench: Bench) -> None:
    """Here by an early renewal, and in another process."""
    connection = bench.connect()
    assert await bench.token(connection) == "access-0"
    bench.clock.ahead = 50 * MINUTE
    bench.adapter.grant = TokenGrant("access-1", "refresh-1", bench.clock() + HOUR)
    await bench.keeper.renew(connection)
    assert await bench.token(connection) == "access-1"
    newer = token_columns(bench.seal, connection, TokenGrant("access-9", "refresh-9", None), bench.clock())
    bench.database.write_now(lambda rows: rows.execute(connections.update().values(newer)))
    assert await bench.token(connection) == "access-1", "from memory"
    assert await bench.keeper.refused(connection, "access-1") == "access-9"
    assert await bench.token(connection) == "access-9"
    assert bench.adapter.refreshes == ["refresh-0"]


async def test_the_token_of_an_account_that_ended_is_forgotten(bench: Bench) -> None:
    connection, other = bench.connect(), bench.connect()
    for one in (connection, other):
        assert await bench.token(one) == "access-0"
    bench.clock.ahead = 50 * MINUTE
    bench.adapter.grant = bench.adapter.people = refused(FailureKind.AUTH_EXPIRED)
    with pytest.raises(PlatformError, match="words"):
        await bench.keeper.renew(connection)
    with pytest.raises(PlatformError, match="authorized again") as raised:
        await bench.token(connection)
    assert raised.value.kind is FailureKind.AUTH_EXPIRED
    assert await bench.token(other) == "access-0"
    with pytest.raises(PlatformError, match="authorized again"):
        await bench.keeper.renew(connection)
    await bench.keeper.ended(connection, "access-0")  # nothing new


async def test_the_token_of_an_account_in_doubt_is_forgotten(bench: Bench) -> None:
    connection = bench.connect()
    assert await bench.token(connection) == "access-0"
    with pytest.raises(PlatformError) as raised:
        await bench.keeper.ended(connection, "access-0")
    error = raised.value
    assert (error.kind, error.cause, error.retry_after) == (FailureKind.TRANSIENT, Cause.RENEWAL, 20)
    bench.adapter.people = refused(FailureKind.AUTH_EXPIRED)
    with pytest.raises(PlatformError, match="currently refuses") as raised:
        await bench.token(connection)
    assert raised.value.retry_after == 20


async def test_a_doubt_counts_from_the_first_refusal(bench: Bench) -> None:
    connection = bench.connect(refresh=None)
    await call(bench, connection)
    since = bench.row(connection).doubted_at
    bench.clock.ahead = 3 * MINUTE
    bench.adapter.people = refused(FailureKind.AUTH_EXPIRED)
    with pytest.raises(PlatformError, match="currently refuses"):
        await bench.keeper.ended(connection, "access-0")
    with pytest.raises(PlatformError, match="currently refuses"):
        await bench.token(connection)
    assert bench.row(connection).doubted_at == since
    with pytest.raises(PlatformError) as raised:
        await bench.keeper.ended(connection, "an older token")
    assert (raised.value.kind, raised.value.code) == (FailureKind.TRANSIENT, "renewed_meanwhile")


def test_the_platform_of_an_account_in_doubt_is_asked_every_20_seconds(bench: Bench) -> None:
    async def story() -> None:
        connection = bench.connect(refresh=None)
        await call(bench, connection)
        bench.adapter.people = refused(FailureKind.AUTH_EXPIRED)
        for asked in (1, 2, 3):
            for seconds in (0, 10):
                leap(seconds)
                with pytest.raises(PlatformError) as raised:
                    await bench.keeper.renew(connection)
            assert len(bench.adapter.asked_for_profiles) == asked
            assert 9 < (raised.value.retry_after or 0) <= 10
            leap(10)

    run_leaping(story())


@pytest.mark.parametrize("kind", [FailureKind.TRANSIENT, FailureKind.RATE_LIMITED, FailureKind.AMBIGUOUS])
async def test_a_doubt_remains_while_the_platform_does_not_answer(bench: Bench, kind: FailureKind) -> None:
    connection = bench.connect(refresh=None)
    await call(bench, connection)
    bench.clock.ahead = Patience().refused + MINUTE
    bench.adapter.people = refused(kind)
    with pytest.raises(PlatformError) as raised:
        await bench.token(connection)
    assert raised.value.kind is kind
    assert bench.is_available(connection)
    assert bench.row(connection).doubted_at is not None


async def test_a_doubt_remains_while_the_platform_is_not_set_up(bench: Bench) -> None:
    connection = bench.connect(refresh=None)
    await call(bench, connection)
    bench.clock.ahead = Patience().refused + MINUTE
    keeper = TokenKeeper(bench.database, bench.seal, Platforms({}, {}), bench.clock)
    with pytest.raises(PlatformError) as raised:
        await keeper.access_token(connection)
    assert (raised.value.kind, raised.value.code) == (FailureKind.PERMISSION, "not_set_up")
    assert bench.is_available(connection)
    assert bench.row(connection).doubted_at is not None


async def test_an_account_in_doubt_is_not_renewed_early(bench: Bench) -> None:
    connection = bench.connect()
    with pytest.raises(PlatformError):
        await bench.keeper.ended(connection, "access-0")
    bench.clock.ahead = 4 * MINUTE
    due = update(connections).values(renew_at=bench.clock() - MINUTE)
    bench.database.write_now(lambda rows: rows.execute(due))
    bench.adapter.people = [robin()]
    await bench.keeper.renew(connection)
    assert (bench.adapter.refreshes, bench.adapter.asked_for_profiles) == ([], ["access-0"])
    await bench.keeper.renew(connection)
    assert bench.adapter.refreshes == ["refresh-0"]


async def test_a_token_without_an_end_and_without_a_successor_is_only_doubted(bench: Bench) -> None:
    connection = bench.connect(refresh=None, lasts=None)
    bench.clock.ahead = 1_000 * HOUR
    error = await call(bench, connection)
    assert (error.kind, error.code) == (FailureKind.TRANSIENT, "refused_account")
    assert bench.is_available(connection)


async def test_a_refused_renewal_is_tried_again_in_ten_minutes_while_the_token_works(bench: Bench) -> None:
    connection = bench.connect(lasts=MINUTE)
    bench.adapter.grant = refused(FailureKind.AUTH_EXPIRED)
    assert await bench.token(connection) == "access-0"
    row = bench.row(connection)
    assert row.renewing_until is None
    assert timedelta() <= bench.clock() + 10 * MINUTE - row.renew_at < MINUTE
    assert bench.adapter.refreshes == ["refresh-0"]
    await bench.keeper.renew(connection)
    assert bench.adapter.refreshes == ["refresh-0"]


async def test_a_token_of_another_key_is_not_taken_for_a_refusal(bench: Bench) -> None:
    connection = bench.connect()
    other = bench.connect()
    sealed = bench.row(other).access_token
    stolen = update(connections).where(connections.c.id == connection).values(access_token=sealed)
    bench.database.write_now(lambda rows: rows.execute(stolen))
    with pytest.raises(PlatformError) as raised:
        await bench.token(connection)
    assert (raised.value.kind, raised.value.code) == (FailureKind.TRANSIENT, "unreadable_access")
    assert bench.is_available(connection)


async def test_an_end_waits_for_a_renewal_only_so_long(bench: Bench) -> None:
    connection = bench.connect(lasts=-MINUTE)
    bench.adapter.asked, bench.adapter.pause = asyncio.Event(), asyncio.Event()
    waiting = asyncio.create_task(bench.token(connection))
    await bench.adapter.asked.wait()
    async with asyncio.timeout(30):
        await bench.keeper.finish(timedelta(milliseconds=1))
    assert not waiting.done()
    bench.adapter.pause.set()
    assert await waiting == "access-1"


async def test_a_renewal_leaves_nothing_running_and_no_claim(bench: Bench) -> None:
    before = asyncio.all_tasks()
    connection = bench.connect(lasts=-MINUTE)
    assert await bench.token(connection) == "access-1"
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before
    assert bench.row(connection).renewing_until is None


class Counting(Meter):
    """Counts renewals."""

    def __init__(self) -> None:
        self.counted: list[tuple[ConnectionPlatform, str]] = []

    def note_renewal(self, platform: ConnectionPlatform, outcome: str) -> None:
        self.counted.append((platform, outcome))


@pytest.mark.parametrize(
    ("grant", "outcome"),
    [
        (TokenGrant("access-1", None, None), "renewed"),
        (refused(FailureKind.AUTH_EXPIRED), "refused"),
        (refused(FailureKind.TRANSIENT), "failed"),
        (RuntimeError("a bug"), "failed"),
    ],
    ids=["renewed", "refused", "transient", "bug"],
)
async def test_renewals_are_counted_by_their_outcome(
    bench: Bench, grant: TokenGrant | Exception, outcome: str
) -> None:
    meter, connection = Counting(), bench.connect(lasts=-MINUTE)
    platforms = Platforms({LINKEDIN: bench.adapter}, {LINKEDIN: AppCredentials("app", "test-secret")})
    keeper = TokenKeeper(bench.database, bench.seal, platforms, bench.clock, Patience(), meter)
    bench.adapter.grant = grant
    if outcome == "failed":
        with pytest.raises((PlatformError, RuntimeError)):
            await keeper.access_token(connection)
    else:
        await keeper.access_token(connection)
    assert meter.counted == [(LINKEDIN, outcome)]
