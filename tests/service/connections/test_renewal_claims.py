"""Claims on renewals: after a stall, a process leaves the renewal to the one that has taken over."""

import asyncio
from collections.abc import Callable, Hashable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy import Connection

from app.database import Database, DatabaseUnreachableError
from app.platforms.base import FailureKind, PlatformError, TokenGrant
from app.service import worker
from app.service.connections.renewal_claims import RenewalClaim
from app.service.connections.rows import token_columns
from app.service.connections.tokens import Patience
from app.service.store.tables import connections
from tests.leaping import leap, run_leaping
from tests.service.connections.test_tokens import Bench, FullDatabase, refused
from tests.stores import ON_BOTH, service_store

pytestmark = ON_BOTH

T = TypeVar("T")
LEASE = Patience().claim
PAST, SECOND = timedelta(seconds=-1), timedelta(seconds=1)


class StallingDatabase(Database):
    """A database after whose next write ``then`` is called, once, before the writer goes on.

    ``reading`` is called before each read is answered.
    """

    then: Callable[[], None] | None = None
    reading: Callable[[], None] = staticmethod(lambda: None)

    async def read(self, work: Callable[[Connection], T], *, share: Hashable | None = None) -> T:
        result = await super().read(work, share=share)
        self.reading()
        return result

    async def write(self, work: Callable[[Connection], T]) -> T:
        result = await super().write(work)
        if self.then is not None:
            then, self.then = self.then, None
            then()
        return result


@pytest.fixture
def database(tmp_path: Path) -> Iterator[StallingDatabase]:
    database = StallingDatabase(service_store(tmp_path).engine, "the store")
    yield database
    database.close()


@pytest.fixture
def bench(database: StallingDatabase) -> Bench:
    return Bench(database)


def set_lease(bench: Bench, until: datetime) -> None:
    """Claim the renewal as another process does."""
    taken = connections.update().values(renewing_until=until)
    bench.database.write_now(lambda rows: rows.execute(taken))


@pytest.mark.parametrize("is_asleep", [False, True])
def test_a_claim_that_took_long_to_write_begins_no_renewal(
    bench: Bench, database: StallingDatabase, is_asleep: bool
) -> None:
    """The process stood still until another one considered its lease as over. Asleep, its loop did, too."""

    async def story() -> None:
        connection = bench.connect(lasts=PAST)
        theirs = bench.clock().replace(microsecond=0) + timedelta(hours=1)
        stalled = asyncio.Event()

        def stall() -> None:
            if is_asleep:
                bench.clock.ahead += LEASE
            else:
                leap(LEASE.total_seconds())
            set_lease(bench, theirs)
            stalled.set()

        database.then = stall
        waiting = asyncio.create_task(bench.token(connection))
        await stalled.wait()
        await asyncio.sleep(0.1)  # so that it most likely waits; it must come right in any order
        assert bench.adapter.refreshes == []
        assert bench.row(connection).renewing_until == theirs
        brought = token_columns(bench.seal, connection, TokenGrant("access-9", None, None), bench.clock())
        await database.write(lambda rows: rows.execute(connections.update().values(brought)))
        assert await waiting == "access-9"
        assert bench.adapter.refreshes == []

    run_leaping(story())


def test_a_claim_that_took_long_to_write_is_claimed_again(bench: Bench, database: StallingDatabase) -> None:
    """Immediately, unless another process did so meanwhile."""

    async def story() -> None:
        connection = bench.connect(lasts=PAST)
        database.then = lambda: leap(LEASE.total_seconds() / 2)
        async with asyncio.timeout(LEASE.total_seconds()):
            assert await bench.token(connection) == "access-1"
        assert bench.adapter.refreshes == ["refresh-0"]

    run_leaping(story())


