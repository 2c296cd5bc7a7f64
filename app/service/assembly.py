"""Assembling the service: from a data folder and settings to applications and workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from app.children.lean import import_without_authorities
from app.contract.enums import ConnectionPlatform
from app.database import Database
from app.platforms.adapters import Adapter
from app.platforms.base import AppCredentials
from app.platforms.late import LateAdapters
from app.service.analytics.collecting import Collector
from app.service.api.cursors import Cursors
from app.service.clock import Clock, DatabaseClock, PlatformClock, system_clock
from app.service.companion.feed import ChangeFeed
from app.service.connections.apps import Apps
from app.service.connections.maker_key import MakerKey
from app.service.connections.parts import ConnectionParts, make_connections
from app.service.connections.platforms import Platforms
from app.service.connections.tokens import TokenKeeper
from app.service.installation import Installation
from app.service.lifetime import Worker
from app.service.limits import RateLimiter
from app.service.media.parts import MediaParts, make_media
from app.service.media.prober import Frames
from app.service.outbound import OutboundClient, OutboundPolicy
from app.service.publishing.attachments import Attachments
from app.service.publishing.clock import DatabaseTime, Timekeeper
from app.service.publishing.engine import PublishingEngine
from app.service.publishing.platform_time import PlatformTime, connected_sources
from app.service.publishing.preparing import Preparer
from app.service.restoring import look_into_past
from app.service.retention import Retention
from app.service.settings import RunOptions, Settings
from app.service.store.folder import DataFolder
from app.service.store.seal import Seal, open_seal, secret
from app.service.usage.counter import UsageCounter
from app.service.webhooks.console import WebhookConsole
from app.service.webhooks.delivery_worker import DeliverySettings, DeliveryWorker
from app.service.webhooks.sender import MessageSender
from app.service.worker import CallWorker

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from app.service.api.context import Service


_PRACTICE_APP: Final = AppCredentials(client_id="kalends-practice", client_secret="practice")  # noqa: S106  any would do


@dataclass(frozen=True)
class WebhookParts:
    """What the webhook routes use, and the delivery worker."""

    console: WebhookConsole
    worker: DeliveryWorker


def make_webhooks(
    database: Database,
    seal: Seal,
    outbound: OutboundClient,
    clock: Clock,
    run: RunOptions,
) -> WebhookParts:
    """Assemble everything for webhooks, on one outgoing client."""
    sender = MessageSender(outbound, seal, clock)
    settings = DeliverySettings(run.webhook_backoff, stop_grace=run.stop_grace)
    worker = DeliveryWorker(database, sender, clock, settings, exclusive=run.alone, meter=run.meter)
    console = WebhookConsole(database, clock, seal, outbound, sender, worker.notify)
    return WebhookParts(console, worker)


@dataclass(frozen=True)
class Background:
    """The background workers, in the API's process or in separate ones, and what they share."""

    connections: ConnectionParts
    media: MediaParts
    webhooks: WebhookParts
    engine: PublishingEngine
    preparer: Preparer
    collector: Collector
    retention: Retention
    outbound: Sequence[OutboundClient]
    calls: CallWorker

    @property
    def workers(self) -> Sequence[Worker]:
        media, delivering = self.media, self.webhooks.worker
        publishing = self.engine, self.preparer, self.connections.renewals
        tidying = media.prober, media.sweeper, self.retention
        return *publishing, delivering, self.collector, *tidying, self.calls


@dataclass(frozen=True)
class Parts:
    """Everything a service process runs.

    Attributes:
        api: The API and its pages.
        callback: The application for browsers returning from platforms.
        attendants: Workers of every process with an API.
        workers: Workers of one process per installation, or of processes without an API.
        tokens: The tokens of all connections.
        outbound: The outgoing clients, to close at the end.
        follow: Applies settings that changed while the process runs.
    """

    api: Starlette
    callback: Starlette
    attendants: Sequence[Worker]
    workers: Sequence[Worker]
    tokens: TokenKeeper
    outbound: Sequence[OutboundClient]
    follow: Callable[[Settings], None]


def make_platforms(
    adapters: Mapping[ConnectionPlatform, Adapter], installation: Installation, *, practice: bool
) -> Platforms:
    """Return the platforms with their apps; practice platforms use a built-in app.

    On one computer, the owner can set apps in addition to those in the settings file. Blocking. Raises
    CommandProblem or OSError.
    """
    settings, folder = installation.settings, installation.folder
    if practice:
        return Platforms(adapters, dict.fromkeys(ConnectionPlatform, _PRACTICE_APP))
    from_settings = _credentials(settings)
    if not installation.alone:
        return Platforms(adapters, from_settings)
    seal = open_seal(folder)
    apps = Apps(folder.apps, seal, from_settings)
    return Platforms(adapters, apps.credentials, apps, MakerKey(folder.pack_key, seal))


def _credentials(settings: Settings) -> dict[ConnectionPlatform, AppCredentials]:
    """The apps in the settings."""
    return {
        platform: AppCredentials(
            client_id=app.client_id,
            client_secret=app.client_secret.get_secret_value() if app.client_secret else None,
            more_scopes=app.more_scopes,
            without_scopes=frozenset(app.without_scopes),
        )
        for platform, app in settings.platforms.items()
    }


