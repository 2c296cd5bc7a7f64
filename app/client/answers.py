"""Parsing responses into models or errors, and following cursors."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from app.client.bodies import ANSWER_VALUES_MAX, Answer
from app.client.errors import (
    AccessEnded,
    AnswerNotUnderstood,
    EnvelopeMissing,
    Forbidden,
    ListTooLong,
    NotFound,
    RateLimited,
    ServerFailed,
    ServiceAnswered,
    Unauthorized,
    ValidationRefused,
)
from app.contract.base import READING
from app.contract.errors import ErrorEnvelope
from app.contract.json_values import require_few_values
from app.contract.pagination import Page, PageQuery

Model = TypeVar("Model", bound=BaseModel)

_BY_STATUS: dict[int, type[ServiceAnswered]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    408: ServerFailed,  # a reverse proxy timed out
    425: ServerFailed,
    429: RateLimited,
}
_OF_THE_SERVICE: Final = frozenset({Forbidden, NotFound, ValidationRefused})
"""Errors that only the service can decide on. The others mean the same from a reverse proxy."""
_WORDS_MAX = 2_000
_EVENT_VALUES_MAX = 5_000
"""Maximum number of values in an event; one with a post has 20."""
_SHORT = 64 * 1024
"""Maximum response size to parse on the event loop, in bytes. Larger ones would block it."""
_REWRITTEN_MAX = 4 * 1024 * 1024
_REQUEST_ID_MAX = 200
_REFUSAL_BYTES_MAX = 2 * 1024 * 1024
_REFUSAL_VALUES_MAX = 10_000
"""Maximum number of values in an error; one that names every field of thirty posts has 1,500."""


async def read(answer: Answer, model: type[Model], *, unsaid: Model | None = None) -> Model:
    """Parse a 2xx response. Raises ServiceAnswered or AnswerNotUnderstood for any other.

    ``unsaid`` is the result for a successful response without a body, if allowed.
    """
    if len(answer.body) <= _SHORT:
        return _read(answer, model, unsaid)
    return await asyncio.to_thread(_read, answer, model, unsaid)


def _read(answer: Answer, model: type[Model], unsaid: Model | None) -> Model:
    require_success(answer)
    if unsaid is not None and not answer.body.strip():
        return unsaid
    try:
        require_few_values(answer.body, ANSWER_VALUES_MAX)
        found = _read_json(answer.body, model)
    except Exception as error:  # a ValidationError, or any error of a model's own code
        raise AnswerNotUnderstood(
            f"the response isn't a {model.__name__}: {_places(error)}",
            status=answer.status,
            request_id=answer.headers.get("x-request-id", "")[:_REQUEST_ID_MAX] or None,
        ) from error
    if isinstance(found, Page):
        found.note_size(len(answer.body))
    return found


def read_event(data: str, model: type[Model]) -> Model:
    """Parse the data of an event. Raises AnswerNotUnderstood."""
    try:
        require_few_values(data.encode("utf-8", "replace"), _EVENT_VALUES_MAX)
        return model.model_validate_json(data, context=READING)
    except Exception as error:  # as in ``read``
        raise AnswerNotUnderstood(f"the event isn't a {model.__name__}: {_places(error)}") from error


def _places(error: Exception) -> str:
    """Return the invalid fields, or the type of the error."""
    if not isinstance(error, ValidationError):
        return type(error).__name__
    issues = error.errors(include_url=False, include_context=False, include_input=False)[:5]
    return ", ".join(sorted({".".join(map(str, issue["loc"]))[:80] or "body" for issue in issues}))


def _read_json(body: bytes, model: type[Model]) -> Model:
    try:
        return model.model_validate_json(body, context=READING)
    except ValidationError as error:
        if error.errors()[0]["type"] != "json_invalid":
            raise
        written_again = _rewritten(body) if len(body) <= _REWRITTEN_MAX else None
        if written_again is None:
            raise
    return model.model_validate_json(written_again, context=READING)


def _rewritten(body: bytes) -> bytes | None:
    """Return JSON without a byte order mark and lone surrogates; None if it isn't JSON."""
    try:
        return json.dumps(json.loads(body), ensure_ascii=False).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        return None


def require_success(answer: Answer) -> None:
    """Raise ServiceAnswered or AnswerNotUnderstood unless the response is 2xx."""
    if not 200 <= answer.status < 300:
        raise _error(answer, needs_envelope=True)


def require_stored(answer: Answer) -> None:
    """Like ``require_success``, for a link to a file or picture: other hosts have no envelope."""
    if not 200 <= answer.status < 300:
        raise _error(answer, needs_envelope=False)


