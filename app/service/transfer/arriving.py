"""Accounts that the app brings here: their files arrive one by one, then they're imported."""

import hashlib
import re
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple
from uuid import UUID

from sqlalchemy import select

from app.contract.limits import EXPORT_FILES_AT_ONCE
from app.contract.moving import Arrival, ArrivalState, CancelArrival
from app.disk import flush_folder, open_private, private_folder, replace, write_private
from app.service.accounts.accounts import FILE_BYTES_MAX, Plan, storage_cap
from app.service.problems import CommandProblem
from app.service.store.tables import accounts
from app.service.transfer.checking import Rooms
from app.service.transfer.contents import MEDIA, PARTS
from app.service.transfer.handover import Phase, Transfer, cancel_arrival, read_transfer
from app.service.transfer.hosts import require_may_come
from app.service.transfer.importing import Target, import_account
from app.service.transfer.lines import decode
from app.service.transfer.manifest import ExportFolder, Manifest, read_lines, read_manifest
from app.service.transfer.visits import NotOfferedProblem, VisitorFolder, forget_abandoned

_SPARE_BYTES: Final = 256 * 1024**2
"""Space to leave free on the disk."""
_ROWS_ROOM_MIN: Final = 64 * 1024**2
"""Room for the rows of any account, in bytes. They may have as much as its files if that's more."""
_SECRETS_BYTES_MAX: Final = 64 * 1024**2
"""Maximum size of the file with secrets, all of which are in memory during the import."""
_BLOCK_BYTES: Final = 4_096
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_SECRETS: Final = "secrets.ndjson"
_ROWS_SUFFIX: Final = ".ndjson"
_reserving = threading.Lock()


