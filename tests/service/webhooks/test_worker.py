"""The worker: fair to everyone, and one delivery at a time for each."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from sqlalchemy import delete, func, select, update

from app.contract.enums import EventType
from app.service.store.seal import Seal
from app.service.store.tables import events, webhook_subscriptions
from app.service.webhooks.events import record
from app.service.webhooks.queue import KEPT, Claimant, claim
from tests.service.running import MovingClock
from tests.service.webhooks.office import DATA, SETTINGS, Office, Played
from tests.service.webhooks.receivers import Connection, Receiver, answers, stalls
from tests.stores import ON_BOTH

pytestmark = ON_BOTH

NO_CONTENT = answers(204)


def test_dead_receivers_delay_no_other(play: Played, receiver: Receiver) -> None:
    """Counted, not timed: while each of the dead still keeps its first call waiting, all others go out."""
    dead, alive = [receiver.endpoint(stalls) for _ in range(3)], receiver.endpoint()

    async def scene(office: Office) -> None:
        for endpoint in (*dead, alive):
            office.subscribe(endpoint)
        office.happen(40)
        office.worker(replace(SETTINGS, at_once=4), timeout=timedelta(minutes=5))
        await office.until(lambda: len(alive.requests) == 40)

        assert [len(endpoint.requests) for endpoint in dead] == [1, 1, 1]
        assert all(row.next_attempt_at for row in office.log() if row.request_body is None)

    play(scene)


def test_who_fails_gives_way_after_each_attempt(play: Played, receiver: Receiver) -> None:
    """With room for one delivery at once, a backlog of failures does not come first again and again."""
    failing, alive = receiver.endpoint(answers(404)), receiver.endpoint()

    async def scene(office: Office) -> None:
        office.subscribe(failing)
        office.happen(8)
        office.subscribe(alive)
        office.happen(1)
        seen: list[int] = []

        async def count(connection: Connection) -> None:
            seen.append(len(failing.requests))
            await NO_CONTENT(connection)

        alive.replies[:] = [count]
        office.worker(replace(SETTINGS, at_once=1))
        await office.until_delivered()

        assert seen[0] <= 1
        assert len(failing.requests) == 9

    play(scene)


def test_a_long_queue_gives_way_after_a_turn(play: Played, receiver: Receiver) -> None:
    busy, other = receiver.endpoint(), receiver.endpoint()

    async def scene(office: Office) -> None:
        office.subscribe(busy)
        office.happen(30)
        office.subscribe(other)
        office.happen(1)
        seen: list[int] = []

        async def count(connection: Connection) -> None:
            seen.append(len(busy.requests))
            await NO_CONTENT(connection)

        other.replies[:] = [count]
        office.worker(replace(SETTINGS, at_once=1, turn=5))
        await office.until_delivered()

        assert seen[0] in {0, 5}
        assert len(busy.requests) == 31

    play(scene)


def test_one_subscription_has_one_delivery_at_a_time_in_order(play: Played, receiver: Receiver) -> None:
    """Also when several workers share the queue, and nothing is sent twice."""
    running, most = 0, 0

    async def counted(connection: Connection) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001)
        await NO_CONTENT(connection)
        running -= 1

    first, second = receiver.endpoint(counted), receiver.endpoint()

    async def scene(office: Office) -> None:
        for endpoint in (first, second):
            office.subscribe(endpoint)
        office.happen(40)
        for _ in range(3):
            office.worker(replace(SETTINGS, turn=3), exclusive=False)
        await office.until_delivered()

        assert most == 1
        for endpoint in (first, second):
            ids = [request.event["delivery_id"] for request in endpoint.requests]
            assert len(ids) == len(set(ids)) == 40
            moments = [request.event["created_at"] for request in endpoint.requests]
            assert moments == sorted(moments)

    play(scene)


def test_who_does_not_answer_in_time_is_tried_again(play: Played, receiver: Receiver) -> None:
    endpoint = receiver.endpoint(stalls, NO_CONTENT)

    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(endpoint)
        office.happen()
        office.worker(timeout=timedelta(milliseconds=200))
        await office.until_delivered()

        *failed, delivered = office.log(subscription_id)  # a busy machine may be too slow for a good answer
        assert failed
        assert {row.error_message for row in failed} == {"The endpoint didn't respond within 0.2 seconds."}
        assert all((row.status_code, row.latency_ms >= 200) == (None, True) for row in failed)
        assert (delivered.attempt, delivered.status_code) == (len(failed) + 1, 204)

    play(scene)


def test_a_secret_of_another_installation_is_said(play: Played, receiver: Receiver) -> None:
    endpoint = receiver.endpoint()

    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(endpoint)
        office.happen()
        office.worker(seal=Seal(b"x" * 32))
        await office.until_delivered()

        [row] = office.log(subscription_id)
        assert "secret can't be decrypted" in row.error_message
        assert (row.request_body, row.failed_at is not None) == (None, True)
        assert office.subscription(subscription_id).failure_count == 1
        assert endpoint.requests == []

    play(scene)


def test_a_subscription_that_is_deleted_during_a_call_leaves_nothing(
    play: Played, receiver: Receiver
) -> None:
    doomed, other = receiver.endpoint(stalls), receiver.endpoint()

    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(doomed)
        office.happen(2)
        office.worker(timeout=timedelta(milliseconds=300))
        await office.until(lambda: len(doomed.requests) >= 1)
        gone = delete(webhook_subscriptions).where(webhook_subscriptions.c.id == subscription_id)
        office.database.write_now(lambda rows: rows.execute(gone))
        assert office.log() == []
        remaining = office.subscribe(other)
        office.happen()
        await office.until(lambda: len(other.requests) >= 1)
        await office.until_delivered()

        assert {row.subscription_id for row in office.log()} == {remaining}

    play(scene)


def test_a_subscription_that_is_switched_off_during_a_call_is_not_tried_again(
    play: Played, receiver: Receiver
) -> None:
    async def held(connection: Connection) -> None:
        while not connection.released.is_set():  # noqa: ASYNC110  the event belongs to another thread
            await asyncio.sleep(0.005)
        await answers(500)(connection)

    endpoint = receiver.endpoint(held)

    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(endpoint)
        office.happen()
        office.worker()
        await office.until(lambda: len(endpoint.requests) == 1)
        off = update(webhook_subscriptions).values(active=False)
        office.database.write_now(lambda rows: rows.execute(off))
        endpoint.released.set()
        await office.until_delivered()

        [row] = office.log(subscription_id)
        assert (row.status_code, row.failed_at is not None) == (500, True)
        assert office.subscription(subscription_id).last_disabled_at is None

    play(scene)


def test_an_address_that_was_changed_counts_for_what_waits(play: Played, receiver: Receiver) -> None:
    old, new = receiver.endpoint(answers(503)), receiver.endpoint()

    async def scene(office: Office) -> None:
        office.subscribe(old)
        office.happen()
        office.worker(replace(SETTINGS, backoff=(60.0,)))
        await office.until(lambda: len(office.log()) == 2)
        moved = update(webhook_subscriptions).values(url=new.url)
        office.database.write_now(lambda rows: rows.execute(moved))
        office.clock.ahead = timedelta(minutes=2)
        await office.until_delivered()

        assert (len(old.requests), len(new.requests)) == (1, 1)

    play(scene)


def test_turns_go_to_who_was_not_served_for_longest(play: Played, receiver: Receiver) -> None:
    async def scene(office: Office) -> None:
        served = {office.subscribe(receiver.endpoint()): minutes for minutes in (7, 60, None, 3, 30)}
        office.happen()
        now = office.clock()
        for subscription_id, minutes in served.items():
            at = now - timedelta(minutes=minutes) if minutes else None
            office.set(subscription_id, last_delivery_at=at)
        by = Claimant(uuid4(), SETTINGS.lease, SETTINGS.backoff)

        order = []
        for _ in served:
            [due] = office.database.write_now(lambda rows: claim(rows, by, now, 1))
            order.append(served[due.subscription_id])

        assert order == [None, 60, 30, 7, 3]
        assert office.database.write_now(lambda rows: claim(rows, by, now, 5)) == []

    play(scene)


class CountingClock(MovingClock):
    """A clock that counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def __call__(self) -> datetime:
        self.asked += 1
        return super().__call__()