def _timekeeper(
    clock: Clock, database: Database, adapters: Mapping[ConnectionPlatform, Adapter]
) -> Timekeeper:
    """Return the clock in the form that publishing uses."""
    if isinstance(clock, DatabaseClock):
        return DatabaseTime(clock)
    if isinstance(clock, PlatformClock) and isinstance(adapters, LateAdapters):
        sources = partial(database.read_remembered, connected_sources, connected_sources)
        return PlatformTime(clock, sources, adapters.ask_time)
    return Timekeeper()


def _attachments(database: Database, media: MediaParts, seal: Seal, outbound: OutboundClient) -> Attachments:
    return Attachments(
        database,
        media.store,
        seal,
        addresses=media.addresses,
        frames=Frames(media.store),
        outbound=outbound,
    )


def outbound_policy(run: RunOptions) -> OutboundPolicy:
    """Return which addresses that users enter may be called."""
    return OutboundPolicy(run.allow_private_network, extra_ca=run.extra_ca)


def make_background(
    folder: DataFolder,
    database: Database,
    settings: Settings,
    platforms: Platforms,
    *,
    run: RunOptions,
    callback_origin: str = "",
    clock: Clock = system_clock,
) -> Background:
    """Assemble the background workers, creating missing secrets. Blocking. Raises OSError.

    ``callback_origin`` is the address for returning browsers, in a process with an API.
    """
    seal = open_seal(folder)
    outbound, delivering = _outbound_clients(settings, run)
    connected = make_connections(database, seal, platforms, clock, settings, run, callback_origin)
    media = make_media(folder, database, secret(folder.link_key), outbound, clock, settings.media, run.meter)
    past = look_into_past(folder, database, clock(), alone=run.alone)
    overrides = {"stop_grace": run.stop_grace, "restored_at": past.restored_at}
    publishing = settings.publishing.model_copy(update=overrides)
    out = database, connected.tokens, platforms.adapters, _attachments(database, media, seal, outbound)
    time = _timekeeper(clock, database, platforms.adapters)
    engine = PublishingEngine(
        *out,
        clock=time,
        settings=publishing,
        exclusive=run.alone,
        journal=past.journal,
        check=past.check,
        meter=run.meter,
    )
    webhooks = make_webhooks(database, seal, delivering, clock, run)
    return Background(
        connections=connected,
        media=media,
        webhooks=webhooks,
        engine=engine,
        preparer=Preparer(*out, clock=time, settings=publishing, exclusive=run.alone),
        collector=Collector(database, connected.tokens, platforms.adapters, clock),
        retention=Retention(database, settings.retention, clock),
        outbound=(outbound, delivering),
        calls=CallWorker(database, {"posts": engine.notify, "deliveries": webhooks.worker.notify}),
    )


def _outbound_clients(settings: Settings, run: RunOptions) -> tuple[OutboundClient, OutboundClient]:
    """Return the clients for imports, and for webhooks, which may be allowed to reach the home network."""
    policy = outbound_policy(run)
    home = replace(policy, home_network=run.home_network or settings.webhooks.home_network)
    return OutboundClient(policy, way=run.way), OutboundClient(home, way=run.way)


def import_applications() -> None:
    """Import modules that only processes with an API need. Blocking."""
    import app.service.api.app
    import app.service.connections.callback  # noqa: F401


def load_adapters(adapters: LateAdapters) -> None:
    """Import and create the adapters, and aiohttp without its unused TLS contexts. Blocking."""
    import_without_authorities("aiohttp")
    adapters.load()


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
    """Assemble everything, creating missing secrets. Blocking. Raises OSError."""
    # Imported here, because processes without an API start without these.
    from app.service.api.app import create_app
    from app.service.connections.callback import create_callback_app

    background = make_background(
        folder, database, settings, platforms, run=run, callback_origin=callback_origin, clock=clock
    )
    connected = background.connections
    service = _make_service(folder, database, settings, background, run=run, clock=clock)
    return Parts(
        api=create_app(service),
        callback=create_callback_app(connected.flows, connected.choices),
        attendants=(service.feed, service.usage),
        workers=background.workers,
        tokens=connected.tokens,
        outbound=background.outbound,
        follow=partial(_follow, service),
    )


def _follow(service: Service, settings: Settings) -> None:
    service.access_log.is_on = settings.access_log
    if service.limiter is not None:
        service.limiter.use(settings.limits)


def _make_service(
    folder: DataFolder,
    database: Database,
    settings: Settings,
    background: Background,
    *,
    run: RunOptions,
    clock: Clock,
) -> Service:
    from app.service.api.context import AccessLog, Service
    from app.service.transfer.moving import Moving

    return Service(
        database=database,
        clock=clock,
        cursors=Cursors(secret(folder.cursor_key)),
        usage=UsageCounter(database, clock),
        limiter=RateLimiter(settings.limits) if run.rate_limit else None,
        feed=ChangeFeed(database, clock),
        connections=background.connections,
        media=background.media,
        webhooks=background.webhooks.console,
        moving=Moving(
            folder.root,
            database,
            background.media.store,
            open_seal(folder),
            clock,
            gives_secrets=settings.moving.tokens_may_leave,
        ),
        notify=background.engine.notify,
        clock_ahead_seconds=clock.wrong_by_seconds if isinstance(clock, DatabaseClock) else lambda: None,
        practice=run.practice_url is not None,
        meter=run.meter,
        access_log=AccessLog(settings.access_log),
    )
