"""What is wanted reaches the service exactly once, whatever happens on the way."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.contract.base import parse_timestamp
from app.contract.enums import PostStatus
from app.workspace.clock import to_millis
from app.workspace.outbox.unanswered import MAY_ARRIVE_MS
from app.workspace.posts.planned import SyncState
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import QUICK, Opened, new_post, opened, settled, until


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


def sent(service: ModelService, method: str) -> int:
    return sum(request.method == method for request in service.requests)


def test_a_move_is_shown_before_it_returns_and_reaches_the_service(
    tmp_path: Path, service: ModelService
) -> None:
    async def story() -> None:
        account = service.add_account()
        key = service.add_post(account, START + HOUR)
        async with opened(tmp_path, service) as workspace:
            await until(lambda: len(workspace.posts) == 1)
            workspace.heard.clear()
            workspace.move({key: START + 2 * HOUR})
            assert [post.at for post in workspace.posts] == [START + 2 * HOUR]
            assert [changes.posts for changes in workspace.heard] == [frozenset({key})]
            assert workspace.posts.all()[0].sync is SyncState.WAITING
            await settled(workspace)
            assert workspace.posts.all()[0].sync is SyncState.SYNCED
        (post,) = service.posts.values()
        assert post["scheduled_at"] == "2026-11-21T11:00:00.000Z"
        assert sent(service, "PATCH") == 1

    asyncio.run(story())


def test_what_fails_each_time_is_told_until_it_is_sent(tmp_path: Path, service: ModelService) -> None:
    """Looks are answered meanwhile, so that nothing else would say why the change waits."""

    async def story() -> None:
        key = service.add_post(service.add_account(), START + HOUR)
        service.faults += [("PATCH", "500")] * 10_000
        async with opened(tmp_path, service) as workspace:
            await until(lambda: len(workspace.posts) == 1)
            workspace.move({key: START + 2 * HOUR})
            await until(lambda: workspace.sync.problem)
            assert "The service had an internal error" in str(workspace.sync.problem)
            looks = sent(service, "GET")
            await until(lambda: sent(service, "GET") > looks + 3)
            assert workspace.sync.problem
            assert workspace.sync.connected
            service.faults.clear()
            await settled(workspace)
            await until(lambda: workspace.sync.problem is None)

    asyncio.run(story())


def test_moves_made_while_offline_are_one_call(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
        key = service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service) as workspace:
            await until(lambda: workspace.sync.connected)
            service.online = False
            await until(lambda: not workspace.sync.connected)
            for hours in range(2, 12):
                workspace.move({key: START + hours * HOUR})
            assert workspace.sync.waiting == 1
            service.online = True
            await settled(workspace)
        assert sent(service, "PATCH") == 1
        assert service.posts.popitem()[1]["scheduled_at"] == "2026-11-21T20:00:00.000Z"

    asyncio.run(story())


def test_a_move_there_and_back_while_offline_sends_nothing(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
        key = service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service) as workspace:
            await until(lambda: workspace.sync.connected)
            service.online = False
            await until(lambda: not workspace.sync.connected)
            workspace.move({key: START + 5 * HOUR})
            workspace.undo()
            service.online = True
            await until(lambda: workspace.sync.connected)
            await settled(workspace)
        assert sent(service, "PATCH") == 0

    asyncio.run(story())


def test_a_refused_move_goes_back_and_says_which_post_and_why(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
        key = service.add_post(service.add_account(), START + HOUR, "Autumn sale")
        async with opened(tmp_path, service) as workspace:
            await until(lambda: len(workspace.posts) == 1)
            service.faults.append(("PATCH", "refuse"))
            workspace.move({key: START + 2 * HOUR})
            await settled(workspace)
            assert workspace.posts.all()[0].at == START + HOUR
            (message,) = workspace.said
            assert message.text == "“Autumn sale” wasn't moved: not today."
            assert "req-400" in message.details
            assert workspace.undo_label is None

    asyncio.run(story())


def test_a_refused_post_stays_here_with_its_text_and_can_be_planned_again(
    tmp_path: Path, service: ModelService
) -> None:
    async def story() -> None:
        account = service.add_account()
        async with opened(tmp_path, service) as workspace:
            service.faults.append(("POST", "refuse"))
            (key,) = workspace.plan([new_post(account, "Precious words", key="k")])
            await settled(workspace)
            post = workspace.posts.get(key)
            assert post
            assert post.status is PostStatus.FAILED
            assert post.reason == "not today"
            assert (await workspace.detail(key)).text == "Precious words"
            assert workspace.plan([new_post(account, "Better words", key="k")]) == [key]
            await settled(workspace)
            post = workspace.posts.get(key)
            assert post
            assert (post.status, post.reason) == (PostStatus.SCHEDULED, "")
        assert service.effects == ["Better words"]

    asyncio.run(story())


def test_a_post_whose_answer_was_lost_is_made_once(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
        account = service.add_account()
        async with opened(tmp_path, service) as workspace:
            service.faults += [("POST", "lose"), ("POST", "lose"), ("POST", "500")]
            (key,) = workspace.plan([new_post(account)])
            await settled(workspace)
            assert [post.key for post in workspace.posts] == [key]
        assert service.effects == ["Hello"]

    asyncio.run(story())


def test_a_move_while_the_answer_of_the_create_is_lost_follows_it(
    tmp_path: Path, service: ModelService
) -> None:
    async def story() -> None:
        account = service.add_account()
        async with opened(tmp_path, service) as workspace:
            await until(lambda: workspace.sync.connected)
            service.faults.append(("POST", "lose"))
            (key,) = workspace.plan([new_post(account)])
            await until(lambda: sent(service, "POST") == 1)
            workspace.move({key: START + 3 * HOUR})
            await settled(workspace)
            assert [(post.key, post.at) for post in workspace.posts] == [(key, START + 3 * HOUR)]
        assert service.effects == ["Hello"]
        assert sent(service, "PATCH") == 1

    asyncio.run(story())


def test_a_post_made_by_a_lost_call_is_found_although_its_time_has_passed(
    tmp_path: Path, service: ModelService
) -> None:
    """The repeat is refused for its past time by a service that checks that first."""

    async def story() -> None:
        account = service.add_account()
        async with opened(tmp_path, service) as workspace:
            await until(lambda: workspace.sync.connected)
            service.faults += [("POST", "lose"), ("POST", "refuse")]
            (key,) = workspace.plan([new_post(account)])
            await settled(workspace)
            assert [post.key for post in workspace.posts] == [key]
            assert workspace.posts.all()[0].status is PostStatus.SCHEDULED
            assert workspace.said == []

    asyncio.run(story())


def test_cancelling_before_the_create_was_sent_sends_nothing(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
        account = service.add_account()
        service.online = False
        async with opened(tmp_path, service) as workspace:
            (key,) = workspace.plan([new_post(account)])
            workspace.cancel([key])
            assert workspace.sync.waiting == 0
            service.online = True
            await settled(workspace)
            assert service.effects == []
            workspace.undo()
            await settled(workspace)
        assert service.effects == ["Hello"]

    asyncio.run(story())


def test_a_refused_key_stops_sending_and_loses_nothing(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
        key = service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service) as workspace:
            await until(lambda: workspace.sync.connected)
            service.key_is_good = False
            await until(lambda: workspace.sync.problem)
            assert (workspace.sync.problem or "").startswith("The service rejected the API key.")
            before = sent(service, "PATCH")
            workspace.move({key: START + 2 * HOUR})
            await asyncio.sleep(0.05)
            assert sent(service, "PATCH") == before
            assert workspace.sync.waiting == 1
            service.key_is_good = True
            await settled(workspace)
            assert workspace.sync.problem is None
        assert sent(service, "PATCH") == before + 1

    asyncio.run(story())


@pytest.mark.parametrize("fault", ["timeout", "500", "429", "garbage", "lose"])
def test_what_may_pass_is_tried_until_it_passes(tmp_path: Path, service: ModelService, fault: str) -> None:
    async def story() -> None:
        key = service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service) as workspace:
            await until(lambda: len(workspace.posts) == 1)
            service.faults += [("PATCH", fault)] * 3
            workspace.move({key: START + 2 * HOUR})
            await settled(workspace)
            assert workspace.said == []
            assert workspace.posts.all()[0].at == START + 2 * HOUR
        assert to_millis_of(service) == START + 2 * HOUR

    asyncio.run(story())


def to_millis_of(service: ModelService) -> int:
    from app.contract.base import parse_timestamp

    (post,) = service.posts.values()
    return to_millis(parse_timestamp(post["scheduled_at"]))


def test_a_post_deleted_elsewhere_goes_and_its_move_says_so(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
        key = service.add_post(service.add_account(), START + HOUR, "Gone")
        async with opened(tmp_path, service) as workspace:
            await until(lambda: len(workspace.posts) == 1)
            workspace.move({key: START + 2 * HOUR})
            service.posts.clear()
            await until(lambda: workspace.said and len(workspace.posts) == 0)
            assert workspace.said[0].text == "“Gone” wasn't moved: it no longer exists."

    asyncio.run(story())


def test_wishes_survive_a_restart(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
        account = service.add_account()
        key = service.add_post(account, START + HOUR)
        async with opened(tmp_path, service) as workspace:
            await until(lambda: len(workspace.posts) == 1)
            service.online = False
            workspace.move({key: START + 2 * HOUR})
            (planned,) = workspace.plan([new_post(account)])
        async with opened(tmp_path, service) as workspace:
            assert {post.key: post.sync for post in workspace.posts} == {
                key: SyncState.WAITING,
                planned: SyncState.WAITING,
            }
            assert workspace.undo_label == "Schedule post"
            service.online = True
            await settled(workspace)
            assert {post.key for post in workspace.posts} == {key, planned}
        assert service.effects == ["Hello"]

    asyncio.run(story())


def test_a_call_that_is_carried_out_after_a_later_one_does_not_win(
    tmp_path: Path, service: ModelService
) -> None:
    """Its answer never came, the person changed their mind, and then a slow service does the old thing."""

    async def story() -> None:
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

    asyncio.run(story())


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


@pytest.mark.parametrize("restarts", [False, True])
def test_a_repeated_move_that_is_carried_out_after_a_later_one_does_not_win(
    tmp_path: Path, service: ModelService, *, restarts: bool
) -> None:
    """The first of two equal calls is still on its way when the second is long done, and another after it."""

    async def story() -> None:
        key = service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service) as workspace:
            await until(lambda: len(workspace.posts) == 1)
            await move_unanswered(workspace, service, key, 2)
            await until(lambda: workspace.sync.waiting == 0)
            workspace.move({key: START + 3 * HOUR})
            await until(lambda: workspace.sync.waiting == 0)
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

    asyncio.run(story())


def test_a_move_that_is_carried_out_after_its_repeat_was_refused_does_not_win(
    tmp_path: Path, service: ModelService
) -> None:
    """The user was told that the post wasn't moved."""

    async def story() -> None:
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

    asyncio.run(story())


