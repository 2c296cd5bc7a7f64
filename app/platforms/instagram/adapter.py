"""Instagram: professional accounts, linked to Pages over Facebook Login, or over Instagram Login."""

import re
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import ClassVar, Final
from urllib.parse import quote

from pydantic import AwareDatetime, BaseModel, model_validator

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.platforms.base import (
    Clock,
    ContentMetrics,
    FailureKind,
    LookBack,
    LookBackOutcome,
    PlatformError,
    Profile,
    Publication,
    Published,
)
from app.platforms.card import Hosts
from app.platforms.http import PlatformHttp
from app.platforms.instagram.files import Container, InstagramFiles
from app.platforms.meta.graph import NEW_CONTAINER, Graph, GraphId
from app.platforms.meta.logins import Listing, OwnLogin, Page, PageLogin
from app.platforms.publication import KEPT, address_of, recall, require_publishable, same_text
from app.platforms.rest import web_address

_ACCOUNT: Final = "instagram_business_account{id,username,name,profile_picture_url,followers_count}"
_COUNTED: Final = "views,likes,comments,shares"
_ITEMS: Final = 50
_DEAD_CONTAINERS: Final = frozenset(map(str, NEW_CONTAINER))
_PUBLISHED: Final = "PUBLISHED"
_IN_PROGRESS: Final = "IN_PROGRESS"
_ID: Final = re.compile(r"\d{1,25}", re.ASCII)


class _Account(BaseModel):
    id: GraphId
    username: str | None = None
    name: str | None = None
    profile_picture_url: str | None = None
    followers_count: int | None = None


class _Page(Page):
    instagram_business_account: _Account | None = None


class _Created(BaseModel):
    id: GraphId


class _Item(BaseModel):
    id: str
    permalink: str | None = None


class _Listed(_Item):
    caption: str = ""
    timestamp: AwareDatetime


class _Items(BaseModel):
    data: list[_Listed]


class _Value(BaseModel):
    value: int | None = None


class _Insight(BaseModel):
    name: str
    values: list[_Value] = []
    total_value: _Value | None = None

    @property
    def value(self) -> int | None:
        if self.total_value is not None:
            return self.total_value.value
        return self.values[0].value if self.values else None


class _Insights(BaseModel):
    data: list[_Insight]


class InstagramPosts:
    """The part of both logins' adapters that publishes, and counts what was published."""

    platform: Final = ConnectionPlatform.INSTAGRAM
    # A container can only be published once.
    repeat_window: Final = None
    keeps: Final = KEPT
    _graph: Graph
    _files: InstagramFiles

    async def prepare(self, publication: Publication) -> None:
        require_publishable(PostingPlatform.INSTAGRAM, publication.post_type)
        await self._files.container(publication)

    async def publish(self, publication: Publication) -> Published:
        """Publish a picture to the feed, or a video as a Reel."""
        require_publishable(PostingPlatform.INSTAGRAM, publication.post_type)
        container, token = await self._files.container(publication), publication.access_token
        path = f"{quote(publication.account_identifier, safe='')}/media_publish"
        form = {"creation_id": container.id}
        try:
            created = await self._graph.post(path, token, _Created, form=form, creating=publication.departure)
        except PlatformError as error:
            if error.code.rpartition("/")[2] in _DEAD_CONTAINERS:
                await self._forget_unused(publication, container, error)
            raise
        await self._files.tidy_up(publication)
        return Published(created.id, await self._link(created.id, token))

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        """Check the container, which belongs to this publication only; once published, find its item."""
        container = await recall(publication, "container", Container)
        if container is None:
            return LookBack(LookBackOutcome.UNSENT)
        progress = await self._files.progress(publication, container)
        if container.ready and progress.status_code == _IN_PROGRESS:  # again, so a call to publish it arrived
            return LookBack(LookBackOutcome.UNKNOWABLE)
        if progress.status_code != _PUBLISHED:
            return LookBack(LookBackOutcome.UNSENT)
        path = f"{quote(publication.account_identifier, safe='')}/media"
        params = {"fields": "id,caption,timestamp,permalink", "limit": str(_ITEMS)}
        items = (await self._graph.get(path, publication.access_token, _Items, params)).data
        first = self._graph.http.their_clock.since(since)
        for item in reversed(items):
            is_alike = item.timestamp >= first and same_text(item.caption, publication.text)
            if is_alike and item.id not in known:
                return LookBack(LookBackOutcome.FOUND, Published(item.id, web_address(item.permalink)))
        return LookBack(LookBackOutcome.UNKNOWABLE)

    def counted_at_once(self, account_identifier: str) -> int:
        del account_identifier
        return 1

    async def metrics(
        self, access_token: str, account_identifier: str, content_ids: Collection[str]
    ) -> Sequence[ContentMetrics]:
        """Return the metrics of each item, omitting deleted and unknown ones."""
        del account_identifier
        found: list[ContentMetrics] = []
        for content_id in filter(_ID.fullmatch, content_ids):
            try:
                values = await self._insights(access_token, content_id)
            except PlatformError as error:
                if error.kind is not FailureKind.INVALID:
                    raise
                continue
            if values:
                found.append(ContentMetrics(content_id, *(values.get(name) for name in _COUNTED.split(","))))
        return found

    async def _forget_unused(
        self, publication: Publication, container: Container, error: PlatformError
    ) -> None:
        """Forget an unusable container. Raises AMBIGUOUS if an earlier call may have published it."""
        try:
            status = (await self._files.progress(publication, container)).status_code
        except PlatformError:
            status = None  # a new container would publish the post twice if this one was used
        if status in {_PUBLISHED, _IN_PROGRESS, None}:
            raise PlatformError(FailureKind.AMBIGUOUS, error.code, error.message) from error
        await self._files.forget(publication)

    async def _link(self, item_id: str, token: str) -> str | None:
        """Return the item's public URL. It is published already, so failing isn't worth it."""
        try:
            item = await self._graph.get(item_id, token, _Item, {"fields": "permalink"})
        except PlatformError:
            return None
        return web_address(item.permalink)

    async def _insights(self, token: str, content_id: str) -> dict[str, int | None]:
        insights = await self._graph.get(f"{content_id}/insights", token, _Insights, {"metric": _COUNTED})
        return {insight.name: insight.value for insight in insights.data}


