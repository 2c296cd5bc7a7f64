"""The error envelope that every failed call answers with."""

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
"""The status that carries each error code."""


class ValidationIssue(ResponseModel):
    """One field that was refused; ``field`` is a dotted path such as ``posts.3.title``."""

    field: Word
    message: Sentence
    type: Word


class ValidationDetails(ResponseModel):
    """``details`` of a validation error: one issue for each field that was refused."""

    errors: Few[ValidationIssue]


class RateLimitDetails(ResponseModel):
    """How long to wait before the next call of the same kind."""

    retry_after_seconds: float


class ErrorBody(ResponseModel):
    """The reason of a failure.

    ``details`` holds ValidationDetails or RateLimitDetails; other services may send anything.
    """

    code: ErrorCode
    message: Sentence
    details: Any = Field(default=None, exclude_if=lambda details: details is None)


class ErrorEnvelope(ResponseModel):
    """The body of every error answer."""

    error: ErrorBody
    request_id: Word


class ReauthorizationNeeded(ErrorEnvelope):
    """The 401 of the boards endpoint when the Pinterest token is beyond refreshing."""

    reauth_url: Link
