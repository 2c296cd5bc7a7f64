"""Shared parts of the commands: parser, types of arguments, installation and output."""

import argparse
import json
from argparse import ArgumentTypeError
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from pydantic_core import PydanticCustomError
from sqlalchemy import Connection

from app.contract.base import parse_timestamp
from app.contract.limits import API_KEY_NAME_MAX
from app.service.installation import EmbeddedInstallation, Installation, ServerInstallation
from app.service.problems import CommandProblem
from app.service.store.tables.accounts import ACCOUNT_NAME_MAX

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


_LONGEST_WAIT_S = 86_400
_MOST_BYTES = 2**63 - 1  # range of the column


def file(text: str) -> Path:
    if not Path(text).is_file():
        raise ArgumentTypeError(f"must be an existing file, not {text!r}")
    return Path(text)


def seconds(text: str) -> tuple[float, ...]:
    try:
        waits = tuple(float(wait) for wait in text.split(","))
    except ValueError:
        waits = ()
    if not waits or not all(0 <= wait <= _LONGEST_WAIT_S for wait in waits):
        raise ArgumentTypeError(f"must be seconds separated by commas, such as 10,60,300, not {text!r}")
    return waits


def port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise ArgumentTypeError("must be a number from 0 to 65535")
    return int(text)


def byte_count(text: str) -> int:
    if not text.isdecimal() or int(text) > _MOST_BYTES:
        raise ArgumentTypeError(f"must be a number of bytes, at most {_MOST_BYTES}")
    return int(text)


def account_name(text: str) -> str:
    return _name(text, ACCOUNT_NAME_MAX)


def key_name(text: str) -> str:
    return _name(text, API_KEY_NAME_MAX)


def _name(text: str, longest: int) -> str:
    if not 0 < len(text.strip()) <= longest or not text.isprintable():
        raise ArgumentTypeError(f"must have 1 to {longest} printable characters")
    return text.strip()


def moment(text: str) -> datetime:
    try:
        return parse_timestamp(text)
    except PydanticCustomError as error:
        raise ArgumentTypeError(f"the time {error.message()}") from None


def http_url(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise ArgumentTypeError("must start with http:// or https://")
    return text.rstrip("/")


def https_url(text: str) -> str:
    if not text.startswith("https://"):
        raise ArgumentTypeError("must start with https://")
    return text.rstrip("/")
