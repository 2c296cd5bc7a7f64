"""Threads: accounts can be connected and displayed, but not posted to."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Annotated, ClassVar, Final, NoReturn

from pydantic import BaseModel, Field

from app.contract.enums import ConnectionPlatform
from app.platforms.base import (
    Clock,
    ContentMetrics,
    FailureKind,
    LookBack,
    LookBackOutcome,
    PlatformError,
    Profile,
    Publication,
)
from app.platforms.card import Hosts
from app.platforms.http import PlatformHttp
from app.platforms.meta.graph import Graph
from app.platforms.meta.logins import OwnLogin
from app.platforms.rest import web_address

_FIELDS: Final = "id,username,name,is_verified,threads_profile_picture_url"


class _User(BaseModel):
    id: Annotated[str, Field(pattern=r"^\d{1,25}$")]
    username: str | None = None
    name: str | None = None
    is_verified: bool | None = None
    threads_profile_picture_url: str | None = None


class Threads(OwnLogin):
    """The adapter for Threads. Its access token of 60 days renews itself."""

    platform: Final = ConnectionPlatform.THREADS
    repeat_window: Final = None
    keeps: Final = timedelta()
    scopes: ClassVar = ("threads_basic",)
    grants: ClassVar = "th"

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        self._graph = Graph(http, hosts)
        self._hosts = hosts
        self._clock = clock

    async def profiles(self, access_token: str) -> list[Profile]:
        """Return the user of the token."""
        user = await self._graph.get("me", access_token, _User, {"fields": _FIELDS})
        profile = Profile(
            account_identifier=user.id,
            display_name=user.name or user.username,
            username=user.username,
            avatar_url=web_address(user.threads_profile_picture_url),
            is_verified=user.is_verified,
        )
        return [profile]

    async def prepare(self, publication: Publication) -> None:
        """Do nothing: nothing is ever sent."""

    async def publish(self, publication: Publication) -> NoReturn:
        """Raise PlatformError (INVALID)."""
        del publication
        raise PlatformError(FailureKind.INVALID, "not_publishable", "Kalends doesn't publish to Threads.")

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        """Return ABSENT: nothing was ever sent."""
        del publication, since, known
        return LookBack(LookBackOutcome.ABSENT)

    def counted_at_once(self, account_identifier: str) -> int:
        del account_identifier
        return 1

    async def metrics(
        self, access_token: str, account_identifier: str, content_ids: Collection[str]
    ) -> Sequence[ContentMetrics]:
        """Return nothing: nothing was ever published."""
        del access_token, account_identifier, content_ids
        return []
