"""The catalogues. They are read from the file at once, and brought up to date when somebody looks at them."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel
from sqlalchemy import Connection, Table

from app.client import ClientError, NotFound
from app.contract.companion import MediaFile
from app.contract.enums import PostType
from app.contract.pagination import Page
from app.database import DatabaseError
from app.language import tr
from app.workspace.catalogues import keeping
from app.workspace.changes import Changes
from app.workspace.core import Core
from app.workspace.messages import Problem
from app.workspace.problems import problem_of
from app.workspace.store.tables import media

Item = TypeVar("Item", bound=BaseModel)
T = TypeVar("T")

_UNTOLD = tr("This service doesn't list its files.")


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file that the service keeps, in pixels and milliseconds; None where nobody told."""

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
    """The moment of a video whose picture stands for it; None for the first one."""


class Catalogues:
    """Files. Every method raises Problem."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def media(self, paths: Sequence[str] | None = None) -> list[KeptFile]:
        """The files that are known here, newest first; those with these paths, or all."""
        rows = await self._read(lambda connection: keeping.read_media(connection, paths))
        return [KeptFile(**row | {"kind": PostType(row["kind"])}) for row in rows]

    async def add_file(self, file: KeptFile) -> None:
        """Lists a file that has just been stored."""
        row = asdict(file) | {"kind": file.kind.value}
        await self._write(lambda connection: keeping.add_media(connection, row))
        self._core.changes.tell(Changes(catalogues=True))

    async def take_file(self, file: MediaFile) -> None:
        """Takes a file as the service tells it now."""
        await self._put(media, [keeping.media_row(file)])
        self._core.changes.tell(Changes(catalogues=True))

    async def forget_file(self, storage_path: str) -> None:
        """Takes a file that is gone off the list."""
        await self._write(lambda connection: keeping.forget_media(connection, {storage_path}))
        self._core.changes.tell(Changes(catalogues=True))

    async def refresh_media(self) -> None:
        """Asks for all files, where the service lists them; elsewhere those are known that posts name."""
        before = {file.storage_path for file in await self.media()}
        paths: set[str] = set()
        async for page in self._pages(self._core.client.media.files()):
            paths.update(file.storage_path for file in page.data)
            await self._put(media, [keeping.media_row(file) for file in page.data])
        gone = before - paths  # what was stored meanwhile may be on no page
        await self._write(lambda connection: keeping.forget_media(connection, gone))
        self._core.changes.tell(Changes(catalogues=True))

    async def _pages(self, pages: AsyncIterator[Page[Item]]) -> AsyncIterator[Page[Item]]:
        try:
            async for page in pages:
                yield page
        except NotFound as error:
            raise Problem(_UNTOLD, kind="not_found") from error
        except ClientError as error:
            raise problem_of(error) from error

    async def _put(self, table: Table, rows: Sequence[dict[str, Any]]) -> int:
        return await self._write(lambda connection: keeping.put(connection, table, rows))

    async def _write(self, work: Callable[[Connection], T]) -> T:
        try:
            return await self._core.write(work)
        except DatabaseError as error:
            raise problem_of(error) from error

    async def _read(self, work: Callable[[Connection], T]) -> T:
        try:
            return await self._core.database.read(work)
        except DatabaseError as error:
            raise problem_of(error) from error
