"""Facts that a database keeps about itself: whether it is a copy, and when it was restored."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, delete, insert, select, text

from app.database import Database
from app.database.upserts import upsert
from app.service.store.tables import marks

_ANCHOR: Final = "anchor"
_PLACE: Final = "place"
_RESTORED: Final = "restored"
_KNOWN: Final = "known "
_USAGE: Final = "usage "

# Each of them changes when rows come out of a dump, or when the database is a copy of another.
_PLACE_ON_SERVER: Final = text(
    "SELECT concat_ws('/', d.oid, m.tableoid, m.xmin) FROM marks m, pg_database d"
    " WHERE m.name = 'anchor' AND d.datname = current_database()"
)


@dataclass(frozen=True, slots=True)
class Marks:
    """What a database says about itself.

    Attributes:
        restored_at: When it was last restored; None: never.
        place: Where it was when a service last started on it; None: no service has.
    """

    restored_at: datetime | None
    place: str | None


def place_of_file(database: Database, file: Path) -> str | None:
    """Which file a SQLite database is: a copy is another one. None for a server's. Raises OSError."""
    if database.engine.dialect.name != "sqlite":
        return None
    return str(file.stat().st_ino)


def read_marks(rows: Connection) -> Marks:
    """What the database says about itself."""
    wanted = select(marks.c.name, marks.c.value).where(marks.c.name.in_([_RESTORED, _PLACE]))
    found = dict(iter(rows.execute(wanted)))
    restored = found.get(_RESTORED)
    at = datetime.fromisoformat(restored).astimezone(UTC) if restored else None
    return Marks(at, found.get(_PLACE))


def find_place(rows: Connection, file: str | None) -> str | None:
    """Where the database is now; ``file`` is what ``place_of_file`` gave."""
    if rows.dialect.name != "postgresql":
        return file
    found: str | None = rows.execute(_PLACE_ON_SERVER).scalar_one_or_none()
    return found


def lay_anchor(rows: Connection) -> None:
    """Makes sure of the row that tells one database on a server from a copy of it."""
    if rows.dialect.name == "postgresql":
        rows.execute(upsert(rows, marks).values(name=_ANCHOR, value="").on_conflict_do_nothing())


def keep_place(rows: Connection, place: str | None) -> None:
    """Remembers where the database is."""
    if place is not None:
        _keep(rows, _PLACE, place)


def keep_restored(rows: Connection, at: datetime) -> None:
    """Remembers that the database was restored."""
    _keep(rows, _RESTORED, at.astimezone(UTC).isoformat())


def known_calls(rows: Connection, attempt_ids: Collection[UUID]) -> set[UUID]:
    """Those of the calls that nothing is left to find out about, although no attempt tells of them."""
    names = {_KNOWN + attempt_id.hex: attempt_id for attempt_id in attempt_ids}
    return {names[name] for name in rows.scalars(select(marks.c.name).where(marks.c.name.in_(names)))}


def keep_known(rows: Connection, attempt_ids: Iterable[UUID]) -> None:
    """Remembers calls that nothing is left to find out about."""
    known = [{"name": _KNOWN + attempt_id.hex, "value": ""} for attempt_id in attempt_ids]
    if known:
        rows.execute(insert(marks), known)


def usage_stored(rows: Connection, owner: UUID) -> int:
    """The number of the last sum of calls that a process has stored; 0 before the first."""
    kept: str | None = rows.scalar(select(marks.c.value).where(marks.c.name == _USAGE + owner.hex))
    return int(kept.rpartition(" ")[2]) if kept else 0


def keep_usage_stored(rows: Connection, owner: UUID, number: int, now: datetime) -> None:
    """Remembers which sum of calls a process has stored last."""
    _keep(rows, _USAGE + owner.hex, f"{now.astimezone(UTC).isoformat()} {number}")


def forget_usage_stored(rows: Connection, before: datetime) -> None:
    """Forgets processes that have stored nothing since then."""
    since = before.astimezone(UTC).isoformat()
    rows.execute(delete(marks).where(marks.c.name.startswith(_USAGE), marks.c.value < since))


def _keep(rows: Connection, name: str, value: str) -> None:
    new = upsert(rows, marks).values(name=name, value=value)
    rows.execute(new.on_conflict_do_update(index_elements=["name"], set_={"value": value}))
