"""Lists: begun again when a page is gone, cut off when they have no end, repeated now and then."""

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from app.client import ACCOUNTS_MAX, ITEMS_MAX, AnswerNotUnderstood, Course, ListTooLong
from app.contract.changes import ChangeKind
from app.contract.pagination import Page
from app.database import DiskFullError
from app.workspace.store.journal import Batch
from app.workspace.sync.polling import Relisting
from app.workspace.sync.stream import Gathered
from tests.leaping import leap, run_leaping, run_still
from tests.workspace.held_service import HeldService
from tests.workspace.model_service import HOUR, START, HandClock
from tests.workspace.opened import QUICK, new_post, opened, settled, until
from tests.workspace.streaming_service import StreamingService
from tests.workspace.sync.test_stream import PATIENT

PACE = replace(QUICK, second_look=60, everything_followed=3_600)
_GONE = "gone"


def _now() -> float:
    return asyncio.get_running_loop().time()


def _due_after(relisting: Relisting) -> int:
    """Seconds until it is due; it is listed then."""
    seconds = 0
    while not relisting.is_due:
        leap(1)
        seconds += 1
    relisting.listed(_now())
    return seconds


def test_it_is_due_each_hour_from_the_greeting_or_the_last_list_on() -> None:
    async def story() -> None:
        relisting = Relisting(PACE)
        relisting.greeted()
        leap(1_800)
        relisting.greeted()
        assert [_due_after(relisting) for _ in range(3)] == [1_800, 3_600, 3_600]

    run_still(story())


def test_after_nonsense_it_is_due_in_a_minute_and_then_each_hour_again() -> None:
    async def story() -> None:
        relisting = Relisting(PACE)
        relisting.listed(_now())
        leap(1_000)
        relisting.heard_nonsense()
        leap(30)
        relisting.heard_nonsense()
        # The list came within a minute of nonsense, so another one confirms it.
        assert [_due_after(relisting) for _ in range(3)] == [30, 120, 3_600]

    run_still(story())


def test_a_list_that_is_read_earlier_after_nonsense_does_not_double_the_minute() -> None:
    async def story() -> None:
        relisting = Relisting(PACE)
        relisting.listed(_now())
        leap(1_000)
        relisting.heard_nonsense()
        leap(30)
        relisting.listed(_now())  # as when the user refreshes
        assert [_due_after(relisting) for _ in range(2)] == [60, 3_600]

    run_still(story())


def test_while_nonsense_goes_on_the_minute_is_doubled_up_to_an_hour() -> None:
    async def story() -> None:
        relisting = Relisting(PACE)
        relisting.listed(_now())
        waits = []
        for _ in range(8):
            leap(61)
            relisting.heard_nonsense()
            waits.append(_due_after(relisting))
        assert waits == [60, 120, 240, 480, 960, 1_920, 3_539, 3_539]

    run_still(story())


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
async def test_a_list_begins_again_when_its_next_page_is_refused(
    tmp_path: Path, offers: list[str], refusal: Callable[[], httpx.Response]
) -> None:
    service = _Misleading(HandClock(), offers=offers, refusal=refusal)

    first = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: first in workspace.posts and workspace.sync.last_synced)
        await until(lambda: not workspace.sync.trouble)


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


async def test_a_followed_service_that_hid_its_companion_is_asked_again(tmp_path: Path) -> None:
    service = _Hiding(HandClock())

    pace = replace(PATIENT, health=0.02)
    async with opened(tmp_path, service, pace=pace) as workspace:
        await until(lambda: workspace.sync.followed and workspace.webhooks.tells_details)
        service.hidden = True
        await until(lambda: not workspace.webhooks.tells_details)
        service.hidden = False
        await until(lambda: workspace.webhooks.tells_details)
        assert not workspace.sync.trouble


async def test_accounts_that_could_not_be_listed_are_listed_soon(tmp_path: Path) -> None:
    service = _Hiding(HandClock())

    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: workspace.sync.followed)
        service.fails = 2
        service.add_account()
        service.tell(ChangeKind.CONNECTION, {"id": service.connections[0]["id"], "connection": None})
        await until(lambda: workspace.accounts)
        await until(lambda: not workspace.sync.trouble)


