"""``account password`` and ``account sign-in``: two ways into the service's pages."""

import argparse
import getpass
import json
import sys
from uuid import UUID

from app.service.accounts.links import create_link
from app.service.accounts.passwords import set_password
from app.service.clock import system_clock
from app.service.commands import values
from app.service.commands.base import Commands, add_command, answer, installed, write
from app.service.problems import CommandProblem
from app.service.store.folder import DataFolder


def add(account: Commands) -> None:
    """Puts both under ``account``."""
    password = add_command(account, "password", _set_password, "set the password, read from standard input")
    password.add_argument("--account", type=UUID, required=True, metavar="ID")
    password.add_argument("--login", type=values.account_name, help="the name to sign in with")
    sign_in = add_command(account, "sign-in", _make_link, "make a link that signs in once")
    sign_in.add_argument("--account", type=UUID, required=True, metavar="ID")
    sign_in.add_argument("--base-url", type=values.https_url, help="where browsers reach the service")


def _set_password(options: argparse.Namespace) -> None:
    folder, password, now = installed(options), _ask(), system_clock()
    login = write(
        folder, lambda rows: set_password(rows, options.account, password, now, login=options.login)
    )
    answer(account_id=str(options.account), login=login)


def _ask() -> str:
    """A password from a person, asked twice and not shown, or from a program, in one line."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass.getpass("Password: ")
    if getpass.getpass("The same again: ") != password:
        raise CommandProblem("The two passwords differ, so nothing was changed. Try again.")
    return password


def _make_link(options: argparse.Namespace) -> None:
    from app.service.settings import read_settings

    folder, now = installed(options), system_clock()
    base_url = options.base_url or read_settings(folder.settings).public_origin or _running_at(folder)
    link = write(folder, lambda rows: create_link(rows, options.account, base_url, now))
    answer(**link.model_dump(mode="json"))


def _running_at(folder: DataFolder) -> str:
    try:
        return str(json.loads(folder.running.read_bytes())["base_url"])
    except (OSError, ValueError, KeyError):
        raise CommandProblem(
            f"No service runs in the folder {folder.root}. Start it, or say where it is with --base-url."
        ) from None
