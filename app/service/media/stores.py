"""What every store of media does, wherever its bytes lie."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Final, Protocol

from sqlalchemy import RowMapping

PART_LIFETIME: Final = timedelta(days=1)
"""How long bytes on their way are left alone: longer than any upload may take."""

Chunks = AsyncIterator[bytes]
"""Bytes in pieces of any size."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the bytes of one file are. ``object_key``: their name in a bucket; None: they are in a folder."""

    storage_path: str
    object_key: str | None = None


def place_of(row: RowMapping) -> Place:
    """Where the bytes of a stored file's row are."""
    return Place(row["storage_path"], row["object_key"])


def name_of(row: RowMapping) -> str:
    """What the file of a row is called."""
    return row["filename"] or str(row["storage_path"]).rpartition("/")[2]


class Incoming(Protocol):
    """Bytes on their way into the store; nobody sees them before they are kept. Blocking, for one thread."""

    @property
    def size(self) -> int:
        """Bytes written so far."""

    def write(self, chunk: bytes | bytearray) -> None:
        """Appends bytes. Raises DiskFullError or OSError."""

    def finish(self) -> str:
        """Makes what was written durable; gives its SHA-256, in hexadecimal. Raises like ``write``."""

    def keep(self, storage_path: str) -> Place:
        """Puts the bytes in their place at once and durably, without waiting for a network.

        Raises OSError.
        """

    def abandon(self) -> None:
        """Lets go of bytes that were not kept; after ``keep`` it does nothing."""


class MediaStore(Protocol):
    """The bytes of stored media. For any thread and any number of processes; blocking but for ``open_at``.

    Every method raises OSError when the store cannot be reached.
    """

    def begin(self, storage_path: str) -> Incoming:
        """Begins to take in the bytes of a path."""

    def file(self, place: Place) -> Path | None:
        """The file of a place, whether it is there or not; None where files are not on this computer."""

    def open_at(
        self, place: Place, first: int, size: int | None = None
    ) -> AbstractAsyncContextManager[Chunks]:
        """Opens a file at a byte, for ``size`` bytes or to its end; leaving the context closes it.

        Raises FileNotFoundError when it is gone.
        """

    def lent(self, place: Place) -> AbstractContextManager[Path]:
        """A file to look into for as long as the context lasts; of a large one the middle may be zeros."""

    def link(self, place: Place, content_type: str, lifetime: timedelta, name: str = "") -> str | None:
        """An address at which the store itself shows the file; None where only the service can show it.

        ``name`` is what the file is called there; without it, the path's last part.
        """

    def remove(self, place: Place) -> None:
        """Removes the bytes, also from quarantine; bytes already gone stay gone.

        A path alone means all that lies below it.
        """

    def held(self, now: datetime) -> Iterator[tuple[Place, bool]]:
        """Everything in its place, and whether it is settled: no row that doesn't name it yet will."""

    def missing(self, places: Sequence[Place]) -> list[Place]:
        """Those that should be there but are not; places of other stores are none of its business."""

    def set_aside(self, place: Place, now: datetime) -> None:
        """Puts a file that no row names in quarantine, under the day of ``now``."""

    def in_quarantine(self) -> Iterator[tuple[Place, date]]:
        """Everything that was set aside, and since which day."""

    def take_back(self, place: Place) -> bool:
        """Ends a file's quarantine and puts it in its place. False when there is nothing to take back."""

    def purge(self, place: Place, day: date) -> None:
        """Removes for good a file that was set aside on a day."""

    def clear_parts(self, now: datetime) -> int:
        """Removes what was left of uploads that ended a day ago or longer; gives how many."""
