"""Which failures are retried, how often, and with which delays."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import stamina

from app.client.errors import (
    CertificateRejected,
    ProxyFailed,
    RateLimited,
    ServerFailed,
    ServiceUnreachable,
    TimedOut,
)
from app.network import Fault

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Times are in seconds. A ``retry_after`` above ``rate_limit_max`` is left to the caller.

    ``reconnect_max`` is the longest delay before reopening a stream. A stream that lasted less than
    ``lasts_from`` counts as a failure.
    """

    attempts: int = 3
    total: float = 40
    wait_initial: float = 0.2
    wait_max: float = 3
    rate_limit_max: float = 5
    reconnect_max: float = 30
    lasts_from: float = 30

    async def run(self, call: Callable[[], Awaitable[T]]) -> T:
        """Make an idempotent call, with retries."""
        async for attempt in stamina.retry_context(
            on=self._backoff,
            attempts=self.attempts,
            timeout=self.total,
            wait_initial=self.wait_initial,
            wait_max=self.wait_max,
            wait_jitter=self.wait_initial,
        ):
            with attempt:
                return await call()
        raise AssertionError("stamina ends with a result or an exception")

    def before_reconnecting(self, failures: int, error: Exception | None) -> float:
        """Return the delay before reopening a stream, in s; ``failures`` counts consecutive ones."""
        if _rejects_credentials(error):
            return self.reconnect_max
        longest = min(self.reconnect_max, self.wait_initial * 2 ** min(failures, 16))
        usual = self.wait_initial + random.uniform(0, longest)  # noqa: S311  jitter
        if isinstance(error, RateLimited) and error.retry_after is not None:
            return max(usual, min(error.retry_after, 10 * self.reconnect_max))
        return usual

    def is_passing(self, error: Exception) -> bool:
        """Whether the same call may succeed later."""
        return bool(self._backoff(error)) or isinstance(error, RateLimited | ProxyFailed)

    def _backoff(self, error: Exception) -> bool | float:
        if isinstance(error, RateLimited) and error.retry_after is not None:
            # Some services send 0 and then refuse the next call too.
            return error.retry_after <= self.rate_limit_max and max(error.retry_after, self.wait_initial)
        if isinstance(error, CertificateRejected) or _rejects_credentials(error):
            return False
        return isinstance(error, ServiceUnreachable | TimedOut | ServerFailed | RateLimited)


def _rejects_credentials(error: Exception | None) -> bool:
    """Whether the proxy rejected the credentials: retrying can lock the user's account."""
    return isinstance(error, ProxyFailed) and error.fault in (Fault.REFUSED, Fault.SIGN_IN_UNKNOWN)
