"""The queue's SQL: whose turn it is, what it is for, and whose turn ends."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, select, text, update

from app.contract.enums import EventType
from app.contract.limits import WEBHOOK_FAILURES_UNTIL_DISABLED, WEBHOOK_RETRIES
from app.contract.webhooks import UpdateWebhook
from app.service.api.responses import ApiError
from app.service.store.tables import deliveries, webhook_subscriptions
from app.service.webhooks import queue, subscriptions
from app.service.webhooks.events import record
from app.service.webhooks.queue import Claimant, claim, next_moment, settle
from app.service.webhooks.sender import Due, Sent, judge
from tests.service.webhooks.office import DATA, SETTINGS, Office, Played
from tests.service.webhooks.receivers import Receiver
from tests.stores import ON_BOTH, service_engine

pytestmark = ON_BOTH

BACKOFF = (10.0, 100.0)
MOMENT = timedelta(milliseconds=1)


def claimant() -> Claimant:
    return Claimant(uuid4(), SETTINGS.lease, BACKOFF, lambda: 1.0)


def taken(office: Office, by: Claimant, now: datetime, limit: int = 10) -> set[UUID]:
    """The subscriptions whose turns a claim takes."""
    found = office.database.write_now(lambda rows: claim(rows, by, now, limit))
    return {due.subscription_id for due in found}


def ended(status: int, at: datetime) -> Sent:
    return Sent(judge(status), None, at, at, 1)


def test_a_turn_is_for_what_is_due_active_and_free(play: Played, receiver: Receiver) -> None:
    async def scene(office: Office) -> None:
        free, off, held, over = (office.subscribe(receiver.endpoint()) for _ in range(4))
        office.happen()
        now = office.clock()
        idle = office.subscribe(receiver.endpoint())
        office.set(off, active=False)
        office.set(held, claimed_by=uuid4(), claimed_until=now + MOMENT)
        office.set(over, claimed_by=uuid4(), claimed_until=now)
        by = claimant()

        assert taken(office, by, now - timedelta(hours=1)) == set()
        assert office.subscription(free).claimed_by is None
        assert taken(office, by, now) == {free, over}
        for subscription_id in (free, over):
            row = office.subscription(subscription_id)
            assert (row.claimed_by, row.claimed_until) == (by.owner, now + SETTINGS.lease)
        assert office.subscription(idle).claimed_by is None
        assert taken(office, claimant(), now + MOMENT) == {held}

    play(scene)


def test_a_claim_takes_no_more_turns_than_there_is_room_for(play: Played, receiver: Receiver) -> None:
    async def scene(office: Office) -> None:
        subscriptions = {office.subscribe(receiver.endpoint()) for _ in range(3)}
        office.happen()
        first = taken(office, claimant(), office.clock(), 2)
        assert len(first) == 2
        assert taken(office, claimant(), office.clock(), 2) == subscriptions - first

    play(scene)


def test_a_turn_goes_on_with_the_oldest_that_is_due_and_prolongs_its_claim(
    play: Played, receiver: Receiver
) -> None:
    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(receiver.endpoint())
        office.happen(3)
        now, by = office.clock(), claimant()
        first, second, third = office.log(subscription_id)
        later = update(deliveries).where(deliveries.c.id == third.id)
        office.database.write_now(
            lambda rows: rows.execute(later.values(next_attempt_at=now + timedelta(hours=1)))
        )
        [due] = office.database.write_now(lambda rows: claim(rows, by, now, 1))
        assert (due.id, due.event_id, due.retry) == (first.id, first.event_id, 0)

        at = now + timedelta(minutes=1)
        more = office.database.write_now(lambda rows: settle(rows, by, due, ended(204, at), go_on=True))
        assert more is not None
        assert more.id == second.id
        assert office.subscription(subscription_id).claimed_until == at + SETTINGS.lease
        none = office.database.write_now(lambda rows: settle(rows, by, more, ended(204, at), go_on=True))
        assert none is None
        assert office.subscription(subscription_id).claimed_by is None
        assert office.database.read_now(next_moment) == now + timedelta(hours=1)

    play(scene)


def test_a_turn_that_is_over_ends_the_claim_although_more_is_due(play: Played, receiver: Receiver) -> None:
    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(receiver.endpoint())
        office.happen(2)
        now, by = office.clock(), claimant()
        [due] = office.database.write_now(lambda rows: claim(rows, by, now, 1))
        assert (
            office.database.write_now(lambda rows: settle(rows, by, due, ended(204, now), go_on=False))
            is None
        )
        row = office.subscription(subscription_id)
        assert (row.claimed_by, row.claimed_until, row.last_delivery_at) == (None, None, now)
        assert office.waiting() == 1

    play(scene)


def test_a_failure_is_tried_again_after_the_waits_that_are_set(play: Played, receiver: Receiver) -> None:
    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(receiver.endpoint())
        office.happen()
        by = claimant()
        waits: list[float] = []
        while (now := office.database.read_now(next_moment)) is not None:
            [due] = office.database.write_now(partial(claim, by=by, now=now, limit=1))
            work = partial(settle, by=by, due=due, sent=ended(500, now), go_on=True)
            assert office.database.write_now(work) is None
            again = office.database.read_now(next_moment)
            waits += [] if again is None else [(again - now).total_seconds()]

        assert len(waits) == WEBHOOK_RETRIES == 3
        first, second = BACKOFF
        assert all(
            0.5 * most <= wait <= 1.5 * most
            for wait, most in zip(waits, (first, second, second), strict=True)
        )
        log = office.log(subscription_id)
        assert [(row.attempt, row.retry) for row in log] == [(1, 0), (2, 1), (3, 2), (4, 3)]
        assert len({row.event_id for row in log}) == 1
        assert office.subscription(subscription_id).failure_count == 4

    play(scene)


def test_only_ones_own_turns_end(play: Played, receiver: Receiver) -> None:
    async def scene(office: Office) -> None:
        mine, theirs = office.subscribe(receiver.endpoint()), office.subscribe(receiver.endpoint())
        until, owner, other = office.clock() + timedelta(minutes=1), claimant(), claimant()
        office.set(mine, claimed_by=owner.owner, claimed_until=until)
        office.set(theirs, claimed_by=other.owner, claimed_until=until)
        before = office.subscription(theirs)

        office.database.write_now(lambda rows: queue.release(rows, owner, theirs))
        assert office.subscription(theirs) == before
        assert office.subscription(mine).claimed_by == owner.owner
        office.database.write_now(lambda rows: queue.release_all(rows, owner.owner))
        assert office.subscription(theirs) == before
        row = office.subscription(mine)
        assert (row.claimed_by, row.claimed_until) == (None, None)
        office.database.write_now(queue.release_all)
        row = office.subscription(theirs)
        assert (row.claimed_by, row.claimed_until) == (None, None)

    play(scene)


def test_who_lost_the_claim_gets_no_more_to_do(play: Played, receiver: Receiver) -> None:
    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(receiver.endpoint())
        office.happen(2)
        now, by, other = office.clock(), claimant(), claimant()
        [due] = office.database.write_now(lambda rows: claim(rows, by, now, 1))
        office.set(subscription_id, claimed_by=other.owner)
        more = office.database.write_now(lambda rows: settle(rows, by, due, ended(204, now), go_on=True))
        assert more is None
        assert office.subscription(subscription_id).claimed_by == other.owner
        made = select(deliveries.c.delivered_at).where(deliveries.c.id == due.id)
        assert office.database.read_now(lambda rows: rows.scalar(made)) == now

    play(scene)


def test_a_delivery_that_ended_meanwhile_keeps_its_result(play: Played, receiver: Receiver) -> None:
    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(receiver.endpoint())
        office.happen()
        now, by = office.clock(), claimant()
        [due] = office.database.write_now(lambda rows: claim(rows, by, now, 1))
        office.database.write_now(lambda rows: settle(rows, by, due, ended(204, now), go_on=False))
        before = office.log(subscription_id), office.subscription(subscription_id)

        late = ended(500, now + timedelta(minutes=1))
        office.database.write_now(lambda rows: settle(rows, by, due, late, go_on=False))
        assert (office.log(subscription_id), office.subscription(subscription_id)) == before
        assert office.waiting() == 0

    play(scene)


def test_only_switching_a_webhook_off_counts_as_a_change_of_it(play: Played, receiver: Receiver) -> None:
    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(receiver.endpoint())
        office.happen()
        office.set(subscription_id, failure_count=WEBHOOK_FAILURES_UNTIL_DISABLED - 2)
        created, by = office.subscription(subscription_id).updated_at, claimant()
        for changed in (False, True):
            now = office.database.read_now(next_moment)
            assert now is not None
            [due] = office.database.write_now(partial(claim, by=by, now=now, limit=1))
            at = now + MOMENT
            office.database.write_now(partial(settle, by=by, due=due, sent=ended(500, at), go_on=False))
            row = office.subscription(subscription_id)
            assert (row.active, row.updated_at) == ((False, at) if changed else (True, created))

    play(scene)


@pytest.mark.only_on("postgresql")
def test_settling_locks_the_subscription_before_its_deliveries(
    play: Played, receiver: Receiver, tmp_path: Path
) -> None:
    """Otherwise it and a call that changes the subscription could each wait for the other."""

    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(receiver.endpoint())
        office.happen()
        now, by = office.clock(), claimant()
        [due] = office.database.write_now(lambda rows: claim(rows, by, now, 1))
        work = partial(settle, by=by, due=due, sent=ended(204, now), go_on=False)
        with another_process(tmp_path) as other:
            lock(other, subscription_id)
            settling = asyncio.create_task(asyncio.to_thread(office.database.write_now, work))
            await office.until(lambda: bool(other.scalar(LOCK_WAITS)))
            touched = update(deliveries).where(deliveries.c.id == due.id)
            other.execute(touched.values(retry=deliveries.c.retry))
        await settling
        assert office.waiting() == 0

    play(scene)


@pytest.mark.only_on("postgresql")
def test_settling_and_claiming_wait_for_no_other_subscription(
    play: Played, receiver: Receiver, tmp_path: Path
) -> None:
    async def scene(office: Office) -> None:
        held, free = office.subscribe(receiver.endpoint()), office.subscribe(receiver.endpoint())
        office.happen()
        now, by = office.clock(), claimant()
        with another_process(tmp_path) as other:
            lock(other, held)
            claiming = asyncio.to_thread(office.database.write_now, partial(claim, by=by, now=now, limit=9))
            [due] = await asyncio.wait_for(claiming, 20)
            assert due.subscription_id == free
            work = partial(settle, by=by, due=due, sent=ended(204, now), go_on=False)
            await asyncio.wait_for(asyncio.to_thread(office.database.write_now, work), 20)
        assert office.waiting() == 1

    play(scene)


@pytest.mark.only_on("postgresql")
def test_adding_deliveries_blocks_neither_claiming_nor_settling(
    play: Played, receiver: Receiver, tmp_path: Path
) -> None:
    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(receiver.endpoint())
        office.happen()
        now, by = office.clock(), claimant()
        with another_process(tmp_path) as other:
            record(other, office.account_id, EventType.POST_SCHEDULED, DATA, now)
            claiming = asyncio.to_thread(office.database.write_now, partial(claim, by=by, now=now, limit=9))
            [due] = await asyncio.wait_for(claiming, 20)
            work = partial(settle, by=by, due=due, sent=ended(204, now), go_on=False)
            await asyncio.wait_for(asyncio.to_thread(office.database.write_now, work), 20)
        assert office.waiting(subscription_id) == 1

    play(scene)


def _replay(rows: Connection, office: Office, subscription_id: UUID, past: UUID) -> None:
    queue.replay(rows, office.account_id, subscription_id, past, office.clock())


def _happen(rows: Connection, office: Office, _subscription_id: UUID, _past: UUID) -> None:
    record(rows, office.account_id, EventType.POST_SCHEDULED, DATA, office.clock())


def _switch_off(rows: Connection, office: Office, subscription_id: UUID, _due: Due) -> None:
    off = UpdateWebhook(active=False)
    subscriptions.change(rows, office.account_id, subscription_id, off, office.clock())


def _fail_too_often(rows: Connection, office: Office, _subscription_id: UUID, due: Due) -> None:
    failures = {"failure_count": WEBHOOK_FAILURES_UNTIL_DISABLED - 1}
    rows.execute(update(webhook_subscriptions).values(failures))
    settle(rows, claimant(), due, ended(500, office.clock()), go_on=False)


both_ends = pytest.mark.parametrize("switch_off", [_switch_off, _fail_too_often])
both_additions = pytest.mark.parametrize("add", [_replay, _happen])


@pytest.mark.only_on("postgresql")
@both_ends
@both_additions
def test_a_delivery_added_while_its_webhook_is_switched_off_does_not_wait_for_ever(
    play: Played, receiver: Receiver, tmp_path: Path, add: Any, switch_off: Any
) -> None:
    """It's added just before; switching off waits for it, and gives it up too."""

    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(receiver.endpoint())
        office.happen()
        [due] = office.database.write_now(lambda rows: claim(rows, claimant(), office.clock(), 1))
        with another_process(tmp_path) as other:
            add(other, office, subscription_id, due.id)
            ending = asyncio.create_task(
                asyncio.to_thread(
                    office.database.write_now,
                    lambda rows: switch_off(rows, office, subscription_id, due),
                )
            )
            await office.until(lambda: bool(other.scalar(LOCK_WAITS)))
        await ending
        assert office.waiting(subscription_id) == 0

    play(scene)


