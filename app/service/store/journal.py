"""A journal of publishing calls, kept outside the database.

People copy and restore the database, so it can't know that it is old. The journal does: each call to a
platform is recorded there after its attempt was committed and before it begins. If the database lacks a
journaled attempt, it is older than what this computer has done.

There are two files. The one in the data folder moves with the folder. The one in the user's state folder
remains if the whole folder is replaced by a copy.
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

from app.disk import flush_folder, private_folder, replace

_log = structlog.get_logger(__name__)

_ROTATE_BYTES: Final = 4 * 1024 * 1024
_FORGET_AFTER: Final = timedelta(days=90)
_FIELDS: Final = 3


@dataclass(frozen=True, slots=True)
class Sent:
    """A publishing call, recorded just before it began."""

    attempt_id: UUID
    post_id: UUID
    at: datetime

    @property
    def line(self) -> str:
        millis = int(self.at.timestamp() * 1000)
        return f"{millis} {self.attempt_id.hex} {self.post_id.hex}\n"


@dataclass(frozen=True, slots=True)
class Journaled:
    """The calls in each file of a journal, oldest first.

    One file may lack calls that the other has, if it was replaced by an older copy.
    """

    files: Sequence[Sequence[Sent]]

    def all(self) -> list[Sent]:
        """Return every call once."""
        return list({sent.attempt_id: sent for file in self.files for sent in file}.values())

    def latest(self, count: int) -> list[Sent]:
        """Return the last calls of each file; the last ones of `all` could be old calls of only one file."""
        return Journaled([file[-count:] for file in self.files]).all()


class SendJournal:
    """The publishing calls made by this computer for one installation.

    Several processes may write concurrently: each line is one append. Only the order within one process is
    kept.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        self._waiting: list[Sent] = []
        self._turn = asyncio.Lock()
        # A separate thread, so that no other work delays a post.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")

    async def note(self, sent: Sent) -> None:
        """Return once the call is in the journal. Calls waiting at the same time share a write.

        Write errors don't stop publishing, because the database already has the attempt.
        """
        self._waiting.append(sent)
        async with self._turn:
            if sent not in self._waiting:
                return  # another call wrote it
            group, self._waiting = self._waiting, []
            try:
                await asyncio.get_running_loop().run_in_executor(self._thread, self.write, group)
            except asyncio.CancelledError:
                self._waiting = [*group, *self._waiting]  # they may have been written or not
                raise

    def write(self, group: Sequence[Sent]) -> None:
        """Append and flush. Blocking."""
        # After a crash the file may end with a partial line, which this mustn't extend.
        lines = ("\n" + "".join(sent.line for sent in group)).encode("ascii")
        for file in self._files:
            try:
                _append(file, lines)
            except OSError as error:
                _log.warning("the journal of publishing calls was not written", reason=error.strerror)

    def read(self, now: datetime) -> "Journaled":
        """Return the calls of the last 90 days. Blocking. Raises OSError."""
        oldest = now - _FORGET_AFTER
        return Journaled(
            [
                [sent for part in (_former(file), file) for sent in _read(part) if sent.at >= oldest]
                for file in self._files
            ]
        )

    def rotate(self) -> None:
        """Start new files in place of large ones, keeping one previous file each. Blocking.

        A process with an open file keeps writing to it under its new name, so no line is lost.
        """
        for file in self._files:
            with suppress(OSError):
                if file.stat().st_size > _ROTATE_BYTES:
                    replace(file, _former(file))


def open_journal(folder: Path) -> SendJournal:
    """Return the journal of the installation in this data folder."""
    return SendJournal([folder / "sent.log", outside(folder)])


def outside(folder: Path) -> Path:
    """Return the path of the journal file outside the data folder."""
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
    """Parse the file, skipping partial lines left by a crash."""
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