def test_a_late_move_does_not_bring_a_cancelled_post_back(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
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

    asyncio.run(story())


def test_a_move_of_somebody_else_is_theirs_once_no_call_can_be_late(
    tmp_path: Path, service: ModelService
) -> None:
    async def story() -> None:
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

    asyncio.run(story())


async def move_twice(workspace: Opened, service: ModelService, key: str) -> None:
    """Moves a post to 2 hours, which may still be carried out, and then to 3 hours, which is confirmed."""
    await until(lambda: len(workspace.posts) == 1)
    await move_unanswered(workspace, service, key, 2)
    workspace.move({key: START + 3 * HOUR})
    await until(lambda: workspace.sync.waiting == 0)


def test_a_late_move_does_not_win_though_it_is_heard_of_much_later(
    tmp_path: Path, service: ModelService
) -> None:
    """The app is closed soon after the last move, and opened the next day."""

    async def story() -> None:
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

    asyncio.run(story())


def test_a_cancellation_that_is_heard_of_much_later_is_somebody_elses(
    tmp_path: Path, service: ModelService
) -> None:
    async def story() -> None:
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

    asyncio.run(story())


def test_a_late_move_does_not_win_over_one_of_somebody_else(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
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

    asyncio.run(story())


def test_a_late_move_under_a_newer_wish_is_no_conflict(tmp_path: Path, service: ModelService) -> None:
    async def story() -> None:
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

    asyncio.run(story())


def test_a_wish_about_a_new_post_that_was_listed_before_it_was_confirmed_is_kept(
    tmp_path: Path, service: ModelService
) -> None:
    """The create call was not answered and somebody else moved the post, so the list shows another one."""

    async def story() -> None:
        account = service.add_account()
        async with opened(tmp_path, service) as workspace:
            await until(lambda: account in workspace.accounts)
            service.faults += [("POST", "lose"), *[("POST", "timeout")] * 10_000]
            workspace.plan([new_post(account)])
            await until(lambda: service.posts)
            (post,) = service.posts.values()
            post["scheduled_at"] = at_hour(14)
            await until(lambda: len(workspace.posts) == 2)
            service.faults += [("PATCH", "timeout")] * 10_000
            workspace.move({post["id"]: START + 7 * HOUR})
            await until(lambda: asked_for(service) == at_hour(16))
            service.faults[:] = [fault for fault in service.faults if fault[0] == "PATCH"]
            await until(lambda: len(workspace.posts) == 1)
            service.faults.clear()
            await settled(workspace)
            assert [one.at for one in workspace.posts] == [START + 7 * HOUR]
            assert post["scheduled_at"] == at_hour(16)
            assert workspace.conflicts == []

    asyncio.run(story())


def asked_for(service: ModelService) -> str:
    """The time of the newest move that reached the service."""
    moves = [request for request in service.requests if request.method == "PATCH"]
    return str(json.loads(moves[-1].content)["scheduled_at"]) if moves else ""


def test_a_move_that_is_taken_back_after_its_answer_was_lost_is_taken_back_there_too(
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

    asyncio.run(story())


def there_at(service: ModelService) -> int:
    (post,) = service.posts.values()
    return to_millis(parse_timestamp(post["scheduled_at"]))
