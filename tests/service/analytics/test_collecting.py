"""Collecting: what is asked when, and what is kept of the answers."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import ConnectionPlatform
from app.platforms.base import COUNT_MAX, METRIC_MAX, ContentMetrics, FailureKind, PlatformError, Profile
from app.service.analytics.collecting import Collector, Patience
from app.service.analytics.samples import SAMPLED_FOR, first_sample, next_sample, take_due
from app.service.store.tables import connections, contents
from tests.service.contents import publish
from tests.service.platforms import ScriptedAdapter
from tests.service.running import Caller

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@dataclass
class MeasuringAdapter(ScriptedAdapter):
    """Tells the numbers that it was given; an error in their place is raised, once."""

    numbers: dict[str, ContentMetrics] = field(default_factory=dict)
    errors: list[Exception] = field(default_factory=list)
    asked_for: list[list[str]] = field(default_factory=list)
    hanging: set[str] = field(default_factory=set)
    """Items whose numbers never come."""

    async def metrics(
        self, access_token: str, account_identifier: str, content_ids: Collection[str]
    ) -> Sequence[ContentMetrics]:
        assert access_token
        assert account_identifier
        self.asked_for.append(sorted(content_ids))
        if self.asked is not None:
            self.asked.set()
        if self.pause is not None:
            await self.pause.wait()
        if self.hanging.intersection(content_ids):
            await asyncio.Event().wait()
        if self.errors:
            raise self.errors.pop(0)
        return [self.numbers[one] for one in content_ids if one in self.numbers]


@dataclass
class CountingAdapter(MeasuringAdapter):
    """Lists no accounts with an account's own token."""

    async def followers(self, access_token: str, account_identifier: str) -> int | None:
        assert access_token
        return {"me": 77, "many": 10**12}[account_identifier]


@dataclass
class KnownTokens:
    """A token for everybody, and another one where it was refused."""

    renewed: list[UUID] = field(default_factory=list)

    async def access_token(self, connection_id: UUID) -> str:
        return f"token of {connection_id}"

    async def refused(self, connection_id: UUID, token: str) -> str:
        assert token == f"token of {connection_id}"
        self.renewed.append(connection_id)
        return f"new token of {connection_id}"


@dataclass
class World:
    """One account with one item, and a collector whose platform tells what the test says."""

    caller: Caller
    linkedin: MeasuringAdapter
    tokens: KnownTokens
    collector: Collector
    account: str

    def impatient(self, patience: Patience) -> None:
        """Goes on with a collector that waits for less, and an account whose items are asked for singly."""
        service = self.caller.service
        adapters = {ConnectionPlatform.LINKEDIN: self.linkedin}
        self.collector = Collector(service.database, self.tokens, adapters, service.clock, patience)
        self.account = self.caller.connect(account_identifier="one by one")

    def publish(self, content_id: str, *, due: datetime | None = None, **columns: Any) -> None:
        now = self.caller.service.clock()
        publish(self.caller, self.account, content_id, next_sample_at=due or now, **columns)

    async def collect(self) -> int:
        return await self.collector.collect_due()

    def next_at(self, content_id: str) -> datetime | None:
        wanted = (contents.c.account_id == self.caller.account_id) & (contents.c.content_id == content_id)
        at: datetime | None = self.caller.service.database.read_now(
            lambda rows: rows.execute(contents.select().where(wanted)).one().next_sample_at
        )
        return at

    def rows(self) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = self.caller.http.get("/analytics", params={"days": 90}).json()["data"]
        return listed


@pytest.fixture
def world(caller: Caller) -> World:
    # The other tests' items are none of this test's.
    caller.service.database.write_now(
        lambda rows: rows.execute(contents.update().values(next_sample_at=None))
    )
    linkedin, tokens = MeasuringAdapter(ConnectionPlatform.LINKEDIN), KnownTokens()
    collector = Collector(
        caller.service.database, tokens, {ConnectionPlatform.LINKEDIN: linkedin}, caller.service.clock
    )
    return World(caller, linkedin, tokens, collector, caller.connect(account_identifier="me"))


