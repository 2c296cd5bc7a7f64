"""What a backup file is: which files of the data folder are in it, and what it tells of itself.

A zip with ``manifest.json``, the list of calendars, and of each calendar the databases (copied by SQLite
itself) and the files that exist nowhere else. What gives access to something is in none: API keys, the keys
that tokens are sealed with, the settings with the secrets of registered apps, certificates.
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
"""What stays out of backups and, where a calendar is restored on its own computer, is taken from there."""
SQLITE_HEAD: Final = b"SQLite format 3\0"

_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_DATABASE: Final = re.compile(rf"homes/{_UUID}/(?:workspace\.db|service/service\.db)")
_FILE: Final = re.compile(rf"homes/{_UUID}/(?:workspace\.kept\.json|(?:workspace\.copies|service/media)/.+)")
_PART: Final = re.compile(r"(?!\.{1,2}$)[^/\\:\x00-\x1f\x7f]{1,255}")


class Kind(Enum):
    """What a file of a backup is, and how it is copied and tested."""

    LIST = "list"
    DATABASE = "database"
    FILE = "file"


class Entry(BaseModel):
    """One file: its size in bytes and its SHA-256 in hexadecimal digits."""

    size: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """What a backup tells of itself; ``calendars`` are names, ``files`` what is in it beside this."""

    format: Literal["kalends-backup"] = "kalends-backup"
    version: Literal[1] = 1
    made_at: datetime
    calendars: list[str]
    files: dict[str, Entry]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(entry.size for entry in self.files.values())


def kind_of(name: str) -> Kind | None:
    """What a name in a backup stands for; None for one that has no place there."""
    if name == HOMES:
        return Kind.LIST
    if not all(_PART.fullmatch(part) for part in name.split("/")):
        return None
    if _DATABASE.fullmatch(name):
        return Kind.DATABASE
    return Kind.FILE if _FILE.fullmatch(name) else None


def files_to_keep(data: Path) -> dict[str, Path]:
    """The files of a data folder that belong into a backup, by their names in it. Blocking.

    Databases come first: a file that a copy of them names was there when they were copied.
    """
    found = {
        path.relative_to(data).as_posix(): path
        for path in sorted((data / "homes").glob("*/**/*"))
        if path.is_file() and not path.is_symlink()
    }
    kinds = {name: kind for name in found if (kind := kind_of(name)) is not None}
    names = sorted(kinds, key=lambda name: (kinds[name] is not Kind.DATABASE, name))
    return {name: found[name] for name in names if PurePosixPath(name).suffix != ".part"}
