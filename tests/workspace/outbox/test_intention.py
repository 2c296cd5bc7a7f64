"""What a wish leaves to be sent, of a post that the service has, may have, or cannot have."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.workspace.outbox.intention import (
    SENT_MAX,
    Intention,
    Wanted,
    decide,
    is_in_conflict,
    is_met,
    shown,
    spared,
    wanted_of,
)
from app.workspace.posts.planned import PlannedPost, SyncState

HOUR = 3_600_000
ONE, TWO, THREE = (Wanted(hours * HOUR, cancelled=False) for hours in (1, 2, 3))
OFF = Wanted(HOUR, cancelled=True)


def post(at: int = HOUR, status: PostStatus = PostStatus.SCHEDULED, reason: str = "") -> PlannedPost:
    return PlannedPost("a", at, "x", PostingPlatform.X, PostType.TEXT, status, "words", reason=reason)


def test_nothing_is_sent_when_the_service_has_what_is_wanted() -> None:
    assert decide(post(), None, ONE, unsent=False, sending=False) == (post(), None)


@pytest.mark.parametrize(("sending", "attempts"), [(True, 0), (False, 1), (True, 1)])
def test_what_is_wanted_is_sent_again_when_a_call_for_something_else_may_be_carried_out(
    sending: bool, attempts: int
) -> None:
    """A move whose answer is lost, taken back: the service may have moved the post all the same."""
    before = Intention("a", TWO, attempts=attempts, seen=ONE, sent=(TWO,) * attempts)
    base, left = decide(post(), before, ONE, unsent=False, sending=sending)
    assert base == post()
    assert left is not None
    assert (left.wanted, left.version, left.seen) == (ONE, 2, ONE)
    assert left.sent == before.sent


def test_a_wish_of_which_nothing_was_sent_is_dropped_when_it_is_taken_back() -> None:
    before = Intention("a", TWO, seen=ONE)
    assert decide(post(), before, ONE, unsent=False, sending=False) == (post(), None)


def test_another_wish_remembers_what_the_service_had() -> None:
    _, left = decide(post(), None, TWO, unsent=False, sending=False)
    assert left == Intention("a", TWO, seen=ONE)


def test_a_change_of_mind_no_longer_waits_for_the_post_that_was_to_take_its_place() -> None:
    waiting = Intention("a", OFF, seen=ONE, after="new")
    _, left = decide(post(), waiting, TWO, unsent=False, sending=False)
    assert left is not None
    assert left.after == ""
    assert waiting.changed_to(TWO, ONE).after == ""


def test_a_post_that_the_service_cannot_have_is_changed_itself() -> None:
    failed = post(status=PostStatus.FAILED, reason="not today")
    base, left = decide(failed, None, TWO, unsent=True, sending=False)
    assert base == post(2 * HOUR)
    assert base.reason == ""
    assert left == Intention("a", TWO)
    base, left = decide(base, left, Wanted(2 * HOUR, cancelled=True), unsent=True, sending=False)
    assert (base.status, left) == (PostStatus.CANCELLED, None)


def test_a_post_that_the_service_may_have_keeps_what_was_sent_of_it() -> None:
    begun = Intention("a", ONE, create_at=HOUR, attempts=1)
    base, left = decide(post(), begun, OFF, unsent=True, sending=False)
    assert base == post()
    assert left is not None
    assert (left.wanted, left.create_at, left.seen) == (OFF, HOUR, None)
    base, left = decide(post(), begun, ONE, unsent=True, sending=False)
    assert left is not None  # it has to be created still


def test_a_repeated_call_does_not_make_earlier_ones_forgotten() -> None:
    wish = Intention("a", TWO, seen=ONE).begun().changed_to(THREE, ONE)
    for _ in range(SENT_MAX + 3):
        wish = wish.begun()
    assert wish.sent == (TWO, *(THREE,) * (SENT_MAX - 1))
    assert wish.attempts == SENT_MAX + 4
    assert not is_in_conflict(post(2 * HOUR), wish)


def test_of_very_many_calls_the_last_ones_are_remembered() -> None:
    wish = Intention("a", ONE)
    for hours in range(1, SENT_MAX + 3):
        wish = wish.changed_to(Wanted(hours * HOUR, cancelled=False), ONE).begun()
    assert [one.at // HOUR for one in wish.sent] == list(range(3, SENT_MAX + 3))


def test_every_call_is_remembered_until_it_is_answered() -> None:
    wish = Intention("a", TWO, sent=(TWO, THREE)).begun()
    assert wish.sent == (TWO, THREE, TWO)
    assert wish.answered(TWO).sent == (TWO, THREE)
    assert wish.answered(THREE).sent == (TWO, TWO)
    assert wish.answered(ONE).sent == wish.sent
    assert wish.answered(Wanted(TWO.at + 999, cancelled=False)).sent == (TWO, THREE)


@pytest.mark.parametrize(
    ("there", "seen", "sent", "is_expected"),
    [
        (THREE, ONE, (), True),  # somebody else moved it
        (ONE, ONE, (), False),
        (TWO, ONE, (), False),  # somebody else did what is wanted
        (THREE, ONE, (THREE,), False),  # that was us
        (THREE, None, (), False),  # it was new
        (OFF, ONE, (), True),
        (OFF, ONE, (OFF,), False),
    ],
)
def test_a_conflict_is_a_change_that_was_not_ours(
    there: Wanted, seen: Wanted | None, sent: tuple[Wanted, ...], is_expected: bool
) -> None:
    status = PostStatus.CANCELLED if there.cancelled else PostStatus.SCHEDULED
    base, wish = post(there.at, status), Intention("a", TWO, seen=seen, sent=sent)
    assert is_in_conflict(base, wish) is is_expected
    assert not is_in_conflict(base._replace(published=True), wish)
    sync = SyncState.CONFLICT if is_expected else SyncState.WAITING
    assert shown(base, wish, sending=False).sync is sync


WANTED = st.sampled_from([ONE, TWO, THREE, OFF, Wanted(2 * HOUR, cancelled=True)])
WISHES = st.none() | st.builds(
    Intention,
    st.just("a"),
    WANTED,
    version=st.integers(1, 9),
    attempts=st.integers(0, 2),
    create_at=st.none() | st.just(HOUR),
    seen=st.none() | WANTED,
    sent=st.lists(WANTED, max_size=3).map(tuple),
    after=st.sampled_from(["", "new"]),
)
BASES = st.builds(post, st.sampled_from([HOUR, 2 * HOUR]), st.sampled_from(PostStatus), st.just("not today"))


@given(BASES, WISHES, WANTED, st.booleans(), st.booleans(), st.lists(WANTED, max_size=2).map(tuple))
def test_a_new_wish_replaces_the_old_one_unless_nothing_is_left_to_send(
    base: PlannedPost,
    before: Intention | None,
    wanted: Wanted,
    unsent: bool,
    sending: bool,
    late: tuple[Wanted, ...],
) -> None:
    after, left = decide(base, before, wanted, unsent=unsent, sending=sending, late=late)
    is_only_here = unsent and (before is None or before.create_at is None)
    on_the_way = sending or (before is not None and before.attempts > 0)
    if is_only_here:
        status = PostStatus.CANCELLED if wanted.cancelled else PostStatus.SCHEDULED
        assert after == base._replace(at=wanted.at, status=status, reason="")
        is_done = wanted.cancelled
    else:
        assert after == base
        is_done = not unsent and not on_the_way and wanted_of(base).same(wanted)
    assert (left is None) == is_done
    if left is not None:
        assert left.wanted == wanted
        assert left.seen == (None if unsent else wanted_of(base))
        assert left.after == ""
        kept = before or Intention("a", ONE, version=0, sent=() if is_only_here else late)
        assert left.version == kept.version + 1
        assert (left.key, left.attempts, left.create_at, left.sent) == (
            kept.key,
            kept.attempts,
            kept.create_at,
            kept.sent,
        )


def test_changes_by_late_calls_of_ours_are_not_taken_for_those_of_others_unless_told() -> None:
    _, left = decide(post(), None, TWO, unsent=False, sending=False, late=(THREE,))
    assert left == Intention("a", TWO, seen=ONE, sent=(THREE,))


@given(st.integers(0, 10**13), st.integers(0, 999), st.booleans())
def test_a_service_may_keep_whole_seconds_alone(seconds: int, rest: int, cancelled: bool) -> None:
    start = seconds // 1_000 * 1_000
    one, other = Wanted(start, cancelled), Wanted(start + rest, cancelled)
    assert one.same(other)
    assert one.same(Wanted(start + 1_000, cancelled)) is cancelled
    assert not one.same(Wanted(start, not cancelled))


def test_a_post_shows_what_is_wanted_of_it() -> None:
    assert shown(post(), None, sending=True) == post()
    for status, sending in product(PostStatus, (False, True)):
        base = post(status=status)
        seen = shown(base, Intention("a", TWO, seen=wanted_of(base)), sending=sending)
        assert seen.at == 2 * HOUR
        assert seen.sync is (SyncState.SENDING if sending else SyncState.WAITING)
        resumed = status in (PostStatus.CANCELLED, PostStatus.FAILED)
        assert seen.status is (PostStatus.SCHEDULED if resumed else status)
        off = shown(base, Intention("a", OFF, seen=wanted_of(base)), sending=sending)
        assert off.status is PostStatus.CANCELLED
    waiting = post(status=PostStatus.PROCESSING)._replace(by_hand=True)
    assert shown(waiting, Intention("a", TWO, seen=ONE), sending=True).status is PostStatus.SCHEDULED
    assert is_met(post(5 * HOUR, PostStatus.CANCELLED), OFF)
    assert not is_met(post(5 * HOUR), OFF)


REPLACED = Intention("a", Wanted(TWO.at, cancelled=True), version=3, seen=ONE, after="new")
"""A post at another time than the service has it, which is cancelled once the service has the new one."""


def test_a_post_whose_replacement_is_not_created_is_wanted_as_before() -> None:
    assert spared(post(), REPLACED, unsent=False) == Intention("a", TWO, version=4, seen=ONE)


@pytest.mark.parametrize(
    "base",
    [
        post(TWO.at),
        post(status=PostStatus.CANCELLED),
        post(status=PostStatus.FAILED),
        post(status=PostStatus.POSTED)._replace(published=True),
    ],
)
def test_nothing_is_sent_for_it_where_the_service_has_nothing_to_change(base: PlannedPost) -> None:
    assert spared(base, REPLACED, unsent=False) is None


def test_it_is_still_created_where_the_service_does_not_have_it() -> None:
    assert spared(post(TWO.at), REPLACED, unsent=True) == Intention("a", TWO, version=4, seen=ONE)
