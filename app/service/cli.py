"""``python -m app.service``: the commands of the service."""

import argparse
import os
import sys
from collections.abc import Sequence

from app.children import utf8
from app.children.lean import provide_streams
from app.database import DatabaseError
from app.service.commands import account, doctor, manage, restore, serve, status, transfer
from app.service.logs import configure_logs
from app.service.problems import CommandProblem

_GROUPS = (
    serve.add,
    account.add,
    account.add_key,
    serve.add_collect,
    manage.add,
    restore.add,
    transfer.add,
    doctor.add,
    status.add,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Errors are one sentence on standard error."""
    if arguments is None and utf8.is_missing():
        utf8.start_again()
    options = parse(arguments)
    provide_streams()
    os.umask(0o077)  # new files in the data folder are private
    configure_logs()
    try:
        options.run(options)
    except CommandProblem as problem:
        print(problem, file=sys.stderr)
        return problem.exit_code
    except DatabaseError as problem:
        print(problem, file=sys.stderr)
        return 1
    except OSError as error:
        place = error.filename or options.data or options.config
        print(f"{place} can't be used: {error.strerror}.", file=sys.stderr)
        return 1
    return 0


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of a command line, by default this program's. Exits if it's invalid."""
    return _parser().parse_args(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kalends-service", description="The Kalends publishing service.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add_group in _GROUPS:
        add_group(commands)
    return parser
