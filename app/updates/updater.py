"""Checks for a new version at most once a day, and prepares its installer for when the app quits."""

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

import structlog

from app.network import Way
from app.updates import feed, shelf
from app.updates.build import Channel
from app.updates.feed import Reason, Refused
from app.updates.shelf import Kept, Shelf
from app.updates.transfer import Patience, Transfer

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

    async def look(self) -> Report:
        """Check the feed now, and download a newer version. Refusals are in the report."""
        async with self._turn:
            try:
                report = await self._look()
            except Refused as refused:
                _log.warning("update refused", reason=refused.reason, error=str(refused))
                report = Report(Standing.REFUSED, reason=refused.reason)
            except OSError as error:
                _log.warning("update not kept", error=str(error))
                report = Report(Standing.REFUSED, reason=Reason.NO_ROOM)
            self._tell(report)
            return report

    def install(self) -> bool:
        """Start the pending installer, if any. Blocking. Raises Refused and OSError."""
        return shelf.install(self.channel, self.shelf)

    async def _look(self) -> Report:
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
            if installer is None:
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
