"""Shared parts of the commands: parser, installation and output."""

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

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001  it has no public name
"""The return type of ``add_subparsers``."""


def add_group(commands: Commands, name: str, help_text: str) -> Commands:
    """Add a command with subcommands, such as ``account``."""
    return commands.add_parser(name, help=help_text).add_subparsers(required=True, metavar="ACTION")


def add_command(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], None], help_text: str
) -> argparse.ArgumentParser:
    """Add a command that works on an installation. ``run`` gets its options and may raise CommandProblem."""
    command = commands.add_parser(name, help=help_text)
    place = command.add_mutually_exclusive_group(required=True)
    place.add_argument("--data", type=Path, metavar="DIR", help="data folder of an embedded service")
    place.add_argument("--config", type=Path, metavar="FILE", help="settings file of a server installation")
    command.add_argument("--database-url", metavar="URL", help=_DATABASE_HELP)
    command.set_defaults(run=run)
    return command


def installation(options: argparse.Namespace) -> Installation:
    """Return the installation of the command. An embedded one may not exist yet.

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
    """Return the existing installation of the command. Raises CommandProblem or DatabaseError."""
    there = installation(options)
    there.require()
    return there


def write(there: Installation, work: Callable[[Connection], T]) -> T:
    """Run ``work`` in one transaction, even while services are running."""
    database = there.open_database()
    try:
        return database.write_now(work)
    finally:
        database.close()


def answer(**data: Any) -> None:
    """Print the final JSON line of a command."""
    print(json.dumps(data), flush=True)  # noqa: T201  this is the command's output
