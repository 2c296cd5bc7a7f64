"""Codes and refresh tokens against access tokens, for the platforms that do it as OAuth 2 is written."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from app.platforms.base import AppCredentials, Clock, TokenGrant
from app.platforms.http import Answer, Call, PlatformHttp
from app.platforms.oauth import basic, read_grant, required_secret


@dataclass(frozen=True, slots=True)
class Proof:
    """How the app shows that it is itself: by fields of the form, or by a header."""

    form: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


Prove = Callable[[AppCredentials, str], Proof]
"""Makes the proof of an app for the platform of a name; raises PlatformError when the app lacks a secret."""


def by_form(credentials: AppCredentials, name: str) -> Proof:
    secret = required_secret(credentials, name)
    return Proof({"client_id": credentials.client_id, "client_secret": secret}, secrets=(secret,))


def by_header(credentials: AppCredentials, name: str) -> Proof:
    secret = required_secret(credentials, name)
    header = basic(credentials.client_id, secret)
    return Proof(headers={"Authorization": header}, secrets=(secret, header.removeprefix("Basic ")))


@dataclass(frozen=True, slots=True)
class TokenEndpoint:
    """Where one platform gives tokens.

    Attributes:
        http: The way there.
        url: Its address.
        clock: Tells when tokens end.
        prove: How the app shows that it is itself.
        read: Reads the answer; raises PlatformError.
    """

    http: PlatformHttp
    url: str
    clock: Clock
    prove: Prove = by_form
    read: Callable[[Answer, str, datetime], TokenGrant] = read_grant

    async def ask(self, credentials: AppCredentials, form: Mapping[str, str], *secrets: str) -> TokenGrant:
        """The tokens for a form; ``secrets`` are what it holds that nobody may read."""
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
        takes_verifier: PKCE is used.
        exchange_fields: What the form for a code holds beside what OAuth asks for.
    """

    takes_verifier: ClassVar[bool] = True
    exchange_fields: ClassVar[Mapping[str, str]] = {}
    _tokens: TokenEndpoint

    async def exchange_code(
        self, credentials: AppCredentials, *, redirect_uri: str, code: str, code_verifier: str
    ) -> TokenGrant:
        """The tokens for the code that came with the browser."""
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
        """New tokens; where a refresh token comes with them, the former may be spent."""
        form = {"grant_type": "refresh_token", "refresh_token": refresh_token}
        return await self._tokens.ask(credentials, form, refresh_token)
