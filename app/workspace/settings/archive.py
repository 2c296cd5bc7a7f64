"""The format of a backup: which files of the data folder it contains, and its manifest.

A zip with ``manifest.json``, the list of calendars, and for each calendar the databases (copied by SQLite
itself) and the files that exist nowhere else. It contains nothing that gives access: no API keys, seal keys,
settings with the secrets of registered apps, or certificates.
"""

import re
from datetime import datetime
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field

MANIFEST: Final = "manifest.json"
HOMES: Final = "homes.json"
KEPT_APART: Final = ("service/secrets", "service/tls", "service/service.toml", "practice")
"""Files that aren't in backups; a calendar restored on its own computer keeps them."""
SQLITE_HEAD: Final = b"SQLite format 3\0"

_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_DATABASE: Final = re.compile(rf"homes/{_UUID}/(?:workspace\.db|service/service\.db)")
_FILE: Final = re.compile(rf"homes/{_UUID}/(?:workspace\.kept\.json|(?:workspace\.copies|service/media)/.+)")
_PART: Final = re.compile(r"(?!\.{1,2}$)[^/\\:\x00-\x1f\x7f]{1,255}")


class Kind(Enum):
    """The kind of a file in a backup, which decides how it's copied and checked."""

    LIST = "list"
    DATABASE = "database"
    FILE = "file"


class Entry(BaseModel):
    """One file: its size in bytes and its SHA-256 in hexadecimal digits."""

    size: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """A backup's manifest; ``calendars`` are names, ``files`` all other files in it."""

    format: Literal["kalends-backup"] = "kalends-backup"
    version: Literal[1] = 1
    made_at: datetime
    calendars: list[str]
    files: dict[str, Entry]

    @property
    def size(self) -> int:
        """Total size of all files in bytes."""
        return sum(entry.size for entry in self.files.values())


def kind_of(name: str) -> Kind | None:
    """Return the kind of a file by its name in the backup; None if it doesn't belong there."""
    if name == HOMES:
        return Kind.LIST
    if not all(_PART.fullmatch(part) for part in name.split("/")):
        return None
    if _DATABASE.fullmatch(name):
        return Kind.DATABASE
    return Kind.FILE if _FILE.fullmatch(name) else None


def files_to_keep(data: Path) -> dict[str, Path]:
    """Return the files of a data folder that belong in a backup, by their names in it. Blocking.

    Databases come first, so that every file a copy refers to existed when it was copied.
    """
    found = {
        path.relative_to(data).as_posix(): path
        for path in sorted((data / "homes").glob("*/**/*"))
        if path.is_file() and not path.is_symlink()
    }
    kinds = {name: kind for name in found if (kind := kind_of(name)) is not None}
    names = sorted(kinds, key=lambda name: (kinds[name] is not Kind.DATABASE, name))
    return {name: found[name] for name in names if PurePosixPath(name).suffix != ".part"}
