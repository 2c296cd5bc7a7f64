"""Published content between wire and table, and searching it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from sqlalchemy import BigInteger, Connection, Select, func, literal_column, select, text, type_coerce

from app.contract.history import ContentRecord
from app.workspace.search.search import as_query
from app.workspace.store.tables import content

_PLACE: Final[Any] = literal_column("content.rowid")
_WITH_WORDS: Final = text(
    "content.rowid IN (SELECT rowid FROM content_words WHERE content_words MATCH :words)"
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
