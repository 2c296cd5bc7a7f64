"""Several posts at once: one step, one notice, and in the end the same here and there, whatever breaks."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.contract.base import parse_timestamp
from app.workspace.clock import to_millis
from app.workspace.posts.planned import SyncState
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import QUICK, Opened, opened, settled, until

# Nothing is written but what is moved.
ALONE = replace(QUICK, poll_active=600, poll_idle=600, everything=600, save_position=600)


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


def there(service: ModelService) -> dict[str, int]:
    return {str(key): to_millis(parse_timestamp(one["scheduled_at"])) for key, one in service.posts.items()}


def here(workspace: Opened) -> dict[str, int]:
    return {post.key: post.at for post in workspace.posts}


def moves_wanted(folder: Path) -> int:
    """How many moves stand in the outbox, as another program reads it."""
    with closing(sqlite3.connect(f"file:{folder / 'workspace.db'}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM outbox").fetchone()[0])


def said(workspace: Opened) -> str:
    return "\n".join(f"{message.text}\n{message.details}" for message in workspace.said)


def test_two_hundred_posts_move_in_one_step_one_transaction_and_one_notice(
    tmp_path: Path, service: ModelService
) -> None:
    async def story() -> None:
        account = service.add_account()
        keys = [service.add_post(account, START + n * HOUR, f"post {n}") for n in range(1, 201)]
        async with opened(tmp_path, service, pace=ALONE) as workspace:
            await until(lambda: len(workspace.posts) == 200)
            await settled(workspace)
            before = here(workspace)
            wanted: list[int] = []  # after each commit, also of what has nothing to do with this
            workspace._core.database.on_commit(lambda: wanted.append(moves_wanted(tmp_path)))
            workspace.heard.clear()
            service.online = False
            after = {key: at + 24 * HOUR for key, at in before.items()}
            workspace.move(after)
            assert here(workspace) == after
            assert [changes.posts for changes in workspace.heard] == [frozenset(keys)]
            assert workspace.undo_label == "Move 200 posts"
            await until(lambda: 200 in wanted and not workspace.sync.saving)
            assert set(wanted) <= {0, 200}
            workspace.undo()
            assert here(workspace) == before
            workspace.redo()
            service.online = True
            await until(lambda: workspace.sync.waiting == 0, patience=30)
            assert there(service) == after == here(workspace)

    asyncio.run(story())


FAULTS = st.sampled_from(["refuse", "lose", "timeout", "500", "429", "garbage", "nothing"])


@settings(max_examples=8, database=None)
@given(faults=st.lists(FAULTS, min_size=8, max_size=8), breaks_after=st.integers(0, 12))
def test_whatever_breaks_in_the_middle_both_agree_in_the_end(
    tmp_path_factory: pytest.TempPathFactory, faults: list[str], breaks_after: int
) -> None:
    async def story(folder: Path) -> None:
        service = ModelService(HandClock())
        account = service.add_account()
        keys = [service.add_post(account, START + n * HOUR, f"post {n}") for n in range(1, 9)]
        async with opened(folder, service) as workspace:
            await until(lambda: len(workspace.posts) == 8)
            before = here(workspace)
            service.faults += [("PATCH", fault) for fault in faults if fault != "nothing"]
            workspace.move({key: before[key] + 24 * HOUR for key in keys})
            wanted = here(workspace)
            asked = len(service.requests)
            for _ in range(200):
                if len(service.requests) - asked >= breaks_after:
                    break
                await asyncio.sleep(0)
            service.online = False
            await asyncio.sleep(0.002)
            service.online = True
            await settled(workspace)
            assert here(workspace) == there(service)
            assert all(post.sync is SyncState.SYNCED for post in workspace.posts)
            moved = {key for key, at in here(workspace).items() if at == wanted[key]}
            stayed = {key for key, at in here(workspace).items() if at == before[key]}
            assert moved | stayed == set(keys)
            assert len(stayed) == faults.count("refuse")
            lines = [f"“post {keys.index(key) + 1}” wasn't moved: not today." for key in stayed]
            await until(lambda: all(line in said(workspace) for line in lines))
            workspace.undo()
            await settled(workspace)
            assert here(workspace) == there(service) == before

    asyncio.run(story(tmp_path_factory.mktemp("group")))


def test_a_group_that_is_partly_refused_says_once_which_and_why(
    tmp_path: Path, service: ModelService
) -> None:
    async def story() -> None:
        account = service.add_account()
        keys = [service.add_post(account, START + n * HOUR, f"post {n}") for n in range(1, 7)]
        async with opened(tmp_path, service) as workspace:
            await until(lambda: len(workspace.posts) == 6)
            service.faults += [("PATCH", "refuse")] * 3
            workspace.move(dict.fromkeys(keys, START + 50 * HOUR))
            await until(lambda: workspace.said)
            (message,) = workspace.said
            assert message.text.startswith("3 posts weren't moved. “post ")
            assert message.details.count("wasn't moved: not today.") == 3
            assert workspace.undo_label == "Move 6 posts"
            assert len(workspace.history[0].keys) == 3

    asyncio.run(story())
