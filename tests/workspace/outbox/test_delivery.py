"""Deliveries: posts cancelled before the service answered, and posts that replace others."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.contract.base import parse_timestamp
from app.contract.enums import PostStatus
from app.workspace.clock import to_millis
from app.workspace.messages import Problem
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import QUICK, Opened, new_post, opened, settled, until

SLOW = replace(QUICK, publish_hold=60)


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> ModelService:
    return ModelService(clock)


def begun(workspace: Opened, key: str) -> bool:
    """Whether a call that makes the post went out."""
    wish = workspace._core.mirror.intentions.get(key)
    return wish is not None and wish.attempts > 0 and key not in workspace._core.mirror.sending


@pytest.mark.parametrize("restart", [False, True])
async def test_one_for_now_that_never_arrived_does_not_go_out(
    tmp_path: Path, service: ModelService, restart: bool
) -> None:
    account = service.add_account()
    service.online = False
    async with opened(tmp_path, service) as workspace:
        (key,) = workspace.plan([new_post(account, at=None)])
        await until(lambda: begun(workspace, key))
        workspace.undo()
        service.online = not restart
        if not restart:
            await settled(workspace)
    service.online = True
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)
        assert [post.status for post in workspace.posts] == [PostStatus.CANCELLED]
    assert service.effects == []


async def test_one_for_now_whose_answer_was_lost_is_cancelled_there(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.sync.connected)
        service.faults += [("POST", "lose")]
        (key,) = workspace.plan([new_post(account, at=None)])
        await until(lambda: service.effects)
        workspace.cancel([key])
        await settled(workspace)
        assert [(post.key, post.status) for post in workspace.posts] == [(key, PostStatus.CANCELLED)]
    assert [post["status"] for post in service.posts.values()] == ["cancelled"]
    assert service.effects == ["Hello"]


async def test_one_whose_create_call_is_refused_is_cancelled_and_nothing_is_said(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    service.online = False
    async with opened(tmp_path, service) as workspace:
        (key,) = workspace.plan([new_post(account)])
        await until(lambda: begun(workspace, key))
        workspace.cancel([key])
        service.faults += [("POST", "refuse")] * 2
        service.online = True
        await settled(workspace)
        post = workspace.posts.get(key)
        assert post is not None
        assert (post.status, workspace.said) == (PostStatus.CANCELLED, [])
    assert service.effects == []


async def test_one_whose_time_has_passed_meanwhile_is_cancelled_and_nothing_is_said(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
    account = service.add_account()
    service.online = False
    async with opened(tmp_path, service) as workspace:
        (key,) = workspace.plan([new_post(account, at=START + HOUR)])
        await until(lambda: begun(workspace, key))
        workspace.cancel([key])
        clock.now = START + 2 * HOUR
        service.online = True
        await settled(workspace)
        post = workspace.posts.get(key)
        assert post is not None
        assert (post.status, workspace.said) == (PostStatus.CANCELLED, [])
    assert not any(request.method == "POST" for request in service.requests)


def statuses(service: ModelService) -> dict[str, str]:
    return {post["description"]: post["status"] for post in service.posts.values()}


def methods(service: ModelService) -> list[str]:
    return [one.method for one in service.requests if one.method in ("POST", "DELETE", "PATCH")]


async def test_the_new_post_is_made_before_the_old_one_is_cancelled(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        (old,) = workspace.plan([new_post(account, "old")])
        await settled(workspace)
        service.requests.clear()
        service.faults += [("POST", "500"), ("POST", "timeout")]
        workspace.replace(old, [new_post(account, "new", START + 2 * HOUR)])
        assert workspace.undo_label == "Replace post"
        await settled(workspace)
    assert statuses(service) == {"old": "cancelled", "new": "scheduled"}
    assert methods(service)[-2:] == ["POST", "DELETE"]
    assert "DELETE" not in methods(service)[:-1]


async def test_an_old_post_stays_when_the_new_one_is_refused(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        (old,) = workspace.plan([new_post(account, "old")])
        await settled(workspace)
        service.faults.append(("POST", "refuse"))
        (new,) = workspace.replace(old, [new_post(account, "new")])
        await settled(workspace)
        shown = {post.key: post.status for post in workspace.posts.all()}
        assert shown == {old: PostStatus.SCHEDULED, new: PostStatus.FAILED}
        assert any("wasn't cancelled" in message.text for message in workspace.said)
    assert statuses(service) == {"old": "scheduled"}


async def test_what_waits_for_the_new_post_survives_a_restart(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        (old,) = workspace.plan([new_post(account, "old")])
        await settled(workspace)
        service.online = False
        workspace.replace(old, [new_post(account, "new")])
        await until(lambda: not workspace.sync.saving)
    service.online = True
    service.requests.clear()
    async with opened(tmp_path, service) as workspace:
        await settled(workspace)
    assert statuses(service) == {"old": "cancelled", "new": "scheduled"}
    assert methods(service) == ["POST", "DELETE"]


async def test_replacing_is_taken_back_in_one_step(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        (old,) = workspace.plan([new_post(account, "old")])
        await settled(workspace)
        workspace.replace(old, [new_post(account, "new")])
        await settled(workspace)
        workspace.undo()
        await settled(workspace)
        assert statuses(service) == {"old": "scheduled", "new": "cancelled"}
        workspace.redo()
        await settled(workspace)
    assert statuses(service) == {"old": "cancelled", "new": "scheduled"}


async def test_a_post_that_was_never_sent_is_replaced_here(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        service.online = False
        (old,) = workspace.plan([new_post(account, "old")])
        workspace.replace(old, [new_post(account, "new")])
        service.online = True
        await settled(workspace)
    assert "new" in statuses(service)
    assert statuses(service).get("old", "cancelled") == "cancelled"


async def test_a_post_that_was_never_sent_stays_replaced_over_a_restart(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()

    service.online = False
    async with opened(tmp_path, service) as workspace:
        (old,) = workspace.plan([new_post(account, "old")])
        (new,) = workspace.replace(old, [new_post(account, "new")])
    async with opened(tmp_path, service) as workspace:
        shown = {post.key: post.status for post in workspace.posts.all()}
        assert shown == {old: PostStatus.CANCELLED, new: PostStatus.SCHEDULED}
        service.online = True
        await settled(workspace)
    assert statuses(service) == {"new": "scheduled"}


async def test_a_post_that_is_out_cannot_be_replaced(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()
    service.add_post(account, START - HOUR, "old", "posted")

    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        (old,) = [post.key for post in workspace.posts.all()]
        with pytest.raises(Problem) as caught:
            workspace.replace(old, [new_post(account, "new")])
        assert caught.value.kind == "not_replaceable"
        assert len(workspace.posts) == 1


async def test_what_is_published_now_can_be_taken_back_and_published_again(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()

    async with opened(tmp_path, service, pace=SLOW) as workspace:
        keys = workspace.plan([new_post(account, "now", None, "one")])
        await until(lambda: not workspace.sync.saving)
        assert workspace.take_back(keys) == keys
        assert len(workspace.posts) == 0
        assert workspace.undo_label is None
        again = workspace.plan([new_post(account, "later", START + HOUR, "one")])
        await settled(workspace)
        assert workspace.take_back(again) == []
    async with opened(tmp_path, service) as workspace:
        assert [post.headline for post in workspace.posts.all()] == ["later"]
    assert statuses(service) == {"later": "scheduled"}


async def test_taking_the_new_post_back_leaves_the_old_one_alone(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()

    async with opened(tmp_path, service, pace=SLOW) as workspace:
        (old,) = workspace.plan([new_post(account, "old")])
        await settled(workspace)
        service.requests.clear()
        keys = workspace.replace(old, [new_post(account, "now", None)])
        assert workspace.take_back(keys) == keys
        assert workspace.undo_label == "Schedule post"
        await settled(workspace)
        assert workspace.said == []
    assert statuses(service) == {"old": "scheduled"}
    assert methods(service) == []


@pytest.mark.parametrize("is_taken_back", [False, True])
async def test_a_post_whose_replacement_is_not_created_is_still_created(
    tmp_path: Path, service: ModelService, is_taken_back: bool
) -> None:
    """Its own create call got no response yet."""
    account = service.add_account()

    async with opened(tmp_path, service, pace=SLOW) as workspace:
        service.online = False
        (old,) = workspace.plan([new_post(account, "old")])
        await until(lambda: begun(workspace, old))
        keys = workspace.replace(old, [new_post(account, "new")])
        if is_taken_back:
            assert workspace.take_back(keys) == keys
        else:
            service.faults.append(("POST", "refuse"))
        service.online = True
        await settled(workspace)
        shown = workspace.posts.get(old)
        assert shown is not None
        assert shown.status is PostStatus.SCHEDULED
        if not is_taken_back:
            await until(lambda: any("wasn't cancelled" in message.text for message in workspace.said))
    assert statuses(service) == {"old": "scheduled"}


@pytest.mark.parametrize("is_taken_back", [False, True])
async def test_a_post_that_was_never_sent_is_kept_if_its_replacement_is_not_created(
    tmp_path: Path, service: ModelService, is_taken_back: bool
) -> None:
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        service.online = False
        await until(lambda: not workspace.sync.connected)
        (old,) = workspace.plan([new_post(account, "old")])
        keys = workspace.replace(old, [new_post(account, "new")])
        shown = workspace.posts.get(old)
        assert shown is not None
        assert shown.status is PostStatus.CANCELLED
        if is_taken_back:
            assert workspace.take_back(keys) == keys
        else:
            service.faults.append(("POST", "refuse"))
        service.online = True
        await settled(workspace)
        if not is_taken_back:
            await until(lambda: any("wasn't cancelled" in message.text for message in workspace.said))
    assert statuses(service) == {"old": "scheduled"}


@pytest.mark.parametrize("is_first_sent", [False, True])
async def test_only_the_last_of_several_replacements_is_left(
    tmp_path: Path, service: ModelService, is_first_sent: bool
) -> None:
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        if is_first_sent:
            (first,) = workspace.plan([new_post(account, "first")])
            await settled(workspace)
        service.online = False
        await until(lambda: not workspace.sync.connected)
        if not is_first_sent:
            (first,) = workspace.plan([new_post(account, "first")])
        (second,) = workspace.replace(first, [new_post(account, "second")])
        workspace.replace(second, [new_post(account, "third")])
        service.online = True
        await settled(workspace)
        assert [message.text for message in workspace.said] == []
    assert {text for text, status in statuses(service).items() if status != "cancelled"} == {"third"}


@pytest.mark.parametrize("replacements", [1, 2])
@pytest.mark.parametrize("is_first_sent", [False, True])
async def test_cancelling_an_unsent_replacement_leaves_none_of_the_posts(
    tmp_path: Path, service: ModelService, is_first_sent: bool, replacements: int
) -> None:
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        if is_first_sent:
            (first,) = workspace.plan([new_post(account, "first")])
            await settled(workspace)
        service.online = False
        await until(lambda: not workspace.sync.connected)
        if not is_first_sent:
            (first,) = workspace.plan([new_post(account, "first")])
        last = first
        for number in range(replacements):
            (last,) = workspace.replace(last, [new_post(account, f"replacement {number}")])
        workspace.cancel([last])
        service.online = True
        await settled(workspace)
        assert {post.status for post in workspace.posts} == {PostStatus.CANCELLED}
        assert [message.text for message in workspace.said] == []
    assert statuses(service) == ({"first": "cancelled"} if is_first_sent else {})


async def test_cancelling_a_replacement_that_is_then_refused_cancels_the_first_post(
    tmp_path: Path, service: ModelService
) -> None:
    """A call that makes the replacement was sent, and got no response yet."""
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        (first,) = workspace.plan([new_post(account, "first")])
        await settled(workspace)
        service.online = False
        (second,) = workspace.replace(first, [new_post(account, "second")])
        await until(lambda: begun(workspace, second))
        workspace.cancel([second])
        service.faults.append(("POST", "refuse"))
        service.online = True
        await settled(workspace)
        assert [message.text for message in workspace.said] == []
    assert statuses(service) == {"first": "cancelled"}


async def test_a_cancelled_replacement_can_still_be_undone(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        service.online = False
        await until(lambda: not workspace.sync.connected)
        (first,) = workspace.plan([new_post(account, "first")])
        (second,) = workspace.replace(first, [new_post(account, "second")])
        workspace.cancel([second])
        workspace.undo()
        shown = {post.headline: post.status for post in workspace.posts}
        assert shown == {"first": PostStatus.CANCELLED, "second": PostStatus.SCHEDULED}
        workspace.undo()
        service.online = True
        await settled(workspace)
    assert statuses(service) == {"first": "scheduled"}


async def test_a_replacement_that_is_redone_before_it_is_sent_leaves_only_the_last_post(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        service.online = False
        await until(lambda: not workspace.sync.connected)
        (first,) = workspace.plan([new_post(account, "first")])
        (second,) = workspace.replace(first, [new_post(account, "second")])
        workspace.replace(second, [new_post(account, "third")])
        workspace.undo()
        workspace.redo()
        service.online = True
        await settled(workspace)
    assert statuses(service) == {"third": "scheduled"}


async def test_the_post_before_a_refused_replacement_of_a_replacement_is_left(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        (first,) = workspace.plan([new_post(account, "first")])
        await settled(workspace)
        service.online = False
        await until(lambda: not workspace.sync.connected)
        (second,) = workspace.replace(first, [new_post(account, "second")])
        workspace.replace(second, [new_post(account, "third")])
        service.faults.append(("POST", "refuse"))
        service.online = True
        await settled(workspace)
    assert statuses(service) == {"first": "cancelled", "second": "scheduled"}


@pytest.mark.parametrize("is_taken_back", [False, True])
async def test_a_post_whose_replacement_is_not_created_is_still_moved(
    tmp_path: Path, service: ModelService, is_taken_back: bool
) -> None:
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        (old,) = workspace.plan([new_post(account, "old")])
        await settled(workspace)
        service.online = False
        workspace.move({old: START + 5 * HOUR})
        keys = workspace.replace(old, [new_post(account, "new")])
        if is_taken_back:
            assert workspace.take_back(keys) == keys
        else:
            service.faults.append(("POST", "refuse"))
        service.online = True
        await settled(workspace)
    (there,) = service.posts.values()
    assert (there["description"], there["status"]) == ("old", "scheduled")
    assert to_millis(parse_timestamp(there["scheduled_at"])) == START + 5 * HOUR


async def test_a_post_for_now_whose_replacement_is_refused_is_not_published(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        service.online = False
        (old,) = workspace.plan([new_post(account, "old", None)])
        await until(lambda: begun(workspace, old))
        workspace.replace(old, [new_post(account, "new")])
        service.faults.append(("POST", "refuse"))
        service.online = True
        await settled(workspace)
        shown = {post.headline: post.status for post in workspace.posts}
        assert shown == {"old": PostStatus.CANCELLED, "new": PostStatus.FAILED}
    assert service.effects == []


async def test_a_post_whose_time_passes_before_its_replacement_is_refused_is_not_published(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        service.online = False
        (old,) = workspace.plan([new_post(account, "old", START + HOUR)])
        await until(lambda: begun(workspace, old))
        workspace.replace(old, [new_post(account, "new", START + 5 * HOUR)])
        clock.now += 2 * HOUR
        service.faults.append(("POST", "refuse"))
        service.online = True
        await settled(workspace)
        shown = {post.headline: post.status for post in workspace.posts}
        assert shown == {"old": PostStatus.CANCELLED, "new": PostStatus.FAILED}
    assert service.effects == []


async def test_what_is_published_now_goes_out_after_a_moment(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        workspace.plan([new_post(account, "now", None)])
        await until(lambda: service.effects == ["now"])


async def test_a_change_of_mind_outlives_the_replacement_that_is_refused(
    tmp_path: Path, service: ModelService
) -> None:
    """The post that was to give way is scheduled again, for another time, before the new one was refused."""
    account = service.add_account()

    async with opened(tmp_path, service) as workspace:
        (old,) = workspace.plan([new_post(account, "old")])
        await settled(workspace)
        service.online = False
        workspace.replace(old, [new_post(account, "new")])
        assert workspace.schedule_again({old: START + 5 * HOUR}) == [old]
        service.faults.append(("POST", "refuse"))
        service.online = True
        await settled(workspace)
        shown = workspace.posts.get(old)
        assert shown is not None
        assert (shown.status, shown.at) == (PostStatus.SCHEDULED, START + 5 * HOUR)
        told = " ".join(message.text for message in workspace.said)
        assert "its replacement" not in told
        assert "“new” wasn't scheduled: not today." in told
    assert statuses(service) == {"old": "scheduled"}
    (there,) = service.posts.values()
    assert to_millis(parse_timestamp(there["scheduled_at"])) == START + 5 * HOUR
