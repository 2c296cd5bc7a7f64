"""Threads: accounts are connected and shown; posts do not go there."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Final, NoReturn

from pydantic import BaseModel, Field

from app.contract.enums import ConnectionPlatform
from app.platforms.base import (
    AppCredentials,
    Clock,
    ContentMetrics,
    FailureKind,
    LookBack,
    LookBackOutcome,
    PlatformError,
    Profile,
    Publication,
    TokenGrant,
)
from app.platforms.hosts import Hosts
from app.platforms.http import Call, PlatformHttp, bearer
from app.platforms.meta import read_token, refused
from app.platforms.oauth import consent_url, required_secret
from app.platforms.refusals import unexpected
from app.platforms.web import web_address

_FIELDS: Final = "id,username,name,is_verified,threads_profile_picture_url"


class _User(BaseModel):
    id: Annotated[str, Field(pattern=r"^\d{1,25}$")]
    username: str | None = None
    name: str | None = None
    is_verified: bool | None = None
    threads_profile_picture_url: str | None = None


class Threads:
    """The adapter for Threads. An access token of 60 days is renewed with itself."""

    platform: Final = ConnectionPlatform.THREADS
    repeat_window: Final = None
    keeps: Final = timedelta()
    scopes: Final = ("threads_basic",)

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        self._http = http
        self._hosts = hosts
        self._clock = clock

    def authorization_url(
        self, credentials: AppCredentials, *, redirect_uri: str, state: str, code_challenge: str
    ) -> str:
        """Where a browser asks for consent. Threads takes no code challenge, and https addresses only."""
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
        """The code gives a token for an hour, and that one a token for 60 days."""
        del code_verifier
        secret = required_secret(credentials, self._http.name)
        form = {
            "client_id": credentials.client_id,
            "client_secret": secret,
            "grant_type": "authorization_code",
            "redirect_uri": redirect_uri,
            "code": code,
        }
        url = f"{self._hosts.issuer}/oauth/access_token"
        short = await self._token(Call(method="POST", url=url, form=form, secrets=(code, secret)))
        params = {"grant_type": "th_exchange_token", "client_secret": secret}
        return await self._renewed("access_token", params, short.access_token, secret)

    async def refresh(self, credentials: AppCredentials, refresh_token: str) -> TokenGrant:
        """60 more days; Threads renews a token from the second day of its life on."""
        params = {"grant_type": "th_refresh_token"}
        secret = credentials.client_secret or ""
        return await self._renewed("refresh_access_token", params, refresh_token, secret)

    async def profiles(self, access_token: str) -> list[Profile]:
        """The user of the token."""
        call = Call(
            method="GET",
            url=f"{self._hosts.api}/{self._hosts.version}/me",
            params={"fields": _FIELDS},
            headers=bearer(access_token),
            secrets=(access_token,),
        )
        answer = await self._http.send(call)
        if not answer.is_success:
            raise refused(answer, self._http.name)
        user = answer.read(_User)
        if user is None:
            raise unexpected(answer, self._http.name)
        profile = Profile(
            account_identifier=user.id,
            display_name=user.name or user.username,
            username=user.username,
            avatar_url=web_address(user.threads_profile_picture_url),
            is_verified=user.is_verified,
        )
        return [profile]

    async def prepare(self, publication: Publication) -> None:
        """Nothing is sent, so nothing is to be prepared."""

    async def publish(self, publication: Publication) -> NoReturn:
        """Refuses: INVALID."""
        del publication
        raise PlatformError(FailureKind.INVALID, "not_publishable", "Kalends does not publish to Threads.")

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        """Nothing was ever sent, so nothing can be found."""
        del publication, since, known
        return LookBack(LookBackOutcome.ABSENT)

    async def metrics(
        self, access_token: str, account_identifier: str, content_ids: Collection[str]
    ) -> Sequence[ContentMetrics]:
        """Nothing was ever published, so nothing is counted."""
        del access_token, account_identifier, content_ids
        return []

    async def _renewed(self, path: str, params: dict[str, str], token: str, *secrets: str) -> TokenGrant:
        call = Call(
            method="GET",
            url=f"{self._hosts.issuer}/{path}",
            params=params,
            headers=bearer(token),
            secrets=(token, *secrets),
        )
        return await self._token(call)

    async def _token(self, call: Call) -> TokenGrant:
        return read_token(await self._http.send(call), self._http.name, self._clock())
