"""The app with an embedded service and practice platforms, which answers questions about itself.

Run as ``python -m tests.real_browser.program FOLDER``.
"""

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QWidget

from app.desktop import aio
from app.desktop.application import Application
from app.desktop.connections.account_card import AccountCard
from app.desktop.connections.pane import ConnectionsPane
from app.desktop.connections.waiting import WaitingSheet
from app.workspace.changes import Changes
from app.workspace.messages import Problem
from tests.real_input.questions import Questioned, answer_questions


class Painting(QObject):
    """Reports when a card is painted for the first time."""

    def __init__(self, card: AccountCard, tell: Callable[[AccountCard], None]) -> None:
        super().__init__(card)
        self._card, self._tell = card, tell
        card.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint:
            self._tell(self._card)
            watched.removeEventFilter(self)
        return False


class Answers(Questioned):
    """Questions about the window."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._seen: dict[str, float] = {}
        assert application.controller is not None
        self._pane: ConnectionsPane = application.controller.connections
        application.controller.workspace.listen(self._watch)

    def folders(self) -> list[str]:
        """Return the service's data folder and the URL of the practice platforms."""
        visit = self._application.visit
        assert visit is not None
        assert visit.embedded is not None
        return [str(visit.embedded._folder / "service"), visit.embedded.practice_url]

    def is_active(self) -> bool:
        """Whether the window has the keyboard."""
        return self._application.window.isActiveWindow()

    def button(self, name: str) -> list[int] | None:
        """Return where a button can be clicked; None while it can't."""
        sheet = self._pane.sheet
        owner = sheet if sheet is not None else self._application.window
        for button in owner.findChildren(QAbstractButton):
            called = name in (button.text(), button.accessibleName())
            if called and button.isVisible() and button.isEnabled():
                return middle(button)
        return None

    def sight(self) -> list[str]:
        """Return the visible buttons by name, disabled ones in brackets."""
        shown = [one for one in self._application.window.findChildren(QAbstractButton) if one.isVisible()]
        names = [(one.isEnabled(), one.text() or one.accessibleName()) for one in shown]
        return [name if is_enabled else f"[{name}]" for is_enabled, name in names]

    def entry(self, text: str) -> list[int] | None:
        """Return the position of an entry of the open menu; None while it's missing."""
        menu = QApplication.activePopupWidget()
        actions = menu.actions() if isinstance(menu, QMenu) else []
        found = next((action for action in actions if action.text().startswith(text)), None)
        if found is None or not isinstance(menu, QMenu):
            return None
        there = menu.mapToGlobal(menu.actionGeometry(found).center())
        return [there.x(), there.y()]

    def cards(self) -> list[str]:
        """Return the cards with name, platform, and whether their access has ended."""
        return sorted(title(card) for card in self._pane.cards())

    def seen(self, card: str) -> float | None:
        """Return since when a card has been visible, by the system-wide clock; None while it isn't."""
        self._watch()
        return self._seen.get(card)

    def sheet(self) -> list[str] | None:
        """Return the steps and the problem shown in the waiting sheet; None without a sheet."""
        sheet = self._pane.sheet
        return [*sheet.steps(), sheet.problem()] if isinstance(sheet, WaitingSheet) else None

    async def ask_boards(self, card: str) -> str:
        """Request an account's boards from the platform, and return the problem."""
        assert self._application.controller is not None
        key = next(found.account.key for found in self._pane.cards() if title(found) == card)
        try:
            await self._application.controller.workspace.boards.ask(key)
        except Problem as problem:
            return problem.text
        return ""

    def _watch(self, _changes: Changes | None = None) -> None:
        """Watch new cards. Recreated ones may have been painted already."""
        cards = {title(card): card for card in self._pane.cards()}
        self._seen = {name: since for name, since in self._seen.items() if name in cards}
        for name in cards.keys() - self._seen.keys():
            if cards[name].findChild(Painting) is None:
                Painting(cards[name], self._note)
                cards[name].update()

    def _note(self, card: AccountCard) -> None:
        self._seen.setdefault(title(card), time.monotonic())


def title(card: AccountCard) -> str:
    """Return the text of a card."""
    state = "" if card.account.is_available else ", ended"
    return f"{card.account.name} on {card.account.platform.value}{state}"


def middle(widget: QWidget) -> list[int]:
    """Return the centre on the screen."""
    there = widget.mapToGlobal(QPoint(widget.width() // 2, widget.height() // 2))
    return [there.x(), there.y()]


async def live(folder: Path, stop: asyncio.Event) -> int:
    application = Application(folder / "data", ZoneInfo("Europe/Lisbon"))
    application.take_folder()
    application.window.setGeometry(0, 0, 1_280, 800)
    application.window.show()
    await application.begin_here(practice=True)
    assert application.controller is not None
    application.controller.window.go("connections")
    say = answer_questions(Answers(application), stop)
    say("ready")
    await stop.wait()
    await application.close()
    return 0


if __name__ == "__main__":
    app = aio.AsyncApplication(["kalends"])
    sys.exit(aio.run(app, lambda stop: live(Path(sys.argv[1]), stop)))
