"""What keeping up costs: how many calls, and what is noticed with them."""

from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from app.contract.base import format_timestamp
from app.workspace.clock import from_millis
from tests.workspace.model_places import keep_places
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import QUICK, Opened, opened, until
from tests.workspace.streaming_service import StreamingService

POSTS = 25
SWEEPS = replace(QUICK, everything=600)
"""A pass over everything begins only once in a test."""


@pytest.fixture
def service() -> ModelService:
    return filled(ModelService(HandClock(), page_max=5))


def filled(service: ModelService) -> ModelService:
    account = service.add_account()
    for n in range(1, POSTS + 1):
        service.add_post(account, START + n * HOUR, f"post {n}")
    return service


def oldest(service: ModelService) -> str:
    return str(next(iter(service.posts)))


async def everything_came(workspace: Opened) -> None:
    await until(lambda: len(workspace.posts) == POSTS and workspace.sync.last_synced)


def paths(service: ModelService, since: int) -> list[str]:
    return [request.url.path for request in service.requests[since:]]


async def test_the_first_listing_tells_how_far_it_is(tmp_path: Path, service: ModelService) -> None:
    counts: list[int] = []
    async with opened(tmp_path, service) as workspace:
        workspace.listen(lambda _: counts.append(workspace.sync.listed or 0))
        await everything_came(workspace)
        assert sorted({count for count in counts if count}) == [5, 10, 15, 20, 25]
        await workspace.refresh()
        assert workspace.sync.listed is None


async def test_a_refresh_without_news_takes_three_calls(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service, pace=SWEEPS) as workspace:
        await everything_came(workspace)
        polls: set[object] = set()
        workspace.listen(lambda _: polls.add(workspace._sync._next_poll))
        before = len(service.requests)
        await until(lambda: len(polls) >= 12)
        assert len(service.requests) - before <= 3 * (len(polls) + 1)


async def test_an_old_post_that_is_moved_or_cancelled_elsewhere_is_noticed_without_listing_everything(
    tmp_path: Path, service: ModelService
) -> None:
    key = oldest(service)
    async with opened(tmp_path, service, pace=SWEEPS) as workspace:
        await everything_came(workspace)
        service.posts[UUID(key)]["scheduled_at"] = format_timestamp(from_millis(START + 99 * HOUR))
        await until(lambda: (post := workspace.posts.get(key)) and post.at == START + 99 * HOUR)
        service.posts[UUID(key)]["status"] = "cancelled"
        await until(lambda: (post := workspace.posts.get(key)) and post.status == "cancelled")
        second = str(list(service.posts)[1])
        del service.posts[UUID(second)]
        await until(lambda: second not in workspace.posts)


async def test_an_old_published_post_that_is_deleted_elsewhere_is_noticed_by_the_longer_pass(
    tmp_path: Path, service: ModelService
) -> None:
    key = oldest(service)
    service.posts[UUID(key)] |= {"status": "posted", "posted_at": format_timestamp(from_millis(START))}
    async with opened(tmp_path, service, pace=replace(QUICK, everything=0)) as workspace:
        await everything_came(workspace)
        del service.posts[UUID(key)]
        await until(lambda: key not in workspace.posts)


async def test_a_restart_lists_nothing_again(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service, pace=SWEEPS) as workspace:
        await everything_came(workspace)
    before = len(service.requests)
    async with opened(tmp_path, service, pace=replace(SWEEPS, poll_active=600)) as workspace:
        await until(lambda: workspace.sync.last_synced)
        assert len(paths(service, before)) <= 5


async def test_a_restart_goes_on_where_the_stream_was(tmp_path: Path) -> None:
    service = filled(StreamingService(HandClock(), page_max=5))
    assert isinstance(service, StreamingService)
    key = oldest(service)
    async with opened(tmp_path, service, pace=SWEEPS) as workspace:
        await everything_came(workspace)
    before = len(service.requests)
    service.posts[UUID(key)]["status"] = "cancelled"
    service.tell_post(key)
    async with opened(tmp_path, service, pace=SWEEPS) as workspace:
        await until(lambda: (post := workspace.posts.get(key)) and post.status == "cancelled")
        await until(lambda: workspace.sync.last_synced)
        assert sorted(paths(service, before)) == [
            "/api/v1/connections",
            "/companion/v1",
            "/companion/v1/events",
        ]
    service.posts[UUID(key)]["status"] = "scheduled"
    service.tell_post(key)
    service.forgotten = len(service.told)
    async with opened(tmp_path, service, pace=SWEEPS) as workspace:
        await until(lambda: (post := workspace.posts.get(key)) and post.status == "scheduled")


async def test_a_listing_goes_on_where_it_was_cut_off(tmp_path: Path, service: ModelService) -> None:
    service.faults += [("GET", "nothing")] * 5 + [("GET", "timeout")]
    async with opened(tmp_path, service, pace=SWEEPS) as workspace:
        await everything_came(workspace)
        first = [
            r for r in service.requests if r.url.path == "/api/v1/posts" and "cursor" not in r.url.params
        ]
        assert len(first) == 1


async def test_posts_of_companion_networks_are_polled_from_their_own_list(
    tmp_path: Path, service: ModelService
) -> None:
    places = keep_places(service)
    account = places.add_account("bluesky")
    first, *_others = [places.add_bluesky_post(account, START + n * HOUR, f"sky {n}") for n in range(1, 13)]

    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == POSTS + 12 and workspace.sync.last_synced)
        assert workspace.accounts[account].platform == "bluesky"
        places.posts[UUID(first)]["scheduled_at"] = format_timestamp(from_millis(START + 99 * HOUR))
        newest = places.add_bluesky_post(account, START + 50 * HOUR, "newest")
        await until(lambda: (post := workspace.posts.get(first)) and post.at == START + 99 * HOUR)
        await until(lambda: workspace.posts.get(newest))
        del places.posts[UUID(first)]
        await until(lambda: workspace.posts.get(first) is None)
        workspace.move({newest: START + 60 * HOUR})
        await until(lambda: workspace.sync.waiting == 0)
        workspace.cancel([newest])
        await until(lambda: workspace.sync.waiting == 0)
        assert places.posts[UUID(newest)]["status"] == "cancelled"
        assert len(workspace.posts) == POSTS + 12


async def test_an_older_service_is_not_asked_for_places(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        await everything_came(workspace)
        assert not workspace.places.offered
        assert not [path for path in paths(service, 0) if "places" in path]
