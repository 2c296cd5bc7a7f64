"""Changed here and elsewhere meanwhile: both sides are shown, and nothing is sent until somebody chooses."""

from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from app.contract.base import format_timestamp, parse_timestamp
from app.contract.enums import PostStatus
from app.workspace.clock import from_millis, to_millis
from app.workspace.messages import Message
from app.workspace.posts.planned import SyncState
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import QUICK, Opened, new_post, opened, settled, until


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


def sent(service: ModelService) -> int:
    return sum(request.method != "GET" for request in service.requests)


def move_there(service: ModelService, key: str, at: int, status: str = "scheduled") -> None:
    service.posts[UUID(key)] |= {"scheduled_at": format_timestamp(from_millis(at)), "status": status}


def time_there(service: ModelService, key: str) -> int:
    return to_millis(parse_timestamp(service.posts[UUID(key)]["scheduled_at"]))


async def conflicting(workspace: Opened, service: ModelService, key: str) -> None:
    """Moves a post here while offline, and elsewhere meanwhile."""
    await until(lambda: key in workspace.posts and workspace.sync.connected)
    service.online = False
    workspace.move({key: START + 5 * HOUR})
    move_there(service, key, START + 9 * HOUR)
    service.online = True
    await until(lambda: key in {one.key for one in workspace.conflicts})


async def test_both_sides_are_shown_and_nothing_is_sent_also_after_a_restart(
    tmp_path: Path, service: ModelService
) -> None:
    key = service.add_post(service.add_account(), START + HOUR, "Autumn sale")
    async with opened(tmp_path, service) as workspace:
        await conflicting(workspace, service, key)
        await until(lambda: workspace.sync.conflicts == 1)
        (message,) = workspace.said
        assert message.text.startswith("“Autumn sale” was changed elsewhere before your change was sent.")
        assert message.action
        assert (message.action.verb, message.action.subject) == ("compare", key)
    async with opened(tmp_path, service) as workspace:
        (conflict,) = workspace.conflicts
        assert (conflict.here.at, conflict.there.at) == (START + 5 * HOUR, START + 9 * HOUR)
        assert conflict.before.at == START + HOUR
        assert workspace.posts.all()[0].sync is SyncState.CONFLICT
        await workspace.refresh()
        assert sent(service) == 0
        assert workspace.said == []


async def test_one_message_is_about_every_conflict_also_if_they_arise_one_after_the_other(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    first = service.add_post(account, START + HOUR, "Autumn sale")
    second = service.add_post(account, START + 2 * HOUR, "Winter sale")
    async with opened(tmp_path, service) as workspace:
        await until(lambda: second in workspace.posts)
        await conflicting(workspace, service, first)
        await until(lambda: workspace.said)
        await conflicting(workspace, service, second)
        await until(lambda: len(workspace.said) == 2)
        before, newest = workspace.said
        assert newest.text.startswith("2 posts were changed elsewhere before your changes were sent.")
        assert set(newest.details.splitlines()) == {"“Autumn sale”", "“Winter sale”"}
        assert newest.about == before.about != ""
        workspace.keep_there([first])
        await until(lambda: len(workspace.conflicts) == 1)
        assert len(workspace.said) == 2
        workspace.keep_here([second])
        await until(lambda: len(workspace.said) == 3)
        assert workspace.said[-1] == Message("info", "All conflicts are resolved.", about=newest.about)


async def test_a_change_that_the_look_before_sending_finds_is_not_overwritten(
    tmp_path: Path, service: ModelService
) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    pace = replace(QUICK, poll_active=600, poll_idle=600, everything=600)
    async with opened(tmp_path, service, pace=pace) as workspace:
        await until(lambda: key in workspace.posts and workspace.sync.connected)
        await settled(workspace)
        move_there(service, key, START + 9 * HOUR)
        workspace.move({key: START + 5 * HOUR})
        await until(lambda: workspace.conflicts and not workspace._core.mirror.sending)
        assert sent(service) == 0
        assert time_there(service, key) == START + 9 * HOUR


@pytest.mark.parametrize(("here", "hours"), [(True, 5), (False, 9)])
async def test_what_is_chosen_is_what_both_have(
    tmp_path: Path, service: ModelService, here: bool, hours: int
) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await conflicting(workspace, service, key)
        (workspace.keep_here if here else workspace.keep_there)([key])
        await settled(workspace)
        assert [post.at for post in workspace.posts] == [START + hours * HOUR]
        assert time_there(service, key) == START + hours * HOUR
        assert workspace.conflicts == []
        assert (workspace.undo_label is not None) == here
        workspace.undo()
        await settled(workspace)
        assert [post.at for post in workspace.posts] == [START + 9 * HOUR]
        assert time_there(service, key) == START + 9 * HOUR


async def test_a_call_that_is_carried_out_after_their_side_was_kept_does_not_win(
    tmp_path: Path, service: ModelService
) -> None:
    """Its answer never came, somebody else moved the post, and their move was chosen."""

    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: key in workspace.posts)
        service.faults += [("PATCH", "timeout")] * 10_000
        workspace.move({key: START + 5 * HOUR})
        await until(lambda: sent(service))
        move_there(service, key, START + 9 * HOUR)
        await until(lambda: workspace.conflicts)
        service.faults.clear()
        workspace.keep_there([key])
        await settled(workspace)
    async with opened(tmp_path, service) as workspace:
        move_there(service, key, START + 5 * HOUR)  # now the call is carried out
        await until(lambda: time_there(service, key) == START + 9 * HOUR)
        await settled(workspace)
        assert [post.at for post in workspace.posts] == [START + 9 * HOUR]
        assert workspace.conflicts == []


