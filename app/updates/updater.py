"""Looks for a new version at most once a day, and prepares its installer for when the app quits."""

import asyncio
import hashlib
import shutil
import ssl
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, Final, Self
from urllib.parse import urljoin, urlsplit

import aiohttp
import structlog

from app.disk import replace
from app.network import Way
from app.network.connector import ProxiedConnector
from app.updates import feed, shelf
from app.updates.build import Channel
from app.updates.feed import FEED_MAX, Installer, Reason, Refused
from app.updates.shelf import Kept, Shelf

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
            await asyncio.to_thread(replace, part, to)
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


__all__ = ["DAY_MS", "Report", "Standing", "Updater", "Way"]

_log = structlog.get_logger(__name__)

DAY_MS: Final = 24 * 3600_000
_PAUSE_S: Final = 900
"""Interval for checking the clock, in s, so that a computer that slept doesn't wait another day."""
_USUAL: Final = Patience()


class Standing(StrEnum):
    """Status of the update check."""

    UNKNOWN = "unknown"
    LOOKING = "looking"
    CURRENT = "current"
    DOWNLOADING = "downloading"
    READY = "ready"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Report:
    """Status shown in the settings."""

    standing: Standing
    version: str = ""
    reason: Reason | None = None


class Updater:
    """Updater of a running app; calls ``told`` with every new report."""

    def __init__(
        self,
        channel: Channel,
        folder: Path,
        way: Way,
        *,
        clock: Callable[[], int],
        told: Callable[[Report], None] = lambda _report: None,
        trust: ssl.SSLContext | None = None,
        patience: Patience = _USUAL,
    ) -> None:
        self.channel, self.shelf = channel, Shelf(folder)
        self.report = Report(Standing.UNKNOWN)
        self._way, self._clock, self._told = way, clock, told
        self._trust, self._patience = trust, patience
        self._turn = asyncio.Lock()

    async def open(self) -> None:
        """Load the state of earlier starts. Raises OSError."""
        await asyncio.to_thread(self.shelf.open, self.channel.version)
        if (ready := self.shelf.state.ready) is not None:
            self._tell(Report(Standing.READY, ready.version))

    @property
    def is_due(self) -> bool:
        """Whether the last check is a day old, or in the future because the clock was set back."""
        since = self._clock() - self.shelf.state.checked_at
        return not 0 <= since < DAY_MS

    async def follow(self) -> None:
        """Check once a day, until cancelled."""
        while True:
            if self.is_due:
                await self.look()
            await asyncio.sleep(_PAUSE_S)

    async def look(self, *, is_asked: bool = False) -> Report:
        """Check the feed now, and download a newer version. Refusals are in the report.

        The version that the user went back from is only downloaded again if ``is_asked``.
        A check that's cancelled doesn't count, so the next one isn't a day away.
        """
        async with self._turn:
            before, checked_at = self.report, self.shelf.state.checked_at
            try:
                report = await self._look(is_asked=is_asked)
            except Refused as refused:
                _log.warning("update refused", reason=refused.reason, error=str(refused))
                report = Report(Standing.REFUSED, reason=refused.reason)
            except OSError as error:
                _log.warning("update not kept", error=str(error))
                report = Report(Standing.REFUSED, reason=Reason.NO_ROOM)
            except asyncio.CancelledError:
                self._tell(before)
                await asyncio.to_thread(self.shelf.change, checked_at=checked_at)
                raise
            self._tell(report)
            return report

    def install(self) -> bool:
        """Start the pending installer, if any. Blocking. Raises Refused and OSError."""
        return shelf.install(self.channel, self.shelf)

    async def _look(self, *, is_asked: bool) -> Report:
        self._tell(Report(Standing.LOOKING))
        trust = self._trust
        if trust is None:
            trust = await asyncio.to_thread(ssl.create_default_context)
        # Also after a failure, otherwise a broken server would be asked every 15 minutes.
        await asyncio.to_thread(self.shelf.change, checked_at=self._clock())
        async with Transfer(self._way, trust, self._patience) as transfer:
            found = feed.read(await transfer.feed(self.channel.feed), self.channel.keys)
            await asyncio.to_thread(self.shelf.note_seen, found, self.channel.version)
            installer = found.newer(self.channel)
            if installer is not None and is_asked:
                await asyncio.to_thread(self.shelf.change, skipped="")
            if installer is None or self.shelf.skips(found.version):
                await asyncio.to_thread(self.shelf.drop_ready)  # it may have been withdrawn
                return Report(Standing.CURRENT, str(self.channel.version))
            kept = Kept.of(found.version, installer)
            if not await asyncio.to_thread(self.shelf.has, kept):
                self._tell(Report(Standing.DOWNLOADING, found.version))
                await transfer.installer(installer, self.shelf.place(kept))
                await asyncio.to_thread(self.shelf.take, kept)
            return Report(Standing.READY, found.version)

    def _tell(self, report: Report) -> None:
        self.report = report
        self._told(report)
