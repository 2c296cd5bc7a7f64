"""From bytes to models, or to the error that the bytes tell of."""

from math import isfinite
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from app.client.errors import (
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


def read(answer: Answer, model: type[Model]) -> Model:
    """Gives any 2xx answer as the model; raises ServiceAnswered or AnswerNotUnderstood for every other."""
    require_success(answer)
    try:
        return model.model_validate_json(answer.body)
    except ValidationError as error:
        places = {".".join(map(str, issue["loc"])) or "body" for issue in error.errors()[:5]}
        raise AnswerNotUnderstood(
            f"the answer is no {model.__name__}: {', '.join(sorted(places))}",
            status=answer.status,
            request_id=answer.headers.get("x-request-id"),
        ) from error


def require_success(answer: Answer) -> None:
    """Raises ServiceAnswered or AnswerNotUnderstood for everything but a 2xx answer."""
    if not 200 <= answer.status < 300:
        raise _error(answer)


def _error(answer: Answer) -> ServiceAnswered | AnswerNotUnderstood:
    request_id = answer.headers.get("x-request-id")
    if not 400 <= answer.status < 600:
        return AnswerNotUnderstood(f"status {answer.status}", status=answer.status, request_id=request_id)
    kind = ServerFailed if answer.status >= 500 else _BY_STATUS.get(answer.status, ValidationRefused)
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


def _retry_after(details: Any, header: str | None) -> float | None:
    told = details.get("retry_after_seconds") if isinstance(details, dict) else None
    try:
        seconds = float(told if told is not None else header or "")
    except (TypeError, ValueError):
        return None
    return seconds if isfinite(seconds) and seconds >= 0 else None
