"""Usage: what was called this month, and how much room there is."""

import asyncio
import contextlib
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, select

from app.contract.enums import Action, SubscriptionStatus
from app.contract.usage import Usage
from app.database import Database, DatabaseUnreachableError
from app.database.committer import Work
from app.service.accounts.accounts import Plan, change_account, create_account
from app.service.clock import system_clock
from app.service.store.tables import usage_counters
from app.service.usage.counter import UsageCounter, month_of
from app.service.usage.routes import human_size, read_usage
from tests.service.racing import wait_for_a_lock
from tests.service.running import Caller, in_hours
from tests.stores import chosen, service_engine, sqlite_alone, take_back

T = TypeVar("T")


def test_every_call_counts_as_its_action(caller: Caller) -> None:
    post = caller.create(caller.connect())
    caller.http.post("/posts", content=b"nonsense")
    for _ in range(3):
        caller.http.get("/posts")
    caller.http.get(f"/posts/{post['id']}")
    caller.http.patch(f"/posts/{post['id']}", json={"scheduled_at": in_hours(2)})
    caller.http.delete(f"/posts/{post['id']}")
    caller.http.get("/connections")
    caller.http.get(f"/connections/{post['social_account_id']}")
    caller.http.post("/connections/initiate", json={"platform": "linkedin"})

    usage = caller.http.get("/usage").json()

    assert set(usage) == set(Usage.model_fields)
    assert (usage["plan"], usage["status"], usage["period"]) == ("local", "active", "month")
    assert usage["actions"] == {
        "rest.posts.create": 2,
        "rest.posts.list": 3,
        "rest.posts.get": 1,
        "rest.posts.reschedule": 1,
        "rest.posts.delete": 1,
        "rest.connections.list": 1,
        "rest.connections.get": 1,
        "rest.connections.initiate": 1,
        "rest.usage.get": 1,
    }


def test_a_new_month_counts_anew(caller: Caller) -> None:
    caller.http.get("/posts")
    today = datetime.now(UTC)
    caller.service.clock.ahead = today.replace(day=1) + timedelta(days=32) - today

    assert caller.http.get("/usage").json()["actions"] == {"rest.usage.get": 1}


def test_what_was_refused_at_the_door_counts_for_nobody(caller: Caller) -> None:
    with caller.service.client({}) as stranger:
        stranger.get("/posts")

    assert caller.http.get("/usage").json()["actions"] == {"rest.usage.get": 1}


def test_storage_is_capped_by_the_plan_or_by_an_own_cap(caller: Caller) -> None:
    assert caller.http.get("/usage").json()["storage"] == {
        "used_bytes": 0,
        "cap_bytes": 50_000_000_000,
        "used_human": "0 B",
        "cap_human": "50 GB",
    }
    caller.service.database.write_now(
        lambda rows: change_account(rows, caller.account_id, plan=Plan.STUDIO, storage_cap=1_500_000)
    )

    usage = caller.http.get("/usage").json()

    assert usage["plan"] == "studio"
    assert (usage["storage"]["cap_bytes"], usage["storage"]["cap_human"]) == (1_500_000, "1.5 MB")
    assert usage["status"] == SubscriptionStatus.ACTIVE


async def test_what_was_counted_is_stored_when_the_service_ends(caller: Caller) -> None:
    counter = UsageCounter(caller.service.database, caller.service.clock)
    counter.count(caller.account_id, Action.POSTS_BULK)

    async def run() -> None:
        running = asyncio.create_task(counter.run())
        await counter.stop()
        await running

    await asyncio.wait_for(run(), 10)
    assert caller.http.get("/usage").json()["actions"] == {"rest.posts.bulk": 1, "rest.usage.get": 1}


class LosesAnswers(Database):
    """A database whose server goes away after each of the next commits, before or after it is done."""

    def __init__(self, database: Database, done: list[bool]) -> None:
        super().__init__(database.engine, database.name)
        self._done = done

    async def write(self, work: Work[T]) -> T:
        if not self._done:
            return await super().write(work)
        if self._done.pop(0):
            await super().write(work)
        raise DatabaseUnreachableError("The server went away.")


