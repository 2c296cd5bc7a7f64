"""Decisions about a post being published. Pure functions, without I/O."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Literal

from app.contract.companion import AttemptOutcome
from app.platforms.base import FailureKind, PlatformError, Published
from app.service.publishing.advice import (
    Explanation,
    exhausted,
    explain,
    may_be_live,
    missed,
    not_reconnected,
    restored,
)
from app.service.publishing.history import ClaimedPost, Step
from app.service.publishing.settings import PublishingSettings

Roll = Callable[[], float]
"""Returns a random number in [0, 1)."""


class Task(Enum):
    """What a claimed post needs next."""

    SEND = auto()
    FOLLOW = auto()  # it's in the user's inbox: ask the platform whether they have published it
    LOOK = auto()  # a response was lost: ask the platform for the post
    NOTE_LOSS = auto()  # the process died during a call: record that its response is lost
    WAIT = auto()  # a call may still be running elsewhere, or it is too early to look
    MISS = auto()  # its time passed too long ago
    REST = auto()  # nothing left to do


@dataclass(frozen=True, slots=True)
class Posted:
    """This attempt published the item."""

    item: Published


@dataclass(frozen=True, slots=True)
class Adopted:
    """The platform refused a copy and named the original, which is ours unless another post owns it."""

    item: Published
    why: Explanation


@dataclass(frozen=True, slots=True)
class InInbox:
    """The item is in the user's inbox on the platform; ask at ``at`` whether they have published it."""

    at: datetime


@dataclass(frozen=True, slots=True)
class Failed:
    """The post won't be published. ``outcome`` is the attempt's."""

    why: Explanation
    outcome: AttemptOutcome = AttemptOutcome.REFUSED


@dataclass(frozen=True, slots=True)
class Retry:
    """Not published; retry at ``at``."""

    at: datetime
    why: Explanation


@dataclass(frozen=True, slots=True)
class Waiting:
    """The account must be reconnected; check again at ``at``."""

    at: datetime
    why: Explanation


@dataclass(frozen=True, slots=True)
class Unknown:
    """The response is lost; look on the platform at ``at``."""

    at: datetime
    why: Explanation


@dataclass(frozen=True, slots=True)
class Contested:
    """The platform refused a copy although looks found nothing; look again at ``at``."""

    at: datetime
    why: Explanation


@dataclass(frozen=True, slots=True)
class Found:
    """A look found the item of a lost call."""

    item: Published


@dataclass(frozen=True, slots=True)
class Absent:
    """The lost calls published nothing.

    Two looks by one process, far enough apart, found nothing, or the platform refused the calls as copies.
    """


@dataclass(frozen=True, slots=True)
class LookAgain:
    """Look once more at ``at``."""

    at: datetime


@dataclass(frozen=True, slots=True)
class Repeat:
    """Send the identical call again: if the first one published, the platform refuses and names it."""


AttemptRuling = Posted | InInbox | Adopted | Failed | Retry | Waiting | Unknown | Contested
LookRuling = Found | InInbox | Absent | LookAgain | Failed | Repeat


def of_attempt(ruling: AttemptRuling) -> AttemptOutcome:
    """Return the outcome of the attempt itself; looks may change it later."""
    match ruling:
        case Posted():
            return AttemptOutcome.PUBLISHED
        case InInbox():
            return AttemptOutcome.IN_INBOX
        case Failed():
            return ruling.outcome
        case Retry():
            return AttemptOutcome.TRANSIENT
        case Unknown():
            return AttemptOutcome.UNKNOWN
        case _:
            return AttemptOutcome.REFUSED


class Sight(Enum):
    """The result of a look that didn't find the post published, as in ``LookBackOutcome``."""

    ABSENT = auto()
    UNSENT = auto()
    UNKNOWABLE = auto()
    DELIVERED = auto()
    """The call has put the item into the user's inbox."""
    DISCONNECTED = auto()
    """The account has expired, so the platform can't be asked before it's reconnected."""


