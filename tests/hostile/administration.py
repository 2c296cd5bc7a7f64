"""Connecting accounts, listing boards, uploading and deleting files.

If a service refuses or doesn't support something, the app shows a message at that place.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices

from app.contract.enums import ConnectionPlatform
from app.desktop.composer import ComposerPanel
from app.desktop.connections.boards import BoardSheet
from app.desktop.connections.waiting import WaitingSheet
from app.desktop.media.queue_row import QueueRow
from app.workspace.accounts.account import Account
from app.workspace.media.library import MediaItem
from tests.desktop.browsing import SCHEMES, address_of
from tests.hostile.seen import reason
from tests.hostile.visitor import Visitor, is_loading
from tests.hostile.webhooks import try_webhooks

_TRIES = 3


async def administer(visitor: Visitor, folder: Path) -> None:
    """Do everything except posts."""
    with browser():
        await look_at_boards(visitor)
        await connect(visitor)
    await bring_files(visitor, folder)
    await try_webhooks(visitor)


@contextmanager
def browser() -> Iterator["_Browser"]:
    """Replace the user's browser."""
    made = _Browser()
    for scheme in SCHEMES:
        # The type stub requires bytes, but the method only accepts str.
        QDesktopServices.setUrlHandler(scheme, made, "visit")  # type: ignore[arg-type,unused-ignore]
    try:
        yield made
    finally:
        for scheme in SCHEMES:
            QDesktopServices.unsetUrlHandler(scheme)


class _Browser(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def visit(self, url: QUrl) -> None:
        self.opened.append(address_of(url))


async def look_at_boards(visitor: Visitor) -> None:
    """List all boards of Pinterest accounts."""
    pane = visitor.controller.connections
    visitor.controller.window.go("connections")
    keys = {account.key for account in _on_pinterest(visitor)}
    for card in [one for one in pane.cards() if one.account.key in keys]:
        card.boards.click()
        sheet = visitor.sheet(BoardSheet)
        await visitor.until(lambda sheet=sheet: sheet.again.isEnabled(), "the boards never show")  # type: ignore[misc]
        assert not is_loading(sheet), "boards are still to come"
        visitor.judge(sheet, "the boards")
        boards = visitor.variation.boards
        assert boards is None or len(sheet.names()) == boards, f"boards are missing: {sheet.names()}"
        sheet.dismiss()


async def connect(visitor: Visitor) -> None:
    """Connect a new account and an expired one, up to the browser's response."""
    pane = visitor.controller.connections
    visitor.controller.connect_platform("linkedin")
    await _wait_for_link(visitor)
    ended = [one for one in pane.cards() if one.standing.urgency == "ended" and one._can_connect]
    for card in ended[:1]:
        card.connect_again.emit(card.account.key)
        await _wait_for_link(visitor)


async def _wait_for_link(visitor: Visitor) -> None:
    pane = visitor.controller.connections
    await visitor.until(lambda: isinstance(pane.sheet, WaitingSheet), "nothing waits for the browser")
    sheet = pane.sheet
    assert isinstance(sheet, WaitingSheet)
    await visitor.until(lambda: sheet.time_left() or sheet.problem(), "the browser is not opened")
    visitor.judge(sheet, "the sheet that waits")
    sheet.dismiss()
    await visitor.until(lambda: pane.sheet is None, "the sheet stays")


async def bring_files(visitor: Visitor, folder: Path) -> None:
    """Upload and import a file, view both, and delete them."""
    media, pane = visitor.workspace.media, visitor.controller.media
    visitor.controller.window.go("media")
    picture = folder / "coat.png"
    await asyncio.to_thread(Image.new("RGB", (400, 300), "brown").save, picture)
    heard = visitor.hear(pane.told)
    pane.adding.take([picture])
    media.imports.begin("https://files.example/walk.png")
    await visitor.until(
        lambda: len(pane.queue.rows()) == 2 or (heard and not visitor.variation.stores),
        "files are not on the list",
    )
    for row in pane.queue.rows():
        await _see_through(visitor, row)
        assert row.is_done or not visitor.variation.stores, f"{row.name.text()}: {row.state.text()}"
    stored = {row._path for row in pane.queue.rows() if row.is_done}
    items = [item for item in await media.library.items() if item.path in stored]
    for item in items[:1]:
        await _choose_board(visitor, item)
    for item in items:
        await _look_at_file(visitor, item)
    for row in pane.queue.rows():
        row.cross.click()


async def _see_through(visitor: Visitor, row: QueueRow) -> None:
    """Retry like a user would. The app doesn't repeat what may have been done."""
    stores, pane = visitor.variation.stores, visitor.controller.media

    def is_explained() -> bool:
        return not stores and (visitor.is_told() or bool(reason(pane)))

    # Qt shows a new row with the next events, which may be after this look.
    await visitor.until(row.isVisible, "the row of a file never shows")
    for _ in range(_TRIES):
        await visitor.until(lambda: _has_ended(row) or is_explained(), "nothing is said of a file")
        visitor.judge(row, "a file")
        if row.is_done or not stores:
            return
        row.again.click()
        await asyncio.sleep(0.1)  # file changes are batched before they show
    await visitor.until(lambda: _has_ended(row), "nothing is said of a file")


def _has_ended(row: QueueRow) -> bool:
    """Whether it was stored, failed, or postponed with a reason."""
    return row.is_done or row.again.isVisible()


async def _choose_board(visitor: Visitor, item: MediaItem) -> None:
    """Start a Pin with a file: the composer offers boards, or says why there are none."""
    window = visitor.controller.window
    visitor.controller.media.scheduled.emit([item.path])
    await visitor.until(lambda: isinstance(window.side, ComposerPanel), "nothing can be made of a file")
    panel = window.side
    assert isinstance(panel, ComposerPanel)
    await visitor.until(lambda: not panel.text_box.editor.isReadOnly(), "nothing can be written")
    for account in _on_pinterest(visitor):
        panel.accounts.toggle(account.key).setChecked(True)
        field = panel.pin.field(account.key)
        await visitor.until(
            lambda field=field: field.combo.isEnabled() or field.field.error(),  # type: ignore[misc]
            "no boards can be chosen",
        )
        visitor.judge(panel, "the composer")
    panel.close_panel()
    visitor.workspace.save_composer(None)


async def _look_at_file(visitor: Visitor, item: MediaItem) -> None:
    library = visitor.workspace.media.library
    visitor.controller.window.go("media")
    visitor.controller.media.show_file(item.path)
    visitor.judge(visitor.controller.media, "media")
    for work in (library.link(item.path, 60), library.remove(item.path)):
        await visitor.try_out(work)


def _on_pinterest(visitor: Visitor) -> list[Account]:
    accounts = visitor.workspace.accounts.values()
    return [one for one in accounts if one.platform is ConnectionPlatform.PINTEREST and one.is_available]
