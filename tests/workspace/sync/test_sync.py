"""Keeping up with the service."""

import asyncio
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from app.contract.base import format_timestamp
from app.contract.enums import PostStatus
from app.database import DatabaseError
from app.workspace.clock import from_millis
from app.workspace.messages import Problem
from app.workspace.outbox.intention import Wanted
from app.workspace.outbox.unanswered import LateCall, Unanswered
from app.workspace.sync.stream import load_position
from tests.workspace.behind_proxy import BehindProxy
from tests.workspace.failing_disk import refusing
from tests.workspace.held_service import HeldService
from tests.workspace.model_service import HOUR, START, HandClock, ModelService, attempt
from tests.workspace.opened import QUICK, new_post, opened, settled, until


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> ModelService:
    return ModelService(clock)


async def test_all_pages_come_and_are_there_at_once_after_a_restart(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    for n in range(230):
        service.add_post(account, START + n * HOUR, f"post {n}")
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 230)
        assert [post.headline for post in workspace.posts] == [f"post {n}" for n in range(230)]
    service.online = False
    async with opened(tmp_path, service) as workspace:
        assert len(workspace.posts) == 230
        assert [account.name for account in workspace.accounts.values()] == ["Account 1"]
        assert not workspace.sync.connected


async def test_a_service_that_publishes_nothing_for_its_clock_is_told_of_until_it_does(
    tmp_path: Path, service: ModelService
) -> None:
    service.offers = ("media",)
    async with opened(tmp_path, service, pace=replace(QUICK, health=0.02)) as workspace:
        await until(lambda: workspace.sync.last_synced)
        told = [workspace.sync.problem]
        service.clock_ahead_seconds = -3_600
        await until(lambda: workspace.sync.problem)
        assert workspace.sync.connected
        told.append(workspace.sync.problem)
        assert told[0] is None
        assert told[1] == (
            "The service isn't publishing: its clock is 3,600 seconds off. Ask its administrator "
            "to sync the clock with NTP."
        )
        service.clock_ahead_seconds = None
        await until(lambda: not workspace.sync.problem)


async def test_what_others_add_and_delete_is_noticed(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()
    first = service.add_post(account, START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: first in workspace.posts)
        second = service.add_post(account, START + 2 * HOUR)
        await until(lambda: second in workspace.posts)
        del service.posts[UUID(first)]
        await until(lambda: first not in workspace.posts)
        assert any(first in changes.removed for changes in workspace.heard)


async def test_a_due_post_turns_posted_soon(tmp_path: Path, service: ModelService, clock: HandClock) -> None:
    account = service.add_account()
    key = service.add_post(account, START + HOUR)
    for n in range(150):  # the due post is not on the newest page
        service.add_post(account, START + 100 * HOUR, f"later {n}")
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 151)
        clock.now = START + HOUR + 1
        posted = {"status": "posted", "posted_at": format_timestamp(from_millis(clock.now))}
        service.posts[UUID(key)] |= posted
        await until(lambda: (post := workspace.posts.get(key)) and post.published)
        assert workspace.refusal(key, START + 9 * HOUR) == "It's already published."