def _error(answer: Answer, *, needs_envelope: bool) -> ServiceAnswered | AnswerNotUnderstood:
    request_id = answer.headers.get("x-request-id", "")[:_REQUEST_ID_MAX] or None
    if not 400 <= answer.status < 600:
        return AnswerNotUnderstood(f"status {answer.status}", status=answer.status, request_id=request_id)
    body = _short(answer.body)
    kind = ServerFailed if answer.status >= 500 else _BY_STATUS.get(answer.status, ValidationRefused)
    if kind is Unauthorized and _has_reauth_url(body):
        kind = AccessEnded
    try:
        envelope = ErrorEnvelope.model_validate_json(body, context=READING)
    except ValueError:  # ValidationError is a ValueError
        if needs_envelope and kind in _OF_THE_SERVICE:
            kind = EnvelopeMissing
        error = kind(answer.status, "", "the service gave no reason", None, request_id)
    else:
        reason = envelope.error
        request_id = envelope.request_id[:_REQUEST_ID_MAX]
        error = kind(
            answer.status, reason.code.value[:80], reason.message[:_WORDS_MAX], reason.details, request_id
        )
    if isinstance(error, RateLimited):
        error.retry_after = _retry_after(error.details, answer.headers.get("retry-after"))
    return error


def _short(body: bytes) -> bytes:
    """Return the body of an error; empty if it's too large to parse."""
    if len(body) > _REFUSAL_BYTES_MAX:
        return b""
    try:
        require_few_values(body, _REFUSAL_VALUES_MAX)
    except ValueError:
        return b""
    return body


def _has_reauth_url(body: bytes) -> bool:
    """Whether an error contains a URL for a new consent.

    The specification doesn't say where in the envelope it is.
    """
    try:
        envelope = json.loads(body)
    except (ValueError, RecursionError):
        return False
    for _ in range(3):
        if not isinstance(envelope, dict):
            return False
        if isinstance(envelope.get("reauth_url"), str):
            return True
        envelope = envelope.get("error", envelope.get("details"))
    return False


def _retry_after(details: Any, header: str | None) -> float | None:
    seconds_given = details.get("retry_after_seconds") if isinstance(details, dict) else None
    try:
        seconds = float(seconds_given if seconds_given is not None else header or "")
    except (TypeError, ValueError, OverflowError):
        return _until(header or "")
    return seconds if isfinite(seconds) and seconds >= 0 else None


def _until(date: str) -> float | None:
    """Seconds until an HTTP date; 0 if it has passed."""
    try:
        moment = parsedate_to_datetime(date)
        seconds = (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError, OverflowError):  # an impossible date or zone
        return None
    return max(0.0, seconds)


Item = TypeVar("Item")
Query = TypeVar("Query", bound=PageQuery)

_EMPTY_MAX: Final = 20
"""Maximum number of consecutive empty pages with a cursor."""
ITEMS_MAX: Final = 250_000
"""Maximum number of items in a list: a hundred posts a day for seven years."""
ACCOUNTS_MAX: Final = 2_000
"""Maximum number of connected accounts."""
_BYTES_MAX: Final = 1_000_000_000
_READING_MAX_S: Final = 30 * 60.0


class Course:
    """Tracks the cursors of a list, so that listing ends even if the service returns a cycle."""

    def __init__(self, begin: str | None = None, most: int = ITEMS_MAX) -> None:
        """``begin``: cursor of the first page. ``most``: maximum number of items."""
        self._been = {hash(begin)}  # hashes save memory: cursors can be long and numerous
        self._empty = 0
        self._left, self._bytes_left, self._seconds_left = most, _BYTES_MAX, _READING_MAX_S

    def after(self, page: Page[Any], seconds: float = 0.0) -> str | None:
        """Return the next cursor; None at the end.

        Raises AnswerNotUnderstood for a repeated cursor or too many empty pages. Raises ListTooLong if there
        are more pages but already too many items or bytes, or if reading took too long. ``seconds`` is how
        long this page took.
        """
        following = page.next_cursor
        self._left -= len(page.data)
        self._bytes_left -= page.bytes_read
        self._seconds_left -= seconds
        self._empty = 0 if page.data else self._empty + 1
        if following is None:
            return None
        if hash(following) in self._been:
            raise AnswerNotUnderstood("the same cursor again")
        if self._empty > _EMPTY_MAX:
            raise AnswerNotUnderstood("too many empty pages")
        if min(self._left, self._bytes_left, self._seconds_left) <= 0:
            raise ListTooLong("an endless list")
        self._been.add(hash(following))
        return following


async def pages(
    fetch: Callable[[Query], Awaitable[Page[Item]]], query: Query, most: int = ITEMS_MAX
) -> AsyncIterator[Page[Item]]:
    """Yield every page. Raises like ``Course`` if the list doesn't end."""
    course = Course(query.cursor, most)
    loop = asyncio.get_running_loop()
    while True:
        began = loop.time()
        page = await fetch(query)
        took = loop.time() - began
        yield page
        following = course.after(page, took)
        if following is None:
            return
        query = query.model_copy(update={"cursor": following})
