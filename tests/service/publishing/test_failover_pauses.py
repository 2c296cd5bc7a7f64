"""Another timeline of the server: pauses, and outcomes that are written before the comparison."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event
from uuid import uuid4

import pytest
from sqlalchemy import Connection, func, insert, select

from app.contract.enums import ConnectionPlatform, PostStatus
from app.database import DatabaseUnreachableError
from app.database.committer import Work
from app.database.postgresql import timeline
from app.platforms.base import FailureKind, PlatformError
from app.service.publishing import attempts, endings, outcome
from app.service.publishing.advice import explain
from app.service.publishing.attempts import Beginning, new_attempt
from app.service.publishing.claims import read_posts
from app.service.publishing.clock import Timekeeper
from app.service.publishing.failovers import Failovers, JournalCheck
from app.service.publishing.history import Step
from app.service.publishing.settings import PublishingSettings
from app.service.store.tables import marks, posts, publication_steps
from tests.service.publishing.fakes import FakePlatform
from tests.service.publishing.test_uncertain_time import Doubtful
from tests.service.publishing.world import World

pytestmark = pytest.mark.anyio
_SETTINGS = PublishingSettings()
_OWNER = uuid4()
_FORMER, _LATER = "00000000", "0000000A"
"""Timelines that aren't the server's."""


@pytest.fixture(params=["postgresql"])
async def world(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[World]:
    world = World(tmp_path, [FakePlatform(ConnectionPlatform.X)], store=request.param)
    yield world
    await world.close()


@pytest.fixture
def failovers(world: World) -> Failovers:
    """What a process knows that has just started."""
    return Failovers(_OWNER, world.database, Timekeeper(), _SETTINGS)


def compared_on(name: str, world: World) -> Failovers:
    """What a process knows that has compared the database on a timeline."""
    check = JournalCheck(lambda _now: lambda _rows: None, name)
    return Failovers(_OWNER, world.database, Timekeeper(), _SETTINGS, check)


def mark(world: World, name: str, ago: timedelta | None) -> None:
    """Let a process have seen this timeline first some time ago, or as the first of all."""
    now: datetime = world.database.read_now(lambda rows: rows.execute(select(func.now())).scalar_one())
    value = name if ago is None else f"{name} {(now - ago).isoformat()}"
    world.database.write_now(lambda rows: rows.execute(insert(marks).values(name="timeline", value=value)))


def current(world: World) -> str:
    return world.database.read_now(timeline) or ""


def allows(world: World, failovers: Failovers) -> bool:
    return world.database.read_now(failovers.allows)


async def test_the_first_timeline_of_a_database_needs_no_pause(world: World, failovers: Failovers) -> None:
    assert not allows(world, failovers)
    assert await failovers.pause() == timedelta()
    assert allows(world, failovers)


@pytest.mark.parametrize("ago", [None, timedelta(minutes=1)], ids=["never", "long"])
async def test_without_a_recent_failover_there_is_no_pause(
    world: World, failovers: Failovers, ago: timedelta | None
) -> None:
    mark(world, current(world), ago)
    assert not allows(world, failovers)
    assert await failovers.pause() == timedelta()
    assert allows(world, failovers)


async def test_the_first_to_see_another_timeline_pauses(world: World, failovers: Failovers) -> None:
    mark(world, _FORMER, None)
    assert not allows(world, failovers)
    assert await failovers.pause() > _SETTINGS.failover_pause / 2
    assert not allows(world, failovers)


async def test_a_process_that_starts_during_a_pause_waits_for_its_end(
    world: World, failovers: Failovers
) -> None:
    mark(world, current(world), _SETTINGS.failover_pause / 2)
    assert not allows(world, failovers)
    assert timedelta() < await failovers.pause() <= _SETTINGS.failover_pause / 2
    assert not allows(world, failovers)


async def test_a_process_that_knows_another_timeline_needs_no_mark(world: World) -> None:
    """It may be one of the rows that the new server lacks."""
    failovers = compared_on(_FORMER, world)
    assert not allows(world, failovers)
    assert await failovers.pause() > timedelta()


async def test_an_outcome_that_is_written_before_the_comparison_counts(
    world: World, failovers: Failovers
) -> None:
    post_id, now = world.add(), world.time.now()
    [post] = world.database.read_now(lambda rows: read_posts(rows, rows.execute(select(posts)).all()))
    call = Beginning(post, new_attempt(Step.PUBLISH, now))
    failovers.calls[post.id] = call
    why = explain(PlatformError(FailureKind.INVALID, "400", "not nice"), post.platform)
    refused = endings.Ending(post, call.attempt, outcome.Failed(why), now)
    world.database.write_now(lambda rows: failovers.add_missing(rows, [call]))
    world.database.write_now(lambda rows: endings.end(rows, _OWNER, [refused]))
    await failovers.pause()
    assert world.post(post_id).status == PostStatus.FAILED
    assert [one.outcome for one in world.attempts(post_id)] == ["refused"]


async def test_an_answer_that_is_stored_before_the_comparison_is_kept(
    world: World, failovers: Failovers
) -> None:
    """The platform may give it only once, and the new server may lack the claim."""
    world.add()
    [post] = world.database.read_now(lambda rows: read_posts(rows, rows.execute(select(posts)).all()))
    failovers.calls[post.id] = Beginning(post, new_attempt(Step.PUBLISH, world.time.now()))
    steps = world.attachments.steps_of(post, _OWNER, failovers.add_call)
    await steps.put("answer", "only once")
    assert await steps.get("answer") == "only once"
    assert world.post(post.id).claimed_by == _OWNER


async def test_a_former_server_that_goes_on_is_left(world: World) -> None:
    failovers = compared_on(_LATER, world)
    sessions = {world.database.read_now(session)}
    with pytest.raises(DatabaseUnreachableError, match=f"timeline {current(world)}.* {_LATER}"):
        await failovers.pause()
    with pytest.raises(DatabaseUnreachableError):
        allows(world, failovers)
    assert world.database.read_now(session) not in sessions  # the next may be one of the right server


async def test_what_shares_a_transaction_with_publishing_is_written_to_a_former_server(world: World) -> None:
    failovers, gate = compared_on(_LATER, world), Event()
    submit = world.database.submit
    first = submit(lambda _rows: gate.wait(20))  # the others share the next transaction
    sessions = [submit(session)]
    outcome_of_call = submit(lambda rows: failovers.add_missing(rows, []))
    sessions.append(submit(session))
    gate.set()
    assert first.result(20)
    assert len({one.result(20) for one in sessions}) == 1
    with pytest.raises(DatabaseUnreachableError):
        outcome_of_call.result(20)
    assert submit(session).result(20) != sessions[0].result()


def session(rows: Connection) -> int:
    found: int = rows.execute(select(func.pg_backend_pid())).scalar_one()
    return found


async def test_calls_are_added_even_while_the_time_is_uncertain(world: World) -> None:
    """Other processes wait only so long for them."""
    prepared: list[datetime] = []

    def prepare(now: datetime) -> Work[None]:
        prepared.append(now)
        return lambda _rows: None

    world.time = time = Doubtful()
    time.certain = False
    running = asyncio.create_task(world.engine(check=JournalCheck(prepare, _FORMER)).run())
    await world.until(lambda: bool(prepared))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_what_changed_is_noticed_although_nothing_is_read(world: World, failovers: Failovers) -> None:
    """Such as in a process that claims nothing, but that still calls a platform."""
    mark(world, _FORMER, None)
    assert await failovers.pause() > timedelta()


@pytest.mark.parametrize("is_new", [False, True])
async def test_no_mark_proves_that_steps_are_there_after_a_failover(world: World, *, is_new: bool) -> None:
    """Those that were stored after it may be lost."""
    failovers = compared_on(_FORMER if is_new else current(world), world)
    world.add()
    [post] = world.database.read_now(lambda rows: read_posts(rows, rows.execute(select(posts)).all()))
    call = Beginning(post, new_attempt(Step.PUBLISH, world.time.now()))
    names = str(call.attempt.id), "another step"
    steps = [{"post_id": post.id, "name": name, "value": b"sealed"} for name in names]
    world.database.write_now(lambda rows: attempts.write(rows, [call]))
    world.database.write_now(lambda rows: rows.execute(insert(publication_steps), steps))
    await failovers.pause()
    left = world.database.read_now(lambda rows: rows.scalars(select(publication_steps.c.name)).all())
    assert sorted(left) == sorted(names[1:] if is_new else names)


async def test_a_call_whose_attempt_another_server_committed_is_not_begun(
    world: World, failovers: Failovers
) -> None:
    world.add()
    [post] = world.database.read_now(lambda rows: read_posts(rows, rows.execute(select(posts)).all()))
    call = Beginning(post, new_attempt(Step.PUBLISH, world.time.now()))
    allows(world, failovers)
    assert not failovers.begin(call, current(world))  # not compared yet
    await failovers.pause()
    assert not failovers.begin(call, _LATER)
    assert failovers.begin(call, current(world))


@pytest.mark.parametrize("world", ["sqlite"], indirect=True)
async def test_sqlite_has_no_timeline(world: World, failovers: Failovers) -> None:
    assert allows(world, failovers)
    assert await failovers.pause() == timedelta()
