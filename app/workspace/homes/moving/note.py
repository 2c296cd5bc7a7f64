"""The note of a move that isn't complete, which the next start continues with, and its secrets."""

import asyncio
import secrets
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, ValidationError

from app.disk import private_folder, write_private
from app.language import tr
from app.workspace.homes.credentials import SecretStore
from app.workspace.homes.registry import Home, Homes
from app.workspace.messages import Problem
from app.workspace.threads import completed, in_thread

_NOTE: Final = "moving.json"
_PASSPHRASE_BYTES: Final = 32


class Direction(StrEnum):
    """Where a calendar moves."""

    THERE = "there"
    BACK = "back"


class MoveNote(BaseModel):
    """What is known of a move in progress. Secrets are stored elsewhere.

    Attributes:
        direction: To a server, or back to this computer.
        base_url: Address of the server.
        pinned_certificate: The server's certificate, if the user trusts only this one.
        account_id: The account that moves, once it's known.
        is_importing: Whether the other service may have begun to import the calendar.
        is_imported: Whether the calendar is back on this computer.
        is_cancelled: Whether the user has cancelled the move, and not continued it since.
    """

    model_config = ConfigDict(frozen=True)

    direction: Direction
    base_url: str
    pinned_certificate: str | None = None
    account_id: UUID | None = None
    is_importing: bool = False
    is_imported: bool = False
    is_cancelled: bool = False


def pending_move(homes: Homes, home: Home) -> MoveNote | None:
    """Return the move of a home that isn't complete; None without one. Blocking."""
    return _read(homes.folder(home))


class NoteStore:
    """Stores the note of one home's move, the passphrase of its export, and the key of the server."""

    def __init__(self, folder: Path, secret_store: SecretStore, home: Home) -> None:
        self._folder, self._secrets = folder, secret_store
        self._secret = f"{home.id}-moving"

    async def begin(self, note: MoveNote, key: str) -> None:
        """Store a new note. Raises Problem if there is one, and OSError.

        Leaves nothing if it fails or is cancelled.
        """
        if await self.find() is not None:
            raise Problem(tr("This calendar is being moved already. Continue or cancel that first."))
        try:
            await completed(self._keep(note, key))
        except (asyncio.CancelledError, OSError):
            await completed(self._take_back())
            raise

    async def find(self) -> MoveNote | None:
        return await asyncio.to_thread(_read, self._folder)

    async def read(self) -> MoveNote:
        """Return the note. Raises Problem without one."""
        note = await self.find()
        if note is None:
            raise Problem(tr("This calendar isn't being moved."))
        return note

    async def update(self, note: MoveNote, **changes: Any) -> MoveNote:
        """Return the note with changes, which are stored. Raises OSError."""
        changed = note.model_copy(update=changes)
        if changed != note:
            await in_thread(self._write, changed)
        return changed

    async def words(self) -> tuple[str, str]:
        """Return the passphrase of the export, and the key of the server to move to. Raises Problem."""
        kept = await self._secrets.find(self._secret)
        if kept is None:
            raise Problem(tr("The secrets of this move are missing from this computer. Cancel the move."))
        words, _, key = kept.partition(" ")
        return words, key

    async def forget(self) -> None:
        """Delete the note and the secrets. Raises OSError."""
        await asyncio.to_thread((self._folder / _NOTE).unlink, missing_ok=True)
        await self.forget_secrets()

    async def forget_secrets(self) -> None:
        await self._secrets.forget(self._secret)

    async def _keep(self, note: MoveNote, key: str) -> None:
        words = secrets.token_urlsafe(_PASSPHRASE_BYTES)
        await self._secrets.keep(self._secret, f"{words} {key}".strip())
        await asyncio.to_thread(self._write, note)

    async def _take_back(self) -> None:
        with suppress(OSError):  # there is none if the disk couldn't be used
            await asyncio.to_thread((self._folder / _NOTE).unlink, missing_ok=True)
        with suppress(OSError):
            await self.forget_secrets()

    def _write(self, note: MoveNote) -> None:
        private_folder(self._folder)
        write_private(self._folder / _NOTE, note.model_dump_json(indent=2).encode())


def _read(folder: Path) -> MoveNote | None:
    try:
        return MoveNote.model_validate_json((folder / _NOTE).read_bytes())
    except (OSError, ValidationError):
        return None
