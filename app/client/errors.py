"""What can go wrong in a call.

ClientError
├── ServiceUnreachable      no connection, or it broke before an answer
│   ├── ProxyFailed             the proxy on the way did not lead to the service
│   └── CertificateRejected     somebody answered whose certificate is not the trusted one
├── TimedOut                no answer in time
├── AnswerNotUnderstood     an answer that is not the contract's
│   └── ListTooLong             a list that goes on beyond every bound
└── ServiceAnswered         an error that the service told
    ├── Unauthorized            401
    ├── AccessEnded             401 of an account, with a ``reauth_url``
    ├── Forbidden               403
    ├── NotFound                404
    ├── ValidationRefused       400, and any other refusal
    ├── RateLimited             429
    └── ServerFailed            5xx

Messages never hold the API key.
"""
# ruff: noqa: N818  named for what happened

from typing import Any

from app.contract.errors import ValidationIssue
from app.network import ProxyError

_ISSUES_MAX = 100
_WORDS_MAX = 2_000


class ClientError(Exception):
    """A call failed."""

    request_id: str | None = None


class ServiceUnreachable(ClientError):
    """No connection to the service, or it broke before the whole answer came."""


class ProxyFailed(ServiceUnreachable):
    """The proxy on the way did not lead to the service; nothing was sent."""

    def __init__(self, error: ProxyError) -> None:
        super().__init__(f"{error} {error.said}".strip())
        self.fault = error.fault
        self.said = error.said


class CertificateRejected(ServiceUnreachable):
    """The service's certificate is not one that is trusted; nothing was sent."""


class TimedOut(ClientError):
    """No answer in time. What was asked may have been done."""


class AnswerNotUnderstood(ClientError):
    """An answer that does not follow the contract: not JSON, another shape, too big, a redirect."""

    def __init__(self, message: str, *, status: int | None = None, request_id: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.request_id = request_id


class ListTooLong(AnswerNotUnderstood):
    """A list of more items or bytes than the app takes, or that takes too long to read."""


class ServiceAnswered(ClientError):
    """An error answer. ``code``, ``message`` and ``details`` are the service's own; ``status`` is HTTP's."""

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
    """The key is missing, malformed, expired or revoked, or the subscription lapsed."""


class AccessEnded(ServiceAnswered):
    """The platform no longer lets the service into an account; the key is good, and so is all else."""


class Forbidden(ServiceAnswered):
    """The key may not do this, or a quota is used up."""


class NotFound(ServiceAnswered):
    """There is no such thing, or it is somebody else's."""


class ValidationRefused(ServiceAnswered):
    """What was sent is refused; ``issues`` says which fields and why, where the service tells."""

    @property
    def issues(self) -> list[ValidationIssue]:
        """Reads a list of issues or a map from field to message, also below ``errors``.

        What is neither gives none.
        """
        told = self.details
        if isinstance(told, dict) and isinstance(told.get("errors"), list | dict):
            told = told["errors"]
        if isinstance(told, dict):
            told = [{"field": field, "message": message} for field, message in told.items()]
        if not isinstance(told, list):
            return []
        return [
            ValidationIssue(
                field=str(item.get("field", ""))[:_WORDS_MAX],
                message=text[:_WORDS_MAX],
                type=str(item.get("type", ""))[:_WORDS_MAX],
            )
            for item in told[:_ISSUES_MAX]
            if isinstance(item, dict) and isinstance(text := item.get("message"), str)
        ]


class RateLimited(ServiceAnswered):
    """Too many calls. ``retry_after`` is in seconds, None where the service does not say."""

    retry_after: float | None = None


class ServerFailed(ServiceAnswered):
    """The service broke; the same call may succeed later."""
