"""``status`` and ``migrate``: how an installation is doing, and updates of its database."""

import argparse
from contextlib import closing
from dataclasses import asdict
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from sqlalchemy import Connection, func, select

from app.contract.base import format_timestamp
from app.service.clock import make_clock
from app.service.commands.arguments import Commands, add_command, answer, installation, installed
from app.service.monitoring.backlog import Backlog, read_backlog
from app.service.store.folder import MIGRATIONS
from app.service.store.tables import accounts


def add(commands: Commands) -> None:
    status = add_command(commands, "status", _status, "show what is due and what is late")
    status.add_argument("--json", action="store_true", help="print one line of JSON instead")
    migrate = add_command(
        commands, "migrate", _migrate, "update the database, while services of a server run"
    )
    migrate.add_argument(
        "--finish", action="store_true", help="no program of an earlier version runs any more"
    )


def _migrate(options: argparse.Namespace) -> None:
    there = installation(options)
    before, after = there.migrate()
    if options.finish:
        there.finish_update()
    answer(before=before, after=after)


def _status(options: argparse.Namespace) -> None:
    there = installed(options)
    with closing(there.open_database(migrate=False)) as database:
        now = make_clock(database, alone=there.alone)()
        owners, backlog = database.read_now(lambda rows: (_count_accounts(rows), read_backlog(rows, now)))
    running = there.announced()
    if options.json:
        answer(
            version=_version(),
            database_version=MIGRATIONS.newest,
            base_url=running.get("base_url"),
            accounts=owners,
            lag_seconds=backlog.lag_seconds,
            backlog=_plain(asdict(backlog)),
        )
    else:
        for label, text in _lines(backlog, owners, running.get("base_url")):
            print(f"{label:<20}{text}")  # noqa: T201  this is the command's output


def _count_accounts(rows: Connection) -> int:
    return rows.scalar(select(func.count()).select_from(accounts)) or 0


def _lines(backlog: Backlog, owners: int, base_url: str | None) -> list[tuple[str, str]]:
    """Return the rows of the table for people."""
    lines = [("Version", f"{_version()}, database {MIGRATIONS.newest}")]
    if base_url is not None:
        lines.append(("Running at", base_url))
    lines += [
        ("Accounts", str(owners)),
        ("Connected", _accounts(backlog)),
        ("Posts due", _posts(backlog)),
        ("Paused", _paused(backlog)),
        ("Next post", format_timestamp(backlog.next_post) if backlog.next_post else "none planned"),
        ("Open attempts", f"{backlog.unresolved} whose outcome isn't known yet"),
        ("Webhooks due", _late(backlog.deliveries, backlog.delivery_lag_seconds)),
        ("Access to renew", str(backlog.renewals)),
        ("Metrics to collect", str(backlog.samples)),
        ("Files to examine", str(backlog.unprobed)),
    ]
    return lines


def _posts(backlog: Backlog) -> str:
    ready = _late(backlog.posts_in("ready"), backlog.lag_seconds)
    claimed, waiting = backlog.posts_in("claimed"), backlog.posts_in("waiting")
    return (
        f"{ready}; {claimed} being published; {waiting} waiting for a retry, an account or the end of a pause"
    )


def _paused(backlog: Backlog) -> str:
    if backlog.is_queue_paused:
        return "the whole queue"
    count = backlog.paused_connections
    return f"{count} connected account{'s' if count > 1 else ''}" if count else "nothing"


def _late(count: int, seconds: float) -> str:
    return f"{count}, the oldest {seconds:.0f} s late" if count else "0"


def _accounts(backlog: Backlog) -> str:
    counts: dict[str, int] = {}
    for one in backlog.accounts:
        counts[one.state] = counts.get(one.state, 0) + one.count
    return ", ".join(f"{count} {state}" for state, count in sorted(counts.items())) or "none"


def _version() -> str:
    try:
        return version("kalends")
    except PackageNotFoundError:
        return "from source"


def _plain(value: Any) -> Any:
    """Return a value with its times as text."""
    match value:
        case datetime():
            return format_timestamp(value)
        case dict():
            return {name: _plain(each) for name, each in value.items()}
        case list():
            return [_plain(each) for each in value]
    return value
