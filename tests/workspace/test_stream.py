"""Following the service's stream: changes come by themselves, and an idle workspace asks for nothing."""

import asyncio
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from app.contract.companion import ChangeKind
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
            assert service.asked("/api/v1/posts") == 1

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
