"""The queue's SQL: who gets what, who holds it, and what a write-down requires."""

import dataclasses
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, select, update
from sqlalchemy.dialects import postgresql

from app.contract.companion import AttemptOutcome
from app.contract.enums import ConnectionPlatform, PostStatus
from app.platforms.base import Published
from app.service.publishing import advice, attempts, claims, endings, live, outcome
from app.service.publishing.advice import missed
from app.service.publishing.attempts import Beginning
from app.service.publishing.claims import Claim, Outlook, Request
from app.service.publishing.history import ClaimedPost, Event, Step, sources
from app.service.store.tables import accounts, contents, events, posts
from tests.service.publishing.fakes import listing
from tests.service.publishing.world import SETTINGS, World
from tests.stores import ON_BOTH

pytestmark = ON_BOTH

OWNER = uuid4()
Take = Callable[..., Claim]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path, [listing()], connections_each=2)
    yield world
    world.database.close()


def request_of(world: World, owner: UUID = OWNER, *, limit: int = 10, **more: Any) -> Request:
    """A request made now."""
    now = world.time.now()
    return Request(
        owner=owner,
        now=now,
        leases_over=now - more.get("patience", timedelta()),
        horizon=now + timedelta(minutes=5),
        lease_until=now + timedelta(hours=1),
        limit=limit,
        carried=more.get("carried", ()),
        busy=more.get("busy", ()),
        late_before=now - timedelta(hours=1),
        late_limit=more.get("late_limit", 10),
        late_busy=more.get("late_busy", ()),
    )


@pytest.fixture
def take(world: World) -> Take:
    """Claims, which looks announce."""

    def taken(owner: UUID = OWNER, **more: Any) -> Claim:
        request = request_of(world, owner, **more)
        outlook = world.database.read_now(lambda rows: claims.look(rows, request))
        found = world.database.write_now(lambda rows: claims.claim(rows, request))
        assert outlook.has_any or (outlook.next_at == found.next_at and not found.posts)
        return found

    return taken


def lost(world: World, taken: Claim) -> ClaimedPost:
    """The one post that was taken, after a call whose answer was lost."""
    [post], now = taken.posts, world.time.now()
    begun = Beginning(post, attempts.new_attempt(Step.PUBLISH, now))
    post = dataclasses.replace(post, attempts=(begun.attempt,))
    world.database.write_now(lambda rows: attempts.write(rows, [begun]))
    world.database.write_now(lambda rows: endings.note_loss(rows, post, OWNER, now, now))
    return post


@pytest.mark.parametrize("holder", [OWNER, uuid4(), None], ids=["ours", "another's", "nobody's"])
@pytest.mark.parametrize("is_cancelled", [False, True])
def test_lost_attempts_are_given_up_by_the_holder_of_the_post_alone(
    world: World, take: Take, holder: UUID | None, *, is_cancelled: bool
) -> None:
    """Without lost attempts nobody would look for them: the next holder would send the post again."""
    post_id, now = world.add(), world.time.now()
    post = lost(world, take())
    status = PostStatus.CANCELLED if is_cancelled else PostStatus.PROCESSING
    changed = update(posts).values(claimed_by=holder, status=status.value)
    world.database.write_now(lambda rows: rows.execute(changed))

    given_up = outcome.Failed(advice.may_be_live(None, post.platform), AttemptOutcome.UNKNOWN)
    world.database.write_now(lambda rows: endings.settle_look(rows, post, OWNER, given_up, now))

    [attempt] = world.attempts(post_id)
    assert (attempt.finished_at is None) == (holder != OWNER)
    is_failed = holder == OWNER and not is_cancelled
    assert world.post(post_id).status == (PostStatus.FAILED if is_failed else status)
    assert world.post(post_id).claimed_by == (None if holder == OWNER else holder)


@pytest.mark.parametrize("holder", [OWNER, uuid4(), None], ids=["ours", "another's", "nobody's"])
def test_what_ended_before_a_call_is_recorded_by_the_holder_of_the_post_alone(
    world: World, take: Take, holder: UUID | None
) -> None:
    """A stalled worker whose upload ends late would explain the failure of a post with "is retried"."""
    post_id, now = world.add(), world.time.now()
    [post] = take().posts
    world.database.write_now(lambda rows: rows.execute(update(posts).values(claimed_by=holder)))

    again = outcome.Retry(now + timedelta(minutes=1), advice.Explanation("no_answer", None, "It is retried."))
    ending = endings.Ending(post, attempts.new_attempt(Step.PREPARE, now), again, now)
    is_recorded = world.database.write_now(lambda rows: endings.end_without_call(rows, OWNER, ending))

    assert is_recorded == (holder == OWNER)
    assert [attempt.outcome for attempt in world.attempts(post_id)] == ["transient"] * is_recorded
    assert world.post(post_id).claimed_by == (None if holder == OWNER else holder)