async def test_taking_back_gives_way_to_what_others_did(tmp_path: Path, service: ModelService) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await conflicting(workspace, service, key)
        workspace.undo()
        await settled(workspace)
        assert [post.at for post in workspace.posts] == [START + 9 * HOUR]
        assert sent(service) == 0


async def test_a_move_is_not_taken_back_over_somebody_elses(tmp_path: Path, service: ModelService) -> None:
    key = service.add_post(service.add_account(), START + HOUR, "Autumn sale")
    async with opened(tmp_path, service) as workspace:
        await until(lambda: key in workspace.posts)
        workspace.move({key: START + 5 * HOUR})
        await settled(workspace)
        move_there(service, key, START + 9 * HOUR)
        await until(lambda: [post.at for post in workspace.posts] == [START + 9 * HOUR])
        workspace.undo()
        assert [post.at for post in workspace.posts] == [START + 9 * HOUR]
        assert "It has been changed elsewhere since then." in workspace.said[-1].text


async def test_what_both_wanted_alike_is_no_conflict(tmp_path: Path, service: ModelService) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: key in workspace.posts)
        service.online = False
        workspace.move({key: START + 5 * HOUR})
        move_there(service, key, START + 5 * HOUR)
        service.online = True
        await settled(workspace)
        assert workspace.said == []
    assert sent(service) == 0


async def test_what_was_published_meanwhile_stays_published(tmp_path: Path, service: ModelService) -> None:
    key = service.add_post(service.add_account(), START + HOUR, "Out already")
    async with opened(tmp_path, service) as workspace:
        await until(lambda: key in workspace.posts)
        service.online = False
        workspace.cancel([key])
        service.posts[UUID(key)] |= {
            "status": "posted",
            "posted_at": format_timestamp(from_millis(START)),
        }
        service.online = True
        await until(lambda: workspace.said)
        assert workspace.said[0].text == "“Out already” wasn't cancelled: it is already published."
        assert workspace.posts.all()[0].status is PostStatus.POSTED
    assert sent(service) == 0


async def test_a_change_of_ones_own_whose_answer_was_lost_is_no_conflict(
    tmp_path: Path, service: ModelService
) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: key in workspace.posts)
        service.faults.append(("PATCH", "lose"))
        workspace.move({key: START + 5 * HOUR})
        await until(lambda: time_there(service, key) == START + 5 * HOUR)
        workspace.move({key: START + 6 * HOUR})
        await settled(workspace)
        assert workspace.said == []
    assert time_there(service, key) == START + 6 * HOUR


async def test_the_history_lists_every_step_and_goes_to_any_of_them(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        (key,) = workspace.plan([new_post(account)])
        workspace.move({key: START + 2 * HOUR})
        workspace.move({key: START + 3 * HOUR})
        workspace.cancel([key])
        await settled(workspace)
    async with opened(tmp_path, service) as workspace:
        labels = [(str(entry.label), entry.done) for entry in workspace.history]
        assert labels == [(f"{verb} post", True) for verb in ("Cancel", "Move", "Move", "Schedule")]
        assert all(entry.made_at == START and entry.keys == {key} for entry in workspace.history)
        second = workspace.history[2]
        workspace.go_to_step(second.id)
        await settled(workspace)
        assert [post.at for post in workspace.posts] == [START + 2 * HOUR]
        assert [entry.done for entry in workspace.history] == [False, False, True, True]
        workspace.go_to_step(workspace.history[0].id)
        await settled(workspace)
        assert workspace.posts.all()[0].status is PostStatus.CANCELLED
        assert {entry.done for entry in workspace.history} == {True}
