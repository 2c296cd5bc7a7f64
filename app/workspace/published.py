"""Published content from the content history: stored on this computer, searched and exported."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import BigInteger, Connection, Select, func, literal_column, select, text, type_coerce

from app.client import PublishingCalls
from app.contract.history import ContentRecord
from app.language import tr
from app.workspace.catalogues import GROUND_SHAPE, Ground, Listing, Source, put
from app.workspace.changes import Changes
from app.workspace.core import Core
from app.workspace.exchange.csv_table import csv_file, write_table
from app.workspace.problems import as_problem
from app.workspace.search import as_query
from app.workspace.store.tables import content, get_setting, put_setting

_PLACE: Final[Any] = literal_column("content.rowid")
_WITH_WORDS: Final = text(
    "content.rowid IN (SELECT rowid FROM content_words WHERE content_words MATCH :words)"
)
_SETTING: Final = "published"
_SETTING_OF_PLACES: Final = "published/places"
_PIECE: Final = 500
_HEADER: Final = (
    "Published at",
    "Platform",
    "Through",
    "Kind",
    "Title",
    "Text",
    "Status",
    "Content id",
    "Media URL",
    "Post id",
    "Batch id",
)


@dataclass(frozen=True, slots=True)
class PublishedFilter:
    """Filters content; an empty field matches everything. Words match by prefix."""

    words: str = ""
    platform: str = ""
    kind: str = ""
    via: str = ""

    def __bool__(self) -> bool:
        return any((self.words.strip(), self.platform, self.kind, self.via))


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices for the filter, most frequent first, and the total amount of content."""

    platforms: tuple[str, ...] = ()
    vias: tuple[str, ...] = ()
    count: int = 0


class Found(NamedTuple):
    """What was found, newest first.

    Attributes:
        places: For ``read``.
        moments: When each was published, in milliseconds since 1970 UTC.
    """

    places: list[int]
    moments: list[int]


def content_row(record: ContentRecord) -> dict[str, Any]:
    """Values as stored in the table: enums as their words."""
    plain = {
        name: str(value) if isinstance(value, str) else value for name, value in record.model_dump().items()
    }
    return plain | {"id": str(record.id)}


def find(rows: Connection, wanted: PublishedFilter) -> Found:
    """Return where the matching content is, newest first."""
    moment = type_coerce(content.c.created_at, BigInteger)
    chosen: Select[Any] = select(_PLACE, moment).select_from(content)
    for column, value in (
        ("platform", wanted.platform),
        ("media_type", wanted.kind),
        ("created_via", wanted.via),
    ):
        if value:
            chosen = chosen.where(content.c[column] == value)
    words = as_query(wanted.words)
    if words is not None:
        chosen = chosen.where(_WITH_WORDS.bindparams(words=words))
    found = rows.execute(chosen.order_by(content.c.created_at.desc(), content.c.id.desc())).all()
    return Found([place for place, _ in found], [at for _, at in found])


def read(rows: Connection, places: Sequence[int]) -> dict[int, ContentRecord]:
    """Return the content at some places."""
    chosen = select(_PLACE.label("place"), *content.c).where(_PLACE.in_(places))
    found = (dict(row) for row in rows.execute(chosen).mappings())
    return {row.pop("place"): ContentRecord.model_validate(row) for row in found}


def choices(rows: Connection) -> Choices:
    """Return the choices for the filter."""
    count = rows.scalar(select(func.count()).select_from(content)) or 0
    return Choices(_values(rows, "platform"), _values(rows, "created_via"), count)


def _values(rows: Connection, name: str) -> tuple[str, ...]:
    column = content.c[name]
    return tuple(rows.scalars(select(column).group_by(column).order_by(func.count().desc(), column)))


class Published:
    """For the event loop's thread. Every coroutine raises Problem."""

    def __init__(self, core: Core, offers: Callable[[], Collection[str]]) -> None:
        """``offers`` returns what the companion API offers."""
        self._core = core
        self._offers = offers
        self._listing = asyncio.Lock()

    async def refresh(self) -> None:
        """Request what was published since last time, and what an interrupted listing missed."""
        async with self._listing:
            await self._refresh(_SETTING, self._core.client)
            if "places" in self._offers():
                await self._refresh(_SETTING_OF_PLACES, self._core.client.places)

    async def find(self, wanted: PublishedFilter) -> Found:
        """Return where all matching content is, newest first."""
        return await self._core.read(lambda rows: find(rows, wanted))

    async def read(self, places: Sequence[int]) -> dict[int, ContentRecord]:
        """Return the content at up to some hundred places."""
        return await self._core.read(lambda rows: read(rows, places))

    async def choices(self) -> Choices:
        """Return the choices for the filter."""
        return await self._core.read(choices)

    def post_key(self, record: ContentRecord) -> str | None:
        """Return the key of the content's post, if it's known."""
        try:
            key = self._core.mirror.key_of(UUID(record.scheduled_post_id or ""))
        except ValueError:
            return None
        return key if self._core.mirror.timeline.get(key) is not None else None

    def is_own(self, record: ContentRecord) -> bool:
        """Whether content came from a post planned in this app, not in another program."""
        key = self.post_key(record)
        return key is not None and self._core.mirror.is_planned_here(key)

    async def export(self, path: Path, places: Sequence[int], zone: ZoneInfo) -> int:
        """Export content as a table; return how much."""
        lines: list[tuple[str, ...]] = []
        for start in range(0, len(places), _PIECE):
            piece = places[start : start + _PIECE]
            found = await self.read(piece)
            lines += [_line(found[place], zone) for place in piece if place in found]
        await write_table(path, lambda: csv_file(_HEADER, lines))
        return len(lines)

    async def _refresh(self, setting: str, calls: PublishingCalls) -> None:
        ground = await self._core.read(lambda rows: get_setting(rows, setting, GROUND_SHAPE)) or Ground()
        listing = Listing(Source(calls.content_history, self._put, lambda record: record.created_at), ground)
        try:
            with as_problem(tr("This service doesn't keep a publishing history.")):
                async for news in listing.run():
                    if news:
                        self._core.changes.tell(Changes(published=True))
        finally:
            if listing.ground != ground:
                await self._core.write(lambda rows: put_setting(rows, setting, listing.ground, GROUND_SHAPE))

    async def _put(self, records: list[ContentRecord]) -> int:
        values = [content_row(record) for record in records]
        return await self._core.write(lambda rows: put(rows, content, values))


def _line(record: ContentRecord, zone: ZoneInfo) -> tuple[str, ...]:
    return (
        record.created_at.astimezone(zone).isoformat(timespec="seconds"),
        record.platform.value,
        record.created_via.value,
        record.media_type.value if record.media_type else "",
        record.title or "",
        record.description or "",
        record.status or "",
        record.content_id,
        record.media_url or "",
        record.scheduled_post_id or "",
        record.batch_id or "",
    )