@pytest.mark.parametrize("holder", [OWNER, uuid4()], ids=["ours", "another's"])
def test_a_copy_of_another_post_says_nothing_of_lost_attempts_that_another_looks_for(
    world: World, take: Take, holder: UUID
) -> None:
    post_id, now = world.add(), world.time.now()
    post = lost(world, take())
    original = dataclasses.replace(post, id=uuid4(), attempts=())
    first, again = (Beginning(one, attempts.new_attempt(Step.PUBLISH, now)) for one in (original, post))
    item = Published("item-0", "https://social.example/item-0")
    world.database.write_now(
        lambda rows: live.publish(rows, [live.Item(original, first.attempt, item, now, now)])
    )
    world.database.write_now(lambda rows: attempts.write(rows, [again]))
    world.database.write_now(lambda rows: rows.execute(update(posts).values(claimed_by=holder)))

    refused = outcome.Adopted(item, advice.Explanation("duplicate", None, "It is a copy."))
    ending = endings.Ending(post, again.attempt, refused, now)
    world.database.write_now(lambda rows: endings.end(rows, OWNER, [ending]))

    is_open = [attempt.finished_at is None for attempt in world.attempts(post_id) if attempt.unknown_since]
    assert is_open == [holder != OWNER]
    expected = PostStatus.FAILED if holder == OWNER else PostStatus.QUEUED
    assert world.post(post_id).status == expected


def test_what_a_look_found_by_one_name_is_not_recorded_by_another(world: World, take: Take) -> None:
    """A video has the name of its upload and that of its post: the call may learn one, a look the other."""
    now = world.time.now()
    world.add()
    post = lost(world, take())
    found = outcome.Found(Published("post-1", None))
    world.database.write_now(lambda rows: endings.settle_look(rows, post, OWNER, found, now))

    published = outcome.Posted(Published("upload-1", None))
    ending = endings.Ending(post, post.attempts[0], published, now)
    world.database.write_now(lambda rows: endings.end(rows, OWNER, [ending]))

    recorded = world.database.read_now(lambda rows: rows.scalars(select(contents.c.content_id)).all())
    told = world.database.read_now(lambda rows: rows.scalars(select(events.c.type)).all())
    assert recorded == ["post-1"]
    assert told == ["post.published"]


@pytest.mark.parametrize("is_stale_first", [True, False])
def test_one_item_is_published_by_one_attempt(world: World, take: Take, *, is_stale_first: bool) -> None:
    """A stalled worker may learn of an upload that another worker completed, and the other way round."""
    post_id, now = world.add(), world.time.now()
    stale = lost(world, take())
    world.database.write_now(lambda rows: endings.settle_look(rows, stale, OWNER, outcome.Absent(), now))
    second = attempts.new_attempt(Step.PUBLISH, now + timedelta(seconds=1))
    newer = dataclasses.replace(stale, attempts=(second,))
    world.database.write_now(lambda rows: attempts.write(rows, [Beginning(newer, second)]))

    published = outcome.Posted(Published("upload-1", None))
    learned = [endings.Ending(post, post.attempts[0], published, now) for post in (stale, newer)]
    for ending in learned if is_stale_first else reversed(learned):
        world.database.write_now(partial(endings.end, owner=OWNER, endings=[ending]))

    ends = [attempt.outcome for attempt in world.attempts(post_id)]
    assert ends == (["published", "transient"] if is_stale_first else ["transient", "published"])
    assert all(attempt.finished_at for attempt in world.attempts(post_id))
    assert world.post(post_id).status == PostStatus.POSTED
    assert [row.content_id for row in world.contents()] == ["upload-1"]


def test_an_attempt_says_that_another_published_the_post(world: World, take: Take) -> None:
    """Not that the post isn't on the platform."""
    post_id, now = world.add(), world.time.now()
    post = lost(world, take())
    repeat = attempts.new_attempt(Step.REPEAT, now + timedelta(seconds=1))
    world.database.write_now(lambda rows: attempts.write(rows, [Beginning(post, repeat)]))
    post = dataclasses.replace(post, attempts=(*post.attempts, repeat))
    found = outcome.Found(Published("post-1", None))
    world.database.write_now(lambda rows: endings.settle_look(rows, post, OWNER, found, now))

    first, second = world.attempts(post_id)
    assert (first.outcome, first.advice) == ("published", None)
    said = "Another attempt published this post, so this one didn't."
    assert (second.outcome, second.advice) == ("transient", said)


