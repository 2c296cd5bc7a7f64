"""No death, crash, full disk or stop of a worker loses a delivery or sends one as another."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TypeVar
from uuid import UUID, uuid4

import pytest

from app.database import Database
from app.database.committer import Work
from app.service.webhooks import subscriptions
from app.service.webhooks.delivery_worker import DeliveryWorker
from app.service.webhooks.queue import Claimant, claim, settle
from app.service.webhooks.sender import Due, MessageSender, Sent, judge
from tests.service.publishing.world import Step
from tests.service.webhooks.office import SETTINGS, Office, Played
from tests.service.webhooks.receivers import Connection, Receiver, answers, stalls
from tests.stores import ON_BOTH, service_engine

pytestmark = ON_BOTH

T = TypeVar("T")

NO_CONTENT = answers(204)


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
@pytest.mark.parametrize("step", [Step.FULL, Step.ODD])
@pytest.mark.parametrize("write", range(1, 6))
def test_a_write_that_fails_for_a_moment_sends_nothing_twice(
    play: Played, receiver: Receiver, step: Step, write: int
) -> None:
    endpoint = receiver.endpoint()

    async def scene(office: Office) -> None:
        office.subscribe(endpoint)
        office.happen(3)
        office.database.deaths = [(write, step)]
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


def test_who_stood_still_for_longer_than_its_claim_does_not_send(
    play: Played, receiver: Receiver, tmp_path: Path
) -> None:
    """Another worker may deliver meanwhile, or the subscription may be gone."""
    endpoint = receiver.endpoint()

    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(endpoint)
        office.happen()

        class StandingStill(Database):
            async def write(self, work: Work[T]) -> T:
                """The machine stands still once, between the claim and what follows from it."""
                result = await office.database.write(work)
                if not office.clock.ahead and office.subscription(subscription_id).claimed_by:
                    office.clock.ahead = SETTINGS.lease
                    office.database.write_now(
                        lambda rows: subscriptions.remove(rows, office.account_id, subscription_id)
                    )
                return result

        database = StandingStill(service_engine(tmp_path), "the store")  # closing it ends its connections
        sender = MessageSender(office.outbound, office.seal, office.clock)
        worker = DeliveryWorker(database, sender, office.clock, SETTINGS, exclusive=False)
        office.tasks.append(asyncio.create_task(worker.run()))
        await office.until(lambda: bool(office.clock.ahead))
        await worker.stop()

        assert endpoint.requests == []
        database.close()

    play(scene)


def test_calls_end_before_others_may_take_their_turns(play: Played, receiver: Receiver) -> None:
    endpoint = receiver.endpoint(stalls, NO_CONTENT)

    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(endpoint)
        office.happen()
        claimed_at_end: list[bool] = []

        class Noting(MessageSender):
            async def deliver(self, due: Due) -> Sent:
                try:
                    return await super().deliver(due)
                finally:
                    await asyncio.sleep(0)
                    claimed_at_end.append(office.subscription(subscription_id).claimed_by is not None)

        sender = Noting(office.outbound, office.seal, office.clock)
        stops_soon = replace(SETTINGS, stop_grace=timedelta(milliseconds=20))
        worker = DeliveryWorker(office.database, sender, office.clock, stops_soon, exclusive=False)
        office.tasks.append(asyncio.create_task(worker.run()))
        await office.until(lambda: len(endpoint.requests) == 1)
        await worker.stop()

        assert claimed_at_end
        assert all(claimed_at_end)
        assert office.subscription(subscription_id).claimed_by is None

    play(scene)
