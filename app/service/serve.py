"""``serve``: one process that has a data folder, listens, and publishes."""

import asyncio
import contextlib
import json
import os
import ssl
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from socket import socket
from typing import Final

import structlog
from filelock import FileLock, Timeout

from app.database import Database, DatabaseError
from app.platforms.registry import build_adapters
from app.service.assembly import Parts, assemble, credentials
from app.service.clock import system_clock
from app.service.connections.platforms import Platforms
from app.service.lifetime import Lifetime
from app.service.listeners import Server, listen, origin
from app.service.options import RunOptions
from app.service.problems import FolderInUseProblem, PortProblem
from app.service.settings import CALLBACK_PORT_DEFAULT, Settings
from app.service.store.folder import DataFolder
from app.service.store.page_check import PageCheck
from app.service.store.private_files import write_private
from app.service.tls.certificates import Certificates

_log = structlog.get_logger(__name__)

_LOOPBACK: Final = "127.0.0.1"
_RENEW_EVERY: Final = timedelta(days=1)
_LOOK_BEFORE_READY: Final = timedelta(milliseconds=500)
"""How long the start waits for the look through the database; a large one is looked through meanwhile."""


@dataclass(frozen=True)
class ServeOptions:
    """What the command line says."""

    data: Path
    host: str = _LOOPBACK
    port: int = 0
    callback_port: int | None = None
    exit_with_parent: bool = False
    run: RunOptions = field(default_factory=RunOptions)


def serve(options: ServeOptions, settings: Settings) -> None:
    """Runs until it is told to end. Blocking.

    Raises CommandProblem, DatabaseError or OSError when it cannot start; nothing is lost by that.
    """
    folder = DataFolder(options.data)
    folder.make()
    with _sole_owner(folder):
        database = folder.open_database()
        try:
            asyncio.run(_run(options, settings, folder, database))
        finally:
            database.close()


@contextlib.contextmanager
def _sole_owner(folder: DataFolder) -> Iterator[None]:
    """Holds the folder's lock; the system takes it back from a process that dies."""
    lock = FileLock(folder.lock)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise FolderInUseProblem(_taken(folder)) from None
    try:
        folder.running.unlink(missing_ok=True)  # left by a process that died
        yield
    finally:
        folder.running.unlink(missing_ok=True)
        lock.release()


def _taken(folder: DataFolder) -> str:
    try:
        running = json.loads(folder.running.read_bytes())
        holder = f"process {running['pid']} at {running['base_url']}"
    except (OSError, ValueError, KeyError):
        holder = "another process that is just starting or ending"
    return f"The data folder {folder.root} is in use by {holder}. Use that one, or end it first."


async def _run(options: ServeOptions, settings: Settings, folder: DataFolder, database: Database) -> None:
    lifetime = Lifetime()
    lifetime.end_on_signals()
    if options.exit_with_parent:
        lifetime.end_with_parent()
    certificates = Certificates(folder.tls, options.host, system_clock)
    practice = options.run.practice_url is not None
    async with contextlib.AsyncExitStack() as stack:
        looking = await stack.enter_async_context(_looking_through(database, lifetime))
        context = await asyncio.to_thread(certificates.context)
        listener = stack.enter_context(listen(options.host, options.port))
        callbacks = stack.enter_context(_listen_for_callbacks(options, settings))
        adapters = await stack.enter_async_context(build_adapters(options.run.practice_url))
        parts = await asyncio.to_thread(
            assemble,
            folder,
            database,
            settings,
            Platforms(adapters, credentials(settings, practice=practice)),
            callback_origin=origin("http", callbacks),
            run=options.run,
        )
        stack.push_async_callback(parts.outbound.close)
        await asyncio.wait([looking], timeout=_LOOK_BEFORE_READY.total_seconds())
        lifetime.check()
        servers = Server(parts.api, listener, context), Server(parts.callback, callbacks)
        async with asyncio.TaskGroup() as tasks:
            for server in servers:
                tasks.create_task(server.run_until_stopped())
                await server.up.wait()
            renewal = tasks.create_task(_keep_certified(certificates, context))
            _announce(folder, origin("https", listener), certificates.authority_file, options.run)
            await _work(parts, lifetime)
            renewal.cancel()
            for server in servers:
                server.stop()
    lifetime.check()


async def _work(parts: Parts, lifetime: Lifetime) -> None:
    """Has the workers work until the program is to end, and what is under way finish for a moment."""
    async with asyncio.TaskGroup() as tasks:
        for worker in parts.workers:
            tasks.create_task(worker.run())
        await lifetime.over.wait()
        await asyncio.gather(*(worker.stop() for worker in parts.workers))


@contextlib.asynccontextmanager
async def _looking_through(database: Database, lifetime: Lifetime) -> AsyncIterator[asyncio.Task[None]]:
    """Looks for damage in the database while the block runs, and ends the program where there is some."""
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
    """The socket for browsers that come back; a port that nobody asked for by number may be another one."""
    chosen = options.callback_port if options.callback_port is not None else settings.callback_port
    if chosen is None and options.run.practice_url is not None:
        chosen = 0
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


def _announce(folder: DataFolder, base_url: str, ca_file: Path, run: RunOptions) -> None:
    """Says on stdout, and in the data folder for the commands, where the service is.

    The commands are also told of the practice platforms.
    """
    ready = {
        "event": "ready",
        "base_url": base_url,
        "ca_file": str(ca_file.absolute()),
        "pid": os.getpid(),
    }
    write_private(folder.running, json.dumps({**ready, "practice_url": run.practice_url}).encode())
    print(json.dumps(ready), flush=True)  # noqa: T201  the door says so
