"""Refusals that can't be stored, or are stored slowly: the next start makes no call that was given up."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from app.contract.base import format_timestamp
from app.contract.enums import PostStatus
from app.workspace.clock import from_millis
from app.workspace.outbox.refusals import Refusal, load_refusals
from app.workspace.store.journal import Batch
from app.workspace.sync import link
from tests.workspace.failing_disk import busy, crashed, refusing
from tests.workspace.held_service import HeldService
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import QUICK, Opened, new_post, opened, settled, until
from tests.workspace.outbox.test_delivery_answers import (
    FullDisk,
    calls,
    hours_here,
    hours_there,
    known,
    shown_twice,
)
from tests.workspace.streaming_service import StreamingService
from tests.workspace.sync.test_stream import PATIENT

ONCE = replace(QUICK, backoff=600, backoff_max=600)
"""A change that couldn't be sent or stored isn't tried again in this test."""


@pytest.fixture
def service() -> HeldService:
    return HeldService(HandClock())


def shown(workspace: Opened) -> list[tuple[str, int, PostStatus]]:
    return sorted((post.key, post.at, post.status) for post in workspace.posts)


def waiting_writes(workspace: Opened) -> int:
    return workspace._core.database.load().waiting_writes


async def change(workspace: Opened, service: HeldService, what: str) -> str:
    """Make a change that the service refuses; return the key of its post."""
    (account,) = [connection["id"] for connection in service.connections]
    method = {"plan": "POST", "take back": "POST", "move": "PATCH", "cancel": "DELETE"}[what]
    service.faults.append((method, "refuse"))
    if method == "POST":
        with service.hold("POST", "/posts"):
            (key,) = workspace.plan([new_post(account)])
            await until(lambda: service.waiting)
            if what == "take back":
                workspace.cancel([key])
                await until(lambda: workspace.sync.saving == 0)
        return key
    (key,) = [post.key for post in workspace.posts]
    workspace.move({key: START + 2 * HOUR}) if what == "move" else workspace.cancel([key])
    return key


@pytest.mark.logs_error("a confirmation could not be kept")
@pytest.mark.parametrize("what", ["plan", "take back", "move", "cancel"])
async def test_a_refusal_that_could_not_be_stored_is_not_shown(
    tmp_path: Path, service: HeldService, what: str
) -> None:
    """Otherwise the user would schedule another copy, and the next start would make the first call again."""
    account = service.add_account()
    if what in ("move", "cancel"):
        service.add_post(account, START + HOUR)
    async with opened(tmp_path, service, pace=ONCE) as workspace:
        await until(lambda: account in workspace.accounts and workspace.sync.last_synced)
        async with refusing(workspace, "DELETE ON outbox"):
            key = await change(workspace, service, what)
            await until(lambda: key in workspace._outbox._failures)
            here, label = shown(workspace), workspace.undo_label
            assert workspace.sync.waiting == 1
            assert workspace.said == []
            copy = crashed(tmp_path)
    service.online = False
    async with opened(copy, service, pace=ONCE) as workspace:
        assert (shown(workspace), workspace.undo_label) == (here, label)
        assert workspace.sync.waiting == 1
        assert workspace.said == []


@pytest.mark.logs_error("a confirmation could not be kept")
@pytest.mark.parametrize("what", ["plan", "move", "cancel"])
async def test_a_refusal_is_shown_once_it_can_be_stored(
    tmp_path: Path, service: HeldService, what: str
) -> None:
    account = service.add_account()
    if what != "plan":
        service.add_post(account, START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: account in workspace.accounts and workspace.sync.last_synced)
        method = {"plan": "POST", "move": "PATCH", "cancel": "DELETE"}[what]
        async with refusing(workspace, "DELETE ON outbox"):
            service.faults += [(method, "refuse")] * 10_000
            key = await change(workspace, service, what)
            await until(lambda: workspace._outbox._failures.get(key, 0) > 2)
        await until(lambda: workspace.sync.waiting == 0)
        assert len(workspace.said) == 1
        here = shown(workspace)
        assert workspace.undo_label == ("Schedule post" if what == "plan" else None)
    service.faults.clear()
    made = calls(service, "POST", "PATCH", "DELETE")
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)
        assert shown(workspace) == here
        assert workspace.said == []
    assert calls(service, "POST", "PATCH", "DELETE") == made


async def changed_meanwhile(
    workspace: Opened, service: HeldService, what: str, do: Callable[[str], object]
) -> str:
    """Change a post again while the refusal of its first change is being stored."""
    method = {"plan": "POST", "take back": "POST", "move": "PATCH", "cancel": "DELETE"}[what]
    with service.hold(method, ""):
        key = await change_held(workspace, service, what, method)
        blocked = busy(workspace)
        await blocked.__aenter__()
    await until(lambda: waiting_writes(workspace))
    do(key)
    await blocked.__aexit__(None, None, None)
    return key


async def change_held(workspace: Opened, service: HeldService, what: str, method: str) -> str:
    (account,) = [connection["id"] for connection in service.connections]
    service.faults.append((method, "refuse"))
    if method == "POST":
        (key,) = workspace.plan([new_post(account)])
    else:
        (key,) = [post.key for post in workspace.posts]
        workspace.move({key: START + 2 * HOUR}) if what == "move" else workspace.cancel([key])
    await until(lambda: service.waiting)
    if what == "take back":
        workspace.cancel([key])
    await until(lambda: workspace.sync.saving == 0)
    return key


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("what", ["plan", "take back", "move", "cancel"])
async def test_a_change_made_while_a_refusal_is_stored_is_sent(
    tmp_path: Path, service: HeldService, what: str, *, restarts: bool
) -> None:
    account = service.add_account()
    if what in ("move", "cancel"):
        service.add_post(account, START + HOUR)
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: account in workspace.accounts and workspace.sync.last_synced)

        def again(key: str) -> None:
            if what == "move":
                workspace.move({key: START + 4 * HOUR})
            elif workspace.posts.get(key).status is PostStatus.CANCELLED:  # type: ignore[union-attr]
                assert workspace.schedule_again({key: START + 4 * HOUR}) == [key]
            else:
                workspace.move({key: START + 4 * HOUR})
            if restarts:
                service.faults += [(method, "timeout") for method in ("POST", "PATCH")] * 10_000

        key = await changed_meanwhile(workspace, service, what, again)
        if not restarts:
            await until(lambda: workspace.sync.waiting == 0)
            assert (hours_here(workspace), workspace.said) == ([4], [])
        else:
            await until(lambda: workspace.sync.saving == 0 and not waiting_writes(workspace))
    service.faults.clear()
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await settled(workspace)
        assert [(post.key, post.status) for post in workspace.posts] == [(key, PostStatus.SCHEDULED)]
        assert (hours_there(service), hours_here(workspace)) == ([4], [4])
        assert (workspace.said, workspace.undo_label is None) == ([], False)


async def test_a_new_time_is_tried_if_the_old_one_was_refused_after_a_crash(
    tmp_path: Path, service: HeldService
) -> None:
    """The create call had to be repeated as it was, but isn't what the user wants any more."""
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: account in workspace.accounts)
        service.faults += [("POST", "timeout")] * 10_000
        (key,) = workspace.plan([new_post(account)])
        await until(lambda: calls(service, "POST"))
        workspace.move({key: START + 3 * HOUR})
        await until(lambda: workspace.sync.saving == 0)
    service.faults[:] = [("POST", "refuse")]
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)
        assert calls(service, "POST")[-2:] == ["POST 1", "POST 3"]
        assert (hours_there(service), hours_here(workspace), workspace.said) == ([3], [3], [])


