"""The stream of events: what it tells, to whom, from where on, and when it ends."""

import asyncio
import time
from contextlib import closing
from datetime import timedelta
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, event, update

from app.contract.changes import ConnectionChanged, PostChanged
from app.contract.enums import SubscriptionStatus
from app.service.accounts.accounts import authenticate, change_account, revoke_key
from app.service.companion import feed
from app.service.companion.change_log import Change, Position, newest, prune
from app.service.companion.feed import KEPT, STREAMS_MAX, ChangeFeed
from app.service.store.tables import connections, posts
from tests.service.companion.streams import events_url, fresh, listening, recorded
from tests.service.running import Caller, RunningService, in_hours
from tests.service.test_envelope import envelope
from tests.stores import service_store, sqlite_alone

_LOOKS_APART_S = 1.0


def test_it_begins_with_a_reset_and_tells_every_change_of_a_post_with_the_post(caller: Caller) -> None:
    connection_id = caller.connect()
    with fresh(caller) as stream:
        post = caller.create(connection_id, description="line\nbreak \u2028 ✓")
        created = stream.next()
        assert created.event == "post.changed"
        assert created.json() == {"id": post["id"], "post": {**post, "options": None, "by_hand": False}}
        moved = caller.http.patch(f"/posts/{post['id']}", json={"scheduled_at": in_hours(5)}).json()
        assert stream.next().json()["post"] == {**moved, "options": None, "by_hand": False}
        caller.http.delete(f"/posts/{post['id']}")
        assert PostChanged.model_validate_json(stream.next().data).post.status == "cancelled"  # type: ignore[union-attr]
        caller.http.delete(f"/posts/{post['id']}", params={"hard": "true"})
        assert stream.next().json() == {"id": post["id"], "post": None}


def test_it_is_a_stream_that_nothing_on_the_way_keeps(caller: Caller) -> None:
    with fresh(caller) as stream:
        headers = stream.response.headers
        assert headers["content-type"].partition(";")[0] == "text/event-stream"
        assert headers["cache-control"] == "no-store"
        assert headers["x-accel-buffering"] == "no"
        assert headers["x-request-id"].startswith("req_")


def test_connections_are_told_with_what_they_are_now_and_without_their_tokens(caller: Caller) -> None:
    with fresh(caller) as stream:
        connection_id = caller.connect()
        told = stream.next()
        assert told.event == "connection.changed"
        listed = caller.http.get(f"/connections/{connection_id}").json()
        assert told.json() == {"id": connection_id, "connection": listed}
        assert set(told.json()["connection"]) == set(listed)
        own = connections.c.id == UUID(connection_id)
        caller.service.database.write_now(
            lambda rows: rows.execute(update(connections).where(own).values(is_available=False))
        )
        changed = ConnectionChanged.model_validate_json(stream.next().data).connection
        assert changed is not None
        assert not changed.is_available
        caller.service.database.write_now(lambda rows: rows.execute(delete(connections).where(own)))
        assert stream.next().json() == {"id": connection_id, "connection": None}


def test_a_stream_that_was_cut_goes_on_where_it_was(caller: Caller) -> None:
    connection_id = caller.connect()
    with fresh(caller) as stream:
        caller.create(connection_id)
        last = stream.next().id
    missed = [caller.create(connection_id)["id"] for _ in range(3)]
    with listening(caller, last) as stream:
        assert [event.json()["id"] for event in stream.take(3)] == missed
        post = caller.create(connection_id)
        assert stream.next().json()["id"] == post["id"]


steps = st.lists(st.sampled_from(["create", "move", "cancel", "cut", "read"]), min_size=1, max_size=14)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_whatever_is_cut_in_between_nothing_is_lost_and_nothing_comes_twice(
    service: RunningService, steps: list[str]
) -> None:
    caller = service.new_caller()
    connection_id = caller.connect()
    before = len(recorded(caller))
    received: list[tuple[str, str]] = []
    posts: list[str] = []
    with fresh(caller) as stream:
        last = stream.last
    remaining = list(steps)
    while remaining:
        with listening(caller, last) as stream:
            while remaining and (step := remaining.pop(0)) != "cut":
                if step == "create":
                    posts.append(caller.create(connection_id)["id"])
                elif step == "move" and posts:
                    caller.http.patch(
                        f"/posts/{posts[-1]}", json={"scheduled_at": in_hours(1 + len(remaining))}
                    )
                elif step == "cancel" and posts:
                    caller.http.delete(f"/posts/{posts[0]}")
                elif step == "read" and len(recorded(caller)) - before > len(received):
                    event = stream.next()
                    received.append((event.id, event.event))
            last = stream.last
    expected = recorded(caller)[before:]
    with listening(caller, last) as stream:
        received += [(event.id, event.event) for event in stream.take(len(expected) - len(received))]
    assert received == expected


