"""What must hold, whatever goes wrong. Each rule names the sentence that promises it."""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, select

from app.service.media import rows
from app.service.media.files import PART_SUFFIX, QUARANTINE
from app.service.store.tables import media
from tests.simulation.media.ground import account
from tests.simulation.media.plan import ACCOUNTS, CAP_BYTES
from tests.simulation.room import Breach

_STRAYS_MAX: Final = 4
_DAY: Final = timedelta(days=1)


class Rule(StrEnum):
    """The invariants; the value is the figure that counts breaches."""

    VANISHED = "vanished"
    """`docs/media.md`: "Only a user can delete a stored file"; "If the file returns, however late, it belongs
    to its row again"."""
    UNREADABLE = "unreadable"
    """`docs/media.md`: "`200` means the file is safely on disk"; the link doesn't accept different bytes."""
    NEEDED = "needed"
    """Specification, Media: "A file still referenced by a scheduled or pending post is kept"."""
    UNASKED = "unasked"
    """`docs/media.md`: "Only a user can delete a stored file". For rows of stored files."""
    STAYS = "stays"
    """`docs/media.md`: files without a row are set aside for 30 days; "Incomplete uploads are removed after a
    day"; "If a user deletes a file while the store is unavailable, the next sweep removes it"."""
    OVER = "over"
    """`docs/media.md`: "Stored files and reservations together never exceed the account's storage"."""
    LEAKED = "leaked"
    """`docs/media.md`: "The service reserves the size until the link expires"."""
    UNPROBED = "unprobed"
    """`docs/media.md`: a separate program reads the dimensions and duration after an upload."""


@dataclass(frozen=True)
class Shelves:
    """Everything at the end, when the store is whole and swept.

    Attributes:
        files: By storage path, in its place or in quarantine.
        parts: How many unfinished uploads are left.
        is_trusted: No backup was restored by our command.
    """

    rows: Mapping[str, Any]
    files: Mapping[str, Path]
    parts: int
    is_trusted: bool

    @classmethod
    def look(cls, opened: Connection, root: Path, *, is_trusted: bool) -> "Shelves":
        rows = {row.storage_path: row for row in opened.execute(select(media))}
        aside = sorted((root / QUARANTINE).glob("*/*/*"))
        placed = [file for file in root.glob("*/*") if file.is_file()]
        files = {f"{file.parent.name}/{file.name}": file for file in (*aside, *placed)}
        parts = [path for path in files if path.endswith(PART_SUFFIX)]
        for path in parts:
            del files[path]
        return cls(rows, files, len(parts), is_trusted)


def at_end(shelves: Shelves, stored: Mapping[str, bytes], removed: Collection[str]) -> Iterator[Breach]:
    """``stored``: what was confirmed. ``removed``: what somebody asked to remove, ever."""
    for path, content in stored.items():
        row = shelves.rows.get(path)
        if row is None or row.expires_at is not None:
            said = "no row" if row is None else f"expires {row.expires_at}, missing {row.missing_since}"
            yield Breach(Rule.VANISHED, number_of(path), f"{path}: {said}")
        elif row.sha256 != hashlib.sha256(content).hexdigest():
            yield Breach(Rule.UNREADABLE, number_of(path), f"{path}: the row has another hash")
    for path, row in shelves.rows.items():
        if row.expires_at is None and path not in removed:
            yield from _check_bytes(path, row, shelves.files.get(path))
        if row.sha256 is None:
            yield Breach(Rule.STAYS, number_of(path), f"{path}: a reservation from {row.created_at}")
        elif row.probe_after is not None and row.expires_at is None:
            yield Breach(Rule.UNPROBED, number_of(path), path)
    if shelves.parts:
        yield Breach(Rule.STAYS, -1, f"{shelves.parts} parts")
    for path in strays(shelves):
        yield Breach(Rule.STAYS, number_of(path), f"{path} belongs to no row")


def _check_bytes(path: str, row: Any, file: Path | None) -> Iterator[Breach]:
    found = None if file is None else hashlib.sha256(file.read_bytes()).hexdigest()
    if found != row.sha256:
        seen = "is missing" if found is None else "has other bytes"
        yield Breach(Rule.UNREADABLE, number_of(path), f"{path} {seen}")


def strays(shelves: Shelves) -> list[str]:
    """Return the files that no row names, where sweeps can tell that the database is the right one.

    Files in quarantine count as unknown, so the rest of an account's may have to wait until those are gone.
    """
    if not shelves.is_trusted:
        return []
    known, unknown = Counter[str](), Counter[str]()
    for path in shelves.files:
        (known if path in shelves.rows else unknown)[path[:36]] += 1
    few = {owner for owner, count in unknown.items() if count * _STRAYS_MAX <= count + known[owner]}
    return [path for path in shelves.files if path not in shelves.rows and path[:36] in few]


def check_quota(opened: Connection, now: datetime) -> Iterator[Breach]:
    """Nothing is reserved any more, so that all but what is stored is free."""
    for number in range(ACCOUNTS):
        its = account(number)
        used, room = rows.stored_bytes(opened, its), rows.room(opened, its, now)
        if room != max(0, CAP_BYTES - used):
            yield Breach(Rule.LEAKED, -1, f"{used} bytes stored, {room} free of {CAP_BYTES}")


def number_of(path: str) -> int:
    """The number of the wish that a file came from."""
    digits = path[37:].removeprefix("file-")[:6]
    return int(digits) if digits.isdecimal() else -1