@pytest.mark.only_on("postgresql")
@both_ends
@both_additions
def test_a_delivery_is_not_added_once_its_webhook_was_switched_off(
    play: Played, receiver: Receiver, tmp_path: Path, add: Any, switch_off: Any
) -> None:
    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(receiver.endpoint())
        office.happen()
        [due] = office.database.write_now(lambda rows: claim(rows, claimant(), office.clock(), 1))
        with another_process(tmp_path) as other:
            switch_off(other, office, subscription_id, due)
            adding = asyncio.create_task(
                asyncio.to_thread(
                    office.database.write_now, lambda rows: add(rows, office, subscription_id, due.id)
                )
            )
            await office.until(lambda: bool(other.scalar(LOCK_WAITS)))
        with suppress(ApiError):  # a replay is refused
            await adding
        assert office.waiting(subscription_id) == 0

    play(scene)


def test_a_webhook_that_is_switched_off_has_no_next_moment(play: Played, receiver: Receiver) -> None:
    """Otherwise every worker would look for it all the time."""

    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(receiver.endpoint())
        office.happen()
        assert office.database.read_now(queue.next_moment) is not None
        office.set(subscription_id, active=False)
        assert office.database.read_now(queue.next_moment) is None

    play(scene)


def test_a_webhook_that_is_switched_off_gives_up_what_waits(play: Played, receiver: Receiver) -> None:
    async def scene(office: Office) -> None:
        failing, other = office.subscribe(receiver.endpoint()), office.subscribe(receiver.endpoint())
        office.happen(2)
        office.set(failing, failure_count=WEBHOOK_FAILURES_UNTIL_DISABLED - 1)
        office.set(other, active=False)
        now, by = office.clock(), claimant()
        [due] = office.database.write_now(lambda rows: claim(rows, by, now, 9))
        office.database.write_now(partial(settle, by=by, due=due, sent=ended(500, now), go_on=True))

        [waited] = [row for row in office.log(failing) if row.id != due.id]
        assert (waited.failed_at, waited.error_message) == (now, queue.DISABLED)
        assert (office.waiting(failing), office.waiting(other)) == (0, 2)

    play(scene)


