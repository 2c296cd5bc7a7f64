"""When the worker looks, rests, takes turns, prunes and stops, in a time that only the test moves."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, func, insert, select, update

from app.contract.enums import EventType
from app.database import Database
from app.service.store.tables import deliveries, events, webhook_subscriptions
from app.service.webhooks.delivery_worker import DeliverySettings, DeliveryWorker
from app.service.webhooks.events import event_row, record
from app.service.webhooks.queue import KEPT
from app.service.webhooks.sender import Due, MessageSender, Sent, judge
from tests.leaping import calm, leap, rests, run_still, until_still
from tests.service.publishing.world import MortalDatabase, Step
from tests.service.webhooks.office import DATA
from tests.service.webhooks.test_events import NOW, add_account, add_subscription
from tests.stores import service_engine, take_back

HOUR = timedelta(hours=1)


@dataclass
class Post:
    """A sender that notes what it delivers; ``held`` keeps its deliveries under way."""

    clock: Callable[[], datetime]
    status: int = 204
    sent: list[UUID] = field(default_factory=list)
    running: int = 0
    most: int = 0
    open: asyncio.Event = field(default_factory=asyncio.Event)
    timeout: timedelta = timedelta(seconds=10)

    async def deliver(self, due: Due) -> Sent:
        self.sent.append(due.subscription_id)
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await self.open.wait()
        finally:
            self.running -= 1
        return Sent(judge(self.status), None, self.clock(), self.clock(), 1)


class Bench:
    """A store with one account, a clock and a sender."""

    def __init__(self, folder: Path) -> None:
        self.database = MortalDatabase(service_engine(folder))
        self.now = NOW
        self.looks = 0
        self.account_id = self.database.write_now(add_account)

    def clock(self) -> datetime:
        self.looks += 1
        return self.now

    def subscribe(self, **columns: Any) -> UUID:
        def work(rows: Connection) -> UUID:
            made = add_subscription(rows, self.account_id, EventType.POST_SCHEDULED)
            if columns:
                changed = update(webhook_subscriptions).where(webhook_subscriptions.c.id == made)
                rows.execute(changed.values(columns))
            return made

        return self.database.write_now(work)

    def happen(self, times: int = 1, *, at: datetime = NOW) -> None:
        for _ in range(times):
            self.database.write_now(
                lambda rows: record(rows, self.account_id, EventType.POST_SCHEDULED, DATA, at)
            )

    def waiting(self) -> int:
        wanted = select(func.count()).where(deliveries.c.next_attempt_at.is_not(None))
        return self.database.read_now(lambda rows: rows.scalar(wanted) or 0)

    def claimed_until(self, subscription_id: UUID) -> datetime | None:
        column = webhook_subscriptions.c.claimed_until
        wanted = select(column).where(webhook_subscriptions.c.id == subscription_id)
        return self.database.read_now(lambda rows: rows.scalar(wanted))

    def age(self, count: int) -> None:
        """Adds events that are too old to be kept."""
        at = self.now - KEPT - HOUR
        rows = [event_row(self.account_id, EventType.POST_FAILED, DATA, at) for _ in range(count)]
        self.database.write_now(lambda opened: opened.execute(insert(events), rows))

    def old(self) -> int:
        wanted = select(func.count()).where(events.c.type == EventType.POST_FAILED.value)
        return self.database.read_now(lambda rows: rows.scalar(wanted) or 0)


Story = Callable[[Bench, Post], Coroutine[Any, Any, None]]
Play = Callable[[Story], None]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    bench = Bench(tmp_path)

    async def main(story: Story) -> None:
        post = Post(lambda: bench.now)
        post.open.set()
        await story(bench, post)

    def run(story: Story) -> None:
        run_still(main(story))

    yield run
    bench.database.close()
    take_back(tmp_path)


def worker(
    bench: Bench, post: Post, settings: DeliverySettings | None = None, *, exclusive: bool = True
) -> DeliveryWorker:
    database = cast("Database", bench.database)
    settings = settings or DeliverySettings(backoff=(60.0,))
    return DeliveryWorker(database, cast("MessageSender", post), bench.clock, settings, exclusive=exclusive)


def started(
    bench: Bench, post: Post, settings: DeliverySettings | None = None, *, exclusive: bool = True
) -> tuple[DeliveryWorker, asyncio.Task[None]]:
    made = worker(bench, post, settings, exclusive=exclusive)
    return made, asyncio.create_task(made.run())


async def looked(bench: Bench) -> None:
    """Waits until the worker has looked and rests."""
    before = bench.looks
    await until_still(lambda: bench.looks > before and rests())


def test_with_nothing_due_it_looks_twice_a_second(play: Play) -> None:
    async def story(bench: Bench, post: Post) -> None:
        made, running = started(bench, post)
        await looked(bench)
        seen = bench.looks
        leap(0.4999)
        await calm()
        assert bench.looks == seen
        leap(0.0002)
        await until_still(lambda: bench.looks > seen)
        await made.stop()
        await running

    play(story)


def test_it_looks_again_when_the_next_delivery_is_due(play: Play) -> None:
    async def story(bench: Bench, post: Post) -> None:
        bench.subscribe()
        bench.happen(at=NOW + timedelta(milliseconds=200))
        made, running = started(bench, post)
        await looked(bench)
        bench.now += timedelta(milliseconds=200)
        leap(0.1999)
        await calm()
        assert post.sent == []
        leap(0.0002)
        await until_still(lambda: bench.waiting() == 0)
        await made.stop()
        await running

    play(story)


def test_a_delivery_that_is_far_away_does_not_keep_it_from_looking(play: Play) -> None:
    async def story(bench: Bench, post: Post) -> None:
        bench.subscribe()
        bench.happen(at=NOW + timedelta(minutes=5))
        made, running = started(bench, post)
        await looked(bench)
        bench.happen()
        leap(0.51)
        await until_still(lambda: len(post.sent) == 1)
        await made.stop()
        await running

    play(story)


def test_what_was_written_while_the_clock_was_ahead_is_delivered_once_nothing_else_waits(play: Play) -> None:
    async def story(bench: Bench, post: Post) -> None:
        bench.subscribe()
        made, running = started(bench, post)
        await looked(bench)
        bench.happen(at=NOW + 7 * HOUR)
        leap(0.51)
        await until_still(lambda: len(post.sent) == 1)
        await made.stop()
        await running

    play(story)


def test_a_notification_makes_it_look_immediately(play: Play) -> None:
    async def story(bench: Bench, post: Post) -> None:
        bench.subscribe()
        made, running = started(bench, post)
        await looked(bench)
        bench.happen()
        made.notify()
        await until_still(lambda: bench.waiting() == 0 and post.running == 0)
        await until_still(rests)
        await calm()
        seen = bench.looks
        await calm()
        assert bench.looks == seen  # and then it rests
        await made.stop()
        await running

    play(story)


@pytest.mark.parametrize("room", [1, 2])
def test_no_more_deliveries_are_under_way_than_there_is_room_for(play: Play, room: int) -> None:
    async def story(bench: Bench, post: Post) -> None:
        for _ in range(4):
            bench.subscribe()
        bench.happen()
        post.open.clear()
        made, running = started(bench, post, DeliverySettings(backoff=(), at_once=room))
        await until_still(lambda: post.running == room)
        made.notify()
        await looked(bench)
        assert post.running == room
        post.open.set()
        await until_still(lambda: bench.waiting() == 0)
        assert (len(post.sent), post.most) == (4, room)
        await made.stop()
        await running

    play(story)


def test_fifty_deliveries_are_under_way_at_most(play: Play) -> None:
    async def story(bench: Bench, post: Post) -> None:
        for _ in range(51):
            bench.subscribe()
        bench.happen()
        post.open.clear()
        made, running = started(bench, post)
        await until_still(lambda: post.running == 50)
        made.notify()
        await looked(bench)
        assert post.running == 50
        post.open.set()
        await until_still(lambda: bench.waiting() == 0)
        await made.stop()
        await running

    play(story)


@pytest.mark.parametrize(
    ("turn", "order"), [(1, "ABAAAA"), (2, "AABAAA"), (4, "AAAABA"), (5, "AAAAAB"), (9, "AAAAAB")]
)
def test_a_turn_ends_after_its_deliveries(play: Play, turn: int, order: str) -> None:
    async def story(bench: Bench, post: Post) -> None:
        first = bench.subscribe()
        bench.happen(5)
        bench.database.write_now(lambda rows: rows.execute(update(webhook_subscriptions).values(events=[])))
        second = bench.subscribe(last_delivery_at=NOW - HOUR)
        bench.happen()
        settings = DeliverySettings(backoff=(), at_once=1, turn=turn)
        made, running = started(bench, post, settings)
        await until_still(lambda: bench.waiting() == 0)
        assert "".join({first: "A", second: "B"}[one] for one in post.sent) == order
        await made.stop()
        await running

    play(story)


def test_a_turn_has_twenty_deliveries(play: Play) -> None:
    async def story(bench: Bench, post: Post) -> None:
        first = bench.subscribe()
        bench.happen(21)
        bench.database.write_now(lambda rows: rows.execute(update(webhook_subscriptions).values(events=[])))
        second = bench.subscribe(last_delivery_at=NOW - HOUR)
        bench.happen()
        made, running = started(bench, post, DeliverySettings(backoff=(), at_once=1))
        await until_still(lambda: bench.waiting() == 0)
        assert post.sent == [first] * 20 + [second, first]
        await made.stop()
        await running

    play(story)


def test_a_failure_ends_a_turn(play: Play) -> None:
    async def story(bench: Bench, post: Post) -> None:
        first = bench.subscribe()
        bench.happen(2)
        bench.database.write_now(lambda rows: rows.execute(update(webhook_subscriptions).values(events=[])))
        second = bench.subscribe(last_delivery_at=NOW - HOUR)
        bench.happen()
        post.status = 404
        made, running = started(bench, post, DeliverySettings(backoff=(), at_once=1))
        await until_still(lambda: bench.waiting() == 0)
        assert post.sent == [first, second, first]
        await made.stop()
        await running

    play(story)


def test_a_claim_holds_for_thirty_seconds_and_while_it_is_under_way(play: Play) -> None:
    """An exclusive worker ends the claims of a dead one only when it starts."""

    async def story(bench: Bench, post: Post) -> None:
        subscription_id = bench.subscribe(claimed_by=uuid4(), claimed_until=NOW + HOUR)
        bench.happen()
        post.open.clear()
        made, running = started(bench, post)
        await until_still(lambda: post.running == 1)
        assert bench.claimed_until(subscription_id) == NOW + timedelta(seconds=30)
        for _ in range(3):
            made.notify()
            await looked(bench)
        assert bench.claimed_until(subscription_id) == NOW + timedelta(seconds=30)
        assert len(post.sent) == 1
        post.open.set()
        await made.stop()
        await running

    play(story)


def test_a_worker_that_is_not_alone_leaves_claims_of_others(play: Play) -> None:
    async def story(bench: Bench, post: Post) -> None:
        bench.subscribe(claimed_by=uuid4(), claimed_until=NOW + HOUR)
        bench.happen()
        made, running = started(bench, post, exclusive=False)
        await looked(bench)
        assert post.sent == []
        await made.stop()
        await running

    play(story)


def test_stopping_waits_five_seconds_for_what_is_under_way(play: Play) -> None:
    async def story(bench: Bench, post: Post) -> None:
        subscription_id = bench.subscribe()
        bench.happen()
        post.open.clear()
        made, running = started(bench, post)
        await until_still(lambda: post.running == 1)
        stopping = asyncio.create_task(made.stop())
        await calm(3)
        await until_still(rests)
        leap(4.9999)
        await calm()
        assert (post.running, stopping.done()) == (1, False)
        leap(0.0002)
        await until_still(stopping.done)
        await running
        assert (post.running, bench.waiting()) == (0, 1)
        assert bench.claimed_until(subscription_id) is None

    play(story)


def test_a_worker_that_was_stopped_before_it_began_delivers_nothing(play: Play) -> None:
    async def story(bench: Bench, post: Post) -> None:
        bench.subscribe()
        bench.happen()
        made = worker(bench, post)
        await made.stop()
        await made.run()
        assert (post.sent, bench.looks) == ([], 0)

    play(story)


def test_a_worker_that_was_cancelled_ends_its_deliveries_and_can_be_stopped(play: Play) -> None:
    async def story(bench: Bench, post: Post) -> None:
        bench.subscribe()
        bench.subscribe()
        bench.happen()
        post.open.clear()
        made, running = started(bench, post)
        await until_still(lambda: post.running == 2)
        running.cancel()
        await until_still(running.done)
        assert running.cancelled()
        assert post.running == 0
        stopping = asyncio.create_task(made.stop())
        await until_still(stopping.done)

    play(story)


@pytest.mark.logs_error("claims could not be released")
@pytest.mark.parametrize("step", [Step.FULL, Step.ODD])
def test_a_worker_that_cannot_let_go_of_its_claims_stops_all_the_same(play: Play, step: Step) -> None:
    async def story(bench: Bench, post: Post) -> None:
        made, running = started(bench, post)
        await looked(bench)
        bench.database.deaths = [(1, step)]
        await made.stop()
        await running

    play(story)


@pytest.mark.logs_error("outcome could not be stored")
@pytest.mark.parametrize("step", [Step.FULL, Step.ODD])
def test_an_outcome_that_cannot_be_written_is_written_again_a_second_later(play: Play, step: Step) -> None:
    async def story(bench: Bench, post: Post) -> None:
        bench.subscribe()
        bench.happen()
        post.open.clear()
        made, running = started(bench, post, DeliverySettings(backoff=(), at_once=1))
        await until_still(lambda: post.running == 1 and rests())
        bench.database.deaths = [(1, step), (1, step)]
        post.open.set()
        await until_still(lambda: len(bench.database.deaths) == 1)
        for seconds, left in ((0.9999, 1), (0.0002, 0)):
            leap(seconds)
            await calm()
            assert len(bench.database.deaths) == left
        assert bench.waiting() == 1
        leap(1.0001)
        await until_still(lambda: bench.waiting() == 0)
        assert len(post.sent) == 1
        await made.stop()
        await running

    play(story)


def test_what_is_old_is_pruned_every_hour_and_until_nothing_is_left(play: Play) -> None:
    async def story(bench: Bench, post: Post) -> None:
        bench.age(1001)
        made, running = started(bench, post)
        await until_still(lambda: bench.old() == 1)
        await calm()
        made.notify()
        await until_still(lambda: bench.old() == 0)
        bench.age(1)
        for later in (timedelta(), HOUR - timedelta(milliseconds=1)):
            bench.now = NOW + later
            made.notify()
            await looked(bench)
            assert bench.old() == 1
        bench.now = NOW + HOUR
        made.notify()
        await until_still(lambda: bench.old() == 0)
        await made.stop()
        await running

    play(story)