@pytest.mark.parametrize("silent_for", [LEASE, LEASE / 2])
def test_a_lease_does_not_expire_while_nobody_reaches_the_database(
    bench: Bench, database: StallingDatabase, silent_for: timedelta
) -> None:
    """Its holder couldn't extend it either, and may still be using the refresh token, which works once."""
    looks = 0

    def cut() -> None:
        nonlocal looks
        looks += 1
        if looks in {3, 5}:
            leap(silent_for.total_seconds())

    async def story() -> None:
        connection = bench.connect(lasts=PAST)
        set_lease(bench, bench.clock() + LEASE)
        database.reading = cut
        waiting = asyncio.create_task(bench.token(connection))
        while looks < 6 and not waiting.done():  # noqa: ASYNC110  the store tells nobody
            await asyncio.sleep(0.01)
        assert bench.adapter.refreshes == []
        brought = token_columns(bench.seal, connection, TokenGrant("access-9", None, None), bench.clock())
        await database.write(lambda rows: rows.execute(connections.update().values(brought)))
        assert await waiting == "access-9"
        assert bench.adapter.refreshes == []

    run_leaping(story())


def test_a_lease_that_is_not_extended_expires(bench: Bench, database: StallingDatabase) -> None:
    async def story() -> None:
        connection = bench.connect(lasts=PAST)
        set_lease(bench, bench.clock() + 100 * LEASE)
        database.reading = lambda: leap(LEASE.total_seconds() / 4)
        assert await bench.token(connection) == "access-1"
        assert bench.adapter.refreshes == ["refresh-0"]

    run_leaping(story())


TRANSIENT, ENDED = refused(FailureKind.TRANSIENT), refused(FailureKind.AUTH_EXPIRED)


@pytest.mark.parametrize(
    ("renewal", "profile"), [(TRANSIENT, None), (ENDED, None), (ENDED, TRANSIENT), (ENDED, ENDED)]
)
async def test_a_failure_after_another_process_took_over_changes_nothing(
    bench: Bench, renewal: PlatformError, profile: PlatformError | None
) -> None:
    """Without its claim, a third process would renew at the same time. Its tokens may save the account."""
    connection = bench.connect(lasts=PAST)
    bench.adapter.grant = renewal
    bench.adapter.people = profile or []
    bench.adapter.asked, bench.adapter.pause = asyncio.Event(), asyncio.Event()
    waiting = asyncio.create_task(bench.token(connection))
    await bench.adapter.asked.wait()
    theirs = bench.clock().replace(microsecond=0) + 2 * LEASE
    set_lease(bench, theirs)
    bench.adapter.pause.set()
    if renewal is ENDED and profile is None:
        assert await waiting == "access-0"
    else:
        with pytest.raises(PlatformError) as raised:
            await waiting
        assert raised.value.kind is FailureKind.TRANSIENT
    assert bench.is_available(connection)
    assert bench.row(connection).renewing_until == theirs


async def test_only_the_own_lease_is_extended(bench: Bench) -> None:
    row, claim = bench.row(bench.connect()), RenewalClaim(bench.database, bench.clock, LEASE)
    await claim.extend(row)
    assert bench.row(row.id).renewing_until is None
    assert await claim.take(row)
    first = bench.row(row.id).renewing_until
    bench.clock.ahead = SECOND
    await claim.extend(row)
    assert bench.row(row.id).renewing_until >= first + SECOND
    set_lease(bench, first + 9 * SECOND)
    await claim.extend(row)
    assert bench.row(row.id).renewing_until == first + 9 * SECOND
    await claim.release(row)
    assert bench.row(row.id).renewing_until == first + 9 * SECOND


async def test_a_lease_lasts_from_now_on(bench: Bench) -> None:
    now = bench.clock().replace(microsecond=0)
    row, claim = bench.row(bench.connect()), RenewalClaim(bench.database, lambda: now, LEASE)
    assert await claim.take(row)
    assert bench.row(row.id).renewing_until == now + LEASE
    now += SECOND
    await claim.extend(row)
    assert bench.row(row.id).renewing_until == now + LEASE


