"""A record of the accounts that were handed over, kept outside the database.

A restored copy of the database may date from before a handover. It would publish what another service
publishes by now. Like the journal of calls, the record is in two files, in the data folder and outside.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from uuid import UUID

from app.disk import flush_folder, private_folder
from app.service.store.journal import outside


def note_departure(root: Path, account_id: UUID, move: int) -> None:
    """Record that an account was handed over for the ``move``-th time. Blocking. Raises OSError."""
    line = f"\n{account_id.hex} {move}\n".encode("ascii")
    for file in _files(root):
        private_folder(file.parent)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, line)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        flush_folder(file.parent)


def departures(root: Path) -> dict[UUID, int]:
    """Return the number of the last handover of each account. Blocking. Raises OSError."""
    found: dict[UUID, int] = {}
    for file in _files(root):
        with suppress(FileNotFoundError):
            for line in file.read_bytes().decode("ascii", "replace").splitlines():
                with suppress(ValueError):  # an empty line, or one that a crash left unfinished
                    account, move = line.split()
                    found[UUID(account)] = max(int(move), found.get(UUID(account), 0))
    return found


def _files(root: Path) -> Sequence[Path]:
    return (root / "moved", outside(root).with_suffix(".moved"))