LOCK_WAITS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


@contextmanager
def another_process(root: Path) -> Iterator[Connection]:
    """A transaction of another process; on SQLite it would keep all others waiting."""
    engine = service_engine(root)
    try:
        with engine.begin() as rows:
            yield rows
    finally:
        engine.dispose()


def lock(rows: Connection, subscription_id: UUID) -> None:
    """Locks a subscription like a call that changes it. Other locks are waited for briefly."""
    rows.execute(text("SET LOCAL lock_timeout = '300ms'"))
    subscriptions = webhook_subscriptions
    wanted = select(subscriptions.c.id).where(subscriptions.c.id == subscription_id)
    rows.execute(wanted.with_for_update(key_share=True))


def test_turns_are_ended_except_those_of_subscriptions_that_are_being_changed(
    play: Played, receiver: Receiver, tmp_path: Path, store: str
) -> None:
    """Perhaps by a session whose process was cut off, which keeps its locks for long."""

    async def scene(office: Office) -> None:
        ids = locked, free = [office.subscribe(receiver.endpoint()) for _ in range(2)]
        owner = uuid4()
        for one in ids:
            office.set(one, claimed_by=owner, claimed_until=office.clock() + SETTINGS.lease)

        def release() -> list[UUID | None]:
            office.database.write_now(lambda rows: queue.release_others(rows, owner, ()))
            return [office.subscription(one).claimed_by for one in (locked, free)]

        if store == "postgresql":
            with another_process(tmp_path) as rows:
                lock(rows, locked)
                assert release() == [owner, None]
        assert release() == [None, None]

    play(scene)


