"""The app's version, what it runs on, and its third-party notices. Blocking; for threads."""

import platform
import sqlite3
import tomllib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path
from typing import Final

import app
from app.language import tr

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
        return tr("{version}, from source", version=found)
    return _version_of(_NAME)


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return tr("unknown")
