"""Rows of the catalogues between wire and table."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Connection, Table, delete, select
from sqlalchemy.dialects.sqlite import insert

from app.contract.companion import MediaFile
from app.workspace.store.tables import media


def put(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> int:
    """Write rows by their primary key; return how many were new or different."""
    (key,) = table.primary_key.columns
    ids = [row[key.name] for row in rows]
    before = {
        row[key.name]: dict(row) for row in connection.execute(select(table).where(key.in_(ids))).mappings()
    }
    changed = [row for row in rows if before.get(row[key.name]) != row]
    if changed:
        upsert = insert(table)
        columns = {name: upsert.excluded[name] for name in changed[0] if name != key.name}
        connection.execute(upsert.on_conflict_do_update(index_elements=[key.name], set_=columns), changed)
    return len(changed)


def media_row(file: MediaFile) -> dict[str, Any]:
    row = _plain(file)
    row["name"] = row.pop("filename") or file.storage_path.partition("/")[2] or file.storage_path
    del row["used_in"], row["tiktok"]
    return row


def read_media(connection: Connection, paths: Sequence[str] | None) -> list[dict[str, Any]]:
    chosen = select(media) if paths is None else select(media).where(media.c.storage_path.in_(paths))
    return [dict(row) for row in connection.execute(chosen.order_by(media.c.created_at.desc())).mappings()]


def forget_media(connection: Connection, gone: set[str]) -> None:
    """Remove files that no longer exist, by storage path."""
    for path in gone:
        connection.execute(delete(media).where(media.c.storage_path == path))


def add_media(connection: Connection, row: dict[str, Any]) -> None:
    """Add a file unless it's already listed."""
    connection.execute(insert(media).values(row).on_conflict_do_nothing())


def _plain(model: BaseModel) -> dict[str, Any]:
    """Values as stored in the table: enums as their words."""
    return {
        name: str(value) if isinstance(value, str) else value for name, value in model.model_dump().items()
    }
