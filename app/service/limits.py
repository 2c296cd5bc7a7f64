"""Rate limits by key, action and plan, as token buckets that refill continuously."""

import asyncio
import math
import time
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from app.contract.enums import Action
from app.service.accounts.accounts import Plan
from app.service.api.responses import RateLimitedError

WINDOW_S: Final = 60.0
_SWEEP_FROM: Final = 1_024

PerMinute = Annotated[int, Field(ge=1, le=1_000_000)]
_UNMET: Final = 6_000
"""A limit that one user on their own computer never reaches."""


@dataclass(frozen=True, slots=True)
class Level:
    """Fill level of a bucket.

    Attributes:
        tokens: Whole calls left.
        full_in: Seconds until it's full again.
    """

    tokens: int
    full_in: float


class TokenBuckets:
    """Buckets by name. A bucket is its size and the time when it's full again; full ones use no memory.

    Not thread-safe: use it on the event loop's thread. ``now`` returns monotonic seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._buckets: dict[Hashable, tuple[int, float]] = {}
        self._sweep_at = _SWEEP_FROM

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, name: Hashable, size: int) -> float:
        """Take a token from a bucket of ``size``. Returns 0, or the seconds to wait if it's empty."""
        now = self._now()
        full_in = self._full_in(name, size, now) + WINDOW_S / size
        missing = full_in - WINDOW_S
        if missing > 0 and not math.isclose(full_in, WINDOW_S):
            return missing
        self._buckets[name] = size, now + full_in
        self._sweep(now)
        return 0.0

    def level(self, name: Hashable, size: int) -> Level:
        """Return the fill level of a bucket of ``size``."""
        full_in = self._full_in(name, size, self._now())
        tokens = (WINDOW_S - full_in) * size / WINDOW_S
        return Level(math.floor(tokens + 1e-9), full_in)

    def _full_in(self, name: Hashable, size: int, now: float) -> float:
        """Return the seconds until a bucket is full again; another size misses as many tokens."""
        known, full_at = self._buckets.get(name, (size, now))
        full_in = max(full_at - now, 0.0)
        return full_in if known == size else min(full_in * known / size, WINDOW_S)

    def _sweep(self, now: float) -> None:
        """Drop full buckets whenever their number has doubled since the last sweep."""
        if len(self._buckets) < self._sweep_at:
            return
        self._buckets = {name: bucket for name, bucket in self._buckets.items() if bucket[1] > now}
        self._sweep_at = max(_SWEEP_FROM, 2 * len(self._buckets))


class Kind(StrEnum):
    """Groups of actions with the same limit; each action is counted separately."""

    CREATE = "create"
    BULK = "bulk"
    WRITE = "write"
    READ = "read"
    FILE = "file"


_READS: Final = frozenset(
    {
        Action.POSTS_LIST,
        Action.POSTS_GET,
        Action.POSTS_ANALYTICS,
        Action.CONNECTIONS_LIST,
        Action.CONNECTIONS_GET,
        Action.CONNECTIONS_BOARDS,
        Action.MEDIA_VIEW,
        Action.WEBHOOKS_LIST,
        Action.WEBHOOKS_GET,
        Action.WEBHOOKS_DELIVERIES,
        Action.ANALYTICS_LIST,
        Action.HISTORY_LIST,
        Action.USAGE_GET,
    }
)


def kind_of(action: Action) -> Kind:
    """Return the group of an action."""
    if action is Action.POSTS_CREATE:
        return Kind.CREATE
    if action is Action.POSTS_BULK:
        return Kind.BULK
    return Kind.READ if action in _READS else Kind.WRITE


class PlanLimits(BaseModel):
    """Calls per minute: creating a post, creating in bulk, each other write, and each read.

    ``file``: sending, and receiving, the files of an account that moves. There may be thousands.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    create: PerMinute = 60
    bulk: PerMinute = 10
    write: PerMinute = 60
    read: PerMinute = 300
    file: PerMinute = 1_200


class LocalLimits(PlanLimits):
    """The same for the plan of a user's own computer."""

    create: PerMinute = _UNMET
    bulk: PerMinute = _UNMET
    write: PerMinute = _UNMET
    read: PerMinute = _UNMET
    file: PerMinute = _UNMET


