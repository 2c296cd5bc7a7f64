"""``python -m app.service``: the commands of the service."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import structlog
from pydantic_core import PydanticCustomError
from sqlalchemy import Connection

from app.contract.base import parse_timestamp
from app.contract.enums import KeyScope, SubscriptionStatus
from app.database import DatabaseError
from app.service.accounts.accounts import change_account, create_account
from app.service.accounts.keys import create_key, revoke_key
from app.service.accounts.plans import Plan
from app.service.clock import system_clock
from app.service.logs import configure_logs
from app.service.options import WEBHOOK_BACKOFF_DEFAULT, RunOptions
from app.service.problems import CommandProblem
from app.service.store.folder import DataFolder

_log = structlog.get_logger(__name__)

_LONGEST_NAME = 200
_LONGEST_WAIT_S = 86_400
_MOST_BYTES = 2**63 - 1  # what the column holds


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; gives the exit code. What goes wrong is one sentence on stderr."""
    options = _parser().parse_args(arguments)
    os.umask(0o077)  # whatever is made in the data folder is the owner's alone
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
        print(f"{error.filename or options.data} cannot be used: {error.strerror}.", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kalends-service", description="The service behind Kalends.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_serve(commands)
    account = commands.add_parser("account", help="accounts").add_subparsers(required=True, metavar="ACTION")
    _add_account(account)
    key = commands.add_parser("key", help="API keys").add_subparsers(required=True, metavar="ACTION")
    _add_key(key)
    return parser


def _add_serve(commands: Any) -> None:
    serve = _command(commands, "serve", _serve, "listen, publish, and keep everything in the data folder")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on")
    serve.add_argument("--port", type=_port, default=0, help="port to listen on; 0 takes a free one")
    serve.add_argument("--callback-port", type=_port, help="port that browsers come back to")
    serve.add_argument("--practice-url", type=_http_url, help="use the practice platforms at this address")
    serve.add_argument("--exit-with-parent", action="store_true", help="end when stdin closes")
    serve.add_argument("--allow-private-network", action="store_true", help="let webhooks reach this network")
    serve.add_argument("--extra-ca", type=_file, metavar="FILE", help="trust these authorities, too")
    serve.add_argument(
        "--webhook-backoff",
        type=_seconds,
        default=WEBHOOK_BACKOFF_DEFAULT,
        metavar="SECONDS",
        help="waits before retries, as 10,60,300",
    )
    serve.add_argument("--rate-limit", choices=("on", "off"), default="on", help="limit calls per key")


def _add_account(commands: Any) -> None:
    create = _command(commands, "create", _create_account, "add an account")
    create.add_argument("--name", type=_name, required=True)
    create.add_argument("--plan", type=Plan, choices=list(Plan), default=Plan.LOCAL)
    change = _command(commands, "set", _change_account, "change an account")
    change.add_argument("--account", type=UUID, required=True, metavar="ID")
    change.add_argument(
        "--status", type=SubscriptionStatus, choices=list(SubscriptionStatus), metavar="STATUS"
    )
    change.add_argument("--plan", type=Plan, choices=list(Plan))
    change.add_argument("--storage-cap", type=_byte_count, metavar="BYTES")


def _add_key(commands: Any) -> None:
    create = _command(commands, "create", _create_key, "make a key; it is shown this once")
    create.add_argument("--account", type=UUID, required=True, metavar="ID")
    create.add_argument("--expires-at", type=_moment, metavar="ISO")
    create.add_argument("--scope", type=KeyScope, choices=list(KeyScope), default=KeyScope.API_FULL)
    revoke = _command(commands, "revoke", _revoke_key, "end a key at once")
    revoke.add_argument("--key-id", type=UUID, required=True, metavar="ID")


def _command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], None], help_text: str
) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=help_text)
    command.add_argument("--data", type=Path, required=True, metavar="DIR", help="the data folder")
    command.set_defaults(run=run)
    return command


