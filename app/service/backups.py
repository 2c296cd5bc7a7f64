"""Backups of a data folder: a single file with everything another computer needs, including keys."""

import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Final, NoReturn
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from app.disk import flush_folder, move, private_folder, replace
from app.service.problems import CommandProblem
from app.service.store.folder import DataFolder, copy_database

_DATABASE: Final = "service.db"
_TOPS: Final = (_DATABASE, "service.toml", "secrets", "tls", "media")
_BESIDE: Final = ("service.db-wal", "service.db-shm")
"""Parts of a database that must never be combined with another database."""
_NAME: Final = re.compile(
    rf"{re.escape(_DATABASE)}|service\.toml|(?:secrets|tls)/[^/]+|media/[^/]+(?:/[^/]+)*"
)
_PART: Final = re.compile(r"(?!\.{1,2}$)[^/\\:\x00-\x1f\x7f\ud800-\udfff]{1,255}")
_PIECE: Final = 1024 * 1024


def back_up(folder: DataFolder, to: Path) -> int:
    """Write a backup to a new file that only its owner can read; return its size in bytes. Blocking.

    The service may be running. Raises CommandProblem, OSError or sqlite3.Error, leaving no file behind.
    """
    if to.exists():
        raise CommandProblem(f"The file {to} already exists. Choose a new name, so that no backup is lost.")
    part = to.with_name(f"{to.name}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with ZipFile(file, "w", ZIP_STORED, strict_timestamps=False) as archive:
                # Rows first: files they name existed when the rows were copied.
                _add_database(folder, archive)
                for name, path in _files(folder):
                    with suppress(FileNotFoundError):  # deleted meanwhile
                        archive.write(path, name)
            file.flush()
            os.fsync(file.fileno())
        replace(part, to)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    flush_folder(to.parent)
    return to.stat().st_size


def put_back(folder: DataFolder, file: Path, now: datetime) -> Path | None:
    """Replace the folder's content with a backup; return the folder with the former content, if any.

    Blocking; no other program may use the folder. Raises OSError, or CommandProblem if the file isn't a valid
    backup, without any change.
    """
    private_folder(folder.root)
    staged = Path(tempfile.mkdtemp(prefix=".restoring-", dir=folder.root))
    try:
        _unpack(file, staged)
        # From here on, posts aren't sent blindly, even if the rest fails.
        folder.keep_restored(now)
        return _exchange(folder, staged, folder.root / f"before-restore-{now:%Y%m%d-%H%M%S}")
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _add_database(folder: DataFolder, archive: ZipFile) -> None:
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=folder.root) as passing:
        copy = Path(passing) / _DATABASE
        copy_database(folder.database, copy)
        archive.write(copy, _DATABASE, ZIP_DEFLATED)


def _files(folder: DataFolder) -> Iterator[tuple[str, Path]]:
    for top in _TOPS[1:]:
        path = folder.root / top
        for found in [path] if path.is_file() else sorted(path.rglob("*")):
            name = found.relative_to(folder.root).as_posix()
            if found.is_file() and not found.is_symlink() and found.suffix != ".part" and _is_ours(name):
                yield name, found


def _is_ours(name: str) -> bool:
    """Whether a backup may contain a file. Names that aren't UTF-8 belong to other programs."""
    return _NAME.fullmatch(name) is not None and all(map(_PART.fullmatch, name.split("/")))


def _unpack(file: Path, staged: Path) -> None:
    try:
        with ZipFile(file) as archive:
            infos = archive.infolist()
            names = {info.filename.casefold() for info in infos}
            if len(names) < len(infos) or not all(_is_ours(info.filename) for info in infos):
                _refuse(file)
            for info in infos:
                path = staged / info.filename
                private_folder(path.parent)
                with archive.open(info) as packed, path.open("xb") as out:
                    shutil.copyfileobj(packed, out, _PIECE)
                path.chmod(0o600)
    except (BadZipFile, EOFError, RuntimeError, NotImplementedError):
        _refuse(file)
    if not _is_sound(staged / _DATABASE):
        _refuse(file)


def _is_sound(database: Path) -> bool:
    if not database.is_file():
        return False
    try:
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as opened:
            return bool(opened.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except sqlite3.Error:
        return False


def _exchange(folder: DataFolder, staged: Path, aside: Path) -> Path | None:
    for name in (*_TOPS, *_BESIDE):
        here, new = folder.root / name, staged / name
        if here.exists() and (new.exists() or name in _BESIDE):
            private_folder(aside)
            move(here, aside / name)
        if new.exists():
            move(new, here)
    flush_folder(folder.root)
    return aside if aside.exists() else None


def _refuse(file: Path) -> NoReturn:
    raise CommandProblem(
        f"The file {file} isn't a valid backup of a service. Nothing was changed. Try another file."
    )
