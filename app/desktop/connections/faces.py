"""The pictures of accounts on their cards, decoded in the background and cached."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QSize
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QWidget

from app.desktop.aio import TaskScope
from app.desktop.connections.account_card import AccountCard
from app.desktop.widgets.decoding import decoded
from app.workspace.accounts.account import Account
from app.workspace.accounts.pictures import EDGE, AccountPictures

_SIZE: Final = QSize(EDGE, EDGE)


class Faces:
    """One per pane. If an account's picture has a new URL, it's loaded again."""

    def __init__(
        self, owner: QWidget, pictures: AccountPictures, cards: Callable[[], Sequence[AccountCard]]
    ) -> None:
        self._pictures, self._cards = pictures, cards
        self._scope = TaskScope(owner)
        self._known: dict[tuple[str, str], QPixmap] = {}
        self._looking: set[tuple[str, str]] = set()

    def show(self) -> None:
        """Puts on the cards what there is, and looks for what there is not."""
        for card in self._cards():
            account, url = card.account, card.account.avatar_url
            if url is None:
                continue
            if (known := self._known.get((account.key, url))) is not None:
                card.show_picture(known)
            elif (account.key, url) not in self._looking:
                self._looking.add((account.key, url))
                self._scope.start(self._look(account, url))

    async def _look(self, account: Account, url: str) -> None:
        try:
            content = await self._pictures.of(account)
            picture = await asyncio.to_thread(decoded, content, _SIZE) if content else None
        finally:
            self._looking.discard((account.key, url))
        if picture is not None and not picture.isNull():
            self._known[account.key, url] = QPixmap.fromImage(picture)
            for card in self._cards():  # the card may be another one by now
                if (card.account.key, card.account.avatar_url) == (account.key, url):
                    card.show_picture(self._known[account.key, url])