def next_task(post: ClaimedPost, now: datetime, settings: PublishingSettings) -> Task:
    """Decide what a newly claimed post needs next."""
    if post.open_attempts:
        return _task_for_lost(post, now, settings)
    if post.in_inbox and post.may_send(now + settings.claim_ahead):
        return Task.FOLLOW
    if post.may_send(now + settings.claim_ahead):
        return Task.MISS if post.scheduled_at < settings.earliest(now) else Task.SEND
    return Task.REST


def _task_for_lost(post: ClaimedPost, now: datetime, settings: PublishingSettings) -> Task:
    if now < waiting_time(post, settings):
        return Task.WAIT
    return Task.NOTE_LOSS if _may_be_under_way(post) else Task.LOOK


def waiting_time(post: ClaimedPost, settings: PublishingSettings) -> datetime:
    """Return when to first ask about a post's open attempts. Requires one."""
    if _may_be_under_way(post):
        return post.open_attempts[-1].started_at + settings.lease
    return unknown_since(post) + settings.settle_delay


def _may_be_under_way(post: ClaimedPost) -> bool:
    return any(attempt.unknown_since is None for attempt in post.open_attempts)


def unknown_since(post: ClaimedPost) -> datetime:
    """Return when the latest lost response was recorded. Requires one."""
    return max(attempt.unknown_since for attempt in post.open_attempts if attempt.unknown_since)


def after_error(
    error: PlatformError, post: ClaimedPost, now: datetime, settings: PublishingSettings, roll: Roll
) -> AttemptRuling:
    """Decide what follows a failed call. ``post`` is as claimed, without the failed attempt."""
    why = explain(error, post.platform)
    match error.kind:
        case FailureKind.AMBIGUOUS:
            return Unknown(now + settings.settle_delay, why)
        case FailureKind.DUPLICATE:
            return _after_duplicate(error, why, post, now, settings)
        case FailureKind.TRANSIENT | FailureKind.RATE_LIMITED:
            return _after_passing(error, why, post, now, settings, roll)
        case FailureKind.AUTH_EXPIRED if post.open_attempts:
            return Retry(now + settings.look_longest, why)  # the looks decide about the lost attempts
        case FailureKind.AUTH_EXPIRED:
            return Waiting(now + settings.reconnect_look, why)
        case _ if post.open_attempts:
            # A refused repeat says nothing about the call before it. Another repeat may.
            return _after_passing(error, why, post, now, settings, roll)
        case _:
            return Failed(why)


def _after_duplicate(
    error: PlatformError,
    why: Explanation,
    post: ClaimedPost,
    now: datetime,
    settings: PublishingSettings,
) -> AttemptRuling:
    if not post.lost_attempts:
        return Failed(why)
    if error.existing:
        return Adopted(error.existing, why)
    return Contested(now + settings.settle_delay, why)


def _after_passing(
    error: PlatformError,
    why: Explanation,
    post: ClaimedPost,
    now: datetime,
    settings: PublishingSettings,
    roll: Roll,
) -> AttemptRuling:
    tries = post.tries(settings.claim_ahead)
    wait = backoff(tries, settings, roll)
    if post.open_attempts:
        wait = min(wait, settings.look_longest)
    wait = max(wait, timedelta(seconds=error.retry_after or 0))
    too_late = now + wait > post.first_try(now, settings.claim_ahead) + settings.retry_span
    # The looks between repeats decide when to stop repeating.
    is_last = tries + 1 >= settings.tries and not post.open_attempts
    if is_last or too_late:
        failed = exhausted(error, post.platform)
        # If an earlier response is lost too, the advice must say that the post may be live.
        why = may_be_live(failed, post.platform) if post.open_attempts else failed
        return Failed(why, AttemptOutcome.TRANSIENT)
    return Retry(now + wait, why)


def backoff(tries: int, settings: PublishingSettings, roll: Roll) -> timedelta:
    """Return the delay after ``tries`` attempts: exponential, with full jitter."""
    doubled: timedelta = settings.retry_first * 2 ** min(tries, 16)
    longest = min(doubled, settings.retry_longest)
    return longest * roll()


Proof = Found | Literal[Sight.ABSENT, Sight.UNKNOWABLE, Sight.DELIVERED, Sight.DISCONNECTED]
"""What a look can prove."""


