"""Replacement of the keys that encrypt secrets, sign cursors and sign links, while no service runs.

A new seal key is stored next to the old one before anything is encrypted with it, and takes its place after
everything is. If that's interrupted, the next start or another rotation completes it.
"""

import secrets
import time
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from sqlalchemy import Column, Connection, bindparam, select, update

from app.database import Database
from app.database.postgresql import COUNT_OTHER_PROGRAMS
from app.disk import write_private
from app.service.connections.apps import APPS_ROW
from app.service.connections.maker_key import PACK_KEY_ROW
from app.service.problems import CommandProblem
from app.service.seal_key import finish_rotation, keep_key
from app.service.store.folder import DataFolder
from app.service.store.seal import KEY_BYTES, SEALED_BYTES_MIN, Seal, SealBrokenError, open_seal, secret
from app.service.store.tables import (
    connection_flows,
    connections,
    publication_steps,
    server_apps,
    webhook_subscriptions,
)

SEALED: Final[Sequence[tuple[Column[bytes], Column[UUID]]]] = (
    (connections.c.access_token, connections.c.id),
    (connections.c.refresh_token, connections.c.id),
    (connection_flows.c.code_verifier, connection_flows.c.connection_id),
    (connection_flows.c.offered, connection_flows.c.connection_id),
    (server_apps.c.credentials, server_apps.c.id),
    (publication_steps.c.value, publication_steps.c.post_id),
    (webhook_subscriptions.c.secret, webhook_subscriptions.c.id),
)
"""Encrypted columns, and the ids they're encrypted with."""

_LEAVING_S: Final = 2.0
"""How long the connections of a program that has ended may still be there."""


def rotate_seal(folder: DataFolder, database: Database) -> int:
    """Encrypt every secret with a new key; return how many. Blocking.

    No service may be running. Secrets that can't be decrypted stay as they are. Raises CommandProblem or
    OSError.
    """
    require_alone(database)
    finish_rotation(folder, database)
    old = open_seal(folder)
    new = Seal(secret(folder.next_seal_key))
    for file, again, row in (
        (folder.apps, folder.next_apps, APPS_ROW),
        (folder.pack_key, folder.next_pack_key, PACK_KEY_ROW),
    ):
        if file.exists():
            sealed = file.read_bytes()
            write_private(again, _sealed_again(sealed, row, old, new) or sealed)

    def work(rows: Connection) -> int:
        count = sum(_rotate(rows, sealed, row_id, old, new) for sealed, row_id in SEALED)
        keep_key(rows, new)
        return count

    count = database.write_now(work)
    finish_rotation(folder, database)
    return count


def rotate_signing(folder: DataFolder) -> None:
    """Replace the keys that sign cursors and links. Blocking. Raises OSError."""
    for path in (folder.cursor_key, folder.link_key):
        write_private(path, secrets.token_bytes(KEY_BYTES))


def _rotate(rows: Connection, sealed: Column[bytes], row_id: Column[UUID], old: Seal, new: Seal) -> int:
    table = sealed.table
    keys = tuple(table.primary_key.columns)
    found = rows.execute(select(*keys, row_id.label("sealed_for"), sealed.label("sealed"))).all()
    changed = [
        {**{f"old_{key.name}": getattr(row, key.name) for key in keys}, "again": again}
        for row in found
        if (again := _sealed_again(row.sealed, row.sealed_for, old, new)) is not None
    ]
    if changed:
        this = update(table).where(*(key == bindparam(f"old_{key.name}") for key in keys))
        rows.execute(this.values({sealed.name: bindparam("again")}), changed)
    return len(changed)


def _sealed_again(sealed: bytes | None, row_id: UUID, old: Seal, new: Seal) -> bytes | None:
    """Return a secret encrypted with the new key; None if there is none, or the old key doesn't open it."""
    if sealed is None or len(sealed) < SEALED_BYTES_MIN:
        return None
    try:
        return new.close(old.open(sealed, row_id), row_id)
    except SealBrokenError:
        return None


def require_alone(database: Database) -> None:
    """Raise CommandProblem if other programs are connected to a server's database.

    Blocking: those that have just ended may be connected for a moment longer.
    """
    until = time.monotonic() + _LEAVING_S
    while database.read_now(_is_shared):
        if time.monotonic() >= until:
            raise CommandProblem("Programs still use the database. Stop every serve and worker first.")
        time.sleep(0.1)


def _is_shared(rows: Connection) -> bool:
    return rows.dialect.name == "postgresql" and bool(rows.scalar(COUNT_OTHER_PROGRAMS))
