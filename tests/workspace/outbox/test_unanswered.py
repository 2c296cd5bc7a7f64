"""Calls whose answers never came: what they do later doesn't win, and is nobody else's wish."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.contract.base import parse_timestamp
from app.contract.enums import PostStatus
from app.contract.posts import Post
from app.workspace.clock import to_millis
from app.workspace.outbox.unanswered import MAY_ARRIVE_MS
from app.workspace.posts import mirror
from app.workspace.posts.planned import SyncState
from tests.workspace.held_service import HeldService
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import QUICK, Opened, new_post, opened, settled, until
from tests.workspace.outbox.test_delivery_answers import shown_twice


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


def at_hour(hour: int) -> str:
    return f"2026-11-21T{hour:02}:00:00.000Z"


def wait(service: ModelService, millis: int) -> None:
    assert isinstance(service.clock, HandClock)
    service.clock.now += millis


async def move_unanswered(workspace: Opened, service: ModelService, key: str, hours: int) -> None:
    """Moves a post; the call reaches the service and is neither done nor answered."""
    service.faults += [("PATCH", "timeout")] * 10_000
    workspace.move({key: START + hours * HOUR})
    await until(lambda: asked_for(service) == at_hour(9 + hours))
    service.faults.clear()


async def move_twice(workspace: Opened, service: ModelService, key: str) -> None:
    """Moves a post to 2 hours, which may still be carried out, and then to 3 hours, which is confirmed."""
    await until(lambda: len(workspace.posts) == 1)
    await move_unanswered(workspace, service, key, 2)
    workspace.move({key: START + 3 * HOUR})
    await until(lambda: workspace.sync.waiting == 0)


def asked_for(service: ModelService) -> str:
    """The time of the newest move that reached the service."""
    moves = [request for request in service.requests if request.method == "PATCH"]
    return str(json.loads(moves[-1].content)["scheduled_at"]) if moves else ""


def there_at(service: ModelService) -> int:
    (post,) = service.posts.values()
    return to_millis(parse_timestamp(post["scheduled_at"]))


async def test_a_call_that_is_carried_out_after_a_later_one_does_not_win(
    tmp_path: Path, service: ModelService
) -> None:
    """Its answer never came, the person changed their mind, and then a slow service does the old thing."""

    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        # Each of them, or the first move would be tried again, and done.
        service.faults += [("PATCH", "timeout")] * 10_000
        workspace.move({key: START + 2 * HOUR})
        await until(lambda: asked_for(service) == "2026-11-21T11:00:00.000Z")
        workspace.move({key: START + 3 * HOUR})
        await until(lambda: asked_for(service) == "2026-11-21T12:00:00.000Z")
        service.faults.clear()
        await until(lambda: workspace.sync.waiting == 0)
        (post,) = service.posts.values()
        post["scheduled_at"] = "2026-11-21T11:00:00.000Z"
        await until(lambda: post["scheduled_at"] == "2026-11-21T12:00:00.000Z")
        await settled(workspace)
        assert [one.at for one in workspace.posts] == [START + 3 * HOUR]
        assert workspace.said == []


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_repeated_move_that_is_carried_out_after_a_later_one_does_not_win(
    tmp_path: Path, service: ModelService, *, restarts: bool
) -> None:
    """The first of two equal calls is still on its way when the second is long done, and another after it."""

    async def story() -> None:
        key = service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service) as workspace:
            await until(lambda: len(workspace.posts) == 1)
            service.faults.append(("PATCH", "timeout"))
            workspace.move({key: START + 2 * HOUR})
            await until(lambda: there_at(service) == START + 2 * HOUR and workspace.sync.waiting == 0)
            workspace.move({key: START + 3 * HOUR})
            await until(lambda: there_at(service) == START + 3 * HOUR and workspace.sync.waiting == 0)
            if not restarts:
                await carried_out_late(workspace)
        if restarts:
            async with opened(tmp_path, service) as workspace:
                await carried_out_late(workspace)

    async def carried_out_late(workspace: Opened) -> None:
        (post,) = service.posts.values()
        wait(service, 45_000)
        post["scheduled_at"] = at_hour(11)
        await until(lambda: post["scheduled_at"] == at_hour(12))
        await settled(workspace)
        assert [one.at for one in workspace.posts] == [START + 3 * HOUR]
        post["scheduled_at"] = at_hour(11)  # a call is carried out once, so this is somebody else's wish
        await until(lambda: [one.at for one in workspace.posts] == [START + 2 * HOUR])
        await settled(workspace)
        assert post["scheduled_at"] == at_hour(11)
        assert workspace.said == []

    await story()


@pytest.mark.parametrize("restarts", [False, True])
async def test_two_equal_moves_that_are_carried_out_after_a_later_one_do_not_win(
    tmp_path: Path, service: ModelService, *, restarts: bool
) -> None:
    """A move gets no answer twice, and both calls arrive late."""

    async def story() -> None:
        key = service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service) as workspace:
            await until(lambda: len(workspace.posts) == 1)
            service.faults += [("PATCH", "timeout")] * 2
            workspace.move({key: START + 2 * HOUR})
            await until(lambda: there_at(service) == START + 2 * HOUR and workspace.sync.waiting == 0)
            workspace.move({key: START + 3 * HOUR})
            await until(lambda: there_at(service) == START + 3 * HOUR and workspace.sync.waiting == 0)
            if not restarts:
                await carried_out_late(workspace)
        if restarts:
            async with opened(tmp_path, service) as workspace:
                await carried_out_late(workspace)

    async def carried_out_late(workspace: Opened) -> None:
        (post,) = service.posts.values()
        for _ in range(2):
            post["scheduled_at"] = at_hour(11)
            await until(lambda: post["scheduled_at"] == at_hour(12))
            await settled(workspace)
            assert [one.at for one in workspace.posts] == [START + 3 * HOUR]
        post["scheduled_at"] = at_hour(11)  # no call is left, so this is somebody else's wish
        await until(lambda: [one.at for one in workspace.posts] == [START + 2 * HOUR])
        assert workspace.said == []

    await story()


@pytest.mark.parametrize("fault", ["unreachable", "429"])
async def test_a_call_that_was_never_carried_out_is_not_expected_later(
    tmp_path: Path, service: ModelService, fault: str
) -> None:
    """There was no connection, or the service refused the call: the same state is somebody else's wish."""

    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        service.faults.append(("PATCH", fault))
        workspace.move({key: START + 2 * HOUR})
        await until(lambda: there_at(service) == START + 2 * HOUR and workspace.sync.waiting == 0)
        workspace.move({key: START + 3 * HOUR})
        await until(lambda: there_at(service) == START + 3 * HOUR and workspace.sync.waiting == 0)
        (post,) = service.posts.values()
        post["scheduled_at"] = at_hour(11)
        await until(lambda: [one.at for one in workspace.posts] == [START + 2 * HOUR])
        await settled(workspace)
        assert post["scheduled_at"] == at_hour(11)


