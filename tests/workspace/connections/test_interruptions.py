"""Failed posts of an account that was disconnected are listed once it's back, and never a second time."""

from pathlib import Path

import pytest

from tests.workspace.model_service import START, HandClock, ModelService
from tests.workspace.opened import Opened, new_post, opened, settled

MINUTE = 60_000


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> ModelService:
    return ModelService(clock)


async def interrupted(workspace: Opened, service: ModelService) -> list[str]:
    """Disconnect the account and connect it again; return the headlines of the posts that are listed."""
    for available in (False, True):
        for account in service.connections:
            account["is_available"] = available
        await workspace.refresh()
        listed = await workspace.interruptions.ended()
    return [post.headline for one in listed for post in one.posts]


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_an_account_that_flaps_lists_its_failed_posts_once(
    tmp_path: Path, service: ModelService, is_restarted: bool
) -> None:
    account = service.add_account()
    service.add_post(account, START - MINUTE, "Once", "failed")
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)
        assert await interrupted(workspace, service) == ["Once"]
        workspace.plan([new_post(account, "Once", None)])  # "Publish now"
        await settled(workspace)
        if not is_restarted:
            assert await interrupted(workspace, service) == []
    if is_restarted:
        async with opened(tmp_path, service) as workspace:
            await settled(workspace)
            assert await interrupted(workspace, service) == []
    assert service.effects == ["Once"]


async def test_posts_that_fail_later_are_listed(
    tmp_path: Path, clock: HandClock, service: ModelService
) -> None:
    account = service.add_account()
    service.add_post(account, START - MINUTE, "First", "failed")
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)
        assert await interrupted(workspace, service) == ["First"]
        clock.now += MINUTE
        service.add_post(account, START + MINUTE // 2, "Second", "failed")
        await workspace.refresh()
        assert await interrupted(workspace, service) == ["Second"]


async def test_posts_are_listed_once_also_if_another_account_returns_in_between(
    tmp_path: Path, clock: HandClock, service: ModelService
) -> None:
    account, other = service.add_account(), service.add_account()
    service.add_post(account, START - MINUTE, "Once", "failed")
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)

        async def listed(after: int, **available: bool) -> list[str]:
            clock.now = START + after * MINUTE
            for connection in service.connections:
                connection["is_available"] = available["one" if connection["id"] == account else "another"]
            await workspace.refresh()
            found = await workspace.interruptions.ended()
            return [post.headline for interruption in found for post in interruption.posts]

        assert await listed(0, one=False, another=True) == []
        assert await listed(1, one=True, another=True) == ["Once"]
        assert await listed(8, one=False, another=False) == []
        service.add_post(other, START + 9 * MINUTE, "Other", "failed")
        assert await listed(10, one=False, another=True) == ["Other"]
        assert await listed(11, one=True, another=True) == []
