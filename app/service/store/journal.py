"""A journal of publishing calls, kept outside the database.

The database is what people copy and put back, so it cannot tell that it is old. The journal can: each call to
a platform is in it before it begins, and after its attempt was committed. A journaled attempt that the
database doesn't have means that the database is older than what this computer has done with it.

It is written twice. The file in the data folder moves with the folder. The one in the user's state folder is
still there when the whole folder is replaced by a copy.
"""

import asyncio
import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

import platformdirs
import structlog

from app.disk import flush_folder, replace
from app.disk.private_files import private_folder

_log = structlog.get_logger(__name__)

_ROTATE_BYTES: Final = 4 * 1024 * 1024
_FORGET_AFTER: Final = timedelta(days=90)
_FIELDS: Final = 3


@dataclass(frozen=True, slots=True)
class Sent:
    """A publishing call that was about to begin."""

    attempt_id: UUID
    post_id: UUID
    at: datetime

    @property
    def line(self) -> str:
        millis = int(self.at.timestamp() * 1000)
        return f"{millis} {self.attempt_id.hex} {self.post_id.hex}\n"


@dataclass(frozen=True, slots=True)
class Journaled:
    """What each file of a journal holds, in the order it was written.

    One file may lack calls that the other has: one of them was replaced by an older copy.
    """

    files: Sequence[Sequence[Sent]]

    def all(self) -> list[Sent]:
        """Every call once."""
        return list({sent.attempt_id: sent for file in self.files for sent in file}.values())

    def latest(self, count: int) -> list[Sent]:
        """The last calls of each file; the end of `all` would be old ones that only one file has."""
        return Journaled([file[-count:] for file in self.files]).all()


class SendJournal:
    """The calls that this computer began for one installation.

    Several processes may write at once: each line is one append. Only the order within one process is kept.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        self._waiting: list[Sent] = []
        self._turn = asyncio.Lock()
        # Its own, so that no other work in threads delays a post.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")

    async def note(self, sent: Sent) -> None:
        """Returns when the call is in the journal; calls that wait at the same time share a write.

        A disk that refuses doesn't stop publishing: the database has the attempt already.
        """
        self._waiting.append(sent)
        async with self._turn:
            if sent not in self._waiting:
                return  # it was written with others
            group, self._waiting = self._waiting, []
            try:
                await asyncio.get_running_loop().run_in_executor(self._thread, self.write, group)
            except asyncio.CancelledError:
                self._waiting = [*group, *self._waiting]  # those who wait don't know how far it came
                raise

    def write(self, group: Sequence[Sent]) -> None:
        """Appends and flushes. Blocking."""
        # A crash may have left half a line at the end: this must not become part of it.
        lines = ("\n" + "".join(sent.line for sent in group)).encode("ascii")
        for file in self._files:
            try:
                _append(file, lines)
            except OSError as error:
                _log.warning("the journal of publishing calls was not written", reason=error.strerror)

    def read(self, now: datetime) -> "Journaled":
        """The calls of the last 90 days. Blocking. Raises OSError."""
        oldest = now - _FORGET_AFTER
        return Journaled(
            [
                [sent for part in (_former(file), file) for sent in _read(part) if sent.at >= oldest]
                for file in self._files
            ]
        )

    def rotate(self) -> None:
        """Starts another file where one has grown large; the former one is kept. Blocking.

        A process that has the file open still writes to it under its new name, so no line is lost.
        """
        for file in self._files:
            with suppress(OSError):
                if file.stat().st_size > _ROTATE_BYTES:
                    replace(file, _former(file))


def open_journal(folder: Path) -> SendJournal:
    """The journal of the installation that has this data folder."""
    return SendJournal([folder / "sent.log", outside(folder)])


def outside(folder: Path) -> Path:
    """The copy of the journal that isn't in the data folder."""
    name = hashlib.sha256(os.path.realpath(folder).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return platformdirs.user_state_path("kalends", appauthor=False) / "sent" / f"{name}.log"


def _former(file: Path) -> Path:
    return file.with_name(f"{file.name}.1")


def _append(file: Path, lines: bytes) -> None:
    is_new = not file.exists()
    if is_new:
        private_folder(file.parent)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        while lines:
            lines = lines[os.write(descriptor, lines) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if is_new:
        flush_folder(file.parent)


def _read(file: Path) -> list[Sent]:
    """What can be read; a crash may have left half a line."""
    try:
        lines = file.read_bytes().decode("ascii", "replace").splitlines()
    except FileNotFoundError:
        return []
    found = []
    for line in lines:
        words = line.split()
        if len(words) == _FIELDS:
            with suppress(ValueError, OverflowError, OSError):
                at = datetime.fromtimestamp(int(words[0]) / 1000, UTC)
                found.append(Sent(UUID(words[1]), UUID(words[2]), at))
    return found
