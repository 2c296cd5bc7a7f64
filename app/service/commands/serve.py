"""``serve``, ``worker`` and ``collect``: run the service, or collect metrics once."""

import argparse
import asyncio
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import structlog

from app.children.lean import uncollected
from app.database import Database
from app.network import Way
from app.service.clock import make_clock
from app.service.commands import arguments
from app.service.commands.arguments import Commands, add_command, answer, installation, installed
from app.service.installation import Installation
from app.service.lifetime import Parent
from app.service.logs import configure_logs
from app.service.problems import CommandProblem
from app.service.settings import (
    STOP_GRACE,
    STOP_GRACE_WITH_PARENT,
    WEBHOOK_BACKOFF_DEFAULT,
    RunOptions,
    follow,
)

if TYPE_CHECKING:
    from app.service.monitoring.admin import AdminPort

_log = structlog.get_logger(__name__)


def add(commands: Commands) -> None:
    serve = add_command(commands, "serve", _serve, "run the service")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    serve.add_argument(
        "--port", type=arguments.port, default=0, help="port to listen on (default: a free one)"
    )
    serve.add_argument(
        "--callback-port", type=arguments.port, help="port that browsers return to after consent"
    )
    serve.add_argument(
        "--without-workers",
        action="store_true",
        help="on a server: leave background work to `worker` processes",
    )
    serve.add_argument(
        "--rate-limit",
        choices=("on", "off"),
        default="on",
        help="limit calls by key and action (default: on)",
    )
    worker = add_command(
        commands, "worker", _work, "on a server: publish and deliver webhooks, without the API"
    )
    for command in (serve, worker):
        _add_run_options(command)
        _add_admin_options(command)


def _add_admin_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--admin-port",
        type=arguments.port,
        help="port for health, readiness and metrics over plain HTTP (default: none)",
    )
    command.add_argument(
        "--admin-host", default="127.0.0.1", help="address of the admin port (default: 127.0.0.1)"
    )


def _add_run_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--practice-url", type=arguments.http_url, help="use the practice platforms at this URL"
    )
    command.add_argument("--exit-with-parent", action="store_true", help="exit when standard input closes")
    command.add_argument(
        "--proxy-from-stdin",
        action="store_true",
        help="with --exit-with-parent: read the proxy from standard input, before connecting to anything",
    )
    command.add_argument(
        "--allow-private-network",
        action="store_true",
        help="let webhooks and imports reach private addresses",
    )
    command.add_argument(
        "--home-network", action="store_true", help="let webhooks reach this computer and its home network"
    )
    command.add_argument(
        "--extra-ca", type=arguments.file, metavar="FILE", help="PEM file of additional trusted authorities"
    )
    command.add_argument(
        "--webhook-backoff",
        type=arguments.seconds,
        default=WEBHOOK_BACKOFF_DEFAULT,
        metavar="SECONDS",
        help="delays before retrying a webhook, such as 10,60,300",
    )


def _serve(options: argparse.Namespace) -> None:
    with uncollected():
        from app.service.serve import ServeOptions, serve

    there = _opened(options)
    if options.without_workers and there.alone:
        raise CommandProblem(
            "--without-workers is for server installations (--config). A data folder has a single process."
        )
    parent = Parent() if options.exit_with_parent else None
    way = _proxy_from_stdin(parent) if options.proxy_from_stdin else there.way()
    run = replace(_run_options(options, there, way), rate_limit=options.rate_limit == "on")
    admin = _admin_port(options)
    if admin is not None:
        run = replace(run, meter=admin.meter)
    chosen = ServeOptions(
        host=options.host,
        port=options.port,
        callback_port=options.callback_port,
        parent=parent,
        waits_for_proxy=options.proxy_from_stdin,
        workers=not options.without_workers,
        run=run,
        admin=admin,
    )
    with _traces("serve", parent):
        serve(chosen, there)


def _work(options: argparse.Namespace) -> None:
    with uncollected():
        from app.service.work import work

    there = _opened(options)
    parent = Parent() if options.exit_with_parent else None
    run, admin = _run_options(options, there, _way(options, there, parent)), _admin_port(options)
    if admin is not None:
        run = replace(run, meter=admin.meter)
    with _traces("worker", parent):
        work(run, there, parent, admin)