async def test_a_move_that_is_carried_out_after_its_repeat_was_refused_does_not_win(
    tmp_path: Path, service: ModelService
) -> None:
    """The user was told that the post wasn't moved."""

    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        service.faults += [("PATCH", "timeout"), ("PATCH", "refuse")]
        workspace.move({key: START + 2 * HOUR})
        await until(lambda: workspace.said)
        await settled(workspace)
        (post,) = service.posts.values()
        post["scheduled_at"] = at_hour(11)
        await until(lambda: post["scheduled_at"] == at_hour(10))
        await settled(workspace)
        assert [one.at for one in workspace.posts] == [START + HOUR]


async def test_a_late_move_does_not_bring_a_cancelled_post_back(
    tmp_path: Path, service: ModelService
) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        await move_unanswered(workspace, service, key, 2)
        await until(lambda: workspace.sync.waiting == 0)
        workspace.cancel([key])
        await until(lambda: workspace.sync.waiting == 0)
        (post,) = service.posts.values()
        post |= {"scheduled_at": at_hour(11), "status": "scheduled"}
        await until(lambda: post["status"] == "cancelled")
        await settled(workspace)
        assert [one.status for one in workspace.posts] == [PostStatus.CANCELLED]


async def test_a_move_of_somebody_else_is_theirs_once_no_call_can_be_late(
    tmp_path: Path, service: ModelService
) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        await move_unanswered(workspace, service, key, 2)
        workspace.move({key: START + 3 * HOUR})
        await until(lambda: workspace.sync.waiting == 0)
        wait(service, MAY_ARRIVE_MS + 60_000)
        await workspace.refresh()  # whatever was carried out by now is known
        (post,) = service.posts.values()
        post["scheduled_at"] = at_hour(11)
        await until(lambda: [one.at for one in workspace.posts] == [START + 2 * HOUR])
        await settled(workspace)
        assert post["scheduled_at"] == at_hour(11)


