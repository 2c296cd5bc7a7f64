"""What the platforms of Meta have in common: their one form of refusal, and tokens that renew themselves."""

from datetime import datetime, timedelta
from typing import Annotated, Final

from pydantic import BaseModel, Field, RootModel

from app.platforms.base import FailureKind, PlatformError, TokenGrant
from app.platforms.http import Answer
from app.platforms.oauth import Token
from app.platforms.refusals import kind_of, retry_after, unexpected

_EXPIRED: Final = frozenset({102, 190})
_SLOW_DOWN: Final = frozenset({4, 17, 32, 341, 613})
_UNWELL: Final = frozenset({-1, -2, 1, 2})
_DUPLICATE: Final = frozenset({506, 1366051})
_BLOCKED: Final = frozenset({10, 25, 368})
_NOT_READY: Final = 9007
_DAY_IS_FULL: Final = 2207042
_TOO_FAST: Final = 1390008
_LOST_MEDIA: Final = frozenset({2207020, 2207008})


class _Error(BaseModel):
    message: str | None = None
    code: int = 0
    error_subcode: int | None = None
    error_user_msg: str | None = None
    is_transient: bool = False


class _Refusal(BaseModel):
    error: _Error


class _Use(BaseModel):
    estimated_time_to_regain_access: Annotated[int, Field(ge=0, le=100_000)] = 0  # minutes


class _Usage(RootModel[dict[str, list[_Use]]]):
    """The header ``x-business-use-case-usage``: by account."""


class _TokenAnswer(BaseModel):
    access_token: Token
    expires_in: Annotated[int, Field(ge=0, le=10**9)] | None = None


def refused(answer: Answer, name: str) -> PlatformError:
    """What a refusal of a Graph API means."""
    refusal = answer.read(_Refusal)
    error = refusal.error if refusal else _Error()
    code = str(error.code) if error.error_subcode is None else f"{error.code}/{error.error_subcode}"
    message = error.error_user_msg or error.message or f"{name} answered {answer.status}."
    return PlatformError(
        _kind(answer, error) if refusal else kind_of(answer),
        code if refusal else f"http_{answer.status}",
        answer.words(message),
        retry_after=retry_after(answer) or _until_regained(answer),
    )


def read_token(answer: Answer, name: str, now: datetime) -> TokenGrant:
    """The token in an answer, which is also what it is renewed with.

    Raises PlatformError: AUTH_EXPIRED when the code or token is refused, PERMISSION when the app itself is.
    """
    if not answer.is_success:
        raise _refused_token(answer, name)
    token = answer.read(_TokenAnswer)
    if token is None:
        raise unexpected(answer, name)
    ends = None if token.expires_in is None else now + timedelta(seconds=token.expires_in)
    return TokenGrant(token.access_token, token.access_token, ends)


def _kind(answer: Answer, error: _Error) -> FailureKind:
    code, subcode = error.code, error.error_subcode
    if code in _EXPIRED:
        return FailureKind.AUTH_EXPIRED
    if code in _SLOW_DOWN or 80_000 <= code < 80_100 or subcode == _TOO_FAST:
        return FailureKind.RATE_LIMITED
    if subcode == _DAY_IS_FULL:
        return FailureKind.QUOTA
    if code in _DUPLICATE or subcode in _DUPLICATE:
        return FailureKind.DUPLICATE
    if code in _BLOCKED or 200 <= code < 300:
        return FailureKind.PERMISSION
    if code == _NOT_READY or subcode in _LOST_MEDIA:
        return FailureKind.TRANSIENT
    if error.is_transient or code in _UNWELL:
        return FailureKind.AMBIGUOUS if answer.call.creating else FailureKind.TRANSIENT
    return kind_of(answer)


def _refused_token(answer: Answer, name: str) -> PlatformError:
    """A wrong secret or app has code 1 or 101; what else a client error refuses is the code or token."""
    error = refused(answer, name)
    if error.code in {"1", "101"} and answer.status < 500:
        error.kind = FailureKind.PERMISSION
    elif error.kind is FailureKind.INVALID:
        error.kind = FailureKind.AUTH_EXPIRED
    return error


def _until_regained(answer: Answer) -> float | None:
    """Seconds until the account may call again, where the answer tells."""
    try:
        usage = _Usage.model_validate_json(answer.headers.get("x-business-use-case-usage", ""))
    except ValueError:
        return None
    minutes = max(
        (use.estimated_time_to_regain_access for uses in usage.root.values() for use in uses), default=0
    )
    return minutes * 60.0 or None