@dataclass
class _Cut(StreamingService):
    """The first list of posts ends after one; ``nonsense`` is answered once when accounts are asked for."""

    nonsense: httpx.Response | None = None
    is_cut: bool = True

    def _route(self, request: httpx.Request) -> httpx.Response:
        if self.nonsense is not None and request.url.path == "/api/v1/connections":
            answer, self.nonsense = self.nonsense, None
            return answer
        if self.is_cut and request.url.path == "/api/v1/posts":
            self.is_cut = False
            return httpx.Response(200, json={"data": list(self.posts.values())[:1], "next_cursor": None})
        return super()._route(request)


@pytest.mark.parametrize("nonsense", [httpx.Response(200, json={"data": 1}), httpx.Response(500)])
@pytest.mark.parametrize("when", ["before", "after", "polled"])
def test_a_list_of_a_service_that_answered_nonsense_is_read_again(
    tmp_path: Path, nonsense: httpx.Response, when: str
) -> None:
    async def story() -> None:
        offers = [] if when == "polled" else ["events"]
        service = _Cut(HandClock(), offers=offers, nonsense=None if when == "after" else nonsense)
        account = service.add_account()
        first, second = (service.add_post(account, START + HOUR * number) for number in (1, 2))
        async with opened(tmp_path, service, pace=replace(PATIENT, second_look=60)) as workspace:
            await until(lambda: workspace.sync.last_synced and (workspace.sync.followed or not offers))
            assert first in workspace.posts
            assert second not in workspace.posts
            if when == "after":
                service.nonsense = nonsense
                service.tell(ChangeKind.CONNECTION, {"id": account, "connection": None})
                await until(lambda: service.nonsense is None)
            for _ in range(3):  # the app may still be busy with that answer
                await asyncio.sleep(0.1)
                leap(70)
            await until(lambda: second in workspace.posts)

    run_leaping(story())


async def test_a_list_of_a_service_that_makes_sense_is_believed(tmp_path: Path) -> None:
    service = _Cut(HandClock())

    account = service.add_account()
    first, second = (service.add_post(account, START + HOUR * number) for number in (1, 2))
    async with opened(tmp_path, service, pace=replace(PATIENT, second_look=0)) as workspace:
        await until(lambda: first in workspace.posts and workspace.sync.followed)
        third = service.add_post(account, START + HOUR * 3)
        service.tell_post(third)
        await until(lambda: third in workspace.posts)
        assert second not in workspace.posts


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


async def test_accounts_without_end_do_not_keep_posts_away(tmp_path: Path) -> None:
    service = _Endless(HandClock())

    first = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: first in workspace.posts)
        assert len(workspace.accounts) <= ACCOUNTS_MAX
        assert service.asked("/api/v1/connections") == ACCOUNTS_MAX / service.page
        await workspace.refresh()
        assert [message.text for message in workspace.said if "more accounts" in message.text] == [
            "The service has more accounts than Kalends can show, so some are missing here."
        ]


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


async def test_a_long_page_is_taken_in_parts(tmp_path: Path) -> None:
    service = _Wide(HandClock())

    account = service.add_account()
    for number in range(1_234):
        service.add_post(account, START + HOUR + number)
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: len(workspace.posts) == 1_234)
        sizes = [len(changes.posts) for changes in workspace.heard if changes.posts]
        assert sizes == [500, 500, 234]


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


async def test_a_stream_that_says_again_and_again_to_list_everything_is_not_followed_each_time(
    tmp_path: Path,
) -> None:
    service = StreamingService(HandClock())

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


@pytest.mark.logs_error("a confirmation could not be kept")
async def test_a_new_post_whose_id_could_not_be_stored_is_not_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list was requested while the ID was being written."""
    service = HeldService(HandClock())

    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.sync.last_synced)
        salvage, may_fail = workspace._salvage, asyncio.Event()
        real = salvage.write

        async def fail_once(_batch: Batch) -> None:
            monkeypatch.setattr(salvage, "write", real)
            await may_fail.wait()
            raise DiskFullError("The disk is full.")

        monkeypatch.setattr(salvage, "write", fail_once)
        (key,) = workspace.plan([new_post(account)])
        await until(lambda: workspace._core.mirror.service_id(key))
        with service.hold("GET", "/api/v1/posts"):
            await until(lambda: service.waiting)
            may_fail.set()
            await until(lambda: workspace._core.mirror.service_id(key) is None)
        await settled(workspace)
        assert [post.key for post in workspace.posts] == [key]
        assert workspace.drafts.all() == []
    assert len(service.posts) == 1
