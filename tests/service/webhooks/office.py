"""A store with subscriptions, and workers to set loose on it that can be killed."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, func, select, update

from app.contract.enums import EventType, PostingPlatform
from app.contract.webhooks import PostEventData
from app.service.accounts.accounts import Plan, create_account
from app.service.outbound import OutboundClient, OutboundPolicy
from app.service.store.seal import Seal
from app.service.store.tables import deliveries, webhook_subscriptions
from app.service.webhooks import subscriptions
from app.service.webhooks.delivery_worker import DeliverySettings, DeliveryWorker
from app.service.webhooks.events import record
from app.service.webhooks.sender import TIMEOUT, MessageSender
from tests.service.publishing.world import MortalDatabase
from tests.service.running import MovingClock
from tests.service.webhooks.receivers import Endpoint, Receiver
from tests.stores import service_engine

SETTINGS = DeliverySettings(
    backoff=(0.01, 0.02, 0.03), stop_grace=timedelta(minutes=1), lease=timedelta(minutes=10)
)
"""No claim ends by itself while a test waits, and stopping waits for a machine that is busy."""

DATA = PostEventData(
    post_id=UUID(int=1), platform=PostingPlatform.X, social_account_id=UUID(int=2), batch_id=None
)


@dataclass
class Office:
    """One store, one account, and the workers that deliver for it."""

    database: MortalDatabase
    outbound: OutboundClient
    clock: MovingClock
    seal: Seal
    account_id: UUID
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def subscribe(self, endpoint: Endpoint) -> UUID:
        """Subscribes to ``post.scheduled``."""
        types = [EventType.POST_SCHEDULED]
        made = self.database.write_now(
            lambda rows: subscriptions.add(
                rows, self.seal, self.account_id, endpoint.url, types, self.clock()
            )
        )
        return made.id

    def happen(self, times: int = 1) -> None:
        """That many events, each a little later than the last."""

        def work(rows: Connection) -> None:
            for number in range(times):
                at = self.clock() - timedelta(milliseconds=times - number)
                record(rows, self.account_id, EventType.POST_SCHEDULED, DATA, at)

        self.database.write_now(work)

    def worker(
        self,
        settings: DeliverySettings = SETTINGS,
        *,
        exclusive: bool = True,
        seal: Seal | None = None,
        timeout: timedelta = TIMEOUT,
    ) -> DeliveryWorker:
        """A worker that runs in the background."""
        sender = MessageSender(self.outbound, seal or self.seal, self.clock, timeout)
        worker = DeliveryWorker(self.database, sender, self.clock, settings, exclusive=exclusive)
        self.tasks.append(asyncio.create_task(worker.run()))
        return worker

    async def crash(self) -> None:
        """Every worker ends where it stands; nothing is tidied up."""
        for task in self.tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        self.tasks.clear()

    def log(self, subscription_id: UUID | None = None) -> list[Row[Any]]:
        """Every delivery, oldest first."""
        wanted = select(deliveries).order_by(deliveries.c.created_at, deliveries.c.attempt)
        if subscription_id is not None:
            wanted = wanted.where(deliveries.c.subscription_id == subscription_id)
        return self.database.read_now(lambda rows: list(rows.execute(wanted)))

    def subscription(self, subscription_id: UUID) -> Row[Any]:
        wanted = select(webhook_subscriptions).where(webhook_subscriptions.c.id == subscription_id)
        return self.database.read_now(lambda rows: rows.execute(wanted).one())

    def set(self, subscription_id: UUID, **columns: Any) -> None:
        """Changes a subscription's row."""
        changed = update(webhook_subscriptions).where(webhook_subscriptions.c.id == subscription_id)
        self.database.write_now(lambda rows: rows.execute(changed.values(columns)))

    def waiting(self, subscription_id: UUID | None = None) -> int:
        wanted = select(func.count()).where(deliveries.c.next_attempt_at.is_not(None))
        if subscription_id is not None:
            wanted = wanted.where(deliveries.c.subscription_id == subscription_id)
        return self.database.read_now(lambda rows: rows.scalar(wanted) or 0)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Waits for something that must come true."""
        deadline = time.monotonic() + 60
        while not holds():
            assert time.monotonic() < deadline, "it never came true"
            for task in self.tasks:
                if task.done():
                    task.result()  # a worker that broke will make nothing come true
            await asyncio.sleep(0.005)

    async def until_delivered(self) -> None:
        await self.until(lambda: self.waiting() == 0)


Scene = Callable[[Office], Coroutine[Any, Any, None]]
Played = Callable[[Scene], None]
"""Opens an office, plays a scene there, and closes it."""


def open_office(folder: Path, receiver: Receiver, scene: Scene) -> None:
    """Runs a scene in a new office that trusts the receiver."""

    async def main() -> None:
        database = MortalDatabase(service_engine(folder))
        clock = MovingClock()
        account_id = database.write_now(lambda rows: create_account(rows, "Ines", Plan.LOCAL, clock()))
        policy = OutboundPolicy(allow_private=True, extra_ca=receiver.authority)
        office = Office(database, OutboundClient(policy), clock, Seal(b"k" * 32), account_id)
        try:
            await scene(office)
        finally:
            await office.crash()
            await office.outbound.close()
            database.close()

    asyncio.run(main())
