"""What is wanted reaches the service exactly once, whatever happens on the way."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.contract.base import parse_timestamp
from app.contract.enums import PostStatus
from app.workspace.clock import to_millis
from app.workspace.posts.planned import SyncState
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import Opened, new_post, opened, settled, until


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


def sent(service: ModelService, method: str) -> int:
    return sum(request.method == method for request in service.requests)


async def test_a_move_is_shown_before_it_returns_and_reaches_the_service(
    tmp_path: Path, service: ModelService
) -> None:
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


async def test_what_fails_each_time_is_told_until_it_is_sent(tmp_path: Path, service: ModelService) -> None:
    """Looks are answered meanwhile, so that nothing else would say why the change waits."""

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


async def test_moves_made_while_offline_are_one_call(tmp_path: Path, service: ModelService) -> None:
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


async def test_a_move_there_and_back_while_offline_sends_nothing(
    tmp_path: Path, service: ModelService
) -> None:
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


async def test_a_refused_move_goes_back_and_says_which_post_and_why(
    tmp_path: Path, service: ModelService
) -> None:
    key = service.add_post(service.add_account(), START + HOUR, "Autumn sale")
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        service.faults.append(("PATCH", "refuse"))
        workspace.move({key: START + 2 * HOUR})
        workspace.heard.clear()
        await settled(workspace)
        assert workspace.posts.all()[0].at == START + HOUR
        assert any(changes.undo and key in changes.posts for changes in workspace.heard)
        await until(lambda: workspace.said and not workspace._core.mirror.sending)
        (message,) = workspace.said
        assert message.text == "“Autumn sale” wasn't moved: not today."
        assert "req-400" in message.details
        assert workspace.undo_label is None


async def test_a_post_whose_cancellation_is_refused_is_shown_as_still_scheduled(
    tmp_path: Path, service: ModelService
) -> None:
    """It will be published."""

    key = service.add_post(service.add_account(), START + HOUR, "Autumn sale")
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        service.faults.append(("DELETE", "refuse"))
        workspace.cancel([key])
        await settled(workspace)
        assert workspace.posts.all()[0].status is PostStatus.SCHEDULED
        await until(lambda: workspace.said and not workspace._core.mirror.sending)
        assert [message.text for message in workspace.said] == ["“Autumn sale” wasn't cancelled: not today."]
        assert workspace.undo_label is None


async def test_a_refused_post_stays_here_with_its_text_and_can_be_planned_again(
    tmp_path: Path, service: ModelService
) -> None:
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


async def test_a_refused_post_is_failed_after_a_restart(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        service.faults.append(("POST", "refuse"))
        (key,) = workspace.plan([new_post(account)])
        await settled(workspace)
    async with opened(tmp_path, service) as workspace:
        post = workspace.posts.get(key)
        assert post
        assert (post.status, post.reason) == (PostStatus.FAILED, "not today")


async def test_a_post_whose_answer_was_lost_is_made_once(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        service.faults += [("POST", "lose"), ("POST", "lose"), ("POST", "500")]
        (key,) = workspace.plan([new_post(account)])
        await settled(workspace)
        assert [post.key for post in workspace.posts] == [key]
    assert service.effects == ["Hello"]


async def test_a_move_while_the_answer_of_the_create_is_lost_follows_it(
    tmp_path: Path, service: ModelService
) -> None:
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


@pytest.mark.parametrize("title", ["", "Three weights of wool"])
async def test_a_post_made_by_a_lost_call_is_found_although_its_time_has_passed(
    tmp_path: Path, service: ModelService, title: str
) -> None:
    """The repeat is refused for its past time by a service that checks that first."""

    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.sync.connected)
        service.faults += [("POST", "lose"), ("POST", "refuse")]
        (key,) = workspace.plan([replace(new_post(account), title=title)])
        await settled(workspace)
        assert [post.key for post in workspace.posts] == [key]
        assert workspace.posts.all()[0].status is PostStatus.SCHEDULED
        assert workspace.said == []


async def test_cancelling_before_the_create_was_sent_sends_nothing(
    tmp_path: Path, service: ModelService
) -> None:
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


async def test_a_refused_key_stops_sending_and_loses_nothing(tmp_path: Path, service: ModelService) -> None:
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


@pytest.mark.parametrize("fault", ["timeout", "500", "429", "garbage", "lose"])
async def test_what_may_pass_is_tried_until_it_passes(
    tmp_path: Path, service: ModelService, fault: str
) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        service.faults += [("PATCH", fault)] * 3
        workspace.move({key: START + 2 * HOUR})
        await settled(workspace)
        assert workspace.said == []
        assert workspace.posts.all()[0].at == START + 2 * HOUR
    assert to_millis_of(service) == START + 2 * HOUR


def to_millis_of(service: ModelService) -> int:

    (post,) = service.posts.values()
    return to_millis(parse_timestamp(post["scheduled_at"]))


async def test_a_post_deleted_elsewhere_goes_and_its_move_says_so(
    tmp_path: Path, service: ModelService
) -> None:
    key = service.add_post(service.add_account(), START + HOUR, "Gone")
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        workspace.move({key: START + 2 * HOUR})
        service.posts.clear()
        await until(lambda: workspace.said and len(workspace.posts) == 0)
        assert workspace.said[0].text == "“Gone” wasn't moved: it no longer exists."


async def test_wishes_survive_a_restart(tmp_path: Path, service: ModelService) -> None:
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


def bulk_sizes(service: ModelService) -> list[int]:
    """How many posts each call for several carried."""
    calls = [request for request in service.requests if request.url.path.endswith("/posts/bulk")]
    return [len(json.loads(call.content)["posts"]) for call in calls]


def alone(service: ModelService) -> int:
    return sum(
        request.method == "POST" and request.url.path.endswith("/posts") for request in service.requests
    )


async def planned(workspace: Opened, account: str, count: int) -> list[str]:
    await until(lambda: workspace.sync.connected)
    keys = workspace.plan([new_post(account, f"text {i}", START + (i + 1) * HOUR) for i in range(count)])
    await until(lambda: workspace.sync.waiting == 0)
    return keys


async def test_ninety_posts_are_three_calls(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        keys = await planned(workspace, account, 90)
        assert all(
            post is not None and post.sync is SyncState.SYNCED for post in map(workspace.posts.get, keys)
        )
    assert bulk_sizes(service) == [30, 30, 30]
    assert alone(service) == 0
    assert sorted(service.effects) == sorted(f"text {i}" for i in range(90))


@pytest.mark.parametrize("fault", ["lose", "timeout", "500", "429", "garbage"])
async def test_what_is_sent_again_makes_nothing_twice(tmp_path: Path, fault: str) -> None:
    service = ModelService(HandClock())
    account = service.add_account()
    service.faults.append(("POST", fault))

    async with opened(tmp_path, service) as workspace:
        await planned(workspace, account, 40)
        assert len(workspace.posts) == 40
        await workspace.refresh()
        assert len(workspace.posts) == 40
    assert sorted(service.effects) == sorted(f"text {i}" for i in range(40))


async def test_a_service_that_refuses_such_calls_gets_the_posts_alone(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    account = service.add_account()
    service.faults.append(("POST", "refuse"))

    async with opened(tmp_path, service) as workspace:
        await planned(workspace, account, 5)
        assert workspace.said == []
    assert (bulk_sizes(service), alone(service)) == ([5], 5)


async def test_a_rejected_post_gets_its_reason_and_the_others_are_made(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.sync.connected)
        service.clock = HandClock(START + HOUR)  # of the service, which runs ahead of this computer
        posts = [new_post(account, f"text {i}", START + (i + 1) * HOUR) for i in range(3)]
        keys = workspace.plan(posts)
        await until(lambda: workspace.sync.waiting == 0)
        late, *others = (workspace.posts.get(key) for key in keys)
        assert late is not None
        assert (late.status, late.reason) == (PostStatus.FAILED, "The time is in the past")
        assert [post.status for post in others if post] == [PostStatus.SCHEDULED] * 2
    assert service.effects == ["text 1", "text 2"]


async def test_equal_posts_are_told_apart_by_their_number(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.sync.connected)
        workspace.plan([new_post(account, "same"), new_post(account, "same")])
        await until(lambda: workspace.sync.waiting == 0)
        await workspace.refresh()
        assert len(workspace.posts) == 2
    assert service.effects == ["same", "same"]