async def test_a_failure_is_told_in_the_platforms_words(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()
    refused, unknown = (service.add_post(account, START - HOUR, status="failed") for _ in range(2))
    service.attempts = {
        UUID(refused): [attempt(refused, "refused", "Duplicate content", "Change the text.")],
        UUID(unknown): [attempt(unknown, "unknown", None, None)],
    }
    async with opened(tmp_path, service) as workspace:
        await until(lambda: all(post.reason for post in workspace.posts) and len(workspace.posts) == 2)
        post = workspace.posts.get(refused)
        assert post
        assert (post.reason, post.may_be_live) == ("Duplicate content. Change the text.", False)
        other = workspace.posts.get(unknown)
        assert other
        assert other.may_be_live
        assert "possibly published" in other.reason
        assert workspace.practice
        assert (await workspace.detail(refused)).attempts


async def test_a_post_whose_attempts_only_a_proxy_did_not_find_may_be_live(
    tmp_path: Path, clock: HandClock
) -> None:
    service = BehindProxy(clock, attempts={})
    key = service.add_post(service.add_account(), START - HOUR, status="failed")
    service.attempts = {UUID(key): [attempt(key, "unknown")]}
    service.pages.append(("GET", "/attempts"))
    async with opened(tmp_path, service) as workspace:
        await until(lambda: (post := workspace.posts.get(key)) and post.reason)
        assert not service.pages
        assert workspace.posts.all()[0].may_be_live


async def test_without_the_companion_a_failure_has_a_sentence_too(
    tmp_path: Path, service: ModelService
) -> None:
    service.add_post(service.add_account(), START - HOUR, status="failed")
    async with opened(tmp_path, service) as workspace:
        await until(lambda: [post.reason for post in workspace.posts] == ["The service didn't say why."])


async def test_an_unknown_status_is_shown_and_left_alone(tmp_path: Path, service: ModelService) -> None:
    key = service.add_post(service.add_account(), START + HOUR, status="dreaming")
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        assert workspace.posts.all()[0].status == "dreaming"
        assert "dreaming" in (workspace.refusal(key, START + 2 * HOUR) or "")


@pytest.mark.parametrize("never", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"])
async def test_what_a_service_writes_for_never_is_a_time_in_every_zone(
    tmp_path: Path, service: ModelService, never: str
) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    service.posts[UUID(key)]["scheduled_at"] = never
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        at = workspace.posts.all()[0].at / 1_000
        years = [datetime.fromtimestamp(at, ZoneInfo(zone)).year for zone in ("Etc/GMT-14", "Etc/GMT+12")]
        assert years == [int(never[:4])] * 2


async def test_a_post_published_at_once_turns_posted(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        (key,) = workspace.plan([new_post(account, at=None)])
        await settled(workspace)
        (post,) = service.posts.values()
        assert post["status"] == "queued"
        post |= {"status": "posted", "posted_at": format_timestamp(from_millis(clock.now))}
        await until(lambda: (own := workspace.posts.get(key)) and own.status is PostStatus.POSTED)


async def test_accounts_keep_their_colours(tmp_path: Path, service: ModelService) -> None:
    first, second = service.add_account(), service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.accounts) == 2)
        colours = {key: account.color_index for key, account in workspace.accounts.items()}
        assert list(colours) == [first, second]
        gone = service.connections.pop(0)
        await until(lambda: len(workspace.accounts) == 1)
        service.add_account()
        await until(lambda: len(workspace.accounts) == 2)
        service.connections.append(gone)
        await until(lambda: len(workspace.accounts) == 3)
        assert workspace.accounts[first].color_index == colours[first]
        assert len({account.color_index for account in workspace.accounts.values()}) == 3


async def test_a_refresh_that_fails_says_so(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        service.online = False
        with pytest.raises(Problem, match="can't be reached") as caught:
            await workspace.refresh()
        assert caught.value.kind == "unreachable"


async def test_everything_is_listed_again_if_the_app_ends_while_it_is_listed(tmp_path: Path) -> None:
    """The calendar would otherwise be incomplete until the next list of everything, an hour later."""
    service = HeldService(HandClock())
    service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        with service.hold("GET", "/posts"):
            await until(lambda: service.waiting)
            await workspace._sync.save()
            assert not (await workspace._core.read(load_position)).listed
        await until(lambda: workspace.sync.last_synced)
        await workspace._sync.save()
        assert (await workspace._core.read(load_position)).listed
        with service.hold("GET", "/posts"):
            listing = asyncio.create_task(workspace.refresh())
            await until(lambda: service.waiting)
            await workspace._sync.save()
            assert not (await workspace._core.read(load_position)).listed
        await listing
        assert (await workspace._core.read(load_position)).listed


async def test_a_lost_post_is_only_said_to_be_lost_once_that_is_stored(
    tmp_path: Path, service: ModelService
) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service, pace=replace(QUICK, poll_idle=600, poll_active=600)) as workspace:
        await settled(workspace)
        workspace._outbox.hold([key], 600)
        workspace.move({key: START + 2 * HOUR})
        await until(lambda: workspace.sync.saving == 0)
        service.posts.clear()
        async with refusing(workspace, "DELETE ON posts"):
            with pytest.raises(Problem):
                await workspace.refresh()
            assert [message.text for message in workspace.said] == []
        await workspace.refresh()
        assert "“text” wasn't moved: it no longer exists." in [message.text for message in workspace.said]


async def test_a_lost_post_that_could_not_be_removed_keeps_its_late_calls(
    tmp_path: Path, service: ModelService
) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)
        mirror, late = workspace._core.mirror, Wanted(START + 2 * HOUR, cancelled=False)
        mirror.await_late([Unanswered(key, late, (LateCall(late, START + HOUR),))])
        async with refusing(workspace, "DELETE ON posts"):
            with pytest.raises(DatabaseError):
                await workspace._salvage.remove([key])
        assert mirror.late(key) == (late,)