@dataclass(frozen=True)
class Arrivals:
    """Takes exports. Blocking; raises CommandProblem and OSError.

    Args:
        root: Folder for what is on its way.
        target: The installation that accounts come to.
    """

    root: Path
    target: Target

    def offer(self, host: UUID, manifest: str) -> Arrival:
        """Begin to receive an export, or continue. ``host`` is the account of the key."""
        forget_abandoned(self.root)
        folder = self._folder(host)
        if folder.is_busy():
            return self.state(host)
        found = _parsed(folder, manifest)
        self.target.database.read_now(lambda rows: require_may_come(rows, host, found.account.id))
        before = folder.export.read_manifest()
        if before is not None and before.export_id != found.export_id:
            folder.clear()
        private_folder(folder.export.root)
        folder.export.write(found)
        current = self.state(host)
        if current.state in {ArrivalState.ARRIVED, ArrivalState.CANCELLED}:
            folder.clear()
        return current

    def state(self, host: UUID) -> Arrival:
        """Return how far the account is that keys of ``host`` bring. Raises NotOfferedProblem without one."""
        folder = self._folder(host)
        manifest = folder.export.read_manifest()
        account_id = host if manifest is None else manifest.account.id
        last = self.target.database.read_now(lambda rows: read_transfer(rows, account_id))
        if manifest is None:
            if last is not None and last.phase is Phase.HERE:
                return _arrival(account_id, last.export_id, ArrivalState.ARRIVED)
            raise NotOfferedProblem("No export was offered with this key. Send its manifest first.")
        last = last if last is not None and last.export_id == manifest.export_id else None
        if last is not None and last.phase in {Phase.HERE, Phase.CANCELLED}:
            state = ArrivalState.ARRIVED if last.phase is Phase.HERE else ArrivalState.CANCELLED
            return _arrival(account_id, last.export_id, state)
        done = _share(manifest, last)
        if folder.is_busy():
            return _arrival(account_id, manifest.export_id, ArrivalState.IMPORTING, done=done)
        return Arrival(
            account_id=account_id,
            export_id=manifest.export_id,
            state=ArrivalState.RECEIVING,
            problem=folder.problem(),
            done=done,
            missing=list(islice(_missing(folder.export, manifest), EXPORT_FILES_AT_ONCE)),
        )

    def receiver(self, host: UUID, name: str, size: int) -> "Receiver":
        """Return what writes a file of an export with ``size`` bytes."""
        folder = self._folder(host).export
        manifest = folder.read_manifest()
        if manifest is None:
            raise NotOfferedProblem("No export was offered with this key. Send its manifest first.")
        rooms = self._rooms(host)
        file = _expected(folder, manifest, name, rooms)
        with _reserving:  # files that arrive together must fit together
            if size > file.bytes_max or _bytes_of_others(folder, file) + size > file.room:
                raise CommandProblem(f"The file {name} is too large for your account's plan on this service.")
            if shutil.disk_usage(self.root).free < size + _SPARE_BYTES:
                raise CommandProblem("The disk of the service is full. Ask its operator to free some space.")
            folder.touch()
            return Receiver(file.path, file.sha256, size)

    def begin_import(self, host: UUID, passphrase: str | None) -> Arrival:
        """Begin the import in the background, or continue, and return how far it is."""
        current = self.state(host)
        if current.state is not ArrivalState.RECEIVING:
            return current
        if current.missing:
            raise CommandProblem(f"{len(current.missing)} files are missing. Send them first.")
        folder, rooms = self._folder(host), self._rooms(host)
        folder.work(lambda: self._import(folder.export, passphrase, rooms, host))
        return _arrival(current.account_id, current.export_id, ArrivalState.IMPORTING, done=current.done)

    def cancel(self, host: UUID, which: CancelArrival) -> Arrival:
        """Refuse an export from now on. Raises CommandProblem if the account has arrived or is arriving."""
        database, account_id, export_id = self.target.database, which.account_id, which.export_id
        folder = self._folder(host)
        database.read_now(lambda rows: require_may_come(rows, host, account_id))
        if folder.is_busy():
            raise CommandProblem("The service is just completing the move. Wait until it's done.")
        database.write_now(lambda rows: cancel_arrival(rows, account_id, export_id))
        folder.clear()
        return _arrival(account_id, export_id, ArrivalState.CANCELLED)

    def _import(self, folder: ExportFolder, passphrase: str | None, rooms: Rooms, host: UUID) -> None:
        import_account(self.target, folder, passphrase, rooms, host)
        shutil.rmtree(folder.root, ignore_errors=True)

    def _folder(self, host: UUID) -> VisitorFolder:
        return VisitorFolder(self.root, host)

    def _rooms(self, host: UUID) -> Rooms:
        columns = select(accounts.c.plan, accounts.c.storage_cap_bytes).where(accounts.c.id == host)
        found = self.target.database.read_now(lambda rows: rows.execute(columns).one())
        return Rooms(Plan(found.plan), found.storage_cap_bytes)


class Receiver:
    """Writes one file, which appears once all of it has arrived. Blocking.

    Meanwhile, the incomplete file has the announced size, so that it counts in full.
    """

    def __init__(self, path: Path, digest: str, size: int) -> None:
        private_folder(path.parent)
        self._path, self._digest, self._size = path, digest, size
        self._part = _part_of(path)
        self._file = open_private(self._part)
        self._file.truncate(size)
        self._sha256 = hashlib.sha256()
        self._written = 0

    def write(self, piece: bytes | bytearray) -> None:
        """Append bytes. Raises CommandProblem for more than announced, and OSError."""
        self._written += len(piece)
        if self._written > self._size:
            raise CommandProblem("The file has more bytes than announced. Send it again.")
        self._sha256.update(piece)
        self._file.write(piece)

    def finish(self) -> None:
        """Keep the file. Raises CommandProblem if it isn't the one that the manifest describes."""
        self._file.flush()
        self._file.close()
        if self._written != self._size or self._sha256.hexdigest() != self._digest:
            raise CommandProblem(f"sha256: the file {self._path.name} arrived damaged. Send it again.")
        replace(self._part, self._path)
        flush_folder(self._path.parent)

    def abandon(self) -> None:
        """Delete an incomplete file."""
        self._file.close()
        self._part.unlink(missing_ok=True)


