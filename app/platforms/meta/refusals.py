"""Error responses of Meta's platforms, and tokens that renew themselves."""

from datetime import datetime, timedelta
from typing import Annotated

from pydantic import BaseModel, Field, RootModel

from app.platforms.base import Cause, FailureKind, PlatformError, TokenGrant
from app.platforms.http import Answer
from app.platforms.meta.codes import SURELY_ABSENT, meaning_of
from app.platforms.oauth import Token
from app.platforms.refusals import kind_of, retry_after, unexpected


class _Error(BaseModel):
    message: str | None = None
    code: int = 0
    error_subcode: int | None = None
    error_user_msg: str | None = None
    is_transient: bool = False


class _Refusal(BaseModel):
    error: _Error


class _Use(BaseModel):
    estimated_time_to_regain_access: Annotated[int, Field(ge=0, le=100_000)] = 0  # in minutes


class _Usage(RootModel[dict[str, list[_Use]]]):
    """The header ``x-business-use-case-usage``, by account."""


class _TokenAnswer(BaseModel):
    access_token: Token
    expires_in: Annotated[int, Field(ge=0, le=10**9)] | None = None


def refused(answer: Answer, name: str) -> PlatformError:
    """Convert an error response of a Graph API."""
    refusal = answer.read(_Refusal)
    error = refusal.error if refusal else _Error()
    code = str(error.code) if error.error_subcode is None else f"{error.code}/{error.error_subcode}"
    message = error.error_user_msg or error.message or f"{name} answered {answer.status}."
    kind, cause = meaning_of(error.code, error.error_subcode, is_transient=error.is_transient)
    is_unsure = answer.call.creating is not None and SURELY_ABSENT.isdisjoint(
        {error.code, error.error_subcode}
    )
    is_passing = kind is FailureKind.TRANSIENT or kind_of(answer) is FailureKind.AMBIGUOUS
    if is_passing and is_unsure:
        kind = FailureKind.AMBIGUOUS
    return PlatformError(
        kind or kind_of(answer),
        code if refusal else f"http_{answer.status}",
        answer.words(message),
        retry_after=retry_after(answer) or _until_regained(answer),
        cause=cause,
    )


def read_token(answer: Answer, name: str, now: datetime) -> TokenGrant:
    """Return the token in a response, which is also its own refresh token.

    Raises PlatformError: AUTH_EXPIRED if the code or token is refused, PERMISSION if the app is.
    """
    if not answer.is_success:
        raise _refused_token(answer, name)
    token = answer.read(_TokenAnswer)
    if token is None:
        raise unexpected(answer, name)
    ends = None if token.expires_in is None else now + timedelta(seconds=token.expires_in)
    return TokenGrant(token.access_token, token.access_token, ends)


def _refused_token(answer: Answer, name: str) -> PlatformError:
    """Convert an error response: codes 1 and 101 mean the app, other client errors the code or token."""
    error = refused(answer, name)
    if error.code in {"http_401", "http_403"}:  # without a body, any proxy may have sent them
        error.kind = FailureKind.TRANSIENT
    elif error.code in {"1", "101"} and answer.status < 500:
        error.kind, error.cause = FailureKind.PERMISSION, Cause.APP
    elif error.kind is FailureKind.INVALID:
        error.kind, error.cause = FailureKind.AUTH_EXPIRED, None
    return error


def _until_regained(answer: Answer) -> float | None:
    """Return the seconds until the account may call again, if the response says so."""
    try:
        usage = _Usage.model_validate_json(answer.headers.get("x-business-use-case-usage", ""))
    except ValueError:
        return None
    minutes = max(
        (use.estimated_time_to_regain_access for uses in usage.root.values() for use in uses), default=0
    )
    return minutes * 60.0 or None
