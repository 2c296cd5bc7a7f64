"""``export`` and ``import``: move accounts from one service to another."""

import argparse
import getpass
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final
from uuid import UUID

from filelock import FileLock, Timeout

from app.contract.base import format_timestamp
from app.database import Database
from app.disk import private_folder
from app.service.accounts.accounts import Plan, list_accounts
from app.service.clock import make_clock
from app.service.commands import arguments
from app.service.commands.account import default_plan
from app.service.commands.arguments import Commands, add_command, answer, installation, installed
from app.service.installation import Installation
from app.service.media.parts import open_store
from app.service.media.stores import MediaStore
from app.service.problems import CommandProblem, FolderInUseProblem
from app.service.store.seal import open_seal
from app.service.transfer.handover import cancel_arrival, cancel_departure, is_elsewhere

if TYPE_CHECKING:
    from app.service.transfer.manifest import ExportFolder

_PATIENCE_S: Final = 180.0
"""How long posts under way may take to end: longer than a dead worker's claims."""
_PASSPHRASE_BYTES_MAX: Final = 10_000


def add(commands: Commands) -> None:
    export = add_command(
        commands, "export", _export, "hand over accounts, and write everything they have into a folder"
    )
    which = export.add_mutually_exclusive_group(required=True)
    which.add_argument("--account", type=UUID, metavar="ID")
    which.add_argument("--all", action="store_true", help="all accounts")
    export.add_argument("--to", type=Path, required=True, metavar="DIR", help="folder of the export")
    export.add_argument(
        "--wait", type=float, default=_PATIENCE_S, metavar="S", help="seconds that posts under way may take"
    )
    export.add_argument(
        "--cancel",
        action="store_true",
        help="take the accounts back; only if no other service has them, or each refuses them",
    )
    importing = add_command(commands, "import", _import, "import accounts from the folder of an export")
    importing.add_argument("--from", dest="folder", type=Path, required=True, metavar="DIR")
    importing.add_argument("--account", type=UUID, metavar="ID", help="only this account")
    importing.add_argument("--plan", type=Plan, choices=list(Plan), help="the plan of new accounts")
    importing.add_argument("--storage-cap", type=arguments.byte_count, metavar="BYTES")
    importing.add_argument(
        "--cancel",
        action="store_true",
        help="refuse the export from now on, so that its accounts can be taken back where they come from",
    )
    for command in (export, importing):
        secrets = command.add_mutually_exclusive_group()
        secrets.add_argument(
            "--passphrase-file",
            type=arguments.file,
            metavar="FILE",
            help="default: asked for, or read from stdin",
        )
        secrets.add_argument(
            "--without-secrets", action="store_true", help="accounts must be connected again afterwards"
        )


def _export(options: argparse.Namespace) -> None:
    from app.service.transfer.exporting import Source, export_account
    from app.service.transfer.manifest import ExportFolder

    there = installed(options)
    if options.cancel:
        _cancel_export(there, options)
        return
    passphrase = _passphrase(options, repeat=True)
    exported, elsewhere = [], []
    private_folder(options.to)
    with _opened(there) as database, _working_in(options.to):
        clock = make_clock(database, alone=there.alone)
        for account_id in _accounts(options, database):
            source = Source(there.folder.root, database, _store(there), open_seal(there.folder), clock)
            folder = ExportFolder(options.to / str(account_id))
            left = partial(is_elsewhere, account_id=account_id, export_id=folder.export_id())
            if options.all and database.read_now(left):
                elsewhere.append(str(account_id))
                continue
            manifest = export_account(source, account_id, folder, passphrase, options.wait)
            exported.append(
                {
                    "account_id": str(account_id),
                    "folder": str(folder.root),
                    "exported_at": format_timestamp(manifest.exported_at),
                    "rows": {name: written.rows for name, written in manifest.tables.items()},
                    "files": manifest.media_files,
                    "bytes": manifest.media_bytes,
                    "left_out": manifest.left_out,
                }
            )
    answer(exported=exported, elsewhere=elsewhere)


