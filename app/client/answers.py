"""From bytes to models, or to the error that the bytes tell of."""

import json
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from app.client.errors import (
    AccessEnded,
    AnswerNotUnderstood,
    Forbidden,
    NotFound,
    RateLimited,
    ServerFailed,
    ServiceAnswered,
    Unauthorized,
    ValidationRefused,
)
from app.client.wire import Answer
from app.contract.errors import ErrorEnvelope

Model = TypeVar("Model", bound=BaseModel)

_BY_STATUS: dict[int, type[ServiceAnswered]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    408: ServerFailed,  # a front end lost patience with the service
    425: ServerFailed,
    429: RateLimited,
}
_WORDS_MAX = 2_000


def read(answer: Answer, model: type[Model], *, unsaid: Model | None = None) -> Model:
    """Gives any 2xx answer as the model; raises ServiceAnswered or AnswerNotUnderstood for every other.

    ``unsaid`` is what a good answer without a body means, where that may be.
    """
    require_success(answer)
    if unsaid is not None and not answer.body.strip():
        return unsaid
    try:
        return _read_json(answer.body, model)
    except ValidationError as error:
        places = {".".join(map(str, issue["loc"])) or "body" for issue in error.errors()[:5]}
        raise AnswerNotUnderstood(
            f"the answer is no {model.__name__}: {', '.join(sorted(places))}",
            status=answer.status,
            request_id=answer.headers.get("x-request-id"),
        ) from error


def _read_json(body: bytes, model: type[Model]) -> Model:
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        if error.errors()[0]["type"] != "json_invalid":
            raise
        written_again = _rewritten(body)
        if written_again is None:
            raise
    return model.model_validate_json(written_again)


def _rewritten(body: bytes) -> bytes | None:
    """JSON with a mark in front, or with halves of characters, as JSON without; None for what is none."""
    try:
        return json.dumps(json.loads(body), ensure_ascii=False).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        return None


def require_success(answer: Answer) -> None:
    """Raises ServiceAnswered or AnswerNotUnderstood for everything but a 2xx answer."""
    if not 200 <= answer.status < 300:
        raise _error(answer)


def _error(answer: Answer) -> ServiceAnswered | AnswerNotUnderstood:
    request_id = answer.headers.get("x-request-id")
    if not 400 <= answer.status < 600:
        return AnswerNotUnderstood(f"status {answer.status}", status=answer.status, request_id=request_id)
    kind = ServerFailed if answer.status >= 500 else _BY_STATUS.get(answer.status, ValidationRefused)
    if kind is Unauthorized and _leads_to_consent(answer.body):
        kind = AccessEnded
    try:
        envelope = ErrorEnvelope.model_validate_json(answer.body)
    except ValidationError:
        error = kind(answer.status, "", "the service gave no reason", None, request_id)
    else:
        told = envelope.error
        request_id = envelope.request_id[:200]
        error = kind(answer.status, told.code.value[:80], told.message[:_WORDS_MAX], told.details, request_id)
    if isinstance(error, RateLimited):
        error.retry_after = _retry_after(error.details, answer.headers.get("retry-after"))
    return error


def _leads_to_consent(body: bytes) -> bool:
    """Whether a refusal names a page on which the platform is asked again.

    Where in the envelope it stands is nowhere specified.
    """
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return False
    for _ in range(3):
        if not isinstance(told, dict):
            return False
        if isinstance(told.get("reauth_url"), str):
            return True
        told = told.get("error", told.get("details"))
    return False


def _retry_after(details: Any, header: str | None) -> float | None:
    told = details.get("retry_after_seconds") if isinstance(details, dict) else None
    try:
        seconds = float(told if told is not None else header or "")
    except (TypeError, ValueError, OverflowError):
        return _until(header or "")
    return seconds if isfinite(seconds) and seconds >= 0 else None


def _until(date: str) -> float | None:
    """Seconds until a date as HTTP writes it; 0 for one that is over."""
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
