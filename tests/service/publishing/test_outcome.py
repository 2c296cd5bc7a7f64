"""The decisions and the states have laws, whatever happens in whichever order."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from app.contract.companion import AttemptOutcome
from app.contract.enums import CreatedVia, PostingPlatform, PostStatus, PostType
from app.platforms.base import FailureKind, PlatformError, Published
from app.platforms.cards import name_of
from app.platforms.linkedin.adapter import LinkedIn
from app.service.publishing import outcome
from app.service.publishing.advice import Explanation, explain, missed, not_reconnected
from app.service.publishing.history import NO_CALL, Attempt, ClaimedPost, Event, Step, sources, target
from app.service.publishing.outcome import Sight, Task
from app.service.publishing.settings import PublishingSettings

SETTINGS = PublishingSettings()
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
WINDOW = timedelta(minutes=10)


def a_post(*attempts: Attempt, status: PostStatus = PostStatus.PROCESSING) -> ClaimedPost:
    return ClaimedPost(
        id=uuid4(),
        account_id=uuid4(),
        connection_id=uuid4(),
        platform=PostingPlatform.LINKEDIN,
        post_type=PostType.TEXT,
        status=status,
        title=None,
        description="Hello",
        scheduled_at=NOON,
        batch_id=None,
        created_via=CreatedVia.REST,
        account_identifier="person",
        username=None,
        attempts=attempts,
    )


def lost(at: datetime, *, known: bool = True, step: Step = Step.PUBLISH) -> Attempt:
    """An attempt whose answer never came; ``known``: that is written down."""
    return Attempt(
        id=uuid4(),
        step=step,
        outcome=AttemptOutcome.UNKNOWN if known else AttemptOutcome.PENDING,
        started_at=at,
        finished_at=None,
        unknown_since=at if known else None,
    )


def ended(attempt: Attempt, how: AttemptOutcome) -> Attempt:
    return replace(attempt, outcome=how, finished_at=attempt.started_at)


seconds = st.integers(0, 100_000).map(lambda number: timedelta(seconds=number))


def errors_of(kinds: st.SearchStrategy[FailureKind]) -> st.SearchStrategy[PlatformError]:
    return st.builds(
        PlatformError,
        kinds,
        st.just("code"),
        st.just("words"),
        retry_after=st.none() | st.floats(0, 1e6),
        existing=st.none() | st.just(Published("item", None)),
    )


errors = errors_of(st.sampled_from(FailureKind))


proofs: st.SearchStrategy[outcome.Proof] = st.sampled_from([Sight.ABSENT, Sight.UNKNOWABLE])


@given(seconds, st.sampled_from(PostStatus), st.booleans())
def test_nothing_is_sent_while_an_answer_is_missing(
    passed: timedelta,
    status: PostStatus,
    known: bool,
) -> None:
    post = a_post(lost(NOON, known=known), status=status)
    assert outcome.next_task(post, NOON + passed, SETTINGS) not in {Task.SEND, Task.MISS}


@given(seconds, seconds)
def test_what_was_due_before_it_came_back_from_a_backup_is_not_sent(
    passed: timedelta, restored: timedelta
) -> None:
    post, since = a_post(status=PostStatus.SCHEDULED), NOON - timedelta(hours=12) + restored
    settings = SETTINGS.model_copy(update={"restored_at": since})
    task = outcome.next_task(post, NOON + passed, settings)
    if since > NOON:
        assert task is Task.MISS
        assert "backup" in outcome.missing(post, settings).why.advice
    else:
        assert task is outcome.next_task(post, NOON + passed, SETTINGS)
        assert outcome.missing(post, settings) == outcome.missing(post, SETTINGS)


@given(seconds, proofs, st.sampled_from(PostStatus), st.none() | st.just(WINDOW))
def test_a_repeat_is_safe_or_it_is_not_made(
    passed: timedelta, seen: outcome.Proof, status: PostStatus, window: timedelta | None
) -> None:
    ruling = outcome.after_look(seen, a_post(lost(NOON), status=status), NOON + passed, SETTINGS, window)
    if isinstance(ruling, outcome.Repeat):
        assert window is not None
        assert passed <= window - SETTINGS.repeat_margin
        assert seen is Sight.UNKNOWABLE
        assert status in sources(Event.BEGIN)


@given(seconds, proofs)
def test_one_look_that_finds_nothing_proves_nothing(passed: timedelta, seen: outcome.Proof) -> None:
    ruling = outcome.after_look(seen, a_post(lost(NOON)), NOON + passed, SETTINGS, None)
    assert not isinstance(ruling, outcome.Absent)


def test_two_looks_prove_only_when_far_enough_apart() -> None:
    post, now, second = a_post(lost(NOON)), NOON + timedelta(minutes=1), timedelta(seconds=1)
    apart = SETTINGS.confirm_absence
    soon = outcome.after_look(Sight.ABSENT, post, now, SETTINGS, None, second)
    almost = outcome.after_look(Sight.ABSENT, post, now, SETTINGS, None, apart - second)
    late = outcome.after_look(Sight.ABSENT, post, now, SETTINGS, None, apart)

    assert soon == outcome.LookAgain(now + apart - second)
    assert almost == outcome.LookAgain(now + second)
    assert late == outcome.Absent()


@given(st.integers(-100, 100))
def test_steps_out_of_an_older_database_prove_nothing(restored_after: int) -> None:
    moment = NOON + timedelta(seconds=restored_after)
    settings = SETTINGS.model_copy(update={"restored_at": moment})
    of_this_database = a_post(lost(NOON, known=False))
    post = a_post(lost(NOON), lost(NOON + timedelta(minutes=5)))
    assert outcome.proven(Sight.UNSENT, post, SETTINGS) is Sight.ABSENT
    assert outcome.proven(Sight.UNSENT, of_this_database, settings) is Sight.ABSENT
    assert outcome.proven(Sight.ABSENT, post, settings) is Sight.ABSENT
    seen = outcome.proven(Sight.UNSENT, post, settings)
    assert seen is (Sight.UNKNOWABLE if restored_after >= 0 else Sight.ABSENT)


def test_a_refused_copy_is_stronger_than_looks_that_find_nothing() -> None:
    refused = ended(lost(NOON + timedelta(minutes=1)), AttemptOutcome.REFUSED)
    ruling = outcome.after_look(
        Sight.ABSENT, a_post(lost(NOON), refused), NOON + timedelta(minutes=2), SETTINGS, None, WINDOW
    )
    assert isinstance(ruling, outcome.LookAgain)


MOMENT = timedelta(milliseconds=1)


def test_a_post_in_an_inbox_is_asked_about_from_its_time_on() -> None:
    post = a_post(ended(lost(NOON - timedelta(hours=1)), AttemptOutcome.IN_INBOX), status=PostStatus.QUEUED)
    due = NOON - SETTINGS.claim_ahead
    assert outcome.next_task(post, due - MOMENT, SETTINGS) is Task.REST
    assert outcome.next_task(post, due, SETTINGS) is Task.FOLLOW
    assert outcome.next_task(post, NOON + 2 * SETTINGS.grace, SETTINGS) is Task.FOLLOW


def test_the_longer_a_post_is_in_an_inbox_the_more_rarely_it_is_asked_about() -> None:
    first, longest = SETTINGS.follow_first, SETTINGS.follow_longest
    waits = [
        outcome.next_follow(NOON, NOON + waited, SETTINGS) - NOON - waited
        for waited in (timedelta(), 20 * first, 20 * longest)
    ]
    assert waits == [first, 2 * first, longest]
    assert 2 * first < longest


@pytest.mark.parametrize(
    ("after", "status", "task"),
    [
        (-SETTINGS.claim_ahead - MOMENT, PostStatus.SCHEDULED, Task.REST),
        (-SETTINGS.claim_ahead, PostStatus.SCHEDULED, Task.SEND),
        (SETTINGS.grace, PostStatus.QUEUED, Task.SEND),
        (SETTINGS.grace + MOMENT, PostStatus.QUEUED, Task.MISS),
        (timedelta(), PostStatus.CANCELLED, Task.REST),
        (SETTINGS.grace + MOMENT, PostStatus.POSTED, Task.REST),
    ],
)
def test_a_post_is_sent_from_its_time_on_until_it_is_too_late(
    after: timedelta, status: PostStatus, task: Task
) -> None:
    assert outcome.next_task(a_post(status=status), NOON + after, SETTINGS) is task


def test_a_post_that_is_too_late_says_what_it_waited_for() -> None:
    consent = replace(ended(lost(NOON), AttemptOutcome.REFUSED), step=Step.AUTHORIZE)
    assert outcome.missing(a_post(), SETTINGS) == outcome.Failed(missed())
    linkedin = PostingPlatform.LINKEDIN
    assert outcome.missing(a_post(consent), SETTINGS) == outcome.Failed(not_reconnected(linkedin))


def repeated(number: int) -> ClaimedPost:
    """A post whose call and so many repeats of it lost their answers."""
    repeats = (lost(NOON + n * MOMENT, step=Step.REPEAT) for n in range(1, number + 1))
    return a_post(lost(NOON), *repeats)


def test_an_identical_call_is_made_again_while_the_platform_would_refuse_a_second_copy() -> None:
    def look(post: ClaimedPost, now: datetime, window: timedelta | None = WINDOW) -> outcome.LookRuling:
        return outcome.after_look(Sight.UNKNOWABLE, post, now, SETTINGS, window)

    soon, last = NOON + timedelta(minutes=1), NOON + WINDOW - SETTINGS.repeat_margin
    for number in range(SETTINGS.repeats):
        assert look(repeated(number), soon + number * SETTINGS.repeat_rest) == outcome.Repeat()
    assert look(repeated(SETTINGS.repeats), last) != outcome.Repeat()
    assert look(repeated(0), last) == outcome.Repeat()
    assert look(repeated(0), last + MOMENT) != outcome.Repeat()
    assert look(repeated(0), soon, None) != outcome.Repeat()
    late = replace(repeated(0), scheduled_at=soon - SETTINGS.grace)
    assert look(late, soon) == outcome.Repeat()
    assert look(replace(late, scheduled_at=late.scheduled_at - MOMENT), soon) != outcome.Repeat()
    assert look(replace(repeated(0), scheduled_at=soon + MOMENT), soon) != outcome.Repeat()


def test_a_lost_repeat_of_a_call_that_published_was_refused_as_a_copy() -> None:
    first, at = ended(lost(NOON), AttemptOutcome.PUBLISHED), NOON + timedelta(minutes=1)

    def look(*attempts: Attempt) -> outcome.LookRuling:
        post = a_post(*attempts, status=PostStatus.POSTED)
        return outcome.after_look(Sight.UNKNOWABLE, post, at, SETTINGS, WINDOW)

    repeat, sooner = lost(at, step=Step.REPEAT), lost(NOON - MOMENT, step=Step.REPEAT)
    assert look(first, repeat) == outcome.Absent()
    assert look(first, repeat, lost(at)) != outcome.Absent()  # not a repeat
    assert look(sooner, first) != outcome.Absent()
    assert look(lost(NOON), repeat) != outcome.Absent()


def test_a_program_that_dies_again_and_again_does_not_use_up_the_repeats_at_once() -> None:
    # Found by simulation: four deaths within 40 seconds left every post on LinkedIn unknown.
    def look(number: int, after: timedelta) -> outcome.LookRuling:
        post = repeated(number)
        at = post.open_attempts[-1].started_at + after
        return outcome.after_look(Sight.UNKNOWABLE, post, at, SETTINGS, WINDOW)

    rest = SETTINGS.repeat_rest
    assert look(0, SETTINGS.settle_delay) == outcome.Repeat()
    for number in range(1, SETTINGS.repeats):
        assert isinstance(look(number, number * rest - MOMENT), outcome.LookAgain)
        assert look(number, number * rest) == outcome.Repeat()


def test_repeats_go_on_for_most_of_the_time_in_which_they_are_safe() -> None:
    # Found by simulation: three deaths within two minutes used up the repeats, and four minutes were left.
    sent, window = [lost(NOON)], LinkedIn.repeat_window
    for second in range(int(window.total_seconds())):
        now = NOON + timedelta(seconds=second)
        look = outcome.after_look(Sight.UNKNOWABLE, a_post(*sent), now, SETTINGS, window)
        if look == outcome.Repeat():
            sent.append(lost(now, step=Step.REPEAT))
    end = window - SETTINGS.repeat_margin
    assert NOON + 0.75 * end < sent[-1].started_at <= NOON + end


def test_a_call_repeats_one_whose_answer_is_lost() -> None:
    assert outcome.step_of(a_post(lost(NOON))) is Step.REPEAT
    assert outcome.step_of(a_post(ended(lost(NOON), AttemptOutcome.UNKNOWN))) is Step.PUBLISH


def test_looks_grow_rarer_up_to_a_limit() -> None:
    def wait(looked_for: timedelta) -> timedelta:
        post = a_post(lost(NOON))
        ruling = outcome.after_look(Sight.UNKNOWABLE, post, NOON, SETTINGS, None, looked_for=looked_for)
        assert isinstance(ruling, outcome.LookAgain)
        return ruling.at - NOON

    minute = timedelta(minutes=1)
    assert [wait(timedelta()), wait(minute), wait(20 * minute)] == [
        SETTINGS.settle_delay,
        minute,
        SETTINGS.look_longest,
    ]


@given(seconds)
@example(SETTINGS.unknown_limit)
def test_looking_ends(passed: timedelta) -> None:
    post, now = a_post(lost(NOON)), NOON + timedelta(minutes=1)
    ruling = outcome.after_look(Sight.UNKNOWABLE, post, now, SETTINGS, None, looked_for=passed)
    if passed >= SETTINGS.unknown_limit:
        assert isinstance(ruling, outcome.Failed)
        assert "whether the post is live" in ruling.why.advice
    else:
        assert isinstance(ruling, outcome.LookAgain)
        assert now < ruling.at <= now + SETTINGS.look_longest


def test_looking_goes_on_while_the_account_is_expired_and_the_post_is_in_time() -> None:
    post, over = a_post(lost(NOON)), SETTINGS.unknown_limit

    def look(after: timedelta, window: timedelta | None = None) -> outcome.LookRuling:
        now = NOON + after
        return outcome.after_look(Sight.DISCONNECTED, post, now, SETTINGS, window, looked_for=over)

    for after in (over, SETTINGS.grace):
        assert look(after) == outcome.LookAgain(NOON + after + SETTINGS.reconnect_look)
    assert isinstance(look(SETTINGS.grace + MOMENT), outcome.Failed)
    assert isinstance(look(over, WINDOW), outcome.Failed)


@pytest.mark.parametrize("open_", [False, True], ids=["no answer lost", "an answer lost"])
@pytest.mark.parametrize("kind", FailureKind)
@given(st.data(), seconds, st.floats(0, 1, exclude_max=True))
def test_what_follows_from_an_error(
    kind: FailureKind,
    open_: bool,
    data: st.DataObject,
    passed: timedelta,
    roll: float,
) -> None:
    error = data.draw(errors_of(st.just(kind)))
    now = NOON + passed
    post = a_post(lost(NOON)) if open_ else a_post()
    ruling = outcome.after_error(error, post, now, SETTINGS, lambda: roll)

    if error.kind is FailureKind.AMBIGUOUS:
        assert ruling == outcome.Unknown(now + SETTINGS.settle_delay, explain(error, post.platform))
    if isinstance(ruling, outcome.Adopted | outcome.Contested):
        assert error.kind is FailureKind.DUPLICATE
        assert open_
    if error.kind is FailureKind.AUTH_EXPIRED:
        # The post waits for its account; looks for a lost answer go on, and it isn't a refused copy.
        assert isinstance(ruling, outcome.Retry if open_ else outcome.Waiting)
        assert now < ruling.at <= now + SETTINGS.reconnect_look
    elif isinstance(ruling, outcome.Retry):
        assert error.kind in {FailureKind.TRANSIENT, FailureKind.RATE_LIMITED} or open_
        assert ruling.at >= now + timedelta(seconds=error.retry_after or 0)
        assert ruling.at <= now + SETTINGS.retry_span
    if isinstance(ruling, outcome.Failed):
        assert ("whether the post is live" in ruling.why.advice) == open_


def why(error: PlatformError) -> Explanation:
    return explain(error, PostingPlatform.LINKEDIN)


REASON = why(PlatformError(FailureKind.INVALID, "code", "words"))
ITEM = Published("item", None)


@pytest.mark.parametrize(
    ("ruling", "told"),
    [
        (outcome.Posted(ITEM), AttemptOutcome.PUBLISHED),
        (outcome.InInbox(NOON), AttemptOutcome.IN_INBOX),
        (outcome.Failed(REASON), AttemptOutcome.REFUSED),
        (outcome.Failed(REASON, AttemptOutcome.TRANSIENT), AttemptOutcome.TRANSIENT),
        (outcome.Retry(NOON, REASON), AttemptOutcome.TRANSIENT),
        (outcome.Unknown(NOON, REASON), AttemptOutcome.UNKNOWN),
        (outcome.Waiting(NOON, REASON), AttemptOutcome.REFUSED),
        (outcome.Adopted(ITEM, REASON), AttemptOutcome.REFUSED),
        (outcome.Contested(NOON, REASON), AttemptOutcome.REFUSED),
    ],
)
def test_each_ruling_has_the_outcome_of_its_attempt(
    ruling: outcome.AttemptRuling, told: AttemptOutcome
) -> None:
    assert outcome.of_attempt(ruling) is told


def test_an_expired_account_is_waited_for_unless_an_answer_is_lost() -> None:
    error, now = PlatformError(FailureKind.AUTH_EXPIRED, "401", "no"), NOON + timedelta(minutes=1)
    rulings = [
        outcome.after_error(error, post, now, SETTINGS, float) for post in (a_post(), a_post(lost(NOON)))
    ]
    assert rulings == [
        outcome.Waiting(now + SETTINGS.reconnect_look, why(error)),
        outcome.Retry(now + SETTINGS.look_longest, why(error)),
    ]


def test_a_post_in_an_inbox_that_was_cancelled_rests() -> None:
    attempt = ended(lost(NOON - timedelta(hours=1)), AttemptOutcome.IN_INBOX)
    assert outcome.next_task(a_post(attempt, status=PostStatus.CANCELLED), NOON, SETTINGS) is Task.REST


def test_what_a_look_finds_is_what_follows() -> None:
    post, now = a_post(lost(NOON)), NOON + timedelta(minutes=1)

    def look(seen: outcome.Proof, **more: timedelta) -> outcome.LookRuling:
        return outcome.after_look(seen, post, now, SETTINGS, None, **more)

    found = outcome.Found(ITEM)
    assert look(found) is found
    assert look(Sight.DELIVERED) == outcome.InInbox(now + SETTINGS.follow_first)
    assert look(Sight.ABSENT) == outcome.LookAgain(now + SETTINGS.confirm_absence)
    given_up = look(Sight.UNKNOWABLE, looked_for=SETTINGS.unknown_limit)
    assert isinstance(given_up, outcome.Failed)
    assert given_up.outcome is AttemptOutcome.UNKNOWN


def test_a_call_that_may_be_older_than_recorded_is_repeated_for_a_shorter_time() -> None:
    last, older = NOON + WINDOW - SETTINGS.repeat_margin, timedelta(seconds=10)

    def may(post: ClaimedPost, now: datetime) -> bool:
        return outcome.may_repeat(post, now, SETTINGS, WINDOW, older)

    assert may(repeated(0), last - older)
    assert not may(repeated(0), last - older + MOMENT)
    rested = repeated(1).open_attempts[-1].started_at + SETTINGS.repeat_rest
    assert may(repeated(1), rested - older)
    assert not may(repeated(1), rested - older - MOMENT)


FINAL = {FailureKind.PERMISSION, FailureKind.QUOTA, FailureKind.INVALID}


@given(errors, seconds)
def test_what_is_refused_for_good_fails(error: PlatformError, passed: timedelta) -> None:
    """But a refused repeat tells nothing about the call whose answer is lost."""
    now = NOON + passed
    found_out = ended(lost(NOON), AttemptOutcome.UNKNOWN)
    for post in (a_post(), a_post(lost(NOON)), a_post(found_out)):
        why = explain(error, post.platform)
        ruling = outcome.after_error(error, post, now, SETTINGS, lambda: 0.5)
        if error.kind in FINAL and post.open_attempts:
            wait = max(SETTINGS.look_longest, timedelta(seconds=error.retry_after or 0))
            assert isinstance(ruling, outcome.Retry) or passed + wait > SETTINGS.retry_span
        elif error.kind in FINAL or (error.kind is FailureKind.DUPLICATE and not post.attempts):
            assert ruling == outcome.Failed(why)
        elif error.kind is FailureKind.DUPLICATE and error.existing:
            assert ruling == outcome.Adopted(error.existing, why)
        elif error.kind is FailureKind.DUPLICATE:
            assert ruling == outcome.Contested(now + SETTINGS.settle_delay, why)


@given(st.integers(0, 1_000), st.floats(0, 1, exclude_max=True))
def test_waits_grow_to_a_limit_and_are_jittered(tries: int, roll: float) -> None:
    wait = outcome.backoff(tries, SETTINGS, lambda: roll)
    longest = outcome.backoff(tries, SETTINGS, lambda: 1)
    assert timedelta() <= wait <= longest <= SETTINGS.retry_longest
    assert longest >= outcome.backoff(max(tries - 1, 0), SETTINGS, lambda: 1)


def test_the_first_wait_is_the_one_that_is_set_and_the_next_is_twice_as_long() -> None:
    waits = [outcome.backoff(tries, SETTINGS, lambda: 1) for tries in range(3)]
    assert waits == [SETTINGS.retry_first, 2 * SETTINGS.retry_first, 4 * SETTINGS.retry_first]


@pytest.mark.parametrize("tries", [1, 2, 5])
def test_a_post_is_tried_no_more_often_than_is_set(tries: int) -> None:
    settings = SETTINGS.model_copy(update={"tries": tries})
    earlier: list[Attempt] = []
    error = PlatformError(FailureKind.TRANSIENT, "503", "later")
    for number in range(1, tries + 1):
        now = NOON + number * timedelta(seconds=1)
        ruling = outcome.after_error(error, a_post(*earlier), now, settings, lambda: 0.5)
        assert isinstance(ruling, outcome.Failed if number == tries else outcome.Retry)
        earlier.append(ended(lost(now), AttemptOutcome.TRANSIENT))


def test_while_an_answer_is_lost_calls_wait_no_longer_than_looks() -> None:
    tried = [ended(lost(NOON + n * MOMENT), AttemptOutcome.TRANSIENT) for n in range(10)]
    error, now = PlatformError(FailureKind.TRANSIENT, "503", "later"), NOON + timedelta(minutes=1)
    waits = [
        outcome.after_error(error, post, now, SETTINGS, lambda: 1.0)
        for post in (a_post(*tried), a_post(lost(NOON), *tried))
    ]
    why = explain(error, PostingPlatform.LINKEDIN)
    assert waits == [
        outcome.Retry(now + SETTINGS.retry_longest, why),
        outcome.Retry(now + SETTINGS.look_longest, why),
    ]


def test_a_post_is_not_tried_again_when_the_platform_asks_to_wait_too_long() -> None:
    first = ended(lost(NOON), AttemptOutcome.TRANSIENT)
    now, left = NOON + timedelta(minutes=30), SETTINGS.retry_span - timedelta(minutes=30)
    for more, expected in ((0, outcome.Retry), (1, outcome.Failed)):
        wait = left.total_seconds() + more
        error = PlatformError(FailureKind.RATE_LIMITED, "429", "later", retry_after=wait)
        ruling = outcome.after_error(error, a_post(first), now, SETTINGS, lambda: 0.0)
        assert type(ruling) is expected
    assert isinstance(ruling, outcome.Failed)
    assert ruling.outcome is AttemptOutcome.TRANSIENT


@example([(timedelta(), timedelta(), True), (timedelta(seconds=9), timedelta(), True)], timedelta())
@given(st.lists(st.tuples(seconds, seconds, st.booleans()), min_size=1, max_size=4), seconds)
def test_a_post_waits_until_it_has_something_to_do(
    calls: list[tuple[timedelta, timedelta, bool]], passed: timedelta
) -> None:
    """A call that may be under way holds for a lease; a lost one for the time that a platform needs."""
    opened = [
        replace(lost(NOON + started), unknown_since=NOON + started + noticed if known else None)
        for started, noticed, known in sorted(calls)
    ]
    post = a_post(*opened)
    under_way = any(attempt.unknown_since is None for attempt in opened)
    losses = [attempt.unknown_since for attempt in opened if attempt.unknown_since]
    until = opened[-1].started_at + SETTINGS.lease if under_way else max(losses) + SETTINGS.settle_delay

    assert outcome.waiting_time(post, SETTINGS) == until
    assert outcome.next_task(post, until, SETTINGS) is (Task.NOTE_LOSS if under_way else Task.LOOK)
    before = until - timedelta(milliseconds=1) - passed
    assert outcome.next_task(post, before, SETTINGS) is Task.WAIT


@pytest.mark.parametrize("kind", FailureKind)
@pytest.mark.parametrize("platform", PostingPlatform)
def test_every_failure_on_every_platform_has_plain_advice(
    kind: FailureKind, platform: PostingPlatform
) -> None:
    why = explain(PlatformError(kind, "code", "words"), platform)
    assert name_of(platform) in why.advice
    assert why.advice.endswith(".")
    assert "!" not in why.advice
    assert "{" not in why.advice


def test_attempts_for_an_earlier_time_do_not_count() -> None:
    before = ended(lost(NOON - timedelta(hours=1)), AttemptOutcome.TRANSIENT)
    after = ended(lost(NOON), AttemptOutcome.TRANSIENT)
    assert a_post(before, after).tries(SETTINGS.claim_ahead) == 1


def test_attempts_that_made_no_call_do_not_count() -> None:
    """After a long outage of the database, the platform still gets all of its tries."""
    unstored = ended(lost(NOON), AttemptOutcome.TRANSIENT)
    post, now = a_post(replace(unstored, code=NO_CALL)), NOON + 2 * SETTINGS.retry_span
    busy = PlatformError(FailureKind.TRANSIENT, "503", "try later")
    assert isinstance(outcome.after_error(busy, post, now, SETTINGS, lambda: 1.0), outcome.Retry)
    after = ended(lost(now), AttemptOutcome.TRANSIENT)
    assert a_post(*post.attempts, after).tries(SETTINGS.claim_ahead) == 1
    assert a_post(*post.attempts, after).first_try(now, SETTINGS.claim_ahead) == now


class Statuses(RuleBasedStateMachine):
    """Publishing and the posts' routes act on one post in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.status = PostStatus.SCHEDULED
        self.live = False
        self.begun = 0

    def _apply(self, event: Event) -> bool:
        if self.status not in sources(event):
            return False
        self.status = target(event)
        return True

    @rule()
    def becomes_due(self) -> None:
        self._apply(Event.DUE)

    @rule()
    def begins(self) -> None:
        self.begun += self._apply(Event.BEGIN)

    @precondition(lambda self: self.begun)
    @rule()
    def turns_out_live(self) -> None:
        self.live = self._apply(Event.PUBLISH)

    @rule()
    def fails(self) -> None:
        self._apply(Event.FAIL)

    @precondition(lambda self: not self.live)
    @rule()
    def is_cancelled(self) -> None:
        self.status = PostStatus.CANCELLED

    @invariant()
    def what_is_live_is_posted_and_nothing_else_is(self) -> None:
        assert (self.status is PostStatus.POSTED) == self.live


TestStatuses = Statuses.TestCase
