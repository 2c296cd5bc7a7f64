"""The common parts of the platforms' OAuth 2 endpoints."""

import base64
from datetime import datetime, timedelta
from typing import Annotated, Final
from urllib.parse import urlencode

from pydantic import BaseModel, Field, StringConstraints

from app.platforms.base import AppCredentials, Cause, FailureKind, PlatformError, TokenGrant
from app.platforms.http import Answer
from app.platforms.refusals import kind_of, retry_after, unexpected

Token = Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]+$", max_length=16_384)]
"""Tokens are sent in headers: printable ASCII without spaces."""

_DEAD: Final = frozenset({"invalid_grant", "invalid_request", "invalid_token"})
_CONFIGURATION: Final = frozenset(
    {"invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope"}
)
_PASSING: Final = frozenset({"server_error", "temporarily_unavailable"})


class _TokenAnswer(BaseModel):
    access_token: Token
    refresh_token: Token | None = None
    expires_in: Annotated[int, Field(ge=0, le=10**9)] | None = None


class _Refusal(BaseModel):
    error: str
    error_description: str | None = None


def consent_url(base: str, **parameters: str) -> str:
    """Return the URL of a consent page."""
    return f"{base}?{urlencode(parameters)}"


def basic(client_id: str, client_secret: str) -> str:
    """Return the value of an ``Authorization`` header for a confidential client."""
    return "Basic " + base64.b64encode(f"{client_id}:{client_secret}".encode()).decode()


def required_secret(credentials: AppCredentials, name: str) -> str:
    """Return the client secret, for platforms that require one. Raises PlatformError (PERMISSION)."""
    if not credentials.client_secret:
        raise PlatformError(FailureKind.PERMISSION, "client_secret", f"{name} needs the app's client secret.")
    return credentials.client_secret


def read_grant(answer: Answer, name: str, now: datetime) -> TokenGrant:
    """Return the tokens in the response of a token endpoint.

    Raises PlatformError: AUTH_EXPIRED if the code or refresh token is refused, PERMISSION if the app is,
    TRANSIENT and the like if the platform has a problem.
    """
    # TikTok sends errors with status 200.
    if not answer.is_success or answer.read(_Refusal) is not None:
        raise _refused(answer, name)
    tokens = answer.read(_TokenAnswer)
    if tokens is None:
        raise unexpected(answer, name)
    ends = None if tokens.expires_in is None else now + timedelta(seconds=tokens.expires_in)
    return TokenGrant(tokens.access_token, tokens.refresh_token, ends)


_BARE_AND_PASSING: Final = frozenset({FailureKind.AUTH_EXPIRED, FailureKind.PERMISSION})


def _refused(answer: Answer, name: str) -> PlatformError:
    refusal = answer.read(_Refusal)
    if refusal is None:
        message = f"{name} answered {answer.status} when asked for access."
        # Only an error in the body may end an account or a post: any proxy can send a bare 401 or 403.
        kind = kind_of(answer)
        return PlatformError(
            FailureKind.TRANSIENT if kind in _BARE_AND_PASSING else kind,
            f"http_{answer.status}",
            message,
            retry_after=retry_after(answer),
            cause=Cause.RENEWAL,
        )
    kind, cause = FailureKind.INVALID if answer.is_success else kind_of(answer), Cause.RENEWAL
    if refusal.error in _CONFIGURATION:
        kind, cause = FailureKind.PERMISSION, Cause.APP
    elif refusal.error in _PASSING:
        kind = FailureKind.TRANSIENT
    elif refusal.error in _DEAD and kind is FailureKind.INVALID:
        kind = FailureKind.AUTH_EXPIRED
    return PlatformError(
        kind,
        answer.words(refusal.error),
        answer.words(refusal.error_description or refusal.error),
        retry_after=retry_after(answer),
        cause=None if kind is FailureKind.AUTH_EXPIRED else cause,
    )
