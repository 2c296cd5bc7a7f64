"""Secrets, such as API keys: in the system's keyring, or in files that only their owner can read."""

import asyncio
import re
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

from app.contract.limits import API_KEY_HEX_DIGITS, API_KEY_PREFIX
from app.disk import private_folder, write_private
from app.language import tr
from app.workspace import foreign_texts
from app.workspace.messages import Problem

T = TypeVar("T")

_SERVICE = "Kalends"
_PATIENCE_S = 4.0  # a locked keyring could prompt forever on a screen nobody sees
_KEY = re.compile(rf"{API_KEY_PREFIX}[0-9a-f]{{{API_KEY_HEX_DIGITS}}}")


class SecretStore:
    """Stores one secret per name. A name must be valid in a file name."""

    def __init__(self, data: Path) -> None:
        self.folder = data / "keys"

    async def keep(self, name: str, secret: str) -> Path | None:
        """Store a secret; return its file, or None if it's in the keyring. Raises OSError."""
        # The file takes precedence: if the app ended before the file is deleted, it would still have the old
        # secret. A full disk doesn't matter here, because the keyring may take the new one.
        if await asyncio.to_thread(self.file(name).exists):
            with suppress(OSError):
                await asyncio.to_thread(self._write, name, secret)
        if await _with_keyring(lambda keyring: _store(keyring, name, secret)):
            await asyncio.to_thread(self.file(name).unlink, missing_ok=True)
            return None
        await asyncio.to_thread(self._write, name, secret)
        return self.file(name)

    async def find(self, name: str) -> str | None:
        """Return a stored secret, or None. Raises Problem if its file can't be read."""
        from_file = await asyncio.to_thread(self._read, name)
        return from_file or await _with_keyring(lambda keyring: keyring.get_password(_SERVICE, name))

    async def forget(self, name: str) -> bool:
        """Delete a secret from wherever it's stored; return False if the keyring may still have it."""
        was_in_file = await asyncio.to_thread(self._unlink, name)
        is_gone = await _with_keyring(lambda keyring: _erase(keyring, name))
        return was_in_file or bool(is_gone)

    def _unlink(self, name: str) -> bool:
        try:
            self.file(name).unlink()
        except FileNotFoundError:
            return False
        return True

    def file(self, name: str) -> Path:
        """Return the file for a secret that the keyring doesn't accept."""
        return self.folder / f"{name}.key"

    def _write(self, name: str, secret: str) -> None:
        """Write atomically, so that a full disk never destroys the previous secret."""
        private_folder(self.folder)
        write_private(self.file(name), secret.encode())

    def _read(self, name: str) -> str | None:
        file = self.file(name)
        try:
            return file.read_text(encoding="utf-8").rstrip("\r\n") or None
        except (FileNotFoundError, UnicodeDecodeError):  # a damaged file contains no secret
            return None
        except OSError:
            text = tr("The file {file} can't be read. Check its permissions, then try again.", file=file)
            raise Problem(text) from None


def _store(keyring: Any, name: str, secret: str) -> bool:
    """Store a secret and read it back, because some backends accept everything and store nothing."""
    keyring.set_password(_SERVICE, name, secret)
    return bool(keyring.get_password(_SERVICE, name) == secret)


def _erase(keyring: Any, name: str) -> bool:
    """Delete a secret; return whether the keyring has none now. A locked one may raise an error."""
    try:
        if keyring.get_password(_SERVICE, name) is not None:
            keyring.delete_password(_SERVICE, name)
        return keyring.get_password(_SERVICE, name) is None
    except keyring.errors.NoKeyringError:
        return True


async def _with_keyring(use: Callable[..., T]) -> T | None:
    """Run ``use(keyring)`` in a new thread; None without a keyring, or if it doesn't respond."""
    future: Future[T | None] = Future()

    def call() -> None:
        try:
            import keyring
            import keyring.errors

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


class Credentials:
    """Stores one API key per home."""

    def __init__(self, data: Path) -> None:
        self.secrets = SecretStore(data)

    async def keep(self, home: UUID, key: str) -> str:
        """Store a key; return where, in words. Raises Problem if it can be stored nowhere."""
        try:
            file = await self.secrets.keep(str(home), key)
        except OSError as error:
            raise Problem(
                tr(
                    "Couldn't save the API key in {folder}: {reason}. Free up space or choose "
                    "another folder, then try again.",
                    folder=self.secrets.folder,
                    reason=foreign_texts.why(error),
                ),
                details=str(error),
            ) from error
        if file is None:
            return tr("this computer's keyring")
        return tr("a file only you can read, {file}", file=file)

    async def find(self, home: UUID) -> str | None:
        """Return a stored key, or None."""
        return await self.secrets.find(str(home))

    async def forget(self, home: UUID) -> bool:
        """Delete a key from wherever it's stored; return False if the keyring may still have it."""
        return await self.secrets.forget(str(home))


def read_key_file(path: Path) -> str:
    """Read an API key from a file of the user. Blocking; raises Problem."""
    try:
        key = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(
            tr("Couldn't read the key file {path}. Check the path.", path=path), details=str(error)
        ) from error
    if not _KEY.fullmatch(key):
        raise Problem(
            tr(
                "No API key found in {path}. A key is {prefix} followed by 64 hexadecimal digits.",
                path=path,
                prefix=API_KEY_PREFIX,
            )
        )
    return key
