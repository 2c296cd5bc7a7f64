"""The limits of accounts' servers, for checking texts and files by the servers' own rules."""

import asyncio
import logging
from datetime import timedelta
from typing import Final
from uuid import UUID

from app.client import ClientError
from app.platforms.card import SignIn
from app.platforms.cards import CARDS
from app.workspace.accounts.account import Account
from app.workspace.accounts.book import AccountBook, save_accounts
from app.workspace.changes import Changes
from app.workspace.clock import from_millis
from app.workspace.core import Core

_FRESH: Final = timedelta(hours=12)
"""How long limits are used before they are requested again, which makes the service ask the server."""
_AGAIN_S: Final = 3_600.0
_log = logging.getLogger(__name__)


class ServerLimits:
    """Keeps the limits of connected accounts up to date, and on disk for when the service is unreachable."""

    def __init__(self, core: Core, book: AccountBook) -> None:
        self._core, self._book = core, book
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Check for new accounts, or after the service became reachable."""
        self._woken.set()

    async def run(self) -> None:
        """Request limits until cancelled: for new accounts, and about twice a day."""
        forget = self._core.changes.add(self._follow)
        try:
            while True:
                self._woken.clear()
                for account in [one for one in self._book.listed.values() if self._is_asked(one)]:
                    await self._ask(account)
                try:
                    async with asyncio.timeout(_AGAIN_S):
                        await self._woken.wait()
                except TimeoutError:
                    pass
        finally:
            forget()

    def _follow(self, changes: Changes) -> None:
        if changes.accounts or changes.reset:
            self.wake()

    def _is_asked(self, account: Account) -> bool:
        card, limits = CARDS.get(account.platform), account.limits
        if card is None or card.sign_in is not SignIn.OWN_SERVER or not account.is_available:
            return False
        read_at = limits.read_at if limits else None
        return read_at is None or from_millis(self._core.clock()) - read_at >= _FRESH

    async def _ask(self, account: Account) -> None:
        try:
            found = await self._core.client.places.limits(UUID(account.key))
        except ClientError as error:
            _log.info("the limits of an account's server are not known: %s", type(error).__name__)
            return
        if self._book.set_limits(account.key, found.model_dump_json(exclude_none=True)):
            self._core.changes.tell(Changes(accounts=True))
            listed = tuple(self._book.listed.values())
            await self._core.commit(lambda transaction: save_accounts(transaction, listed))