def test_what_was_under_way_when_it_was_switched_off_is_recorded(play: Played, receiver: Receiver) -> None:
    """The log must not say that nothing was sent; and nothing is sent again."""

    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(receiver.endpoint())
        office.happen(2)
        now, by = office.clock(), claimant()
        [due] = office.database.write_now(lambda rows: claim(rows, by, now, 1))
        off = UpdateWebhook(active=False)
        office.database.write_now(
            lambda rows: subscriptions.change(rows, office.account_id, subscription_id, off, now)
        )
        office.database.write_now(lambda rows: settle(rows, by, due, ended(503, now), go_on=True))

        made, dropped = sorted(office.log(subscription_id), key=lambda row: row.id != due.id)
        assert (made.status_code, made.error_message) == (503, "The endpoint responded with 503.")
        assert dropped.status_code is None
        assert dropped.error_message == subscriptions.SWITCHED_OFF
        assert office.subscription(subscription_id).failure_count == 1
        assert office.waiting() == 0

    play(scene)


def test_a_success_under_way_when_it_was_switched_off_is_no_failure(play: Played, receiver: Receiver) -> None:
    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(receiver.endpoint())
        office.happen()
        now, by = office.clock(), claimant()
        [due] = office.database.write_now(lambda rows: claim(rows, by, now, 1))
        for active in (False, True):
            changed = UpdateWebhook(active=active)
            office.database.write_now(
                partial(subscriptions.change, account_id=office.account_id,
                        subscription_id=subscription_id, body=changed, now=now)
            )  # fmt: skip
        office.database.write_now(lambda rows: settle(rows, by, due, ended(204, now), go_on=True))

        [made] = office.log(subscription_id)
        assert (made.delivered_at, made.failed_at, made.error_message) == (now, None, None)

    play(scene)


