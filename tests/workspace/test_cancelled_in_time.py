"""Posts that are cancelled while nobody knows whether the service has heard of them."""

import asyncio
from pathlib import Path

import pytest

from app.contract.enums import PostStatus
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import Opened, new_post, opened, settled, until


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> ModelService:
    return ModelService(clock)


def begun(workspace: Opened, key: str) -> bool:
    """Whether a call that makes the post went out."""
    wish = workspace._core.mirror.intentions.get(key)
    return wish is not None and wish.attempts > 0 and key not in workspace._core.mirror.sending


@pytest.mark.parametrize("restart", [False, True])
def test_one_for_now_that_never_arrived_does_not_go_out(
    tmp_path: Path, service: ModelService, restart: bool
) -> None:
    async def story() -> None:
        account = service.add_account()
        service.online = False
        async with opened(tmp_path, service) as workspace:
            (key,) = workspace.plan([new_post(account, at=None)])
            await until(lambda: begun(workspace, key))
            workspace.undo()
            service.online = not restart
            if not restart:
                await settled(workspace)
        service.online = True
        async with opened(tmp_path, service) as workspace:
            await settled(workspace)
            assert [post.status for post in workspace.posts] == [PostStatus.CANCELLED]
        assert service.effects == []

    asyncio.run(story())


def test_one_for_now_whose_answer_was_lost_is_cancelled_there(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
        account = service.add_account()
        async with opened(tmp_path, service) as workspace:
            await until(lambda: workspace.sync.connected)
            service.faults += [("POST", "lose")]
            (key,) = workspace.plan([new_post(account, at=None)])
            await until(lambda: service.effects)
            workspace.cancel([key])
            await settled(workspace)
            assert [(post.key, post.status) for post in workspace.posts] == [(key, PostStatus.CANCELLED)]
        assert [post["status"] for post in service.posts.values()] == ["cancelled"]
        assert service.effects == ["Hello"]

    asyncio.run(story())


def test_one_whose_create_call_is_refused_is_cancelled_and_nothing_is_said(
    tmp_path: Path, service: ModelService
) -> None:
    async def story() -> None:
        account = service.add_account()
        service.online = False
        async with opened(tmp_path, service) as workspace:
            (key,) = workspace.plan([new_post(account)])
            await until(lambda: begun(workspace, key))
            workspace.cancel([key])
            service.faults += [("POST", "refuse")] * 2
            service.online = True
            await settled(workspace)
            post = workspace.posts.get(key)
            assert post is not None
            assert (post.status, workspace.said) == (PostStatus.CANCELLED, [])
        assert service.effects == []

    asyncio.run(story())


def test_one_whose_time_has_passed_meanwhile_is_cancelled_and_nothing_is_said(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
    async def story() -> None:
        account = service.add_account()
        service.online = False
        async with opened(tmp_path, service) as workspace:
            (key,) = workspace.plan([new_post(account, at=START + HOUR)])
            await until(lambda: begun(workspace, key))
            workspace.cancel([key])
            clock.now = START + 2 * HOUR
            service.online = True
            await settled(workspace)
            post = workspace.posts.get(key)
            assert post is not None
            assert (post.status, workspace.said) == (PostStatus.CANCELLED, [])
        assert not any(request.method == "POST" for request in service.requests)

    asyncio.run(story())
