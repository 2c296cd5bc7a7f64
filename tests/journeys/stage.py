"""The actions of a journey: opens the app, uses the browser, drags cards, reads the ledger."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from zoneinfo import ZoneInfo

import httpx
from PySide6.QtCore import QObject, QPoint, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.desktop.application import Application, Elsewhere
from app.desktop.shell.main_controller import MainController
from app.desktop.widgets import Label
from app.desktop.widgets.states import MessageStrip
from app.workspace.posts.planned import PlannedPost
from app.workspace.workspace import Workspace
from tests.desktop.browsing import SCHEMES, address_of
from tests.journeys.trusting import begin
from tests.journeys.wiretap import Wiretap
from tests.workspace.programs import RealService, consent, follow

ZONE = ZoneInfo("Europe/Lisbon")
_DRAG_STEPS = 12


@dataclass
class Stage:
    """The programs of one journey and the app's folder."""

    folder: Path
    service: RealService
    wire: Wiretap

    def __post_init__(self) -> None:
        self._earlier = len(self._ledger())

    @asynccontextmanager
    async def app(self) -> AsyncIterator["Actor"]:
        """Open the app on the service through the forwarder; close it like a user."""
        key_file = self.folder / "key"
        key_file.write_text(self.service.key)
        application = Application(self.folder / "app", ZONE, Elsewhere(self.wire.base_url, key_file))
        application.window.resize(1280, 800)
        application.window.show()
        assert application.take_folder()
        await begin(application)
        assert application.controller is not None
        try:
            yield Actor(application, application.controller)
        finally:
            await application.close()
            application.window.deleteLater()

    def entries(self, text: str) -> list[dict[str, str]]:
        """Return the ledger's entries with a text that were made on this stage.

        All stages share the practice platforms, so a repeated journey finds the posts of its first try.
        """
        return [entry for entry in self._ledger()[self._earlier :] if entry["text"] == text]

    def _ledger(self) -> list[dict[str, str]]:
        answer = httpx.get(f"{self.service.practice_url}/ledger", trust_env=False)
        entries: list[dict[str, str]] = answer.json()["data"]
        return entries


class Browser(QObject):
    """A stand-in for the system browser: opens a URL and presses a button on the consent page."""

    def __init__(self, decision: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self._decision = decision

    def __enter__(self) -> Self:
        for scheme in SCHEMES:
            QDesktopServices.setUrlHandler(scheme, self, "open_page")  # type: ignore[arg-type]  # the stubs are wrong
        return self

    def __exit__(self, *_error: object) -> None:
        for scheme in SCHEMES:
            QDesktopServices.unsetUrlHandler(scheme)

    @Slot(QUrl)
    def open_page(self, url: QUrl) -> None:
        """Called by Qt instead of starting a browser."""
        address = address_of(url)
        self.opened.append(address)
        threading.Thread(target=self._decide, args=(address,)).start()

    def _decide(self, address: str) -> None:
        follow(consent(address, self._decision))


@dataclass
class Actor:
    """A user of the window."""

    application: Application
    controller: MainController

    @property
    def workspace(self) -> Workspace:
        return self.controller.workspace

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for a condition; the journey's timeout applies."""
        while not condition():  # noqa: ASYNC110  it also waits for things that tell nobody
            await asyncio.sleep(0.02)

    async def connect(self, platform: str) -> str:
        """Connect a practice account through the browser; return its key."""
        with Browser("allow"):
            account = await self.controller.connections.connect_platform(platform)
        assert account is not None
        return account.key

    def post(self, text: str) -> PlannedPost:
        """Return the post with a headline."""
        return next(post for post in self.workspace.posts.all() if post.headline == text)

    def card(self, text: str) -> QPoint:
        """Return the middle of a post's card on the viewport."""
        view = self.controller.calendar.grid.view
        index = view.model().index(self.controller.calendar.model.row_of(self.post(text).key), 0)
        rect = view.visualRect(index)
        assert not rect.isEmpty()
        return rect.center()

    def day(self, day: int) -> QPoint:
        """Return the middle of a day's cell on the viewport."""
        view = self.controller.calendar.grid.view
        return view.on_viewport(view.page.geometry.cell(day)).center()

    def choose(self, *texts: str) -> None:
        """Select posts by clicking their cards, all but the first with Ctrl."""
        port = self.controller.calendar.grid.view.viewport()
        for number, text in enumerate(texts):
            keys = Qt.KeyboardModifier.ControlModifier if number else Qt.KeyboardModifier.NoModifier
            QTest.mouseClick(port, Qt.MouseButton.LeftButton, keys, self.card(text))

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press a key on the calendar."""
        QTest.keyClick(self.controller.calendar.grid.view, key, modifiers)

    def said(self) -> list[str]:
        """Return the window's messages, each with its details."""
        strips = self.application.window.messages.findChildren(MessageStrip)
        return [" | ".join(label.text() for label in strip.findChildren(Label)) for strip in strips]

    def drag(
        self, start: QPoint, end: QPoint, *, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        """Drag with the left button in small steps, like a hand."""
        port = self.controller.calendar.grid.view.viewport()
        QTest.mousePress(port, Qt.MouseButton.LeftButton, modifiers, start)
        for step in range(1, _DRAG_STEPS + 1):
            _move(port, start + (end - start) * step / _DRAG_STEPS, modifiers)
        QTest.mouseRelease(port, Qt.MouseButton.LeftButton, modifiers, end)


def _move(port: QWidget, point: QPoint, modifiers: Qt.KeyboardModifier) -> None:
    """Move the mouse. QTest's own move has neither button nor modifiers."""
    from PySide6.QtCore import QEvent, QPointF
    from PySide6.QtGui import QMouseEvent

    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(point),
        QPointF(port.mapToGlobal(point)),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton,
        modifiers,
    )
    QApplication.sendEvent(port, event)


def now_ms() -> int:
    """Return the computer's time in ms since 1970 UTC."""
    return int(time.time() * 1_000)
