"""Asks the service for its limits, only as often as the answer may matter."""

import asyncio
import logging
from collections.abc import Callable, Hashable
from typing import Final

from app.client import ClientError
from app.contract.companion import Quota
from app.contract.enums import Action
from app.workspace.core import Core
from app.workspace.sync.link import Link
from app.workspace.usage.usage import UsageBook
from app.workspace.warnings.limits import Limits

_QUOTAS: Final = "quotas"
_SOON_S: Final = 1.0

_log = logging.getLogger(__name__)


class LimitsAsked:
    """``limits`` is the last answer; without one, no limits are known."""

    def __init__(
        self, core: Core, usage: UsageBook, link: Link, offers: Callable[[], frozenset[str]]
    ) -> None:
        self.limits = Limits()
        self._core = core
        self._usage = usage
        self._link = link
        self._offers = offers
        self._waiting: Hashable = None
        self._pressed = asyncio.Event()

    def press(self, waiting: Hashable) -> None:
        """Set what waits to be sent, None for nothing. If it changed, the service is asked again."""
        if waiting != self._waiting:
            self._waiting = waiting
            if waiting is not None:
                self._pressed.set()

    async def run(self, tell: Callable[[], None]) -> None:
        """Ask until cancelled; ``tell`` is called when the answer changes."""
        rest = self._core.pace.limits_first
        while True:
            try:
                async with asyncio.timeout(rest):
                    await self._pressed.wait()
            except TimeoutError:
                pass
            if self._link.wait:
                rest = max(self._link.wait, _SOON_S)
                await asyncio.sleep(rest)
                continue
            self._pressed.clear()
            is_answered = await self._ask(tell)
            await asyncio.sleep(self._core.pace.limits)
            rest = self._core.pace.limits_idle if is_answered else self._core.pace.limits_first

    async def _ask(self, tell: Callable[[], None]) -> bool:
        # What waits now may be gone when the first answer arrives, and then nothing would ask again.
        wants_quotas = self._waiting is not None and _QUOTAS in self._offers()
        try:
            usage = await self._usage.ask()
            found = Limits(usage, await self._creating() if wants_quotas else None)
        except ClientError as error:
            _log.info("what the service allows is not known: %s", type(error).__name__)
            return False
        if found != self.limits:
            self.limits = found
            tell()
        return True

    async def _creating(self) -> Quota | None:
        quotas = (await self._core.client.quotas()).data
        return next((quota for quota in quotas if quota.action is Action.POSTS_CREATE), None)
