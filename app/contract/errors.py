"""The error envelope of failed calls."""

from types import MappingProxyType
from typing import Any, Final

from pydantic import Field

from app.contract.base import Few, Link, ResponseModel, Sentence, Word
from app.contract.enums import ErrorCode

HTTP_STATUS: Final = MappingProxyType(
    {
        ErrorCode.VALIDATION_ERROR: 400,
        ErrorCode.UNAUTHORIZED: 401,
        ErrorCode.FORBIDDEN: 403,
        ErrorCode.NOT_FOUND: 404,
        ErrorCode.RATE_LIMITED: 429,
        ErrorCode.INTERNAL_ERROR: 500,
    }
)
"""HTTP status of each error code."""


class ValidationIssue(ResponseModel):
    """A rejected field; ``field`` is a dotted path such as ``posts.3.title``."""

    field: Word
    message: Sentence
    type: Word


class ValidationDetails(ResponseModel):
    """``details`` of a validation error: one issue per rejected field."""

    errors: Few[ValidationIssue]


class RateLimitDetails(ResponseModel):
    """How long to wait before the next call of the same action."""

    retry_after_seconds: float


class ErrorBody(ResponseModel):
    """The error in an envelope.

    ``details`` is ValidationDetails or RateLimitDetails; other services may send anything.
    """

    code: ErrorCode
    message: Sentence
    details: Any = Field(default=None, exclude_if=lambda details: details is None)


class ErrorEnvelope(ResponseModel):
    """The body of every error response."""

    error: ErrorBody
    request_id: Word


class ReauthorizationNeeded(ErrorEnvelope):
    """The 401 of the boards endpoint if the Pinterest token can't be refreshed."""

    reauth_url: Link
