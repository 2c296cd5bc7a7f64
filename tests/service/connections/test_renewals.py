"""Renewal ahead of time: before a post is due, once however many look; no network failure ends anything."""

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import Connection as Rows
from sqlalchemy import select, update
from sqlalchemy.exc import SQLAlchemyError

from app.contract.enums import ConnectionPlatform
from app.database import DiskFullError
from app.platforms.base import AppCredentials, FailureKind, PlatformError, Profile, TokenGrant
from app.service.connections import renewals
from app.service.connections.flow_rows import digest
from app.service.connections.renewals import Renewals
from app.service.connections.rows import token_columns
from app.service.connections.tokens import Patience
from app.service.store.tables import accounts, connection_flows, connections, events
from tests.service.connections.test_flow_rows import add as add_flow
from tests.service.connections.test_tokens import Bench, FullDatabase
from tests.service.platforms import ScriptedAdapter
from tests.service.running import MovingClock
from tests.stores import ON_BOTH, service_store

pytestmark = ON_BOTH

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    database = service_store(tmp_path)
    yield Bench(database)
    database.close()


async def look(bench: Bench, processes: int = 1) -> None:
    """One round, in each of several processes at the same time."""

    async def rounds() -> None:
        keepers = [bench.restarted() for _ in range(processes)]
        await asyncio.gather(
            *(
                Renewals(bench.database, keeper, bench.clock, exclusive=False).renew_due()
                for keeper in keepers
            )
        )

    await rounds()


def ends_told(bench: Bench) -> int:
    types = bench.database.read_now(lambda rows: rows.scalars(select(events.c.type)).all())
    return list(types).count("connection.expired")


def renew_at(bench: Bench, connection: UUID) -> object:
    column = select(connections.c.renew_at).where(connections.c.id == connection)
    return bench.database.read_now(lambda rows: rows.scalar(column))


@pytest.mark.parametrize(
    ("lasts", "before"),
    [
        (HOUR, timedelta(minutes=12)),
        (2 * HOUR, timedelta(minutes=24)),
        (DAY, DAY / 5),
        (60 * DAY, 7 * DAY),
        (timedelta(minutes=20), timedelta(minutes=10)),
    ],
)
async def test_a_token_is_renewed_in_the_last_part_of_its_life(
    bench: Bench, lasts: timedelta, before: timedelta
) -> None:
    connection = bench.connect(lasts=lasts)
    bench.adapter.grant = TokenGrant("access-1", "refresh-1", bench.clock() + 400 * DAY)

    bench.clock.ahead = lasts - before - timedelta(minutes=1)
    await look(bench)
    assert bench.adapter.refreshes == []
    bench.clock.ahead = lasts - before + timedelta(minutes=1)
    await look(bench)
    assert bench.adapter.refreshes == ["refresh-0"]
    await look(bench)
    assert bench.adapter.refreshes == ["refresh-0"]
    bench.keeper = bench.restarted()
    assert await bench.token(connection) == "access-1"


async def test_a_token_without_end_is_left_alone(bench: Bench) -> None:
    bench.connect(lasts=None)
    bench.clock.ahead = 1000 * DAY

    await look(bench)

    assert bench.adapter.refreshes == []


async def test_one_that_cannot_be_renewed_lives_to_its_end_and_then_is_told_once(bench: Bench) -> None:
    connection = bench.connect(refresh=None)
    bench.clock.ahead = timedelta(minutes=55)
    await look(bench)
    assert bench.is_available(connection)
    assert renew_at(bench, connection) == bench.row(connection).token_expires_at

    bench.clock.ahead = timedelta(minutes=61)
    bench.adapter.people = PlatformError(FailureKind.AUTH_EXPIRED, "401", "revoked")
    for _ in range(2):
        await look(bench, processes=3)

    assert not bench.is_available(connection)
    assert renew_at(bench, connection) is None
    assert ends_told(bench) == 1


