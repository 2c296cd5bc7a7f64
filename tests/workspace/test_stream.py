"""Following the service's stream: changes come by themselves, and an idle workspace asks for nothing."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from app.client import RetryPolicy, ServiceClient
from app.contract.companion import ChangeKind
from tests.workspace.model_service import BASE_URL, HOUR, KEY, START, HandClock, ModelService
from tests.workspace.opened import QUICK, opened, until

# Without the stream, nothing but the first listing would come within the time that a test waits.
PATIENT = replace(
    QUICK, poll_active=600, poll_idle=600, everything=600, everything_followed=600, stream_again=0.01
)
EAGER = replace(PATIENT, poll_active=0.02, poll_idle=0.02)


@dataclass
class StreamingService(ModelService):
    """A service that tells of changes; ``cut`` ends the streams that are open."""

    told: list[tuple[str, str]] = field(default_factory=list)
    open: set[asyncio.Event] = field(default_factory=set)
    ends: asyncio.Event = field(default_factory=asyncio.Event)
    refuses: bool = False

    def client(self) -> ServiceClient:
        transport = httpx.MockTransport(self.answer)
        return ServiceClient(
            BASE_URL, KEY, transport=transport, retries=RetryPolicy(attempts=1, wait_initial=0.01)
        )

    def tell(self, kind: ChangeKind, data: dict[str, Any]) -> None:
        self.told.append((kind.value, httpx.Response(200, json=data).text))
        for news in self.open:
            news.set()

    def tell_post(self, post_id: str) -> None:
        self.tell(ChangeKind.POST, {"id": post_id, "post": self.posts.get(UUID(post_id))})

    def cut(self) -> None:
        self.ends.set()
        self.ends = asyncio.Event()
        for news in self.open:
            news.set()

    def asked(self, path: str) -> int:
        return sum(request.url.path == path for request in self.requests)

    def _route(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/companion/v1":
            return httpx.Response(200, json={"version": "1", "offers": ["events"], "practice": False})
        if request.url.path == "/companion/v1/events" and not self.refuses:
            events = self._events(request.headers.get("last-event-id"), self.ends)
            return httpx.Response(200, content=events, headers={"content-type": "text/event-stream"})
        return super()._route(request)

    async def _events(self, last: str | None, ends: asyncio.Event) -> AsyncIterator[bytes]:
        news = asyncio.Event()
        self.open.add(news)
        position = len(self.told) if last is None else int(last)
        try:
            if last is None:
                yield f"id: {position}\nevent: reset\ndata: {{}}\n\n".encode()
            while not ends.is_set():
                news.clear()
                for kind, data in self.told[position:]:
                    position += 1
                    yield f"id: {position}\nevent: {kind}\ndata: {data}\n\n".encode()
                await news.wait()
        finally:
            self.open.discard(news)


@pytest.fixture
def service() -> StreamingService:
    return StreamingService(HandClock())


def test_changes_come_by_themselves(tmp_path: Path, service: StreamingService) -> None:
    async def story() -> None:
        first = service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service, pace=PATIENT) as workspace:
            await until(lambda: first in workspace.posts and service.open)
            second = service.add_post(service.add_account(), START + 2 * HOUR, "second")
            service.tell_post(second)
            await until(lambda: second in workspace.posts)
            service.posts[UUID(second)]["status"] = "cancelled"
            service.tell_post(second)
            await until(lambda: (post := workspace.posts.get(second)) and post.status == "cancelled")
            del service.posts[UUID(second)]
            service.tell_post(second)
            await until(lambda: second not in workspace.posts)
            service.tell(ChangeKind.CONNECTION, {"id": service.connections[0]["id"], "connection": None})
            await until(lambda: len(workspace.accounts) == 2)
            # Everything once, and the newest page with the accounts.
            await until(lambda: service.asked("/api/v1/posts") == 2)

    asyncio.run(story())


def test_an_idle_workspace_asks_for_nothing(tmp_path: Path, service: StreamingService) -> None:
    async def story() -> None:
        service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service, pace=EAGER) as workspace:
            await until(lambda: len(workspace.posts) == 1 and service.open and workspace.sync.last_synced)
            before = len(service.requests)
            await asyncio.sleep(10 * EAGER.poll_active)
            assert len(service.requests) == before
            assert service.asked("/api/v1/posts") == 1

    asyncio.run(story())


def test_a_cut_stream_is_taken_up_where_it_was(tmp_path: Path, service: StreamingService) -> None:
    async def story() -> None:
        account = service.add_account()
        async with opened(tmp_path, service, pace=PATIENT) as workspace:
            await until(lambda: workspace.accounts and service.open)
            service.online = False
            service.cut()
            missed = service.add_post(account, START + HOUR)
            service.tell_post(missed)
            await until(lambda: not workspace.sync.connected)
            service.online = True
            await until(lambda: missed in workspace.posts)
            await until(lambda: workspace.sync.connected)

    asyncio.run(story())


def test_a_stream_that_begins_anew_has_everything_listed_again(
    tmp_path: Path, service: StreamingService
) -> None:
    async def story() -> None:
        account = service.add_account()
        async with opened(tmp_path, service, pace=PATIENT) as workspace:
            await until(lambda: workspace.accounts and service.open)
            added = service.add_post(account, START + HOUR)  # and nobody tells
            service.tell(ChangeKind.RESET, {})
            await until(lambda: added in workspace.posts)

    asyncio.run(story())


def test_without_a_stream_that_works_news_are_asked_for(tmp_path: Path, service: StreamingService) -> None:
    async def story() -> None:
        service.refuses = True
        account = service.add_account()
        async with opened(tmp_path, service, pace=EAGER) as workspace:
            await until(lambda: workspace.accounts, patience=20)
            added = service.add_post(account, START + HOUR)
            await until(lambda: added in workspace.posts)

    asyncio.run(story())