def known(caller: Caller, counter: UsageCounter) -> dict[str, int]:
    """The counts that a user would see now."""
    period, pending = month_of(caller.service.clock), counter.pending()
    return caller.service.database.read_now(
        lambda rows: read_usage(rows, caller.account_id, period, pending).actions
    )


async def test_calls_counted_while_others_are_stored_are_kept(caller: Caller) -> None:
    counter = UsageCounter(caller.service.database, caller.service.clock)
    counter.count(caller.account_id, Action.POSTS_BULK)
    storing = asyncio.create_task(counter.store())
    await asyncio.sleep(0)  # its batch is closed
    counter.count(caller.account_id, Action.POSTS_BULK)
    assert known(caller, counter) == {"rest.posts.bulk": 2}
    await storing
    await counter.store()
    assert known(caller, counter) == {"rest.posts.bulk": 2}


@sqlite_alone("PostgreSQL has several writers")
def test_usage_is_read_while_nothing_can_be_written(caller: Caller) -> None:
    file = caller.service.folder.database
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        for number in range(1, 4):
            assert caller.http.get("/usage").json()["actions"] == {"rest.usage.get": number}
        writer.execute("ROLLBACK")


@pytest.mark.parametrize("done", [[True], [False], [True, False], [False, True], [True, True]])
async def test_calls_whose_commit_was_not_answered_count_once(caller: Caller, done: list[bool]) -> None:
    counter = UsageCounter(LosesAnswers(caller.service.database, list(done)), caller.service.clock)

    for number in range(len(done)):
        counter.count(caller.account_id, Action.POSTS_BULK)
        with pytest.raises(DatabaseUnreachableError):
            await counter.store()
        assert known(caller, counter) == {"rest.posts.bulk": number + 1}
    counter.count(caller.account_id, Action.POSTS_BULK)
    await counter.store()
    assert known(caller, counter) == {"rest.posts.bulk": len(done) + 1}
    counted = {"rest.posts.bulk": len(done) + 1, "rest.usage.get": 1}
    assert caller.http.get("/usage").json()["actions"] == counted


class CommitsLate(Database):
    """A database whose server loses a connection and commits its transaction later."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine, "test")
        self.loses_next = False
        self.late = contextlib.ExitStack()

    async def write(self, work: Work[T]) -> T:
        if not self.loses_next:
            return await super().write(work)
        self.loses_next = False
        late = self.late.enter_context(self.engine.begin())
        work(late)
        raise DatabaseUnreachableError("The server went away.")


@pytest.mark.parametrize("stored_before", [0, 1])
def test_calls_that_are_committed_while_they_are_stored_again_count_once(
    tmp_path: Path, stored_before: int
) -> None:
    with chosen("postgresql"):  # SQLite has one writer at a time
        database = CommitsLate(service_engine(tmp_path))
    owner = database.write_now(lambda rows: create_account(rows, "Ines", Plan.LOCAL, system_clock()))
    counter = UsageCounter(database, system_clock)
    for _ in range(stored_before):
        counter.count(owner, Action.POSTS_BULK)
        asyncio.run(counter.store())
    counter.count(owner, Action.POSTS_BULK)
    database.loses_next = True
    with pytest.raises(DatabaseUnreachableError):
        asyncio.run(counter.store())

    again = threading.Thread(target=asyncio.run, args=(counter.store(),))
    again.start()
    wait_for_a_lock(database.engine, again)
    database.late.close()
    again.join()

    counted = database.read_now(lambda rows: rows.scalars(select(usage_counters.c.count)).all())
    assert counted == [stored_before + 1]
    database.close()
    take_back(tmp_path)


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1234, "1.2 kB"), (999_999, "1 MB"), (10**12, "1 TB")],
)
def test_sizes_for_people(count: int, words: str) -> None:
    assert human_size(count) == words


@given(count=st.integers(0, 10**18))
def test_a_size_for_people_is_short_and_right_to_a_tenth(count: int) -> None:
    number, unit = human_size(count).split()

    scale = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15}[unit]
    assert abs(float(number) * scale - count) <= 0.051 * scale
    assert len(number) <= 6
