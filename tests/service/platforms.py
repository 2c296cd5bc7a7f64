"""Stand-ins for adapters: they say what a test tells them to, and remember what they were asked."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import urlencode

from app.contract.enums import ConnectionPlatform
from app.contract.tiktok import TikTokCreator, TikTokPrivacy
from app.platforms.base import (
    AppCredentials,
    BoardPage,
    ContentMetrics,
    LookBack,
    Profile,
    Publication,
    Published,
    TokenGrant,
)


@dataclass
class ScriptedAdapter:
    """One platform. ``grant`` and ``people`` are what it answers; an error in their place is raised."""

    platform: ConnectionPlatform
    repeat_window: timedelta | None = None
    keeps: timedelta = timedelta(hours=20)
    grant: TokenGrant | Exception = field(default_factory=lambda: TokenGrant("access-1", "refresh-1", None))
    people: list[Profile] | Exception = field(default_factory=list)
    exchanges: list[dict[str, str]] = field(default_factory=list)
    refreshes: list[str] = field(default_factory=list)
    asked_for_profiles: list[str] = field(default_factory=list)
    pause: asyncio.Event | None = None
    """What an exchange or a refresh waits for, when set."""
    asked: asyncio.Event | None = None
    """Set, where there is one, once an exchange or a refresh has begun."""

    def authorization_url(
        self, credentials: AppCredentials, *, redirect_uri: str, state: str, code_challenge: str
    ) -> str:
        query = {
            "client_id": credentials.client_id,
            "redirect_uri": redirect_uri,
            "state": state,
            "code_challenge": code_challenge,
        }
        return f"https://{self.platform.value}.example/consent?{urlencode(query)}"

    async def exchange_code(
        self, credentials: AppCredentials, *, redirect_uri: str, code: str, code_verifier: str
    ) -> TokenGrant:
        self.exchanges.append({"redirect_uri": redirect_uri, "code": code, "verifier": code_verifier})
        return await self._granted(credentials)

    async def refresh(self, credentials: AppCredentials, refresh_token: str) -> TokenGrant:
        self.refreshes.append(refresh_token)
        return await self._granted(credentials)

    async def profiles(self, access_token: str) -> list[Profile]:
        self.asked_for_profiles.append(access_token)
        if isinstance(self.people, Exception):
            raise self.people
        return self.people

    async def prepare(self, publication: Publication) -> None:
        raise AssertionError(f"nothing is prepared here: {publication}")

    async def publish(self, publication: Publication) -> Published:
        raise AssertionError(f"nothing is published here: {publication}")

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        raise AssertionError(f"nothing is looked for here: {publication}, {since}, {known}")

    def counted_at_once(self, account_identifier: str) -> int:
        return 1 if account_identifier == "one by one" else 100

    async def metrics(
        self, access_token: str, account_identifier: str, content_ids: Collection[str]
    ) -> Sequence[ContentMetrics]:
        raise AssertionError(f"nothing is counted here: {access_token}, {account_identifier}, {content_ids}")

    async def _granted(self, credentials: AppCredentials) -> TokenGrant:
        assert credentials.client_secret == "test-secret"
        if self.asked is not None:
            self.asked.set()
        if self.pause is not None:
            await self.pause.wait()
        if isinstance(self.grant, Exception):
            raise self.grant
        return self.grant


@dataclass
class ScriptedPinterest(ScriptedAdapter):
    """Pinterest with boards. An answer to a page is taken by each call; the last one stays."""

    pages: list[BoardPage | Exception] = field(default_factory=lambda: [BoardPage([], None)])
    asked_for: list[tuple[str, int, str | None]] = field(default_factory=list)
    """Token, page size and bookmark of each call."""

    async def boards(self, access_token: str, *, page_size: int, bookmark: str | None) -> BoardPage:
        self.asked_for.append((access_token, page_size, bookmark))
        page = self.pages.pop(0) if len(self.pages) > 1 else self.pages[0]
        if isinstance(page, Exception):
            raise page
        return page


@dataclass
class ScriptedTikTok(ScriptedAdapter):
    """TikTok with a creator. An answer is taken by each call; the last one stays."""

    creators: list[TikTokCreator | Exception] = field(
        default_factory=lambda: [TikTokCreator(privacy_levels=[TikTokPrivacy.EVERYONE])]
    )
    asked_as: list[str] = field(default_factory=list)
    """The token of each call."""

    async def creator(self, access_token: str) -> TikTokCreator:
        self.asked_as.append(access_token)
        if self.pause is not None:
            await self.pause.wait()
        told = self.creators.pop(0) if len(self.creators) > 1 else self.creators[0]
        if isinstance(told, Exception):
            raise told
        return told


def robin() -> Profile:
    """A person on a platform."""
    return Profile(
        account_identifier="urn:li:person:robin",
        display_name="Robin Marsh",
        username="robin-marsh",
        avatar_url="https://example.com/robin.png",
        is_verified=True,
        follower_count=1204,
    )
