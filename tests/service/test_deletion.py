"""Deletion of connected accounts and of whole accounts, on both databases."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, Table, insert, select, update
from sqlalchemy.event import listen

from app.contract.enums import Action, KeyScope
from app.database import Database
from app.service.accounts.accounts import KeyRefusedError, Plan, authenticate, create_account, create_key
from app.service.clock import system_clock
from app.service.deletion import delete_account, delete_connection
from app.service.media.stores import Place
from app.service.problems import CommandProblem
from app.service.publishing import attempts as attempt_rows
from app.service.publishing import claims
from app.service.publishing.attempts import Beginning, new_attempt
from app.service.publishing.history import Step
from app.service.publishing.pauses import read_paused
from app.service.store.marks import known_calls
from app.service.store.tables import (
    accounts,
    attempts,
    changes,
    connections,
    contents,
    deliveries,
    events,
    idempotency_keys,
    marks,
    media,
    metadata,
    metrics,
    posts,
    preparations,
    publication_steps,
    swept_media,
    usage_counters,
    webhook_subscriptions,
)
from app.service.usage.counter import UsageCounter
from tests.service.racing import wait_for_a_lock
from tests.stores import ON_BOTH, service_store

pytestmark = ON_BOTH
NOW = system_clock()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(service_store(tmp_path)) as database:
        yield database


class Owner:
    """An account with something in nearly every table, and two connected accounts."""

    def __init__(self, database: Database, name: str) -> None:
        self.database = database
        self.id = database.write_now(lambda rows: create_account(rows, name, Plan.LOCAL, NOW))
        self.key = database.write_now(lambda rows: create_key(rows, self.id, KeyScope.API_FULL, None, NOW))[1]
        self.attempts: list[UUID] = []
        self.connections = [self._connect(f"{name} {number}") for number in range(2)]
        self.file = f"{self.id}/picture.png"
        self._fill()

    def _put(self, table: Any, **row: Any) -> UUID:
        new = uuid4()
        known = {"id": new, "account_id": self.id, "created_at": NOW}
        columns = {**{key: value for key, value in known.items() if key in table.c}, **row}
        self.database.write_now(lambda rows: rows.execute(insert(table).values(columns)))
        return new

    def _connect(self, name: str) -> UUID:
        shared = {"platform": "x", "created_via": "rest"}
        this = self._put(
            connections, platform="x", account_identifier=name, is_available=True, access_token=b"t"
        )
        for _ in range(3):
            post = self._put(
                posts, **shared, connection_id=this, post_type="text", status="posted", scheduled_at=NOW
            )
            at = {"started_at": NOW, "finished_at": NOW}
            self.attempts.append(self._put(attempts, post_id=post, step="publish", outcome="published", **at))
            self._put(publication_steps, post_id=post, name="upload", value=b"")
            self._put(preparations, post_id=post)
            self._put(contents, **shared, connection_id=this, content_id=str(post), post_id=post)
            zero = dict.fromkeys(("views", "likes", "comments", "shares", "subscribers"), 0)
            of_day = {"metric_date": NOW.date(), "platform": "x", "content_id": str(post)}
            self._put(metrics, connection_id=this, **of_day, **zero)
        return this

    def _fill(self) -> None:
        event = self._put(events, type="post.published", data="{}")
        hook = self._put(
            webhook_subscriptions,
            url="https://hook.example",
            events=[],
            secret=b"",
            active=True,
            failure_count=0,
            updated_at=NOW,
        )
        self._put(
            deliveries, subscription_id=hook, event_id=event, event_type="post.published", attempt=1, retry=0
        )
        self._put(idempotency_keys, idempotency_key="key", request_hash="", post_id=uuid4())
        self._put(usage_counters, period="2026-11", action="a", count=1)
        image = {"kind": "image", "content_type": "image/png", "size_bytes": 1, "sha256": ""}
        self._put(media, storage_path=self.file, **image)


def counts(database: Database) -> dict[str, int]:
    def work(rows: Connection) -> dict[str, int]:
        return {name: len(rows.execute(select(table)).all()) for name, table in metadata.tables.items()}

    return database.read_now(work)


BESIDES = {"changes", "installation", "marks", "swept_media"}
"""They note the deletion itself."""


def test_an_account_goes_with_everything_and_the_others_stay(database: Database) -> None:
    Owner(database, "Robin")
    before = counts(database)
    ines = Owner(database, "Ines")

    deleted = delete_account(database, ines.id, NOW)

    after = counts(database)
    assert {name: count for name, count in after.items() if name not in BESIDES} == {
        name: count for name, count in before.items() if name not in BESIDES
    }
    assert deleted.files == [Place(ines.file)]
    assert deleted.rows["posts"] == 6
    swept = database.read_now(lambda rows: rows.execute(select(swept_media)).all())
    assert [(row.path, row.state) for row in swept] == [(ines.file, "removed")]
    left = database.read_now(lambda rows: rows.scalars(select(changes.c.account_id)).all())
    assert ines.id not in left
    with pytest.raises(CommandProblem, match="There is no account"):
        delete_account(database, ines.id, NOW)


async def test_calls_counted_during_the_deletion_go_too_and_later_ones_stop_nobody(
    database: Database,
) -> None:
    """A running service stores its counts every second, also those of an account that is just deleted."""
    ines, robin = Owner(database, "Ines"), Owner(database, "Robin")
    counter = UsageCounter(database, system_clock)

    counted: list[str] = []

    def count_late(connection: Connection, _cursor: Any, statement: str, *_rest: Any) -> None:
        if statement.startswith("DELETE FROM api_keys") and not counted:
            counted.append(statement)
            late = {"account_id": ines.id, "period": "2026-11", "action": "late", "count": 1}
            connection.execute(insert(usage_counters).values(late))

    listen(database.engine, "after_cursor_execute", count_late)
    delete_account(database, ines.id, NOW)
    assert counted

    counter.count(ines.id, Action.POSTS_LIST)
    counter.count(robin.id, Action.POSTS_LIST)
    await counter.store()
    found = database.read_now(lambda rows: rows.execute(select(usage_counters)).all())
    assert [(row.account_id, row.action) for row in found] == [(robin.id, "a"), (robin.id, "rest.posts.list")]


def test_a_connected_account_goes_and_the_other_stays(database: Database) -> None:
    ines = Owner(database, "Ines")

    deleted = delete_connection(database, ines.connections[0], NOW)

    assert deleted.rows["posts"] == deleted.rows["contents"] == deleted.rows["metrics"] == 3
    after = counts(database)
    assert after["connections"] == 1
    assert after["posts"] == after["attempts"] == after["contents"] == after["metrics"] == 3
    assert after["publication_steps"] == after["preparations"] == 3
    assert after["media"] == after["api_keys"] == 1


def test_calls_in_the_journal_do_not_make_the_database_look_like_a_backup(database: Database) -> None:
    ines = Owner(database, "Ines")

    delete_account(database, ines.id, NOW)

    assert database.read_now(lambda rows: known_calls(rows, ines.attempts)) == set(ines.attempts)
    assert database.read_now(lambda rows: rows.execute(select(marks.c.value)).scalars().all())


def _its_first_connection(database: Database, ines: Owner) -> None:
    delete_connection(database, ines.connections[0], NOW)


def _itself(database: Database, ines: Owner) -> None:
    delete_account(database, ines.id, NOW)


@pytest.mark.parametrize("delete", [_its_first_connection, _itself])
def test_nothing_goes_while_a_call_is_open_and_nothing_new_is_published(
    database: Database, delete: Callable[[Database, Owner], None]
) -> None:
    ines = Owner(database, "Ines")
    database.write_now(
        lambda rows: rows.execute(
            update(attempts).where(attempts.c.id == ines.attempts[0]).values(finished_at=None)
        )
    )
    before = counts(database)

    with pytest.raises(CommandProblem, match="is being published"):
        delete(database, ines)

    after = counts(database)
    assert {name: count for name, count in after.items() if name not in BESIDES} == {
        name: count for name, count in before.items() if name not in BESIDES
    }
    assert database.read_now(read_paused).covers(ines.connections[0])


def test_keys_stop_working_before_anything_is_deleted(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the command was killed after its first step."""
    ines = Owner(database, "Ines")
    monkeypatch.setattr("app.service.deletion._delete", _killed)

    with pytest.raises(KeyboardInterrupt):
        delete_account(database, ines.id, NOW)

    with pytest.raises(KeyRefusedError):
        database.read_now(lambda rows: authenticate(rows, ines.key, NOW))
    monkeypatch.undo()
    delete_account(database, ines.id, NOW)
    assert database.read_now(lambda rows: rows.execute(select(accounts)).all()) == []


