"""A service in memory that also tells of changes by itself."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import httpx

from app.client import RetryPolicy, ServiceClient
from app.contract.changes import ChangeKind
from tests.workspace.model_service import BASE_URL, KEY, ModelService

_POST = ChangeKind.POST.value


@dataclass
class StreamingService(ModelService):
    """A service that tells of changes; ``cut`` ends the streams that are open.

    Events up to number ``forgotten`` cannot be resumed from any more.
    """

    told: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    open: set[asyncio.Event] = field(default_factory=set)
    ends: asyncio.Event = field(default_factory=asyncio.Event)
    refuses: bool = False
    offers: list[str] = field(default_factory=lambda: ["events"])
    forgotten: int = 0

    def client(self) -> ServiceClient:
        transport = httpx.MockTransport(self.answer)
        return ServiceClient(
            BASE_URL, KEY, transport=transport, retries=RetryPolicy(attempts=1, wait_initial=0.01)
        )

    def tell(self, kind: ChangeKind, data: dict[str, Any]) -> None:
        self.told.append((kind.value, data))
        for news in self.open:
            news.set()

    def tell_post(self, post_id: str) -> None:
        """The event carries the post as it is when it is read."""
        self.tell(ChangeKind.POST, {"id": post_id})

    def cut(self) -> None:
        self.ends.set()
        self.ends = asyncio.Event()
        for news in self.open:
            news.set()

    def asked(self, path: str) -> int:
        return sum(request.url.path == path for request in self.requests)

    def _route(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/companion/v1":
            return httpx.Response(200, json={"version": "1", "offers": self.offers, "practice": False})
        if request.url.path == "/companion/v1/posts" and "posts" in self.offers:
            by_time = ("scheduled_at", "id")
            return self._page(list(self.posts.values()), by_time, request, newest_first=False)
        if request.url.path == "/companion/v1/events" and not self.refuses:
            events = self._events(request.headers.get("last-event-id"), self.ends)
            return httpx.Response(200, content=events, headers={"content-type": "text/event-stream"})
        return super()._route(request)

    def _one(self, method: str, post: dict[str, Any], request: httpx.Request) -> httpx.Response:
        answer = super()._one(method, post, request)
        if method != "GET" and answer.is_success:
            self.tell_post(post["id"])
        return answer

    def _create(self, body: dict[str, Any]) -> httpx.Response:
        answer = super()._create(body)
        if answer.status_code == 201:
            self.tell_post(answer.json()["id"])
        return answer

    async def _events(self, last: str | None, ends: asyncio.Event) -> AsyncIterator[bytes]:
        news = asyncio.Event()
        self.open.add(news)
        resumed = last is not None and self.forgotten <= int(last) <= len(self.told)
        position = int(last) if last is not None and resumed else len(self.told)
        try:
            yield b": nothing new\n\n"
            if not resumed:
                yield f"id: {position}\nevent: reset\ndata: {{}}\n\n".encode()
            while not ends.is_set():
                news.clear()
                for kind, data in self.told[position:]:
                    position += 1
                    now = data | {"post": self.posts.get(UUID(data["id"]))} if kind == _POST else data
                    yield f"id: {position}\nevent: {kind}\ndata: {json.dumps(now)}\n\n".encode()
                await news.wait()
        finally:
            self.open.discard(news)
