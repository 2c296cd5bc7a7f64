"""The app's version, platform, third-party notices, and size of its data. Blocking; for threads."""

import os
import platform
import shutil
import sqlite3
import tomllib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path
from typing import Final

import app
from app.language import tr
from app.workspace.foreign_texts import why
from app.workspace.messages import Problem

_NAME: Final = "kalends"
_NOTICES: Final = "THIRD_PARTY_NOTICES.md"
_LICENCE: Final = "LICENSE"
_SOURCE: Final = Path(app.__file__).resolve().parents[1]
_DOCUMENTS: Final = _SOURCE / "docs"


@dataclass(frozen=True, slots=True)
class About:
    """Version, versions of its platform by name, and the folder with the documents, if it exists."""

    version: str
    parts: tuple[tuple[str, str], ...]
    documents: Path | None


def about() -> About:
    """Read them from the installation."""
    return About(
        _own_version(),
        (
            ("Python", platform.python_version()),
            ("Qt", _version_of("PySide6-Essentials")),
            ("SQLite", sqlite3.sqlite_version),
            (tr("System"), f"{platform.system()} {platform.release()} ({platform.machine()})"),
        ),
        _DOCUMENTS if _DOCUMENTS.is_dir() else None,
    )


def notices() -> str:
    """Return the third-party notices; empty if they aren't installed."""
    return _text(_NOTICES)


def licence() -> str:
    """Return Kalends' licence; empty if it isn't installed."""
    return _text(_LICENCE)


def _text(name: str) -> str:
    for path in (*_installed(name), _SOURCE / name):
        if path.is_file():
            return path.read_text("utf-8")
    return ""


def _installed(name: str) -> list[Path]:
    try:
        files = distribution(_NAME).files or []
    except PackageNotFoundError:
        return []
    return [Path(str(file.locate())) for file in files if file.name == name and "licenses" in file.parts]


def _own_version() -> str:
    """The version of the installed package, or in a checkout that of its project file."""
    project = _SOURCE / "pyproject.toml"
    if project.is_file():
        found = tomllib.loads(project.read_text("utf-8"))["project"]["version"]
        return tr("{version} (development)", version=found)
    return _version_of(_NAME)


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return tr("unknown")


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes in the data folder, bytes of replaced data in it, and free bytes on its disk."""

    used: int
    aside: int
    free: int


def measure(data: Path) -> Room:
    """Add up the readable files. Raises Problem if the disk can't be queried."""
    aside = sum(_size(data / name) for name in ("removed", "set-aside"))
    try:
        free = shutil.disk_usage(data).free
    except OSError as error:
        raise Problem(tr("Couldn't measure {folder}: {why}.", folder=data, why=why(error))) from error
    return Room(_size(data), aside, free)


def _size(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += Path(place, name).lstat().st_size
            except OSError:  # deleted in the meantime, or unreadable
                continue
    return total
