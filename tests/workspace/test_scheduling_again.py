"""A cancelled post is published after all only when somebody asks for exactly that."""

import asyncio
from pathlib import Path

import pytest

from app.contract.enums import PostStatus
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import Opened, new_post, opened, settled

CANCELLED = "It's cancelled. To publish it after all, choose “Schedule again”."


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> ModelService:
    return ModelService(clock)


def stands(workspace: Opened, key: str) -> tuple[PostStatus, int]:
    post = workspace.posts.get(key)
    assert post is not None
    return post.status, post.at


def there(service: ModelService) -> list[str]:
    return [post["status"] for post in service.posts.values()]


@pytest.mark.parametrize("is_sent", [True, False])
def test_a_move_never_resumes_a_cancelled_post(tmp_path: Path, service: ModelService, is_sent: bool) -> None:
    async def story() -> None:
        account = service.add_account()
        async with opened(tmp_path, service) as workspace:
            service.online = is_sent
            [key] = workspace.plan([new_post(account, "Off")])
            if is_sent:
                await settled(workspace)
            workspace.cancel([key])
            if is_sent:
                await settled(workspace)
            before = stands(workspace, key)
            steps = len(workspace.history)
            workspace.move({key: START + 5 * HOUR})
            assert stands(workspace, key) == before
            assert before[0] is PostStatus.CANCELLED
            assert len(workspace.history) == steps
            assert workspace.refusal(key, START + 5 * HOUR) == CANCELLED
            assert [one.text for one in workspace.said] == [f"Couldn't move “Off”. {CANCELLED}"]
            service.online = True
            await settled(workspace)
        assert there(service) == (["cancelled"] if is_sent else [])

    asyncio.run(story())


def test_a_post_whose_cancelling_waits_to_be_sent_is_not_moved_either(
    tmp_path: Path, service: ModelService
) -> None:
    async def story() -> None:
        key = service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service) as workspace:
            await workspace.refresh()
            service.online = False
            workspace.cancel([key])
            workspace.move({key: START + 5 * HOUR})
            assert stands(workspace, key)[0] is PostStatus.CANCELLED
            service.online = True
            await settled(workspace)
        assert there(service) == ["cancelled"]

    asyncio.run(story())


def test_a_group_moves_without_its_cancelled_posts_and_says_which_stayed(
    tmp_path: Path, service: ModelService
) -> None:
    async def story() -> None:
        account = service.add_account()
        keys = [service.add_post(account, START + n * HOUR, f"post {n}") for n in (1, 2, 3)]
        async with opened(tmp_path, service) as workspace:
            await workspace.refresh()
            workspace.cancel([keys[1]])
            await settled(workspace)
            workspace.move({key: START + (n + 10) * HOUR for n, key in enumerate(keys)})
            assert [stands(workspace, key) for key in keys] == [
                (PostStatus.SCHEDULED, START + 10 * HOUR),
                (PostStatus.CANCELLED, START + 2 * HOUR),
                (PostStatus.SCHEDULED, START + 12 * HOUR),
            ]
            assert workspace.undo_label == "Move 2 posts"
            assert [one.text for one in workspace.said] == [
                f"Couldn't move 1 of 3 posts. “post 2”: {CANCELLED}"
            ]

    asyncio.run(story())


def test_scheduling_again_resumes_cancelled_posts_alone_and_can_be_undone(
    tmp_path: Path, service: ModelService
) -> None:
    async def story() -> None:
        account = service.add_account()
        keys = [service.add_post(account, START + n * HOUR, f"post {n}") for n in (1, 2)]
        async with opened(tmp_path, service) as workspace:
            await workspace.refresh()
            workspace.cancel([keys[0]])
            await settled(workspace)
            done = workspace.schedule_again(dict.fromkeys(keys, START + 9 * HOUR))
            assert done == [keys[0]]
            assert stands(workspace, keys[0]) == (PostStatus.SCHEDULED, START + 9 * HOUR)
            assert stands(workspace, keys[1]) == (PostStatus.SCHEDULED, START + 2 * HOUR)
            assert workspace.undo_label == "Schedule post again"
            await settled(workspace)
            assert there(service) == ["scheduled", "scheduled"]
        async with opened(tmp_path, service) as workspace:
            workspace.undo_step(workspace.history[0].id)
            await settled(workspace)
            assert there(service) == ["cancelled", "scheduled"]
            workspace.redo()
            await settled(workspace)
            assert there(service) == ["scheduled", "scheduled"]

    asyncio.run(story())


def test_a_time_that_has_passed_is_no_time_to_schedule_again(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
    async def story() -> None:
        key = service.add_post(service.add_account(), START + HOUR, "Late")
        async with opened(tmp_path, service) as workspace:
            await workspace.refresh()
            workspace.cancel([key])
            await settled(workspace)
            clock.now = START + 2 * HOUR
            assert workspace.schedule_again({key: START + HOUR}) == []
            assert [one.text for one in workspace.said] == [
                "Couldn't schedule “Late” again. That time has passed."
            ]
            assert workspace.refusal(key, START + 3 * HOUR, again=True) is None

    asyncio.run(story())


def test_only_the_newest_step_is_undone_by_its_number(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
        account = service.add_account()
        keys = [service.add_post(account, START + n * HOUR) for n in (1, 2)]
        async with opened(tmp_path, service) as workspace:
            await workspace.refresh()
            workspace.move({keys[0]: START + 5 * HOUR})
            first = workspace.history[0].id
            workspace.move({keys[1]: START + 6 * HOUR})
            workspace.undo_step(first)
            assert [entry.done for entry in workspace.history] == [True, True]
            assert [one.text for one in workspace.said] == [
                "You've made other changes since. Open Changes to undo this one."
            ]
            await settled(workspace)

    asyncio.run(story())
