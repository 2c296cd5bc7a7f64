"""``account`` and ``key``: manage accounts, how their owners sign in, and API keys."""

import argparse
import getpass
import sys
from contextlib import closing
from datetime import datetime
from typing import Final
from uuid import UUID

from app.contract.base import format_timestamp
from app.contract.enums import KeyScope, SubscriptionStatus
from app.service.accounts.accounts import (
    Plan,
    change_account,
    create_account,
    create_key,
    list_accounts,
    list_keys,
    revoke_key,
)
from app.service.accounts.sessions import create_link, set_password
from app.service.clock import system_clock
from app.service.commands import arguments
from app.service.commands.arguments import (
    Commands,
    add_command,
    add_group,
    answer,
    installation,
    installed,
    write,
)
from app.service.commands.manage import require_consent
from app.service.deletion import delete_account
from app.service.installation import Installation
from app.service.media.parts import open_store
from app.service.problems import CommandProblem
from app.service.transfer.handover import take_back


def add(commands: Commands) -> None:
    account = add_group(commands, "account", "manage accounts")
    create = add_command(account, "create", _create, "create an account")
    create.add_argument("--name", type=arguments.account_name, required=True)
    create.add_argument(
        "--plan", type=Plan, choices=list(Plan), help="default: local in a data folder, free on a server"
    )
    add_command(account, "list", _list, "list accounts, oldest first")
    change = add_command(account, "set", _change, "change an account")
    change.add_argument("--account", type=UUID, required=True, metavar="ID")
    change.add_argument(
        "--status", type=SubscriptionStatus, choices=list(SubscriptionStatus), metavar="STATUS"
    )
    change.add_argument("--plan", type=Plan, choices=list(Plan))
    change.add_argument("--storage-cap", type=arguments.byte_count, metavar="BYTES")
    deletion = add_command(account, "delete", _delete, "delete an account with everything it has")
    deletion.add_argument("--account", type=UUID, required=True, metavar="ID")
    deletion.add_argument("--yes", action="store_true", help="delete without a way back")
    back = add_command(account, "take-back", _take_back, "serve an account here again after its export")
    back.add_argument("--account", type=UUID, required=True, metavar="ID")
    back.add_argument("--yes", action="store_true", help="no other service has the account")
    _add_sign_in(account)


def _create(options: argparse.Namespace) -> None:
    there, now = installation(options), system_clock()
    plan = options.plan or default_plan(there)
    account_id = write(there, lambda rows: create_account(rows, options.name, plan, now))
    answer(account_id=str(account_id))


def default_plan(there: Installation) -> Plan:
    """Return the plan of new accounts. On a server, only the operator's account is on ``local``."""
    return Plan.LOCAL if there.alone else Plan.FREE


def _list(options: argparse.Namespace) -> None:
    found = write(installed(options), list_accounts)
    answer(accounts=[{"account_id": str(one["id"]), "name": one["name"]} for one in found])


def _change(options: argparse.Namespace) -> None:
    changed = write(
        installed(options),
        lambda rows: change_account(
            rows,
            options.account,
            status=options.status,
            plan=options.plan,
            storage_cap=options.storage_cap,
        ),
    )
    answer(
        account_id=str(changed["id"]),
        plan=changed["plan"],
        status=changed["status"],
        storage_cap_bytes=changed["storage_cap_bytes"],
    )


def _delete(options: argparse.Namespace) -> None:
    require_consent(options)
    there = installed(options)
    with closing(there.open_database()) as database:
        deleted = delete_account(database, options.account, system_clock())
    store = open_store(there.folder, there.settings.media.s3)
    for place in deleted.files:
        store.remove(place)
    answer(deleted=deleted.rows, files=len(deleted.files))


def _take_back(options: argparse.Namespace) -> None:
    if not options.yes:
        raise CommandProblem(
            "If another service has imported the account, its posts would be published twice. Add --yes if "
            "none has."
        )
    moves = write(installed(options), lambda rows: take_back(rows, options.account))
    answer(account_id=str(options.account), moves=moves)


