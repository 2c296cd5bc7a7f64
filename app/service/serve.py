"""``serve``: a process with the API that also publishes, unless other processes do."""

import asyncio
import contextlib
import json
import os
import ssl
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING, Final

import structlog

from app.database import Database, DatabaseError
from app.network import Way
from app.platforms.late import LateAdapters
from app.service.assembly import (
    Parts,
    assemble,
    import_applications,
    load_adapters,
    make_platforms,
    outbound_policy,
)
from app.service.clock import DatabaseClock, PlatformClock, make_clock, system_clock
from app.service.gate import Caps, raise_descriptor_limit
from app.service.http_server import Server, listen, origin
from app.service.installation import Installation
from app.service.lifetime import (
    LAST_MOMENT_S,
    Lifetime,
    Parent,
    Worker,
    attend_until_over,
    run,
    work_until_over,
)
from app.service.outbound.servers import ServerGuard
from app.service.problems import PortProblem
from app.service.reloading import Reloader
from app.service.settings import CALLBACK_PORT_DEFAULT, RunOptions, Settings, follow
from app.service.store.folder import PageCheck
from app.service.tls import Certificates

if TYPE_CHECKING:
    from app.service.monitoring.admin import AdminPort

_log = structlog.get_logger(__name__)

_LOOPBACK: Final = "127.0.0.1"
_RENEW_EVERY: Final = timedelta(days=1)
_PREDECESSOR_ENDS_S: Final = LAST_MOMENT_S + 0.8
_LOOK_BEFORE_READY: Final = timedelta(milliseconds=500)
"""How long startup waits for the database check; a large database is checked in the background."""


@dataclass(frozen=True)
class ServeOptions:
    """Options of the command line.

    ``parent``: end with the program that started this one. ``workers``: also publish and deliver.
    ``admin``: where operators ask for health and metrics.
    ``waits_for_proxy``: wait for the parent to send the proxy settings before calling anything.
    """

    host: str = _LOOPBACK
    port: int = 0
    callback_port: int | None = None
    parent: Parent | None = None
    workers: bool = True
    waits_for_proxy: bool = False
    run: RunOptions = field(default_factory=RunOptions)
    admin: "AdminPort | None" = None


def serve(options: ServeOptions, installation: Installation) -> None:
    """Run until told to end. Blocking.

    Raises CommandProblem, DatabaseError or OSError if it can't start, without losing anything.
    """
    # The service of a killed app is about to end too, because its standard input has closed.
    patience_s = _PREDECESSOR_ENDS_S if options.parent is not None else 0.0
    with installation.held(patience_s), contextlib.closing(installation.open_database()) as database:
        run(_run(options, installation, database))


async def _run(options: ServeOptions, installation: Installation, database: Database) -> None:
    settings, descriptors = installation.settings, raise_descriptor_limit()
    lifetime = Lifetime()
    lifetime.end_on_signals()
    has_proxy = asyncio.Event()
    if options.parent is not None:
        lifetime.end_with_parent(options.parent, partial(_follow, options.run.way, has_proxy))
    certificates = Certificates(installation.folder.tls, options.host, system_clock)
    async with contextlib.AsyncExitStack() as stack:
        looking = await stack.enter_async_context(_looking_through(database, lifetime))
        listener = stack.enter_context(listen(options.host, options.port))
        callbacks = stack.enter_context(_listen_for_callbacks(options, settings))
        clock = await asyncio.to_thread(make_clock, database, alone=installation.alone)
        adapters = await stack.enter_async_context(_adapters(options, settings, clock))
        prepare = partial(_prepare, options, installation, database, certificates, clock)
        loading = asyncio.create_task(asyncio.to_thread(import_applications))
        # Nothing is written to a file before it has been checked, unless that takes too long.
        await asyncio.wait([looking], timeout=_LOOK_BEFORE_READY.total_seconds())
        lifetime.check()
        await loading
        context, parts = await asyncio.to_thread(prepare, adapters, origin("http", callbacks))
        for client in parts.outbound:
            stack.push_async_callback(client.close)
        if options.waits_for_proxy:
            await lifetime.unless_over(has_proxy)
        lifetime.check()
        servers = _servers(settings, descriptors, parts, (listener, context), callbacks)
        async with asyncio.TaskGroup() as tasks:
            for server in servers:
                tasks.create_task(server.run_until_stopped())
                await server.up.wait()
            renewal = tasks.create_task(_keep_certified(certificates, context))
            attendants = list(_attendants(options, installation, database, clock, parts))
            _announce(options, installation, origin("https", listener), certificates.authority_file)
            workers = parts.workers if options.workers else ()
            await _work(attendants, workers, adapters, lifetime)
            renewal.cancel()
            for server in servers:
                server.stop()
    lifetime.hand_over(alone=options.parent is None)


