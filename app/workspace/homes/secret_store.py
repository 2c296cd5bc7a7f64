"""Where secrets are kept: the system's keyring, or a file that only its owner can read."""

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
_PATIENCE_S = 4.0  # a locked keyring on a screen that nobody sees would ask for ever


class SecretStore:
    """Keeps one secret under each name; a name can stand in a file's."""

    def __init__(self, data: Path) -> None:
        self.folder = data / "keys"

    async def keep(self, name: str, secret: str) -> Path | None:
        """Stores a secret; gives its file, None where the keyring has it. Raises OSError."""
        if await _with_keyring(lambda keyring: _store(keyring, name, secret)):
            await asyncio.to_thread(self.file(name).unlink, missing_ok=True)
            return None
        await asyncio.to_thread(self._write, name, secret)
        return self.file(name)

    async def find(self, name: str) -> str | None:
        """Returns a stored secret, or None."""
        from_file = await asyncio.to_thread(self._read, name)
        return from_file or await _with_keyring(lambda keyring: keyring.get_password(_SERVICE, name))

    async def forget(self, name: str) -> None:
        """Removes a secret from wherever it is kept."""
        await asyncio.to_thread(self.file(name).unlink, missing_ok=True)
        await _with_keyring(lambda keyring: keyring.delete_password(_SERVICE, name))

    def file(self, name: str) -> Path:
        """Where a secret is that the keyring does not take."""
        return self.folder / f"{name}.key"

    def _write(self, name: str, secret: str) -> None:
        """A full disk never costs the secret that was there."""
        private_folder(self.folder)
        write_private(self.file(name), secret.encode())

    def _read(self, name: str) -> str | None:
        try:
            return self.file(name).read_text(encoding="utf-8").rstrip("\r\n") or None
        except FileNotFoundError:
            return None


def _store(keyring: Any, name: str, secret: str) -> bool:
    """Stores a secret and reads it back, since some backends accept everything and keep nothing."""
    keyring.set_password(_SERVICE, name, secret)
    return bool(keyring.get_password(_SERVICE, name) == secret)


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
