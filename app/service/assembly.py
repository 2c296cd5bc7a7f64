"""Putting the parts together: from a data folder and settings to applications and an engine."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from fastapi import FastAPI

from app.contract.enums import ConnectionPlatform
from app.database import Database
from app.platforms.base import AppCredentials
from app.service.analytics.collecting import Collector
from app.service.api.app import create_app
from app.service.api.context import Service
from app.service.api.cursors import Cursors
from app.service.clock import Clock, system_clock
from app.service.companion.feed import ChangeFeed
from app.service.connections.callback import create_callback_app
from app.service.connections.parts import make_connections
from app.service.connections.platforms import Platforms
from app.service.connections.tokens import TokenKeeper
from app.service.limits.limiter import RateLimiter
from app.service.media.parts import make_media
from app.service.options import RunOptions
from app.service.outbound import OutboundClient, OutboundPolicy
from app.service.publishing.attachments import Attachments
from app.service.publishing.engine import PublishingEngine
from app.service.settings import Settings
from app.service.store.folder import DataFolder
from app.service.store.private_files import read_or_make
from app.service.store.seal import KEY_BYTES, Seal
from app.service.usage.counter import UsageCounter
from app.service.webhooks.parts import make_webhooks

_PRACTICE_APP: Final = AppCredentials(client_id="kalends-practice", client_secret="practice")  # noqa: S106  any will do there


class Worker(Protocol):
    """Something that works in the background for as long as the service runs."""

    async def run(self) -> None:
        """Works until ``stop``, or until it is cancelled."""

    async def stop(self) -> None:
        """Takes up nothing new and lets what is under way finish for a moment."""


@dataclass(frozen=True)
class Parts:
    """What runs (the API, the listener for browsers, the workers), and what they share."""

    api: FastAPI
    callback: FastAPI
    workers: Sequence[Worker]
    tokens: TokenKeeper
    outbound: OutboundClient


def credentials(settings: Settings, *, practice: bool) -> dict[ConnectionPlatform, AppCredentials]:
    """The apps that are registered with the platforms; the practice platforms take one that is built in."""
    if practice:
        return dict.fromkeys(ConnectionPlatform, _PRACTICE_APP)
    return {
        platform: AppCredentials(
            client_id=app.client_id,
            client_secret=app.client_secret.get_secret_value() if app.client_secret else None,
        )
        for platform, app in settings.platforms.items()
    }


def assemble(
    folder: DataFolder,
    database: Database,
    settings: Settings,
    platforms: Platforms,
    *,
    callback_origin: str,
    run: RunOptions,
    clock: Clock = system_clock,
) -> Parts:
    """Makes the parts; missing secrets of the installation are made. Blocking. Raises OSError."""
    seal = open_seal(folder)
    outbound = OutboundClient(OutboundPolicy(run.allow_private_network, run.extra_ca))
    connected = make_connections(database, seal, platforms, clock, settings, run, callback_origin)
    media = make_media(folder, database, _secret(folder.link_key), outbound, clock)
    webhooks = make_webhooks(database, seal, outbound, clock, run)
    publishing = settings.publishing.model_copy(update={"stop_grace": run.stop_grace})
    attachments = Attachments(database, media.store, seal)
    engine = PublishingEngine(
        database, connected.tokens, platforms.adapters, attachments, settings=publishing
    )
    collector = Collector(database, connected.tokens, platforms.adapters, clock)
    service = Service(
        database=database,
        clock=clock,
        cursors=Cursors(_secret(folder.cursor_key)),
        usage=UsageCounter(database, clock),
        limiter=RateLimiter(settings.limits) if run.rate_limit else None,
        feed=ChangeFeed(database, clock),
        connections=connected,
        media=media,
        webhooks=webhooks.desk,
        notify=engine.notify,
        practice=run.practice_url is not None,
    )
    own = (engine, webhooks.worker, collector, connected.renewals, media.prober, media.sweeper)
    callback = create_callback_app(connected.flows, connected.choices)
    workers: list[Worker] = [*own, service.feed, service.usage]
    return Parts(create_app(service), callback, workers, connected.tokens, outbound)


def open_seal(folder: DataFolder) -> Seal:
    """What tokens are sealed with; a missing key is made. Blocking. Raises OSError."""
    return Seal(_secret(folder.seal_key))


def _secret(path: Path) -> bytes:
    return read_or_make(path, lambda: secrets.token_bytes(KEY_BYTES))
