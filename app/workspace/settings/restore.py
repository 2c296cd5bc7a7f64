"""Replaces the data with a backup, and keeps the previous data in another folder. Blocking; for threads.

There are two steps. ``stage`` unpacks and checks everything without touching the data. ``finish`` swaps the
folders by renaming while nothing is open; if it's interrupted, the next start completes it.
"""

import hashlib
import os
import shutil
import sqlite3
import stat
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO, Final, NoReturn
from uuid import UUID
from zipfile import BadZipFile, LargeZipFile, ZipFile, ZipInfo

from pydantic import ValidationError

from app.disk import move, write_whole
from app.language import data_size, tr
from app.workspace import foreign_texts
from app.workspace.homes.last import RESTORING
from app.workspace.homes.registry import Home, Homes, Listing
from app.workspace.messages import Problem
from app.workspace.settings.backup import (
    HOMES,
    KEPT_APART,
    MANIFEST,
    SQLITE_HEAD,
    Entry,
    Kind,
    Manifest,
    StoppedError,
    Told,
    kind_of,
)
from app.workspace.settings.unsent import hold_unsent

_READY: Final = "ready"
_BEGUN: Final = "begun"
_EXCHANGED: Final = ("homes", HOMES)
_MANIFEST_BYTES_MAX: Final = 64 * 1024 * 1024
_FILES_MAX: Final = 200_000
_PACKED_MOST: Final = 200
"""Maximum compression ratio of a backup. SQLite's empty pages compress well, zip bombs better."""
_ALWAYS_ALLOWED: Final = 64 * 1024 * 1024
_MARGIN: Final = 64 * 1024 * 1024
_PIECE: Final = 1024 * 1024
_RECOGNIZED: Final = timedelta(days=30)
"""How long a service recognizes a post that is sent again, as the API promises."""
_turn: Final = threading.RLock()
"""Held while staged files are used: a cancelled check that is still ending would delete those of the next."""


def stage(homes: Homes, file: Path, told: Told, stop: threading.Event) -> Manifest:
    """Unpack a backup next to the data and check all of it.

    If it raises Problem or StoppedError, it leaves nothing behind.
    """
    with _turn:
        return _stage(homes, file, told, stop)


def _stage(homes: Homes, file: Path, told: Told, stop: threading.Event) -> Manifest:
    discard(homes.data)
    staged = homes.data / RESTORING
    try:
        staged.mkdir(mode=0o700, parents=True)
        with ZipFile(file) as archive:
            manifest = _Unpacking(archive, file, staged, told, stop).unpack(homes)
        (staged / "homes").mkdir(exist_ok=True)
        _hold_unsent(staged)
        if datetime.now(UTC) - manifest.made_at > _RECOGNIZED:
            _hold_unsent_elsewhere(staged)
        _carry_over(homes.data, staged)
        write_whole(staged / _READY, f"{datetime.now(UTC):%Y%m%d-%H%M%S}".encode("ascii"))
    except sqlite3.Error as error:
        discard(homes.data)
        raise _broken(tr("the database {name} in it is damaged", name="workspace.db"), str(error)) from error
    except (BadZipFile, LargeZipFile, NotImplementedError, EOFError, RuntimeError) as error:
        discard(homes.data)
        raise _broken(tr("it isn't a complete zip file"), str(error)) from error
    except OSError as error:
        discard(homes.data)
        text = tr(
            "Couldn't unpack the backup: {reason}. Nothing was changed.", reason=foreign_texts.why(error)
        )
        raise Problem(text, details=str(error)) from error
    except BaseException:
        discard(homes.data)
        raise
    return manifest


def discard(data: Path) -> None:
    """Delete the staged files, unless they're already being put in place."""
    with _turn:
        if not _is_begun(data):
            shutil.rmtree(data / RESTORING, ignore_errors=True)


def resume(data: Path) -> Path | None:
    """At startup, complete an interrupted ``finish`` or delete abandoned files.

    Return where the previous data is now, if a restore was completed. Raises Problem.
    """
    aside = finish(data) if _is_begun(data) else None
    discard(data)
    return aside


def finish(data: Path) -> Path:
    """Put the staged files in place; return where the previous data is now. Nothing may be open.

    Raises Problem, of the kind ``restoring``. Every rename is skipped once it was done, and the other steps
    can be repeated, so this can be called again after any interruption.
    """
    with _turn:
        return _finish(data)