def _import(options: argparse.Namespace) -> None:
    from app.service.transfer.checking import Rooms
    from app.service.transfer.importing import Target, import_account

    there = installation(options)
    folders = _folders(options.folder, options.account)
    if options.cancel:
        _cancel(there, folders)
        return
    passphrase = _passphrase(options, repeat=False)
    plan = options.plan or default_plan(there)
    imported = []
    with _opened(there) as database, _working_in(options.folder):
        clock = make_clock(database, alone=there.alone)
        for folder in folders:
            target = Target(database, _store(there), open_seal(there.folder), clock)
            rooms = Rooms(plan, options.storage_cap)
            result = import_account(target, folder, passphrase, rooms)
            imported.append({"account_id": folder.root.name, "rows": result.rows, "already": result.already})
    answer(imported=imported)


def _cancel_export(there: Installation, options: argparse.Namespace) -> None:
    from app.service.transfer.manifest import ExportFolder

    cancelled = []
    with _opened(there) as database, _working_in(private_folder(options.to)):
        for account_id in _accounts(options, database):
            this = ExportFolder(options.to / str(account_id)).export_id()
            if database.write_now(partial(cancel_departure, account_id=account_id, export_id=this)):
                cancelled.append(str(account_id))
    answer(cancelled=cancelled)


def _cancel(there: Installation, folders: "list[ExportFolder]") -> None:
    manifests = [manifest for folder in folders if (manifest := folder.read_manifest()) is not None]
    with _opened(there) as database, _working_in(folders[0].root.parent):
        for one in manifests:
            database.write_now(partial(cancel_arrival, account_id=one.account.id, export_id=one.export_id))
    answer(cancelled=[str(one.account.id) for one in manifests])


@contextmanager
def _opened(there: Installation) -> Iterator[Database]:
    """Open the database of an installation, and check its key."""
    with closing(there.open_database()) as database:
        with there.preparing(database):
            open_seal(there.folder)
        yield database


def _store(there: Installation) -> MediaStore:
    return open_store(there.folder, there.settings.media.s3)


def _accounts(options: argparse.Namespace, database: Database) -> Sequence[UUID]:
    return [options.account] if options.account else [one["id"] for one in database.read_now(list_accounts)]


@contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    """Keep other commands from working on the same export. Raises FolderInUseProblem."""
    lock = FileLock(folder / "export.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise FolderInUseProblem(f"Another command is working on the export in {folder}.") from None
    try:
        yield
    finally:
        lock.release()


def _folders(root: Path, account_id: UUID | None) -> "list[ExportFolder]":
    """Return the folders of the accounts in an export. Raises CommandProblem if one isn't complete."""
    from app.service.transfer.manifest import ExportFolder

    if not root.is_dir():
        raise CommandProblem(f"There is no folder {root}. Check --from.")
    found = [ExportFolder(one) for one in sorted(root.iterdir()) if _is_account(one)]
    if account_id is not None:
        found = [one for one in found if one.root.name == str(account_id)]
    if not found:
        raise CommandProblem(f"There is no export of an account in {root}. Check --from and --account.")
    for one in found:
        if one.read_manifest() is None:
            raise CommandProblem(
                f"The export in {one.root} isn't complete. Run the export again to complete it."
            )
    return found


def _is_account(path: Path) -> bool:
    try:
        return path.is_dir() and str(UUID(path.name)) == path.name
    except ValueError:
        return False


def _passphrase(options: argparse.Namespace, *, repeat: bool) -> str | None:
    """Return the passphrase; None if secrets are left out."""
    if options.without_secrets:
        return None
    if options.passphrase_file is not None:
        if options.passphrase_file.stat().st_size > _PASSPHRASE_BYTES_MAX:
            raise CommandProblem(f"{options.passphrase_file} is too large for a passphrase.")
        lines = options.passphrase_file.read_text("utf-8").splitlines()
        return lines[0] if lines else ""
    if not sys.stdin.isatty():
        return sys.stdin.readline(_PASSPHRASE_BYTES_MAX).rstrip("\r\n")
    passphrase = getpass.getpass("Passphrase of the export: ")
    if repeat and getpass.getpass("Repeat the passphrase: ") != passphrase:
        raise CommandProblem("The passphrases differ. Nothing was exported. Try again.")
    return passphrase
