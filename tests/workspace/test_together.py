"""New posts in parts of thirty: what such an answer leaves open is settled alone, and nothing made twice."""

import asyncio
import json
from pathlib import Path

import pytest

from app.contract.enums import PostStatus
from app.workspace.posts.planned import SyncState
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import Opened, new_post, opened, until


def bulk_sizes(service: ModelService) -> list[int]:
    """How many posts each call for several carried."""
    calls = [request for request in service.requests if request.url.path.endswith("/posts/bulk")]
    return [len(json.loads(call.content)["posts"]) for call in calls]


def alone(service: ModelService) -> int:
    return sum(
        request.method == "POST" and request.url.path.endswith("/posts") for request in service.requests
    )


async def planned(workspace: Opened, account: str, count: int) -> list[str]:
    await until(lambda: workspace.sync.connected)
    keys = workspace.plan([new_post(account, f"text {i}", START + (i + 1) * HOUR) for i in range(count)])
    await until(lambda: workspace.sync.waiting == 0)
    return keys


def test_ninety_posts_are_three_calls(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    account = service.add_account()

    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            keys = await planned(workspace, account, 90)
            assert all(
                post is not None and post.sync is SyncState.SYNCED for post in map(workspace.posts.get, keys)
            )

    asyncio.run(story())
    assert bulk_sizes(service) == [30, 30, 30]
    assert alone(service) == 0
    assert sorted(service.effects) == sorted(f"text {i}" for i in range(90))


@pytest.mark.parametrize("fault", ["lose", "timeout", "500", "429", "garbage"])
def test_what_is_sent_again_makes_nothing_twice(tmp_path: Path, fault: str) -> None:
    service = ModelService(HandClock())
    account = service.add_account()
    service.faults.append(("POST", fault))

    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            await planned(workspace, account, 40)
            assert len(workspace.posts) == 40
            await workspace.refresh()
            assert len(workspace.posts) == 40

    asyncio.run(story())
    assert sorted(service.effects) == sorted(f"text {i}" for i in range(40))


def test_a_service_that_refuses_such_calls_gets_the_posts_alone(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    account = service.add_account()
    service.faults.append(("POST", "refuse"))

    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            await planned(workspace, account, 5)
            assert workspace.said == []

    asyncio.run(story())
    assert (bulk_sizes(service), alone(service)) == ([5], 5)


def test_a_rejected_post_gets_its_reason_and_the_others_are_made(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    account = service.add_account()

    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            await until(lambda: workspace.sync.connected)
            service.clock = HandClock(START + HOUR)  # of the service, which runs ahead of this computer
            posts = [new_post(account, f"text {i}", START + (i + 1) * HOUR) for i in range(3)]
            keys = workspace.plan(posts)
            await until(lambda: workspace.sync.waiting == 0)
            late, *others = (workspace.posts.get(key) for key in keys)
            assert late is not None
            assert (late.status, late.reason) == (PostStatus.FAILED, "The time is in the past")
            assert [post.status for post in others if post] == [PostStatus.SCHEDULED] * 2

    asyncio.run(story())
    assert service.effects == ["text 1", "text 2"]


def test_equal_posts_are_told_apart_by_their_number(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    account = service.add_account()

    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            await until(lambda: workspace.sync.connected)
            workspace.plan([new_post(account, "same"), new_post(account, "same")])
            await until(lambda: workspace.sync.waiting == 0)
            await workspace.refresh()
            assert len(workspace.posts) == 2

    asyncio.run(story())
    assert service.effects == ["same", "same"]
