"""Posts are requested before they're changed, unless the change stream is up to date."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

import pytest

from app.client import ServiceClient
from app.contract.base import format_timestamp, parse_timestamp
from app.contract.enums import PostStatus
from app.workspace.clock import from_millis, to_millis
from app.workspace.sync import link
from tests.workspace.held_service import HeldService
from tests.workspace.model_service import HOUR, START, HandClock
from tests.workspace.opened import Opened, new_post, opened, settled, until
from tests.workspace.streaming_service import StreamingService


@dataclass
class HeldStreamingService(StreamingService, HeldService):
    """Reports changes while responses to calls are held back."""

    def client(self) -> ServiceClient:
        return HeldService.client(self)


async def test_a_post_deleted_while_it_is_requested_does_not_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "_CAUGHT_UP_S", math.inf)  # so that the post is requested before the move

    service = HeldStreamingService(HandClock())
    key = service.add_post(service.add_account(), START + HOUR)
    (post_id,) = service.posts
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1 and service.open)
        with service.hold("GET", str(post_id)):
            service.posts[post_id]["title"] = "Changed"
            workspace.move({key: START + 2 * HOUR})
            await until(lambda: service.waiting)
            del service.posts[post_id]
            service.tell_post(str(post_id))
            await until(lambda: not list(workspace.posts))
        await settled(workspace)
        assert list(workspace.posts) == []


async def test_a_list_requested_before_a_cancellation_that_was_looked_up_does_not_bring_it_back(
    tmp_path: Path,
) -> None:
    """The list is slow; the calls that cancel get no answer, and a later request finds the post cancelled."""
    service = HeldService(HandClock())
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        with service.hold("GET", "/api/v1/posts"):
            await until(lambda: service.waiting)
            service.faults += [("DELETE", "timeout"), ("DELETE", "lose")]
            workspace.cancel([key])
            await until(lambda: workspace.sync.waiting == 0)
            seen: list[bool] = []
            workspace.listen(
                lambda _: seen.extend(post.status is PostStatus.CANCELLED for post in workspace.posts)
            )
            before = len(service.requests)
        await until(lambda: len(service.requests) > before + 3)
        await settled(workspace)
        assert all(seen)
    assert service.posts[UUID(key)]["status"] == "cancelled"
    assert [one.method for one in service.requests if one.method == "PATCH"] == []


_LATER: Final = START + 5 * HOUR
_CHANGES: Final[Mapping[str, dict[str, str]]] = {
    "moved": {"scheduled_at": format_timestamp(from_millis(_LATER))},
    "cancelled": {"status": "cancelled"},
    "published": {"status": "posted", "posted_at": format_timestamp(from_millis(START + HOUR))},
    "deleted": {},
}
"""By name, what somebody else does to a post."""


def shown(workspace: Opened) -> list[tuple[str, int, str]]:
    return sorted((post.headline, post.at, post.status.value) for post in workspace.posts)


def stored(service: HeldStreamingService) -> list[tuple[str, int, str]]:
    return sorted(
        (post["description"], to_millis(parse_timestamp(post["scheduled_at"])), post["status"])
        for post in service.posts.values()
    )


async def change_elsewhere(service: HeldStreamingService, workspace: Opened, change: str) -> UUID:
    """Change the first post, and wait until the workspace has heard of it."""
    post_id = next(iter(service.posts))
    if change == "deleted":
        del service.posts[post_id]
    else:
        service.posts[post_id] |= _CHANGES[change]
    service.tell_post(str(post_id))
    await until(lambda: workspace._sync.stream.position == str(len(service.told)))
    return post_id


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("change", _CHANGES)
async def test_a_slow_answer_to_a_create_call_hides_no_later_change(
    tmp_path: Path, change: str, count: int
) -> None:
    service = HeldStreamingService(HandClock())
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.sync.followed and workspace.sync.last_synced)
        with service.hold("POST", "/bulk" if count > 1 else "/posts"):
            workspace.plan([new_post(account, f"Post {number}") for number in range(count)])
            await until(lambda: service.waiting)
            await change_elsewhere(service, workspace, change)
        await until(lambda: workspace.sync.waiting == 0)
        await until(lambda: shown(workspace) == stored(service), patience=5)
        await until(lambda: bool(workspace.drafts.all()) == (change == "deleted"), patience=5)


async def test_a_new_post_moved_elsewhere_is_not_shown_twice(tmp_path: Path) -> None:
    """Otherwise, it could be cancelled here and moved there, and nobody would know what is wanted."""
    service = HeldStreamingService(HandClock())
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.sync.followed and workspace.sync.last_synced)
        with service.hold("POST", "/posts"):
            (key,) = workspace.plan([new_post(account)])
            await until(lambda: service.waiting)
            post_id = await change_elsewhere(service, workspace, "moved")
            await workspace.refresh()
            assert [post.key for post in workspace.posts] == [key]
            workspace.cancel([key])
        await until(lambda: workspace.conflicts, patience=5)
        assert [conflict.there.at for conflict in workspace.conflicts] == [_LATER]
        assert service.posts[post_id]["status"] == "scheduled"


@pytest.mark.parametrize("is_refused", [False, True])
@pytest.mark.parametrize("is_deleted", [False, True])
async def test_a_post_of_somebody_else_that_looks_like_a_new_one_is_shown_after_the_answer(
    tmp_path: Path, *, is_refused: bool, is_deleted: bool
) -> None:
    service = HeldStreamingService(HandClock())
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.sync.followed and workspace.sync.last_synced)
        service.faults += [("POST", "refuse")] if is_refused else []
        with service.hold("POST", "/posts"):
            (own,) = workspace.plan([new_post(account)])
            await until(lambda: service.waiting)
            theirs = service.add_post(account, _LATER, "Hello")
            service.tell_post(theirs)
            await until(lambda: workspace._sync.stream.position == str(len(service.told)))
            assert [post.key for post in workspace.posts] == [own]
            if is_deleted:
                del service.posts[UUID(theirs)]
        await until(lambda: not workspace._core.mirror.foretold, patience=5)
        await until(lambda: workspace.sync.waiting == 0)
        expected = {own} if is_deleted else {own, theirs}
        await until(lambda: {post.key for post in workspace.posts} == expected, patience=5)


async def test_after_a_restart_changes_of_a_new_post_are_reported_again(tmp_path: Path) -> None:
    """What was reported of it wasn't stored, and the answer to the repeated call may be older."""
    service = HeldStreamingService(HandClock())
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.sync.followed and workspace.sync.last_synced)
        with service.hold("POST", "/posts"):
            workspace.plan([new_post(account)])
            await until(lambda: service.waiting)
            post_id = await change_elsewhere(service, workspace, "moved")
            await workspace._sync.save()
            await workspace.close()
    with service.hold("POST", "/posts"):
        async with opened(tmp_path, service) as workspace:
            told = workspace._core.mirror.foretold
            await until(lambda: (post := told.get(str(post_id))) and post.at == _LATER, patience=5)


