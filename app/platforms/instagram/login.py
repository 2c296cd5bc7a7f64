"""Instagram without Pages: professional accounts over Instagram Login, with a separate API host.

Without a Page to upload to, Instagram fetches pictures from our public address.
"""

from typing import ClassVar, Final

from pydantic import BaseModel, model_validator

from app.contract.enums import PostType
from app.platforms.base import Clock, Profile
from app.platforms.card import Hosts
from app.platforms.http import PlatformHttp
from app.platforms.instagram.adapter import Instagram
from app.platforms.instagram.files import InstagramFiles
from app.platforms.meta.graph import GraphId
from app.platforms.meta.own_login import OwnLogin
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
        """Accept the id as a number, too."""
        if isinstance(found, dict) and isinstance(found.get("user_id"), int):
            return {**found, "user_id": str(found["user_id"])}
        return found


class InstagramLogin(OwnLogin, Instagram):
    """The adapter for Instagram if the registered app uses Instagram Login."""

    grants: ClassVar = "ig"
    pulled: ClassVar = frozenset({PostType.IMAGE})
    scopes: ClassVar = (
        "instagram_business_basic",
        "instagram_business_content_publish",
        "instagram_business_manage_insights",
    )

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        super().__init__(http, hosts, clock)
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
