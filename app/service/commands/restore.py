"""``backup``, ``restore`` and ``secrets``: backups of an installation, and its keys."""

import argparse
import sqlite3
from contextlib import closing
from pathlib import Path

from app.service.backups import back_up, put_back
from app.service.clock import system_clock
from app.service.commands.arguments import Commands, add_command, add_group, answer, installation, installed
from app.service.installation import Installation
from app.service.problems import CommandProblem
from app.service.restoring import look_into_past, restore
from app.service.rotation import require_alone, rotate_seal, rotate_signing
from app.service.seal_key import reset_key


def add(commands: Commands) -> None:
    backup = add_command(
        commands, "backup", _back_up, "back up a data folder into one file, even while it's in use"
    )
    backup.add_argument("--to", type=Path, required=True, metavar="FILE", help="new backup file")
    restoring = add_command(
        commands, "restore", _restore, "restore a backup, or prepare a database restored by hand"
    )
    restoring.add_argument("--from", dest="file", type=Path, metavar="FILE", help="backup file")
    secrets = add_group(commands, "secrets", "manage the key that encrypts tokens")
    add_command(secrets, "rotate", _rotate, "replace all keys; services must be stopped")
    add_command(
        secrets, "reset", _reset, "replace a lost key; services must be stopped, accounts reconnected"
    )


def _back_up(options: argparse.Namespace) -> None:
    there = installed(options)
    if not there.alone:
        raise CommandProblem(
            "Back up a server's database with pg_dump, and copy its folder. See docs/backups.md."
        )
    try:
        size = back_up(there.folder, options.to)
    except sqlite3.Error as error:
        raise CommandProblem(f"The database {there.folder.database} couldn't be copied: {error}.") from None
    answer(file=str(options.to), size_bytes=size)


def _restore(options: argparse.Namespace) -> None:
    there, now = installation(options), system_clock()
    aside: Path | None = None
    with there.held():
        if options.file is not None:
            aside = _put_back(there, options.file)
        there.require()
        there.folder.keep_restored(now)
        with closing(there.open_database()) as database:
            keys = database.write_now(lambda rows: restore(rows, now, alone=there.alone))
            with there.preparing(database):
                past = look_into_past(there.folder, database, now, alone=there.alone)
    answer(
        restored_at=now.isoformat(),
        keys_revoked=keys,
        calls_to_look_for=past.calls_to_look_for,
        set_aside=str(aside) if aside else None,
    )


def _put_back(there: Installation, file: Path) -> Path | None:
    if not there.alone:
        raise CommandProblem(
            "--from is for data folders (--data). Restore a server's database with pg_restore first, "
            "then run this command without --from. See docs/backups.md."
        )
    if not file.is_file():
        raise CommandProblem(f"There is no file {file}. Check --from.")
    return put_back(there.folder, file, system_clock())


def _rotate(options: argparse.Namespace) -> None:
    there = installed(options)
    with there.held(), closing(there.open_database()) as database, there.preparing(database):
        rotated = rotate_seal(there.folder, database)
        rotate_signing(there.folder)
    answer(rotated=rotated)


def _reset(options: argparse.Namespace) -> None:
    there = installed(options)
    with there.held(), closing(there.open_database()) as database:
        require_alone(database)  # programs that run would go on using the lost key
        accounts = reset_key(there.folder, database, system_clock())
    answer(reset=True, accounts_to_connect=accounts)