async def test_what_is_due_is_asked_for_and_kept(world: World) -> None:
    world.linkedin.people = [Profile("other", follower_count=1), Profile("me", follower_count=1840)]
    world.linkedin.numbers = {"a": ContentMetrics("a", 412, 38, None, 9)}
    world.publish("a")
    world.publish("later", due=world.caller.service.clock() + HOUR)

    assert await world.collect() == 1

    assert world.linkedin.asked_for == [["a"]]
    [row] = world.rows()
    assert row["content_id"] == "a"
    assert [row[name] for name in ("views", "likes", "comments", "shares")] == [412, 38, 0, 9]
    assert row["subscribers"] == 1840
    connection = world.caller.http.get(f"/connections/{world.account}").json()
    assert connection["follower_count"] == 1840
    assert await world.collect() == 0


async def test_the_last_sample_of_a_day_takes_the_earlier_ones_place(world: World) -> None:
    world.publish("a")
    for views in (1, 2):
        world.linkedin.numbers = {"a": ContentMetrics("a", views, None, None, None)}
        await world.collector.collect_now()
        [row] = world.rows()
        assert row["views"] == views
    first = row["id"]
    world.caller.service.clock.ahead = DAY
    await world.collector.collect_now()

    assert [row["id"] == first for row in world.rows()] == [False, True]


async def test_many_accounts_are_sampled_in_every_event_loop(world: World) -> None:
    """The command and the tests sample in loops of their own; more accounts than slots have to wait."""
    for number in range(9):
        other = world.caller.connect(account_identifier=f"other {number}")
        publish(world.caller, other, f"item {number}", next_sample_at=world.caller.service.clock())
    world.linkedin.numbers = {f"item {number}": ContentMetrics("", 1, 1, 1, 1) for number in range(9)}

    await world.collector.collect_now()
    await world.collector.collect_now()


async def test_what_the_platform_does_not_tell_of_is_asked_for_again_in_time(world: World) -> None:
    world.publish("gone")

    assert await world.collect() == 0

    assert world.rows() == []
    assert world.next_at("gone") > world.caller.service.clock()  # type: ignore[operator]


async def test_numbers_of_things_that_were_not_asked_for_are_left_out(world: World) -> None:
    world.publish("a")
    world.linkedin.numbers = {"a": ContentMetrics("b", 1, 1, 1, 1)}

    assert await world.collect() == 0
    assert world.rows() == []


async def test_numbers_that_cannot_be_true_are_cut(world: World) -> None:
    world.linkedin.people = [Profile("me", follower_count=10**30)]
    world.linkedin.numbers = {"a": ContentMetrics("a", 10**30, -(10**30), None, 9)}
    world.publish("a")
    assert await world.collect() == 1
    [row] = world.rows()
    assert [row[name] for name in ("views", "likes", "shares", "subscribers")] == [
        METRIC_MAX,
        0,
        9,
        COUNT_MAX,
    ]


async def test_a_platform_that_fails_is_asked_again_in_an_hour(world: World) -> None:
    world.linkedin.errors = [PlatformError(FailureKind.TRANSIENT, "503", "busy")]
    world.publish("a")

    assert await world.collect() == 0
    again = world.next_at("a")
    assert again is not None
    assert timedelta(minutes=59) < again - world.caller.service.clock() <= HOUR
    world.linkedin.numbers = {"a": ContentMetrics("a", 1, 1, 1, 1)}
    world.caller.service.clock.ahead = HOUR
    assert await world.collect() == 1


ALL = {name: ContentMetrics(name, 1, 1, 1, 1) for name in "abcd"}


async def test_what_a_slow_platform_told_is_kept_and_the_rest_asked_for_in_the_next_round(
    world: World,
) -> None:
    world.impatient(Patience(turn=timedelta(0)))
    world.linkedin.numbers = ALL
    now = world.caller.service.clock()
    for age, name in enumerate("abcd"):
        world.publish(name, created_at=now - age * HOUR)

    assert [await world.collect() for _ in range(5)] == [1, 1, 1, 1, 0]

    assert world.linkedin.asked_for == [["a"], ["b"], ["c"], ["d"]]
    assert len(world.rows()) == 4