def _finish(data: Path) -> Path:
    staged = data / RESTORING
    try:
        aside = data / "set-aside" / (staged / _READY).read_text("ascii")
        (staged / _BEGUN).touch()
        aside.mkdir(parents=True, exist_ok=True)
        _tell_services(staged)
        _hold_unsent(staged)  # again: the services here may have published more since the check
        for name in _EXCHANGED:
            if (staged / name).exists():
                if (data / name).exists():
                    move(data / name, _unused(aside / name))
                move(staged / name, data / name)
    except (OSError, sqlite3.Error) as error:
        text = tr(
            "Couldn't finish restoring: {reason}. Close other programs that use {data}, "
            "then restart Kalends. It will continue where it stopped; nothing is lost.",
            reason=foreign_texts.why(error) if isinstance(error, OSError) else tr("a database is in use"),
            data=data,
        )
        raise Problem(text, details=str(error), kind="restoring") from error
    (staged / _BEGUN).unlink()
    shutil.rmtree(staged, ignore_errors=True)
    return aside


def _unused(path: Path) -> Path:
    """Return a path that isn't in use: something may have been made here since a restore was interrupted."""
    number, found = 1, path
    while found.exists():
        number += 1
        found = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return found


class _Unpacking:
    """Unpacks and checks one backup. Its content isn't trusted."""

    def __init__(self, archive: ZipFile, file: Path, staged: Path, told: Told, stop: threading.Event) -> None:
        self._archive, self._staged, self._told, self._stop = archive, staged, told, stop
        self._packed = file.stat().st_size
        self._done = 0

    def unpack(self, homes: Homes) -> Manifest:
        infos = self._infos()
        manifest = self._manifest(infos.pop(MANIFEST, None))
        if set(infos) != set(manifest.files) or HOMES not in infos:
            _refuse(tr("its contents don't match its table of contents"))
        self._require_room(manifest)
        for name, entry in manifest.files.items():
            self._unpack(infos[name], entry, manifest.size)
            if kind_of(name) is Kind.DATABASE:
                _require_whole(self._staged / name)
        _keep_list(homes, self._staged)
        return manifest

    def _infos(self) -> dict[str, ZipInfo]:
        infos = self._archive.infolist()
        if len(infos) > _FILES_MAX:
            _refuse(tr("it contains too many files"))
        for info in infos:
            mode = info.external_attr >> 16
            is_plain = not info.is_dir() and (not stat.S_IFMT(mode) or stat.S_ISREG(mode))
            is_known = info.filename == MANIFEST or kind_of(info.filename) is not None
            if not (is_plain and is_known) or info.flag_bits & 1:
                _refuse(
                    tr("it contains {name}, which doesn't belong in a backup", name=repr(info.filename[:120]))
                )
        by_name = {info.filename: info for info in infos}
        if len({name.casefold() for name in by_name}) < len(infos):
            _refuse(tr("it contains a file twice"))
        return by_name

    def _manifest(self, info: ZipInfo | None) -> Manifest:
        if info is None:
            _refuse(tr("it has no table of contents"))
        with self._archive.open(info) as packed:
            text = packed.read(_MANIFEST_BYTES_MAX + 1)
        if len(text) > _MANIFEST_BYTES_MAX:
            _refuse(tr("its table of contents is too long"))
        try:
            return Manifest.model_validate_json(text)
        except ValidationError as error:
            raise _broken(
                tr("its table of contents can't be read or was written by a newer version of Kalends"),
                str(error),
            ) from error

    def _require_room(self, manifest: Manifest) -> None:
        if manifest.size > self._packed * _PACKED_MOST + _ALWAYS_ALLOWED:
            _refuse(tr("it would unpack to an implausible size"))
        free = shutil.disk_usage(self._staged).free
        if manifest.size + _MARGIN > free:
            raise Problem(
                tr(
                    "Not enough space to restore this backup: it needs {needed}, {free} free. "
                    "Nothing was changed.",
                    needed=data_size(manifest.size),
                    free=data_size(free),
                ),
                kind="disk_full",
            )

    def _unpack(self, info: ZipInfo, entry: Entry, total: int) -> None:
        path = self._staged / info.filename
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        digest, left = hashlib.sha256(), entry.size
        with self._archive.open(info) as packed, path.open("xb") as out:
            while piece := packed.read(min(_PIECE, left + 1)):
                if self._stop.is_set():
                    raise StoppedError
                left -= len(piece)
                if left < 0:
                    _refuse(tr("{filename} is longer than it says", filename=info.filename))
                out.write(piece)
                digest.update(piece)
                self._done += len(piece)
                self._told(self._done, total)
            _flush(out)
        if left or digest.hexdigest() != entry.sha256:
            _refuse(tr("{filename} is damaged", filename=info.filename))


