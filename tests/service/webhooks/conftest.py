"""A receiver, and a service that may call it, with its deliveries running."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from app.service.options import RunOptions
from app.service.webhooks.worker import WebhookWorker
from tests.service.running import Caller, RunningService, run_service
from tests.service.webhooks.receivers import Endpoint, Receiver


@pytest.fixture(scope="session")
def _receiver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    with Receiver(tmp_path_factory.mktemp("receiver")).running() as receiver:
        yield receiver


@pytest.fixture
def receiver(_receiver: Receiver) -> Iterator[Receiver]:
    """A server that takes webhooks; after the test nothing waits for it any more."""
    yield _receiver
    _receiver.release()


@pytest.fixture(scope="session")
def _delivering(tmp_path_factory: pytest.TempPathFactory, _receiver: Receiver) -> Iterator[RunningService]:
    options = RunOptions(
        practice_url="http://practice.invalid",
        allow_private_network=True,
        extra_ca=_receiver.authority,
        webhook_backoff=(0.01, 0.02, 0.03),
    )
    with run_service(tmp_path_factory.mktemp("delivering"), {}, options) as service:
        [worker] = [worker for worker in service.parts.workers if isinstance(worker, WebhookWorker)]
        running = asyncio.run_coroutine_threadsafe(worker.run(), service.loop)
        yield service
        service.await_(worker.stop)
        running.result(20)


@dataclass
class Subscriber:
    """An account that subscribes, with a connected account to post from."""

    caller: Caller
    connection_id: str

    def subscribe(self, endpoint: Endpoint, *events: str) -> dict[str, Any]:
        body = {"url": endpoint.url, "events": list(events) or ["post.scheduled"]}
        answer = self.caller.http.post("/webhooks", json=body)
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    def schedule(self, **fields: Any) -> dict[str, Any]:
        """Makes an event ``post.scheduled``."""
        return self.caller.create(self.connection_id, **fields)

    def get(self, subscription_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.caller.http.get(f"/webhooks/{subscription_id}").json()
        return found

    def log(self, subscription_id: str, **query: Any) -> list[dict[str, Any]]:
        answer = self.caller.http.get(f"/webhooks/{subscription_id}/deliveries", params=query)
        found: list[dict[str, Any]] = answer.json()["data"]
        return found


@pytest.fixture
def subscriber(_delivering: RunningService) -> Iterator[Subscriber]:
    """An account of this test's own, on a service that delivers to loopback."""
    caller = _delivering.new_caller()
    yield Subscriber(caller, caller.connect())
    _delivering.forget_callers()
