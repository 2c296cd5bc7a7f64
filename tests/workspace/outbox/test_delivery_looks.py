"""Posts are requested before they're changed, unless the change stream is up to date."""

import asyncio
import math
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.client import ServiceClient
from app.workspace.sync import link
from tests.workspace.held_service import HeldService
from tests.workspace.model_service import HOUR, START, HandClock
from tests.workspace.opened import opened, settled, until
from tests.workspace.streaming_service import StreamingService


@dataclass
class HeldStreamingService(StreamingService, HeldService):
    """Reports changes while responses to calls are held back."""

    def client(self) -> ServiceClient:
        return HeldService.client(self)


def test_a_post_deleted_while_it_is_requested_does_not_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "_CAUGHT_UP_S", math.inf)  # so that the post is requested before the move

    async def story() -> None:
        service = HeldStreamingService(HandClock())
        key = service.add_post(service.add_account(), START + HOUR)
        (post_id,) = service.posts
        async with opened(tmp_path, service) as workspace:
            await until(lambda: len(workspace.posts) == 1 and service.open)
            with service.hold("GET", str(post_id)):
                service.posts[post_id]["title"] = "Changed"
                workspace.move({key: START + 2 * HOUR})
                await until(lambda: service.waiting)
                del service.posts[post_id]
                service.tell_post(str(post_id))
                await until(lambda: not list(workspace.posts))
            await settled(workspace)
            assert list(workspace.posts) == []

    asyncio.run(story())