def _killed(*_parts: Any) -> int:
    raise KeyboardInterrupt


@pytest.mark.parametrize("delete", [_its_first_connection, _itself])
def test_a_post_created_during_the_deletion_goes_too(
    database: Database, delete: Callable[[Database, Owner], None]
) -> None:
    """The API accepts posts for accounts that must be reauthorized."""
    ines = Owner(database, "Ines")
    seen: list[str] = []
    planned: list[str] = []

    def plan(connection: Connection, _cursor: Any, statement: str, *_rest: Any) -> None:
        seen.append(statement)
        are_gone = any(one.startswith("DELETE FROM posts") for one in seen)
        if are_gone and statement.startswith(("SELECT connections.id", "SELECT accounts.id")) and not planned:
            planned.append(statement)
            late = {"id": uuid4(), "account_id": ines.id, "connection_id": ines.connections[0]}
            about = {"platform": "x", "post_type": "text", "status": "scheduled", "created_via": "rest"}
            times = {"scheduled_at": NOW + timedelta(days=1), "created_at": NOW}
            connection.execute(insert(posts).values({**late, **about, **times}))

    listen(database.engine, "before_cursor_execute", plan)
    delete(database, ines)
    assert planned
    left = select(posts.c.id).where(posts.c.connection_id == ines.connections[0])
    assert database.read_now(lambda rows: rows.scalars(left).all()) == []


