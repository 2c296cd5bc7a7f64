"""An account on its way: the sheet that waits, and what the service has in the end."""

from typing import Any

from app.desktop.connections import ConnectionsPane, WaitingSheet
from app.desktop.widgets import Button
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until


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


def names(pane: ConnectionsPane) -> list[str]:
    return [card.account.name for card in pane.cards()]


def says(pane: ConnectionsPane, words: str) -> bool:
    """Whether the sheet that waits is for this."""
    return pane.sheet is not None and words in pane.sheet.accessibleName()


def press(owner: Any, text: str) -> None:
    button = next(one for one in owner.findChildren(Button) if one.text() == text)
    assert button.isVisible()
    button.click()