def _add_sign_in(account: Commands) -> None:
    """Add both commands to ``account``."""
    password = add_command(account, "password", _set_password, "set the password, read from standard input")
    password.add_argument("--account", type=UUID, required=True, metavar="ID")
    password.add_argument(
        "--login", type=arguments.account_name, help="login name (default: the account's name)"
    )
    sign_in = add_command(account, "sign-in", _make_link, "create a one-time sign-in link")
    sign_in.add_argument("--account", type=UUID, required=True, metavar="ID")
    sign_in.add_argument("--base-url", type=arguments.https_url, help="URL where browsers reach the service")


def _set_password(options: argparse.Namespace) -> None:
    there, password, now = installed(options), _ask(), system_clock()
    login = write(there, lambda rows: set_password(rows, options.account, password, now, login=options.login))
    answer(account_id=str(options.account), login=login)


def _ask() -> str:
    """Read a password: from a terminal twice without echo, otherwise one line of standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass.getpass("Password: ")
    if getpass.getpass("Repeat the password: ") != password:
        raise CommandProblem("The passwords differ. Nothing was changed. Try again.")
    return password


def _make_link(options: argparse.Namespace) -> None:
    there, now = installed(options), system_clock()
    base_url = options.base_url or there.settings.public_origin or _running_at(there)
    link = write(there, lambda rows: create_link(rows, options.account, base_url, now))
    answer(**link.model_dump(mode="json"))


def _running_at(there: Installation) -> str:
    try:
        return str(there.announced()["base_url"])
    except KeyError:
        raise CommandProblem(
            "The address of the service isn't known. Start it on the data folder, set public_origin in a "
            "server's settings, or use --base-url."
        ) from None


def add_key(commands: Commands) -> None:
    key = add_group(commands, "key", "manage API keys")
    create = add_command(key, "create", _create_key, "create a key, which is shown only once")
    create.add_argument("--account", type=UUID, required=True, metavar="ID")
    create.add_argument("--name", type=arguments.key_name, help="what the key is for")
    create.add_argument("--expires-at", type=arguments.moment, metavar="ISO")
    create.add_argument("--scope", type=KeyScope, choices=list(KeyScope), default=KeyScope.API_FULL)
    listing = add_command(key, "list", _list_keys, "list the keys of an account, newest first")
    listing.add_argument("--account", type=UUID, required=True, metavar="ID")
    revoke = add_command(key, "revoke", _revoke_key, "revoke a key immediately")
    revoke.add_argument("--key-id", type=UUID, required=True, metavar="ID")


def _create_key(options: argparse.Namespace) -> None:
    now = system_clock()
    if options.expires_at is not None and options.expires_at <= now:
        raise CommandProblem("The time given to --expires-at has passed. Choose one in the future.")
    key_id, key = write(
        installed(options),
        lambda rows: create_key(
            rows, options.account, options.scope, options.expires_at, now, name=options.name
        ),
    )
    answer(key_id=str(key_id), key=key)


def _list_keys(options: argparse.Namespace) -> None:
    found = write(installed(options), lambda rows: list_keys(rows, options.account))
    answer(
        keys=[
            {
                "key_id": str(key["id"]),
                "name": key["name"],
                "hint": key["hint"],
                "scope": key["scope"],
                **{name: _written(key[name]) for name in _TIMES},
            }
            for key in found
        ]
    )


_TIMES: Final = ("created_at", "last_used_at", "expires_at", "revoked_at")


def _written(moment: datetime | None) -> str | None:
    return format_timestamp(moment) if moment else None


def _revoke_key(options: argparse.Namespace) -> None:
    now = system_clock()
    if not write(installed(options), lambda rows: revoke_key(rows, options.key_id, now)):
        raise CommandProblem(f"There is no key {options.key_id}. Check the id given to --key-id.")
    answer(revoked=True)
