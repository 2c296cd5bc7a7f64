"""Errors of a call, and which of them are retried.

    ClientError
    ├── ServiceUnreachable      no connection, or it broke before the response was complete
    │   └── NotConnected            no connection: nothing was sent
    │       ├── ProxyFailed             the proxy couldn't connect to the service
    │       └── CertificateRejected     the server's certificate isn't trusted
    ├── TimedOut                no response in time
    ├── AnswerNotUnderstood     a response that violates the contract
    │   └── ListTooLong             a list that exceeds every limit
    └── ServiceAnswered         an error returned by the service
        ├── Unauthorized            401
        ├── AccessEnded             401 for an account, with a ``reauth_url``
        ├── Forbidden               403
        ├── NotFound                404
        ├── ValidationRefused       400, and any other rejection
        ├── RateLimited             429
        └── ServerFailed            5xx
            └── EnvelopeMissing         4xx without the contract's envelope

Messages never contain the API key.
"""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import stamina

from app.contract.errors import ValidationIssue
from app.network import Fault, ProxyError

# ruff: noqa: N818  named after what happened


_ISSUES_MAX = 100
_WORDS_MAX = 2_000


class ClientError(Exception):
    """A call failed."""

    request_id: str | None = None


class ServiceUnreachable(ClientError):
    """The service couldn't be reached, or the connection broke before the response was complete."""


class NotConnected(ServiceUnreachable):
    """No connection to the service. Nothing was sent."""


class ProxyFailed(NotConnected):
    """The proxy couldn't connect to the service."""

    def __init__(self, error: ProxyError) -> None:
        super().__init__(f"{error} {error.said}".strip())
        self.fault = error.fault
        self.said = error.said


class CertificateRejected(NotConnected):
    """The service's certificate isn't trusted."""


class TimedOut(ClientError):
    """No response in time. The service may have executed the call."""


class AnswerNotUnderstood(ClientError):
    """The response violates the contract: not JSON, wrong shape, too large, or a redirect."""

    def __init__(self, message: str, *, status: int | None = None, request_id: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.request_id = request_id


class ListTooLong(AnswerNotUnderstood):
    """A list has too many items or bytes for the app, or takes too long to read."""


class ServiceAnswered(ClientError):
    """The service returned an error.

    ``status`` is the HTTP status; ``code``, ``message`` and ``details`` are its own.
    """

    def __init__(
        self, status: int, code: str, message: str, details: Any = None, request_id: str | None = None
    ) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        self.request_id = request_id


class Unauthorized(ServiceAnswered):
    """The key is missing, malformed, expired or revoked, or the subscription has lapsed."""


class AccessEnded(ServiceAnswered):
    """The platform no longer accepts an account's token. The API key is still valid."""


class Forbidden(ServiceAnswered):
    """The key doesn't allow this, or a quota is used up."""


class NotFound(ServiceAnswered):
    """The object doesn't exist, or it belongs to another account."""


class ValidationRefused(ServiceAnswered):
    """The request was rejected; ``issues`` has the fields and reasons, if the service sent them."""

    @property
    def issues(self) -> list[ValidationIssue]:
        """Parse a list of issues, or a mapping from field to message, also below ``errors``.

        Returns none for anything else.
        """
        details = self.details
        if isinstance(details, dict) and isinstance(details.get("errors"), list | dict):
            details = details["errors"]
        if isinstance(details, dict):
            details = [{"field": field, "message": message} for field, message in details.items()]
        if not isinstance(details, list):
            return []
        return [
            ValidationIssue(
                field=str(item.get("field", ""))[:_WORDS_MAX],
                message=text[:_WORDS_MAX],
                type=str(item.get("type", ""))[:_WORDS_MAX],
            )
            for item in details[:_ISSUES_MAX]
            if isinstance(item, dict) and isinstance(text := item.get("message"), str)
        ]


class RateLimited(ServiceAnswered):
    """Too many calls. ``retry_after`` is in seconds, None if the service doesn't send it."""

    retry_after: float | None = None


class ServerFailed(ServiceAnswered):
    """The service failed. The same call may succeed later."""


class EnvelopeMissing(ServerFailed):
    """An error without the contract's envelope, so it may come from a reverse proxy.

    It says nothing about the object: during a deployment, proxies return 404 for objects that exist.
    """


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
        return bool(self._backoff(error)) or isinstance(error, RateLimited | ProxyFailed | EnvelopeMissing)

    def _backoff(self, error: Exception) -> bool | float:
        if isinstance(error, RateLimited) and error.retry_after is not None:
            # Some services send 0 and then refuse the next call too.
            return error.retry_after <= self.rate_limit_max and max(error.retry_after, self.wait_initial)
        if isinstance(error, CertificateRejected | EnvelopeMissing) or _rejects_credentials(error):
            return False  # deployments last longer, and services that offer less answer the same
        return isinstance(error, ServiceUnreachable | TimedOut | ServerFailed | RateLimited)


def _rejects_credentials(error: Exception | None) -> bool:
    """Whether the proxy rejected the credentials: retrying can lock the user's account."""
    return isinstance(error, ProxyFailed) and error.fault in (Fault.REFUSED, Fault.SIGN_IN_UNKNOWN)