async def test_a_late_call_is_expected_no_longer_because_other_calls_were_answered(
    tmp_path: Path, service: ModelService
) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await move_twice(workspace, service, key)
        wait(service, MAY_ARRIVE_MS - 60_000)
        workspace.move({key: START + 4 * HOUR})
        await until(lambda: there_at(service) == START + 4 * HOUR and workspace.sync.waiting == 0)
        wait(service, 3 * 60_000)
        await workspace.refresh()
        (post,) = service.posts.values()
        post["scheduled_at"] = at_hour(11)
        await until(lambda: [one.at for one in workspace.posts] == [START + 2 * HOUR])
        await settled(workspace)
        assert post["scheduled_at"] == at_hour(11)


async def test_a_late_move_does_not_win_though_it_is_heard_of_much_later(
    tmp_path: Path, service: ModelService
) -> None:
    """The app is closed soon after the last move, and opened the next day."""

    key = service.add_post(service.add_account(), START + 100 * HOUR)
    async with opened(tmp_path, service) as workspace:
        await move_twice(workspace, service, key)
    (post,) = service.posts.values()
    post["scheduled_at"] = at_hour(11)
    wait(service, 2 * MAY_ARRIVE_MS)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: post["scheduled_at"] == at_hour(12))
        await settled(workspace)
        assert workspace.said == []


async def test_a_cancellation_that_is_heard_of_much_later_is_somebody_elses(
    tmp_path: Path, service: ModelService
) -> None:
    key = service.add_post(service.add_account(), START + 100 * HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        service.faults += [("DELETE", "timeout")] * 10_000
        workspace.cancel([key])
        await until(lambda: any(request.method == "DELETE" for request in service.requests))
        service.faults.clear()
        workspace.schedule_again({key: START + 3 * HOUR})
        await until(lambda: workspace.sync.waiting == 0)
    (post,) = service.posts.values()
    post["status"] = "cancelled"
    wait(service, 2 * MAY_ARRIVE_MS)
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)
        assert [one.status for one in workspace.posts] == [PostStatus.CANCELLED]
        assert post["status"] == "cancelled"


async def test_a_late_move_does_not_win_over_one_of_somebody_else(
    tmp_path: Path, service: ModelService
) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await move_twice(workspace, service, key)
        (post,) = service.posts.values()
        post["scheduled_at"] = at_hour(14)
        await until(lambda: [one.at for one in workspace.posts] == [START + 5 * HOUR])
        post["scheduled_at"] = at_hour(11)
        await until(lambda: post["scheduled_at"] == at_hour(14))
        await settled(workspace)
        assert workspace.said == []


async def test_a_late_move_under_a_newer_wish_is_no_conflict(tmp_path: Path, service: ModelService) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await move_twice(workspace, service, key)
        (post,) = service.posts.values()
        service.online = False
        await until(lambda: not workspace.sync.connected)
        workspace.move({key: START + 6 * HOUR})
        post["scheduled_at"] = at_hour(11)
        service.online = True
        await until(lambda: post["scheduled_at"] == at_hour(15))
        await settled(workspace)
        assert workspace.said == []
        assert workspace.conflicts == []


async def test_a_move_of_somebody_else_to_where_a_post_was_created_is_theirs(
    tmp_path: Path, service: ModelService
) -> None:
    """The first answer to the create call was lost, but a repeated call creates no second post."""
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: account in workspace.accounts)
        service.faults.append(("POST", "lose"))
        (key,) = workspace.plan([new_post(account)])
        await settled(workspace)
        workspace.move({key: START + 3 * HOUR})
        await settled(workspace)
        assert there_at(service) == START + 3 * HOUR
        (post,) = service.posts.values()
        post["scheduled_at"] = at_hour(10)
        await until(lambda: [one.at for one in workspace.posts] == [START + HOUR])
        await settled(workspace)
        assert there_at(service) == START + HOUR


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_new_post_takes_the_undo_steps_and_late_calls_of_its_listed_copy(
    tmp_path: Path, service: ModelService, *, restarts: bool
) -> None:
    """The copy was moved twice, and the first of these calls is carried out when the copy is gone."""

    async def story() -> None:
        service.add_account()
        async with opened(tmp_path, service) as workspace:
            key, _ = await shown_twice(workspace, service, 5)
            (post,) = service.posts.values()
            await until(lambda: (copy := workspace.posts.get(post["id"])) and copy.sync is SyncState.SYNCED)
            service.faults.append(("PATCH", "timeout"))
            workspace.move({post["id"]: START + 7 * HOUR})
            await until(lambda: post["scheduled_at"] == at_hour(16))
            workspace.move({post["id"]: START + 8 * HOUR})
            await until(lambda: post["scheduled_at"] == at_hour(17))
            await until(lambda: (copy := workspace.posts.get(post["id"])) and copy.sync is SyncState.SYNCED)
            service.faults.clear()
            await until(lambda: len(workspace.posts) == 1)
            await until(lambda: workspace.sync.waiting == 0)
            assert workspace.posts.get(key) is not None
            if not restarts:
                await goes_on(workspace, key)
        if restarts:
            async with opened(tmp_path, service) as workspace:
                await goes_on(workspace, key)

    async def goes_on(workspace: Opened, key: str) -> None:
        (post,) = service.posts.values()
        assert [entry.keys for entry in workspace.history] == [{key}] * 5
        post["scheduled_at"] = at_hour(16)
        await until(lambda: post["scheduled_at"] == at_hour(17))
        await settled(workspace)
        workspace.undo()
        await until(lambda: post["scheduled_at"] == at_hour(16))
        await settled(workspace)
        assert [one.at for one in workspace.posts] == [START + 7 * HOUR]
        assert workspace.said == []

    await story()


