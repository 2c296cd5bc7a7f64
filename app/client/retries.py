"""Which failures are tried again, how often, and how long apart."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import stamina

from app.client.errors import CertificateRejected, RateLimited, ServerFailed, ServiceUnreachable, TimedOut

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Times in seconds. A longer ``retry_after`` than ``rate_limit_max`` is left to the caller."""

    attempts: int = 3
    total: float = 40
    wait_initial: float = 0.2
    wait_max: float = 3
    rate_limit_max: float = 5

    async def run(self, call: Callable[[], Awaitable[T]]) -> T:
        """Makes a call that may be made twice without harm."""
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

    def _backoff(self, error: Exception) -> bool | float:
        if isinstance(error, RateLimited) and error.retry_after is not None:
            return error.retry_after if error.retry_after <= self.rate_limit_max else False
        if isinstance(error, CertificateRejected):
            return False
        return isinstance(error, ServiceUnreachable | TimedOut | ServerFailed | RateLimited)
