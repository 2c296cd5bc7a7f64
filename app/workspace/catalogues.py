"""Catalogues of what the service has: read from the database immediately, updated on request."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter
from sqlalchemy import Connection, Table, delete, select
from sqlalchemy.dialects.sqlite import insert

from app.client import ValidationRefused
from app.contract.base import Timestamp
from app.contract.companion import MediaFile
from app.contract.enums import PostType
from app.contract.pagination import Page
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


Item = TypeVar("Item", bound=BaseModel)


class Ground(BaseModel):
    """How far the listing is complete.

    Attributes:
        newest: Everything up to this time is known, except for the gap.
        gap: Cursor where an earlier listing was interrupted. Empty for no gap.
        below: Newest time that is known below the gap; None if nothing is.
    """

    model_config = ConfigDict(frozen=True)

    newest: Timestamp | None = None
    gap: str = ""
    below: Timestamp | None = None


GROUND_SHAPE: Final = TypeAdapter(Ground)


@dataclass(frozen=True, slots=True)
class Source(Generic[Item]):
    """A collection to list.

    Attributes:
        pages: Yields every page, newest first, or those after a cursor.
        put: Stores items; returns how many were new or different.
        stamp: The time by which the pages are sorted.
        settles: How long after that time an item may still change.
    """

    pages: Callable[[str | None], AsyncIterator[Page[Item]]]
    put: Callable[[list[Item]], Awaitable[int]]
    stamp: Callable[[Item], datetime]
    settles: timedelta = timedelta()


class Listing(Generic[Item]):
    """One run. ``ground`` says how far it's complete after each page."""

    def __init__(self, source: Source[Item], ground: Ground) -> None:
        self.ground = ground
        self._source = source

    async def run(self) -> AsyncIterator[int]:
        """Yield the number of new items, page by page. Raises ClientError or DatabaseError."""
        async for news in self._from_the_top():
            yield news
        if self.ground.gap:
            async for news in self._through_the_gap():
                yield news

    async def _from_the_top(self) -> AsyncIterator[int]:
        before, newest = self.ground, None
        async for page in self._source.pages(None):
            newest = newest or self._newest(page)
            news = await self._source.put(page.data)
            yield news
            if page.next_cursor is None:
                break
            if not news and self._reaches(page, before.newest):
                self.ground = before.model_copy(update={"newest": newest or before.newest})
                return
            if not before.gap:  # only one gap is stored, the lower one; the upper one is listed again
                self.ground = Ground(newest=newest, gap=page.next_cursor, below=before.newest)
        self.ground = Ground(newest=newest or before.newest)

    async def _through_the_gap(self) -> AsyncIterator[int]:
        with suppress(ValidationRefused):  # the service no longer accepts the cursor: list everything
            async for news in self._from(self.ground.gap):
                yield news
            return
        self.ground = Ground()
        async for news in self._from_the_top():
            yield news

    async def _from(self, cursor: str) -> AsyncIterator[int]:
        known = self.ground
        async for page in self._source.pages(cursor):
            news = await self._source.put(page.data)
            yield news
            if page.next_cursor is None or (not news and self._reaches(page, known.below)):
                break
            self.ground = known.model_copy(update={"gap": page.next_cursor})
        self.ground = Ground(newest=known.newest)

    def _newest(self, page: Page[Item]) -> Timestamp | None:
        """The time up to which nothing changes any more."""
        newest = max((self._source.stamp(item) for item in page.data), default=None)
        return newest - self._source.settles if newest is not None else None

    def _reaches(self, page: Page[Item], known: Timestamp | None) -> bool:
        """Whether everything after a page is known."""
        return known is not None and all(self._source.stamp(item) <= known for item in page.data[-1:])
