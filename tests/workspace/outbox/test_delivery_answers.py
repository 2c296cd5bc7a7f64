"""What answers change: stored, late or refused ones, and what the app does if it can't store them."""

import asyncio
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from app.client import ServerFailed
from app.contract.base import format_timestamp, parse_timestamp
from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.database import DiskFullError
from app.workspace.clock import from_millis, to_millis
from app.workspace.outbox import delivery
from app.workspace.outbox.intention import Intention, Wanted
from app.workspace.posts.planned import PlannedPost
from app.workspace.store.journal import Batch
from app.workspace.sync import link
from tests.workspace.held_service import HeldService
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import Opened, new_post, opened, settled, until
from tests.workspace.streaming_service import StreamingService
from tests.workspace.sync.test_stream import PATIENT


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


@pytest.fixture
def current(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the service reports changes, posts aren't requested before they're changed."""
    monkeypatch.setattr(link, "_CAUGHT_UP_S", 0)


def calls(service: ModelService, *methods: str) -> list[str]:
    """The methods of the calls that concern posts, with the hour that was asked for."""
    made = [one for one in service.requests if one.method in methods and "/posts" in one.url.path]
    return [" ".join([one.method, *_hour(one.content)]) for one in made]


def _hour(content: bytes) -> list[str]:
    at = json.loads(content or b"{}").get("scheduled_at")
    return [str((to_millis(parse_timestamp(at)) - START) // HOUR)] if at else []


def move_there(service: ModelService, key: str, hours: int) -> None:
    """Move a post on the service, which tells nobody."""
    service.posts[UUID(key)]["scheduled_at"] = format_timestamp(from_millis(START + hours * HOUR))


def hours_there(service: ModelService) -> list[int]:
    return [
        (to_millis(parse_timestamp(one["scheduled_at"])) - START) // HOUR for one in service.posts.values()
    ]


def hours_here(workspace: Opened) -> list[int]:
    return [(post.at - START) // HOUR for post in workspace.posts]


async def known(workspace: Opened, count: int = 1) -> None:
    await until(lambda: len(workspace.posts) == count and workspace.sync.last_synced)


class FullDisk:
    """A disk that can't store the next answer, once the test has let it try, but the one after it."""

    def __init__(self, workspace: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_asked, self.may_fail, self.has_stored = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._write = workspace._salvage.write
        monkeypatch.setattr(workspace._salvage, "write", self._store)

    async def _store(self, batch: Batch) -> None:
        if self.is_asked.is_set():
            await self._write(batch)
            self.has_stored.set()
            return
        self.is_asked.set()
        await self.may_fail.wait()
        raise DiskFullError("The disk is full.")


@pytest.mark.logs_error("a confirmation could not be kept")
@pytest.mark.parametrize("changes_mind", [False, True])
@pytest.mark.parametrize("is_new", [False, True])
async def test_an_answer_that_could_not_be_stored_loses_no_newer_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_new: bool, changes_mind: bool
) -> None:
    service = StreamingService(HandClock())
    account = service.add_account()
    if not is_new:
        service.add_post(account, START + HOUR)
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: workspace.sync.followed and workspace.sync.last_synced)
        disk = FullDisk(workspace, monkeypatch)
        if is_new:
            (key,) = workspace.plan([new_post(account, at=START + 2 * HOUR)])
        else:
            (key,) = [post.key for post in workspace.posts]
            workspace.move({key: START + 2 * HOUR})
        await disk.is_asked.wait()
        if changes_mind:
            workspace.move({key: START + 3 * HOUR})
        disk.may_fail.set()
        wanted = 3 if changes_mind else 2
        await until(disk.has_stored.is_set, patience=10)
        await until(lambda: workspace.sync.waiting == 0)
        assert (hours_there(service), hours_here(workspace)) == ([wanted], [wanted])
        assert [post.key for post in workspace.posts] == [key]
        assert workspace.said == []
    made = calls(service, "POST", "PATCH")
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: workspace.sync.followed and workspace.sync.waiting == 0)
        assert hours_here(workspace) == [wanted]
    assert calls(service, "POST", "PATCH") == made, "it was stored in the end"