def test_an_item_that_is_found_was_not_published_by_a_call_that_published_nothing(
    world: World, take: Take
) -> None:
    post_id, now = world.add(), world.time.now()
    post = lost(world, take())
    world.database.write_now(lambda rows: endings.settle_look(rows, post, OWNER, outcome.Absent(), now))
    second = attempts.new_attempt(Step.PUBLISH, now + timedelta(seconds=1))
    world.database.write_now(lambda rows: attempts.write(rows, [Beginning(post, second)]))
    hold(world, post_id, None, -1)
    [again] = take().posts
    world.database.write_now(lambda rows: endings.note_loss(rows, again, OWNER, now, now))

    found = outcome.Found(Published("post-1", None))
    hold(world, post_id, None, -1)
    [again] = take().posts
    world.database.write_now(lambda rows: endings.settle_look(rows, again, OWNER, found, now))

    assert [attempt.outcome for attempt in world.attempts(post_id)] == ["transient", "published"]
    assert world.post(post_id).posted_at == second.started_at


@pytest.mark.parametrize(
    ("seen", "is_ours"),
    [(outcome.Found(Published("post-1", None)), False), (outcome.Absent(), False), (outcome.Absent(), True)],
)
def test_a_refused_copy_reopens_lost_calls_for_the_holder_of_the_post_alone(
    world: World, take: Take, seen: outcome.Found | outcome.Absent, *, is_ours: bool
) -> None:
    """Another worker may have found the item since, or sent the post again."""
    post_id, now = world.add(), world.time.now()
    post = lost(world, take())
    again = attempts.new_attempt(Step.PUBLISH, now + timedelta(seconds=1))
    world.database.write_now(lambda rows: attempts.write(rows, [Beginning(post, again)]))
    world.database.write_now(lambda rows: endings.settle_look(rows, post, OWNER, seen, now))
    if is_ours:
        hold(world, post_id, OWNER, 60)
    [first, _] = before = world.attempts(post_id)

    refused = outcome.Contested(now, advice.Explanation("duplicate", None, "It is a copy."))
    ending = endings.Ending(post, again, refused, now)
    world.database.write_now(lambda rows: endings.end(rows, OWNER, [ending]))

    [first, second] = world.attempts(post_id)
    assert second.outcome == "refused"
    assert (first.outcome, first.finished_at) == (
        ("unknown", None) if is_ours else (before[0].outcome, before[0].finished_at)
    )


def test_with_more_late_posts_in_hand_than_allowed_no_late_post_is_taken(world: World, take: Take) -> None:
    """Posts grow late while they are carried, so the limit of late ones can be passed."""
    world.add(due_in=timedelta(hours=-2))
    due = world.add(due_in=timedelta(seconds=-1))

    assert [post.id for post in take(late_limit=-1).posts] == [due]


def test_a_claim_takes_what_is_due_soonest_first_and_only_once(world: World, take: Take) -> None:
    late, now, soon, far = (world.add(due_in=timedelta(seconds=seconds)) for seconds in (-60, -1, 240, 1_800))
    claim = take()

    assert [post.id for post in claim.posts] == [late, now, soon]
    assert [post.status for post in claim.posts] == ["queued", "queued", "scheduled"]
    assert claim.next_at is not None
    # Five minutes ahead it may be taken; half of that goes by, so that others can come with it.
    assert claim.next_at == world.post(far).scheduled_at - timedelta(minutes=2, seconds=30)
    assert take(uuid4()).posts == []


def test_a_claim_takes_no_more_than_asked_and_leaves_out_whom_it_is_told_to(world: World, take: Take) -> None:
    first, second = world.add("1", connection=0), world.add("2", connection=1)
    busy = world.connections[ConnectionPlatform.X][0]

    assert [post.id for post in take(busy={busy}).posts] == [second]
    assert take(carried={first}).posts == []
    world.add("3")
    assert len(take(limit=1).posts) == 1