@pytest.mark.parametrize("is_taken", [False, True])
async def test_a_claim_changes_nothing_once_there_are_new_tokens(bench: Bench, is_taken: bool) -> None:
    """They were stored after the row had been read."""
    row, claim = bench.row(bench.connect()), RenewalClaim(bench.database, bench.clock, LEASE)
    if is_taken:
        assert await claim.take(row)
    until, bench.clock.ahead = bench.row(row.id).renewing_until, SECOND
    columns = token_columns(bench.seal, row.id, TokenGrant("access-9", None, None), bench.clock())
    brought = connections.update().values(columns | {"renewing_until": until})
    bench.database.write_now(lambda rows: rows.execute(brought))
    before = bench.row(row.id)

    assert not await claim.take(row)
    await claim.extend(row)
    await claim.release(row, renew_at=bench.clock())
    assert bench.row(row.id) == before


async def test_of_simultaneous_claims_only_one_is_held(bench: Bench) -> None:
    """Both leases have the same value if they were written within a millisecond."""
    now = bench.clock()
    row = bench.row(bench.connect())
    ours, theirs = (RenewalClaim(bench.database, lambda: now, LEASE) for _ in range(2))
    assert await theirs.take(row)
    assert not await ours.take(row)
    until = bench.row(row.id).renewing_until
    assert theirs.is_own(until)
    assert not ours.is_own(until)
    await ours.release(row)
    assert bench.row(row.id).renewing_until == until


async def test_an_extension_as_another_process_takes_over_extends_nothing(bench: Bench) -> None:
    now = bench.clock()
    row = bench.row(bench.connect())
    ours, theirs = (RenewalClaim(bench.database, lambda: now, LEASE) for _ in range(2))
    assert await ours.take(row)
    now += LEASE
    assert await theirs.take(bench.row(row.id))
    await ours.extend(row)
    until = bench.row(row.id).renewing_until
    assert theirs.is_own(until)
    assert not ours.is_own(until)


async def test_a_lease_stays_its_own_when_the_answer_to_an_extension_is_lost(
    bench: Bench, database: StallingDatabase
) -> None:
    def fail() -> None:
        raise DatabaseUnreachableError("The server went away.")

    row, claim = bench.row(bench.connect()), RenewalClaim(bench.database, bench.clock, LEASE)
    assert await claim.take(row)
    bench.clock.ahead, database.then = SECOND, fail
    with pytest.raises(DatabaseUnreachableError):
        await claim.extend(row)
    assert claim.is_own(bench.row(row.id).renewing_until)
    await claim.release(row)
    assert bench.row(row.id).renewing_until is None


async def test_no_renewal_begins_of_an_account_that_ended_meanwhile(bench: Bench) -> None:
    """New tokens would make it available again."""
    row, claim = bench.row(bench.connect(lasts=PAST)), RenewalClaim(bench.database, bench.clock, LEASE)
    ended = connections.update().values(is_available=False)
    bench.database.write_now(lambda rows: rows.execute(ended))
    assert not await claim.take(row)
    back = connections.update().values(is_available=True)
    bench.database.write_now(lambda rows: rows.execute(back))
    assert await claim.take(row)
    assert not await claim.take(row), "another process was faster"


@pytest.mark.logs_error("new tokens could not be stored")
def test_a_claim_is_extended_until_the_new_tokens_are_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process would use the old refresh token again."""
    monkeypatch.setattr(worker, "_WRITE_AGAIN", LEASE / 2)
    full = FullDatabase(tmp_path)

    async def story() -> None:
        bench = Bench(full)
        connection = bench.connect(lasts=PAST)
        bench.adapter.asked, bench.adapter.pause = asyncio.Event(), asyncio.Event()
        waiting = asyncio.create_task(bench.token(connection))
        await bench.adapter.asked.wait()
        full.failures, before = 1, bench.row(connection)
        bench.adapter.pause.set()
        while full.failures:  # noqa: ASYNC110  the store tells nobody
            await asyncio.sleep(0.01)
        bench.clock.ahead = SECOND
        leap(LEASE.total_seconds() / 3)
        while (now := bench.row(connection)).renewing_until == before.renewing_until:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        assert now.access_token == before.access_token
        leap(LEASE.total_seconds() / 6)
        assert await waiting == "access-1"

    run_leaping(story())
    full.close()


def test_a_lease_has_to_be_looked_at_often() -> None:
    """With rare checks, the claim of a dead process would never end."""
    with pytest.raises(ValueError, match="shorter"):
        Patience(claim=10 * Patience().look_again)