@pytest.mark.logs_error("a confirmation could not be kept")
@pytest.mark.parametrize("is_cancelled", [False, True])
async def test_a_new_post_whose_answer_was_not_stored_is_known_after_a_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_cancelled: bool
) -> None:
    """The user changed it when the answer had arrived; only that change was stored before the app died."""
    service = StreamingService(HandClock())
    account = service.add_account()
    other = service.add_post(account, START + 2 * HOUR)
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: workspace.sync.followed and workspace.sync.last_synced)
        disk = FullDisk(workspace, monkeypatch)
        (key,) = workspace.plan([new_post(account)])
        await disk.is_asked.wait()
        if is_cancelled:
            workspace.cancel([key])
        else:
            workspace.move({key: START + 3 * HOUR})
        workspace.move({other: START + 4 * HOUR})
        await until(lambda: workspace.sync.saving == 0)
        crashed = tmp_path / "crashed"
        crashed.mkdir()
        _copy(tmp_path / "workspace.db", crashed / "workspace.db")
        disk.may_fail.set()
        service.faults += [("POST", "timeout")] * 1_000
    service.faults.clear()
    async with opened(crashed, service) as workspace:
        await settled(workspace)
        (created,) = [post for key, post in service.posts.items() if str(key) != other]
        assert created["status"] == ("cancelled" if is_cancelled else "scheduled")
        if not is_cancelled:
            assert (hours_there(service), sorted(hours_here(workspace))) == ([4, 3], [3, 4])
        assert len(workspace.posts) == 2
        assert workspace.conflicts == []


