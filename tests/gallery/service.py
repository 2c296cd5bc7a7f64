"""The service behind the pictures: the model service, filled with the studio of the mock-ups."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5
from zoneinfo import ZoneInfo

import httpx

from app.client import RetryPolicy, ServiceClient
from app.contract.base import format_timestamp
from app.platforms import advice as advice_texts
from app.platforms.base import FailureKind
from app.platforms.cards import name_of
from app.workspace.clock import from_millis, now_in, to_millis, wall_clock
from app.workspace.posts.planned import PlannedPost
from tests.workspace.media.samples import SlowLine
from tests.workspace.model_service import BASE_URL, KEY, ModelService

AUTHORIZE = "https://www.linkedin.com/oauth/v2/authorization"


def account_id(name: str) -> str:
    """The id of an account by a short name, the same in every run."""
    return str(uuid5(NAMESPACE_URL, name))


def at(day: int, clock: str, zone: ZoneInfo) -> int:
    """The instant of a wall-clock time, ``day`` days from today."""
    date = now_in(zone).date() + timedelta(days=day)
    return to_millis(datetime.combine(date, time.fromisoformat(clock), zone))


@dataclass
class StudioService(ModelService):
    """Calls whose method is in ``held`` wait until the workspace is closed, as on a very slow line.

    A part of each upload is sent. Calls with a method in ``forbidden`` are refused: the key may only read.
    """

    practice: bool = False
    held: set[str] = field(default_factory=set)
    forbidden: set[str] = field(default_factory=set)

    def client(self) -> ServiceClient:
        if "PUT" in self.held:
            return SlowLine(self).client()

        async def answer(request: httpx.Request) -> httpx.Response:
            if request.method in self.held:
                await asyncio.Event().wait()
            if request.method in self.forbidden:
                error = {"code": "forbidden", "message": "The API key doesn't have the scope api:full."}
                return httpx.Response(403, json={"error": error, "request_id": "req-403"})
            return self.answer(request)

        return ServiceClient(
            BASE_URL, KEY, transport=httpx.MockTransport(answer), retries=RetryPolicy(attempts=1)
        )

    def connect(
        self,
        platform: str,
        name: str,
        handle: str,
        connected: datetime,
        *,
        followers: int | None = None,
        verified: bool = False,
        ends_in: timedelta | None = None,
    ) -> str:
        """Adds an account. ``ends_in``: when its access ends, from now; negative when it has ended."""
        now = now_in(UTC)
        ended = ends_in is not None and ends_in < timedelta()
        account = {
            "id": account_id(platform),
            "platform": platform,
            "account_identifier": f"id-{platform}",
            "display_name": name,
            "username": handle,
            "avatar_url": None,
            "is_verified": verified,
            "follower_count": followers,
            "is_available": not ended,
            "token_expires_at": format_timestamp(now + ends_in) if ends_in is not None else None,
            "created_at": format_timestamp(connected),
        }
        self.connections.append(account)
        return str(account["id"])

    def plan(
        self, moment: int, platform: str, text: str, *, kind: str = "text", status: str = "", title: str = ""
    ) -> UUID:
        """Adds a post; without a status one that is over is posted and one that is ahead scheduled."""
        over = moment <= wall_clock()
        status = status or ("posted" if over else "scheduled")
        body = {
            "social_account_id": account_id(platform),
            "platform": platform,
            "description": text,
            "post_type": kind,
            "title": title or None,
        }
        post = self._store(body, moment, status)
        if kind != "text":
            post["media_storage_path"] = f"studio/{self.serial}-{kind}"
        if status == "posted":
            post["posted_at"] = format_timestamp(from_millis(moment + 1_400))
        return UUID(post["id"])

    def copy(self, post: PlannedPost) -> UUID:
        """Adds a post of the studio."""
        key = self.plan(
            post.at,
            post.platform.value,
            post.headline,
            kind=post.post_type.value,
            status=post.status.value,
        )
        if post.reason:
            self.fail(key, post.reason, unknown=post.may_be_live)
        return key

    def fail(
        self, post: UUID, words: str, *, code: str = "", advice: str = "", unknown: bool = False
    ) -> None:
        """Tells of an attempt that went wrong; without advice, of a missing permission or a lost answer."""
        began, platform = self.posts[post]["scheduled_at"], name_of(self.posts[post]["platform"])
        usual = advice_texts.MAY_BE_LIVE if unknown else advice_texts.KINDS[FailureKind.PERMISSION]
        attempt = {
            "id": str(uuid5(post, "attempt")),
            "post_id": str(post),
            "step": "publish",
            "outcome": "unknown" if unknown else "refused",
            "started_at": began,
            "finished_at": None if unknown else began,
            "platform_code": code or None,
            "platform_message": words,
            "advice": advice or usual.format(platform=platform),
        }
        self.attempts = {**(self.attempts or {}), post: [attempt]}

    def publish(self, post: UUID, page: str) -> None:
        """Tells of an attempt that went well, and where people see what came of it."""
        self.fail(post, "")
        [attempt] = (self.attempts or {})[post]
        attempt |= {"outcome": "published", "platform_message": None, "advice": None, "content_url": page}

    def answer(self, request: httpx.Request) -> httpx.Response:
        response = super().answer(request)
        if request.url.path == "/companion/v1" and response.is_success:
            return httpx.Response(200, json=response.json() | {"practice": self.practice})
        return response

    def _initiate(self, body: dict[str, Any]) -> httpx.Response:
        answer = super()._initiate(body)
        query = httpx.URL(answer.json()["connect_url"]).query.decode()
        return httpx.Response(201, json=answer.json() | {"connect_url": f"{AUTHORIZE}?{query}"})
