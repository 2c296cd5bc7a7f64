"""The service as one simulated program: what ``app/service/assembly.py`` puts together."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from app.service.outbound import OutboundClient, OutboundPolicy
from app.service.webhooks.console import WebhookConsole
from app.service.webhooks.delivery_worker import DeliverySettings, DeliveryWorker
from app.service.webhooks.sender import MessageSender
from tests.simulation.faults import Faults
from tests.simulation.lives import Life
from tests.simulation.store import SimulatedDatabase, Store
from tests.simulation.webhooks.ground import SEAL
from tests.simulation.webhooks.receivers import Receivers, SimulatedNetwork

SETTINGS: Final = DeliverySettings(backoff=(10.0, 60.0, 300.0))


@dataclass(frozen=True)
class Surroundings:
    """What programs of one world share."""

    store: Store
    receivers: Receivers
    faults: Faults
    chance: random.Random
    note: Callable[..., None]
    is_shared: bool


class Program:
    """One process of the service, from its start to its death."""

    def __init__(self, life: Life, around: Surroundings) -> None:
        self.life = life
        self.database = SimulatedDatabase(
            around.store, life, around.faults, around.note, is_server=around.is_shared
        )
        # Programs that share a server have its clock, the others their machine's.
        self.clock = life.world_now if around.is_shared else life.machine
        network = SimulatedNetwork(around.receivers, life, around.faults, around.note)
        outbound = OutboundClient(OutboundPolicy(), transport=network)
        sender = MessageSender(outbound, SEAL, self.clock)
        self.worker = DeliveryWorker(
            self.database, sender, self.clock, SETTINGS,
            exclusive=not around.is_shared, roll=around.chance.random,
        )  # fmt: skip
        self.console = WebhookConsole(self.database, self.clock, SEAL, outbound, sender, self.worker.notify)
        life.start(self.worker.run())