def _require_whole(path: Path) -> None:
    try:
        with path.open("rb") as file:
            head = file.read(len(SQLITE_HEAD))
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            is_whole = database.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
    except sqlite3.Error:
        is_whole = False
    if head != SQLITE_HEAD or not is_whole:
        _refuse(tr("the database {name} in it is damaged", name=path.name))


def _keep_list(homes: Homes, staged: Path) -> None:
    """Rewrite the list of calendars without references to files on another computer."""
    try:
        listing = Listing.model_validate_json((staged / HOMES).read_bytes())
    except ValidationError as error:
        raise _broken(tr("its list of calendars can't be read"), str(error)) from error
    here = {home.id: home for home in homes.all()}
    restored = [_checked(home, here.get(home.id)) for home in listing.homes]
    known = {home.id for home in restored}
    if len(known) < len(restored):
        _refuse(tr("its calendars don't match its table of contents"))
    newest = restored[-1].id if restored else None
    current = listing.current if listing.current in known else newest
    text = Listing(homes=restored, current=current).model_dump_json(indent=2)
    (staged / HOMES).write_text(text, "utf-8")
    for folder in (staged / "homes").glob("*"):
        if UUID(folder.name) not in known:  # left from a calendar that was never completed
            shutil.rmtree(folder)


def _checked(home: Home, here: Home | None) -> Home:
    """Refuse another URL under an ID that this computer has a key for: the key would be sent there."""
    if here is not None:
        is_same_place = here.kind is home.kind and (home.is_embedded or here.base_url == home.base_url)
        if not is_same_place or (not home.is_embedded and here.pinned_certificate != home.pinned_certificate):
            _refuse(
                tr(
                    "its address or certificate for {name} differs from this computer's, and "
                    "the API key would be sent there. If that's intended, remove that calendar "
                    "first",
                    name=here.name,
                )
            )
    changes = {"ca_file": None, **({"base_url": ""} if home.is_embedded else {})}
    if not home.is_embedded and not home.base_url.startswith("https://"):
        _refuse(tr("it contains a service address without https"))
    return home.model_copy(update=changes)


def _hold_unsent(staged: Path) -> None:
    """Hold posts back that may have been published since, where the service is restored as well."""
    for workspace in (staged / "homes").glob("*/workspace.db"):
        if _has_service(workspace):
            hold_unsent(workspace)


def _hold_unsent_elsewhere(staged: Path) -> None:
    """Hold all unsent posts back of services elsewhere, which have forgotten what they were sent since."""
    for workspace in (staged / "homes").glob("*/workspace.db"):
        if not _has_service(workspace):
            hold_unsent(workspace, every=True)


def _has_service(workspace: Path) -> bool:
    return (workspace.parent / "service" / "service.db").exists()


def _carry_over(data: Path, staged: Path) -> None:
    """Copy what backups omit from this computer's calendars, so that accounts stay connected."""
    for home in (staged / "homes").glob("*"):
        for name in KEPT_APART:
            kept, to = data / "homes" / home.name / name, home / name
            if kept.is_dir():
                shutil.copytree(kept, to, symlinks=True, dirs_exist_ok=True, copy_function=_copy)
            elif kept.is_file():
                to.parent.mkdir(parents=True, exist_ok=True)
                _copy(kept, to)


def _copy(kept: Path | str, to: Path | str) -> None:
    with Path(kept).open("rb") as file, Path(to).open("wb") as copy:
        shutil.copyfileobj(file, copy)
        _flush(copy)
    shutil.copystat(kept, to)


def _flush(file: BinaryIO) -> None:
    """A power failure after the exchange must not leave empty files."""
    file.flush()
    os.fsync(file.fileno())


def _tell_services(staged: Path) -> None:
    """Tell services that their posts are from an earlier time, and that posts due since then may be live."""
    for database in (staged / "homes").glob("*/service/service.db"):
        database.with_name("restored").write_text(datetime.now(UTC).isoformat(), "ascii")


def _is_begun(data: Path) -> bool:
    return (data / RESTORING / _BEGUN).exists()


def _refuse(why: str) -> NoReturn:
    raise _broken(why)


def _broken(why: str, details: str = "") -> Problem:
    text = tr("Couldn't restore this file: {why}. Nothing was changed. Choose another backup.", why=why)
    return Problem(text, details=details, kind="broken_backup")
