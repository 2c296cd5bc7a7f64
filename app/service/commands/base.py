"""What every command shares: its parser, the installation, and the answer."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import Connection

from app.service.installation import EmbeddedInstallation, Installation, ServerInstallation
from app.service.problems import CommandProblem

T = TypeVar("T")

_DATABASE_HELP = (
    "with --config: PostgreSQL database, such as postgresql://USER@HOST/NAME. The password comes from "
    ".pgpass, passfile=FILE in the URL, a service file or the settings file, never from this option"
)

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001  it has no other name
"""Where commands are put: what ``add_subparsers`` gives."""


def add_group(commands: Commands, name: str, help_text: str) -> Commands:
    """A command that has commands of its own, such as ``account``."""
    return commands.add_parser(name, help=help_text).add_subparsers(required=True, metavar="ACTION")


def add_command(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], None], help_text: str
) -> argparse.ArgumentParser:
    """A command on an installation; ``run`` gets its options, and raises CommandProblem where it cannot."""
    command = commands.add_parser(name, help=help_text)
    place = command.add_mutually_exclusive_group(required=True)
    place.add_argument("--data", type=Path, metavar="DIR", help="data folder of an embedded service")
    place.add_argument("--config", type=Path, metavar="FILE", help="settings file of a server installation")
    command.add_argument("--database-url", metavar="URL", help=_DATABASE_HELP)
    command.set_defaults(run=run)
    return command


def installation(options: argparse.Namespace) -> Installation:
    """What the command is to work on, which an embedded service may still have to make.

    Raises CommandProblem or DatabaseError.
    """
    if options.config is not None:
        return ServerInstallation(options.config, options.database_url)
    if options.database_url is not None:
        raise CommandProblem(
            "--database-url is for server installations. Use it with --config FILE instead of --data."
        )
    return EmbeddedInstallation(options.data)


def installed(options: argparse.Namespace) -> Installation:
    """What the command is to work on, which is there already. Raises CommandProblem or DatabaseError."""
    there = installation(options)
    there.require()
    return there


def write(there: Installation, work: Callable[[Connection], T]) -> T:
    """Runs ``work`` in one transaction, also while services are at work."""
    database = there.open_database()
    try:
        return database.write_now(work)
    finally:
        database.close()


def answer(**data: Any) -> None:
    """Prints the one JSON line that a command ends with."""
    print(json.dumps(data), flush=True)  # noqa: T201  this is the command's output
