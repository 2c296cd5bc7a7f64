"""Meta's platforms with a separate login: Threads, and Instagram without Pages.

A code is exchanged for a token of one hour, and that for a token of 60 days, which can renew itself from its
second day on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, ClassVar

from pydantic import BaseModel, Field, JsonValue
from pydantic_core import to_json

from app.platforms.base import AppCredentials, Clock, TokenGrant
from app.platforms.card import Hosts
from app.platforms.http import Answer, Call, bearer
from app.platforms.meta.graph import Graph, read_token
from app.platforms.oauth import consent_url, required_secret

_AT_THE_END = "#_"  # appended to the redirect URL


class _Listed(BaseModel):
    data: Annotated[list[dict[str, JsonValue]], Field(min_length=1)]


class OwnLogin:
    """The common part of these platforms' adapters.

    Attributes:
        grants: Prefix of their grant types.
    """

    scopes: ClassVar[Sequence[str]]
    grants: ClassVar[str]
    _graph: Graph
    _hosts: Hosts
    _clock: Clock

    def authorization_url(
        self, credentials: AppCredentials, *, redirect_uri: str, state: str, code_challenge: str
    ) -> str:
        """Return the URL of the consent page. It accepts no code challenge, and only https redirects."""
        del code_challenge
        return consent_url(
            f"{self._hosts.consent}/oauth/authorize",
            client_id=credentials.client_id,
            redirect_uri=redirect_uri,
            scope=",".join(self.scopes),
            response_type="code",
            state=state,
        )

    async def exchange_code(
        self, credentials: AppCredentials, *, redirect_uri: str, code: str, code_verifier: str
    ) -> TokenGrant:
        """Return the account's token, valid for 60 days."""
        del code_verifier
        secret = required_secret(credentials, self._graph.http.name)
        code = code.removesuffix(_AT_THE_END)
        form = {
            "client_id": credentials.client_id,
            "client_secret": secret,
            "grant_type": "authorization_code",
            "redirect_uri": redirect_uri,
            "code": code,
        }
        url = f"{self._hosts.issuer}/oauth/access_token"
        answer = await self._graph.http.send(Call(method="POST", url=url, form=form, secrets=(code, secret)))
        short = self._read(_unlisted(answer))
        params = {"grant_type": f"{self.grants}_exchange_token", "client_secret": secret}
        return await self._renewed("access_token", params, short.access_token, secret)

    async def refresh(self, credentials: AppCredentials, refresh_token: str) -> TokenGrant:
        """Renew the token for another 60 days."""
        params = {"grant_type": f"{self.grants}_refresh_token"}
        secret = credentials.client_secret or ""
        return await self._renewed("refresh_access_token", params, refresh_token, secret)

    async def _renewed(self, path: str, params: Mapping[str, str], token: str, *secrets: str) -> TokenGrant:
        call = Call(
            method="GET",
            url=f"{self._hosts.api}/{path}",
            params=params,
            headers=bearer(token),
            secrets=(token, *secrets),
        )
        return await self._granted(call)

    async def _granted(self, call: Call) -> TokenGrant:
        return self._read(await self._graph.http.send(call))

    def _read(self, answer: Answer) -> TokenGrant:
        return read_token(answer, self._graph.http.name, self._clock())


def _unlisted(answer: Answer) -> Answer:
    """Unwrap a token in a list. Instagram documents one for codes, but was seen without, like Threads."""
    listed = answer.read(_Listed)
    return replace(answer, body=to_json(listed.data[0])) if listed else answer