def test_a_retry_that_is_far_away_delays_nothing_that_happens_elsewhere(
    play: Played, receiver: Receiver
) -> None:
    """Another process writes an event, and nobody notifies this worker."""
    failing, alive = receiver.endpoint(answers(503)), receiver.endpoint()

    async def scene(office: Office) -> None:
        office.clock = clock = CountingClock()
        office.subscribe(failing)
        office.happen()
        office.worker(replace(SETTINGS, backoff=(36_000.0,)))
        await office.until(lambda: len(office.log()) == 2)
        before = clock.asked
        await office.until(lambda: clock.asked >= before + 2)  # by now it rests
        office.set(office.log()[0].subscription_id, active=False)
        office.subscribe(alive)
        office.happen()
        await office.until(lambda: len(alive.requests) == 1)

    play(scene)


def test_with_nothing_to_deliver_it_rests(play: Played) -> None:
    """Counted, not timed: it looks at the clock each time that it looks at the queue."""

    async def scene(office: Office) -> None:
        office.clock = clock = CountingClock()
        worker = office.worker()
        await office.until(lambda: clock.asked >= 2)  # the first look, and forgetting what is old
        worker.notify()
        await office.until(lambda: clock.asked >= 4)
        before = clock.asked
        for _ in range(1_000):
            await asyncio.sleep(0)
        assert clock.asked - before < 100

    play(scene)


def test_what_is_old_is_forgotten_every_hour(play: Played, receiver: Receiver) -> None:
    endpoint = receiver.endpoint()

    async def scene(office: Office) -> None:
        def happen() -> None:
            old = office.clock() - KEPT - timedelta(seconds=1)
            office.database.write_now(
                lambda rows: record(rows, office.account_id, EventType.POST_FAILED, DATA, old)
            )

        def left() -> int:
            old = select(func.count()).where(events.c.type == EventType.POST_FAILED.value)
            return office.database.read_now(lambda rows: rows.scalar(old) or 0)

        happen()
        worker = office.worker()
        await office.until(lambda: left() == 0)
        happen()
        office.subscribe(endpoint)
        for _ in range(3):
            office.happen()
            worker.notify()
            await office.until_delivered()
        assert left() == 1
        office.clock.ahead = timedelta(hours=1)
        worker.notify()
        await office.until(lambda: left() == 0)

    play(scene)


@pytest.mark.logs_error("the queue of deliveries could not be read")
def test_deliveries_whose_claim_was_not_answered_are_claimed_again(play: Played, receiver: Receiver) -> None:
    """The claim would last for ten minutes."""
    endpoint = receiver.endpoint()

    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(endpoint)
        office.happen()
        office.database.loses = lambda: office.subscription(subscription_id).claimed_by is not None
        office.worker(exclusive=False)
        await office.until_delivered()
        assert len(endpoint.requests) == 1

    play(scene)