def test_two_accounts_never_hear_of_each_other(service: RunningService, caller: Caller) -> None:
    other = service.new_caller()
    with fresh(caller) as mine, fresh(other) as theirs:
        own, foreign = caller.connect(), other.connect()
        posts = [one.create(connection)["id"] for one, connection in ((caller, own), (other, foreign)) * 3]
        assert [event.json()["id"] for event in mine.take(4)] == [own, *posts[0::2]]
        assert [event.json()["id"] for event in theirs.take(4)] == [foreign, *posts[1::2]]
        last = theirs.last
    with listening(caller, last) as mine:  # another's number is a place in time, and opens nothing
        ours = caller.create(own)["id"]
        assert mine.next().json()["id"] == ours


def test_changes_of_other_processes_are_told(caller: Caller) -> None:
    connection_id = caller.connect()
    post = caller.create(connection_id)
    failed = update(posts).where(posts.c.id == UUID(post["id"])).values(status="failed")
    with fresh(caller) as stream:
        with closing(service_store(caller.service.folder.root)) as elsewhere:
            elsewhere.write_now(lambda rows: rows.execute(failed))
        assert stream.next().json()["post"]["status"] == "failed"


def test_commits_of_this_process_are_sent_before_the_next_look(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "_LOOK_EVERY_S", 30.0)
    connection_id = caller.connect()
    with fresh(caller) as stream:
        began = time.monotonic()
        for _ in range(2):
            post = caller.create(connection_id)
            assert stream.next().json()["id"] == post["id"]
        assert time.monotonic() - began < 25


@sqlite_alone("PostgreSQL doesn't tell of changes, so that it is asked")
def test_while_nothing_changes_the_database_is_asked_nothing(caller: Caller) -> None:
    asked: list[str] = []
    with fresh(caller) as stream:
        caller.connect()
        stream.next()
        time.sleep(2 * _LOOKS_APART_S)
        event.listen(
            caller.service.database.engine, "before_cursor_execute", lambda *call: asked.append(call[2])
        )
        time.sleep(4 * _LOOKS_APART_S)
    assert [statement for statement in asked if "api_keys" in statement] == []


def test_a_revoked_key_ends_its_streams_and_no_others(service: RunningService, caller: Caller) -> None:
    key_id, key = service.new_key(caller.account_id)
    second = Caller(service, caller.account_id, key)
    service.callers.append(second)
    connection_id = caller.connect()
    with fresh(caller) as staying, fresh(second) as ending:
        service.database.write_now(lambda rows: revoke_key(rows, key_id, service.clock()))
        caller.create(connection_id)
        assert ending.has_ended()
        assert staying.next().event == "post.changed"
        refused = second.http.get(events_url(second))
        assert envelope(refused).error.code == "unauthorized"


def test_a_key_that_expires_later_has_its_streams_until_then(service: RunningService, caller: Caller) -> None:
    _, key = service.new_key(caller.account_id, expires_at=service.clock() + timedelta(hours=1))
    limited = Caller(service, caller.account_id, key)
    service.callers.append(limited)
    connection_id = caller.connect()
    with fresh(limited) as stream:
        for _ in range(2):
            caller.create(connection_id)
            assert stream.next().event == "post.changed"


def test_an_expired_key_and_a_lapsed_subscription_end_their_streams(service: RunningService) -> None:
    expiring = service.new_caller(expires_at=service.clock() + timedelta(hours=1))
    lapsing = service.new_caller()
    with fresh(expiring) as first, fresh(lapsing) as second:
        service.clock.ahead = timedelta(hours=2)
        assert first.has_ended()
        service.database.write_now(
            lambda rows: change_account(rows, lapsing.account_id, status=SubscriptionStatus.PAST_DUE)
        )
        assert second.has_ended()


