"""The platforms' OAuth 2 endpoints: consent, and exchanging codes and refresh tokens."""

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Annotated, ClassVar, Final
from urllib.parse import urlencode

from pydantic import BaseModel, Field, JsonValue, StringConstraints

from app.platforms.base import AppCredentials, Cause, Clock, FailureKind, PlatformError, TokenGrant
from app.platforms.http import Answer, Call, PlatformHttp
from app.platforms.rest import kind_of, retry_after, unexpected

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
    refresh_token_expires_in: Annotated[int, Field(ge=0, le=10**9)] | None = None
    scope: JsonValue = None


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
    return TokenGrant(tokens.access_token, tokens.refresh_token, ends, scopes=scopes_in(tokens.scope))


def read_ending_grant(answer: Answer, name: str, now: datetime) -> TokenGrant:
    """Like ``read_grant``, for platforms whose refresh tokens end even if they're used.

    Raises PlatformError.
    """
    grant, tokens = read_grant(answer, name, now), answer.read(_TokenAnswer)
    left = tokens.refresh_token_expires_in if tokens is not None else None
    return grant if left is None else replace(grant, ends_at=now + timedelta(seconds=left))


def scopes_in(written: JsonValue) -> frozenset[str] | None:
    """Return the granted scopes, separated by spaces or commas; None if the platform doesn't name any."""
    named = re.split(r"[\s,]+", written.strip()) if isinstance(written, str) else ()
    return frozenset(filter(None, named)) or None


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


@dataclass(frozen=True, slots=True)
class Proof:
    """How the app authenticates: form fields or a header."""

    form: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


Prove = Callable[[AppCredentials, str], Proof]
"""Returns an app's proof for the named platform. Raises PlatformError if it lacks a secret."""


def by_form(credentials: AppCredentials, name: str) -> Proof:
    secret = required_secret(credentials, name)
    return Proof({"client_id": credentials.client_id, "client_secret": secret}, secrets=(secret,))


def by_header(credentials: AppCredentials, name: str) -> Proof:
    secret = required_secret(credentials, name)
    header = basic(credentials.client_id, secret)
    return Proof(headers={"Authorization": header}, secrets=(secret, header.removeprefix("Basic ")))


@dataclass(frozen=True, slots=True)
class TokenEndpoint:
    """A platform's token endpoint.

    Attributes:
        http: Makes the calls.
        url: URL of the endpoint.
        clock: Wall time.
        prove: Authenticates the app.
        read: Parses the response; raises PlatformError.
    """

    http: PlatformHttp
    url: str
    clock: Clock
    prove: Prove = by_form
    read: Callable[[Answer, str, datetime], TokenGrant] = read_grant

    async def ask(self, credentials: AppCredentials, form: Mapping[str, str], *secrets: str) -> TokenGrant:
        """Return the tokens for a form; ``secrets`` are its values to hide in errors."""
        proof = self.prove(credentials, self.http.name)
        call = Call(
            method="POST",
            url=self.url,
            headers=proof.headers,
            form={**form, **proof.form},
            secrets=(*secrets, *proof.secrets),
        )
        return self.read(await self.http.send(call), self.http.name, self.clock())


class CodeLogin:
    """The part of an adapter that exchanges codes and refreshes tokens.

    Attributes:
        takes_verifier: Whether PKCE is used.
        exchange_fields: Additional fields of the form for a code.
    """

    takes_verifier: ClassVar[bool] = True
    exchange_fields: ClassVar[Mapping[str, str]] = {}
    _tokens: TokenEndpoint

    async def exchange_code(
        self, credentials: AppCredentials, *, redirect_uri: str, code: str, code_verifier: str
    ) -> TokenGrant:
        """Exchange the code that the browser returned with for tokens."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            **self.exchange_fields,
        }
        if self.takes_verifier:
            form["code_verifier"] = code_verifier
        return await self._tokens.ask(credentials, form, code, code_verifier)

    async def refresh(self, credentials: AppCredentials, refresh_token: str) -> TokenGrant:
        """Return new tokens. If they include a refresh token, the former one may no longer work."""
        form = {"grant_type": "refresh_token", "refresh_token": refresh_token}
        return await self._tokens.ask(credentials, form, refresh_token)
