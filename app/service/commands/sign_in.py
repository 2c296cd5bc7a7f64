"""``account password`` and ``account sign-in``: two ways to sign in on the service's pages."""

import argparse
import getpass
import sys
from uuid import UUID

from app.service.accounts.passwords import set_password
from app.service.accounts.sessions import create_link
from app.service.clock import system_clock
from app.service.commands import values
from app.service.commands.base import Commands, add_command, answer, installed, write
from app.service.installation import Installation
from app.service.problems import CommandProblem


def add(account: Commands) -> None:
    """Add both commands to ``account``."""
    password = add_command(account, "password", _set_password, "set the password, read from standard input")
    password.add_argument("--account", type=UUID, required=True, metavar="ID")
    password.add_argument(
        "--login", type=values.account_name, help="login name (default: the account's name)"
    )
    sign_in = add_command(account, "sign-in", _make_link, "create a one-time sign-in link")
    sign_in.add_argument("--account", type=UUID, required=True, metavar="ID")
    sign_in.add_argument("--base-url", type=values.https_url, help="URL where browsers reach the service")


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
