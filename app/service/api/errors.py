"""Refusals: raised anywhere below a route, answered in the envelope of the contract."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from app.contract.enums import ErrorCode
from app.contract.errors import RateLimitDetails, ValidationIssue

_LONGEST_MESSAGE = 300


class ApiError(Exception):
    """A call that is refused. ``details`` are the issues of a validation error, else empty."""

    def __init__(self, code: ErrorCode, message: str, details: Sequence[ValidationIssue] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = list(details)

    def wire_details(self) -> Sequence[ValidationIssue] | RateLimitDetails | None:
        """What the envelope carries as ``details``; None leaves the key out."""
        return self.details or None

    def headers(self) -> Mapping[str, str]:
        """What the answer's head says about the refusal."""
        return {"WWW-Authenticate": "Bearer"} if self.code is ErrorCode.UNAUTHORIZED else {}


class RateLimitedError(ApiError):
    """One call too many of its kind; ``retry_after`` is in seconds."""

    def __init__(self, message: str, *, retry_after: float) -> None:
        super().__init__(ErrorCode.RATE_LIMITED, message)
        self.retry_after = retry_after

    def wire_details(self) -> RateLimitDetails:
        return RateLimitDetails(retry_after_seconds=self.retry_after)

    def headers(self) -> Mapping[str, str]:
        return {"Retry-After": str(math.ceil(self.retry_after))}


def not_found(what: str) -> ApiError:
    """Nothing of that kind belongs to the account; what others own is not told apart from nothing."""
    return ApiError(ErrorCode.NOT_FOUND, f"There is no such {what}.")


def invalid(field: str, message: str, kind: str) -> ApiError:
    """One field is refused. ``message`` continues the field's name, as in "must be in the future"."""
    return invalid_fields([ValidationIssue(field=field, message=message, type=kind)])


def invalid_fields(issues: Sequence[ValidationIssue]) -> ApiError:
    """Several fields are refused; the first one is told in the message."""
    first = issues[0]
    summary = f"{first.field}: {first.message}" if first.field else first.message
    return ApiError(ErrorCode.VALIDATION_ERROR, summary[:_LONGEST_MESSAGE], issues)


def from_pydantic(error: ValidationError) -> ApiError:
    """What pydantic found, without the values it found them in."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return invalid_fields([_issue(one["loc"], one["msg"], one["type"]) for one in found])


def _issue(location: tuple[Any, ...], message: str, kind: str) -> ValidationIssue:
    return ValidationIssue(field=".".join(str(part) for part in location), message=message, type=kind)
