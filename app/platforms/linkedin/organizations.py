"""What LinkedIn offers to approved apps only: a member's organizations, and metrics of posts."""

import re
from collections.abc import Collection, Sequence
from typing import Final
from urllib.parse import quote

from pydantic import BaseModel, Field

from app.platforms.base import Cause, ContentMetrics, FailureKind, PlatformError, Profile
from app.platforms.http import Call, bearer
from app.platforms.linkedin.rest import CONTENT_URN, LinkedInRest, Value
from app.platforms.rest import batched, unexpected, web_address

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
            follower_count=await self.followers(token, urn),
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

    async def followers(self, token: str, urn: str) -> int | None:
        """Return an organization's followers; None if they can't be read."""
        params = {"edgeType": "COMPANY_FOLLOWED_BY_MEMBER"}
        try:
            path = f"networkSizes/{quote(urn, safe='')}"
            size = (await self._rest.ask(self._rest.call("GET", path, token, params=params))).read(_Size)
        except PlatformError:
            return None
        return size.followers if size else None


# LinkedIn's names for views, likes, comments and shares.
_COUNTED: Final = ("IMPRESSION", "REACTION", "COMMENT", "RESHARE")
_NOT_SHOWN: Final = frozenset({FailureKind.PERMISSION, FailureKind.INVALID})
MOST_OF_ORGANIZATION: Final = 20
"""Maximum number of an organization's posts per call."""


class _Count(BaseModel):
    count: int | None = None


class _Counts(BaseModel):
    elements: list[_Count] = []


class _Totals(BaseModel):
    views: int | None = Field(default=None, alias="impressionCount")
    likes: int | None = Field(default=None, alias="likeCount")
    comments: int | None = Field(default=None, alias="commentCount")
    shares: int | None = Field(default=None, alias="shareCount")


class _Statistics(BaseModel):
    share: str | None = None
    ugc_post: str | None = Field(default=None, alias="ugcPost")
    totals: _Totals = Field(default=_Totals(), alias="totalShareStatistics")


class _StatisticsAnswer(BaseModel):
    elements: list[_Statistics]


class LinkedInCounts:
    """The endpoints for metrics."""

    def __init__(self, rest: LinkedInRest) -> None:
        self._rest = rest

    async def of_member(self, token: str, urns: Collection[str]) -> Sequence[ContentMetrics]:
        """Return a member's metrics, with one call per post and number; none for unapproved apps."""
        found: list[ContentMetrics] = []
        for urn in filter(CONTENT_URN.fullmatch, urns):
            try:
                counts = [await self._count(token, urn, name) for name in _COUNTED]
            except PlatformError as error:
                if error.kind not in _NOT_SHOWN or error.cause is Cause.PROGRAM:
                    raise
                return [ContentMetrics(each, None, None, None, None) for each in urns]
            found.append(ContentMetrics(urn, *counts))
        return found

    async def of_organization(
        self, token: str, organization: str, urns: Collection[str]
    ) -> Sequence[ContentMetrics]:
        """Return an organization's metrics. LinkedIn omits posts older than a year, or without activity."""
        found: list[ContentMetrics] = []
        for kind, key in (("share", "shares"), ("ugcPost", "ugcPosts")):
            alike = [urn for urn in urns if CONTENT_URN.fullmatch(urn) and f":{kind}:" in urn]
            for some in batched(alike, MOST_OF_ORGANIZATION):
                params: dict[str, Value] = {
                    "q": "organizationalEntity",
                    "organizationalEntity": organization,
                    key: some,
                }
                call = self._rest.call(
                    "GET", "organizationalEntityShareStatistics", token, params=params, method_name="FINDER"
                )
                found += [_metrics(each) for each in (await self._statistics(call)).elements]
        return found

    async def _count(self, token: str, urn: str, name: str) -> int | None:
        kind = "share" if ":share:" in urn else "ugc"
        params: dict[str, Value] = {
            "q": "entity",
            "entity": {kind: urn},
            "queryType": name,
            "aggregation": "TOTAL",
        }
        call = self._rest.call(
            "GET", "memberCreatorPostAnalytics", token, params=params, method_name="FINDER"
        )
        answer = await self._rest.ask(call)
        counts = answer.read(_Counts)
        if counts is None:
            raise unexpected(answer, self._rest.http.name)
        return counts.elements[0].count if counts.elements else None

    async def _statistics(self, call: Call) -> _StatisticsAnswer:
        answer = await self._rest.ask(call)
        statistics = answer.read(_StatisticsAnswer)
        if statistics is None:
            raise unexpected(answer, self._rest.http.name)
        return statistics


def _metrics(each: _Statistics) -> ContentMetrics:
    totals = each.totals
    return ContentMetrics(
        content_id=each.share or each.ugc_post or "",
        views=totals.views,
        likes=totals.likes,
        comments=totals.comments,
        shares=totals.shares,
    )
