"""Stores secrets in the system's keyring, or in files that only their owner can read."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from app.disk.private_files import private_folder, write_private

T = TypeVar("T")

_SERVICE = "Kalends"
_PATIENCE_S = 4.0  # a locked keyring could prompt forever on a screen nobody sees


class SecretStore:
    """Stores one secret per name. A name must be valid in a file name."""

    def __init__(self, data: Path) -> None:
        self.folder = data / "keys"

    async def keep(self, name: str, secret: str) -> Path | None:
        """Store a secret; return its file, or None if it's in the keyring. Raises OSError."""
        if await _with_keyring(lambda keyring: _store(keyring, name, secret)):
            await asyncio.to_thread(self.file(name).unlink, missing_ok=True)
            return None
        await asyncio.to_thread(self._write, name, secret)
        return self.file(name)

    async def find(self, name: str) -> str | None:
        """Return a stored secret, or None."""
        from_file = await asyncio.to_thread(self._read, name)
        return from_file or await _with_keyring(lambda keyring: keyring.get_password(_SERVICE, name))

    async def forget(self, name: str) -> None:
        """Delete a secret from wherever it's stored."""
        await asyncio.to_thread(self.file(name).unlink, missing_ok=True)
        await _with_keyring(lambda keyring: keyring.delete_password(_SERVICE, name))

    def file(self, name: str) -> Path:
        """Return the file for a secret that the keyring doesn't accept."""
        return self.folder / f"{name}.key"

    def _write(self, name: str, secret: str) -> None:
        """Write atomically, so that a full disk never destroys the previous secret."""
        private_folder(self.folder)
        write_private(self.file(name), secret.encode())

    def _read(self, name: str) -> str | None:
        try:
            return self.file(name).read_text(encoding="utf-8").rstrip("\r\n") or None
        except FileNotFoundError:
            return None


def _store(keyring: Any, name: str, secret: str) -> bool:
    """Store a secret and read it back, because some backends accept everything and store nothing."""
    keyring.set_password(_SERVICE, name, secret)
    return bool(keyring.get_password(_SERVICE, name) == secret)


async def _with_keyring(use: Callable[..., T]) -> T | None:
    """Run ``use(keyring)`` in a new thread; None without a keyring, or if it doesn't respond."""
    future: Future[T | None] = Future()

    def call() -> None:
        try:
            import keyring

            found = use(keyring)
        except Exception:  # noqa: BLE001  any backend may fail in its own way; the file is there for that
            found = None
        with suppress(InvalidStateError):  # the caller no longer waits
            future.set_result(found)

    # A daemon, because a keyring that waits for the user must not keep the program from ending.
    threading.Thread(target=call, name="keyring", daemon=True).start()
    try:
        return await asyncio.wait_for(asyncio.wrap_future(future), _PATIENCE_S)
    except TimeoutError:
        return None