def _serve(options: argparse.Namespace) -> None:
    from app.service.serve import ServeOptions, serve
    from app.service.settings import read_settings

    settings = read_settings(DataFolder(options.data).settings)
    configure_logs(settings.log_level)
    _warn_of_open_doors(options)
    serve(
        ServeOptions(
            data=options.data,
            host=options.host,
            port=options.port,
            callback_port=options.callback_port,
            exit_with_parent=options.exit_with_parent,
            run=RunOptions(
                practice_url=options.practice_url,
                allow_private_network=options.allow_private_network,
                extra_ca=options.extra_ca,
                webhook_backoff=options.webhook_backoff,
                rate_limit=options.rate_limit == "on",
            ),
        ),
        settings,
    )


def _warn_of_open_doors(options: argparse.Namespace) -> None:
    if options.allow_private_network:
        _log.warning("webhooks and imports may reach private addresses", option="--allow-private-network")
    if options.extra_ca:
        _log.warning("webhooks and imports trust further authorities", option="--extra-ca")


def _create_account(options: argparse.Namespace) -> None:
    now = system_clock()
    account_id = _write(options, lambda rows: create_account(rows, options.name, options.plan, now))
    _answer(account_id=str(account_id))


def _change_account(options: argparse.Namespace) -> None:
    changed = _change(
        options,
        lambda rows: change_account(
            rows,
            options.account,
            status=options.status,
            plan=options.plan,
            storage_cap=options.storage_cap,
        ),
    )
    _answer(
        account_id=str(changed["id"]),
        plan=changed["plan"],
        status=changed["status"],
        storage_cap_bytes=changed["storage_cap_bytes"],
    )


def _create_key(options: argparse.Namespace) -> None:
    now = system_clock()
    key_id, key = _change(
        options, lambda rows: create_key(rows, options.account, options.scope, options.expires_at, now)
    )
    _answer(key_id=str(key_id), key=key)


def _revoke_key(options: argparse.Namespace) -> None:
    now = system_clock()
    _change(options, lambda rows: revoke_key(rows, options.key_id, now))
    _answer(revoked=True)


def _change(options: argparse.Namespace, work: Callable[[Connection], Any]) -> Any:
    """Like ``_write``, where something must be there already: a mistyped folder becomes no installation."""
    folder = DataFolder(options.data)
    if not folder.database.exists():
        raise CommandProblem(f"There is no service in the folder {folder.root}. Check --data.")
    return _write(options, work)


def _write(options: argparse.Namespace, work: Callable[[Connection], Any]) -> Any:
    database = DataFolder(options.data).open_database()
    try:
        return database.write_now(work)
    finally:
        database.close()


def _answer(**data: object) -> None:
    print(json.dumps(data), flush=True)


def _file(text: str) -> Path:
    if not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"must be a file that is there, not {text!r}")
    return Path(text)


def _seconds(text: str) -> tuple[float, ...]:
    try:
        waits = tuple(float(wait) for wait in text.split(","))
    except ValueError:
        waits = ()
    if not waits or not all(0 <= wait <= _LONGEST_WAIT_S for wait in waits):
        raise argparse.ArgumentTypeError(f"must be seconds separated by commas, as 10,60,300, not {text!r}")
    return waits


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return int(text)


def _byte_count(text: str) -> int:
    if not text.isdecimal() or int(text) > _MOST_BYTES:
        raise argparse.ArgumentTypeError(f"a number of bytes is needed, {_MOST_BYTES} at most")
    return int(text)


def _name(text: str) -> str:
    if not 0 < len(text.strip()) <= _LONGEST_NAME or not text.isprintable():
        raise argparse.ArgumentTypeError(f"a name has 1 to {_LONGEST_NAME} characters that can be printed")
    return text.strip()


def _moment(text: str) -> datetime:
    try:
        return parse_timestamp(text)
    except PydanticCustomError as error:
        raise argparse.ArgumentTypeError(f"the time {error.message()}") from None


def _http_url(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError("the address must begin with http:// or https://")
    return text.rstrip("/")
