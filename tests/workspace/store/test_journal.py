"""The journal, while new posts can't be written: nothing recorded meanwhile is forgotten."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from app.contract.base import format_timestamp
from app.contract.enums import PostStatus
from app.workspace.clock import from_millis
from app.workspace.messages import Message
from tests.workspace.failing_disk import accept, accepting, busy, refuse
from tests.workspace.held_service import HeldService
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import QUICK, Opened, new_post, opened, settled, until


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


def post_of(text: str) -> tuple[str, str]:
    """The writing of a new post with this text."""
    return "INSERT ON posts", f"NEW.description = '{text}'"


def move_to(at: int) -> tuple[str, str]:
    """The writing of a move to this time."""
    return "INSERT ON outbox", f"NEW.at = {at}"


@asynccontextmanager
async def writing_again(workspace: Opened, text: str) -> AsyncIterator[None]:
    """There is room for this post again. Within it, it's being written, and the disk takes its time."""
    async with busy(workspace, accepting(*post_of(text))):
        await until(lambda: workspace._core.database.load().waiting_writes)
        yield


@pytest.mark.parametrize("change", ["cancel", "move"])
async def test_a_change_during_the_second_write_of_a_new_post_is_kept(
    tmp_path: Path, service: ModelService, change: str
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        service.online = False
        await refuse(workspace, *post_of("One"))
        [key] = workspace.plan([new_post(account, "One")])
        await until(lambda: workspace.said)
        async with writing_again(workspace, "One"):
            if change == "cancel":
                workspace.cancel([key])
            else:
                workspace.move({key: START + 3 * HOUR})
        await until(lambda: not workspace.sync.saving)
        assert workspace.undo_label
    async with opened(tmp_path, service) as workspace:
        post = workspace.posts.get(key)
        assert post is not None
        if change == "cancel":
            assert post.status is PostStatus.CANCELLED
        else:
            assert (post.status, post.at) == (PostStatus.SCHEDULED, START + 3 * HOUR)
        assert [entry.label.doing for entry in workspace.history if key in entry.keys][1:], (
            "its planning, too"
        )
        service.online = True
        await settled(workspace)
        assert len(service.posts) == (change == "move")


async def test_a_new_post_that_fails_while_another_is_written_again_is_written_too(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        await refuse(workspace, *post_of("One"))
        await refuse(workspace, *post_of("Two"))
        [one] = workspace.plan([new_post(account, "One")])
        await until(lambda: workspace.said)
        [two] = workspace.plan([new_post(account, "Two", START + 2 * HOUR)])
        await accept(workspace, *post_of("One"))
        await asyncio.sleep(0.05)
        assert "The new post is saved now." not in [message.text for message in workspace.said]
        await accept(workspace, *post_of("Two"))
        await settled(workspace)
        assert workspace.said[-1].text == "The new post is saved now."
        assert sorted(post["description"] for post in service.posts.values()) == ["One", "Two"]
    async with opened(tmp_path, service) as workspace:
        assert {one, two} <= {post.key for post in workspace.posts}


async def test_a_new_post_whose_first_write_fails_during_the_second_write_of_another(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        await refuse(workspace, *post_of("One"))
        await refuse(workspace, *post_of("Two"))
        workspace.plan([new_post(account, "One")])
        await until(lambda: workspace.said)
        async with writing_again(workspace, "One"):
            [two] = workspace.plan([new_post(account, "Two", START + 2 * HOUR)])
        await until(lambda: len([told for told in workspace.said if "isn't saved yet" in told.text]) == 2)
        await accept(workspace, *post_of("Two"))
        await settled(workspace)
        assert len(service.posts) == 2
    async with opened(tmp_path, service) as workspace:
        assert two in workspace.posts


async def test_a_post_stays_replaced_while_its_replacement_is_not_saved(
    tmp_path: Path, service: ModelService
) -> None:
    """Otherwise both would be published."""
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        [old] = workspace.plan([new_post(account, "Old")])
        await settled(workspace)
        await refuse(workspace, *post_of("New"))
        workspace.replace(old, [new_post(account, "New", START + 2 * HOUR)])
        await until(lambda: workspace.said)
        await asyncio.sleep(0.05)
        await accept(workspace, *post_of("New"))
        await settled(workspace)
        statuses = {post["description"]: post["status"] for post in service.posts.values()}
        assert statuses.get("Old", "cancelled") == "cancelled"
        assert statuses["New"] == "scheduled"
        post = workspace.posts.get(old)
        assert post is None or post.status is PostStatus.CANCELLED


async def test_a_change_of_a_post_that_is_not_saved_yet_is_not_called_undone(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        await refuse(workspace, *post_of("One"))
        [key] = workspace.plan([new_post(account, "One")])
        workspace.move({key: START + 4 * HOUR})
        await until(lambda: workspace.said)
        await asyncio.sleep(0.05)
        await accept(workspace, *post_of("One"))
        await settled(workspace)
        assert not [told for told in workspace.said if "undone" in told.text]
        assert [post["scheduled_at"] for post in service.posts.values()]
        assert workspace.posts.all()[0].at == START + 4 * HOUR


class SlowDisk:
    """Takes its time after a change that couldn't be saved, so that what failed is read later."""

    def __init__(self, workspace: Opened) -> None:
        self.go = threading.Event()
        self._workspace = workspace
        self.is_slow = False
        workspace.listen_messages(self._slow_down)

    def _slow_down(self, message: Message) -> None:
        if "was undone" in message.text and not self.is_slow:
            self.is_slow = True
            self._workspace._core.database.submit(lambda _: self.go.wait(30))

    async def read(self) -> None:
        """Wait until what failed waits to be read."""
        await until(lambda: self.is_slow)
        await asyncio.sleep(0.02)


async def test_a_change_of_the_service_is_not_lost_when_a_failed_one_is_undone(
    tmp_path: Path, service: ModelService
) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    seldom = replace(QUICK, everything=600, poll_active=600, poll_idle=600)
    async with opened(tmp_path, service, pace=seldom) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        await settled(workspace)
        await refuse(workspace, *move_to(START + 2 * HOUR))
        disk = SlowDisk(workspace)
        workspace.move({key: START + 2 * HOUR})
        await disk.read()
        service.posts[UUID(key)]["scheduled_at"] = format_timestamp(from_millis(START + 5 * HOUR))
        refreshing = asyncio.create_task(workspace.refresh())
        await until(lambda: workspace.conflicts)
        disk.go.set()
        await refreshing
        await until(lambda: not workspace.sync.saving)
        assert [post.at for post in workspace.posts] == [START + 5 * HOUR]


async def test_a_change_that_is_stored_after_a_refusal_is_not_undone_with_its_first_write(
    tmp_path: Path,
) -> None:
    """Its first write failed, and is being undone when the service refuses the change before."""
    service = HeldService(HandClock())
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        await settled(workspace)
        await refuse(workspace, *move_to(START + 3 * HOUR))
        mirror, disk = workspace._core.mirror, SlowDisk(workspace)
        service.faults.append(("PATCH", "refuse"))
        with service.hold("PATCH", ""):
            workspace.move({key: START + 2 * HOUR})
            await until(lambda: service.waiting and not workspace.sync.saving)
            workspace.move({key: START + 3 * HOUR})
            await disk.read()
            again = accepting(*move_to(START + 3 * HOUR))
            workspace._core.database.submit(lambda connection: connection.exec_driver_sql(again))
            wish = mirror.intentions[key]
        await until(lambda: mirror.intentions.get(key) is not wish)
        disk.go.set()
        await until(lambda: not workspace.sync.saving)
        await settled(workspace)
        assert [post.at for post in workspace.posts] == [START + 3 * HOUR]
        assert service.posts[UUID(key)]["scheduled_at"] == format_timestamp(from_millis(START + 3 * HOUR))


async def test_undo_of_what_is_done_while_a_failed_change_is_undone_stays(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    failing, other = service.add_post(account, START + HOUR), service.add_post(account, START + 2 * HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 2)
        await settled(workspace)
        await refuse(workspace, *move_to(START + 3 * HOUR))
        disk = SlowDisk(workspace)
        workspace.move({failing: START + 3 * HOUR})
        await disk.read()
        workspace.move({other: START + 4 * HOUR})
        disk.go.set()
        await until(lambda: not workspace.sync.saving)
        assert [entry.keys for entry in workspace.history] == [{other}]
        await settled(workspace)
        assert [post.at for post in workspace.posts] == [START + HOUR, START + 4 * HOUR]


async def test_undo_of_a_new_post_that_is_not_saved_stays_when_a_failed_change_is_undone(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    key = service.add_post(account, START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        await settled(workspace)
        await refuse(workspace, *post_of("One"))
        await refuse(workspace, *move_to(START + 3 * HOUR))
        [new] = workspace.plan([new_post(account, "One", START + 2 * HOUR)])
        await until(lambda: workspace.said)
        workspace.move({key: START + 3 * HOUR})
        await until(lambda: workspace.posts.all()[0].at == START + HOUR)
        assert [entry.keys for entry in workspace.history] == [{new}]
        workspace.undo()
        await accept(workspace, *post_of("One"))
        await until(lambda: not workspace.sync.saving)
        post = workspace.posts.get(new)
        assert post is not None
        assert post.status is PostStatus.CANCELLED


async def test_a_new_post_that_is_saved_later_ends_redo(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()
    key = service.add_post(account, START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        workspace.move({key: START + 3 * HOUR})
        workspace.undo()
        await settled(workspace)
        await refuse(workspace, *post_of("One"))
        [new] = workspace.plan([new_post(account, "One", START + 2 * HOUR)])
        assert workspace.redo_label is None
        await until(lambda: workspace.said)
        await accept(workspace, *post_of("One"))
        await until(lambda: not workspace.sync.saving)
    async with opened(tmp_path, service) as workspace:
        assert workspace.redo_label is None
        assert [entry.keys for entry in workspace.history] == [{new}]


async def test_earlier_writes_end_although_the_disk_is_busy(tmp_path: Path, service: ModelService) -> None:
    """Otherwise the other tests would wait forever for what comes after one."""
    async with opened(tmp_path, service) as workspace:
        database, go = workspace._core.database, threading.Event()
        database.submit(lambda _: go.wait(30))
        earlier = database.submit(lambda _: None)
        asyncio.get_running_loop().call_soon(go.set)
        async with busy(workspace):
            await until(earlier.done)
