"""Lists without end, and a stream that never rests: the workspace takes some of it and goes on."""

import asyncio
import itertools
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from app.client import ACCOUNTS_MAX, ITEMS_MAX, AnswerNotUnderstood, Course, ListTooLong
from app.contract.companion import ChangeKind
from app.contract.pagination import Page
from app.workspace.sync.stream import Gathered
from tests.leaping import leap, run_leaping
from tests.workspace.model_service import HOUR, START, HandClock
from tests.workspace.opened import opened, until
from tests.workspace.streaming_service import StreamingService
from tests.workspace.test_stream import PATIENT


def page(items: int = 100, size: int = 0, cursor: str | None = "more") -> Page[int]:
    made = Page[int](data=list(range(items)), next_cursor=cursor)
    made.note_size(size)
    return made


@pytest.mark.parametrize(
    ("pages", "items", "size", "seconds"),
    [(2_500, 100, 0, 0), (10, 1, 100_000_000, 0), (30, 1, 0, 60)],
    ids=["items", "bytes", "seconds"],
)
def test_a_list_ends_where_there_is_too_much_of_it(pages: int, items: int, size: int, seconds: float) -> None:
    course = Course()
    for number in range(pages - 1):
        assert course.after(page(items, size, f"{number}"), seconds) == f"{number}"
    with pytest.raises(ListTooLong):
        course.after(page(items, size, "last"), seconds)


def test_empty_pages_are_followed_for_a_while() -> None:
    course = Course()
    for number in range(20):
        course.after(page(0, cursor=f"a{number}"))
    course.after(page(1, cursor="b"))
    for number in range(20):
        course.after(page(0, cursor=f"c{number}"))
    with pytest.raises(AnswerNotUnderstood):
        course.after(page(0, cursor="d"))


@pytest.mark.parametrize("again", ["begin", "a", "b"])
def test_a_list_that_leads_back_is_not_followed(again: str) -> None:
    course = Course("begin")
    course.after(page(cursor="a"))
    course.after(page(cursor="b"))
    with pytest.raises(AnswerNotUnderstood):
        course.after(page(cursor=again))


def test_the_last_page_is_never_too_much() -> None:
    assert Course(most=10).after(page(1_000, 10**10, None), 10_000) is None


@dataclass
class _Endless(StreamingService):
    """Lists ever new accounts, ``page`` at a time, and no end."""

    page: int = 500

    def _route(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/v1/connections":
            one = self.connections[0]
            rows = [one, *(one | {"id": str(uuid4())} for _ in range(self.page - 1))]
            return httpx.Response(200, json={"data": rows, "next_cursor": str(uuid4())})
        return super()._route(request)


def test_accounts_without_end_do_not_keep_posts_away(tmp_path: Path) -> None:
    service = _Endless(HandClock())

    async def story() -> None:
        first = service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service, pace=PATIENT) as workspace:
            await until(lambda: first in workspace.posts)
            assert len(workspace.accounts) <= ACCOUNTS_MAX
            assert service.asked("/api/v1/connections") == ACCOUNTS_MAX / service.page
            await workspace.refresh()
            assert [message.text for message in workspace.said if "more accounts" in message.text] == [
                "The service has more accounts than Kalends can show, so some are missing here."
            ]

    asyncio.run(story())


@dataclass
class _Posts(StreamingService):
    """The list of posts has no end, and each page takes 50 seconds."""

    def _route(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/v1/posts" and request.method == "GET":
            leap(50)
            rows = [self.posts[key] for key in self.posts]
            return httpx.Response(200, json={"data": rows, "next_cursor": str(uuid4())})
        return super()._route(request)


def test_posts_without_end_are_taken_as_far_as_they_go(tmp_path: Path) -> None:
    service = _Posts(HandClock())

    async def story() -> None:
        first = service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service, pace=PATIENT) as workspace:
            await until(lambda: workspace.said, patience=10_000)
            assert first in workspace.posts
            assert service.asked("/api/v1/posts") == 30 * 60 / 50
            assert workspace.sync.problem is None
            assert [message.text for message in workspace.said] == [
                "The service has more posts than Kalends can show, so some are missing here."
            ]
            assert ITEMS_MAX == 250_000

    run_leaping(story())


@dataclass
class _Wide(StreamingService):
    """Lists everything on one page."""

    def _route(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/v1/posts" and request.method == "GET":
            return httpx.Response(200, json={"data": list(self.posts.values()), "next_cursor": None})
        return super()._route(request)


def test_a_long_page_is_taken_in_parts(tmp_path: Path) -> None:
    service = _Wide(HandClock())

    async def story() -> None:
        account = service.add_account()
        for number in range(1_234):
            service.add_post(account, START + HOUR + number)
        async with opened(tmp_path, service, pace=PATIENT) as workspace:
            await until(lambda: len(workspace.posts) == 1_234)
            sizes = [len(changes.posts) for changes in workspace.heard if changes.posts]
            assert sizes == [500, 500, 234]

    asyncio.run(story())


def test_what_happens_all_the_time_is_told_now_and_then() -> None:
    async def story() -> tuple[list[float], float]:
        told: list[float] = []
        loop = asyncio.get_running_loop()
        gathered = Gathered(lambda: told.append(loop.time()), 0.2)
        began = loop.time()
        gathered()
        assert len(told) == 1, "the first one is reported immediately"
        for _ in range(100):
            gathered()
            leap(0.05)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        gathered.stop()
        return told, loop.time() - began

    told, elapsed = run_leaping(story())  # five seconds, and those that really went by
    assert 20 <= len(told) <= elapsed / 0.2 + 1
    assert all(after - before >= 0.2 for before, after in itertools.pairwise(told))


def test_the_last_of_many_news_is_told_too() -> None:
    async def story() -> int:
        told = 0

        def tell() -> None:
            nonlocal told
            told += 1

        gathered = Gathered(tell, 0.2)
        for _ in range(10):
            gathered()
        leap(1)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        gathered.stop()
        return told

    assert run_leaping(story()) == 2


def test_news_that_wait_are_forgotten_at_the_end() -> None:
    async def story() -> int:
        told = 0

        def tell() -> None:
            nonlocal told
            told += 1

        gathered = Gathered(tell, 0.2)
        gathered.stop()  # with nothing that waits
        gathered()
        gathered()
        gathered.stop()
        for _ in range(3):
            leap(1)
            await asyncio.sleep(0)
        before = told
        gathered()
        assert told == before + 1
        return before

    assert run_leaping(story()) == 1


def test_a_stream_that_says_again_and_again_to_list_everything_is_not_followed_each_time(
    tmp_path: Path,
) -> None:
    service = StreamingService(HandClock())

    async def story() -> None:
        account = service.add_account()
        async with opened(tmp_path, service, pace=PATIENT) as workspace:
            await until(lambda: workspace.accounts and service.open and workspace.sync.last_synced)
            before = service.asked("/api/v1/posts")
            for _ in range(200):
                service.tell(ChangeKind.RESET, {})
            added = service.add_post(account, START + HOUR)
            service.tell(ChangeKind.RESET, {})
            await until(lambda: added in workspace.posts)
            assert service.asked("/api/v1/posts") - before < 20

    asyncio.run(story())