async def test_a_call_is_stored_while_another_post_is_still_to_be_created(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    moved = service.add_post(account, START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await known(workspace)
        service.faults += [("POST", "timeout"), ("PATCH", "timeout")] * 10_000
        workspace.plan([new_post(account, "New")])
        workspace.move({moved: START + 2 * HOUR})
        await until(lambda: len(calls(service, "POST", "PATCH")) >= 4)
        crashed = tmp_path / "crashed"
        crashed.mkdir()
        _copy(tmp_path / "workspace.db", crashed / "workspace.db")
        service.faults.clear()
        await settled(workspace)
    with closing(sqlite3.connect(crashed / "workspace.db")) as stored:
        ((sent,),) = stored.execute("SELECT sent FROM outbox WHERE key = ?", (moved,)).fetchall()
    assert json.loads(sent)[-1] == [START + 2 * HOUR, False], "it may arrive later"


def _copy(database: Path, into: Path) -> None:
    with closing(sqlite3.connect(database)) as known, closing(sqlite3.connect(into)) as copy:
        known.backup(copy)


async def shown_twice(workspace: Opened, service: ModelService, hours: int) -> tuple[str, str]:
    """Schedules a post and gets its key, and that of the copy which was moved elsewhere to ``hours``.

    The create call was carried out, and refused when it was repeated. The post is then scheduled again for
    the same time; these calls get no answer.
    """
    (account,) = [connection["id"] for connection in service.connections]
    await until(lambda: account in workspace.accounts)
    service.faults += [("POST", "lose"), *[("POST", "timeout")] * 10_000]
    (key,) = workspace.plan([new_post(account)])
    await until(lambda: service.posts)
    (copy,) = [str(post_id) for post_id in service.posts]
    move_there(service, copy, hours)
    service.faults[:] = [("POST", "refuse")]
    await until(lambda: workspace.said and len(workspace.posts) == 2)
    workspace.said.clear()
    service.faults += [("POST", "timeout")] * 10_000
    workspace.cancel([key])
    workspace.schedule_again({key: START + HOUR})
    return key, copy


@pytest.mark.logs_error("a confirmation could not be kept")
@pytest.mark.parametrize("is_full", [False, True])
async def test_a_listed_copy_of_a_new_post_is_replaced_with_its_change(
    tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch, *, is_full: bool
) -> None:
    """The copy was moved here before the create call was answered; its change isn't lost on a full disk."""
    service.add_account()
    async with opened(tmp_path, service) as workspace:
        key, copy = await shown_twice(workspace, service, 5)
        service.faults += [("PATCH", "timeout")] * 10_000
        workspace.move({copy: START + 7 * HOUR})
        await until(lambda: "PATCH 7" in calls(service, "PATCH"))
        if is_full:
            disk = FullDisk(workspace, monkeypatch)
            disk.may_fail.set()
        service.faults[:] = [fault for fault in service.faults if fault[0] == "PATCH"]
        await until(lambda: [post.key for post in workspace.posts] == [key])
        if is_full:
            await disk.is_asked.wait()
        service.faults.clear()
        await settled(workspace)
        assert [post.key for post in workspace.posts] == [key]
        assert (hours_there(service), hours_here(workspace)) == ([7], [7])
        assert any(changes.removed == {copy} and changes.undo for changes in workspace.heard)
        assert workspace.conflicts == []


@pytest.mark.usefixtures("current")
@pytest.mark.parametrize("what", ["move", "cancel"])
@pytest.mark.parametrize("is_followed", [False, True])
async def test_a_change_of_a_post_that_is_gone_removes_it(
    tmp_path: Path, *, is_followed: bool, what: str
) -> None:
    service = StreamingService(HandClock(), offers=["events"] if is_followed else [])
    key = service.add_post(service.add_account(), START + HOUR, "Gone")
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await known(workspace)
        await until(lambda: workspace.sync.followed == is_followed)
        del service.posts[UUID(key)]
        workspace.move({key: START + 2 * HOUR}) if what == "move" else workspace.cancel([key])
        await until(lambda: not len(workspace.posts))
        await until(lambda: workspace.sync.waiting == 0 and not workspace._core.mirror.sending)
        told = [message.text for message in workspace.said if "wasn't" in message.text]
        assert told == (["“Gone” wasn't moved: it no longer exists."] if what == "move" else [])
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        assert len(workspace.posts) == 0


@pytest.mark.parametrize("what", ["move", "cancel"])
async def test_a_post_that_was_published_meanwhile_is_not_changed(
    tmp_path: Path, service: ModelService, what: str
) -> None:
    key = service.add_post(service.add_account(), START + HOUR, "Out")
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await known(workspace)
        at = format_timestamp(from_millis(START))
        service.posts[UUID(key)] |= {"status": "posted", "posted_at": at}
        before = len(workspace.heard)
        workspace.move({key: START + 2 * HOUR}) if what == "move" else workspace.cancel([key])
        labels = [workspace.undo_label]
        await until(lambda: workspace.said)
        verb = "moved" if what == "move" else "cancelled"
        assert [one.text for one in workspace.said] == [f"“Out” wasn't {verb}: it is already published."]
        assert calls(service, "PATCH", "DELETE") == []
        labels.append(workspace.undo_label)
        assert labels == ["Move post" if what == "move" else "Cancel post", None]
        assert [changes.undo for changes in workspace.heard[before:] if key in changes.posts].count(True) == 2
        assert (workspace.sync.waiting, hours_here(workspace)) == (0, [1])
    service.online = False
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        assert [(post.at, post.status) for post in workspace.posts] == [(START + HOUR, PostStatus.POSTED)]
        assert workspace.sync.waiting == 0


async def test_a_change_that_was_made_elsewhere_is_not_sent(tmp_path: Path, service: ModelService) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await known(workspace)
        move_there(service, key, 2)
        workspace.move({key: START + 2 * HOUR})
        await until(lambda: workspace.sync.waiting == 0)
        assert (calls(service, "PATCH"), hours_here(workspace)) == ([], [2])
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        assert (workspace.sync.waiting, hours_here(workspace)) == (0, [2])


@pytest.mark.usefixtures("current")
async def test_after_a_refused_move_the_post_is_stored_as_the_service_has_it(tmp_path: Path) -> None:
    service = StreamingService(HandClock())
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await known(workspace)
        await until(lambda: workspace.sync.followed)
        move_there(service, key, 5)
        service.faults.append(("PATCH", "refuse"))
        workspace.move({key: START + 2 * HOUR})
        await until(lambda: hours_here(workspace) == [5])
        (message,) = workspace.said
        assert "req-400" in message.details
        assert workspace.conflicts == []
    service.online = False
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        assert (hours_here(workspace), workspace.sync.waiting) == ([5], 0)


@pytest.mark.logs_error("a confirmation could not be kept")
async def test_what_a_request_before_a_call_finds_is_stored_even_if_the_disk_was_full_at_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, service: ModelService
) -> None:
    """The answer to the cancellation is lost, so the post is requested before the second try."""
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await known(workspace)
        disk = FullDisk(workspace, monkeypatch)
        service.faults.append(("DELETE", "lose"))
        workspace.cancel([key])
        await disk.is_asked.wait()
        disk.may_fail.set()
        await until(lambda: workspace.sync.waiting == 0)
        assert len(calls(service, "DELETE")) == 1
    service.online = False
    async with opened(tmp_path, service) as workspace:
        assert [post.status for post in workspace.posts] == [PostStatus.CANCELLED]


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("is_early", [False, True])
async def test_a_late_move_is_taken_back_when_a_newer_one_is_refused(
    tmp_path: Path, *, is_early: bool, restarts: bool
) -> None:
    """The late move is carried out before the post is requested for the newer one, or while that is sent."""
    service = HeldService(HandClock())
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await known(workspace)
        service.faults += [("PATCH", "timeout")] * 10_000
        workspace.move({key: START + 2 * HOUR})
        await until(lambda: "PATCH 2" in calls(service, "PATCH"))
        service.faults.clear()
        workspace.move({key: START + 3 * HOUR})
        await until(lambda: workspace.sync.waiting == 0)
        assert hours_there(service) == [3]
        service.faults += [("PATCH", "refuse"), *[("PATCH", "timeout")] * (10_000 * restarts)]
        with service.hold("PATCH", key):
            if is_early:
                move_there(service, key, 2)
                workspace._core.mirror.doubtful[key] = None  # so that the post is requested
            workspace.move({key: START + 4 * HOUR})
            await until(lambda: service.waiting)
            move_there(service, key, 2)
        await until(lambda: calls(service, "PATCH")[-1] == "PATCH 3")
        if not restarts:
            await until(lambda: hours_there(service) == [3] and workspace.sync.waiting == 0)
            assert hours_here(workspace) == [3]
    service.faults.clear()
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: hours_there(service) == [3] and workspace.sync.waiting == 0)
        assert (hours_here(workspace), workspace.conflicts) == ([3], [])


