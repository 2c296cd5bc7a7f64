"""Decisions: what counts, what is tried again and when, and the long run of failures and successes."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, select, update

from app.contract.enums import EventType
from app.database import Database
from app.service.accounts.accounts import Plan, create_account
from app.service.store.tables import deliveries, webhook_subscriptions
from app.service.webhooks.events import record
from app.service.webhooks.queue import Claimant, claim, settle
from app.service.webhooks.sender import Due, Health, Sent, Verdict, judge, longest_wait, retry_at
from tests.service.webhooks.office import DATA
from tests.service.webhooks.test_events import add_subscription
from tests.stores import service_store

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
BACKOFF = (10.0, 60.0, 300.0)
STATUSES = st.integers(100, 599)
DELIVERED, REFUSED, PASSING = Verdict(204), judge(404), judge(503)


@example(status=199)
@example(status=200)
@example(status=299)
@example(status=300)
@example(status=399)
@example(status=400)
@example(status=499)
@example(status=500)
@given(status=STATUSES)
def test_only_2xx_is_delivered_and_only_5xx_is_tried_again(status: int) -> None:
    verdict = judge(status)

    assert verdict.status_code == status
    assert verdict.delivered == (200 <= status < 300)
    assert verdict.passing == (status >= 500)
    assert (verdict.problem is None) == verdict.delivered
    assert ("Redirects aren't followed" in (verdict.problem or "")) == (300 <= status < 400)


@given(roll=st.floats(0, 1, exclude_max=True), retry=st.integers(0, 2))
def test_retries_come_about_when_they_should(roll: float, retry: int) -> None:
    at = retry_at(retry, PASSING, NOON, BACKOFF, lambda: roll)

    assert at is not None
    wait = (at - NOON).total_seconds()
    assert BACKOFF[retry] * 0.79 < wait < BACKOFF[retry] * 1.21


@pytest.mark.parametrize("backoff", [BACKOFF, (300.0, 10.0)])
def test_no_wait_is_longer_than_the_longest(backoff: tuple[float, ...]) -> None:
    waits = [retry_at(retry, PASSING, NOON, backoff, lambda: 1.0) for retry in range(3)]

    assert max(at for at in waits if at) == NOON + timedelta(seconds=longest_wait(backoff))
    assert longest_wait(()) == 0


def test_a_wait_differs_by_a_fifth_at_most() -> None:
    waits = [retry_at(0, PASSING, NOON, BACKOFF, lambda: roll) for roll in (0.0, 0.5, 1.0)]  # noqa: B023

    assert waits == [NOON + timedelta(seconds=seconds) for seconds in (8, 10, 12)]


def test_waits_differ() -> None:
    rolls = iter((0.0, 0.25, 0.5, 0.75, 0.99))

    assert len({retry_at(0, PASSING, NOON, BACKOFF, lambda: next(rolls)) for _ in range(5)}) == 5


@pytest.mark.parametrize(("verdict", "retry"), [(PASSING, 3), (REFUSED, 0), (judge(302), 0), (DELIVERED, 0)])
def test_what_is_not_tried_again(verdict: Verdict, retry: int) -> None:
    assert retry_at(retry, verdict, NOON, BACKOFF, lambda: 0.5) is None


def test_a_short_list_of_waits_repeats_its_last() -> None:
    waits = [retry_at(retry, PASSING, NOON, (1.0, 5.0), lambda: 0.5) for retry in range(3)]

    assert waits == [NOON + timedelta(seconds=seconds) for seconds in (1, 5, 5)]


@example(outcomes=[False] * 9 + [True] + [False] * 10)
@given(outcomes=st.lists(st.booleans(), max_size=60))
def test_health_is_the_length_of_the_last_row_of_failures(outcomes: list[bool]) -> None:
    health = Health(active=True, failure_count=0, last_disabled_at=None)
    for number, delivered in enumerate(outcomes):
        if not health.active:
            break
        health = health.after(DELIVERED if delivered else REFUSED, NOON + timedelta(seconds=number))
        row = next((i for i, good in enumerate(reversed(outcomes[: number + 1])) if good), number + 1)
        assert health.failure_count == row
        assert health.active == (row < 10)
        assert health.last_disabled_at == (None if row < 10 else NOON + timedelta(seconds=number))


def test_a_webhook_that_was_switched_off_stays_off_since_then() -> None:
    off = Health(active=False, failure_count=12, last_disabled_at=NOON)

    assert off.after(REFUSED, NOON + timedelta(hours=1)) == replace(off, failure_count=13)
    assert off.after(DELIVERED, NOON + timedelta(hours=1)) == replace(off, failure_count=0)


def test_a_delivery_does_not_show_its_secret() -> None:
    due = Due(uuid4(), uuid4(), uuid4(), "post.failed", 0, "{}", NOON, "https://example.com", b"sealed")
    assert "sealed" not in repr(due)


OUTCOMES = st.lists(
    st.sampled_from([DELIVERED, REFUSED, PASSING, judge(302), Verdict(problem="?", passing=True)])
)


@settings(max_examples=40, deadline=None)
@example(outcomes=[REFUSED] * 11)
@given(outcomes=OUTCOMES)
def test_the_rows_agree_with_the_decisions(outcomes: list[Verdict], store: "Store") -> None:
    """Any run of outcomes: the counter, the switch, the retries, and no delivery that is forgotten."""
    console = store.new_desk()
    expected = Health(active=True, failure_count=0, last_disabled_at=None)
    made = 0
    for verdict in outcomes:
        if not console.attempt(verdict):
            break
        made += 1
        expected = expected.after(verdict, console.now)
        assert console.health() == expected
    rows = console.log()
    finished = [row for row in rows if row.next_attempt_at is None]
    dropped = [row for row in finished if row.latency_ms is None]
    assert len(finished) - len(dropped) == made
    assert not dropped or not expected.active
    if not expected.active:
        assert len(finished) == len(rows)
    for event_id in {row.event_id for row in rows}:
        attempts = sorted(row.attempt for row in rows if row.event_id == event_id)
        assert attempts == list(range(1, len(attempts) + 1))
        assert len(attempts) <= 4


class Store:
    """A database whose subscriptions are all of one kind."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def new_desk(self) -> "Desk":
        """Starts anew: whatever was there before is switched off."""

        def work(rows: Connection) -> tuple[UUID, UUID]:
            rows.execute(update(webhook_subscriptions).values(active=False))
            account_id = create_account(rows, "Ines", Plan.LOCAL, NOON)
            return add_subscription(rows, account_id, EventType.POST_FAILED), account_id

        return Desk(self, *self.database.write_now(work))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with closing(service_store(tmp_path_factory.mktemp("outcomes"))) as database:
        yield Store(database)