def test_a_claim_takes_the_earliest_of_many_whether_late_or_punctual(world: World, take: Take) -> None:
    punctual = [world.add(f"due {n}", due_in=timedelta(seconds=-n)) for n in (1, 3, 2)]
    late = [world.add(f"late {n}", due_in=timedelta(hours=-n), connection=1) for n in (2, 4, 3)]
    elsewhere = world.connections[ConnectionPlatform.X][1]

    assert [post.id for post in take(limit=1, late_limit=1).posts] == [late[1], punctual[1]]
    assert [post.id for post in take(limit=1, late_busy={elsewhere}).posts] == [punctual[2]]
    assert [post.id for post in take(busy={elsewhere}).posts] == [late[2], late[0], punctual[0]]


def test_the_first_moment_is_that_of_the_earliest_post_that_may_be_sent(world: World) -> None:
    def first() -> datetime | None:
        return world.database.read_now(claims.first_moment)

    assert first() is None
    ended, due, _later = (world.add(str(hours), due_in=timedelta(hours=hours)) for hours in (1, 2, 3))
    cancelled = update(posts).where(posts.c.id == ended).values(status=PostStatus.CANCELLED.value)
    world.database.write_now(lambda rows: rows.execute(cancelled))
    hold(world, due, OWNER, 60)
    assert first() == world.post(due).scheduled_at


def test_a_lost_answer_is_always_due(world: World, take: Take) -> None:
    world.add()
    lost(world, take())
    assert world.database.read_now(claims.first_moment) == datetime(1970, 1, 1, tzinfo=UTC)


def test_of_an_account_that_moved_no_lost_answer_is_looked_for(world: World, take: Take) -> None:
    post_id = world.add()
    post = lost(world, take())
    ended = update(posts).values(status=PostStatus.CANCELLED.value)
    hold(world, post_id, None, -1)
    moved = update(accounts).where(accounts.c.id == post.account_id).values(moved_at=world.time.now())

    def work(rows: Connection) -> None:
        rows.execute(ended)
        rows.execute(moved)

    world.database.write_now(work)
    request = request_of(world)
    assert not world.database.read_now(lambda rows: claims.look(rows, request)).has_any
    assert take().posts == []
    back = update(accounts).values(moved_at=None)
    world.database.write_now(lambda rows: rows.execute(back))
    assert [one.id for one in take().posts] == [post_id]


def test_a_claim_that_was_not_renewed_runs_out(world: World, take: Take) -> None:
    post_id = world.add()
    take()
    world.time.offset += timedelta(minutes=59)
    now = world.time.now()
    world.database.write_now(lambda rows: claims.renew(rows, OWNER, {post_id}, now + timedelta(hours=1)))
    world.time.offset += timedelta(minutes=30)
    assert take(uuid4()).posts == []
    world.time.offset += timedelta(minutes=60)
    assert [post.id for post in take(uuid4()).posts] == [post_id]


@pytest.mark.parametrize(
    "changed",
    [
        {"claimed_by": uuid4()},
        {"claimed_by": None},
        {"status": PostStatus.CANCELLED.value},
        {"status": PostStatus.POSTED.value},
        {"scheduled_at": "later"},
    ],
)
def test_no_attempt_begins_for_a_post_that_changed_after_the_claim(
    world: World, take: Take, changed: dict[str, Any]
) -> None:
    post_id, other = world.add("1"), world.add("2")
    taken = take().posts
    now = world.time.now()
    if "scheduled_at" in changed:
        changed = {"scheduled_at": now + timedelta(hours=1)}
    change = update(posts).where(posts.c.id == post_id).values(changed)
    world.database.write_now(lambda rows: rows.execute(change))

    beginnings = [Beginning(post, attempts.new_attempt(Step.PUBLISH, now)) for post in taken]
    begun = world.database.write_now(
        lambda rows: attempts.begin(
            rows,
            OWNER,
            beginnings,
            earliest=now - SETTINGS.grace,
            latest=now,
            lease_until=now + SETTINGS.lease,
        )
    )

    assert begun == {other}
    assert world.attempts(post_id) == []
    assert [attempt.outcome for attempt in world.attempts(other)] == ["pending"]
    assert world.post(post_id).status == changed.get("status", PostStatus.QUEUED)


def test_a_release_by_one_who_lost_the_claim_changes_nothing(world: World, take: Take) -> None:
    post_id, until = world.add(), world.time.now() + timedelta(minutes=1)
    take()
    before = world.post(post_id)
    world.database.write_now(lambda rows: claims.release(rows, post_id, uuid4(), until=until))
    assert world.post(post_id) == before
    world.database.write_now(lambda rows: claims.release(rows, post_id, OWNER, until=until))
    assert (world.post(post_id).claimed_by, world.post(post_id).claimed_until) == (None, until)


