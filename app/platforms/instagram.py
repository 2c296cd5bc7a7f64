"""Instagram: professional accounts that belong to Pages, over Facebook Login and the Graph API."""

import re
from collections.abc import Collection, Sequence
from typing import ClassVar, Final

from pydantic import BaseModel

from app.contract.enums import ConnectionPlatform
from app.platforms.base import ContentMetrics, FailureKind, PlatformError, Profile
from app.platforms.connect_only import ConnectOnly
from app.platforms.graph import GraphId
from app.platforms.pages import Listing, Page, PageLogin
from app.platforms.web import web_address

_ACCOUNT: Final = "instagram_business_account{id,username,name,profile_picture_url,followers_count}"
_COUNTED: Final = "views,likes,comments,shares"
_ID: Final = re.compile(r"\d{1,25}", re.ASCII)


class _Account(BaseModel):
    id: GraphId
    username: str | None = None
    name: str | None = None
    profile_picture_url: str | None = None
    followers_count: int | None = None


class _Page(Page):
    instagram_business_account: _Account | None = None


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


class Instagram(ConnectOnly, PageLogin):
    """The adapter for Instagram. An account is spoken to with the token of its Page."""

    platform: Final = ConnectionPlatform.INSTAGRAM
    scopes: ClassVar = (
        "instagram_basic",
        "instagram_content_publish",
        "instagram_manage_insights",
        "pages_show_list",
        "pages_read_engagement",
        "pages_manage_posts",  # pictures travel by way of the Page
        "business_management",
    )

    async def profiles(self, access_token: str) -> list[Profile]:
        """The accounts of the person's Pages, each with the token of its Page."""
        fields = f"id,name,access_token,tasks,{_ACCOUNT}"
        pages = await self._pages(access_token, fields, Listing[_Page])
        return [
            _profile(page, page.instagram_business_account)
            for page in pages
            if page.grant is not None and page.instagram_business_account is not None
        ]

    async def metrics(self, access_token: str, content_ids: Collection[str]) -> Sequence[ContentMetrics]:
        """The numbers of each item; one that is gone, or that nothing is known of, is left out."""
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

    async def _insights(self, token: str, content_id: str) -> dict[str, int | None]:
        insights = await self._graph.get(f"{content_id}/insights", token, {"metric": _COUNTED}, _Insights)
        return {insight.name: insight.value for insight in insights.data}


def _profile(page: _Page, account: _Account) -> Profile:
    return Profile(
        account_identifier=account.id,
        display_name=account.name or account.username,
        username=account.username,
        avatar_url=web_address(account.profile_picture_url),
        follower_count=account.followers_count,
        grant=page.grant,
    )