async def test_after_a_slow_answer_to_a_create_call_no_move_overrides_an_unseen_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "_CAUGHT_UP_S", 0)  # so that posts aren't requested before every move

    service = HeldStreamingService(HandClock())
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.sync.followed and workspace.sync.last_synced)
        with service.hold("POST", "/posts"):
            (key,) = workspace.plan([new_post(account)])
            await until(lambda: service.waiting)
            workspace.move({key: START + 2 * HOUR})
            post_id = await change_elsewhere(service, workspace, "moved")
        await until(lambda: workspace.conflicts, patience=5)
        assert [conflict.there.at for conflict in workspace.conflicts] == [_LATER]
        assert service.posts[post_id]["scheduled_at"] == _CHANGES["moved"]["scheduled_at"]


async def test_a_move_made_while_a_refused_one_is_looked_up_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "_CAUGHT_UP_S", 0)  # so that posts aren't requested before every move

    service = HeldStreamingService(HandClock())
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.sync.followed and workspace.sync.last_synced)
        service.faults.append(("PATCH", "refuse"))
        with service.hold("GET", str(next(iter(service.posts)))):
            workspace.move({key: START + 2 * HOUR})
            await until(lambda: service.waiting)
            assert not service.faults  # the move was refused, and the post is looked up
            workspace.move({key: _LATER})
        await settled(workspace)
        assert [at for _, at, _ in shown(workspace)] == [at for _, at, _ in stored(service)] == [_LATER]


async def test_a_post_is_kept_as_a_list_told_it_until_it_can_be_requested(tmp_path: Path) -> None:
    """The app may end before it has requested the post."""

    service = HeldStreamingService(HandClock())
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.sync.followed and workspace.sync.last_synced)
        with service.hold("POST", "/posts"):
            workspace.plan([new_post(account)])
            await until(lambda: service.waiting)
            post_id = await change_elsewhere(service, workspace, "moved")
            service.held.append(("GET", str(post_id), True))
        await until(lambda: workspace.sync.waiting == 0)
        service.online = False
    async with opened(tmp_path, service) as workspace:
        assert shown(workspace) == stored(service)
