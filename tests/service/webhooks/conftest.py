"""A receiver, and a service that may call it, with its deliveries running."""

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from sqlalchemy import Row, func, select

from app.service.settings import RunOptions
from app.service.store.tables import deliveries, events
from app.service.webhooks.delivery_worker import DeliveryWorker
from app.service.webhooks.events import delivery_row
from tests.service.running import Caller, RunningService, run_service
from tests.service.webhooks.office import Played, Scene, open_office
from tests.service.webhooks.receivers import Endpoint, Received, Receiver


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
        running = asyncio.run_coroutine_threadsafe(_worker(service).run(), service.loop)
        yield service
        service.await_(_worker(service).stop)
        running.result(20)


def _worker(service: RunningService) -> DeliveryWorker:
    return next(worker for worker in service.parts.workers if isinstance(worker, DeliveryWorker))


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
        """Makes an event ``post.scheduled``, and has the worker look for it at once."""
        created = self.caller.create(self.connection_id, **fields)
        service = self.caller.service
        service.loop.call_soon_threadsafe(_worker(service).notify)
        return created

    def replay(self, subscription_id: str, delivery_id: str) -> dict[str, Any]:
        answer = self.caller.http.post(f"/webhooks/{subscription_id}/deliveries/{delivery_id}/replay")
        assert answer.status_code == 200, answer.text
        replayed: dict[str, Any] = answer.json()
        return replayed

    def get(self, subscription_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.caller.http.get(f"/webhooks/{subscription_id}").json()
        return found

    def log(self, subscription_id: str, **query: Any) -> list[dict[str, Any]]:
        answer = self.caller.http.get(f"/webhooks/{subscription_id}/deliveries", params=query)
        found: list[dict[str, Any]] = answer.json()["data"]
        return found

    def logged(self, subscription_id: str, count: int) -> list[dict[str, Any]]:
        """The log, once it has so many records; it must not have more."""
        self._until(lambda: len(self.log(subscription_id, limit=100)) >= count)
        log = self.log(subscription_id, limit=100)
        assert len(log) == count
        return log

    def settled(self, subscription_id: str) -> list[dict[str, Any]]:
        """The log, once nothing waits to be delivered any more."""
        waiting = select(func.count()).where(
            deliveries.c.subscription_id == UUID(subscription_id), deliveries.c.next_attempt_at.is_not(None)
        )
        database = self.caller.service.database
        self._until(lambda: database.read_now(lambda rows: rows.scalar(waiting)) == 0)
        return self.log(subscription_id, limit=100)

    def row(self, delivery_id: str) -> Row[Any]:
        """A delivery with what was sent."""
        wanted = select(deliveries).where(deliveries.c.id == UUID(delivery_id))
        return self.caller.service.database.read_now(lambda rows: rows.execute(wanted).one())

    def put_off(self, delivered: dict[str, Any]) -> str:
        """Stores a further attempt for the event of a delivery, due in an hour; its id."""
        now = self.caller.service.clock()
        earlier = self.row(delivered["id"])
        later = delivery_row(earlier.subscription_id, earlier.event_id, earlier.event_type, now, attempt=2)
        later["next_attempt_at"] = now + timedelta(hours=1)
        self.caller.service.database.write_now(lambda rows: rows.execute(deliveries.insert().values(later)))
        return str(later["id"])

    def another_client(self) -> httpx.Client:
        """For calls that are under way beside others."""
        return self.caller.service.client({"Authorization": f"Bearer {self.caller.key}"})

    def recorded_events(self) -> list[str]:
        """The types of all events of the account."""
        wanted = select(events.c.type).where(events.c.account_id == self.caller.account_id)
        return list(self.caller.service.database.read_now(lambda rows: rows.scalars(wanted).all()))

    def _until(self, holds: Callable[[], bool]) -> None:
        """Waits for something that must come true."""
        deadline = time.monotonic() + 60
        while not holds():
            assert time.monotonic() < deadline, "it never came true"
            time.sleep(0.02)


@pytest.fixture
def subscriber(_delivering: RunningService) -> Iterator[Subscriber]:
    """An account of this test's own, on a service that delivers to loopback."""
    caller = _delivering.new_caller()
    yield Subscriber(caller, caller.connect())
    _delivering.forget_callers()


@dataclass(frozen=True)
class Signed:
    """A delivery that arrived, with the secret that it was signed with."""

    secret: str
    request: Received

    @property
    def signature(self) -> str:
        return self.request.headers["x-service-signature"]

    @property
    def standard(self) -> dict[str, str]:
        return {name: self.request.headers[name] for name in self.request.headers if name[:8] == "webhook-"}


@pytest.fixture
def signed(subscriber: Subscriber, receiver: Receiver) -> Signed:
    """A real delivery, with more than ASCII in it."""
    endpoint = receiver.endpoint()
    made = subscriber.subscribe(endpoint)
    subscriber.schedule(batch_id='Frühling 🌷 \\ "春"')
    return Signed(made["secret"], endpoint.wait_for(1)[0])


@pytest.fixture
def play(tmp_path: Path, receiver: Receiver) -> Played:
    def run(scene: Scene) -> None:
        open_office(tmp_path, receiver, scene)

    return run
