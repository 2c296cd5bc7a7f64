"""Single posts of connected accounts that the user publishes by hand: offline, undone, moved and reported."""

from pathlib import Path
from uuid import UUID

import pytest

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.workspace.messages import Problem
from app.workspace.posts.new import NewPost
from app.workspace.posts.planned import PlannedPost
from tests.workspace.model_by_hand import OFFER
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import Opened, opened, settled, until

MINUTE = 60_000


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> ModelService:
    made = ModelService(clock, practice=False)
    made.offers = [OFFER, "finishing"]
    return made


def of(workspace: Opened, key: str) -> PlannedPost:
    post = workspace.posts.get(key)
    assert post is not None
    return post


def new(account: str, text: str = "Wool", at: int = START + HOUR, *, by_hand: bool = True) -> NewPost:
    return NewPost(account, PostingPlatform.X, PostType.TEXT, text, at=at, by_hand=by_hand)


async def due(workspace: Opened, service: ModelService, clock: HandClock, *texts: str) -> list[str]:
    """Posts of one account whose time has come; their keys."""
    account = service.add_account()
    await workspace.refresh()
    keys = workspace.plan([new(account, text, START + n * MINUTE) for n, text in enumerate(texts, 1)])
    await until(lambda: len(service.posts) == len(texts))
    await settled(workspace)
    clock.now = START + HOUR
    for post in service.posts.values():
        post["status"] = "processing"
    await until(lambda: len(workspace.finishing.waiting()) == len(texts))
    return keys


async def test_planned_offline_it_is_created_by_hand_once_the_service_is_back(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        service.online = False
        by_hand, other = workspace.plan([new(account), new(account, "Linen")])
        workspace.move({by_hand: START + 2 * HOUR})
        workspace.cancel([other])
        await until(lambda: not workspace.sync.saving)
    async with opened(tmp_path, service) as workspace:
        assert of(workspace, by_hand).by_hand
        service.online = True
        await workspace.refresh()
        await settled(workspace)
        assert service.effects == ["Wool"]
        assert [post["by_hand"] for post in service.posts.values()] == [True]
        await workspace.refresh()  # the specified API doesn't say that it's by hand
        assert of(workspace, by_hand).by_hand
    created = [one for one in service.requests if one.method == "POST"]
    assert {one.url.path for one in created} == {"/companion/v1/posts"}


async def test_several_are_not_created_in_a_batch_that_knows_nothing_of_it(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        workspace.plan([new(account, f"Wool {n}") for n in range(5)])
        await until(lambda: len(service.posts) == 5)
        assert [post["by_hand"] for post in service.posts.values()] == [True] * 5


async def test_it_is_reported_and_taken_back(tmp_path: Path, service: ModelService, clock: HandClock) -> None:
    async with opened(tmp_path, service) as workspace:
        first, second, third = await due(workspace, service, clock, "Wool", "Linen", "Silk")
        assert [post.key for post in workspace.finishing.waiting()] == [first, second, third]
        await workspace.finishing.finish(second, "https://x.com/mira/status/1")
        assert of(workspace, second).published
        assert service.effects[-1] == "finished Linen https://x.com/mira/status/1"
        await workspace.finishing.take_back(second)
        assert [post.key for post in workspace.finishing.waiting()] == [first, second, third]
        workspace.cancel([first])
        workspace.move({third: clock() + HOUR})
        await settled(workspace)
        assert [post.key for post in workspace.finishing.waiting()] == [second]
        states = {post["description"]: post["status"] for post in service.posts.values()}
        assert states == {"Wool": "cancelled", "Linen": "processing", "Silk": "scheduled"}
        workspace.undo()
        workspace.undo()
        await settled(workspace)
        assert [of(workspace, key).status for key in (first, third)] == [PostStatus.SCHEDULED] * 2
        assert workspace.said == []


@pytest.mark.parametrize("by_hand", [True, False])
async def test_an_edited_post_is_switched_to_by_hand_and_back(
    tmp_path: Path, service: ModelService, *, by_hand: bool
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        (before,) = workspace.plan([new(account, by_hand=by_hand)])
        await until(lambda: len(service.posts) == 1)
        await settled(workspace)
        (after,) = workspace.replace(before, [new(account, by_hand=not by_hand)])
        await until(lambda: len(service.posts) == 2)
        await settled(workspace)
        assert of(workspace, before).status is PostStatus.CANCELLED
        assert of(workspace, after).by_hand is not by_hand
        assert sorted(post["by_hand"] for post in service.posts.values()) == [False, True]


async def test_a_scheduled_post_is_switched_and_switched_back(tmp_path: Path, service: ModelService) -> None:
    key = service.add_post(service.add_account(), START + HOUR, "Wool")
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        assert workspace.finishing.can_switch(of(workspace, key))
        await workspace.finishing.switch(key, by_hand=True)
        assert of(workspace, key).by_hand
        await workspace.refresh()  # the specified API doesn't say that it's by hand
        assert of(workspace, key).by_hand
        await workspace.finishing.switch(key, by_hand=False)
        assert not of(workspace, key).by_hand
    assert service.effects == ["by hand Wool", "published Wool"]


@pytest.mark.parametrize(
    ("changes", "platform", "practice", "offers"),
    [
        ({}, "x", False, []),
        ({}, "x", True, [OFFER, "finishing"]),
        ({"status": "posted"}, "x", False, [OFFER, "finishing"]),
        ({"status": "processing"}, "x", False, [OFFER, "finishing"]),
    ],
)
async def test_not_every_post_can_be_switched(
    tmp_path: Path, changes: dict[str, str], platform: str, practice: bool, offers: list[str]
) -> None:
    service = ModelService(HandClock(), practice=practice)
    service.offers = offers
    key = service.add_post(service.add_account(platform), START + HOUR, "Wool")
    service.posts[UUID(key)] |= changes
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        assert not workspace.finishing.can_switch(of(workspace, key))


async def test_a_post_of_an_account_without_access_is_switched_to_by_hand(
    tmp_path: Path, service: ModelService
) -> None:
    key = service.add_post(service.add_account(available=False), START + HOUR, "Wool")
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        await until(lambda: key in workspace.warnings.failing())
        await workspace.finishing.switch(key, by_hand=True)
        await until(lambda: key not in workspace.warnings.failing())


async def test_a_switch_that_is_refused_says_why_and_changes_nothing(
    tmp_path: Path, service: ModelService
) -> None:
    key = service.add_post(service.add_account("pinterest"), START + HOUR, "Wool")
    service.posts[UUID(key)] |= {"platform": "pinterest", "by_hand": True}
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        with pytest.raises(Problem, match="Pins need a board"):
            await workspace.finishing.switch(key, by_hand=False)
        service.online = False
        with pytest.raises(Problem):
            await workspace.finishing.switch(key, by_hand=True)