async def test_a_late_move_under_a_wish_that_came_while_another_was_sent_is_no_conflict(
    tmp_path: Path,
) -> None:
    """A move gets no answer, a second one is confirmed, and a third one, wanted meanwhile, is being sent."""
    service = HeldService(HandClock())

    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        service.faults += [("PATCH", "timeout")] * 10_000
        workspace.move({key: START + 2 * HOUR})
        await until(lambda: asked_for(service) == at_hour(11))
        workspace.move({key: START + 3 * HOUR})
        await until(lambda: asked_for(service) == at_hour(12))  # none for 11:00 is left to be held back
        with service.hold("PATCH", key):
            service.faults.clear()
            await until(lambda: there_at(service) == START + 3 * HOUR and service.waiting)
            workspace.move({key: START + 4 * HOUR})
            service.faults += [("PATCH", "timeout")] * 10_000
        await until(lambda: asked_for(service) == at_hour(13))
        (post,) = service.posts.values()
        post["scheduled_at"] = at_hour(11)
        await workspace.refresh()
        assert workspace.conflicts == []
        service.faults.clear()
        await until(lambda: post["scheduled_at"] == at_hour(13))
        await settled(workspace)
        assert workspace.said == []


async def test_a_move_that_is_taken_back_after_its_answer_was_lost_is_taken_back_there_too(
    tmp_path: Path, service: ModelService
) -> None:
    """The service has moved the post although nobody said so, and the time here is the first one again."""

    async def story() -> None:
        pace = replace(QUICK, poll_active=600, poll_idle=600, everything=600, backoff=600, backoff_max=600)
        key = service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service, pace=pace) as workspace:
            await workspace.refresh()
            service.faults.append(("PATCH", "lose"))
            workspace.move({key: START + 5 * HOUR})
            await until(lambda: not workspace.sync.connected)
            await until(lambda: (post := workspace.posts.get(key)) and post.sync is SyncState.WAITING)
            assert there_at(service) == START + 5 * HOUR
            workspace.move({key: START + HOUR})
            assert workspace.sync.waiting == 1
            await settled(workspace)
            assert there_at(service) == START + HOUR

    async def settled(workspace: Opened) -> None:
        await until(lambda: not workspace.sync.saving)
        await workspace.refresh()
        await until(lambda: workspace.sync.waiting == 0)

    await story()


async def test_old_news_of_a_post_with_a_late_call_is_looked_up(
    tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow stream says that a cancelled post is scheduled, while a call for it is still late."""
    monkeypatch.setattr(mirror, "_SETTLES_S", 0.0)
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service, pace=QUICK) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        (there,) = service.posts.values()
        old = Post.model_validate(there)
        service.faults += [("DELETE", "timeout")] * 10_000
        workspace.cancel([key])
        await until(lambda: any(one.method == "DELETE" for one in service.requests))
        service.faults.clear()
        await settled(workspace)
        assert workspace._core.mirror.late(key)

        service.requests.clear()
        await workspace._sync._intake.hear(old)
        await settled(workspace)
        assert there["status"] == PostStatus.CANCELLED
        assert [one.method for one in service.requests if one.method != "GET"] == []
        (post,) = workspace.posts.all()
        assert post.status is PostStatus.CANCELLED
