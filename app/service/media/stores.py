"""The interface of media stores, and the storage paths of files."""

import secrets
import unicodedata
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Final, Protocol
from urllib.parse import unquote, urlsplit
from uuid import UUID

import regex
from sqlalchemy import RowMapping

from app.contract.graphemes import GRAPHEME
from app.contract.media_kinds import MediaKind

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


# Paths consist of letters, digits, ``-``, ``_`` and ``.``, so they need no escaping. The displayed name is
# stored separately. Older paths may contain spaces and letters of any script.
STEM_BYTES_MAX: Final = 120
"""Longest stem in UTF-8. Keeps names well below 255 bytes, the shortest limit of file systems."""

_SEPARATORS = regex.compile(r"[/\\]")
# Control and direction characters, unassigned code points, and characters with a meaning in file systems and
# URLs. The two joiners stay, because Persian names and family emoji need them.
_UNWANTED = regex.compile(
    r"""[\p{C}\p{Zl}\p{Zp}--\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}]|[<>:"|?*%#&;+~$`'{}^]""", regex.V1
)
_SPACES = regex.compile(r"\s+")
_ESCAPED = regex.compile(r"[^A-Za-z0-9._-]+")
_ENDING = regex.compile(r"(?=.*[A-Za-z])[A-Za-z0-9]{1,5}")
_EDGES = " .-_\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"


def new_storage_path(account_id: UUID, filename: str, kind: MediaKind) -> str:
    """Return a path that is almost certainly unused; ``filename`` may be anything."""
    stem, extension = clean(filename, kind)
    return f"{account_id}/{_plain(stem) or kind.post_type.value}-{secrets.token_hex(4)}.{extension}"


def shown_name(filename: str, kind: MediaKind) -> str:
    """Return the name to display for a file with any external name."""
    stem, extension = clean(filename, kind)
    return f"{stem}.{extension}"


def clean(filename: str, kind: MediaKind) -> tuple[str, str]:
    """Return the stem and extension of an external name: its last part, in NFC, without harmful characters.

    The name's own extension is kept if it fits the file type.
    """
    last = _SEPARATORS.split(filename)[-1] or filename
    printable = _UNWANTED.sub("", unicodedata.normalize("NFC", _SEPARATORS.sub("", last)))
    tidy = _SPACES.sub(" ", printable).strip(_EDGES)
    stem, dot, ending = tidy.rpartition(".")
    if not dot or not _ENDING.fullmatch(ending):
        stem, ending = tidy, ""
    extension = ending.lower() if ending.lower() in kind.extensions else kind.extension
    return _shortened(stem).strip(_EDGES) or kind.post_type.value, extension


def name_in_url(url: str) -> str:
    """Return the last part of a URL's path as a file name; empty if it has none."""
    return PurePosixPath(unquote(urlsplit(url).path, errors="replace")).name


def is_within(storage_path: str, account_id: UUID) -> bool:
    """Whether a path belongs to the account."""
    return storage_path.startswith(f"{account_id}/")


def _plain(stem: str) -> str:
    """Drop accents, and replace everything but ASCII letters and digits by ``-``."""
    letters = unicodedata.normalize("NFKD", stem.replace("ß", "ss"))
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return _ESCAPED.sub("-", bare)[:STEM_BYTES_MAX].strip("-_.")


def _shortened(stem: str) -> str:
    """Cut a stem to the maximum length, without splitting a grapheme."""
    if len(stem.encode()) <= STEM_BYTES_MAX:
        return stem
    kept, size = [], 0
    for character in GRAPHEME.findall(stem):
        size += len(character.encode())
        if size > STEM_BYTES_MAX:
            break
        kept.append(character)
    return "".join(kept)
