"""Failed posts of an account that was disconnected are listed once it's back, and never a second time."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from app.contract.base import format_timestamp
from app.contract.companion import Attempt
from app.contract.enums import PostStatus
from app.contract.posts import Post
from app.database import DatabaseError
from app.workspace.changes import Changes
from app.workspace.clock import from_millis
from app.workspace.connections.interruptions import can_be_repeated
from app.workspace.messages import Problem
from tests.workspace.failing_disk import busy, refusing
from tests.workspace.model_service import START, HandClock, ModelService, attempt
from tests.workspace.opened import QUICK, Opened, new_post, opened, settled, until

MINUTE = 60_000


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> ModelService:
    return ModelService(clock)


async def explained(workspace: Opened) -> None:
    """Waits until the reason of every failed post is known."""
    failed = [post.key for post in workspace.posts if post.status is PostStatus.FAILED]
    await until(lambda: all((post := workspace.posts.get(key)) and post.reason for key in failed))


async def interrupted(workspace: Opened, service: ModelService) -> list[str]:
    """Disconnect the account and connect it again; return the headlines of the posts that are listed."""
    for available in (False, True):
        for account in service.connections:
            account["is_available"] = available
        await workspace.refresh()
        await explained(workspace)
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
            await explained(workspace)
            found = await workspace.interruptions.ended()
            return [post.headline for interruption in found for post in interruption.posts]

        assert await listed(0, one=False, another=True) == []
        assert await listed(1, one=True, another=True) == ["Once"]
        assert await listed(8, one=False, another=False) == []
        service.add_post(other, START + 9 * MINUTE, "Other", "failed")
        assert await listed(10, one=False, another=True) == ["Other"]
        assert await listed(11, one=True, another=True) == []


async def reconnected(workspace: Opened, service: ModelService) -> None:
    """Disconnect the account, and connect it again without asking what failed."""
    (account,) = service.connections
    account["is_available"] = False
    await workspace.refresh()
    assert await workspace.interruptions.ended() == []
    account["is_available"] = True
    await workspace.refresh()


async def test_posts_are_listed_once_their_reasons_are_known(tmp_path: Path, service: ModelService) -> None:
    """Also if there are so many that the reasons of some are only requested for that."""
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)
        service.offers, service.attempts = ("attempts",), {}
        for number in range(30):
            key = service.add_post(account, START - MINUTE - number, f"{number}", "failed")
            service.attempts[UUID(key)] = [attempt(key, "unknown" if number == 29 else "refused")]
        await reconnected(workspace, service)
        unexplained = [post for post in workspace.posts if not post.reason]
        assert len(unexplained) >= 10
        assert not any(map(can_be_repeated, unexplained))
        assert await workspace.interruptions.ended() == []
        await explained(workspace)
        (one,) = await workspace.interruptions.ended()
        assert sorted(int(post.headline) for post in one.posts) == [*range(29)], "the last may be live"
        assert await workspace.interruptions.ended() == []


async def test_an_interruption_that_could_not_be_stored_is_listed_again(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    service.add_post(account, START - MINUTE, "Once", "failed")
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)
        await explained(workspace)
        await reconnected(workspace, service)
        async with refusing(workspace, "INSERT ON settings", "NEW.name = 'offered_again'"):
            with pytest.raises(Problem):
                await workspace.interruptions.ended()
        (one,) = await workspace.interruptions.ended()
        assert [post.headline for post in one.posts] == ["Once"]


async def test_an_explanation_that_could_not_be_stored_is_not_shown(
    tmp_path: Path, service: ModelService
) -> None:
    """After a restart, nobody would know that the post may be live."""
    key = service.add_post(service.add_account(), START - MINUTE, "Once", "failed")
    service.offers, service.attempts = ("attempts",), {UUID(key): [attempt(key, "unknown")]}
    async with opened(tmp_path, service) as workspace:
        async with refusing(workspace, "UPDATE OF reason ON posts", "NEW.reason <> ''"):
            await workspace.refresh()
            asked = len(service.requests)
            await until(lambda: any("attempts" in one.url.path for one in service.requests[asked:]))
            await workspace.refresh()
            post = workspace.posts.get(key)
            assert post is not None
            assert (post.reason, can_be_repeated(post)) == ("", False)
        await explained(workspace)
        post = workspace.posts.get(key)
        assert post is not None
        assert post.may_be_live


async def test_a_reason_that_cannot_be_stored_is_not_requested_all_the_time(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    service.offers, service.attempts = ("attempts",), {}
    async with opened(tmp_path, service, pace=replace(QUICK, save_again=600)) as workspace:
        await settled(workspace)

        def requested() -> int:
            return len([one for one in service.requests if one.url.path.endswith("/attempts")])

        async with refusing(workspace, "UPDATE OF reason ON posts", "NEW.reason <> ''"):
            service.add_post(account, START - MINUTE, "Once", "failed")
            await workspace.refresh()
            await until(requested)
            for _ in range(5):
                await workspace._sync._round()
            assert requested() == 1


async def test_no_reason_is_requested_just_after_one_of_an_opened_post_could_not_be_stored(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service, pace=replace(QUICK, save_again=600)) as workspace:
        explanations = workspace._sync.explanations
        key = service.add_post(account, START - MINUTE, "Once", "failed")
        await settled(workspace)
        await explained(workspace)
        attempts = [Attempt.model_validate(attempt(key, "unknown", "No answer."))]
        async with refusing(workspace, "UPDATE OF reason ON posts"):
            with pytest.raises(DatabaseError):
                await explanations.take(key, attempts)
            explanations.add(key)
            assert not explanations.are_wanted


@pytest.mark.parametrize("save_again", [600, 0.01])
async def test_posts_in_inboxes_are_noted_a_while_after_that_could_not_be_stored(
    tmp_path: Path, service: ModelService, save_again: float
) -> None:
    key = service.add_post(service.add_account("tiktok"), START - MINUTE, "Wool", "processing")
    async with opened(tmp_path, service, pace=replace(QUICK, save_again=save_again)) as workspace:
        await settled(workspace)
        explanations = workspace._sync.explanations
        async with refusing(workspace, "UPDATE OF reason ON posts", "NEW.reason <> ''"):
            with pytest.raises(DatabaseError):
                await explanations.take_inboxes([UUID(key)])
        noting = asyncio.create_task(explanations.take_inboxes([UUID(key)]))
        if save_again < 1:
            await noting
        else:
            await asyncio.sleep(0)
            await workspace._core.write(lambda _connection: None)  # after its write, if it made one
        post = workspace.posts.get(key)
        assert post is not None
        assert post.is_in_inbox == (save_again < 1)
        noting.cancel()


async def test_a_post_that_changes_while_its_reason_is_stored_gets_its_reason(
    tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)
        intake, mirror = workspace._sync._intake, workspace._core.mirror
        explain, changed = intake.explain, list[str]()

        async def explain_slowly(keys: Iterable[str], reason: str, *, may_be_live: bool) -> None:
            if changed:
                await explain(keys, reason, may_be_live=may_be_live)
                return
            changed.extend(keys)
            post = service.posts[UUID(changed[0])]
            async with busy(workspace):
                storing = asyncio.ensure_future(explain(changed, reason, may_be_live=may_be_live))
                await asyncio.sleep(0)
                post["scheduled_at"] = format_timestamp(from_millis(START - 2 * MINUTE))
                hearing = asyncio.ensure_future(intake.hear(Post.model_validate(post)))
                await until(lambda: (base := mirror.base(changed[0])) and base.at == START - 2 * MINUTE)
            await asyncio.gather(storing, hearing)

        monkeypatch.setattr(intake, "explain", explain_slowly)
        service.add_post(account, START - MINUTE, "Once", "failed")
        await workspace.refresh()
        await until(lambda: changed)
        await explained(workspace)


async def test_an_interruption_has_ended_once_the_unexplained_post_is_removed(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)
        service.offers, service.attempts = ("attempts",), {}
        async with refusing(workspace, "UPDATE OF reason ON posts", "NEW.reason <> ''"):
            key = service.add_post(account, START - MINUTE, "Once", "failed")
            await reconnected(workspace, service)
            assert await workspace.interruptions.ended() == []
            assert workspace.interruptions.may_have_ended(Changes(removed=frozenset((key,))))
