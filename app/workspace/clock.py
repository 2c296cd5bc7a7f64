"""Clocks and intervals, which tests can replace."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

Clock = Callable[[], int]
"""Wall time in milliseconds since 1970 UTC. A monotonic one would not see that the computer slept."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


LAST_MOMENT = 253_402_300_799_999
"""The end of the year 9999, after which there are no dates."""


def wall_clock() -> int:
    return time.time_ns() // 1_000_000


def now_in(zone: tzinfo) -> datetime:
    """Return the wall time in a zone."""
    return from_millis(wall_clock()).astimezone(zone)


def to_millis(moment: datetime) -> int:
    return (moment - _EPOCH) // _MILLISECOND


def from_millis(millis: int) -> datetime:
    return _EPOCH + millis * _MILLISECOND


@dataclass(frozen=True, slots=True)
class Pace:
    """Intervals and delays, in s."""

    tick: float = 0.5  # how long a wait may last before wall time is read again
    poll_active: float = 4.0  # the newest posts, while somebody is looking
    poll_idle: float = 30.0
    everything: float = 600.0  # from one pass over all posts to the next: what was deleted elsewhere
    everything_followed: float = 3_600.0  # the same, while the service tells of changes by itself
    second_look: float = 60.0  # until a list that misses many posts is asked for again, and believed
    losses: float = 1.0  # from a post that the service lost to saying so, with others that it loses meanwhile
    stream_again: float = 60.0  # after a stream that cannot be followed
    news: float = 0.2  # at least, from telling that accounts, files or deliveries changed to the next time
    limited: float = 60.0  # how long a service may ask to wait again and again before it is said
    due_delay: float = 0.5  # from a post's time to the first check whether it was published
    due_delay_followed: float = 60.0  # the same, while the service tells of changes by itself
    save_position: float = 5.0  # how often it is noted how far the stream was followed
    due_repeat: float = 1.0
    due_repeat_max: float = 60.0
    backoff: float = 1.0  # after a failed call
    backoff_max: float = 60.0
    silence: float = 6.0  # without a sign of the service, until it's asked; and again, until that shows
    answer: float = 3.0  # a call may last before its answer counts as missing
    broken: float = 1.0  # a stream that ended may be gone before that counts as silence
    publish_hold: float = 6.0  # how long "publish now" can be taken back
    save_again: float = 5.0  # after a full disk
    warnings: float = 0.25  # from a change to a look at what will fail
    notices: float = 3.0  # from an event to its notification, to batch other events
    notices_reason: float = 15.0  # how much longer telling of a failed post waits for its reason
    notices_again: float = 600.0  # at least, between two notifications of published posts
    notices_look: float = 30.0  # how often the clock is looked at, to see that this computer slept
    health: float = 300.0  # from one question whether the service can publish to the next
    companion_gone: float = 60.0  # until a companion API that was there is believed to be gone
    limits: float = 15.0  # at least, between two questions what the service allows
    limits_first: float = 120.0  # to the first of them, while nothing waits to be sent
    limits_idle: float = 21_600.0  # to the next ones
    metrics: float = 21_600.0  # at least, from one look at the numbers of posts to the next
    connection_poll: float = 2.0  # while a browser flow is open
