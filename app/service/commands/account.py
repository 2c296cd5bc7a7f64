"""``account``: manage accounts and how their owners sign in."""

import argparse
from uuid import UUID

from app.contract.enums import SubscriptionStatus
from app.service.accounts.accounts import Plan, change_account, create_account, list_accounts
from app.service.clock import system_clock
from app.service.commands import sign_in, values
from app.service.commands.base import Commands, add_command, add_group, answer, installation, installed, write


def add(commands: Commands) -> None:
    account = add_group(commands, "account", "manage accounts")
    create = add_command(account, "create", _create, "create an account")
    create.add_argument("--name", type=values.account_name, required=True)
    create.add_argument("--plan", type=Plan, choices=list(Plan), default=Plan.LOCAL)
    add_command(account, "list", _list, "list accounts, oldest first")
    change = add_command(account, "set", _change, "change an account")
    change.add_argument("--account", type=UUID, required=True, metavar="ID")
    change.add_argument(
        "--status", type=SubscriptionStatus, choices=list(SubscriptionStatus), metavar="STATUS"
    )
    change.add_argument("--plan", type=Plan, choices=list(Plan))
    change.add_argument("--storage-cap", type=values.byte_count, metavar="BYTES")
    sign_in.add(account)


def _create(options: argparse.Namespace) -> None:
    now = system_clock()
    account_id = write(
        installation(options), lambda rows: create_account(rows, options.name, options.plan, now)
    )
    answer(account_id=str(account_id))


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
