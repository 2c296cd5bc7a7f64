"""The API keys of homes, in the system's keyring, or in files that only their owner can read."""

import re
from pathlib import Path
from uuid import UUID

from app.contract.limits import API_KEY_HEX_DIGITS, API_KEY_PREFIX
from app.language import tr
from app.workspace import system_words
from app.workspace.homes.secret_store import SecretStore
from app.workspace.messages import Problem

_KEY = re.compile(rf"{API_KEY_PREFIX}[0-9a-f]{{{API_KEY_HEX_DIGITS}}}")


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
                    reason=system_words.why(error),
                ),
                details=str(error),
            ) from error
        if file is None:
            return tr("this computer's keyring")
        return tr("a file only you can read, {file}", file=file)

    async def find(self, home: UUID) -> str | None:
        """Return a stored key, or None."""
        return await self.secrets.find(str(home))

    async def forget(self, home: UUID) -> None:
        """Delete a key from wherever it's stored."""
        await self.secrets.forget(str(home))


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
