"""An account on its way: the sheet that waits, and what the service has in the end."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from app.desktop.connections.pane import ConnectionsPane
from app.desktop.connections.waiting import WaitingSheet
from app.desktop.widgets import Button
from app.workspace.accounts.account import Account
from app.workspace.messages import Message
from app.workspace.workspace import Workspace
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until


class Connecting:
    """A workspace and its pane of accounts, and what the pane told."""

    def __init__(self, opened: Workspace, pane: ConnectionsPane) -> None:
        self.opened = opened
        self.pane = pane
        self.told: list[Message] = []
        self.connected: list[str] = []
        pane.told.connect(self.told.append)
        pane.connected.connect(self.connected.append)

    async def begins(self) -> tuple[asyncio.Task[Account | None], WaitingSheet]:
        """Connects an account of X; gives what comes of it, and the sheet that waits for the browser."""
        connecting = asyncio.create_task(self.pane.connect_platform("x"))
        return connecting, await waiting(self.pane)


OnPane = Callable[[Callable[[Connecting], Awaitable[None]]], None]
"""Plays a story on the pane, from its first look at the service to its end."""


async def waiting(pane: ConnectionsPane) -> WaitingSheet:
    await until(lambda: isinstance(pane.sheet, WaitingSheet) and pane.sheet.time_left())
    assert isinstance(pane.sheet, WaitingSheet)
    return pane.sheet


def arrive(service: ModelService, platform: str = "x") -> str:
    """What the service has after the person allowed access."""
    key = service.add_account(platform)
    connection_id = str(next(reversed(service.pending)))
    service.connections[-1]["id"] = connection_id
    del key
    return connection_id


def add_ended(service: ModelService, *platforms: str) -> None:
    """An account of each platform whose access has ended."""
    for platform in platforms:
        service.add_account(platform, available=False)


def names(pane: ConnectionsPane) -> list[str]:
    return [card.account.name for card in pane.cards()]


def says(pane: ConnectionsPane, words: str) -> bool:
    """Whether the sheet that waits is for this."""
    return pane.sheet is not None and words in pane.sheet.accessibleName()


def press(owner: Any, text: str) -> None:
    button = next(one for one in owner.findChildren(Button) if one.text() == text)
    assert button.isVisible()
    button.click()
