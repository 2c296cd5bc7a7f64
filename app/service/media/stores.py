"""The interface of media stores."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Final, Protocol

from sqlalchemy import RowMapping

PART_LIFETIME: Final = timedelta(days=1)
"""How long unfinished uploads are left alone: longer than any upload may take."""

Chunks = AsyncIterator[bytes]
"""Bytes in pieces of any size."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file is stored. ``object_key`` is its key in a bucket; None for the media folder."""

    storage_path: str
    object_key: str | None = None


def place_of(row: RowMapping) -> Place:
    """Return where the file of a row is stored."""
    return Place(row["storage_path"], row["object_key"])


def name_of(row: RowMapping) -> str:
    """Return the display name of a row's file."""
    return row["filename"] or str(row["storage_path"]).rpartition("/")[2]


class Incoming(Protocol):
    """An upload in progress, invisible until it is kept. Blocking, for one thread."""

    @property
    def size(self) -> int:
        """Number of bytes written."""

    def write(self, chunk: bytes | bytearray) -> None:
        """Append bytes. Raises DiskFullError or OSError."""

    def finish(self) -> str:
        """Flush everything to disk; return the SHA-256 in hexadecimal. Raises like ``write``."""

    def keep(self, storage_path: str) -> Place:
        """Move the file to its path, atomically and durably, without network access. Raises OSError."""

    def abandon(self) -> None:
        """Delete the bytes unless they were kept."""


class MediaStore(Protocol):
    """Stores files. Thread-safe, for any number of processes. Blocking, except for ``open_at``.

    Every method raises OSError if the store can't be reached.
    """

    def begin(self, storage_path: str) -> Incoming:
        """Start an upload to a path."""

    def file(self, place: Place) -> Path | None:
        """Return the local path of a file, existing or not; None if files aren't on this computer."""

    def open_at(
        self, place: Place, first: int, size: int | None = None
    ) -> AbstractAsyncContextManager[Chunks]:
        """Open a file at an offset, for ``size`` bytes or to its end, as a context manager.

        Raises FileNotFoundError if the file is gone.
        """

    def lent(self, place: Place) -> AbstractContextManager[Path]:
        """Lend a local file for probing, as a context manager; the middle of a large file may be zeros."""

    def link(self, place: Place, content_type: str, lifetime: timedelta, name: str = "") -> str | None:
        """Return a URL at which the store serves the file; None if only the service can serve it.

        ``name`` is the file's name in downloads; by default the last part of the path.
        """

    def remove(self, place: Place) -> None:
        """Delete a file, also from quarantine. Does nothing if it is gone.

        A place without an object key means all objects below its path.
        """

    def held(self, now: datetime) -> Iterator[tuple[Place, bool]]:
        """All files, and whether each is settled: without a row now, it never gets one."""

    def missing(self, places: Sequence[Place]) -> list[Place]:
        """Return those of the places that lack their file. Ignores places of other stores."""

    def set_aside(self, place: Place, now: datetime) -> None:
        """Move a file without a row to quarantine, under the day of ``now``."""

    def in_quarantine(self) -> Iterator[tuple[Place, date]]:
        """All files in quarantine, with the day they were moved there."""

    def take_back(self, place: Place) -> bool:
        """Move a file back from quarantine; False if it isn't there."""

    def purge(self, place: Place, day: date) -> None:
        """Delete a file in quarantine since ``day`` permanently."""

    def clear_parts(self, now: datetime) -> int:
        """Delete unfinished uploads that ended at least a day ago; return how many."""
