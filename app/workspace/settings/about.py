"""The app's version, platform, size of data, and third-party notices. Blocking; for threads."""

import os
import platform
import re
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


_TEXTS: Final = "## Licence texts"
_CELLS: Final = re.compile(r"(?<!\\)\|")
_SECTION: Final = re.compile(r"^### ([^\n]+)\n\n~~~text\n(.*?)\n~~~$", re.MULTILINE | re.DOTALL)
_MARKUP: Final = re.compile(r"[`<>]")
_BETWEEN: Final = re.compile(r"\s+(?:AND|OR|WITH)\s+")
_LATER: Final = re.compile(r"-(?:or-later|only)$")
_NOT_TOLD: Final = "not told"


@dataclass(frozen=True, slots=True)
class Work:
    """A work of others.

    Attributes:
        name: Its name.
        version: Its version; "" if unknown.
        licence: Name of its licence, usually an SPDX expression.
        facts: What else the notices say, by column, such as its source.
        texts: Texts of the licence and of its authors' notices.
    """

    name: str
    version: str
    licence: str
    facts: tuple[tuple[str, str], ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notices:
    """The paragraphs before the tables, and the works, sorted by name."""

    introduction: tuple[str, ...]
    works: tuple[Work, ...]


def read_notices(page: str) -> Notices:
    """Read the page that `packaging/notices.py` makes; lines that aren't as expected are left out."""
    head, _, rest = page.partition("\n## ")
    tables, _, texts = rest.partition(_TEXTS)
    found: dict[str, list[str]] = {}
    for names, text in _SECTION.findall(texts):
        for name in {names, *names.split(", ")}:
            found.setdefault(name.casefold(), []).append(text)
    works: dict[tuple[str, str], Work] = {}
    columns: list[str] = []
    for line in tables.splitlines():
        cells = [_plain(cell) for cell in _CELLS.split(line)[1:-1]]
        if not cells:
            columns = []
        elif not columns:
            columns = cells
        elif not set(cells[0]) <= {"-"}:
            work = _work(dict(zip(columns, cells, strict=False)), cells[0], found)
            works.setdefault((work.name.casefold(), work.version), work)
    paragraphs = [" ".join(one.split()) for one in head.split("\n\n")[1:]]
    return Notices(
        tuple(_plain(one) for one in paragraphs if one), tuple(works[key] for key in sorted(works))
    )


def _work(row: dict[str, str], name: str, texts: dict[str, list[str]]) -> Work:
    version = row.get("Version", "")
    facts = [
        (column, value)
        for column, value in list(row.items())[1:]
        if column not in {"Version", "Licence"} and value
    ]
    return Work(
        name,
        "" if version == _NOT_TOLD else version,
        row.get("Licence", ""),
        tuple(facts),
        tuple(texts.get(name.casefold()) or _of_licence(row.get("Licence", ""), texts)),
    )


def _of_licence(expression: str, texts: dict[str, list[str]]) -> list[str]:
    """Return the texts of licences that the page has under their own names."""
    names = (_LATER.sub("", name) for name in _BETWEEN.split(expression))
    return [text for name in names for text in texts.get(name.casefold(), ())]


def _plain(cell: str) -> str:
    return _MARKUP.sub("", cell).replace("\\|", "|").strip()
