"""Following the service's stream: changes come by themselves, and an idle workspace asks for nothing."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.contract.companion import ChangeKind
from app.contract.posts import Post
from app.database import DiskFullError
from app.workspace.messages import Problem
from app.workspace.sync.stream import ChangeStream, Ears
from tests.workspace.model_service import HOUR, START, HandClock
from tests.workspace.opened import QUICK, opened, until
from tests.workspace.streaming_service import StreamingService

# Without the stream, nothing but the first listing would come within the time that a test waits.
PATIENT = replace(
    QUICK, poll_active=600, poll_idle=600, everything=600, everything_followed=600, stream_again=0.01
)
EAGER = replace(PATIENT, poll_active=0.02, poll_idle=0.02)


@pytest.fixture
def service() -> StreamingService:
    return StreamingService(HandClock())


def test_changes_come_by_themselves(tmp_path: Path, service: StreamingService) -> None:
    async def story() -> None:
        first = service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service, pace=PATIENT) as workspace:
            await until(lambda: first in workspace.posts and service.open)
            second = service.add_post(service.add_account(), START + 2 * HOUR, "second")
            service.tell_post(second)
            await until(lambda: second in workspace.posts)
            service.posts[UUID(second)]["status"] = "cancelled"
            service.tell_post(second)
            await until(lambda: (post := workspace.posts.get(second)) and post.status == "cancelled")
            del service.posts[UUID(second)]
            service.tell_post(second)
            await until(lambda: second not in workspace.posts)
            service.tell(ChangeKind.CONNECTION, {"id": service.connections[0]["id"], "connection": None})
            await until(lambda: len(workspace.accounts) == 2)
            service.tell(ChangeKind.MEDIA, {"storage_path": "me/coat.jpg"})
            await until(lambda: any(changes.files for changes in workspace.heard))
            assert not any(changes.deliveries for changes in workspace.heard)
            service.tell(ChangeKind.DELIVERY, {"id": str(uuid4()), "subscription_id": None})
            await until(lambda: any(changes.deliveries for changes in workspace.heard))
            assert service.asked("/api/v1/posts") == 1

    asyncio.run(story())


def test_a_look_that_failed_is_made_good_though_nothing_is_asked_for_by_itself(
    tmp_path: Path, service: StreamingService
) -> None:
    async def story() -> None:
        service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service, pace=PATIENT) as workspace:
            await until(lambda: len(workspace.posts) == 1 and service.open and workspace.sync.last_synced)
            account = service.connections[0]
            made, account["created_at"] = account["created_at"], "soon"
            with pytest.raises(Problem):
                await workspace.refresh()
            assert workspace.sync.problem
            account["created_at"] = made
            await until(lambda: not workspace.sync.problem)

    asyncio.run(story())


def test_an_idle_workspace_asks_for_nothing(tmp_path: Path, service: StreamingService) -> None:
    async def story() -> None:
        service.add_post(service.add_account(), START + HOUR)
        async with opened(tmp_path, service, pace=EAGER) as workspace:
            await until(lambda: len(workspace.posts) == 1 and service.open and workspace.sync.last_synced)
            before = len(service.requests)
            await asyncio.sleep(10 * EAGER.poll_active)
            assert len(service.requests) == before
            assert service.asked("/api/v1/posts") == 1

    asyncio.run(story())


def test_a_cut_stream_is_taken_up_where_it_was(tmp_path: Path, service: StreamingService) -> None:
    async def story() -> None:
        account = service.add_account()
        async with opened(tmp_path, service, pace=PATIENT) as workspace:
            await until(lambda: workspace.accounts and service.open)
            service.online = False
            service.cut()
            missed = service.add_post(account, START + HOUR)
            service.tell_post(missed)
            await until(lambda: not workspace.sync.connected)
            service.online = True
            await until(lambda: missed in workspace.posts)
            await until(lambda: workspace.sync.connected)
            service.cut()
            await until(lambda: taken_up(service)[-1] == f"{len(service.told)}")

    asyncio.run(story())


def test_a_move_is_sent_again_as_soon_as_the_stream_tells_that_an_earlier_one_overtook_it(
    tmp_path: Path, service: StreamingService
) -> None:
    async def story() -> None:
        key = service.add_post(service.add_account(), START + HOUR)
        there = service.posts[UUID(key)]
        async with opened(tmp_path, service, pace=PATIENT) as workspace:
            await until(lambda: key in workspace.posts and service.open)
            service.faults.append(("PATCH", "timeout"))
            for hours in (2, 3):
                workspace.move({key: START + hours * HOUR})
                moved = f"2026-11-21T{9 + hours}:00:00.000Z"
                await until(lambda: there["scheduled_at"] == moved and workspace.sync.waiting == 0)  # noqa: B023
        async with opened(tmp_path, service, pace=replace(PATIENT, silence=600, health=600)) as workspace:
            await until(lambda: service.open and workspace.sync.followed)
            await workspace.refresh()
            there["scheduled_at"] = "2026-11-21T11:00:00.000Z"
            service.tell_post(key)
            await until(lambda: there["scheduled_at"] == "2026-11-21T12:00:00.000Z")

    asyncio.run(story())


def taken_up(service: StreamingService) -> list[str | None]:
    """After which event each stream was asked for."""
    asked = (request for request in service.requests if request.url.path == "/companion/v1/events")
    return [request.headers.get("last-event-id") for request in asked]


def test_the_stream_goes_on_where_it_was_after_a_restart(tmp_path: Path, service: StreamingService) -> None:
    async def story() -> None:
        account = service.add_account()
        async with opened(tmp_path, service, pace=PATIENT) as workspace:
            await until(lambda: workspace.accounts and service.open and workspace.sync.last_synced)
            first = service.add_post(account, START + HOUR)
            service.tell_post(first)
            await until(lambda: first in workspace.posts)
        lists = service.asked("/api/v1/posts")
        missed = service.add_post(account, START + HOUR)
        service.tell_post(missed)
        async with opened(tmp_path, service, pace=PATIENT) as workspace:
            await until(lambda: missed in workspace.posts and workspace.sync.last_synced)
            assert taken_up(service)[0] is None
            assert taken_up(service)[-1] is not None
            assert service.asked("/api/v1/posts") == lists

    asyncio.run(story())


def test_a_stream_that_begins_anew_has_everything_listed_again(
    tmp_path: Path, service: StreamingService
) -> None:
    async def story() -> None:
        account = service.add_account()
        async with opened(tmp_path, service, pace=PATIENT) as workspace:
            await until(lambda: workspace.accounts and service.open)
            added = service.add_post(account, START + HOUR)  # and nobody tells
            service.tell(ChangeKind.RESET, {})
            await until(lambda: added in workspace.posts)

    asyncio.run(story())


def test_without_a_stream_that_works_news_are_asked_for(tmp_path: Path, service: StreamingService) -> None:
    async def story() -> None:
        service.refuses = True
        account = service.add_account()
        async with opened(tmp_path, service, pace=EAGER) as workspace:
            await until(lambda: workspace.accounts, patience=20)
            added = service.add_post(account, START + HOUR)
            await until(lambda: added in workspace.posts)

    asyncio.run(story())


def test_a_service_that_offers_no_stream_is_not_asked_for_one(
    tmp_path: Path, service: StreamingService
) -> None:
    service.offers = []

    async def story() -> None:
        service.add_account()
        async with opened(tmp_path, service, pace=EAGER) as workspace:
            await until(lambda: workspace.accounts and workspace.sync.last_synced)
            assert taken_up(service) == []

    asyncio.run(story())


def test_what_could_not_be_kept_is_heard_again(
    tmp_path: Path, service: StreamingService, caplog: pytest.LogCaptureFixture
) -> None:
    """The position moves on only behind what was taken."""
    added = service.add_post(service.add_account(), START + HOUR)
    heard: list[str] = []

    async def keep(post_id: UUID, post: Post | None) -> None:
        assert post is not None
        heard.append(f"post {post_id}")
        if len(heard) == 3:
            raise DiskFullError("The disk is full.")

    def hear(what: str) -> Callable[[], None]:
        return lambda: heard.append(what)

    ears = Ears(
        listening=lambda listening: heard.append(f"listening {listening}"),
        reset=hear("reset"),
        post=keep,
        connections=hear("connections"),
        files=hear("files"),
        deliveries=hear("deliveries"),
    )

    async def story() -> None:
        async with opened(tmp_path, service, pace=PATIENT) as workspace:
            await until(lambda: service.open)
            stream = ChangeStream(workspace._core, ears, "")
            running = asyncio.create_task(stream.run())
            await stream.offer(offered=True)
            service.tell_post(added)
            await until(lambda: stream.position == "1" and heard[-1] == f"post {added}")
            service.cut()
            await until(lambda: heard[-2:] == ["listening False", "listening True"])
            caplog.set_level("INFO")
            await stream.offer(offered=True)
            assert "does not begin" not in caplog.text, "it goes on, and has nothing to tell"
            await stream.offer(offered=False)
            service.cut()
            await until(lambda: heard[-1] == "listening False")
            running.cancel()

    asyncio.run(story())
    told, ended, begun = f"post {added}", "listening False", "listening True"
    assert [what for what, _ in groupby(heard)] == [
        begun,
        "reset",
        told,
        ended,
        begun,
        told,
        ended,
        begun,
        ended,
    ]
