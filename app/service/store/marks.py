"""Facts a database stores about itself: whether it is a copy, and when it was restored."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, ScalarSelect, delete, func, inspect, select, text

from app.database import Database
from app.database.dialects import upsert
from app.service.store.tables import marks

_ANCHOR: Final = "anchor"
_PLACE: Final = "place"
_RESTORED: Final = "restored"
_KNOWN: Final = "known "
_USAGE: Final = "usage "
_USABLE: Final = "usable since"
_TIMELINE: Final = "timeline"

# Each of them changes if the rows were loaded from a dump, or the database is a copy of another.
_PLACE_ON_SERVER: Final = text(
    "SELECT concat_ws('/', d.oid, m.tableoid, m.xmin) FROM marks m, pg_database d"
    " WHERE m.name = 'anchor' AND d.datname = current_database()"
)


@dataclass(frozen=True, slots=True)
class Marks:
    """What a database says about itself.

    Attributes:
        restored_at: When it was last restored, if ever.
        place: Where it was when a service last started on it, if any did.
    """

    restored_at: datetime | None
    place: str | None


def place_of_file(database: Database, file: Path) -> str | None:
    """Return an id of a SQLite file, different for copies; None for a server. Raises OSError."""
    if database.engine.dialect.name != "sqlite":
        return None
    return str(file.stat().st_ino)


def read_marks(rows: Connection) -> Marks:
    """Return the facts the database stores about itself."""
    wanted = select(marks.c.name, marks.c.value).where(marks.c.name.in_([_RESTORED, _PLACE]))
    found = dict(iter(rows.execute(wanted)))
    restored = found.get(_RESTORED)
    at = datetime.fromisoformat(restored).astimezone(UTC) if restored else None
    return Marks(at, found.get(_PLACE))


def find_place(rows: Connection, file: str | None) -> str | None:
    """Return an id of where the database is now; ``file`` comes from ``place_of_file``."""
    if rows.dialect.name != "postgresql":
        return file
    found: str | None = rows.execute(_PLACE_ON_SERVER).scalar_one_or_none()
    return found


def lay_anchor(rows: Connection) -> None:
    """Ensure that the row exists that distinguishes a database on a server from a copy of it."""
    if rows.dialect.name == "postgresql":
        rows.execute(upsert(rows, marks).values(name=_ANCHOR, value="").on_conflict_do_nothing())


def keep_place(rows: Connection, place: str | None) -> None:
    """Record where the database is."""
    if place is not None:
        _keep(rows, _PLACE, place)


def keep_restored(rows: Connection, at: datetime) -> None:
    """Record that the database was restored."""
    _keep(rows, _RESTORED, at.astimezone(UTC).isoformat())


def keep_oldest_usable(rows: Connection, version: str) -> None:
    """Record the oldest version whose programs can use this database, unless a newer one is known.

    Databases of the first versions don't have the table yet.
    """
    if inspect(rows).has_table(marks.name) and (oldest_usable(rows) or "") < version:
        _keep(rows, _USABLE, version)


def oldest_usable(rows: Connection) -> str | None:
    """Return the oldest version whose programs can use this database; None if it doesn't say."""
    version: str | None = rows.scalar(select(marks.c.value).where(marks.c.name == _USABLE))
    return version


def known_calls(rows: Connection, attempt_ids: Collection[UUID]) -> set[UUID]:
    """Return the calls that are settled although the database has no attempt for them."""
    names = {_KNOWN + attempt_id.hex: attempt_id for attempt_id in attempt_ids}
    return {names[name] for name in rows.scalars(select(marks.c.name).where(marks.c.name.in_(names)))}


def keep_known(rows: Connection, attempt_ids: Iterable[UUID], now: datetime) -> None:
    """Record calls as settled."""
    since = now.astimezone(UTC).isoformat()
    known = [{"name": _KNOWN + attempt_id.hex, "value": since} for attempt_id in attempt_ids]
    if known:
        rows.execute(upsert(rows, marks).on_conflict_do_nothing(), known)


def forget_known(rows: Connection, before: datetime) -> None:
    """Delete the records of calls that were settled before then. No journal has them any more."""
    since = before.astimezone(UTC).isoformat()
    rows.execute(delete(marks).where(marks.c.name.startswith(_KNOWN), marks.c.value.between("0", since)))


def since_failover(rows: Connection, timeline: str, before: str | None) -> timedelta | None:
    """Return how long ago a process first saw this timeline of the server; None if it's the first one.

    If no process has, this one does now. ``before`` is the timeline on which it last saw the database, which
    may lack the mark.
    """
    mark = rows.scalar(select(marks.c.value).where(marks.c.name == _TIMELINE).with_for_update())
    known, _, since = (mark or before or timeline).partition(" ")
    now: datetime = rows.execute(select(func.clock_timestamp())).scalar_one()  # all processes compare with it
    if known != timeline:
        since = now.isoformat()
    if mark is None or known != timeline:
        _keep(rows, _TIMELINE, f"{timeline} {since}".rstrip())
    return now - datetime.fromisoformat(since) if since else None


def usage_mark(owner: UUID) -> ScalarSelect[str]:
    """Return the mark that `batch_number` reads, for a statement that also reads the counts."""
    return select(marks.c.value).where(marks.c.name == _USAGE + owner.hex).scalar_subquery()


def batch_number(mark: str | None) -> int:
    """Return the number of the last batch of counts a process stored; 0 if none."""
    return int(mark.rpartition(" ")[2]) if mark else 0


def lock_usage_stored(rows: Connection, owner: UUID, now: datetime) -> int:
    """Return the number of the last batch of counts a process stored; 0 if none.

    Until the end of the transaction, no other one can store counts of that process. This includes one whose
    commit arrives late, after its connection was lost.
    """
    name = _USAGE + owner.hex
    stored = select(marks.c.value).where(marks.c.name == name).with_for_update()
    mark: str | None = rows.scalar(stored)
    if mark is None:
        # Its insertion waits for a transaction that has inserted it, too.
        new = upsert(rows, marks).values(name=name, value=_stored(0, now))
        rows.execute(new.on_conflict_do_nothing())
        mark = rows.scalar(stored)
    return batch_number(mark)


def keep_usage_stored(rows: Connection, owner: UUID, number: int, now: datetime) -> None:
    """Record the number of the last batch of counts a process stored."""
    _keep(rows, _USAGE + owner.hex, _stored(number, now))


def forget_usage_stored(rows: Connection, before: datetime) -> None:
    """Delete the batch numbers of processes that have stored nothing since ``before``."""
    since = before.astimezone(UTC).isoformat()
    rows.execute(delete(marks).where(marks.c.name.startswith(_USAGE), marks.c.value < since))


def _stored(number: int, now: datetime) -> str:
    return f"{now.astimezone(UTC).isoformat()} {number}"


def _keep(rows: Connection, name: str, value: str) -> None:
    new = upsert(rows, marks).values(name=name, value=value)
    rows.execute(new.on_conflict_do_update(index_elements=["name"], set_={"value": value}))