async def test_refusals_stored_at_the_same_time_are_all_stored(tmp_path: Path, service: HeldService) -> None:
    async with opened(tmp_path, service) as workspace:
        one, two = (Refusal(key, key, "moved", "", "") for key in ("one", "two"))
        async with busy(workspace):
            storing = [asyncio.create_task(workspace._refusals.store(each, Batch())) for each in (one, two)]
            await until(lambda: waiting_writes(workspace) >= len(storing))
        await asyncio.gather(*storing)
        assert await workspace._core.read(load_refusals) == (one, two)


@pytest.mark.logs_error("a confirmation could not be kept")
async def test_a_change_of_a_new_post_is_newer_than_that_of_its_listed_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer that shows that both are one post couldn't be stored at first."""
    service = ModelService(HandClock())
    service.add_account()
    async with opened(tmp_path, service) as workspace:
        key, copy = await shown_twice(workspace, service, 5)
        service.faults += [("PATCH", "timeout")] * 10_000
        workspace.move({copy: START + 7 * HOUR})
        await until(lambda: "PATCH 7" in calls(service, "PATCH"))
        disk = FullDisk(workspace, monkeypatch)
        service.faults[:] = [fault for fault in service.faults if fault[0] == "PATCH"]
        await disk.is_asked.wait()
        workspace.move({key: START + 9 * HOUR})
        disk.may_fail.set()
        await until(lambda: workspace.conflicts)  # the copy was moved elsewhere, too
        await until(lambda: not workspace._core.mirror.sending)  # what is being sent would arrive
        service.faults.clear()
        assert ([one.here.key for one in workspace.conflicts], hours_here(workspace)) == ([key], [9])
        workspace.keep_here([key])
        await settled(workspace)
        assert [post.key for post in workspace.posts] == [key]
        assert (hours_there(service), hours_here(workspace)) == ([9], [9])


