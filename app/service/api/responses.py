"""Responses: JSON of the contract's models, and errors in the contract's envelope."""

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.contract.enums import ErrorCode
from app.contract.errors import (
    HTTP_STATUS,
    ErrorBody,
    ErrorEnvelope,
    RateLimitDetails,
    ValidationDetails,
    ValidationIssue,
)

_LONGEST_MESSAGE = 300
_PIECE_BYTES: Final = 64 * 1024
_UNREAD_MAX: Final = 4
"""Of one account, and in each process."""


class ApiError(Exception):
    """A refused call. ``details`` are the issues of a validation error, otherwise empty."""

    def __init__(self, code: ErrorCode, message: str, details: Sequence[ValidationIssue] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = list(details)

    def wire_details(self) -> ValidationDetails | RateLimitDetails | None:
        """Return the envelope's ``details``; None omits them."""
        return ValidationDetails(errors=self.details) if self.details else None

    def headers(self) -> Mapping[str, str]:
        """Return additional response headers."""
        return {"WWW-Authenticate": "Bearer"} if self.code is ErrorCode.UNAUTHORIZED else {}


class RateLimitedError(ApiError):
    """A rate limit was exceeded; ``retry_after`` is in seconds."""

    def __init__(self, message: str, *, retry_after: float) -> None:
        super().__init__(ErrorCode.RATE_LIMITED, message)
        self.retry_after = retry_after

    def wire_details(self) -> RateLimitDetails:
        return RateLimitDetails(retry_after_seconds=self.retry_after)

    def headers(self) -> Mapping[str, str]:
        return {"Retry-After": str(math.ceil(self.retry_after))}


def not_found(what: str) -> ApiError:
    """Return a 404. Objects of other accounts are reported the same way."""
    return ApiError(ErrorCode.NOT_FOUND, f"There is no such {what}.")


def invalid(field: str, message: str, kind: str) -> ApiError:
    """Return a validation error for one field. ``message`` continues its name: "must be in the future"."""
    return invalid_fields([ValidationIssue(field=field, message=message, type=kind)])


def invalid_fields(issues: Sequence[ValidationIssue]) -> ApiError:
    """Return a validation error for several fields; its message names the first."""
    first = issues[0]
    summary = f"{first.field}: {first.message}" if first.field else first.message
    return ApiError(ErrorCode.VALIDATION_ERROR, summary[:_LONGEST_MESSAGE], issues)


def from_pydantic(error: ValidationError) -> ApiError:
    """Convert pydantic's errors, without the invalid values."""
    found = error.errors(include_url=False, include_input=False)
    return invalid_fields([_issue(one) for one in found])


def _issue(found: ErrorDetails) -> ValidationIssue:
    field, kind, known = ".".join(str(part) for part in found["loc"]), found["type"], found.get("ctx", {})
    words = _WORDS.get(kind)
    message = words(known) if words else found["msg"]
    if not field and message == _OBJECT:
        message = f"The request body {message}."
    return ValidationIssue(field=field, message=message, type=kind)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


_TEXT: Final = "must be text"
_WHOLE: Final = "must be a whole number"
_TRUTH: Final = "must be true or false"
_UUID: Final = "must be a UUID"
_OBJECT: Final = "must be an object"
_URL: Final = "must be an http or https URL"
_JSON: Final = "The request body isn't valid JSON."

_WORDS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "missing": lambda _: "is required",
    **dict.fromkeys(("string_type", "string_sub_type", "string_unicode"), lambda _: _TEXT),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size"), lambda _: _WHOLE),
    **dict.fromkeys(("bool_type", "bool_parsing"), lambda _: _TRUTH),
    **dict.fromkeys(("uuid_type", "uuid_parsing", "uuid_version", "is_instance_of"), lambda _: _UUID),
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type"), lambda _: _OBJECT),
    **dict.fromkeys(("url_parsing", "url_scheme", "url_syntax_violation", "url_type"), lambda _: _URL),
    **dict.fromkeys(("url_too_long",), lambda known: f"must have at most {known['max_length']} characters"),
    "list_type": lambda _: "must be a list",
    "enum": lambda known: f"must be one of: {_options(known)}",
    "json_invalid": lambda _: _JSON,
    "string_pattern_mismatch": lambda _: "doesn't have the right form",
    "string_too_short": lambda known: f"must have at least {_counted(known['min_length'], 'character')}",
    "string_too_long": lambda known: f"must have at most {_counted(known['max_length'], 'character')}",
    "too_short": lambda known: f"must have at least {_counted(known['min_length'], _unit(known))}",
    "too_long": lambda known: f"must have at most {_counted(known['max_length'], _unit(known))}",
    "greater_than": lambda known: f"must be more than {known['gt']}",
    "greater_than_equal": lambda known: f"must be at least {known['ge']}",
    "less_than": lambda known: f"must be less than {known['lt']}",
    "less_than_equal": lambda known: f"must be at most {known['le']}",
}
"""Plain messages for pydantic's error types; they continue the field's name."""