def hold(world: World, post_id: UUID, owner: UUID | None, seconds: float) -> None:
    """Has a post held until some seconds from now."""
    until = world.time.now() + timedelta(seconds=seconds)
    work = update(posts).where(posts.c.id == post_id).values(claimed_by=owner, claimed_until=until)
    world.database.write_now(lambda rows: rows.execute(work))


def test_after_a_jump_of_the_clock_only_claims_of_others_are_left_alone(world: World, take: Take) -> None:
    claimed, resting = world.add("1"), world.add("2")
    hold(world, claimed, uuid4(), -1)
    hold(world, resting, None, -1)
    assert [post.id for post in take(patience=timedelta(hours=1)).posts] == [resting]
    assert [post.id for post in take().posts] == [claimed]


def test_the_hold_that_ends_first_says_when_to_look_again(world: World, take: Take) -> None:
    with world.time.standing():
        for seconds in (50, 20, 80):
            hold(world, world.add(str(seconds)), None, seconds)
        assert take().next_at == world.time.now() + timedelta(seconds=20)


def test_the_post_that_is_due_first_says_when_to_look_again(world: World, take: Take) -> None:
    with world.time.standing():
        for minutes in (50, 20, 80):
            world.add(str(minutes), due_in=timedelta(minutes=minutes))
        assert take().next_at == world.time.now() + timedelta(minutes=17, seconds=30)


def test_a_look_finds_what_is_due_or_unresolved_and_free(world: World, take: Take) -> None:
    def look() -> Outlook:
        request = request_of(world)
        return world.database.read_now(lambda rows: claims.look(rows, request))

    def cancel() -> None:
        cancelled = update(posts).values(status=PostStatus.CANCELLED.value)
        world.database.write_now(lambda rows: rows.execute(cancelled))

    with world.time.standing():
        now = world.time.now()
        world.add("1", due_in=timedelta(minutes=7))
        assert look() == Outlook(
            has_any=False, next_at=now + timedelta(minutes=4, seconds=30), has_pauses=False
        )
        due = world.add("2")
        assert look().has_any
        unresolved = lost(world, take())
        assert look().has_any
        hold(world, due, None, 60)
        assert look() == Outlook(has_any=False, next_at=now + timedelta(minutes=1), has_pauses=False)
        hold(world, due, None, 0)
        cancel()
        assert look().has_any
        world.database.write_now(
            lambda rows: attempts.close(rows, unresolved.attempts, AttemptOutcome.REFUSED, missed(), now)
        )
        assert look() == Outlook(has_any=False, next_at=None, has_pauses=False)


@pytest.mark.parametrize("owner", [None, uuid4()])
def test_a_hold_is_over_at_its_end(world: World, take: Take, owner: UUID | None) -> None:
    with world.time.standing():
        post_id = world.add()
        hold(world, post_id, owner, 0)
        assert [post.id for post in take().posts] == [post_id]


def test_a_claimed_post_comes_with_its_attempts_oldest_first(world: World, take: Take) -> None:
    post_id, now = world.add(), world.time.now()
    [post] = take().posts
    made = [attempts.new_attempt(Step.PUBLISH, now - timedelta(hours=hours)) for hours in (1, 3, 2)]

    def work(rows: Connection) -> None:
        attempts.write(rows, [Beginning(post, attempt) for attempt in made])
        attempts.close(rows, made[1:2], AttemptOutcome.TRANSIENT, missed(), now)
        attempts.lose(rows, made[2], missed(), now)
        claims.release_all(rows, OWNER)

    world.database.write_now(work)
    [again] = take(uuid4()).posts
    assert again.id == post_id
    assert again.attempts == (
        dataclasses.replace(made[1], outcome=AttemptOutcome.TRANSIENT, finished_at=now),
        dataclasses.replace(made[2], outcome=AttemptOutcome.UNKNOWN, unknown_since=now),
        made[0],
    )


def test_an_engine_that_ends_lets_go_of_its_own_posts_alone(world: World) -> None:
    mine, theirs = world.add("1"), world.add("2")
    for post_id, owner in ((mine, OWNER), (theirs, uuid4())):
        hold(world, post_id, owner, 60)
    before = world.post(theirs)
    world.database.write_now(lambda rows: claims.release_all(rows, OWNER))
    assert (world.post(mine).claimed_by, world.post(mine).claimed_until) == (None, None)
    assert world.post(theirs) == before


