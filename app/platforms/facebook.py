"""Facebook: texts of Pages, over the Graph API. Nobody but a Page can be published for."""

import re
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Annotated, ClassVar, Final
from urllib.parse import quote

from pydantic import AwareDatetime, BaseModel, Field

from app.contract.enums import ConnectionPlatform, PostingPlatform
from app.platforms.base import (
    ContentMetrics,
    FailureKind,
    LookBack,
    LookBackOutcome,
    PlatformError,
    Profile,
    Publication,
    Published,
)
from app.platforms.pages import Listing, Page, PageLogin
from app.platforms.publishable import require_publishable
from app.platforms.sameness import CLOCK_SKEW, same_text
from app.platforms.web import web_address

_PAGE_FIELDS: Final = (
    "id,name,username,access_token,tasks,picture.type(large),followers_count,verification_status"
)
_COUNT_FIELDS: Final = "shares,comments.limit(0).summary(true),reactions.limit(0).summary(true)"
_VIEWS: Final = "post_media_view"
_VERIFIED: Final = frozenset({"blue_verified", "gray_verified"})
_ID: Final = re.compile(r"\d+(?:_\d+)?", re.ASCII)
_POSTS: Final = 100
PostId = Annotated[str, Field(pattern=r"^\d+_\d+$")]


class _PictureData(BaseModel):
    url: str | None = None


class _Picture(BaseModel):
    data: _PictureData = _PictureData()


class _Page(Page):
    username: str | None = None
    picture: _Picture = _Picture()
    followers_count: int | None = None
    verification_status: str | None = None


class _Created(BaseModel):
    id: PostId


class _Post(BaseModel):
    id: str
    message: str = ""
    created_time: AwareDatetime


class _Posts(BaseModel):
    data: list[_Post]


class _Summary(BaseModel):
    total_count: int | None = None


class _Summed(BaseModel):
    summary: _Summary = _Summary()


class _Shares(BaseModel):
    count: int = 0


class _Counted(BaseModel):
    shares: _Shares = _Shares()  # left out while there are none
    comments: _Summed = _Summed()
    reactions: _Summed = _Summed()


class _Value(BaseModel):
    value: int | None = None


class _Insight(BaseModel):
    values: list[_Value] = []


class _Insights(BaseModel):
    data: list[_Insight]


class Facebook(PageLogin):
    """The adapter for Facebook. A Page is spoken to with its own token."""

    platform: Final = ConnectionPlatform.FACEBOOK
    # The refusal of a copy does not name the original.
    repeat_window: Final = None
    scopes: ClassVar = (
        "pages_show_list",
        "pages_manage_posts",
        "pages_read_engagement",
        "read_insights",
        "business_management",
    )

    async def profiles(self, access_token: str) -> list[Profile]:
        """The Pages that the person may publish for, each with its own token."""
        pages = await self._pages(access_token, _PAGE_FIELDS, Listing[_Page])
        return [_profile(page) for page in pages if page.grant is not None]

    async def prepare(self, publication: Publication) -> None:
        require_publishable(PostingPlatform.FACEBOOK, publication.post_type)

    async def publish(self, publication: Publication) -> Published:
        require_publishable(PostingPlatform.FACEBOOK, publication.post_type)
        path = f"{quote(publication.account_identifier, safe='')}/feed"
        form = {"message": publication.text}
        call = self._call("POST", path, publication.access_token, form=form, creating=True)
        created = self._read(await self._ask(call), _Created)
        return Published(created.id, f"{self._hosts.consent}/{created.id}")

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        """Finds a post of the Page by its text; of several, the oldest is taken."""
        first = since - CLOCK_SKEW
        params = {
            "fields": "id,message,created_time",
            "limit": str(_POSTS),
            "since": str(int(first.timestamp())),
        }
        path = f"{quote(publication.account_identifier, safe='')}/published_posts"
        answer = await self._ask(self._call("GET", path, publication.access_token, params=params))
        posts = self._read(answer, _Posts).data
        for post in sorted(posts, key=lambda post: post.created_time):
            is_recent = post.created_time >= first - timedelta(seconds=1)
            if is_recent and post.id not in known and same_text(post.message, publication.text):
                return LookBack(LookBackOutcome.FOUND, post.id)
        read_all = len(posts) < _POSTS
        return LookBack(LookBackOutcome.ABSENT if read_all else LookBackOutcome.UNKNOWABLE)

    async def metrics(self, access_token: str, content_ids: Collection[str]) -> Sequence[ContentMetrics]:
        """The numbers of each item; one that is gone is left out."""
        found: list[ContentMetrics] = []
        for content_id in filter(_ID.fullmatch, content_ids):
            try:
                found.append(await self._counted(access_token, content_id))
            except PlatformError as error:
                if error.kind is not FailureKind.INVALID:
                    raise
        return found

    async def _counted(self, token: str, content_id: str) -> ContentMetrics:
        call = self._call("GET", content_id, token, params={"fields": _COUNT_FIELDS})
        counted = self._read(await self._ask(call), _Counted)
        return ContentMetrics(
            content_id=content_id,
            views=await self._views(token, content_id),
            likes=counted.reactions.summary.total_count,
            comments=counted.comments.summary.total_count,
            shares=counted.shares.count,
        )

    async def _views(self, token: str, content_id: str) -> int | None:
        """How often the item was seen, where Facebook tells: small Pages have no such numbers."""
        call = self._call("GET", f"{content_id}/insights", token, params={"metric": _VIEWS})
        try:
            insights = self._read(await self._ask(call), _Insights).data
        except PlatformError as error:
            if error.kind not in {FailureKind.INVALID, FailureKind.PERMISSION}:
                raise
            return None
        return insights[0].values[0].value if insights and insights[0].values else None


def _profile(page: _Page) -> Profile:
    return Profile(
        account_identifier=page.id,
        display_name=page.name,
        username=page.username,
        avatar_url=web_address(page.picture.data.url),
        is_verified=page.verification_status in _VERIFIED if page.verification_status else None,
        follower_count=page.followers_count,
        grant=page.grant,
    )