class Desk:
    """One subscription with an event for every attempt, and a clock that is ahead of every retry."""

    def __init__(self, store: "Store", subscription_id: UUID, account_id: UUID) -> None:
        self.now = NOON
        self._store = store
        self._id = subscription_id
        self._account_id = account_id
        self._by = Claimant(uuid4(), timedelta(seconds=30), BACKOFF)

    def attempt(self, verdict: Verdict) -> bool:
        """Lets something happen and makes the next attempt that is due; False: nothing is due any more."""
        self.now += timedelta(hours=1)

        def work(rows: Connection) -> bool:
            record(rows, self._account_id, EventType.POST_FAILED, DATA, self.now)
            taken = claim(rows, self._by, self.now, 1)
            for due in taken:
                sent = Sent(verdict, None, self.now, self.now, 5)
                assert settle(rows, self._by, due, sent, go_on=False) is None
            return bool(taken)

        return self._store.database.write_now(work)

    def health(self) -> Health:
        columns = [webhook_subscriptions.c[name] for name in ("active", "failure_count", "last_disabled_at")]
        wanted = select(*columns).where(webhook_subscriptions.c.id == self._id)
        return self._store.database.read_now(lambda rows: Health(*rows.execute(wanted).one()))

    def log(self) -> list[Any]:
        wanted = select(deliveries).where(deliveries.c.subscription_id == self._id)
        return self._store.database.read_now(lambda rows: list(rows.execute(wanted)))