def _parsed(folder: VisitorFolder, manifest: str) -> Manifest:
    private_folder(folder.root)
    file = folder.root / f"{folder.account_id}.offered"
    write_private(file, manifest.encode())
    try:
        found = read_manifest(file)
    finally:
        file.unlink(missing_ok=True)
    if found is None:
        raise CommandProblem("The manifest is missing. Send it again.")
    return found


def _arrival(account_id: UUID, export_id: UUID, state: ArrivalState, *, done: float = 0.0) -> Arrival:
    done = 1.0 if state is ArrivalState.ARRIVED else done
    return Arrival(
        account_id=account_id, export_id=export_id, state=state, problem=None, done=done, missing=[]
    )


def _share(manifest: Manifest, transfer: Transfer | None) -> float:
    """Return the share of rows that have been imported."""
    if transfer is None or transfer.part < 0:
        return 0.0
    counts = [manifest.tables[part.name].rows for part in PARTS]
    return (sum(counts[: transfer.part]) + transfer.line) / max(1, sum(counts))


def _missing(folder: ExportFolder, manifest: Manifest) -> Iterator[str]:
    """Yield the names of files that haven't arrived, rows first: they name the media files."""
    for part in PARTS:
        if not folder.rows(part).exists():
            yield folder.rows(part).name
    if manifest.secrets is not None and not folder.secrets.exists():
        yield _SECRETS
    if not folder.rows(MEDIA).exists():
        return
    left_out, seen = set(manifest.left_out), set()
    for number, line in enumerate(read_lines(folder.rows(MEDIA)), 1):
        row = decode(MEDIA, line, number)
        digest = row["sha256"]
        if row["storage_path"] not in left_out and digest not in seen and not folder.media(digest).exists():
            seen.add(digest)
            yield digest


class _Expected(NamedTuple):
    """A file that may arrive.

    Attributes:
        path: Where it's stored.
        sha256: Its checksum in hexadecimal.
        bytes_max: Its maximum size.
        room: Maximum size of all files of its kind, which are either rows or media.
    """

    path: Path
    sha256: str
    bytes_max: int
    room: int

    @property
    def is_rows(self) -> bool:
        return self.path.suffix == _ROWS_SUFFIX


def _expected(folder: ExportFolder, manifest: Manifest, name: str, rooms: Rooms) -> _Expected:
    """Return what is known of a file. Raises CommandProblem for one that no export has."""
    cap = storage_cap(rooms.plan, rooms.cap)
    rows_room = max(cap, _ROWS_ROOM_MIN)
    for part in PARTS:
        if folder.rows(part).name == name:
            written = manifest.tables[part.name]
            return _Expected(folder.rows(part), written.sha256, part.bytes_max, rows_room)
    if name == _SECRETS and manifest.secrets is not None:
        return _Expected(folder.secrets, manifest.secrets.sha256, _SECRETS_BYTES_MAX, rows_room)
    if not _DIGEST.fullmatch(name):
        raise CommandProblem("The export has no such file.")
    return _Expected(folder.media(name), name, FILE_BYTES_MAX[rooms.plan], cap)


def _bytes_of_others(folder: ExportFolder, file: _Expected) -> int:
    """Return the size of all other files of this kind, with those that are arriving, in whole blocks.

    Otherwise there could be as many files as bytes.
    """
    found = folder.root.glob(f"*{_ROWS_SUFFIX}*" if file.is_rows else "media/*/*")
    own = {file.path, _part_of(file.path)}
    return sum(
        max(other.stat().st_size, _BLOCK_BYTES) for other in found if other not in own and other.is_file()
    )


def _part_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")
