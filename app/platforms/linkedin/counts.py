"""Metrics of LinkedIn posts, for apps approved for analytics."""

from collections.abc import Collection, Sequence
from typing import Final

from pydantic import BaseModel, Field

from app.platforms.base import Cause, ContentMetrics, FailureKind, PlatformError
from app.platforms.http import Call
from app.platforms.linkedin.rest import CONTENT_URN, LinkedInRest, Value
from app.platforms.rest import batched, unexpected

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
