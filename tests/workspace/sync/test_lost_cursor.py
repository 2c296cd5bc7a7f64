"""A list that leads to a page the service doesn't give is begun again; a service may hide its companion."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx
import pytest

from app.contract.companion import ChangeKind
from tests.workspace.model_service import HOUR, START, HandClock
from tests.workspace.opened import opened, until
from tests.workspace.streaming_service import StreamingService
from tests.workspace.test_stream import PATIENT

_GONE = "gone"


def _refused(status: int, code: str) -> httpx.Response:
    body = {"error": {"code": code, "message": "The cursor is not known.", "request_id": "req_1"}}
    return httpx.Response(status, json=body)


@dataclass
class _Misleading(StreamingService):
    """The first page of posts leads to one that is never given; later ones are as they should be."""

    refusal: Callable[[], httpx.Response] = field(default=lambda: _refused(400, "validation_error"))
    misled: int = 0

    def _route(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/posts") and request.method == "GET":
            if request.url.params.get("cursor") == _GONE:
                return self.refusal()
            if not self.misled:
                self.misled += 1
                return httpx.Response(200, json={"data": [], "next_cursor": _GONE})
        return super()._route(request)


@pytest.mark.parametrize("offers", [["events"], ["events", "posts"], []], ids=["list", "by time", "polled"])
@pytest.mark.parametrize(
    "refusal",
    [
        lambda: _refused(400, "validation_error"),
        lambda: _refused(404, "not_found"),
        lambda: _refused(410, "gone"),
        lambda: httpx.Response(200, json={"data": "nothing"}),
    ],
    ids=["refused", "not found", "gone", "not understood"],
)
def test_a_list_begins_again_when_its_next_page_is_refused(
    tmp_path: Path, offers: list[str], refusal: Callable[[], httpx.Response]
) -> None:
    service = _Misleading(HandClock(), offers=offers, refusal=refusal)

    async def story() -> None:
        first = service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service, pace=PATIENT) as workspace:
            await until(lambda: first in workspace.posts and workspace.sync.last_synced)
            await until(lambda: not workspace.sync.trouble)

    asyncio.run(story())


@dataclass
class _Hiding(StreamingService):
    """Says for a while that it has no companion, and refuses so many lists of accounts."""

    hidden: bool = False
    fails: int = 0
    offers: list[str] = field(default_factory=lambda: ["events", "deliveries"])

    def _route(self, request: httpx.Request) -> httpx.Response:
        if self.hidden and request.url.path == "/companion/v1":
            return httpx.Response(404)
        if self.fails and request.url.path == "/api/v1/connections":
            self.fails -= 1
            return httpx.Response(200, json={"data": "nothing"})
        return super()._route(request)


def test_a_followed_service_that_hid_its_companion_is_asked_again(tmp_path: Path) -> None:
    service = _Hiding(HandClock())

    async def story() -> None:
        pace = replace(PATIENT, health=0.02)
        async with opened(tmp_path, service, pace=pace) as workspace:
            await until(lambda: workspace.sync.followed and workspace.webhooks.tells_details)
            service.hidden = True
            await until(lambda: not workspace.webhooks.tells_details)
            service.hidden = False
            await until(lambda: workspace.webhooks.tells_details)
            assert not workspace.sync.trouble

    asyncio.run(story())


def test_accounts_that_could_not_be_listed_are_listed_soon(tmp_path: Path) -> None:
    service = _Hiding(HandClock())

    async def story() -> None:
        async with opened(tmp_path, service, pace=PATIENT) as workspace:
            await until(lambda: workspace.sync.followed)
            service.fails = 2
            service.add_account()
            service.tell(ChangeKind.CONNECTION, {"id": service.connections[0]["id"], "connection": None})
            await until(lambda: workspace.accounts)
            await until(lambda: not workspace.sync.trouble)

    asyncio.run(story())


@dataclass
class _Cut(StreamingService):
    """Lists of posts end after the first; ``nonsense`` is answered once when accounts are asked for."""

    nonsense: httpx.Response | None = None
    is_cut: bool = True

    def _route(self, request: httpx.Request) -> httpx.Response:
        if self.nonsense is not None and request.url.path == "/api/v1/connections":
            answer, self.nonsense = self.nonsense, None
            return answer
        if self.is_cut and request.url.path == "/api/v1/posts":
            return httpx.Response(200, json={"data": list(self.posts.values())[:1], "next_cursor": None})
        return super()._route(request)


@pytest.mark.parametrize("nonsense", [httpx.Response(200, json={"data": 1}), httpx.Response(500)])
@pytest.mark.parametrize("when", ["before", "after", "polled"])
def test_a_list_of_a_service_that_answered_nonsense_is_read_again(
    tmp_path: Path, nonsense: httpx.Response, when: str
) -> None:
    offers = [] if when == "polled" else ["events"]
    service = _Cut(HandClock(), offers=offers, nonsense=None if when == "after" else nonsense)

    async def story() -> None:
        account = service.add_account()
        first, second = (service.add_post(account, START + HOUR * number) for number in (1, 2))
        async with opened(tmp_path, service, pace=replace(PATIENT, second_look=0.2)) as workspace:
            await until(lambda: first in workspace.posts and (workspace.sync.followed or not offers))
            assert second not in workspace.posts
            service.is_cut = False
            if when == "after":
                service.nonsense = nonsense
                service.tell(ChangeKind.CONNECTION, {"id": account, "connection": None})
            await until(lambda: second in workspace.posts)

    asyncio.run(story())


def test_a_list_of_a_service_that_makes_sense_is_believed(tmp_path: Path) -> None:
    service = _Cut(HandClock())

    async def story() -> None:
        account = service.add_account()
        first, second = (service.add_post(account, START + HOUR * number) for number in (1, 2))
        async with opened(tmp_path, service, pace=replace(PATIENT, second_look=0)) as workspace:
            await until(lambda: first in workspace.posts and workspace.sync.followed)
            service.is_cut = False
            third = service.add_post(account, START + HOUR * 3)
            service.tell_post(third)
            await until(lambda: third in workspace.posts)
            assert second not in workspace.posts

    asyncio.run(story())
