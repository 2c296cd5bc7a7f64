"""The installation's seal key: checked at startup, and only replaced on request."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final
from uuid import UUID

import structlog
from sqlalchemy import Connection, delete, select, true, union_all

from app.database import Database
from app.database.dialects import upsert
from app.disk import flush_folder, replace, set_aside
from app.service.connections.rows import mark_unavailable
from app.service.problems import CommandProblem
from app.service.store.folder import DataFolder
from app.service.store.marks import read_marks
from app.service.store.seal import SEALED_BYTES_MIN, Seal, SealBrokenError, open_seal, secret
from app.service.store.tables import connection_flows, connections, installation, webhook_subscriptions

_ROW: Final = UUID("6b616c65-6e64-4573-8000-000000000001")
_WORDS: Final = "one installation, one key"
_SAMPLES: Final = 1_000
_LOST: Final = (
    "If it is lost for good, the command “secrets reset” makes a new one; all accounts must then be "
    "connected again."
)

_log = structlog.get_logger(__name__)


def require_shared_key(rows: Connection, folder: DataFolder) -> bool:
    """Check the key; return whether the database can verify it. Blocking.

    It can't before anything was encrypted. Only reads rows. Raises CommandProblem if the key is missing or a
    different one, and OSError.
    """
    sealed = list(_sealed(rows))
    if not folder.seal_key.exists() and (sealed or folder.apps.exists()):
        raise CommandProblem(
            f"The key {folder.seal_key} is missing, and without it no connected account can be used. "
            f"Copy the folder secrets from a backup, or from another machine where this service runs. {_LOST}"
        )
    try:
        seal = open_seal(folder)
    except ValueError:
        raise CommandProblem(
            f"The key {folder.seal_key} is damaged. Restore it from a backup. {_LOST}"
        ) from None
    if sealed and not any(_opens(seal, secret, row) for secret, row in sealed):
        raise CommandProblem(
            f"The secrets in the database are encrypted with another key than {folder.seal_key}. Copy the "
            f"folder secrets from a backup, or from another machine where this service runs. {_LOST}"
        )
    return any(row == _ROW for _, row in sealed)


def tell_key(rows: Connection, folder: DataFolder) -> None:
    """Make this process's key the installation's, unless it has one. Blocking. Raises OSError."""
    check = {"id": _ROW, "seal_check": open_seal(folder).close(_WORDS, _ROW)}
    rows.execute(upsert(rows, installation).values(check).on_conflict_do_nothing())


def replace_key(folder: DataFolder) -> Seal:
    """Create a new key, setting aside the former one and the files encrypted with it. Blocking.

    Raises OSError.
    """
    for path in (folder.seal_key, folder.apps, folder.pack_key):
        set_aside(path)
    return open_seal(folder)


def keep_key(rows: Connection, seal: Seal) -> None:
    """Make the key the installation's, replacing any other."""
    check = {"seal_check": seal.close(_WORDS, _ROW)}
    new = upsert(rows, installation).values(id=_ROW, **check)
    rows.execute(new.on_conflict_do_update(index_elements=["id"], set_=check))


def _sealed(rows: Connection) -> Iterator[tuple[bytes, UUID]]:
    """Yield what the key must decrypt: the check value, or before there is one, any encrypted token."""
    check = rows.execute(select(installation.c.seal_check)).scalar_one_or_none()
    if check is not None:
        yield check, _ROW
        return
    tokens = select(connections.c.access_token, connections.c.id)
    secrets = select(webhook_subscriptions.c.secret, webhook_subscriptions.c.id)
    for sealed, row in rows.execute(union_all(tokens, secrets).limit(_SAMPLES)):
        if len(sealed) >= SEALED_BYTES_MIN:
            yield sealed, row


def _opens(seal: Seal, secret: bytes, row: UUID) -> bool:
    try:
        seal.open(secret, row)
    except SealBrokenError:
        return False
    return True


def finish_rotation(folder: DataFolder, database: Database) -> None:
    """Put a new key in its place if the database is encrypted with it already. Blocking. Raises OSError."""
    if not folder.next_seal_key.exists():
        return
    new = Seal(secret(folder.next_seal_key))
    check = database.read_now(lambda rows: rows.scalar(select(installation.c.seal_check)))
    if check is None or not _opens(new, check, _ROW):
        return
    for again, file in ((folder.next_apps, folder.apps), (folder.next_pack_key, folder.pack_key)):
        if again.exists():
            replace(again, file)
    replace(folder.next_seal_key, folder.seal_key)
    flush_folder(folder.seal_key.parent)
    _log.info("the key was replaced")


def check_key(folder: DataFolder, database: Database, now: datetime) -> None:
    """Check the key, creating it for a new installation. Blocking.

    A backup of the desktop app contains no keys: after restoring it on another computer, accounts must be
    reconnected. Raises CommandProblem if the key is missing for any other reason or a different one, and
    OSError.
    """
    finish_rotation(folder, database)
    if _lacks_keys(folder, database):
        count = reset_key(folder, database, now)
        _log.warning("the backup came without the key to connected accounts", accounts_to_connect=count)
    if not database.read_now(lambda rows: require_shared_key(rows, folder)):
        database.write_now(lambda rows: tell_key(rows, folder))
        # Another process may have stored another key first.
        database.read_now(lambda rows: require_shared_key(rows, folder))


def reset_key(folder: DataFolder, database: Database, now: datetime) -> int:
    """Replace a lost key; return how many accounts must be reconnected. Blocking. Raises OSError."""
    seal = replace_key(folder)
    return database.write_now(lambda rows: _start_over(rows, seal, now))


def _lacks_keys(folder: DataFolder, database: Database) -> bool:
    restored_at = folder.restored_at()
    if restored_at is None or folder.seal_key.exists() or folder.apps.exists():
        return False
    before = database.read_now(read_marks).restored_at
    return before is None or restored_at > before


def _start_over(rows: Connection, seal: Seal, now: datetime) -> int:
    keep_key(rows, seal)
    rows.execute(delete(connection_flows))
    available = rows.execute(select(connections).where(connections.c.is_available)).all()
    for row in available:
        mark_unavailable(rows, row, now, true())
    return len(available)