class Deletion:
    """A deletion in a thread."""

    def __init__(self, work: Callable[[], object]) -> None:
        self.problem: CommandProblem | None = None
        self.thread = threading.Thread(target=self._run, args=(work,))
        self.thread.start()

    def _run(self, work: Callable[[], object]) -> None:
        try:
            work()
        except CommandProblem as problem:
            self.problem = problem


@pytest.mark.only_on("postgresql")
@pytest.mark.parametrize("delete", [_its_first_connection, _itself])
@pytest.mark.parametrize("table", [posts, contents, metrics, connections])
def test_rows_that_others_hold_are_waited_for(
    database: Database, delete: Callable[[Database, Owner], None], table: Table
) -> None:
    ines = Owner(database, "Ines")
    first = ines.connections[0]
    its = table.c.id == first if table is connections else table.c.connection_id == first
    with database.engine.begin() as other:
        other.execute(select(table).where(its).with_for_update(read=True, key_share=True))
        deletion = Deletion(lambda: delete(database, ines))
        wait_for_a_lock(database.engine, deletion.thread)
    deletion.thread.join()
    assert deletion.problem is None
    assert database.read_now(lambda rows: rows.execute(select(table).where(its)).all()) == []


@pytest.mark.only_on("postgresql")
@pytest.mark.parametrize("delete", [_its_first_connection, _itself])
def test_nothing_goes_if_a_call_begins_at_the_same_moment(
    database: Database, delete: Callable[[Database, Owner], None]
) -> None:
    """Its attempt isn't committed yet when publishing is paused."""
    ines, worker = Owner(database, "Ines"), uuid4()
    due = update(posts).where(posts.c.connection_id == ines.connections[0])
    database.write_now(lambda rows: rows.execute(due.values(status="scheduled", scheduled_at=NOW)))
    soon = timedelta(minutes=1)
    nothing: frozenset[UUID] = frozenset()
    request = claims.Request(worker, NOW, NOW, NOW, NOW + soon, 1, nothing, nothing, NOW - soon, 1, nothing)
    claimed = database.write_now(lambda rows: claims.claim(rows, request)).posts
    beginnings = [Beginning(post, new_attempt(Step.PUBLISH, NOW)) for post in claimed]
    with database.engine.begin() as other:
        begun = attempt_rows.begin(
            other, worker, beginnings, earliest=NOW - soon, latest=NOW, lease_until=NOW + soon
        )
        deletion = Deletion(lambda: delete(database, ines))
        wait_for_a_lock(database.engine, deletion.thread)
    deletion.thread.join()
    assert deletion.problem is not None
    open_now = select(attempts.c.post_id).where(attempts.c.finished_at.is_(None))
    assert set(database.read_now(lambda rows: rows.scalars(open_now).all())) == begun
