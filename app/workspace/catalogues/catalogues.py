"""Catalogues of what the service has: read from the database immediately, updated on request."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Connection, Table, delete, select
from sqlalchemy.dialects.sqlite import insert

from app.contract.companion import MediaFile
from app.contract.enums import PostType
from app.language import tr
from app.workspace.changes import Changes
from app.workspace.core import Core
from app.workspace.problems import as_problem
from app.workspace.store.tables import media

_UNTOLD = tr("This service doesn't list its files.")


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


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file stored by the service, in pixels and ms; None if unknown."""

    storage_path: str
    name: str
    kind: PostType
    content_type: str | None
    size_bytes: int | None
    width: int | None
    height: int | None
    duration_ms: int | None
    alt_text: str | None
    created_at: datetime | None
    cover_ms: int | None = None
    """The moment of a video that its cover shows; None for the first frame."""


class Catalogues:
    """The known files. Every method raises Problem."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def media(self, paths: Sequence[str] | None = None) -> list[KeptFile]:
        """Return the known files, newest first: those with these paths, or all."""
        rows = await self._core.read(lambda connection: read_media(connection, paths))
        return [KeptFile(**row | {"kind": PostType(row["kind"])}) for row in rows]

    async def add_file(self, file: KeptFile) -> None:
        """Add a file that was just stored."""
        row = asdict(file) | {"kind": file.kind.value}
        await self._core.write(lambda connection: add_media(connection, row))
        self._core.changes.tell(Changes(catalogues=True))

    async def take_file(self, file: MediaFile) -> None:
        """Update a file with what the service returned."""
        await self._put(media, [media_row(file)])
        self._core.changes.tell(Changes(catalogues=True))

    async def forget_file(self, storage_path: str) -> None:
        """Remove a file that no longer exists."""
        await self._core.write(lambda connection: forget_media(connection, {storage_path}))
        self._core.changes.tell(Changes(catalogues=True))

    async def refresh_media(self) -> None:
        """Request all files if the service lists them; otherwise only files of posts are known."""
        before = {file.storage_path for file in await self.media()}
        paths: set[str] = set()
        with as_problem(_UNTOLD):
            async for page in self._core.client.media.files():
                paths.update(file.storage_path for file in page.data)
                await self._put(media, [media_row(file) for file in page.data])
        gone = before - paths  # files stored in the meantime may not be on any page
        await self._core.write(lambda connection: forget_media(connection, gone))
        self._core.changes.tell(Changes(catalogues=True))

    async def _put(self, table: Table, rows: Sequence[dict[str, Any]]) -> int:
        return await self._core.write(lambda connection: put(connection, table, rows))