def proven(seen: Found | Sight, post: ClaimedPost, settings: PublishingSettings) -> Proof:
    """Return what a look proves.

    UNSENT relies on the stored steps, and those of a restored database may be older than the call. Steps
    that were lost in another way make it UNKNOWABLE before (``Calls.look``).
    """
    if seen is not Sight.UNSENT:
        return seen
    return Sight.UNKNOWABLE if post.was_lost_by(settings.restored_at) else Sight.ABSENT


def after_look(
    seen: Proof,
    post: ClaimedPost,
    now: datetime,
    settings: PublishingSettings,
    repeat_window: timedelta | None,
    absent_for: timedelta | None = None,
    looked_for: timedelta = timedelta(),
    older: timedelta = timedelta(),
) -> LookRuling:
    """Decide what follows a look. An empty result only proves something if a later one agrees.

    Args:
        seen: The result of the look.
        post: The post, with its open attempts.
        now: Wall time.
        settings: Durations and limits.
        repeat_window: How long the platform refuses an identical copy; None if unreliable.
        absent_for: Time since this process's first empty look, on the monotonic clock; None without one.
            Right after a suspend there is often no network.
        looked_for: Time since this process's first look, on the monotonic clock.
        older: As for ``may_repeat``.
    """
    if isinstance(seen, Found):
        return seen
    if seen is Sight.DELIVERED:
        return InInbox(now + settings.follow_first)
    if post.has_only_copies_open:
        return Absent()
    if waits_for_access(seen, post, now, settings, repeat_window):
        return LookAgain(now + settings.reconnect_look)
    if seen is Sight.ABSENT and not post.is_contested:
        if absent_for is not None and absent_for >= settings.confirm_absence:
            return Absent()
        return LookAgain(now + settings.confirm_absence - (absent_for or timedelta()))
    if may_repeat(post, now, settings, repeat_window, older):
        return Repeat()
    if looked_for >= settings.unknown_limit:
        return Failed(may_be_live(None, post.platform), AttemptOutcome.UNKNOWN)
    wait = min(max(looked_for, settings.settle_delay), settings.look_longest)
    return LookAgain(now + wait)


def waits_for_access(
    seen: Proof,
    post: ClaimedPost,
    now: datetime,
    settings: PublishingSettings,
    repeat_window: timedelta | None,
) -> bool:
    """Whether reconnecting the account in time could reveal the outcome of a call.

    The time limit is that of posts not sent yet. If only a repeat could reveal it, its window is over long
    before most users reconnect.
    """
    is_in_time = post.scheduled_at >= settings.earliest(now)
    return seen is Sight.DISCONNECTED and repeat_window is None and is_in_time


def may_repeat(
    post: ClaimedPost,
    now: datetime,
    settings: PublishingSettings,
    repeat_window: timedelta | None,
    older: timedelta = timedelta(),
) -> bool:
    """Whether an identical call is safe, because the platform would still refuse a second copy.

    ``older`` is how much earlier than recorded the first call may have been made.
    """
    by_calls = now + older  # our clock may be behind the one that timed the calls
    return (
        repeat_window is not None
        and post.may_send(now)
        and post.scheduled_at >= settings.earliest(now)
        and post.repeats < settings.repeats
        and by_calls >= post.open_attempts[-1].started_at + post.repeats * settings.repeat_rest
        and by_calls + settings.repeat_margin <= post.first_sent + repeat_window
    )


def missing(post: ClaimedPost, settings: PublishingSettings) -> Failed:
    """Explain why a post is too late: missed, not reconnected, or due before a backup was restored."""
    if settings.restored_at is not None and post.scheduled_at < settings.restored_at:
        return Failed(restored(post.platform))
    return Failed(not_reconnected(post.platform) if post.waits_for_access else missed())


def step_of(post: ClaimedPost) -> Step:
    """Return the next call's step: the first of its kind, or a repeat after a lost response."""
    return Step.REPEAT if post.open_attempts else Step.PUBLISH


def next_follow(since: datetime, now: datetime, settings: PublishingSettings) -> datetime:
    """Return when to ask again whether the user has published a post from their inbox.

    They got it at ``since``; soon after that, they're more likely to.
    """
    waited = now - since
    return now + min(max(waited / 10, settings.follow_first), settings.follow_longest)