def _unit(known: Mapping[str, Any]) -> str:
    """Text checked by a function has no type that pydantic names."""
    return "item" if known.get("field_type") == "List" else "character"


def _options(known: Mapping[str, Any]) -> str:
    return str(known.get("allowed") or known.get("expected"))


class JsonAnswer(Response):
    """JSON, sent in pieces as the client reads them, so that a long answer doesn't hold up the others."""

    media_type = "application/json"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send the answer; ``send`` waits while the client reads nothing."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        rest = memoryview(self.body)
        while len(rest) > _PIECE_BYTES:
            await send({"type": "http.response.body", "body": bytes(rest[:_PIECE_BYTES]), "more_body": True})
            rest = rest[_PIECE_BYTES:]
            await asyncio.sleep(0)
        await send({"type": "http.response.body", "body": bytes(rest)})


class LongAnswers:
    """Limits how many long answers an account may leave unread: each stays in memory until it's sent."""

    def __init__(self) -> None:
        self._unread: Counter[UUID] = Counter()

    def admit(self, account_id: UUID, content: bytes) -> JsonAnswer:
        """Return the answer with this JSON. Raises RateLimitedError while too many others are unread."""
        if self._unread[account_id] >= _UNREAD_MAX:
            raise RateLimitedError("Too many answers haven't been read yet. Read those first.", retry_after=1)
        return _LongAnswer(content, self._unread, account_id)


class _LongAnswer(JsonAnswer):
    def __init__(self, content: bytes, unread: Counter[UUID], account_id: UUID) -> None:
        super().__init__(content)
        self._unread, self._account_id = unread, account_id
        unread[account_id] += 1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._unread[self._account_id] -= 1
            if not self._unread[self._account_id]:
                del self._unread[self._account_id]


def answer(body: BaseModel, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a JSON response, serialized directly by pydantic."""
    return JsonAnswer(body.model_dump_json(), status, headers)


def error_answer(request_id: str, error: ApiError) -> Response:
    """Return an error in its envelope, with the status for its code."""
    reason = ErrorBody(code=error.code, message=error.message, details=error.wire_details())
    envelope = ErrorEnvelope(error=reason, request_id=request_id)
    return answer(envelope, HTTP_STATUS[error.code], error.headers())


async def refused(request: Request, error: Exception) -> Response:
    """Handle an ApiError."""
    assert isinstance(error, ApiError)  # noqa: S101  registered for nothing else
    return error_answer(request.state.request_id, error)


async def key_refused(request: Request, error: Exception) -> Response:
    """Handle a KeyRefusedError, also of writes of callers who were admitted earlier."""
    return error_answer(request.state.request_id, ApiError(ErrorCode.UNAUTHORIZED, str(error)))


async def no_such_route(request: Request, error: Exception) -> Response:
    """Handle the router's exceptions: unknown paths and methods."""
    assert isinstance(error, HTTPException)  # noqa: S101  registered for nothing else
    nothing_here = ApiError(ErrorCode.NOT_FOUND, "There is nothing at this path for this method.")
    return error_answer(request.state.request_id, nothing_here)
