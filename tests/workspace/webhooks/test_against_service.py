"""Webhooks of the real service, over TLS, with a real endpoint: made, verified, replayed, deleted."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.contract.enums import ConnectionPlatform, EventType
from app.contract.webhooks import WebhookDelivery
from app.workspace.messages import Problem
from app.workspace.webhooks.comparison import Delivered, attempts_of, compared
from app.workspace.webhooks.webhooks import SNIPPETS
from app.workspace.workspace import Workspace
from tests.conformance.authority import make_authority
from tests.conformance.receiver import Receiver
from tests.workspace.opened import until
from tests.workspace.programs import RealService, consent, follow, real_service


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    file = tmp_path / "receiver.pem"
    make_authority(file)
    return file


@pytest.fixture
def service(tmp_path: Path, authority: Path) -> Iterator[RealService]:
    options = ("--allow-private-network", "--extra-ca", str(authority), "--webhook-backoff", "0.1,0.1,0.1")
    with real_service(tmp_path / "programs", *options) as running:
        yield running


async def test_a_webhook_lives_from_its_making_to_its_end(
    tmp_path: Path, service: RealService, authority: Path
) -> None:
    names: dict[str, object] = {}
    exec(SNIPPETS["python"][1], names)  # noqa: S102  what people are to copy is what is tried
    verify = names["verify"]
    assert callable(verify)

    async def story(receiver: Receiver) -> None:
        inbox = receiver.inbox()
        workspace = await Workspace.open(service.client(), tmp_path / "w.db", name="Real")
        hooks = workspace.webhooks
        try:
            await until(lambda: workspace.sync.last_synced)
            created = await hooks.create(inbox.url, [EventType.CONNECTION_CONNECTED])
            result = await hooks.test(created.id)
            assert (result.status_code, result.error_message) == (200, None)
            (arrived,) = inbox.arrived
            assert verify(arrived.raw, arrived.headers["X-Service-Signature"], created.secret)
            flow = await workspace.flows.begin(ConnectionPlatform.X)
            await asyncio.to_thread(lambda: follow(consent(flow.url, "allow")))
            await flow.account()
            await until(lambda: len(inbox.arrived) == 2)
            connected = [one for one in inbox.arrived if one.body["event_type"] == "connection.connected"]
            assert len(connected) == 1

            async def recorded(count: int) -> list[WebhookDelivery]:
                """Deliveries of the event, once so many are in the log."""
                async with asyncio.timeout(20):
                    while True:
                        log = (await hooks.deliveries(created.id)).data
                        found = [one for one in log if one.event_type == "connection.connected"]
                        if len(found) == count:
                            return found
                        await asyncio.sleep(0.02)

            (past,) = await recorded(1)
            await hooks.replay(created.id, past.id)
            both = attempts_of(past.event_id, await recorded(2))
            assert len(inbox.arrived) == 3
            sides = [Delivered(one, await hooks.details(one.id)) for one in both]
            differing = {fact.name for fact in compared(*sides) if fact.differs}
            assert {"Attempt", "X-Service-Delivery", "X-Service-Signature"} <= differing
            assert "X-Service-Event" not in differing
            await hooks.change(created.id, active=False)
            with pytest.raises(Problem, match="Enable it"):
                await hooks.replay(created.id, past.id)
            await hooks.change(created.id, active=True, events=[EventType.POST_FAILED])
            assert (hooks.all[0].active, hooks.all[0].events) == (True, [EventType.POST_FAILED])
            await hooks.remove(created.id)
            await hooks.refresh()
            assert hooks.all == ()
        finally:
            await workspace.close()

    with Receiver(authority) as receiver:
        await story(receiver)
