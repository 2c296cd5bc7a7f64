"""Account pictures: downloaded from the URLs the service returns, scaled down, and cached."""

import asyncio
import hashlib
import io
import logging
import os
import tempfile
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from app.client import ClientError, ServiceClient
from app.contract.enums import PostType
from app.contract.media_kinds import HEAD_BYTES, sniffed
from app.disk import replace
from app.workspace.accounts.account import Account
from app.workspace.media.thumbnails import Thumbnails

EDGE: Final = 132
"""Edge length in pixels: enough for an avatar of 44 at 300 %."""
_FETCHED_MAX: Final = 1024 * 1024
_PATIENCE_S: Final = 30.0
_AGAIN_S: Final = 600.0
"""Delay before a failed download is retried, in s."""
_KEPT_MAX: Final = 200
_PARALLEL: Final = 2
_LOCAL_NAMES: Final = ("localhost", "local", "internal", "home.arpa")

_log = logging.getLogger(__name__)


class AccountPictures:
    """For the event loop's thread; disk and decoder run in other threads, two accounts at a time.

    A missing picture isn't reported: the account's initials stay. A new address means a new picture, which
    replaces the previous one.
    """

    def __init__(self, folder: Path, client: ServiceClient, thumbnails: Thumbnails | None = None) -> None:
        """``thumbnails`` decodes what was fetched."""
        self._folder = folder
        self._thumbnails = thumbnails or Thumbnails()
        self._client = client
        self._turn = asyncio.Semaphore(_PARALLEL)
        self._making: dict[str, asyncio.Task[bytes | None]] = {}
        self._failed: dict[str, float] = {}

    async def of(self, account: Account) -> bytes | None:
        """Return a JPEG of at most ``EDGE`` pixels per side; None if none is available now."""
        url = account.avatar_url
        if not url or not self._may_fetch(url):
            return None
        name = _name(account.key, url)
        now = asyncio.get_running_loop().time()
        if now - self._failed.get(name, -_AGAIN_S) < _AGAIN_S:
            return None
        if name not in self._making:
            task = asyncio.get_running_loop().create_task(self._get(account.key, url, name))
            self._making[name] = task
            task.add_done_callback(lambda _task: self._making.pop(name, None))
        return await asyncio.shield(self._making[name])

    async def close(self) -> None:
        """Cancel all downloads."""
        running = list(self._making.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self._thumbnails.close()

    def _may_fetch(self, url: str) -> bool:
        """Whether a picture may be downloaded from a URL: https, and not in a private network.

        The service's own host is always allowed.
        """
        try:
            parts, own = urlsplit(url), urlsplit(self._client.base_url)
            host = (parts.hostname or "").rstrip(".")
            if parts.scheme != "https" or parts.username is not None or not host:
                return False
            return (host, parts.port) == (own.hostname, own.port) or not _is_local(host)
        except ValueError:
            return False

    async def _get(self, key: str, url: str, name: str) -> bytes | None:
        async with self._turn:
            try:
                place = self._folder / f"{name}.jpg"
                if kept := await asyncio.to_thread(_read, place):
                    return kept
                made = await self._fetch(url)
                if made is not None:
                    await asyncio.to_thread(_write, place, made, key)
                    return made
            except (ClientError, TimeoutError):
                _log.debug("the picture of an account could not be fetched")
            except OSError as error:
                _log.warning("the picture of an account could not be kept: %s", error.strerror)
            self._failed[name] = asyncio.get_running_loop().time()
            return None

    async def _fetch(self, url: str) -> bytes | None:
        content = io.BytesIO()
        async with asyncio.timeout(_PATIENCE_S):
            await self._client.picture(url, content, _FETCHED_MAX)
        return await self._small(content.getvalue())

    async def _small(self, content: bytes) -> bytes | None:
        """Decode it if its first bytes are those of a picture, whatever its Content-Type."""
        kind = sniffed(content[:HEAD_BYTES])
        if kind is None or kind.post_type is not PostType.IMAGE:
            return None
        file = await asyncio.to_thread(_put_aside, content)
        try:
            return await self._thumbnails.make(file, PostType.IMAGE, EDGE)
        finally:
            await asyncio.to_thread(file.unlink, missing_ok=True)


def _is_local(host: str) -> bool:
    try:
        return not ip_address(host).is_global
    except ValueError:
        return "." not in host or any(f".{host}".endswith(f".{name}") for name in _LOCAL_NAMES)


def _name(key: str, url: str) -> str:
    """The file name of a picture, made of its account and its URL."""
    return f"{_of_account(key)}-{hashlib.sha256(url.encode()).hexdigest()[:32]}"


def _of_account(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:32]


def _put_aside(content: bytes) -> Path:
    """Write a file that only this user can read."""
    handle, name = tempfile.mkstemp(prefix="kalends-")
    with os.fdopen(handle, "wb") as written:
        written.write(content)
    return Path(name)


def _read(place: Path) -> bytes | None:
    try:
        content = place.read_bytes()
        os.utime(place)  # it is in use: those that are not go first
    except FileNotFoundError:
        return None
    return content


def _write(place: Path, content: bytes, key: str) -> None:
    """Write the file atomically; delete the account's previous picture, and the oldest of too many."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as written:
        written.write(content)
    replace(Path(written.name), place)
    for former in place.parent.glob(f"{_of_account(key)}-*.jpg"):
        if former != place:
            former.unlink(missing_ok=True)
    kept = sorted(place.parent.glob("*.jpg"), key=lambda one: one.stat().st_mtime_ns, reverse=True)
    for old in kept[_KEPT_MAX:]:
        old.unlink(missing_ok=True)
