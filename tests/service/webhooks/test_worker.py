"""The worker: fair to everyone, one delivery at a time for each, and nothing lost by any death."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlalchemy import delete, update

from app.service.store.seal import Seal
from app.service.store.tables import webhook_subscriptions
from app.service.webhooks.outcome import Sent, judge
from app.service.webhooks.queue import Claimant, claim, settle
from tests.service.publishing.world import Step
from tests.service.webhooks.office import SETTINGS, Office, Scene, open_office
from tests.service.webhooks.receivers import Connection, Receiver, answers, stalls
from tests.stores import ON_BOTH

pytestmark = ON_BOTH

Played = Callable[[Scene], None]
NO_CONTENT = answers(204)


@pytest.fixture
def play(tmp_path: Path, receiver: Receiver) -> Played:
    def run(scene: Scene) -> None:
        open_office(tmp_path, receiver, scene)

    return run


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


@pytest.mark.parametrize("step", [Step.BEFORE, Step.AFTER])
@pytest.mark.parametrize("write", range(1, 8))
def test_death_at_any_write_loses_nothing(play: Played, receiver: Receiver, step: Step, write: int) -> None:
    """The writes: recovery, claim, prune, outcomes. At least once, and what comes twice has the same ids."""
    endpoint = receiver.endpoint(answers(500), NO_CONTENT)

    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(endpoint)
        office.happen(3)
        office.database.deaths = [(write, step)]
        office.worker()
        died = asyncio.create_task(office.database.killed.wait())
        done = asyncio.create_task(office.until_delivered())
        await asyncio.wait({died, done}, return_when=asyncio.FIRST_COMPLETED)
        died.cancel()
        done.cancel()
        await office.crash()
        office.worker()
        await office.until_delivered()

        log = office.log(subscription_id)
        assert [row.attempt for row in log if row.failed_at] in ([1], [])
        assert len({row.event_id for row in log if row.delivered_at}) == 3
        sent = {UUID(request.event["delivery_id"]) for request in endpoint.requests}
        assert sent == {row.id for row in log}
        assert len(endpoint.requests) <= len(log) + 1
        assert office.subscription(subscription_id).failure_count == 0

    play(scene)


def test_what_was_under_way_at_a_crash_is_sent_again_as_the_same_delivery(
    play: Played, receiver: Receiver
) -> None:
    endpoint = receiver.endpoint(stalls, NO_CONTENT)

    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(endpoint)
        office.happen()
        office.worker()
        await office.until(lambda: len(endpoint.requests) == 1)
        await office.crash()
        office.worker()
        await office.until_delivered()

        first, second = endpoint.requests
        assert first.body == second.body
        [row] = office.log(subscription_id)
        assert (str(row.id), row.attempt) == (second.event["delivery_id"], 1)
        assert office.subscription(subscription_id).claimed_by is None

    play(scene)


def test_a_worker_that_is_not_alone_waits_until_a_dead_ones_claim_has_ended(
    play: Played, receiver: Receiver
) -> None:
    endpoint = receiver.endpoint(stalls, NO_CONTENT)

    async def scene(office: Office) -> None:
        office.subscribe(endpoint)
        office.happen()
        office.worker(exclusive=False)
        await office.until(lambda: len(endpoint.requests) == 1)
        await office.crash()
        other = receiver.endpoint()
        office.subscribe(other)
        office.happen()
        later = office.worker(exclusive=False)
        await office.until(lambda: len(other.requests) == 1)
        assert len(endpoint.requests) == 1
        office.clock.ahead = SETTINGS.lease
        later.notify()
        await office.until_delivered()

        assert len(endpoint.requests) == 3

    play(scene)


@pytest.mark.logs_error("trying again")
@pytest.mark.parametrize("write", range(1, 6))
def test_a_full_disk_for_a_moment_sends_nothing_twice(play: Played, receiver: Receiver, write: int) -> None:
    endpoint = receiver.endpoint()

    async def scene(office: Office) -> None:
        office.subscribe(endpoint)
        office.happen(3)
        office.database.deaths = [(write, Step.FULL)]
        office.worker()
        await office.until_delivered()

        assert len(endpoint.requests) == 3

    play(scene)


def test_stopping_lets_what_is_under_way_finish(play: Played, receiver: Receiver) -> None:
    async def slow(connection: Connection) -> None:
        while not connection.released.is_set():  # noqa: ASYNC110  the event belongs to another thread
            await asyncio.sleep(0.005)
        await NO_CONTENT(connection)

    endpoint = receiver.endpoint(slow)

    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(endpoint)
        office.happen(2)
        worker = office.worker()
        await office.until(lambda: len(endpoint.requests) == 1)
        stopping = asyncio.create_task(worker.stop())
        await asyncio.sleep(0)
        endpoint.released.set()
        await stopping

        assert sorted(bool(row.delivered_at) for row in office.log(subscription_id)) == [False, True]
        assert len(endpoint.requests) == 1
        assert office.subscription(subscription_id).claimed_by is None

    play(scene)


def test_stopping_does_not_wait_for_the_dead(play: Played, receiver: Receiver) -> None:
    endpoint = receiver.endpoint(stalls)

    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(endpoint)
        office.happen()
        worker = office.worker(replace(SETTINGS, stop_grace=timedelta(milliseconds=20)))
        await office.until(lambda: len(endpoint.requests) == 1)
        await worker.stop()

        assert office.waiting() == 1
        assert office.subscription(subscription_id).claimed_by is None

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
        assert {row.error_message for row in failed} == {"The endpoint did not answer within 0.2 seconds."}
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
        assert "secret cannot be opened" in row.error_message
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


def test_what_another_worker_has_recorded_meanwhile_stays_so(play: Played, receiver: Receiver) -> None:
    """A worker that was out for longer than its claim comes back with an outcome that is no news."""

    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(receiver.endpoint())
        office.happen()
        late = Claimant(uuid4(), SETTINGS.lease, SETTINGS.backoff)
        prompt = Claimant(uuid4(), SETTINGS.lease, SETTINGS.backoff)
        now = office.clock()
        later = now + SETTINGS.lease
        [due] = office.database.write_now(lambda rows: claim(rows, late, now, 1))
        [again] = office.database.write_now(lambda rows: claim(rows, prompt, later, 1))
        assert again == due
        delivered, failed = Sent(judge(204), None, later, later, 1), Sent(judge(500), None, later, later, 1)

        office.database.write_now(lambda rows: settle(rows, prompt, due, delivered, go_on=False))
        before = office.log()
        office.database.write_now(lambda rows: settle(rows, late, due, failed, go_on=True))

        assert office.log() == before
        assert office.subscription(subscription_id).failure_count == 0

    play(scene)