async def follows(workspace: Opened) -> None:
    await known(workspace)
    await until(lambda: workspace.sync.followed)


async def test_a_cancellation_made_while_news_could_not_be_stored_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody resumed a post just after it was cancelled here. It would be published."""
    monkeypatch.setattr(link, "_CAUGHT_UP_S", 0)
    service = StreamingService(HandClock())
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await follows(workspace)
        workspace.cancel([key])
        await until(lambda: workspace.sync.waiting == 0 and not workspace._core.mirror.sending)
        disk = FullDisk(workspace, monkeypatch)
        service.posts[UUID(key)]["status"] = "scheduled"
        service.tell_post(key)
        await disk.is_asked.wait()
        workspace._outbox.hold([key], 600)
        workspace.cancel([key])
        await until(lambda: workspace.sync.saving == 0)
        service.faults += [("GET", "500")] * 10_000  # so the sync doesn't get the news again before that
        disk.may_fail.set()
        mirror = workspace._core.mirror
        await until(lambda: (base := mirror.base(key)) and base.status is PostStatus.CANCELLED)
        workspace._outbox.hold([key], 0)
        workspace._outbox.wake()
        await until(lambda: key in mirror.sending)
        await until(lambda: key not in mirror.sending)
        service.faults.clear()
        await until(lambda: workspace.sync.waiting == 0)
        assert calls(service, "DELETE") == ["DELETE", "DELETE"]
        assert service.posts[UUID(key)]["status"] == "cancelled"


async def test_a_late_move_is_taken_back_although_it_could_not_be_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call that takes it back must not count as made."""
    monkeypatch.setattr(link, "_CAUGHT_UP_S", 0)
    service = StreamingService(HandClock())
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await follows(workspace)
        service.faults += [("PATCH", "timeout")] * 10_000
        workspace.move({key: START + 2 * HOUR})
        await until(lambda: "PATCH 2" in calls(service, "PATCH"))
        service.faults.clear()
        workspace.move({key: START + 3 * HOUR})
        await until(lambda: workspace.sync.waiting == 0 and not workspace._core.mirror.sending)
        disk = FullDisk(workspace, monkeypatch)
        workspace._outbox.hold([key], 600)
        service.posts[UUID(key)]["scheduled_at"] = "2026-11-21T11:00:00.000Z"
        assert hours_there(service) == [2]
        service.tell_post(key)
        await disk.is_asked.wait()
        disk.may_fail.set()
        await until(lambda: hours_here(workspace) == [3])
        workspace._outbox.hold([key], 0)
        workspace._outbox.wake()
        await until(lambda: hours_there(service) == [3])
        await until(lambda: workspace.sync.waiting == 0)
        assert hours_here(workspace) == [3]


@pytest.mark.logs_error("a confirmation could not be kept")
async def test_a_refused_post_is_requested_even_if_its_undo_step_could_not_be_removed(
    tmp_path: Path, service: HeldService
) -> None:
    """The refusals of two posts, moved in one step, are stored at the same time."""
    account = service.add_account()
    keys = [service.add_post(account, START + HOUR) for _ in range(2)]
    seldom = replace(ONCE, everything=600, poll_active=600, poll_idle=600)
    async with opened(tmp_path, service, pace=seldom) as workspace:
        await until(lambda: len(workspace.posts) == 2 and workspace.sync.last_synced)
        async with refusing(workspace, "DELETE ON undo_steps"):
            service.faults += [("PATCH", "refuse")] * 2
            with service.hold("PATCH", ""):
                workspace.move(dict.fromkeys(keys, START + 2 * HOUR))
                await until(lambda: len(calls(service, "PATCH")) == 2 and not workspace.sync.saving)
                for key in keys:
                    service.posts[UUID(key)]["scheduled_at"] = format_timestamp(from_millis(START + 5 * HOUR))
                blocked = busy(workspace)
                await blocked.__aenter__()
            await until(lambda: waiting_writes(workspace) >= 2)
            await blocked.__aexit__(None, None, None)
            await until(lambda: workspace._outbox._failures)
            await until(lambda: hours_here(workspace) == [5, 5])
