"""The catalogue of files. It's read from the database immediately, and updated when the user opens it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Table

from app.contract.companion import MediaFile
from app.contract.enums import PostType
from app.language import tr
from app.workspace.catalogues import keeping
from app.workspace.changes import Changes
from app.workspace.core import Core
from app.workspace.problems import as_problem
from app.workspace.store.tables import media

_UNTOLD = tr("This service doesn't list its files.")


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
        rows = await self._core.read(lambda connection: keeping.read_media(connection, paths))
        return [KeptFile(**row | {"kind": PostType(row["kind"])}) for row in rows]

    async def add_file(self, file: KeptFile) -> None:
        """Add a file that was just stored."""
        row = asdict(file) | {"kind": file.kind.value}
        await self._core.write(lambda connection: keeping.add_media(connection, row))
        self._core.changes.tell(Changes(catalogues=True))

    async def take_file(self, file: MediaFile) -> None:
        """Update a file with what the service returned."""
        await self._put(media, [keeping.media_row(file)])
        self._core.changes.tell(Changes(catalogues=True))

    async def forget_file(self, storage_path: str) -> None:
        """Remove a file that no longer exists."""
        await self._core.write(lambda connection: keeping.forget_media(connection, {storage_path}))
        self._core.changes.tell(Changes(catalogues=True))

    async def refresh_media(self) -> None:
        """Request all files if the service lists them; otherwise only files of posts are known."""
        before = {file.storage_path for file in await self.media()}
        paths: set[str] = set()
        with as_problem(_UNTOLD):
            async for page in self._core.client.media.files():
                paths.update(file.storage_path for file in page.data)
                await self._put(media, [keeping.media_row(file) for file in page.data])
        gone = before - paths  # files stored in the meantime may not be on any page
        await self._core.write(lambda connection: keeping.forget_media(connection, gone))
        self._core.changes.tell(Changes(catalogues=True))

    async def _put(self, table: Table, rows: Sequence[dict[str, Any]]) -> int:
        return await self._core.write(lambda connection: keeping.put(connection, table, rows))
