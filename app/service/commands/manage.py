"""``connection``, ``pause`` and ``resume``: connected accounts, and what isn't published for a while."""

import argparse
from contextlib import closing
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, select

from app.contract.base import format_timestamp
from app.service.accounts.accounts import require_account
from app.service.clock import system_clock
from app.service.commands.arguments import Commands, add_command, add_group, answer, installed, write
from app.service.deletion import delete_connection
from app.service.problems import CommandProblem
from app.service.publishing.pauses import pause_account, pause_connection, pause_queue
from app.service.store.tables import connections


def add(commands: Commands) -> None:
    connection = add_group(commands, "connection", "manage connected accounts")
    listing = add_command(connection, "list", _list, "list the connected accounts of an account")
    listing.add_argument("--account", type=UUID, required=True, metavar="ID")
    deletion = add_command(
        connection, "delete", _delete, "delete a connected account with its posts, history and numbers"
    )
    deletion.add_argument("--connection", type=UUID, required=True, metavar="ID")
    deletion.add_argument("--yes", action="store_true", help="delete without a way back")
    for name, text in (("pause", "stop publishing for a while"), ("resume", "continue publishing")):
        command = add_command(commands, name, _pause if name == "pause" else _resume, text)
        what = command.add_mutually_exclusive_group(required=True)
        what.add_argument("--connection", type=UUID, metavar="ID", help="one connected account")
        what.add_argument("--account", type=UUID, metavar="ID", help="an account with all it has connected")
        what.add_argument("--all", action="store_true", help="the whole queue")


def _list(options: argparse.Namespace) -> None:
    found = write(installed(options), lambda rows: _connections(rows, options.account))
    answer(connections=found)


def _connections(rows: Connection, account_id: UUID) -> list[dict[str, Any]]:
    require_account(rows, account_id)
    found = rows.execute(
        select(connections).where(connections.c.account_id == account_id).order_by(connections.c.created_at)
    )
    return [
        {
            "connection_id": str(one.id),
            "platform": one.platform,
            "username": one.username,
            "display_name": one.display_name,
            "is_available": one.is_available,
            "paused_at": format_timestamp(one.paused_at) if one.paused_at else None,
        }
        for one in found
    ]


def _delete(options: argparse.Namespace) -> None:
    require_consent(options)
    with closing(installed(options).open_database()) as database:
        deleted = delete_connection(database, options.connection, system_clock())
    answer(deleted=deleted.rows)


def require_consent(options: argparse.Namespace) -> None:
    """Raise CommandProblem unless the user confirmed that the command can't be undone."""
    if not options.yes:
        raise CommandProblem("This can't be undone. Add --yes to delete.")


def _pause(options: argparse.Namespace) -> None:
    now = system_clock()
    _set(options, now)
    answer(paused_at=format_timestamp(now))


def _resume(options: argparse.Namespace) -> None:
    _set(options, None)
    answer(paused_at=None)


def _set(options: argparse.Namespace, at: datetime | None) -> None:
    def work(rows: Connection) -> None:
        if options.connection is not None:
            pause_connection(rows, options.connection, at)
        elif options.account is not None:
            pause_account(rows, options.account, at)
        else:
            pause_queue(rows, at)

    write(installed(options), work)