async def test_an_item_whose_numbers_never_come_holds_up_no_other(world: World) -> None:
    world.impatient(Patience(call=timedelta(milliseconds=50)))
    world.linkedin.numbers, world.linkedin.hanging = ALL, {"b"}
    for name in "abc":
        world.publish(name)

    assert await world.collect() == 2

    assert sorted(row["content_id"] for row in world.rows()) == ["a", "c"]
    assert world.next_at("b") > world.caller.service.clock() + 0.9 * HOUR  # type: ignore[operator]


async def test_after_two_failures_those_that_were_not_asked_for_come_first(world: World) -> None:
    world.impatient(Patience())
    world.linkedin.errors = [PlatformError(FailureKind.TRANSIENT, "503", "busy") for _ in range(2)]
    clock = world.caller.service.clock
    now = clock()
    for age, name in enumerate("abcd"):
        world.publish(name, created_at=now - age * HOUR)

    assert await world.collect() == 0

    assert world.linkedin.asked_for == [["a"], ["b"]]
    first, second, third, fourth = (world.next_at(name) or clock() for name in "abcd")
    assert third == fourth
    assert clock() + 0.9 * HOUR < third < min(first, second)


def test_an_account_with_many_items_leaves_room_for_the_others(world: World) -> None:
    now = world.caller.service.clock()
    for number in range(6):
        world.publish(f"old {number}", due=now - 2 * DAY)
    other = world.caller.connect(account_identifier="second")
    publish(world.caller, other, "new", next_sample_at=now - DAY)

    taken = world.caller.service.database.write_now(lambda rows: take_due(rows, now, now + HOUR, 5, 4))

    assert sorted(len(feed.items) for feed in taken) == [1, 4]
    assert [item.content_id for feed in taken if str(feed.connection_id) == other for item in feed.items] == [
        "new"
    ]


async def test_an_account_that_ended_is_looked_at_once_a_day_and_costs_no_call(world: World) -> None:
    clock = world.caller.service.clock
    world.publish("a")
    world.publish("old", created_at=clock() - 89.5 * DAY)
    is_account = connections.c.id == UUID(world.account)

    def set_available(is_available: bool) -> None:
        world.caller.service.database.write_now(
            lambda rows: rows.execute(
                connections.update().where(is_account).values(is_available=is_available)
            )
        )

    set_available(False)
    assert await world.collect() == 0
    assert world.linkedin.asked_for == []
    assert world.next_at("a") > clock() + 0.9 * DAY  # type: ignore[operator]
    assert world.next_at("old") is None
    set_available(True)
    clock.ahead = DAY
    world.linkedin.numbers = ALL
    assert await world.collect() == 1


@pytest.mark.parametrize(
    ("kind", "wait"),
    [
        (FailureKind.TRANSIENT, HOUR),
        (FailureKind.RATE_LIMITED, HOUR),
        (FailureKind.QUOTA, HOUR),
        (FailureKind.PERMISSION, DAY),
        (FailureKind.INVALID, DAY),
    ],
)
async def test_what_does_not_pass_is_asked_for_less_often(
    world: World, kind: FailureKind, wait: timedelta
) -> None:
    clock = world.caller.service.clock
    world.linkedin.errors = [PlatformError(kind, "code", "words")]
    world.publish("a")
    world.publish("old", created_at=clock() - 90 * DAY + 0.5 * HOUR)

    assert await world.collect() == 0

    again = world.next_at("a")
    assert again is not None
    assert wait - timedelta(minutes=5) < again - clock() <= wait
    assert world.next_at("old") is None


async def test_a_platform_that_says_when_is_not_asked_before(world: World) -> None:
    world.linkedin.errors = [PlatformError(FailureKind.RATE_LIMITED, "429", "slow", retry_after=7_200)]
    world.publish("a")

    await world.collect()

    assert world.next_at("a") > world.caller.service.clock() + 1.9 * HOUR  # type: ignore[operator]