async def test_a_late_move_of_a_cancelled_post_is_taken_back_when_its_resumption_is_refused(
    tmp_path: Path,
) -> None:
    service = HeldService(HandClock())
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await known(workspace)
        service.faults += [("PATCH", "timeout")] * 10_000
        workspace.move({key: START + 2 * HOUR})
        await until(lambda: "PATCH 2" in calls(service, "PATCH"))
        service.faults.clear()
        workspace.cancel([key])
        await until(lambda: workspace.sync.waiting == 0)
        service.faults.append(("PATCH", "refuse"))
        move_there(service, key, 2)
        service.posts[UUID(key)]["status"] = "scheduled"
        workspace._core.mirror.doubtful[key] = None  # so that the post is requested
        assert workspace.schedule_again({key: START + 4 * HOUR}) == [key]
        await until(lambda: service.posts[UUID(key)]["status"] == "cancelled")
        await until(lambda: workspace.sync.waiting == 0)
        assert [post.status for post in workspace.posts] == [PostStatus.CANCELLED]


async def test_a_created_post_still_belongs_to_its_draft_after_a_restart(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        (key,) = workspace.plan([new_post(account, key=f"draft:{account}")])
        await settled(workspace)
    service.online = False
    async with opened(tmp_path, service) as workspace:
        assert [(post.key, post.draft) for post in workspace.posts] == [(key, "draft")]


def test_an_answer_is_older_than_what_a_list_told_unless_that_is_published() -> None:
    answered = PlannedPost(
        "a", START, "account", PostingPlatform.X, PostType.TEXT, PostStatus.SCHEDULED, "text"
    )
    told = answered._replace(
        key="b", at=START + HOUR, status=PostStatus.FAILED, reason="Lost.", may_be_live=True
    )
    assert delivery._as_told(answered, None) == answered
    assert delivery._as_told(answered, told) == told._replace(key="a")
    assert delivery._as_told(answered, told._replace(published=True)) == answered


def test_a_change_that_could_not_be_stored_keeps_its_calls_and_takes_the_newer_wish() -> None:
    first, second = (Wanted(START + hours * HOUR, cancelled=False) for hours in (1, 2))
    current = Intention("a", first, attempts=1, create_at=START, seen=first, sent=(first,))
    newer = Intention("a", second, version=3, after="b")
    assert delivery._again(None, current) == current
    assert delivery._again(newer, current) == replace(current, wanted=second, version=3, after="b")


async def test_a_list_that_was_requested_before_a_move_does_not_take_it_back(tmp_path: Path) -> None:
    service = HeldService(HandClock())
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await known(workspace)
        with service.hold("GET", "/api/v1/posts"):
            await until(lambda: service.waiting)
            workspace.move({key: START + 2 * HOUR})
            await until(lambda: workspace.sync.waiting == 0)
            shown: list[list[int]] = []
            workspace.listen(lambda _: shown.append(hours_here(workspace)))
            before = workspace.sync.last_synced
        await until(lambda: workspace.sync.last_synced != before or len(shown) > 20)
        await settled(workspace)
        assert [hours for hours in shown if hours != [2]] == []


async def test_a_create_call_is_refused_for_one_time_and_made_for_another(tmp_path: Path) -> None:
    service = HeldService(HandClock())
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: account in workspace.accounts)
        with service.hold("POST", "/posts"):
            service.faults.append(("POST", "refuse"))
            (key,) = workspace.plan([new_post(account, at=START + HOUR)])
            await until(lambda: service.waiting)
            workspace.move({key: START + 2 * HOUR})
        await settled(workspace)
        assert calls(service, "POST", "PATCH") == ["POST 1", "POST 2"]
        assert (hours_there(service), hours_here(workspace), workspace.said) == ([2], [2], [])