def test_the_waits_of_an_account_end_and_no_others(world: World) -> None:
    kept = [world.add("other account", connection=1), world.add("claimed"), world.add("over")]
    waiting = world.add("waits"), world.add("waits, too", status=PostStatus.PROCESSING)
    account = world.connections[ConnectionPlatform.X][0]
    for post_id, owner in zip((*kept, *waiting), (None, uuid4(), None, None, None), strict=True):
        hold(world, post_id, owner, 60)
    cancelled = update(posts).where(posts.c.id == kept[2]).values(status=PostStatus.CANCELLED.value)
    world.database.write_now(lambda rows: rows.execute(cancelled))
    before = [world.post(post_id) for post_id in kept]

    world.database.write_now(lambda rows: claims.release_connection(rows, account))
    assert [world.post(post_id).claimed_until for post_id in waiting] == [None, None]
    assert [world.post(post_id) for post_id in kept] == before


def test_only_what_is_still_held_is_held_on_to(world: World) -> None:
    mine, theirs, untold = (world.add(text) for text in ("mine", "theirs", "untold"))
    for post_id, owner in ((mine, OWNER), (theirs, uuid4()), (untold, OWNER)):
        hold(world, post_id, owner, 60)
    before = [world.post(post_id) for post_id in (theirs, untold)]
    until = world.time.now() + timedelta(hours=1)

    held = world.database.write_now(lambda rows: claims.renew(rows, OWNER, {mine, theirs}, until))
    assert held == {mine}
    assert (world.post(mine).claimed_by, world.post(mine).claimed_until) == (OWNER, until)
    assert [world.post(post_id) for post_id in (theirs, untold)] == before


def test_a_renewal_waits_for_no_row_that_another_transaction_changes(tmp_path: Path) -> None:
    """Two transactions that wait for rows of each other would end in a deadlock."""
    world = World(tmp_path, [listing()], store="postgresql")
    try:
        ids = {world.add("free"), locked := world.add("locked")}
        for post_id in ids:
            hold(world, post_id, OWNER, 60)
        until = world.time.now() + timedelta(hours=1)
        with world.database.engine.begin() as other:
            other.execute(update(posts).where(posts.c.id == locked).values(claimed_until=until))
            held = world.database.write_now(lambda rows: claims.renew(rows, OWNER, ids, until))
        assert held == ids - {locked}
    finally:
        world.database.close()


@pytest.mark.parametrize("status", sorted(set(PostStatus) - sources(Event.BEGIN)))
def test_what_has_ended_is_claimed_only_to_find_out_what_became_of_a_call(
    world: World, take: Take, status: PostStatus
) -> None:
    """A known outcome leads to no claim, since such posts would keep others waiting."""
    now, ended, opened = world.time.now(), world.add("1"), world.add("2")
    begun = {post.id: Beginning(post, attempts.new_attempt(Step.PUBLISH, now)) for post in take().posts}

    def work(rows: Connection) -> None:
        attempts.write(rows, list(begun.values()))
        attempts.close(rows, [begun[ended].attempt], AttemptOutcome.REFUSED, missed(), now)
        rows.execute(update(posts).values(status=status.value, claimed_by=None, claimed_until=None))

    world.database.write_now(work)
    assert [post.id for post in take(uuid4()).posts] == [opened]
    assert world.post(ended).claimed_by is None
    assert world.post(opened).status == status


def test_a_claimed_post_has_everything_that_its_row_says(world: World, take: Take) -> None:
    board = {
        "pinterest_board_id": "board-1",
        "pinterest_board_name": "Linen",
        "pinterest_link": "https://shop.example/1",
    }
    told = {"title": "Title", "batch_id": "batch-1", "media_storage_path": "a/b.png", **board}
    post_id = world.add("Text")
    world.database.write_now(lambda rows: rows.execute(update(posts).values(told)))
    [post] = take().posts
    row = world.post(post_id)._mapping

    assert (post.board_id, post.board_name, post.link) == tuple(board.values())
    assert (post.account_identifier, post.username) == ("person-0", None)
    same = {field.name for field in dataclasses.fields(post)} & set(row)
    assert len(same) == 12
    assert {name: getattr(post, name) for name in same} == {name: row[name] for name in same}


def test_postgresql_skips_what_others_have_locked() -> None:
    words = str(claims.CLAIM.compile(dialect=postgresql.dialect()))  # type: ignore[no-untyped-call]
    assert words.count("SKIP LOCKED") == 3
    assert "RETURNING" in words