@pytest.mark.parametrize(
    "last", ["999999999999", "999999999999.1", "1.", "1.2.3", "-1", "soon", "1" * 40, "٣"]
)
def test_a_number_that_was_never_given_begins_anew(caller: Caller, last: str) -> None:
    with caller.http.stream(
        "GET", events_url(caller), headers=[(b"Last-Event-ID", last.encode())]
    ) as response:
        assert response.status_code == 200
        lines = response.iter_lines()
        assert next(line for line in lines if line.startswith("event")) == "event: reset"


def test_after_forgetting_a_stream_can_resume_only_from_what_is_left(caller: Caller) -> None:
    service = caller.service
    connection_id = caller.connect()
    for _ in range(3):
        caller.create(connection_id)
    numbers = [number for number, _ in recorded(caller)]
    before = service.clock() + timedelta(minutes=1)
    service.database.write_now(lambda rows: prune(rows, before, 1_000_000))
    assert [number for number, _ in recorded(caller)] == numbers[-1:]
    for forgotten in ("0", numbers[0]):
        with listening(caller, forgotten) as stream:
            event = stream.next()
            assert (event.event, event.id) == ("reset", str(service.database.read_now(newest)))
            post = caller.create(connection_id)
            assert stream.next().json()["id"] == post["id"]
    later = [number for number, _ in recorded(caller)[1:]]
    with listening(caller, numbers[-1]) as stream:
        assert [event.id for event in stream.take(len(later))] == later


def test_what_is_younger_than_a_day_is_kept(caller: Caller) -> None:
    service = caller.service
    caller.create(caller.connect())
    kept = recorded(caller)
    service.database.write_now(lambda rows: prune(rows, service.clock() - KEPT, 1_000_000))
    assert recorded(caller) == kept


def test_while_the_service_runs_old_changes_are_forgotten(service: RunningService, caller: Caller) -> None:
    caller.create(caller.connect())
    old = len(recorded(caller))
    service.clock.ahead = KEPT + timedelta(hours=1)
    later = ChangeFeed(service.database, service.clock)

    async def run_for_a_moment() -> None:
        running = asyncio.create_task(later.run())
        async with asyncio.timeout(60):
            while len(recorded(caller)) > 1:  # noqa: ASYNC110  nobody tells of it
                await asyncio.sleep(0.005)
        await later.stop()
        await running

    service.await_(run_for_a_moment)
    assert old > 1
    assert len(recorded(caller)) == 1


def test_a_key_may_have_ten_streams(caller: Caller) -> None:
    def open_more(count: int) -> None:
        if count == 0:
            refused = caller.http.get(events_url(caller))
            assert refused.status_code == 429
            assert envelope(refused).error.details["retry_after_seconds"] > 0
            return
        with fresh(caller):
            open_more(count - 1)

    open_more(STREAMS_MAX)


def test_a_client_that_does_not_read_holds_up_nobody_and_gets_everything_in_the_end(caller: Caller) -> None:
    connection_id = caller.connect()
    with fresh(caller) as slow, fresh(caller) as quick:
        for _ in range(10):
            body = {"posts": [caller.post_body(connection_id, description="x" * 2_900) for _ in range(30)]}
            assert caller.http.post("/posts/bulk", json=body).json()["inserted"] == 30
        expected = recorded(caller)[-300:]
        assert [(event.id, event.event) for event in quick.take(300)] == expected
        assert [(event.id, event.event) for event in slow.take(300)] == expected


def test_silence_is_broken_by_comments(service: RunningService, caller: Caller) -> None:
    quiet = ChangeFeed(service.database, service.clock, keep_alive=timedelta(milliseconds=10))
    now = service.clock()
    principal = service.database.read_now(lambda rows: authenticate(rows, caller.key, now))

    async def listen() -> list[Change | Position | None]:
        events = quiet.follow(principal, None)
        heard = [await anext(events) for _ in range(3)]
        await events.aclose()
        return heard

    heard = service.await_(listen)
    assert isinstance(heard[0], Position)
    assert heard[1:] == [None, None]


def test_it_needs_a_key(service: RunningService) -> None:
    with service.client({}) as stranger:
        assert envelope(stranger.get(f"{service.base_url}/companion/v1/events")).error.code == "unauthorized"
