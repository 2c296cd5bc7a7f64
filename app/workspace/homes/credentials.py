"""Where API keys are kept: the system's keyring, or a file that only its owner can read."""

import asyncio
import os
import re
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

from app.contract.limits import API_KEY_HEX_DIGITS, API_KEY_PREFIX
from app.language import tr
from app.workspace import system_words
from app.workspace.messages import Problem

T = TypeVar("T")

_SERVICE = "Kalends"
_KEY = re.compile(rf"{API_KEY_PREFIX}[0-9a-f]{{{API_KEY_HEX_DIGITS}}}")
_PATIENCE_S = 4.0  # a locked keyring on a screen that nobody sees would ask for ever


class Credentials:
    """Keeps one API key for each home."""

    def __init__(self, data: Path) -> None:
        self._folder = data / "keys"

    async def keep(self, home: UUID, key: str) -> str:
        """Stores a key; tells where, in words. Raises Problem when neither place takes it."""
        if await _with_keyring(lambda keyring: _store(keyring, home, key)):
            await asyncio.to_thread(self._file(home).unlink, missing_ok=True)
            return tr("this computer's keyring")
        await asyncio.to_thread(self._write, home, key)
        return tr("a file that only you can read, {file}", file=self._file(home))

    async def find(self, home: UUID) -> str | None:
        """Returns a stored key, or None."""
        from_file = await asyncio.to_thread(self._read, home)
        return from_file or await _with_keyring(lambda keyring: keyring.get_password(_SERVICE, str(home)))

    async def forget(self, home: UUID) -> None:
        """Removes a key from wherever it is kept."""
        await asyncio.to_thread(self._file(home).unlink, missing_ok=True)
        await _with_keyring(lambda keyring: keyring.delete_password(_SERVICE, str(home)))

    def _file(self, home: UUID) -> Path:
        return self._folder / f"{home}.key"

    def _write(self, home: UUID, key: str) -> None:
        """Writes beside and renames, so that a full disk never costs the key that was there."""
        part = self._file(home).with_suffix(".part")
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(key)
                file.flush()
                os.fsync(file.fileno())
            part.replace(self._file(home))
        except OSError as error:
            raise Problem(
                tr(
                    "The API key could not be kept in {folder}: {reason}. Free some space or choose "
                    "another folder, then try again.",
                    folder=self._folder,
                    reason=system_words.why(error),
                ),
                details=str(error),
            ) from error

    def _read(self, home: UUID) -> str | None:
        try:
            return self._file(home).read_text(encoding="ascii").strip() or None
        except FileNotFoundError:
            return None


def read_key_file(path: Path) -> str:
    """Reads an API key from a file that a person made. Blocking; raises Problem."""
    try:
        key = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(
            tr("The key file {path} cannot be read. Check the path.", path=path), details=str(error)
        ) from error
    if not _KEY.fullmatch(key):
        raise Problem(
            tr(
                "There is no API key in {path}. A key is {prefix} and 64 hexadecimal digits.",
                path=path,
                prefix=API_KEY_PREFIX,
            )
        )
    return key


def _store(keyring: Any, home: UUID, key: str) -> bool:
    """Stores a key and reads it back, since some backends accept everything and keep nothing."""
    keyring.set_password(_SERVICE, str(home), key)
    return bool(keyring.get_password(_SERVICE, str(home)) == key)


async def _with_keyring(use: Callable[..., T]) -> T | None:
    """Runs ``use(keyring)`` in a thread of its own; None when there is no keyring or it does not answer."""
    future: Future[T | None] = Future()

    def call() -> None:
        try:
            import keyring

            found = use(keyring)
        except Exception:  # noqa: BLE001  any backend may fail in its own way; the file is there for that
            found = None
        with suppress(InvalidStateError):  # nobody waits any more
            future.set_result(found)

    # A daemon: a keyring that waits for a person must not keep the program from ending.
    threading.Thread(target=call, name="keyring", daemon=True).start()
    try:
        return await asyncio.wait_for(asyncio.wrap_future(future), _PATIENCE_S)
    except TimeoutError:
        return None
