"""Facebook Login and Pages: how accounts of Facebook and of Instagram are reached.

A code gives a token of the person for an hour or two, that one a token for about 60 days, and with it every
Page has a token of its own, which lives as long as the consent does.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, Generic, TypeVar

from pydantic import BaseModel

from app.platforms.base import AppCredentials, Clock, TokenGrant
from app.platforms.card import Hosts
from app.platforms.http import Call, PlatformHttp
from app.platforms.meta.graph import Graph, GraphId
from app.platforms.meta.refusals import read_token
from app.platforms.oauth import Token, consent_url, required_secret

_PAGE: Final = 100
_MOST_PAGES: Final = 10


class Page(BaseModel):
    """A Page of the person. ``tasks`` are what the person may do there."""

    id: GraphId
    name: str | None = None
    access_token: Token | None = None
    tasks: list[str] = []

    @property
    def grant(self) -> TokenGrant | None:
        """The Page's own token, which has no end of its own; None where nothing may be published."""
        if self.access_token is None or "CREATE_CONTENT" not in self.tasks:
            return None
        return TokenGrant(self.access_token, None, None)


P = TypeVar("P", bound=Page)


class _Cursors(BaseModel):
    after: str | None = None


class _Paging(BaseModel):
    cursors: _Cursors = _Cursors()
    next: str | None = None


class Listing(BaseModel, Generic[P]):
    """One part of a list."""

    data: list[P]
    paging: _Paging = _Paging()


class PageLogin:
    """The part of an adapter that Facebook and Instagram share."""

    scopes: ClassVar[Sequence[str]]

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        self._graph = Graph(http, hosts)
        self._hosts = hosts
        self._clock = clock

    def authorization_url(
        self, credentials: AppCredentials, *, redirect_uri: str, state: str, code_challenge: str
    ) -> str:
        """Where a browser asks for consent. This flow takes no code challenge."""
        del code_challenge
        return consent_url(
            f"{self._hosts.consent}/{self._hosts.version}/dialog/oauth",
            client_id=credentials.client_id,
            redirect_uri=redirect_uri,
            response_type="code",
            scope=",".join(self.scopes),
            state=state,
        )

    async def exchange_code(
        self, credentials: AppCredentials, *, redirect_uri: str, code: str, code_verifier: str
    ) -> TokenGrant:
        """The person's token for about 60 days."""
        del code_verifier
        short = await self._token(credentials, {"redirect_uri": redirect_uri, "code": code}, code)
        return await self.refresh(credentials, short.access_token)

    async def refresh(self, credentials: AppCredentials, refresh_token: str) -> TokenGrant:
        """A new token of the person for one that still works."""
        params = {"grant_type": "fb_exchange_token", "fb_exchange_token": refresh_token}
        return await self._token(credentials, params, refresh_token)

    async def _token(self, credentials: AppCredentials, params: Mapping[str, str], grant: str) -> TokenGrant:
        secret = required_secret(credentials, self._graph.http.name)
        call = Call(
            method="GET",
            url=self._graph.address("oauth/access_token"),
            params={**params, "client_id": credentials.client_id, "client_secret": secret},
            secrets=(grant, secret),
        )
        return read_token(await self._graph.http.send(call), self._graph.http.name, self._clock())

    async def _pages(self, access_token: str, fields: str, model: type[Listing[P]]) -> list[P]:
        """The person's Pages, with the fields that are asked for."""
        pages: list[P] = []
        params = {"fields": fields, "limit": str(_PAGE)}
        for _ in range(_MOST_PAGES):
            listing = await self._graph.get("me/accounts", access_token, model, params)
            pages += listing.data
            if listing.paging.next is None or listing.paging.cursors.after is None:
                break
            params["after"] = listing.paging.cursors.after
        return pages
