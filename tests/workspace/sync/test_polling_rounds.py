"""Rounds of polling, one by one: which lists and pages each requests, and what follows from a failure."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest

from app.client import ClientError
from app.contract.base import format_timestamp
from app.contract.enums import PostStatus
from app.workspace.clock import from_millis
from app.workspace.sync.polling import PageTaken, Polling
from tests.leaping import leap, run_leaping
from tests.workspace.model_places import ModelPlaces, keep_places
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import QUICK, Opened, new_post, opened, until

NEVER = 1e9
MINUTE = 60
BY_HAND = replace(
    QUICK,
    poll_active=NEVER,
    poll_idle=NEVER,
    everything=10 * MINUTE,
    everything_followed=NEVER,
    second_look=MINUTE,
    health=NEVER,
    losses=NEVER,
)
"""The app lists everything once; a test starts each round."""

Story = Callable[["Rounds"], Awaitable[None]]


class Rounds:
    """A workspace that polls when a test says so."""

    def __init__(self, workspace: Opened, service: ModelService) -> None:
        self.workspace = workspace
        self.service = service

    @property
    def polling(self) -> Polling:
        return self.workspace._sync._polling

    async def run(self) -> list[str]:
        """Poll once; return the lists that were requested, with ``+`` for a page after the first."""
        before = len(self.service.requests)
        try:
            await self.polling.run()
        finally:
            requests = self.service.requests[before:]
        return [told for request in requests if (told := _told(request))]

    async def fail(self, *kinds: str) -> None:
        """Poll once; the calls fail as given, and the last one ends the round."""
        self.service.faults += [("GET", kind) for kind in kinds]
        with pytest.raises(ClientError):
            await self.run()
        assert not self.service.faults


def _told(request: httpx.Request) -> str:
    lists = {"/api/v1/posts": "posts", "/companion/v1/places/posts": "places"}
    if request.method != "GET" or request.url.path not in lists:
        return ""
    asked = request.url.params
    return " ".join([lists[request.url.path], *asked.get_list("status")]) + "+" * ("cursor" in asked)


def play(
    tmp_path: Path, story: Story, *, posts: int = 12, page_max: int = 5, service: ModelService | None = None
) -> None:
    """Run a story with this number of scheduled posts, this many to a page."""
    service = service or ModelService(HandClock())
    service.page_max = page_max

    async def run() -> None:
        account = service.add_account()
        for number in range(1, posts + 1):
            service.add_post(account, START + number * HOUR, f"post {number}")
        async with opened(tmp_path, service, pace=BY_HAND) as workspace:
            await until(lambda: workspace.sync.last_synced and len(workspace.posts) >= posts)
            await story(Rounds(workspace, service))

    run_leaping(run())


def key_at(rounds: Rounds, place: int) -> str:
    """The post that was added at this place, from 0."""
    return str(list(rounds.service.posts)[place])


async def publish_all(rounds: Rounds) -> None:
    """Publish all posts, which the app then knows."""
    at = format_timestamp(from_millis(START))
    for key in rounds.service.posts:
        rounds.service.posts[key] |= {"status": "posted", "posted_at": at}
    await rounds.workspace.refresh()


NEWEST, ALL, PENDING = "posts", "posts", "posts scheduled"


def test_rounds_go_through_the_pending_posts_until_it_is_time_for_all(tmp_path: Path) -> None:
    async def story(rounds: Rounds) -> None:
        leap(10 * MINUTE - 1)
        for pages in (PENDING, f"{PENDING}+", f"{PENDING}+") * 2:
            assert await rounds.run() == [NEWEST, pages]

    play(tmp_path, story)


def test_a_pass_over_all_posts_alternates_with_passes_over_pending_ones(tmp_path: Path) -> None:
    async def story(rounds: Rounds) -> None:
        for _ in range(2):
            leap(10 * MINUTE)
            passes = [(await rounds.run())[1] for _ in range(8)]
            assert passes == [
                ALL,
                PENDING,
                f"{ALL}+",
                f"{PENDING}+",
                f"{ALL}+",  # its last page, after which it isn't due for a while
                f"{PENDING}+",
                PENDING,
                f"{PENDING}+",
            ]
            leap(10 * MINUTE - 30)
            assert (await rounds.run())[1] == f"{PENDING}+"
            assert (await rounds.run())[1] == PENDING
            assert [(await rounds.run())[1] for _ in range(2)] == [f"{PENDING}+"] * 2

    play(tmp_path, story)


def test_after_a_restart_the_passes_begin_without_a_list_of_everything(tmp_path: Path) -> None:
    service = ModelService(HandClock())

    async def story(rounds: Rounds) -> None:
        if len(service.requests) < 10:
            return
        assert [await rounds.run() for _ in range(4)] == [
            [NEWEST, PENDING],
            [NEWEST, f"{ALL}+"],
            [NEWEST, f"{PENDING}+"],
            [NEWEST, f"{ALL}+"],
        ]

    play(tmp_path, story, service=service)
    play(tmp_path, story, posts=0, service=service)


def test_a_published_post_that_was_deleted_is_found_missing_by_the_pass_over_all(tmp_path: Path) -> None:
    async def story(rounds: Rounds) -> None:
        key = key_at(rounds, 0)
        await publish_all(rounds)
        leap(10 * MINUTE)
        for _ in range(6):
            await rounds.run()
        del rounds.service.posts[UUID(key)]
        for _ in range(6):
            await rounds.run()
        assert key in rounds.workspace.posts
        leap(10 * MINUTE)
        for _ in range(6):
            await rounds.run()
        assert key not in rounds.workspace.posts

    play(tmp_path, story)


def test_many_missing_posts_are_looked_for_again_in_a_minute(tmp_path: Path) -> None:
    async def story(rounds: Rounds) -> None:
        lost = [key_at(rounds, place) for place in range(3)]
        await publish_all(rounds)
        for key in lost:
            del rounds.service.posts[UUID(key)]
        leap(10 * MINUTE)
        for _ in range(4):
            await rounds.run()
        assert all(key in rounds.workspace.posts for key in lost)
        assert [await rounds.run() for _ in range(2)] == [[NEWEST, PENDING]] * 2
        leap(MINUTE)
        assert [(await rounds.run())[1] for _ in range(3)] == [ALL, PENDING, f"{ALL}+"]
        assert not any(key in rounds.workspace.posts for key in lost)

    play(tmp_path, story)


@pytest.mark.parametrize(
    ("fault", "goes_on"),
    [
        ("timeout", True),
        ("unreachable", True),
        ("429", True),
        ("500", True),
        ("refuse", False),
        ("garbage", False),
    ],
)
def test_a_pass_goes_on_after_a_failure_unless_its_cursor_may_be_the_cause(
    tmp_path: Path, fault: str, goes_on: bool
) -> None:
    async def story(rounds: Rounds) -> None:
        leap(10 * MINUTE)
        assert [(await rounds.run())[1] for _ in range(2)] == [ALL, PENDING]
        await rounds.fail("none", fault)
        following = [(await rounds.run())[1] for _ in range(2)]
        assert following == ([f"{PENDING}+", f"{ALL}+"] if goes_on else [PENDING, ALL])

    play(tmp_path, story)


def test_new_posts_are_read_up_to_the_first_known_one(tmp_path: Path) -> None:
    async def story(rounds: Rounds) -> None:
        account = rounds.service.connections[0]["id"]
        new = [rounds.service.add_post(account, START + HOUR, f"new {n}") for n in range(7)]
        assert await rounds.run() == ["posts", "posts+", PENDING]
        assert all(key in rounds.workspace.posts for key in new)
        new = [rounds.service.add_post(account, START + HOUR, f"newer {n}") for n in range(5)]
        assert await rounds.run() == ["posts", "posts+", f"{PENDING}+"]

    play(tmp_path, story)


def test_a_failure_amid_new_posts_leaves_a_gap_until_everything_is_listed(tmp_path: Path) -> None:
    async def story(rounds: Rounds) -> None:
        gaps = []
        await rounds.fail("timeout")
        gaps.append(rounds.polling.has_gap)
        for number in range(7):
            rounds.service.add_post(rounds.service.connections[0]["id"], START + HOUR, f"new {number}")
        await rounds.fail("none", "timeout")
        gaps.append(rounds.polling.has_gap)
        await rounds.fail("timeout")
        await rounds.run()
        gaps.append(rounds.polling.has_gap)
        rounds.polling.start_over()
        gaps.append(rounds.polling.has_gap)
        assert gaps == [False, True, True, False]

    play(tmp_path, story)


def test_a_list_read_to_its_end_ends_the_longer_passes(tmp_path: Path) -> None:
    async def story(rounds: Rounds) -> None:
        leap(10 * MINUTE)
        assert [(await rounds.run())[1] for _ in range(2)] == [ALL, PENDING]
        rounds.service.page_max = 100
        del rounds.service.posts[UUID(gone := key_at(rounds, 0))]
        assert await rounds.run() == [NEWEST]
        assert gone not in rounds.workspace.posts
        rounds.service.page_max = 5
        leap(10 * MINUTE - 1)
        assert [(await rounds.run())[1] for _ in range(3)] == [PENDING, f"{PENDING}+", f"{PENDING}+"]
        leap(1)
        assert ALL in [(await rounds.run())[1] for _ in range(2)]

    play(tmp_path, story)


def with_places(count: int) -> tuple[ModelService, ModelPlaces]:
    """A service, and its companion networks with this number of posts."""
    service = ModelService(HandClock())
    places = keep_places(service)
    account = places.add_account("bluesky")
    for number in range(1, count + 1):
        places.add_bluesky_post(account, START + number * HOUR, f"sky {number}")
    return service, places


def test_posts_are_missing_only_from_their_own_list(tmp_path: Path) -> None:
    service, places = with_places(3)

    async def story(rounds: Rounds) -> None:
        await until(lambda: len(rounds.workspace.posts) == 6)
        assert await rounds.run() == ["posts", "places"]
        assert len(rounds.workspace.posts) == 6
        del service.posts[UUID(key_at(rounds, 0))]
        del places.posts[next(iter(places.posts))]
        assert await rounds.run() == ["posts", "places"]
        assert len(rounds.workspace.posts) == 4

    play(tmp_path, story, posts=3, service=service)


def test_a_short_list_beside_a_long_one_ends_no_pass(tmp_path: Path) -> None:
    service, places = with_places(3)

    async def story(rounds: Rounds) -> None:
        await until(lambda: len(rounds.workspace.posts) == 15)
        gone = str(next(iter(places.posts)))
        del places.posts[UUID(gone)]
        assert await rounds.run() == ["posts", "places", PENDING]
        assert gone in rounds.workspace.posts
        assert await rounds.run() == ["posts", "places", f"{PENDING}+"]

    play(tmp_path, story, service=service)


def test_longer_passes_read_one_list_after_the_other(tmp_path: Path) -> None:
    service, _ = with_places(3)

    async def story(rounds: Rounds) -> None:
        await until(lambda: len(rounds.workspace.posts) == 15)
        leap(10 * MINUTE)
        listed = [await rounds.run() for _ in range(8)]
        assert all(one[:2] == ["posts", "places"] for one in listed)
        assert [one[2:] for one in listed[::2]] == [["posts"], ["posts+"], ["posts+"], ["places"]]
        pending = [["posts scheduled"], ["posts scheduled+"], ["posts scheduled+"], ["places scheduled"]]
        assert [one[2:] for one in listed[1::2]] == pending
        assert (await rounds.run())[2:] == ["posts scheduled"]
        assert len(rounds.workspace.posts) == 15

    play(tmp_path, story, service=service)


def test_a_post_that_is_no_longer_pending_is_looked_up_and_no_other(tmp_path: Path) -> None:
    async def story(rounds: Rounds) -> None:
        published, cancelled, pending = (key_at(rounds, place) for place in range(3))
        at = format_timestamp(from_millis(START))
        rounds.service.posts[UUID(published)] |= {"status": "posted", "posted_at": at}
        await rounds.workspace.refresh()
        rounds.service.posts[UUID(cancelled)]["status"] = "cancelled"
        before = len(rounds.service.requests)
        for _ in range(3):
            await rounds.run()
        await until(
            lambda: (post := rounds.workspace.posts.get(cancelled)) and post.status is PostStatus.CANCELLED
        )
        looked = {request.url.path.rpartition("/")[2] for request in rounds.service.requests[before:]}
        assert looked & {published, cancelled, pending} == {cancelled}

    play(tmp_path, story)


def test_a_listing_counts_its_posts_and_the_new_ones(tmp_path: Path) -> None:
    async def story(rounds: Rounds) -> None:
        account = rounds.service.connections[0]["id"]
        for number in range(2):
            rounds.service.add_post(account, START + HOUR, f"new {number}")
        listing = rounds.polling.everything()
        taken = []
        while not listing.done:
            taken.append(await listing.read_page())
        assert taken == [PageTaken(5, 2), PageTaken(5, 0), PageTaken(4, 0)]
        assert (listing.count, listing.missing()) == (14, [])

    play(tmp_path, story)


def test_posts_that_changed_or_went_during_a_pass_are_not_missing_from_it(tmp_path: Path) -> None:
    async def story(rounds: Rounds) -> None:
        workspace, service = rounds.workspace, rounds.service
        moved, removed, lost = (key_at(rounds, place) for place in range(3))
        service.faults += [("POST", "timeout")] * 100_000
        (sent,) = workspace.plan([new_post(service.connections[0]["id"])])
        listing = rounds.polling.everything()
        await listing.read_page()
        service.faults.clear()
        workspace.move({moved: START + 99 * HOUR})
        await until(lambda: workspace.sync.waiting == 0)
        assert len(service.posts) == 13
        workspace._core.mirror.remove([removed])
        for key in (moved, removed, lost):
            del service.posts[UUID(key)]
        while not listing.done:
            await listing.read_page()
        assert listing.missing() == [lost]
        assert sent in workspace.posts

    play(tmp_path, story)


def test_unsent_posts_are_not_missing_from_a_list(tmp_path: Path) -> None:
    async def story(rounds: Rounds) -> None:
        rounds.service.faults += [("POST", "timeout")] * 1_000
        (key,) = rounds.workspace.plan([new_post(rounds.service.connections[0]["id"])])
        for _ in range(4):
            await rounds.run()
        rounds.service.page_max = 100
        assert await rounds.run() == [NEWEST]
        assert key in rounds.workspace.posts
        listing = rounds.polling.everything()
        assert set(listing.missing()) == {str(one) for one in rounds.service.posts}

    play(tmp_path, story)


@dataclass
class _Endless(ModelService):
    """Once ``is_endless``, the list of posts has no end, and each page takes 50 seconds."""

    is_endless: bool = False

    def _route(self, request: httpx.Request) -> httpx.Response:
        if self.is_endless and request.url.path == "/api/v1/posts":
            leap(50)
            rows = list(self.posts.values())[:1]
            return httpx.Response(200, json={"data": rows, "next_cursor": str(uuid4())})
        return super()._route(request)


def test_nothing_is_missing_from_a_list_that_was_cut_off(tmp_path: Path) -> None:
    service = _Endless(HandClock())

    async def story(rounds: Rounds) -> None:
        service.is_endless = True
        listing = rounds.polling.everything()
        while not listing.done:
            await listing.read_page()
        assert (listing.count, listing.missing()) == (36, [])

    play(tmp_path, story, service=service)