def test_a_turn_under_way_is_not_taken_again_although_its_claim_ran_out(
    play: Played, receiver: Receiver
) -> None:
    async def scene(office: Office) -> None:
        busy, free = office.subscribe(receiver.endpoint()), office.subscribe(receiver.endpoint())
        office.happen()
        now = office.clock()
        found = office.database.write_now(lambda rows: claim(rows, claimant(), now, 10, [busy]))
        assert {due.subscription_id for due in found} == {free}

    play(scene)


def test_what_a_clock_that_was_ahead_has_put_off_comes_soon(play: Played, receiver: Receiver) -> None:
    async def scene(office: Office) -> None:
        subscription_id = office.subscribe(receiver.endpoint())
        office.happen(2)
        now, by = office.clock(), claimant()
        ahead = now + timedelta(hours=7)
        [due] = office.database.write_now(lambda rows: claim(rows, by, ahead, 1))
        office.database.write_now(lambda rows: settle(rows, by, due, ended(503, ahead), go_on=False))
        office.set(subscription_id, claimed_by=uuid4(), claimed_until=ahead)

        office.database.write_now(lambda rows: queue.move_back(rows, by, now))
        waits = sorted(row.next_attempt_at for row in office.log() if row.next_attempt_at)
        assert len(waits) == 2
        assert waits[-1] == now
        assert office.subscription(subscription_id).claimed_until == now + SETTINGS.lease

        soon = office.log()
        office.database.write_now(lambda rows: queue.move_back(rows, by, now))
        assert office.log() == soon

        free, held = office.subscribe(receiver.endpoint()), office.subscribe(receiver.endpoint())
        office.set(held, claimed_by=uuid4(), claimed_until=now + MOMENT)
        office.database.write_now(lambda rows: queue.move_back(rows, by, now))
        assert office.subscription(free).claimed_until is None
        assert office.subscription(held).claimed_until == now + MOMENT

    play(scene)
