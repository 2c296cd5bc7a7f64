"""Meta's logins: Facebook Login and Pages, and the separate ones of Threads and Instagram.

A code is exchanged for a user token of an hour or two, and that for one of about 60 days. With it, every Page
has its own token, which is valid as long as the consent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, ClassVar, Final, Generic, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, Field, JsonValue
from pydantic_core import to_json

from app.platforms.base import (
    AppCredentials,
    Clock,
    FailureKind,
    PlatformError,
    TokenGrant,
)
from app.platforms.card import Hosts
from app.platforms.http import Answer, Call, PlatformHttp, bearer
from app.platforms.meta.graph import Graph, GraphId, read_token
from app.platforms.oauth import Token, consent_url, required_secret, scopes_in

_PAGE: Final = 100
_MOST_PAGES: Final = 10


class Page(BaseModel):
    """A Page of the user. ``tasks`` are the user's permissions there."""

    id: GraphId
    name: str | None = None
    access_token: Token | None = None
    tasks: list[str] = []

    @property
    def grant(self) -> TokenGrant | None:
        """The Page's own token, which doesn't expire; None if the user can't publish there."""
        if self.access_token is None or "CREATE_CONTENT" not in self.tasks:
            return None
        return TokenGrant(self.access_token, None, None)


P = TypeVar("P", bound=Page)


class _Permission(BaseModel):
    permission: str
    status: str


class _Permissions(BaseModel):
    data: list[_Permission]


class _Cursors(BaseModel):
    after: str | None = None


class _Paging(BaseModel):
    cursors: _Cursors = _Cursors()
    next: str | None = None


class Listing(BaseModel, Generic[P]):
    """One page of a list."""

    data: list[P]
    paging: _Paging = _Paging()


class _Followed(BaseModel):
    followers_count: Annotated[int, Field(ge=0)] | None = None


class _TokenState(BaseModel):
    is_valid: bool = True
    scopes: list[str] = []


class _Debugged(BaseModel):
    data: _TokenState


class PageLogin:
    """The common part of the adapters for Facebook and Instagram."""

    scopes: ClassVar[Sequence[str]]

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        self._graph = Graph(http, hosts)
        self._hosts = hosts
        self._clock = clock

    def authorization_url(
        self, credentials: AppCredentials, *, redirect_uri: str, state: str, code_challenge: str
    ) -> str:
        """Return the URL of the consent page. It accepts no code challenge."""
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
        """Return the user's token, valid for about 60 days."""
        del code_verifier
        short = await self._token(credentials, {"redirect_uri": redirect_uri, "code": code}, code)
        grant = await self.refresh(credentials, short.access_token)
        return replace(grant, scopes=await self._scopes(grant.access_token))

    async def _scopes(self, access_token: str) -> frozenset[str] | None:
        """Return the granted permissions; None if Meta doesn't say."""
        try:
            found = await self._graph.get("me/permissions", access_token, _Permissions, {})
        except PlatformError:
            return None  # the sign-in itself succeeded
        return frozenset(one.permission for one in found.data if one.status == "granted") or None

    async def refresh(self, credentials: AppCredentials, refresh_token: str) -> TokenGrant:
        """Exchange a user token that still works for a new one."""
        params = {"grant_type": "fb_exchange_token", "fb_exchange_token": refresh_token}
        return await self._token(credentials, params, refresh_token)

    async def check_app(self, credentials: AppCredentials) -> None:
        """Request a token of the app."""
        await self._token(credentials, {"grant_type": "client_credentials"})

    async def granted(self, credentials: AppCredentials, access_token: str) -> frozenset[str] | None:
        """Ask Meta's token debugger, which also knows the tokens of Pages."""
        secret = required_secret(credentials, self._graph.http.name)
        app = f"{credentials.client_id}|{secret}"
        call = Call(
            method="GET",
            url=self._graph.address("debug_token"),
            params={"input_token": access_token},
            headers=bearer(app),
            secrets=(access_token, app, secret),
        )
        found = (await self._graph.fetch(call, _Debugged)).data
        if not found.is_valid:
            message = "Meta says that this access is no longer valid."
            raise PlatformError(FailureKind.AUTH_EXPIRED, "invalid", message)
        return frozenset(found.scopes) or None

    async def followers(self, access_token: str, account_identifier: str) -> int | None:
        """Return the followers of a Page or its Instagram account. The Page's token can't list Pages."""
        path = quote(account_identifier, safe="")
        found = await self._graph.get(path, access_token, _Followed, {"fields": "followers_count"})
        return found.followers_count

    async def _token(self, credentials: AppCredentials, params: Mapping[str, str], *grant: str) -> TokenGrant:
        secret = required_secret(credentials, self._graph.http.name)
        call = Call(
            method="GET",
            url=self._graph.address("oauth/access_token"),
            params={**params, "client_id": credentials.client_id, "client_secret": secret},
            secrets=(*grant, secret),
        )
        return read_token(await self._graph.http.send(call), self._graph.http.name, self._clock())

    async def _pages(self, access_token: str, fields: str, model: type[Listing[P]]) -> list[P]:
        """Return the user's Pages with the given fields."""
        pages: list[P] = []
        params = {"fields": fields, "limit": str(_PAGE)}
        for _ in range(_MOST_PAGES):
            listing = await self._graph.get("me/accounts", access_token, model, params)
            pages += listing.data
            if listing.paging.next is None or listing.paging.cursors.after is None:
                break
            params["after"] = listing.paging.cursors.after
        return pages


# A code is exchanged for a token of one hour, and that for a token of 60 days, which can renew itself from
# its second day on.
_AT_THE_END = "#_"  # appended to the redirect URL


class _Permitted(BaseModel):
    """What Instagram's users allowed: each permission can be switched off. Threads doesn't tell."""

    permissions: list[str] | str = ""

    @property
    def scopes(self) -> frozenset[str] | None:
        """The permissions; None if none are named."""
        named = self.permissions
        return scopes_in(named if isinstance(named, str) else " ".join(named))


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
        answer = _unlisted(
            await self._graph.http.send(Call(method="POST", url=url, form=form, secrets=(code, secret)))
        )
        short, permitted = self._read(answer), answer.read(_Permitted)
        params = {"grant_type": f"{self.grants}_exchange_token", "client_secret": secret}
        grant = await self._renewed("access_token", params, short.access_token, secret)
        return replace(grant, scopes=permitted.scopes if permitted else None)

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
