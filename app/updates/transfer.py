"""Downloading the feed and installers: https only, limited in size and time."""

import asyncio
import hashlib
import shutil
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, Self
from urllib.parse import urljoin, urlsplit

import aiohttp

from app.network import Way
from app.network.connector import ProxiedConnector
from app.updates.feed import FEED_MAX, Installer, Reason, Refused

_REDIRECTS: Final = (301, 302, 303, 307, 308)
_HOPS_MAX: Final = 5
_OK: Final = 200
_PIECE: Final = 1024 * 1024
_SPARE: Final = 200 * 1024 * 1024
"""Disk space that a download leaves free, in bytes."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How slow a server may be.

    Attributes:
        answer_s: Timeout for the whole feed, or until an installer begins, in s.
        pause_s: Longest pause between two chunks, in s.
        grace_s: Time before ``pace`` applies, in s.
        pace: Minimum average rate, in bytes per second.
    """

    answer_s: float = 30
    pause_s: float = 30
    grace_s: float = 60
    pace: int = 8 * 1024


class Transfer:
    """A download session, used as an async context manager."""

    def __init__(self, way: Way, trust: ssl.SSLContext, patience: Patience) -> None:
        self._patience = patience
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=patience.answer_s)
        self._session = aiohttp.ClientSession(
            connector=ProxiedConnector(way, ssl=trust),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"Accept-Encoding": "identity"},
            auto_decompress=False,
            timeout=timeout,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._session.close()

    async def feed(self, url: str) -> bytes:
        """Return the feed's bytes, not yet verified. Raises Refused."""
        try:
            async with asyncio.timeout(self._patience.answer_s), self._answer(url) as answer:
                body = bytearray()
                async for piece in answer.content.iter_any():
                    body += piece
                    if len(body) > FEED_MAX:
                        raise Refused(Reason.SIZE, "feed")
                return bytes(body)
        except TimeoutError as error:
            raise Refused(Reason.SLOW, "feed") from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise Refused(Reason.UNREACHABLE, type(error).__name__) from error

    async def installer(self, wanted: Installer, to: Path) -> None:
        """Download to ``to``, which appears only with the right size and SHA-256. Raises Refused, OSError."""
        free = await asyncio.to_thread(lambda: shutil.disk_usage(to.parent).free)
        if free < wanted.size + _SPARE:
            raise Refused(Reason.NO_ROOM)
        part = to.with_name(f"{to.name}.part")
        try:
            with await asyncio.to_thread(part.open, "wb") as file:
                await self._download(wanted, file)
            await asyncio.to_thread(part.replace, to)
        finally:
            await asyncio.to_thread(part.unlink, missing_ok=True)

    async def _download(self, wanted: Installer, file: IO[bytes]) -> None:
        found, got, held = hashlib.sha256(), 0, bytearray()
        began = time.monotonic()
        try:
            async with self._begun(wanted.url) as answer:
                if answer.content_length not in (None, wanted.size):
                    raise Refused(Reason.SIZE, "announced by the server")
                while piece := await asyncio.wait_for(answer.content.readany(), self._patience.pause_s):
                    got += len(piece)
                    if got > wanted.size:
                        raise Refused(Reason.SIZE, "more than announced")
                    self._require_pace(got, time.monotonic() - began)
                    found.update(piece)
                    held += piece
                    if len(held) >= _PIECE:
                        await asyncio.to_thread(file.write, bytes(held))
                        held.clear()
        except TimeoutError as error:
            raise Refused(Reason.SLOW) from error
        except aiohttp.ClientPayloadError as error:
            raise Refused(Reason.CUT_SHORT) from error
        except (aiohttp.ClientError, ValueError) as error:
            raise Refused(Reason.UNREACHABLE, type(error).__name__) from error
        await asyncio.to_thread(file.write, bytes(held))
        if got < wanted.size:
            raise Refused(Reason.CUT_SHORT)
        if found.hexdigest() != wanted.sha256:
            raise Refused(Reason.CHANGED)

    def _require_pace(self, got: int, elapsed: float) -> None:
        if elapsed > self._patience.grace_s and got < self._patience.pace * elapsed:
            raise Refused(Reason.SLOW)

    @asynccontextmanager
    async def _begun(self, url: str) -> AsyncIterator[aiohttp.ClientResponse]:
        """Return the response once its headers have arrived in time."""
        async with asyncio.timeout(self._patience.answer_s) as limit, self._answer(url) as answer:
            limit.reschedule(None)
            yield answer

    @asynccontextmanager
    async def _answer(self, url: str) -> AsyncIterator[aiohttp.ClientResponse]:
        """Return the response after at most a few redirects, all of them to https."""
        for _ in range(_HOPS_MAX):
            if urlsplit(url).scheme != "https":
                raise Refused(Reason.NOT_SECURE)
            async with self._session.get(url, allow_redirects=False) as answer:
                if answer.status not in _REDIRECTS:
                    if answer.status != _OK:
                        raise Refused(Reason.UNREACHABLE, f"HTTP {answer.status}")
                    yield answer
                    return
                url = urljoin(url, answer.headers.get("Location", ""))
        raise Refused(Reason.UNREACHABLE, "too many redirects")
