"""``key``: manage API keys."""

import argparse
from uuid import UUID

from app.contract.enums import KeyScope
from app.service.accounts.keys import create_key, revoke_key
from app.service.clock import system_clock
from app.service.commands import values
from app.service.commands.base import Commands, add_command, add_group, answer, installed, write
from app.service.problems import CommandProblem


def add(commands: Commands) -> None:
    key = add_group(commands, "key", "manage API keys")
    create = add_command(key, "create", _create, "create a key, which is shown only once")
    create.add_argument("--account", type=UUID, required=True, metavar="ID")
    create.add_argument("--name", type=values.key_name, help="what the key is for")
    create.add_argument("--expires-at", type=values.moment, metavar="ISO")
    create.add_argument("--scope", type=KeyScope, choices=list(KeyScope), default=KeyScope.API_FULL)
    revoke = add_command(key, "revoke", _revoke, "revoke a key immediately")
    revoke.add_argument("--key-id", type=UUID, required=True, metavar="ID")


def _create(options: argparse.Namespace) -> None:
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


def _revoke(options: argparse.Namespace) -> None:
    now = system_clock()
    if not write(installed(options), lambda rows: revoke_key(rows, options.key_id, now)):
        raise CommandProblem(f"There is no key {options.key_id}. Check the id given to --key-id.")
    answer(revoked=True)
