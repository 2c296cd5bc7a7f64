"""From a calendar to a post on Bluesky, by mouse and keyboard."""

from dataclasses import dataclass

from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu

from app.desktop.composer import ComposerPanel
from app.desktop.connections.account_card import NetworkTile
from app.desktop.connections.app_password import AppPasswordSheet
from app.desktop.connections.server_sheet import ServerSheet
from app.language import tr
from tests.journeys.hands import Hands
from tests.journeys.stage import Actor


@dataclass(frozen=True)
class Login:
    """What the user types. Without an app password, they allow access in the browser."""

    handle: str
    app_password: str = ""


async def publish(actor: Actor, hands: Hands, login: Login, text: str) -> str:
    """Connect the account with the tile in Connections, publish a text now, and return the post's key."""
    await actor.until(lambda: actor.workspace.places.offered)
    await _click(actor, hands, _button(actor, tr("Connections")))
    pane = actor.controller.connections
    await actor.until(lambda: bool(_tiles(actor)) or _has_ways(actor))
    if _tiles(actor):
        await _click(actor, hands, _tiles(actor)[0])
    elif pane.first is not None:
        await _click(actor, hands, pane.first.network)
        _choose("Bluesky")
    await actor.until(lambda: isinstance(pane.sheet, ServerSheet))
    sheet = pane.sheet
    assert isinstance(sheet, ServerSheet)
    actor.application.window.activateWindow()  # a closed menu leaves no window active offscreen
    sheet.line.setFocus()
    await actor.until(sheet.line.hasFocus)
    hands.write(login.handle)
    if login.app_password:
        await _click(actor, hands, sheet.link)
        await _type_password(actor, hands, login.app_password)
    else:
        await _click(actor, hands, sheet.connect_button)
    await actor.until(lambda: any(one.platform == "bluesky" for one in actor.workspace.accounts.values()))
    account = next(one for one in actor.workspace.accounts.values() if one.platform == "bluesky")
    await actor.until(lambda: pane.sheet is None)

    await _click(actor, hands, _button(actor, tr("Calendar")))
    await _click(actor, hands, _button(actor, tr("New post")))
    await actor.until(lambda: isinstance(actor.application.window.side, ComposerPanel))
    panel = actor.application.window.side
    assert isinstance(panel, ComposerPanel)
    await actor.until(lambda: not panel.text_box.editor.isReadOnly())
    if not panel.accounts.toggle(account.key).isVisible():
        await _click(actor, hands, panel.accounts.rest)
    await _click(actor, hands, panel.accounts.toggle(account.key))
    panel.text_box.editor.setFocus()
    hands.write(text)
    await _click(actor, hands, panel.frame.publish)
    await actor.until(lambda: any(post.headline == text for post in actor.workspace.posts))
    key = actor.post(text).key
    await actor.until(lambda: (post := actor.workspace.posts.get(key)) is not None and post.published)
    return key


async def _type_password(actor: Actor, hands: Hands, app_password: str) -> None:
    pane = actor.controller.connections
    await actor.until(lambda: isinstance(pane.sheet, AppPasswordSheet))
    sheet = pane.sheet
    assert isinstance(sheet, AppPasswordSheet)
    await actor.until(sheet.password.editor.hasFocus)
    hands.write(app_password)
    await _click(actor, hands, sheet.connect_button)


async def _click(actor: Actor, hands: Hands, button: QAbstractButton) -> None:
    """Click a button once nothing that moves is above it any more."""

    def is_on_top() -> bool:
        there = button.mapTo(button.window(), button.rect().center())
        return button.isVisible() and button.window().childAt(there) is button

    await actor.until(is_on_top)
    hands.click(button)


def _tiles(actor: Actor) -> list[NetworkTile]:
    found = actor.controller.connections.findChildren(NetworkTile)
    return [tile for tile in found if tile.isVisible() and tile.platform == "bluesky"]


def _has_ways(actor: Actor) -> bool:
    """Whether the ways to a first account are shown."""
    first = actor.controller.connections.first
    return first is not None and first.isVisible()


def _choose(entry: str) -> None:
    """Choose an entry of the open menu; with a single network there's none."""
    menu = QApplication.activePopupWidget()
    if isinstance(menu, QMenu):
        next(action for action in menu.actions() if action.text() == entry).trigger()
        menu.close()


def _button(actor: Actor, text: str) -> QAbstractButton:
    found = actor.application.window.findChildren(QAbstractButton)
    return next(one for one in found if one.isVisible() and text in {one.text(), one.accessibleName()})
