"""What every command shares: its parser, the data folder, and the answer."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import Connection

from app.service.problems import CommandProblem
from app.service.store.folder import DataFolder

T = TypeVar("T")

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001  it has no other name
"""Where commands are put: what ``add_subparsers`` gives."""


def add_group(commands: Commands, name: str, help_text: str) -> Commands:
    """A command that has commands of its own, such as ``account``."""
    return commands.add_parser(name, help=help_text).add_subparsers(required=True, metavar="ACTION")


def add_command(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], None], help_text: str
) -> argparse.ArgumentParser:
    """A command on a data folder; ``run`` gets its options and raises CommandProblem where it cannot work."""
    command = commands.add_parser(name, help=help_text)
    command.add_argument("--data", type=Path, required=True, metavar="DIR", help="the data folder")
    command.set_defaults(run=run)
    return command


def installed(options: argparse.Namespace) -> DataFolder:
    """The data folder of a service that is there already.

    Raises CommandProblem otherwise: a mistyped folder becomes no installation.
    """
    folder = DataFolder(options.data)
    if not folder.database.exists():
        raise CommandProblem(f"There is no service in the folder {folder.root}. Check --data.")
    return folder


def write(folder: DataFolder, work: Callable[[Connection], T]) -> T:
    """Runs ``work`` in one transaction, also while a service has the folder."""
    database = folder.open_database()
    try:
        return database.write_now(work)
    finally:
        database.close()


def answer(**data: Any) -> None:
    """Prints the one JSON line that a command ends with."""
    print(json.dumps(data), flush=True)  # noqa: T201  the door says so
