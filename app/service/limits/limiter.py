"""Limits on calls, by key and action."""

import math
from uuid import UUID

from app.contract.enums import Action
from app.service.accounts.plans import Plan
from app.service.api.errors import RateLimitedError
from app.service.limits.buckets import Level, TokenBuckets
from app.service.limits.settings import Kind, LimitSettings


class RateLimiter:
    """Counts the calls of this process; several processes of one installation count each for itself."""

    def __init__(self, settings: LimitSettings, buckets: TokenBuckets | None = None) -> None:
        self._settings = settings
        self._buckets = TokenBuckets() if buckets is None else buckets

    def take(self, key_id: UUID, plan: Plan, action: Action) -> None:
        """One call more. Raises RateLimitedError when it is one too many; such a call counts for nothing."""
        wait = self._buckets.take((key_id, action), self.limit(plan, action))
        if wait > 0:
            raise _one_too_many(math.ceil(wait * 1000) / 1000)

    def take_companion(self, account_id: UUID, plan: Plan, endpoint: str, kind: Kind) -> None:
        """One call more to an endpoint of the companion. Raises RateLimitedError like ``take``.

        Counted by account: a key that makes keys must not gain calls by it.
        """
        wait = self._buckets.take((account_id, endpoint), self._settings.of(plan, kind))
        if wait > 0:
            raise _one_too_many(math.ceil(wait * 1000) / 1000)

    def limit(self, plan: Plan, action: Action) -> int:
        """Calls a minute."""
        return self._settings.per_minute(plan, action)

    def level(self, key_id: UUID, plan: Plan, action: Action) -> Level:
        """What is left to a key."""
        return self._buckets.level((key_id, action), self.limit(plan, action))


def _one_too_many(wait: float) -> RateLimitedError:
    seconds = math.ceil(wait)
    words = "a second" if seconds == 1 else f"{seconds} seconds"
    return RateLimitedError(f"Too many calls of this kind. Wait for {words} and try again.", retry_after=wait)