class Instagram(PageLogin, InstagramPosts):
    """The adapter for Instagram. Calls for an account use the token of its Page."""

    scopes: ClassVar = (
        "instagram_basic",
        "instagram_content_publish",
        "instagram_manage_insights",
        "pages_show_list",
        "pages_read_engagement",
        "pages_manage_posts",  # pictures are uploaded to the Page first
        "business_management",
    )

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        super().__init__(http, hosts, clock)
        self._files = InstagramFiles(self._graph, clock)

    async def profiles(self, access_token: str) -> list[Profile]:
        """Return the accounts of the user's Pages, each with the token of its Page."""
        fields = f"id,name,access_token,tasks,{_ACCOUNT}"
        pages = await self._pages(access_token, fields, Listing[_Page])
        return [
            _profile(page, page.instagram_business_account)
            for page in pages
            if page.grant is not None and page.instagram_business_account is not None
        ]


def _profile(page: _Page, account: _Account) -> Profile:
    return Profile(
        account_identifier=account.id,
        display_name=account.name or account.username,
        username=account.username,
        avatar_url=web_address(account.profile_picture_url),
        follower_count=account.followers_count,
        grant=page.grant,
    )


# Without a Page to upload to, Instagram fetches pictures from our public address.
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
        """Accept the id as a number, too."""
        if isinstance(found, dict) and isinstance(found.get("user_id"), int):
            return {**found, "user_id": str(found["user_id"])}
        return found


class InstagramLogin(OwnLogin, InstagramPosts):
    """The adapter for Instagram if the registered app uses Instagram Login."""

    grants: ClassVar = "ig"
    pulled: ClassVar = frozenset({PostType.IMAGE})
    scopes: ClassVar = (
        "instagram_business_basic",
        "instagram_business_content_publish",
        "instagram_business_manage_insights",
    )

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        self._graph = Graph(http, hosts)
        self._hosts = hosts
        self._clock = clock
        self._files = InstagramFiles(self._graph, clock, picture_address=address_of)

    async def profiles(self, access_token: str) -> list[Profile]:
        """Return the account of the token."""
        user = await self._graph.get("me", access_token, _User, {"fields": _FIELDS})
        profile = Profile(
            account_identifier=user.user_id,
            display_name=user.name or user.username,
            username=user.username,
            avatar_url=web_address(user.profile_picture_url),
            follower_count=user.followers_count,
        )
        return [profile]