async def test_a_refused_renewal_is_told_once_however_many_look(bench: Bench) -> None:
    connection = bench.connect(lasts=timedelta(minutes=1))
    revoked = PlatformError(FailureKind.AUTH_EXPIRED, "invalid_grant", "revoked")
    bench.adapter.grant = bench.adapter.people = revoked

    await look(bench, processes=4)

    assert not bench.is_available(connection)
    assert bench.adapter.refreshes == ["refresh-0"]
    assert ends_told(bench) == 1


async def test_many_processes_renew_once(bench: Bench) -> None:
    """A refresh token that works only once would be lost by a second renewal."""
    connection = bench.connect(lasts=timedelta(minutes=1))
    bench.adapter.grant = TokenGrant("access-1", "refresh-1", bench.clock() + HOUR)

    await look(bench, processes=4)

    assert bench.adapter.refreshes == ["refresh-0"]
    bench.keeper = bench.restarted()
    assert await bench.token(connection) == "access-1"


def claim(bench: Bench) -> None:
    """As another process does before it asks the platform."""
    taken = connections.update().values(renewing_until=bench.clock() + timedelta(minutes=2))
    bench.database.write_now(lambda rows: rows.execute(taken))


async def test_the_renewal_of_another_process_is_waited_for(bench: Bench) -> None:
    connection = bench.connect(lasts=timedelta(seconds=-1))
    claim(bench)
    brought = token_columns(bench.seal, connection, TokenGrant("access-9", None, None), bench.clock())

    waiting = asyncio.create_task(bench.keeper.access_token(connection))
    await asyncio.sleep(0.1)  # so that it most likely waits; it must come right in any order
    await bench.database.write(lambda rows: rows.execute(connections.update().values(brought)))
    assert (await waiting) == "access-9"
    assert bench.adapter.refreshes == []


async def test_who_waits_for_a_renewal_that_is_refused_does_not_ask_again(bench: Bench) -> None:
    connection = bench.connect(lasts=timedelta(seconds=-1))
    claim(bench)

    waiting = asyncio.create_task(bench.keeper.access_token(connection))
    await asyncio.sleep(0.1)  # so that it most likely waits; it must come right in any order
    ended = connections.update().values(is_available=False, renewing_until=None)
    await bench.database.write(lambda rows: rows.execute(ended))
    with pytest.raises(PlatformError, match="authorized again"):
        await waiting
    assert bench.adapter.refreshes == []


async def test_a_process_that_died_in_a_renewal_does_not_block_it_for_good(bench: Bench) -> None:
    connection = bench.connect(lasts=timedelta(minutes=1))
    claim(bench)
    bench.patience = Patience(claim=timedelta(seconds=0.3), look_again=timedelta(seconds=0.01))

    await look(bench)

    assert await bench.token(connection) == "access-1"


async def test_the_only_owner_clears_renewals_of_the_dead_at_its_start_and_then_no_more(bench: Bench) -> None:
    connection, later = bench.connect(lasts=timedelta(minutes=1)), bench.connect()
    claim(bench)
    renewals = Renewals(bench.database, bench.keeper, bench.clock, exclusive=True)

    await renewals.renew_due()

    assert bench.row(later).renewing_until is None
    assert bench.adapter.refreshes == ["refresh-0"]
    assert await bench.token(connection) == "access-1"
    claim(bench)
    await renewals.renew_due()
    assert bench.row(connection).renewing_until is not None


async def test_one_of_several_leaves_the_renewals_of_others_alone(bench: Bench) -> None:
    connection = bench.connect()
    claim(bench)
    await look(bench)
    assert bench.row(connection).renewing_until is not None


