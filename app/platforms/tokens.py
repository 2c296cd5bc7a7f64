"""Exchanging codes and refresh tokens, for platforms that follow OAuth 2."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from app.platforms.base import AppCredentials, Clock, TokenGrant
from app.platforms.http import Answer, Call, PlatformHttp
from app.platforms.oauth import basic, read_grant, required_secret


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
