"""``worker``: a process that publishes, delivers and collects metrics, without an API."""

import asyncio
import contextlib
import json
import os
from functools import partial
from typing import TYPE_CHECKING

from app.database import Database
from app.platforms.late import LateAdapters
from app.service.assembly import (
    Background,
    load_adapters,
    make_background,
    make_platforms,
    outbound_policy,
)
from app.service.clock import DatabaseClock, PlatformClock, make_clock
from app.service.gate import raise_descriptor_limit
from app.service.installation import Installation
from app.service.lifetime import Lifetime, Parent, Worker, work_until_over
from app.service.lifetime import run as run_loop
from app.service.outbound.servers import ServerGuard
from app.service.reloading import Reloader
from app.service.settings import RunOptions, follow

if TYPE_CHECKING:
    from app.service.monitoring.admin import AdminPort


def work(
    run: RunOptions,
    installation: Installation,
    parent: Parent | None = None,
    admin: "AdminPort | None" = None,
) -> None:
    """Run until told to end, or until the parent has ended. Blocking.

    ``admin`` is where operators ask for health and metrics.

    Raises CommandProblem, DatabaseError or OSError if it can't start, without losing anything.
    """
    raise_descriptor_limit()
    with installation.held(), contextlib.closing(installation.open_database()) as database:
        run_loop(_run(run, installation, database, parent, admin))


async def _run(
    run: RunOptions,
    installation: Installation,
    database: Database,
    parent: Parent | None,
    admin: "AdminPort | None",
) -> None:
    lifetime = Lifetime()
    lifetime.end_on_signals()
    if parent is not None:
        lifetime.end_with_parent(parent, partial(follow, run.way))
    clock = await asyncio.to_thread(make_clock, database, alone=installation.alone)
    async with LateAdapters(
        run.practice_url,
        instagram_login=installation.settings.instagram_login,
        way=run.way,
        clock=clock,
        heard=clock.heard,
        guard=ServerGuard(outbound_policy(run)),
    ) as adapters:
        background = await asyncio.to_thread(_prepare, installation, database, adapters, run, clock)
        async with contextlib.AsyncExitStack() as stack:
            for client in background.outbound:
                stack.push_async_callback(client.close)
            ready: dict[str, str | int] = {"event": "ready", "pid": os.getpid()}
            workers: list[Worker] = [clock, *background.workers]
            if admin is not None:
                from app.service.monitoring.admin import AdminServer

                ready["admin_url"] = admin.url
                workers.append(AdminServer(admin, database, clock))
            if parent is None:
                workers.append(Reloader(installation.settings_file, installation.settings, ()))
            print(json.dumps(ready), flush=True)  # noqa: T201  the ready line
            await asyncio.to_thread(load_adapters, adapters)
            await work_until_over(workers, lifetime)
    lifetime.hand_over(alone=parent is None)


def _prepare(
    installation: Installation,
    database: Database,
    adapters: LateAdapters,
    run: RunOptions,
    clock: PlatformClock | DatabaseClock,
) -> Background:
    with installation.preparing(database):
        platforms = make_platforms(adapters, installation, practice=run.practice_url is not None)
        return make_background(
            installation.folder,
            database,
            installation.settings,
            platforms,
            run=run,
            clock=clock,
        )
