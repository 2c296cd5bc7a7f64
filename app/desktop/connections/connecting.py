"""Connecting one account from start to end: the browser, the sheet that waits, and trying again."""

import asyncio
from urllib.parse import urlsplit

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from app.contract.enums import ConnectionPlatform, PostingPlatform
from app.desktop.aio import TaskScope
from app.desktop.connections.waiting import WaitingSheet
from app.workspace.accounts.account import Account
from app.workspace.messages import Problem
from app.workspace.rules import RULES
from app.workspace.workspace import Workspace

_ARRIVED_S = 1.2


def connectable() -> tuple[ConnectionPlatform, ...]:
    """The platforms to which something can be published today."""
    return tuple(ConnectionPlatform(platform.value) for platform in PostingPlatform if _publishes(platform))


class Connecting:
    """Connects accounts on behalf of a widget, one at a time."""

    def __init__(self, host: QWidget, workspace: Workspace) -> None:
        self._host, self._workspace = host, workspace
        self._scope = TaskScope(host)
        self.sheet: WaitingSheet | None = None

    async def connect(self, platform: ConnectionPlatform) -> Account | None:
        """Show the waiting sheet until an account arrives; None when the person gave it up."""
        if self.sheet is not None:
            self.sheet.raise_()
            return None
        self.sheet = sheet = WaitingSheet(self._host, platform.value, practice=self._workspace.practice)
        gone = asyncio.get_running_loop().create_future()
        sheet.closed.connect(lambda: None if gone.done() else gone.set_result(None))
        sheet.present()
        attempts = self._scope.start(self._attempts(sheet, platform))
        try:
            await asyncio.wait({attempts, gone}, return_when=asyncio.FIRST_COMPLETED)
            return attempts.result() if attempts.done() else None
        finally:
            attempts.cancel()
            self.sheet = None
            sheet.dismiss()

    async def _attempts(self, sheet: WaitingSheet, platform: ConnectionPlatform) -> Account:
        while True:
            try:
                account = await self._attempt(sheet, platform)
            except Problem as problem:
                sheet.show_problem(problem.text, problem.details)
                await sheet.wait_for_retry()
            else:
                sheet.show_account(account.name)
                self._bring_to_front()
                await asyncio.sleep(_ARRIVED_S)
                return account

    async def _attempt(self, sheet: WaitingSheet, platform: ConnectionPlatform) -> Account:
        sheet.show_beginning()
        flow = await self._workspace.connect(platform)

        def open_page() -> None:
            sheet.show_opened(opened=QDesktopServices.openUrl(QUrl(flow.url)))

        pasting = TaskScope(sheet)

        async def paste(address: str) -> None:
            try:
                await flow.paste(address)
            except Problem as problem:
                sheet.show_paste_problem(problem.text)
            else:
                sheet.show_pasted()

        def start_paste(address: str) -> None:
            pasting.start(paste(address))

        sheet.show_link(flow.url, urlsplit(flow.url).hostname or "", flow.expires_at)
        sheet.open_again.connect(open_page)
        sheet.pasted.connect(start_paste)
        open_page()
        try:
            return await flow.account()
        finally:
            flow.cancel()
            sheet.open_again.disconnect(open_page)
            sheet.pasted.disconnect(start_paste)

    def _bring_to_front(self) -> None:
        window = self._host.window()
        window.raise_()
        window.activateWindow()


def _publishes(platform: PostingPlatform) -> bool:
    return platform in RULES and bool(RULES[platform].publishable)
