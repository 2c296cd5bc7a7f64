"""Commands for posts: several at once are one step, and cancelled posts are scheduled again."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.contract.base import parse_timestamp
from app.contract.enums import PostStatus
from app.workspace.clock import to_millis
from app.workspace.posts.planned import SyncState
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import QUICK, Opened, new_post, opened, settled, until

CANCELLED = "It's cancelled. To publish it after all, choose “Schedule again”."
# Nothing is written but what is moved.
ALONE = replace(QUICK, poll_active=600, poll_idle=600, everything=600, save_position=600)
FAULTS = st.sampled_from(["refuse", "lose", "timeout", "500", "429", "garbage", "nothing"])


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


def statuses(service: ModelService) -> list[str]:
    return [post["status"] for post in service.posts.values()]


@pytest.mark.parametrize("is_sent", [True, False])
async def test_a_move_never_resumes_a_cancelled_post(
    tmp_path: Path, service: ModelService, is_sent: bool
) -> None:
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
    assert statuses(service) == (["cancelled"] if is_sent else [])


async def test_a_post_whose_cancelling_waits_to_be_sent_is_not_moved_either(
    tmp_path: Path, service: ModelService
) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        service.online = False
        workspace.cancel([key])
        workspace.move({key: START + 5 * HOUR})
        assert stands(workspace, key)[0] is PostStatus.CANCELLED
        service.online = True
        await settled(workspace)
    assert statuses(service) == ["cancelled"]


async def test_a_group_moves_without_its_cancelled_posts_and_says_which_stayed(
    tmp_path: Path, service: ModelService
) -> None:
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
        assert [one.text for one in workspace.said] == [f"Couldn't move 1 of 3 posts. “post 2”: {CANCELLED}"]


async def test_scheduling_again_resumes_cancelled_posts_alone_and_can_be_undone(
    tmp_path: Path, service: ModelService
) -> None:
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
        assert statuses(service) == ["scheduled", "scheduled"]
    async with opened(tmp_path, service) as workspace:
        workspace.undo_step(workspace.history[0].id)
        await settled(workspace)
        assert statuses(service) == ["cancelled", "scheduled"]
        workspace.redo()
        await settled(workspace)
        assert statuses(service) == ["scheduled", "scheduled"]


async def test_a_time_that_has_passed_is_no_time_to_schedule_again(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
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


@pytest.mark.parametrize("is_redone", [False, True], ids=["undone", "redone"])
async def test_a_replacement_is_undone_and_redone_whole_or_not_at_all(
    tmp_path: Path, service: ModelService, clock: HandClock, *, is_redone: bool
) -> None:
    account = service.add_account()
    early, late = START + HOUR, START + 5 * HOUR
    old_at, new_at = (late, early) if is_redone else (early, late)
    async with opened(tmp_path, service) as workspace:
        (old,) = workspace.plan([new_post(account, "Old", old_at)])
        await settled(workspace)
        (new,) = workspace.replace(old, [new_post(account, "New", new_at)])
        await settled(workspace)
        if is_redone:
            workspace.undo()
            await settled(workspace)
        clock.now = START + 2 * HOUR
        workspace.said.clear()
        (workspace.redo if is_redone else workspace.undo)()
        await settled(workspace)
        kept = old if is_redone else new
        assert stands(workspace, kept) == (PostStatus.SCHEDULED, late)
        assert sorted(statuses(service)) == ["cancelled", "scheduled"]
        done, post = ("redo", "New") if is_redone else ("undo", "Old")
        assert [one.text for one in workspace.said] == [
            f"Couldn't {done} “Replace post”. “{post}”: That time has passed."
        ]


async def test_only_the_newest_step_is_undone_by_its_number(tmp_path: Path, service: ModelService) -> None:
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
        workspace.undo()
        workspace.undo()
        workspace.undo_step(first)
        assert [entry.done for entry in workspace.history] == [False, False]
        assert workspace.said[-1].text == "That's already undone."
        await settled(workspace)


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


async def test_two_hundred_posts_move_in_one_step_one_transaction_and_one_notice(
    tmp_path: Path, service: ModelService
) -> None:
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


@settings(max_examples=8, database=None)
@given(faults=st.lists(FAULTS, min_size=8, max_size=8), breaks_after=st.integers(0, 12))
async def test_whatever_breaks_in_the_middle_both_agree_in_the_end(
    tmp_path_factory: pytest.TempPathFactory, faults: list[str], breaks_after: int
) -> None:
    folder = tmp_path_factory.mktemp("group")
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


async def test_a_group_that_is_partly_refused_says_once_which_and_why(
    tmp_path: Path, service: ModelService
) -> None:
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
