"""Sessions that a cut connection left behind: they keep their locks until the server ends them."""

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, select, update

from app.contract.companion import AttemptOutcome
from app.contract.enums import PostStatus
from app.database import DatabaseBusyError, DatabaseUnreachableError, committer
from app.platforms.base import Publication, Published
from app.service.publishing import attempts, claims, endings, holds
from app.service.publishing.attachments import NotClaimedError
from app.service.publishing.attempts import Beginning
from app.service.publishing.history import NO_CALL, ClaimedPost, Step
from app.service.store.tables import posts, preparations, publication_steps
from tests.service.publishing import own_time
from tests.service.publishing.fakes import listing
from tests.service.publishing.world import SETTINGS, World

OWNER = uuid4()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """On PostgreSQL alone: SQLite has one writer at a time."""
    world = World(tmp_path, [listing()], connections_each=2, store="postgresql")
    yield world
    world.database.close()


@contextmanager
def lost_session(world: World) -> Iterator[Connection]:
    """A transaction whose process was cut off; it's rolled back after the block."""
    with world.database.engine.connect() as session:
        yield session
        session.rollback()


def claimed(world: World, post_id: UUID) -> ClaimedPost:
    """Claim a post for OWNER, and return it."""
    lease_until = world.time.now() + SETTINGS.lease
    held = update(posts).where(posts.c.id == post_id).values(claimed_by=OWNER, claimed_until=lease_until)

    def work(rows: Connection) -> ClaimedPost:
        found = rows.execute(held.returning(*posts.c)).all()
        return claims.read_posts(rows, found)[0]

    return world.database.write_now(work)


def lock(rows: Connection, post_id: UUID) -> None:
    rows.execute(select(posts.c.id).where(posts.c.id == post_id).with_for_update())


def holder(world: World, post_id: UUID) -> UUID | None:
    found: UUID | None = world.post(post_id).claimed_by
    return found


def test_claims_are_released_except_those_that_are_being_changed(world: World) -> None:
    locked, free = (claimed(world, world.add(str(number))).id for number in range(2))

    def release() -> None:
        world.database.write_now(lambda rows: claims.release_others(rows, OWNER, ()))

    with lost_session(world) as session:
        lock(session, locked)
        release()
        assert (holder(world, locked), holder(world, free)) == (OWNER, None)
    release()
    assert holder(world, locked) is None


def test_holds_are_ended_except_those_that_are_being_changed(world: World) -> None:
    locked, free = (world.add(str(number), picture=b"x") for number in range(2))
    held = {"held_by": OWNER, "held_until": world.time.now() + SETTINGS.lease}
    new = [{"post_id": post_id, **held} for post_id in (locked, free)]
    world.database.write_now(lambda rows: rows.execute(preparations.insert(), new))

    def still_held() -> set[UUID]:
        world.database.write_now(lambda rows: holds.release_others(rows, OWNER, ()))
        wanted = select(preparations.c.post_id).where(preparations.c.held_by == OWNER)
        return world.database.read_now(lambda rows: set(rows.scalars(wanted)))

    with lost_session(world) as session:
        assert holds.is_held(session, locked, OWNER)
        assert still_held() == {locked}
    assert still_held() == set()


@pytest.mark.parametrize("commits_late", [False, True])
def test_an_attempt_is_closed_once_it_is_known_whether_it_was_stored(
    world: World, commits_late: bool
) -> None:
    post, now = claimed(world, world.add()), world.time.now()
    attempt = attempts.new_attempt(Step.PUBLISH, now)

    def call_off() -> None:
        world.database.write_now(lambda rows: endings.call_off(rows, post, OWNER, attempt, now))

    with lost_session(world) as session:
        lock(session, post.id)
        attempts.write(session, [Beginning(post, attempt)])
        with pytest.raises(DatabaseBusyError):
            call_off()
        if commits_late:
            session.commit()
    call_off()
    assert holder(world, post.id) is None
    stored = [(one.outcome, one.platform_code) for one in world.attempts(post.id)]
    assert stored == ([(AttemptOutcome.TRANSIENT, NO_CALL)] if commits_late else [])


def test_the_attempt_of_a_deleted_post_is_closed(world: World) -> None:
    post, now = claimed(world, world.add()), world.time.now()
    attempt = attempts.new_attempt(Step.PUBLISH, now)
    world.database.write_now(lambda rows: attempts.write(rows, [Beginning(post, attempt)]))
    world.database.write_now(lambda rows: rows.execute(posts.delete()))
    world.database.write_now(lambda rows: endings.call_off(rows, post, OWNER, attempt, now))
    assert [one.outcome for one in world.attempts(post.id)] == [AttemptOutcome.TRANSIENT]