@pytest.mark.logs_error("a call for metrics failed unexpectedly")
async def test_an_answer_that_cannot_be_read_harms_nobody_else(world: World) -> None:
    other = world.caller.connect(account_identifier="second")
    publish(world.caller, other, "b", next_sample_at=world.caller.service.clock() + HOUR)
    world.linkedin.errors = [ValueError("nonsense")]
    world.publish("a")
    world.linkedin.numbers = {name: ContentMetrics(name, 1, 1, 1, 1) for name in "ab"}
    world.caller.service.clock.ahead = 2 * HOUR

    assert await world.collect() == 1


async def test_a_token_that_was_refused_is_renewed_once(world: World) -> None:
    world.linkedin.errors = [PlatformError(FailureKind.AUTH_EXPIRED, "401", "expired")]
    world.linkedin.numbers = {"a": ContentMetrics("a", 1, 1, 1, 1)}
    world.publish("a")

    assert await world.collect() == 1
    assert world.tokens.renewed == [UUID(world.account)]


async def test_followers_that_cannot_be_had_cost_no_sample(world: World) -> None:
    world.linkedin.people = PlatformError(FailureKind.PERMISSION, "403", "no")
    world.linkedin.numbers = {"a": ContentMetrics("a", 1, 1, 1, 1)}
    world.publish("a")

    assert await world.collect() == 1
    assert world.rows()[0]["subscribers"] == 0


async def test_followers_are_counted_with_an_accounts_own_token(world: World) -> None:
    counting = CountingAdapter(ConnectionPlatform.LINKEDIN)
    counting.people = PlatformError(FailureKind.INVALID, "100", "nonexisting field (accounts)")
    counting.numbers = {"a": ContentMetrics("a", 1, 1, 1, 1)}
    service, adapters = world.caller.service, {ConnectionPlatform.LINKEDIN: counting}
    world.collector = Collector(service.database, world.tokens, adapters, service.clock)
    world.publish("a")

    assert await world.collect() == 1
    assert world.rows()[0]["subscribers"] == 77

    many = world.caller.connect(account_identifier="many")
    publish(world.caller, many, "a", next_sample_at=service.clock())

    assert await world.collect() == 1
    assert {row["subscribers"] for row in world.rows()} == {77, COUNT_MAX}


async def test_a_platform_that_is_not_set_up_is_left_alone(world: World) -> None:
    elsewhere = world.caller.connect("tiktok")
    publish(world.caller, elsewhere, "t", platform="tiktok", next_sample_at=world.caller.service.clock())

    assert await world.collect() == 0
    assert world.next_at("t") > world.caller.service.clock()  # type: ignore[operator]


async def test_on_demand_everything_young_enough_is_sampled(world: World) -> None:
    now = world.caller.service.clock()
    world.publish("new", due=now + HOUR)
    publish(world.caller, world.account, "old", created_at=now - 91 * DAY)
    world.linkedin.numbers = {name: ContentMetrics(name, 1, 1, 1, 1) for name in ("new", "old")}

    await world.collector.collect_now()

    assert [row["content_id"] for row in world.rows()] == ["new"]


async def test_it_works_in_the_background_and_a_call_that_hangs_does_not_hold_it_up(world: World) -> None:
    world.publish("a")

    async def run() -> None:
        world.linkedin.asked, world.linkedin.pause = asyncio.Event(), asyncio.Event()
        running = asyncio.create_task(world.collector.run())
        await world.linkedin.asked.wait()
        await world.collector.stop()
        await running

    await asyncio.wait_for(run(), 20)
    assert world.linkedin.asked_for == [["a"]]


def test_the_schedule_of_an_item() -> None:
    at: datetime | None = first_sample(NOON)
    moments = []
    while at is not None:
        moments.append(at - NOON)
        at = next_sample(NOON, at)

    assert moments[:5] == [HOUR, 6 * HOUR, DAY, 2 * DAY, 3 * DAY]
    assert moments[-1] == SAMPLED_FOR == 90 * DAY
    assert len(moments) == 92


@given(age=st.timedeltas(timedelta(0), timedelta(days=200)))
def test_the_next_sample_is_soon_and_never_past(age: timedelta) -> None:
    at = next_sample(NOON, NOON + age)

    if at is None:
        assert age >= 90 * DAY
    else:
        assert timedelta(0) < at - (NOON + age) <= DAY