def _traces(process: str, parent: Parent | None) -> AbstractContextManager[None]:
    """Export traces if the environment asks for it; not those of a desktop app's own service."""
    if parent is not None:
        return nullcontext()
    from app.service.monitoring.traces import exported

    return exported(process)


def _admin_port(options: argparse.Namespace) -> "AdminPort | None":
    """Listen on the admin port, if any. Raises PortProblem or CommandProblem."""
    if options.admin_port is None:
        return None
    try:
        from app.service.monitoring.admin import AdminPort
    except ModuleNotFoundError as error:
        if error.name != "prometheus_client":
            raise
        raise CommandProblem(
            "--admin-port needs a library that this install doesn't have. Install kalends[server]."
        ) from None
    return AdminPort.listen(options.admin_host, options.admin_port)


def _opened(options: argparse.Namespace) -> Installation:
    there = installation(options)
    configure_logs(there.settings.log_level)
    _warn_of_loosened_rules(options)
    return there


def _run_options(options: argparse.Namespace, there: Installation, way: Way) -> RunOptions:
    return RunOptions(
        way=way,
        practice_url=options.practice_url,
        allow_private_network=options.allow_private_network,
        home_network=options.home_network,
        extra_ca=options.extra_ca,
        webhook_backoff=options.webhook_backoff,
        stop_grace=STOP_GRACE_WITH_PARENT if options.exit_with_parent else STOP_GRACE,
        alone=there.alone,
    )


def _way(options: argparse.Namespace, there: Installation, parent: Parent | None) -> Way:
    if not options.proxy_from_stdin:
        return there.way()
    way = _proxy_from_stdin(parent)
    if parent is not None and (line := parent.line()) is not None:
        follow(way, line)
    return way


def _proxy_from_stdin(parent: Parent | None) -> Way:
    if parent is None:
        raise CommandProblem("--proxy-from-stdin requires --exit-with-parent.")
    return Way()


def _warn_of_loosened_rules(options: argparse.Namespace) -> None:
    if options.allow_private_network:
        _log.warning("webhooks and imports may reach private addresses", option="--allow-private-network")
    if options.extra_ca:
        _log.warning("webhooks and imports trust further authorities", option="--extra-ca")


def add_collect(commands: Commands) -> None:
    collect = add_command(commands, "collect", _collect, "collect metrics from the platforms now")
    collect.add_argument(
        "--practice-url",
        type=arguments.http_url,
        help="practice platforms, if no running service knows them",
    )
    collect.add_argument(
        "--allow-private-network", action="store_true", help="let accounts' servers have private addresses"
    )


def _collect(options: argparse.Namespace) -> None:
    there = installed(options)
    database = there.open_database()
    try:
        practice_url = options.practice_url or there.announced().get("practice_url")
        rows = asyncio.run(
            _sample_everything(there, database, practice_url, private=options.allow_private_network)
        )
    finally:
        database.close()
    answer(rows=rows)


async def _sample_everything(
    there: Installation, database: Database, practice_url: str | None, *, private: bool
) -> int:
    from app.platforms.registry import build_adapters
    from app.service.analytics.collecting import Collector
    from app.service.assembly import make_platforms
    from app.service.connections.platforms import Platforms
    from app.service.connections.tokens import TokenKeeper
    from app.service.outbound import OutboundPolicy
    from app.service.outbound.servers import ServerGuard
    from app.service.store.seal import open_seal

    with there.preparing(database):
        seal = open_seal(there.folder)
    async with build_adapters(
        practice_url,
        instagram_login=there.settings.instagram_login,
        way=there.way(),
        guard=ServerGuard(OutboundPolicy(private)),
    ) as adapters:
        known = make_platforms(adapters, there, practice=practice_url is not None)
        usable = {name: adapters[name] for name in adapters if name in known.credentials}
        platforms = Platforms(usable, known.credentials, known.apps)
        clock = await asyncio.to_thread(make_clock, database, alone=there.alone)
        tokens = TokenKeeper(database, seal, platforms, clock)
        return await Collector(database, tokens, platforms.adapters, clock).collect_now()
