"""A service that is stopped or gone: what the status says before any call has failed."""

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import httpx

from app.client import RetryPolicy, ServiceClient
from app.workspace.clock import from_millis
from tests.workspace.held_service import HeldService
from tests.workspace.model_service import BASE_URL, KEY, START
from tests.workspace.opened import QUICK, opened, until
from tests.workspace.streaming_service import StreamingService

_PACE = replace(QUICK, silence=0.2, answer=0.1, broken=0.05)


@dataclass
class StoppedService(StreamingService):
    """A service that tells of changes; while it is ``stopped``, calls and streams hang."""

    stopped: bool = False

    def client(self) -> ServiceClient:
        transport = httpx.MockTransport(self._hanging)
        retries = RetryPolicy(attempts=1, wait_initial=0.01)
        return ServiceClient(BASE_URL, KEY, transport=transport, retries=retries)

    async def _hanging(self, request: httpx.Request) -> httpx.Response:
        while self.stopped:  # noqa: ASYNC110  the test tells nobody
            await asyncio.sleep(0.002)
        return self.answer(request)


def test_a_followed_service_that_is_stopped_is_missed_and_found_again(tmp_path: Path) -> None:
    service = StoppedService(lambda: START)
    service.add_account()

    async def story() -> None:
        async with opened(tmp_path, service, pace=_PACE) as workspace:
            await until(lambda: workspace.sync.followed and workspace.sync.last_synced)
            service.stopped = True
            await until(lambda: workspace.sync.silent_since)
            assert workspace.sync.followed
            silent = workspace.sync.silent_since
            assert silent is not None
            assert silent < from_millis(service.clock())
            service.stopped = False
            await until(lambda: workspace.sync.silent_since is None)
            synced = workspace.sync.last_synced
            assert synced is not None
            assert from_millis(service.clock()) - synced < timedelta(seconds=1)

    asyncio.run(story())


def test_a_service_that_is_asked_is_missed_too(tmp_path: Path) -> None:
    service = HeldService(lambda: START)
    service.add_account()

    async def story() -> None:
        async with opened(tmp_path, service, pace=_PACE) as workspace:
            await until(lambda: workspace.sync.last_synced)
            with service.hold("GET", "/connections"):
                await until(lambda: workspace.sync.silent_since)
                assert workspace.sync.connected
            await until(lambda: workspace.sync.silent_since is None)

    asyncio.run(story())


def test_a_stream_that_breaks_is_silence_until_an_answer_comes(tmp_path: Path) -> None:
    service = StoppedService(lambda: START)
    service.add_account()

    async def story() -> None:
        pace = replace(_PACE, silence=3_600, answer=3_600)
        async with opened(tmp_path, service, pace=pace) as workspace:
            await until(lambda: workspace.sync.followed and workspace.sync.last_synced)
            service.stopped = True
            service.cut()
            await until(lambda: workspace.sync.silent_since)
            service.stopped = False
            await until(lambda: workspace.sync.silent_since is None and workspace.sync.followed)

    asyncio.run(story())


def test_an_answering_service_is_never_called_silent(tmp_path: Path) -> None:
    service = StoppedService(lambda: START)
    service.add_account()

    async def story() -> None:
        async with opened(tmp_path, service, pace=_PACE) as workspace:
            await until(lambda: workspace.sync.followed and workspace.sync.last_synced)
            await until(lambda: service.asked("/companion/v1") >= 4)
            assert workspace.sync.silent_since is None
            assert all(workspace.sync.connected for _ in workspace.heard)

    asyncio.run(story())