async def _work(
    attendants: Sequence[Worker], workers: Sequence[Worker], adapters: LateAdapters, lifetime: Lifetime
) -> None:
    """Run all workers until the program ends; ``workers`` start once the adapters are loaded."""
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(attend_until_over(attendants, lifetime))
        await asyncio.to_thread(load_adapters, adapters)
        await work_until_over(workers, lifetime)


def _follow(way: Way, has_proxy: asyncio.Event, line: bytes) -> None:
    follow(way, line)
    has_proxy.set()


def _servers(
    settings: Settings,
    descriptors: int,
    parts: Parts,
    api: tuple[socket, ssl.SSLContext],
    callbacks: socket,
) -> tuple[Server, Server]:
    """Return the servers of the API and of the callback, which share the process's descriptors."""
    listening = settings.listening
    return (
        Server(
            parts.api,
            *api,
            caps=Caps.for_api(listening, descriptors),
            settings=listening,
            trusted_proxies=settings.trusted_proxies,
        ),
        Server(parts.callback, callbacks, caps=Caps.for_callbacks(descriptors), settings=listening),
    )


def _prepare(
    options: ServeOptions,
    installation: Installation,
    database: Database,
    certificates: Certificates,
    clock: PlatformClock | DatabaseClock,
    adapters: LateAdapters,
    callback_origin: str,
) -> tuple[ssl.SSLContext, Parts]:
    """Assemble everything, creating missing keys and certificates. Blocking."""
    practice = options.run.practice_url is not None
    with installation.preparing(database):
        parts = assemble(
            installation.folder,
            database,
            installation.settings,
            make_platforms(adapters, installation, practice=practice),
            callback_origin=callback_origin,
            run=options.run,
            clock=clock,
        )
        return certificates.context(), parts


def _adapters(
    options: ServeOptions, settings: Settings, clock: PlatformClock | DatabaseClock
) -> LateAdapters:
    return LateAdapters(
        options.run.practice_url,
        instagram_login=settings.instagram_login,
        way=options.run.way,
        clock=clock,
        heard=clock.heard,
        guard=ServerGuard(outbound_policy(options.run)),
    )


@contextlib.asynccontextmanager
async def _looking_through(database: Database, lifetime: Lifetime) -> AsyncIterator[asyncio.Task[None]]:
    """Check the database file for damage during the block, and end the program if there is any."""
    check = PageCheck(database)

    async def look() -> None:
        try:
            await asyncio.to_thread(check.run)
        except DatabaseError as problem:
            lifetime.end_with(problem)

    looking = asyncio.create_task(look())
    try:
        yield looking
    finally:
        check.stop()
        await looking


def _listen_for_callbacks(options: ServeOptions, settings: Settings) -> socket:
    """Return the socket for returning browsers; the default port may be replaced by a free one."""
    chosen = options.callback_port if options.callback_port is not None else settings.callback_port
    if chosen is None and (options.run.practice_url is not None or settings.public_origin is not None):
        chosen = 0  # no browser returns to a port of this machine
    if chosen is not None:
        return listen(_LOOPBACK, chosen)
    try:
        return listen(_LOOPBACK, CALLBACK_PORT_DEFAULT)
    except PortProblem as problem:
        _log.warning("accounts can only be connected on platforms that accept any port", reason=str(problem))
        return listen(_LOOPBACK, 0)


async def _keep_certified(certificates: Certificates, context: ssl.SSLContext) -> None:
    while True:
        await asyncio.sleep(_RENEW_EVERY.total_seconds())
        try:
            await asyncio.to_thread(certificates.renew, context)
        except OSError:
            _log.exception("the certificate could not be renewed; trying again tomorrow")


def _attendants(
    options: ServeOptions,
    installation: Installation,
    database: Database,
    clock: PlatformClock | DatabaseClock,
    parts: Parts,
) -> Iterator[Worker]:
    """Yield the workers of every process with an API, which listen to signals from now on."""
    yield from (clock, *parts.attendants)
    if options.admin is not None:
        from app.service.monitoring.admin import AdminServer

        yield AdminServer(options.admin, database, clock)
    if options.parent is None:
        yield Reloader(installation.settings_file, installation.settings, [parts.follow])


def _announce(options: ServeOptions, installation: Installation, base_url: str, ca_file: Path) -> None:
    """Announce the service's address on stdout, and to commands on an embedded service.

    The commands also get the address of the practice platforms.
    """
    ready: dict[str, str | int] = {
        "event": "ready",
        "base_url": base_url,
        "ca_file": str(ca_file.absolute()),
        "pid": os.getpid(),
    }
    if options.admin is not None:
        ready["admin_url"] = options.admin.url
    installation.announce({**ready, "practice_url": options.run.practice_url})
    print(json.dumps(ready), flush=True)  # noqa: T201  the ready line