async def test_a_long_renewal_is_not_taken_over_while_its_process_lives(bench: Bench) -> None:
    """However long the platform takes, since its process keeps saying that it waits for it."""
    connection = bench.connect(lasts=timedelta(seconds=-1))
    bench.patience = Patience(claim=timedelta(seconds=0.6), look_again=timedelta(seconds=0.01))
    first, second = bench.restarted(), bench.restarted()

    bench.adapter.asked, bench.adapter.pause = asyncio.Event(), asyncio.Event()
    one = asyncio.create_task(first.access_token(connection))
    await bench.adapter.asked.wait()
    moved, former = 0, bench.row(connection).renewing_until
    two = asyncio.create_task(second.access_token(connection))
    while moved < 5:
        await asyncio.sleep(0.01)
        now = bench.row(connection).renewing_until
        assert now >= former  # the lease gets longer
        moved, former = moved + (now != former), now
    assert bench.adapter.refreshes == ["refresh-0"]
    bench.adapter.pause.set()
    assert [await one, await two] == ["access-1", "access-1"]
    assert bench.adapter.refreshes == ["refresh-0"]


@pytest.mark.logs_error("a renewal could not be extended")
@pytest.mark.parametrize("failure", [DiskFullError("The disk is full."), SQLAlchemyError("unforeseen")])
async def test_a_renewal_is_extended_again_after_a_write_that_failed(
    bench: Bench, tmp_path: Path, failure: Exception
) -> None:
    """Without that, another process would spend the same refresh token."""
    connection = bench.connect(lasts=timedelta(seconds=-1))
    bench.patience = Patience(claim=timedelta(seconds=0.3), look_again=timedelta(seconds=0.01))
    full = FullDatabase(tmp_path)
    full.failure, bench.database = failure, full
    keeper = bench.restarted()

    bench.adapter.asked, bench.adapter.pause = asyncio.Event(), asyncio.Event()
    waiting = asyncio.create_task(keeper.access_token(connection))
    await bench.adapter.asked.wait()
    full.failures = 1
    while full.failures:  # noqa: ASYNC110  the store tells nobody
        await asyncio.sleep(0.01)
    former = bench.row(connection).renewing_until
    async with asyncio.timeout(30):
        while bench.row(connection).renewing_until == former:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    bench.adapter.pause.set()
    assert (await waiting) == "access-1"
    full.close()


