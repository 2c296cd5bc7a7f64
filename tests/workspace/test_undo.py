"""Taking back and doing again."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.contract.enums import PostStatus
from app.language import use
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import Opened, new_post, opened, settled, until


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> ModelService:
    return ModelService(clock)


def times(workspace: Opened) -> dict[str, int]:
    return {post.key: post.at for post in workspace.posts}


def test_a_group_moves_and_comes_back_in_one_step_also_after_a_restart(
    tmp_path: Path, service: ModelService
) -> None:
    async def story() -> None:
        account = service.add_account()
        first, second = (service.add_post(account, START + n * HOUR) for n in (1, 2))
        before, after = ({first: START + n * HOUR, second: START + (n + 1) * HOUR} for n in (1, 4))
        async with opened(tmp_path, service) as workspace:
            await until(lambda: len(workspace.posts) == 2)
            workspace.move(after)
            assert workspace.undo_label == "Move 2 posts"
            await settled(workspace)
        async with opened(tmp_path, service) as workspace:
            workspace.undo()
            assert times(workspace) == before
            assert (workspace.undo_label, workspace.redo_label) == (None, "Move 2 posts")
            await settled(workspace)
        async with opened(tmp_path, service) as workspace:
            workspace.redo()
            await settled(workspace)
            assert times(workspace) == after

    asyncio.run(story())


@pytest.mark.parametrize("several", [False, True])
def test_what_kept_steps_are_called_follows_the_language(
    tmp_path: Path, service: ModelService, *, several: bool
) -> None:
    async def story() -> None:
        account = service.add_account()
        keys = [service.add_post(account, START + n * HOUR) for n in (1, 2)][: 1 + several]
        async with opened(tmp_path, service) as workspace:
            await workspace.refresh()
            workspace.move(dict.fromkeys(keys, START + 9 * HOUR))
            workspace.plan([new_post(account, key=key) for key in "ab"[: 1 + several]])
            workspace.cancel(keys)
            await settled(workspace)
        use("de")
        async with opened(tmp_path, service) as workspace:
            found = [entry.label for entry in workspace.history]
        many = ["2 Beiträge absagen", "2 Beiträge planen", "2 Beiträge verschieben"]
        assert found == (many if several else ["Beitrag absagen", "Beitrag planen", "Beitrag verschieben"])

    try:
        asyncio.run(story())
    finally:
        use("en")


def test_a_step_of_an_earlier_version_is_called_as_it_was(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
        key = service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service) as workspace:
            await workspace.refresh()
            workspace.move({key: START + 2 * HOUR})
            await settled(workspace)
        with closing(sqlite3.connect(tmp_path / "workspace.db")) as file, file:
            file.execute("UPDATE undo_steps SET doing = '', label = 'Beitrag verschieben'")
        async with opened(tmp_path, service) as workspace:
            assert workspace.undo_label == "Beitrag verschieben"
            workspace.undo()
            assert workspace.redo_label == "Beitrag verschieben"
            await settled(workspace)

    asyncio.run(story())


def test_a_cancelled_post_is_resumed_on_the_service(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
        key = service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service) as workspace:
            await until(lambda: len(workspace.posts) == 1)
            workspace.cancel([key])
            await settled(workspace)
            assert [post["status"] for post in service.posts.values()] == ["cancelled"]
            workspace.undo()
            await settled(workspace)
        assert [post["status"] for post in service.posts.values()] == ["scheduled"]

    asyncio.run(story())


def test_planning_is_taken_back_by_cancelling(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
        account = service.add_account()
        async with opened(tmp_path, service) as workspace:
            workspace.plan([new_post(account, "one"), new_post(account, "two")])
            assert workspace.undo_label == "Schedule 2 posts"
            await settled(workspace)
            workspace.undo()
            await settled(workspace)
            assert {post.status for post in workspace.posts} == {PostStatus.CANCELLED}

    asyncio.run(story())


def test_an_undo_into_the_past_says_why_it_is_refused(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
    async def story() -> None:
        key = service.add_post(service.add_account(), START + HOUR, "Late")
        async with opened(tmp_path, service) as workspace:
            await until(lambda: len(workspace.posts) == 1)
            workspace.move({key: START + 5 * HOUR})
            await settled(workspace)
            clock.now = START + 2 * HOUR
            workspace.undo()
            assert times(workspace) == {key: START + 5 * HOUR}
            assert [message.text for message in workspace.said] == [
                "Couldn't undo “Move post”. “Late”: That time has passed."
            ]
            assert workspace.undo_label is None

    asyncio.run(story())


def test_an_undo_that_the_service_refuses_leaves_what_was_done(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
        key = service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service) as workspace:
            await until(lambda: len(workspace.posts) == 1)
            for hours in (2, 3):
                workspace.move({key: START + hours * HOUR})
                await settled(workspace)
            service.faults.append(("PATCH", "refuse"))
            workspace.undo()
            await settled(workspace)
            assert workspace.posts.all()[0].at == START + 3 * HOUR
            assert [entry.done for entry in workspace.history] == [True, True]
        async with opened(tmp_path, service) as workspace:
            await until(lambda: len(workspace.posts) == 1)
            for hours in (2, 1):
                workspace.undo()
                await settled(workspace)
                assert workspace.posts.all()[0].at == START + hours * HOUR

    asyncio.run(story())


def test_what_cannot_be_moved_stays_and_the_rest_moves(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
    async def story() -> None:
        account = service.add_account()
        good = service.add_post(account, START + HOUR)
        busy = service.add_post(account, START + HOUR, "Busy", status="processing")
        async with opened(tmp_path, service) as workspace:
            await until(lambda: len(workspace.posts) == 2)
            workspace.move({good: START + 2 * HOUR, busy: START + 2 * HOUR})
            assert times(workspace) == {good: START + 2 * HOUR, busy: START + HOUR}
            assert [message.text for message in workspace.said] == [
                "Couldn't move 1 of 2 posts. “Busy”: It's being published right now."
            ]
            assert workspace.refusal(good, clock.now) == "That time has passed."
            assert workspace.refusal("nowhere", clock.now + HOUR) == "This post no longer exists."

    asyncio.run(story())
