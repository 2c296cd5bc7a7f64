"""Limits on calls by key and action."""

import math
from uuid import UUID

from app.contract.enums import Action
from app.service.accounts.accounts import Plan
from app.service.api.errors import RateLimitedError
from app.service.limits.buckets import Level, TokenBuckets
from app.service.limits.settings import Kind, LimitSettings


class RateLimiter:
    """Counts the calls of this process. Each process of an installation counts separately."""

    def __init__(self, settings: LimitSettings, buckets: TokenBuckets | None = None) -> None:
        self._settings = settings
        self._buckets = TokenBuckets() if buckets is None else buckets

    def take(self, key_id: UUID, plan: Plan, action: Action) -> None:
        """Count a call. Raises RateLimitedError if it exceeds the limit; it then isn't counted."""
        wait = self._buckets.take((key_id, action), self.limit(plan, action))
        if wait > 0:
            raise _one_too_many(math.ceil(wait * 1000) / 1000)

    def take_companion(self, account_id: UUID, plan: Plan, endpoint: str, kind: Kind) -> None:
        """Count a call to a companion endpoint. Raises RateLimitedError like ``take``.

        Counted by account, so that creating more keys doesn't allow more calls.
        """
        wait = self._buckets.take((account_id, endpoint), self._settings.of(plan, kind))
        if wait > 0:
            raise _one_too_many(math.ceil(wait * 1000) / 1000)

    def limit(self, plan: Plan, action: Action) -> int:
        """Return the limit in calls per minute."""
        return self._settings.per_minute(plan, action)

    def level(self, key_id: UUID, plan: Plan, action: Action) -> Level:
        """Return a key's remaining calls."""
        return self._buckets.level((key_id, action), self.limit(plan, action))


def _one_too_many(wait: float) -> RateLimitedError:
    seconds = math.ceil(wait)
    words = "a second" if seconds == 1 else f"{seconds} seconds"
    return RateLimitedError(f"Too many calls of this kind. Wait for {words} and try again.", retry_after=wait)