@pytest.mark.usefixtures("current")
async def test_a_post_in_doubt_is_requested_until_that_works_and_then_changed(tmp_path: Path) -> None:
    service = StreamingService(HandClock())
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await known(workspace)
        await until(lambda: workspace.sync.followed)
        mirror, sender = workspace._core.mirror, workspace._outbox._delivery
        mirror.set_sending(key, sending=True)  # so that the test alone sends the change
        workspace.move({key: START + 2 * HOUR})
        mirror.doubtful[key] = None
        service.requests.clear()
        service.faults.append(("GET", "500"))
        with pytest.raises(ServerFailed):
            await sender.deliver(key)
        await sender.deliver(key)
        assert [one.method for one in service.requests] == ["GET", "GET", "PATCH"]


@pytest.mark.parametrize("differs", ["text", "title", "account", "time", "nothing"])
async def test_a_post_that_only_looks_alike_is_not_taken_for_a_created_one(
    tmp_path: Path, service: ModelService, differs: str
) -> None:
    """The create call got no response, and is refused when it's repeated."""
    account, other = service.add_account(), service.add_account()
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: workspace.sync.last_synced)
        service.faults.append(("POST", "timeout"))
        (key,) = workspace.plan([new_post(account)])
        service.add_post(
            other if differs == "account" else account,
            START + (2 if differs == "time" else 1) * HOUR,
            "Another" if differs == "text" else "Hello",
        )
        next(iter(service.posts.values()))["title"] = "Title" if differs == "title" else None
        service.faults.append(("POST", "refuse"))
        await until(lambda: workspace.sync.waiting == 0)
        post = workspace.posts.get(key)
        assert post is not None
        assert post.status is (PostStatus.SCHEDULED if differs == "nothing" else PostStatus.FAILED)


async def test_the_first_call_to_create_a_post_takes_nothing_for_it(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: workspace.sync.last_synced)
        service.add_post(account, START + HOUR, "Hello")
        service.faults.append(("POST", "refuse"))
        (key,) = workspace.plan([new_post(account)])
        await until(lambda: workspace.sync.waiting == 0)
        post = workspace.posts.get(key)
        assert post is not None
        assert (post.status, post.reason) == (PostStatus.FAILED, "not today")
        (message,) = workspace.said
        assert message.text == "“Hello” wasn't scheduled: not today."
        assert "req-400" in message.details


async def test_a_known_post_is_not_taken_for_a_created_one(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()
    twin = service.add_post(account, START + HOUR, "Hello")
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await known(workspace)
        service.faults += [("POST", "timeout"), ("POST", "refuse")]
        (key,) = workspace.plan([new_post(account)])
        await until(lambda: workspace.sync.waiting == 0)
        shown = {post.key: post.status for post in workspace.posts}
        assert shown == {twin: PostStatus.SCHEDULED, key: PostStatus.FAILED}


async def test_what_is_wanted_back_after_a_confirmed_move_needs_no_call(tmp_path: Path) -> None:
    """A newer move was never sent, and is taken back to what the service confirmed."""
    service = HeldService(HandClock())
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await known(workspace)
        with service.hold("PATCH", key):
            workspace.move({key: START + 2 * HOUR})
            await until(lambda: service.waiting)
            workspace.move({key: START + 3 * HOUR})
            workspace.move({key: START + 2 * HOUR})
        await until(lambda: workspace.sync.waiting == 0)
        assert (calls(service, "PATCH"), hours_there(service)) == (["PATCH 2"], [2])
