"""Instagram without Pages: professional accounts over Instagram Login, with an API host of its own.

A code gives a token for an hour, and that one a token for 60 days, which renews itself. There is no Page
beside which a picture could be put, so Instagram fetches pictures from an address that it is given.
"""

from typing import ClassVar, Final

from pydantic import BaseModel, model_validator

from app.contract.enums import PostType
from app.platforms.base import AppCredentials, Clock, Profile, TokenGrant
from app.platforms.graph import GraphId
from app.platforms.hosts import Hosts
from app.platforms.http import Call, PlatformHttp, bearer
from app.platforms.instagram import Instagram
from app.platforms.instagram_files import InstagramFiles
from app.platforms.meta import read_token
from app.platforms.oauth import consent_url, required_secret
from app.platforms.steps import address_of
from app.platforms.web import web_address

_FIELDS: Final = "user_id,username,name,profile_picture_url,followers_count"


class _User(BaseModel):
    user_id: GraphId
    username: str | None = None
    name: str | None = None
    profile_picture_url: str | None = None
    followers_count: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _read_number(cls, found: object) -> object:
        """The id comes as a number, too."""
        if isinstance(found, dict) and isinstance(found.get("user_id"), int):
            return {**found, "user_id": str(found["user_id"])}
        return found


class InstagramLogin(Instagram):
    """The adapter for Instagram where the registered app uses Instagram Login."""

    pulled: ClassVar = frozenset({PostType.IMAGE})
    scopes: ClassVar = (
        "instagram_business_basic",
        "instagram_business_content_publish",
        "instagram_business_manage_insights",
    )

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        super().__init__(http, hosts, clock)
        self._files = InstagramFiles(self._graph, clock, picture_address=address_of)

    def authorization_url(
        self, credentials: AppCredentials, *, redirect_uri: str, state: str, code_challenge: str
    ) -> str:
        """Where a browser asks for consent. This flow takes no code challenge."""
        del code_challenge
        return consent_url(
            f"{self._hosts.consent}/oauth/authorize",
            client_id=credentials.client_id,
            redirect_uri=redirect_uri,
            response_type="code",
            scope=",".join(self.scopes),
            state=state,
        )

    async def exchange_code(
        self, credentials: AppCredentials, *, redirect_uri: str, code: str, code_verifier: str
    ) -> TokenGrant:
        """The account's token for 60 days."""
        del code_verifier
        secret = required_secret(credentials, self._graph.http.name)
        code = code.removesuffix("#_")  # Instagram appends it to the address
        form = {
            "client_id": credentials.client_id,
            "client_secret": secret,
            "grant_type": "authorization_code",
            "redirect_uri": redirect_uri,
            "code": code,
        }
        url = f"{self._hosts.issuer}/oauth/access_token"
        short = await self._granted(Call(method="POST", url=url, form=form, secrets=(code, secret)))
        params = {"grant_type": "ig_exchange_token", "client_secret": secret}
        return await self._renewed("access_token", params, short.access_token, secret)

    async def refresh(self, credentials: AppCredentials, refresh_token: str) -> TokenGrant:
        """60 more days; Instagram renews a token from the second day of its life on."""
        secret = credentials.client_secret or ""
        return await self._renewed(
            "refresh_access_token", {"grant_type": "ig_refresh_token"}, refresh_token, secret
        )

    async def profiles(self, access_token: str) -> list[Profile]:
        """The account of the token."""
        user = await self._graph.get("me", access_token, _User, {"fields": _FIELDS})
        profile = Profile(
            account_identifier=user.user_id,
            display_name=user.name or user.username,
            username=user.username,
            avatar_url=web_address(user.profile_picture_url),
            follower_count=user.followers_count,
        )
        return [profile]

    async def _renewed(self, path: str, params: dict[str, str], token: str, *secrets: str) -> TokenGrant:
        call = Call(
            method="GET",
            url=f"{self._hosts.api}/{path}",
            params=params,
            headers=bearer(token),
            secrets=(token, *secrets),
        )
        return await self._granted(call)

    async def _granted(self, call: Call) -> TokenGrant:
        return read_token(await self._graph.http.send(call), self._graph.http.name, self._clock())
