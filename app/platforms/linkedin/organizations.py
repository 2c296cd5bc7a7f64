"""The organizations a LinkedIn member can publish to, for approved apps."""

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from pydantic import BaseModel, Field

from app.platforms.base import FailureKind, PlatformError, Profile
from app.platforms.http import Call, bearer
from app.platforms.linkedin.rest import LinkedInRest
from app.platforms.rest import unexpected, web_address

ORGANIZATION: Final = re.compile(r"urn:li:organization:(\d{1,20})", re.ASCII)
# LinkedIn's documentation and programs in production use different names.
_MAY_PUBLISH: Final = frozenset(
    {"ADMINISTRATOR", "CONTENT_ADMINISTRATOR", "CONTENT_ADMIN", "DIRECT_SPONSORED_CONTENT_POSTER"}
)
_SHOWN: Final = "(id,localizedName,vanityName,logoV2(original~:playableStreams))"
_MOST: Final = 100


class _Role(BaseModel):
    organization: str
    role: str
    state: str = "APPROVED"


class _Roles(BaseModel):
    elements: list[_Role]


class _Identifier(BaseModel):
    identifier: str


class _Stream(BaseModel):
    identifiers: list[_Identifier] = []


class _Streams(BaseModel):
    elements: list[_Stream] = []


class _Logo(BaseModel):
    original: _Streams = Field(default=_Streams(), alias="original~")


class _Organization(BaseModel):
    name: str | None = Field(default=None, alias="localizedName")
    vanity_name: str | None = Field(default=None, alias="vanityName")
    logo: _Logo = Field(default=_Logo(), alias="logoV2")

    @property
    def avatar_url(self) -> str | None:
        found = [each.identifier for stream in self.logo.original.elements for each in stream.identifiers]
        return web_address(found[0]) if found else None


class _Size(BaseModel):
    followers: int = Field(alias="firstDegreeSize", ge=0)


class LinkedInOrganizations:
    """The endpoints for organizations."""

    def __init__(self, rest: LinkedInRest) -> None:
        self._rest = rest

    async def profiles(self, token: str) -> Sequence[Profile]:
        """Return the organizations the member can publish to; none if the app or the member lacks access."""
        params = {"q": "roleAssignee", "state": "APPROVED", "count": str(_MOST)}
        call = self._rest.call("GET", "organizationAcls", token, params=params, method_name="FINDER")
        try:
            answer = await self._rest.ask(call)
        except PlatformError as error:
            if error.kind in {FailureKind.PERMISSION, FailureKind.INVALID}:
                return []
            raise
        roles = answer.read(_Roles)
        if roles is None:
            raise unexpected(answer, self._rest.http.name)
        urns = dict.fromkeys(
            each.organization
            for each in roles.elements
            if each.role in _MAY_PUBLISH and each.state == "APPROVED"
        )
        return [await self._profile(token, urn) for urn in urns if ORGANIZATION.fullmatch(urn)]

    async def _profile(self, token: str, urn: str) -> Profile:
        shown = await self._shown(token, urn)
        return Profile(
            account_identifier=urn,
            display_name=shown.name,
            username=shown.vanity_name,
            avatar_url=shown.avatar_url,
            follower_count=await self._followers(token, urn),
        )

    async def _shown(self, token: str, urn: str) -> _Organization:
        """Return name and logo. Failing isn't worth it. Only unversioned calls support projections."""
        hosts = self._rest.hosts
        call = Call(
            method="GET",
            url=f"{hosts.api}/{hosts.login_version}/organizations/{urn.rpartition(':')[2]}?projection={_SHOWN}",
            headers=bearer(token),
            secrets=(token,),
        )
        try:
            found = (await self._rest.ask(call)).read(_Organization)
        except PlatformError:
            found = None
        return found or _Organization()

    async def _followers(self, token: str, urn: str) -> int | None:
        params = {"edgeType": "COMPANY_FOLLOWED_BY_MEMBER"}
        try:
            path = f"networkSizes/{quote(urn, safe='')}"
            size = (await self._rest.ask(self._rest.call("GET", path, token, params=params))).read(_Size)
        except PlatformError:
            return None
        return size.followers if size else None