class LimitSettings(BaseModel):
    """The limits of every plan. Omitted values keep their defaults."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    local: LocalLimits = LocalLimits()
    free: PlanLimits = PlanLimits()
    creator: PlanLimits = PlanLimits()
    studio: PlanLimits = PlanLimits()

    def per_minute(self, plan: Plan, action: Action) -> int:
        """Return a plan's limit for one action, in calls per minute."""
        return self.of(plan, kind_of(action))

    def of(self, plan: Plan, kind: Kind) -> int:
        """Return a plan's limit for a group of actions, in calls per minute."""
        limits: PlanLimits = getattr(self, plan.value)
        allowed: int = getattr(limits, kind.value)
        return allowed


_PROMPT_PER_MINUTE: Final = 60
"""Refusals of an account per minute that are answered immediately, with bursts up to as many."""
_HOLD_S: Final = 0.25
"""How long further refusals are held back, in s."""
_HELD_MOST: Final = 64
"""Maximum number of refusals of an account held back at a time. More are answered immediately."""


class HoldBack:
    """Answers callers later that go on calling above their limit, so that they leave time for others.

    Refusing takes the same event loop as serving. A caller that waits for each answer and then calls again
    calls a few times a second instead of hundreds.
    """

    def __init__(self, buckets: TokenBuckets) -> None:
        self._buckets = buckets
        self._held: Counter[UUID] = Counter()

    async def refuse(self, account_id: UUID) -> None:
        """Wait before a refusal, if the account gets many of them."""
        if self._buckets.take((account_id, "refused"), _PROMPT_PER_MINUTE) <= 0:
            return
        if self._held[account_id] >= _HELD_MOST:
            return
        self._held[account_id] += 1
        try:
            await asyncio.sleep(_HOLD_S)
        finally:
            self._held[account_id] -= 1
            if not self._held[account_id]:
                del self._held[account_id]


class RateLimiter:
    """Counts the calls of this process. Each process of an installation counts separately.

    ``held_back`` delays refusals.
    """

    def __init__(self, settings: LimitSettings, buckets: TokenBuckets | None = None) -> None:
        self._settings = settings
        self._buckets = TokenBuckets() if buckets is None else buckets
        self.held_back = HoldBack(self._buckets)

    def use(self, settings: LimitSettings) -> None:
        """Apply other limits from the next call."""
        self._settings = settings

    def take(self, key_id: UUID, plan: Plan, action: Action) -> None:
        """Count a call. Raises RateLimitedError if it exceeds the limit; it then isn't counted."""
        self._take((key_id, action), self.limit(plan, action))

    def take_companion(self, account_id: UUID, plan: Plan, endpoint: str, kind: Kind) -> None:
        """Count a call to a companion endpoint. Raises RateLimitedError like ``take``.

        Counted by account, so that creating more keys doesn't allow more calls.
        """
        self._take((account_id, endpoint), self._settings.of(plan, kind))

    def limit(self, plan: Plan, action: Action) -> int:
        """Return the limit in calls per minute."""
        return self._settings.per_minute(plan, action)

    def level(self, key_id: UUID, plan: Plan, action: Action) -> Level:
        """Return a key's remaining calls."""
        return self._buckets.level((key_id, action), self.limit(plan, action))

    def _take(self, name: Hashable, limit: int) -> None:
        wait = self._buckets.take(name, limit)
        if wait:
            raise _limit_exceeded(wait)


def _limit_exceeded(wait: float) -> RateLimitedError:
    seconds = math.ceil(wait)
    words = "a second" if seconds == 1 else f"{seconds} seconds"
    message = f"Too many calls of this kind. Wait for {words} and try again."
    return RateLimitedError(message, retry_after=math.ceil(wait * 1000) / 1000)