@dataclass
class LateCommit:
    """The first commit of an attempt, whose answer is lost and which the server makes later."""

    world: World
    session: Connection | None = None
    tries: int = 0

    def lock(self, rows: Connection, items: Sequence[claims.OfPost]) -> list[bool]:
        """The session locks the posts itself the first time."""
        return claims_lock(rows, items) if self.session is not None else [True] * len(items)

    def begin(self, rows: Connection, *args: Any, **more: Any) -> set[UUID]:
        if self.session is not None:
            return attempts_begin(rows, *args, **more)
        self.session = self.world.database.engine.connect()
        attempts_begin(self.session, *args, **more)
        raise DatabaseUnreachableError("The server went away.")

    def call_off(self, *args: Any) -> None:
        self.tries += 1
        if self.tries == 2 and self.session is not None:
            self.session.commit()
            self.session.close()
        call_off(*args)


attempts_begin, call_off, claims_lock = attempts.begin, endings.call_off, claims.lock


@pytest.mark.logs_error("an attempt that made no call could not be closed")
@pytest.mark.logs_error("a post could not be processed")
def test_an_attempt_that_is_committed_late_is_no_lost_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        world = World(tmp_path, [listing()], store="postgresql")
        late = LateCommit(world)
        monkeypatch.setattr(claims, "lock", late.lock)
        monkeypatch.setattr(attempts, "begin", late.begin)
        monkeypatch.setattr(endings, "call_off", late.call_off)
        post_id = world.add()
        await world.live_through(exclusive=False)

        (there,) = world.platforms.values()
        assert (len(there.ledger), there.look_count) == (1, 0)
        assert world.post(post_id).status == PostStatus.POSTED
        assert [one.outcome for one in world.attempts(post_id)] == ["transient", "published"]
        assert late.tries == 2
        await world.close()

    own_time.run(scene())


@pytest.fixture
def endless_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writes that need a locked row wait for it longer than a test may last."""
    monkeypatch.setattr(committer, "_LOCKED_MAX_S", 300.0)


@pytest.mark.usefixtures("endless_waits")
@pytest.mark.parametrize("during_calls", [False, True], ids=["begins", "ends"])
async def test_a_locked_post_delays_no_other_that_is_written_with_it(
    world: World, monkeypatch: pytest.MonkeyPatch, during_calls: bool
) -> None:
    locked, free = world.add("locked"), world.add("free", connection=1)
    (there,) = world.platforms.values()
    publish, is_locked, arrived = there.publish, asyncio.Event(), itertools.count(1)
    with lost_session(world) as session:

        async def lock_when_both_are_here(*_: Any) -> None:
            if next(arrived) == 2:
                lock(session, locked)
                is_locked.set()
            await is_locked.wait()

        async def publish_once_locked(publication: Publication) -> Published:
            await lock_when_both_are_here()
            return await publish(publication)

        if during_calls:
            there.during = lock_when_both_are_here
        else:
            monkeypatch.setattr(there, "publish", publish_once_locked)
        world.start(exclusive=False)
        await world.until(lambda: world.post(free).status == PostStatus.POSTED)
        assert world.post(locked).status != PostStatus.POSTED
        assert bool(world.attempts(locked)) is during_calls
    await world.until_done()
    assert sorted(text for _, text in there.ledger) == ["free", "locked"]
    await world.crash()


def steps(world: World) -> dict[str, UUID]:
    wanted = select(publication_steps.c.name, publication_steps.c.post_id)
    return world.database.read_now(lambda rows: {row.name: row.post_id for row in rows.execute(wanted)})


async def test_only_the_claimant_writes_steps_even_the_first_time(world: World) -> None:
    post, other = claimed(world, world.add()), uuid4()
    await world.attachments.steps_of(post, OWNER).put("ours", "1")
    with pytest.raises(NotClaimedError):
        await world.attachments.steps_of(post, other).put("theirs", "1")
    world.database.write_now(lambda rows: claims.release_all(rows, OWNER))
    with suppress(NotClaimedError):
        await world.attachments.steps_of(post, OWNER).put("late", "1")
    assert steps(world) == {"ours": post.id}


async def test_the_steps_of_a_deleted_post_are_written(world: World) -> None:
    """A call may have published it, and then only they tell its item from others."""
    post = claimed(world, world.add())
    world.database.write_now(lambda rows: rows.execute(posts.delete()))
    await world.attachments.steps_of(post, OWNER).put("answer", "1")
    assert steps(world) == {"answer": post.id}