async def test_accounts_that_need_nothing_take_no_places_of_a_round(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A round looks at so many accounts: ended ones and those without an end would fill it."""
    monkeypatch.setattr(renewals, "_MOST", 2)
    ended = [bench.connect(lasts=timedelta(minutes=1)) for _ in range(2)]
    unavailable = update(connections).where(connections.c.id.in_(ended)).values(is_available=False)
    bench.database.write_now(lambda rows: rows.execute(unavailable))
    for _ in range(2):
        bench.connect(lasts=None)
    due, doubted = bench.connect(lasts=timedelta(minutes=2)), bench.connect(lasts=None)
    with pytest.raises(PlatformError):
        await bench.keeper.ended(doubted, "access-0")
    bench.adapter.grant = TokenGrant("access-1", "refresh-1", bench.clock() + DAY)

    await look(bench)

    assert bench.adapter.refreshes == ["refresh-0"]
    assert bench.row(due).token_expires_at == bench.adapter.grant.expires_at
    assert bench.row(doubted).doubted_at is None, "its token works"


async def test_the_accounts_that_are_due_first_are_renewed_first(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renewals, "_MOST", 1)
    for minutes in (3, 1, 2):
        bench.connect(refresh=f"refresh-{minutes}", lasts=timedelta(minutes=minutes))
    for _ in range(3):
        await look(bench)
    assert bench.adapter.refreshes == ["refresh-1", "refresh-2", "refresh-3"]


async def test_accounts_of_customers_who_moved_are_left_alone(bench: Bench) -> None:
    due, doubted = bench.connect(lasts=timedelta(seconds=-1)), bench.connect(lasts=None)
    with pytest.raises(PlatformError):
        await bench.keeper.ended(doubted, "access-0")

    def move(moved_at: datetime | None) -> None:
        moved = update(accounts).values(moved_at=moved_at)
        bench.database.write_now(lambda rows: rows.execute(moved))

    move(bench.clock())
    await look(bench)
    assert (bench.adapter.refreshes, bench.adapter.asked_for_profiles) == ([], [])
    move(None)
    await look(bench)
    assert (bench.adapter.refreshes, bench.adapter.asked_for_profiles) == (["refresh-0"], ["access-0"])
    assert bench.is_available(due)


async def test_a_round_deletes_flows_that_ended_long_ago(bench: Bench) -> None:
    owner = bench.row(bench.connect()).account_id

    def kept() -> set[str]:
        found = select(connection_flows.c.state_hash)
        return set(bench.database.read_now(lambda rows: rows.scalars(found).all()))

    def store(rows: Rows) -> None:
        add_flow(rows, owner, "old", "linkedin", expires_at=bench.clock() - 2 * DAY)
        add_flow(rows, owner, "new", "linkedin", expires_at=bench.clock() + HOUR)

    bench.database.write_now(store)
    await look(bench)
    assert kept() == {digest("state of new")}


class Crowded(ScriptedAdapter):
    """Counts the renewals that are under way at the same time."""

    now = most = 0

    async def refresh(self, credentials: AppCredentials, refresh_token: str) -> TokenGrant:
        self.now += 1
        self.most = max(self.most, self.now)
        for _ in range(50):
            await asyncio.sleep(0)
        self.now -= 1
        return await super().refresh(credentials, refresh_token)


async def test_only_so_many_accounts_are_renewed_at_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renewals, "_AT_ONCE", 2)
    bench.adapter = crowded = Crowded(bench.adapter.platform)
    for _ in range(6):
        bench.connect(lasts=timedelta(seconds=-1))
    await look(bench)
    assert (len(crowded.refreshes), crowded.most <= 2) == (6, True)


async def test_an_account_in_doubt_is_asked_about_although_nothing_is_planned(bench: Bench) -> None:
    connection = bench.connect(lasts=None)
    with pytest.raises(PlatformError):
        await bench.keeper.ended(connection, "access-0")
    bench.adapter.people = PlatformError(FailureKind.AUTH_EXPIRED, "401", "refused")
    await look(bench)
    assert bench.is_available(connection)
    assert renew_at(bench, connection) is None
    bench.clock.ahead = Patience().refused
    await look(bench, processes=3)
    assert not bench.is_available(connection)
    assert ends_told(bench) == 1


class Overlapping(ScriptedAdapter):
    """Holds the first question for a profile, and the second renewal, until they are let go."""

    def __init__(self, platform: ConnectionPlatform) -> None:
        super().__init__(platform)
        self.confirming, self.confirm = asyncio.Event(), asyncio.Event()
        self.renewing, self.renew = asyncio.Event(), asyncio.Event()

    async def profiles(self, access_token: str) -> list[Profile]:
        if not self.confirming.is_set():
            self.confirming.set()
            await self.confirm.wait()
        return await super().profiles(access_token)

    async def refresh(self, credentials: AppCredentials, refresh_token: str) -> TokenGrant:
        if self.refreshes:
            self.renewing.set()
            await self.renew.wait()
        return await super().refresh(credentials, refresh_token)


async def test_an_account_that_another_process_is_renewing_is_ended_by_that_one_and_once(
    bench: Bench,
) -> None:
    """Tokens that arrive after the end made the account available again, to be ended a second time."""
    connection = bench.connect(lasts=None)
    with pytest.raises(PlatformError):
        await bench.keeper.ended(connection, "access-0")
    bench.clock.ahead = Patience().refused

    bench.adapter = adapter = Overlapping(bench.adapter.platform)
    adapter.people = PlatformError(FailureKind.AUTH_EXPIRED, "401", "refused")
    one = asyncio.create_task(bench.restarted().renew(connection))
    await adapter.confirming.wait()
    other = asyncio.create_task(bench.restarted().renew(connection))
    await adapter.renewing.wait()
    adapter.confirm.set()
    with pytest.raises(PlatformError) as still_in_doubt:
        await one
    assert still_in_doubt.value.kind is FailureKind.TRANSIENT
    assert bench.is_available(connection)
    adapter.renew.set()
    with pytest.raises(PlatformError) as ended:
        await other
    assert ended.value.kind is FailureKind.AUTH_EXPIRED
    assert not bench.is_available(connection)
    assert ends_told(bench) == 1


@pytest.mark.parametrize("kind", [kind for kind in FailureKind if kind is not FailureKind.AUTH_EXPIRED])
async def test_no_other_failure_ends_the_connection(bench: Bench, kind: FailureKind) -> None:
    connection = bench.connect(lasts=timedelta(minutes=1))
    bench.adapter.grant = PlatformError(kind, "code", "words")
    bench.clock.ahead = DAY

    await look(bench)
    await look(bench)

    assert bench.is_available(connection)
    assert ends_told(bench) == 0
    assert bench.adapter.refreshes == ["refresh-0"]  # and the next try is later
    bench.clock.ahead += timedelta(minutes=11)
    bench.adapter.grant = TokenGrant("access-1", None, None)
    await look(bench)
    assert await bench.token(connection) == "access-1"


async def test_one_failing_account_does_not_hold_up_another(bench: Bench) -> None:
    connection = bench.connect(refresh=None, lasts=timedelta(minutes=1))
    bench.connect(lasts=timedelta(seconds=1))
    bench.adapter.grant = PlatformError(FailureKind.TRANSIENT, "503", "later")
    bench.adapter.people = PlatformError(FailureKind.AUTH_EXPIRED, "401", "revoked")
    bench.clock.ahead = HOUR

    await look(bench)

    assert not bench.is_available(connection)


class OneBad(ScriptedAdapter):
    """Takes every refresh token but one."""

    async def refresh(self, credentials: AppCredentials, refresh_token: str) -> TokenGrant:
        grant = await super().refresh(credentials, refresh_token)
        if refresh_token == "refresh-bad":
            raise PlatformError(FailureKind.TRANSIENT, "503", "later")
        return grant


async def test_a_failure_postpones_its_own_account_alone(bench: Bench) -> None:
    bench.adapter = OneBad(bench.adapter.platform)
    bad = bench.connect(refresh="refresh-bad", lasts=timedelta(seconds=-1))
    others = [bench.connect(lasts=timedelta(seconds=1)) for _ in range(20)]
    bench.clock.ahead = HOUR

    await look(bench)

    assert bench.adapter.refreshes.count("refresh-0") == len(others)
    assert bench.row(bad).renew_at > bench.clock()


async def test_stopping_waits_for_a_renewal_that_a_post_asked_for(bench: Bench) -> None:
    connection = bench.connect(lasts=timedelta(seconds=-1))

    bench.adapter.asked, bench.adapter.pause = asyncio.Event(), asyncio.Event()
    waiting = asyncio.create_task(bench.keeper.access_token(connection))
    await bench.adapter.asked.wait()
    waiting.cancel()
    stopping = asyncio.create_task(
        Renewals(bench.database, bench.keeper, bench.clock, exclusive=False).stop()
    )
    for _ in range(50):
        await asyncio.sleep(0)
    assert not stopping.done()
    bench.adapter.pause.set()
    await stopping
    bench.keeper = bench.restarted()
    assert await bench.token(connection) == "access-1"
    assert bench.adapter.refreshes == ["refresh-0"]


async def test_it_runs_until_it_is_stopped(bench: Bench) -> None:
    connection = bench.connect(lasts=timedelta(seconds=-1))

    bench.adapter.asked = asyncio.Event()
    renewals = Renewals(bench.database, bench.keeper, bench.clock, exclusive=False)
    running = asyncio.create_task(renewals.run())
    await bench.adapter.asked.wait()
    await renewals.stop()
    await running
    assert await bench.token(connection) == "access-1"


class CountingClock(MovingClock):
    """A clock that counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def __call__(self) -> datetime:
        self.asked += 1
        return super().__call__()


async def test_it_rests_between_its_rounds(bench: Bench) -> None:
    """Counted, not timed: each round looks at the clock."""
    bench.connect()
    clock = CountingClock()

    renewals = Renewals(bench.database, bench.keeper, clock, exclusive=False)
    running = asyncio.create_task(renewals.run())
    while clock.asked < 2:  # noqa: ASYNC110  a round tells nobody
        await asyncio.sleep(0.005)
    for _ in range(50):
        await bench.database.read(lambda rows: rows.scalar(select(1)))
    await renewals.stop()
    await running
    assert clock.asked == 2


async def test_a_round_without_anything_due_writes_nothing(bench: Bench, tmp_path: Path) -> None:
    """It comes every two minutes, also to a service that nobody uses."""
    bench.connect()
    full = FullDatabase(tmp_path)
    full.failures = 1
    await Renewals(full, bench.keeper, bench.clock, exclusive=False).renew_due()
    assert full.failures == 1
    full.close()


@pytest.mark.logs_error("accounts could not be checked")
@pytest.mark.parametrize("failure", [DiskFullError("The disk is full."), SQLAlchemyError("unforeseen")])
async def test_it_goes_on_where_the_store_fails(bench: Bench, tmp_path: Path, failure: Exception) -> None:
    full = FullDatabase(tmp_path)
    full.failures, full.failure = 1, failure

    renewals = Renewals(full, bench.keeper, bench.clock, exclusive=True)
    running = asyncio.create_task(renewals.run())
    while full.failures and not running.done():  # noqa: ASYNC110  the store tells nobody
        await asyncio.sleep(0.005)
    assert not running.done()
    await renewals.stop()
    await running
    full.close()


async def test_once_it_is_stopped_nothing_new_is_renewed(bench: Bench) -> None:
    for _ in range(20):
        bench.connect(lasts=timedelta(seconds=-1))

    bench.adapter.asked, bench.adapter.pause = asyncio.Event(), asyncio.Event()
    renewals = Renewals(bench.database, bench.keeper, bench.clock, exclusive=False)
    running = asyncio.create_task(renewals.run())
    await bench.adapter.asked.wait()
    stopping = asyncio.create_task(renewals.stop())
    await asyncio.sleep(0)
    bench.adapter.pause.set()
    await stopping
    await running
    assert 0 < len(bench.adapter.refreshes) < 20


@pytest.mark.logs_error("an account could not be renewed")
async def test_an_unforeseen_failure_stops_nothing(bench: Bench) -> None:
    connection = bench.connect(lasts=timedelta(seconds=-1))
    bench.adapter.grant = RuntimeError("a bug")

    await look(bench)
    await look(bench)

    assert bench.is_available(connection)
    assert bench.adapter.refreshes == ["refresh-0"]  # and the next try is later
    bench.adapter.grant = TokenGrant("access-1", None, None)
    bench.clock.ahead = HOUR
    await look(bench)
    assert await bench.token(connection) == "access-1"


async def test_a_token_that_is_renewed_with_itself_is_renewed_every_week(bench: Bench) -> None:
    """Those of Meta's platforms last for 60 days, and one that has ended renews nothing."""
    bench.connect(refresh="access-0", lasts=60 * DAY)
    for week in (1, 2):
        former = f"access-{week - 1}"
        bench.adapter.grant = TokenGrant(f"access-{week}", f"access-{week}", bench.clock() + 60 * DAY)
        bench.clock.ahead = week * 7 * DAY - HOUR
        await look(bench)
        assert bench.adapter.refreshes[week - 1 :] == []
        bench.clock.ahead = week * 7 * DAY + HOUR
        await look(bench)
        assert bench.adapter.refreshes[week - 1 :] == [former]
