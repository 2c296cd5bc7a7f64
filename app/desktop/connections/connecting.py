"""Connecting an account from start to end: the browser, the sheet that waits, and retries."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import urlsplit

from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from app.contract.enums import ConnectionPlatform
from app.desktop.aio import TaskScope
from app.desktop.connections.app_password import AppPasswordSheet
from app.desktop.connections.by_hand import ByHandSheet
from app.desktop.connections.server_sheet import ServerSheet
from app.desktop.connections.waiting import WaitingSheet
from app.desktop.opening import open_page
from app.language import tr
from app.platforms.card import SignIn
from app.platforms.cards import CARDS
from app.workspace.accounts.account import Account
from app.workspace.connections.flow import ConnectionFlow
from app.workspace.messages import Problem
from app.workspace.workspace import Workspace

AnySheet = WaitingSheet | AppPasswordSheet | ServerSheet | ByHandSheet
_ARRIVED_S = 1.2


_WITHOUT_APP: Final = frozenset({SignIn.HANDLE, SignIn.OWN_SERVER})
_CONNECTABLE: Final = tuple(
    ConnectionPlatform(key)
    for key, card in CARDS.items()
    if card.posts is not None
    and card.posts.publishable
    and (not card.is_companion or card.sign_in in _WITHOUT_APP)
)


def connectable() -> tuple[ConnectionPlatform, ...]:
    """Return the platforms that this app can connect accounts of and publish to."""
    return _CONNECTABLE


def offered(workspace: Workspace) -> tuple[ConnectionPlatform, ...]:
    """Return the connectable platforms that the workspace's service supports."""
    return tuple(platform for platform in _CONNECTABLE if workspace.places.connects(platform))


class Connecting:
    """Connects accounts on behalf of a widget, one at a time.

    Args:
        on_key_wanted: called if the user wants to enter an API key that may connect accounts.
    """

    def __init__(
        self, host: QWidget, workspace: Workspace, on_key_wanted: Callable[[], None] | None = None
    ) -> None:
        self._host, self._workspace, self._on_key_wanted = host, workspace, on_key_wanted
        self._scope = TaskScope(host)
        self._retry = asyncio.Event()
        self._skipped = False
        self._flow: ConnectionFlow | None = None
        self._server = ""
        """The server of the account, for networks with many servers."""
        self._begun: ConnectionFlow | None = None
        """The flow that the first attempt continues."""
        self.sheet: AnySheet | None = None

    async def connect_again(self, accounts: Sequence[Account]) -> list[Account]:
        """Reconnect accounts, one after the other; return the reconnected ones.

        Each can be skipped; giving one up cancels the rest. Accounts reconnected meanwhile are left out.
        """
        back: list[Account] = []
        for number, account in enumerate(accounts, 1):
            known = self._workspace.accounts.get(account.key)
            if known is None or (known.is_available and len(accounts) > 1):
                continue
            self._skipped = False
            place = tr("{number} of {count}", number=number, count=len(accounts)) if len(accounts) > 1 else ""
            found = await self.connect(account.platform, known, place)
            if found is not None:
                back.append(found)
            elif not self._skipped:
                break
        return back

    async def connect(
        self, platform: ConnectionPlatform, again: Account | None = None, place: str = ""
    ) -> Account | None:
        """Show a sheet until an account is connected; return None if the user gave up.

        ``again``: only accept this account of the platform; ``place``: its position among several, like "2 of
        3".
        """
        if self.sheet is not None:
            self.sheet.raise_()
            return None
        if CARDS[platform].is_by_hand:
            return await self._add_by_hand(platform, again)
        if CARDS[platform].sign_in is SignIn.HANDLE:
            return await self._use_handle(platform, again, place)
        return await self._use_browser(platform, again, place)

    async def _use_handle(
        self, platform: ConnectionPlatform, again: Account | None, place: str
    ) -> Account | None:
        """Ask for the handle; the user may choose an app password instead, which older services need."""
        if not self._workspace.places.takes_handles:
            return await self._sign_in(platform, again, place)
        sheet = await self._ask_for_server(platform, again, place)
        if sheet.wants_password:
            return await self._sign_in(platform, again, place, sheet.named)
        if sheet.flow is None:
            return None
        return await self._wait_for_browser(platform, again, place)

    async def _use_browser(
        self, platform: ConnectionPlatform, again: Account | None, place: str
    ) -> Account | None:
        """Ask for the server if the network has many, then wait for the browser."""
        has_server = CARDS[platform].sign_in is SignIn.OWN_SERVER
        self._server, self._begun = (again.handle or "") if again and has_server else "", None
        if has_server and not self._server:
            await self._ask_for_server(platform)
            if self._begun is None:
                return None
        return await self._wait_for_browser(platform, again, place)

    async def _wait_for_browser(
        self, platform: ConnectionPlatform, again: Account | None, place: str
    ) -> Account | None:
        """Show the sheet that waits for the browser until an account is connected."""
        name = again.name if again is not None else ""
        practice = self._workspace.practice
        self.sheet = sheet = WaitingSheet(
            self._host, platform.value, practice=practice, again=name, place=place
        )
        sheet.skipped.connect(self._skip)
        gone = asyncio.Event()
        sheet.closed.connect(gone.set)
        sheet.closed.connect(lambda: self._forget(sheet))
        sheet.retry.connect(self._retry.set)
        sheet.key_wanted.connect(self._want_key)
        sheet.open_again.connect(self._open_page)
        sheet.pasted.connect(lambda address: self._scope.start(self._paste(address)))
        sheet.present()
        attempts = self._scope.start(self._attempts(sheet, platform, again))
        given_up = self._scope.start(gone.wait())
        try:
            await asyncio.wait({attempts, given_up}, return_when=asyncio.FIRST_COMPLETED)
            return await attempts if attempts.done() else None
        finally:
            attempts.cancel()
            given_up.cancel()
            self._forget(sheet)
            if isValid(sheet):
                sheet.dismiss()

    async def _add_by_hand(self, platform: ConnectionPlatform, again: Account | None) -> Account | None:
        """Ask for a platform and a handle; both are known if an account is reconnected."""
        places = self._workspace.places
        if again is not None:
            return await places.connect(platform, again.handle or again.identifier, "")
        return await self._finished(ByHandSheet(self._host, places, platform))

    async def _sign_in(
        self, platform: ConnectionPlatform, again: Account | None, place: str, handle: str = ""
    ) -> Account | None:
        """Show the sheet that asks for an app password until it's closed."""
        sheet = AppPasswordSheet(
            self._host,
            self._workspace.places,
            platform,
            practice=self._workspace.practice,
            again=again,
            place=place,
            handle=handle,
        )
        sheet.skipped.connect(self._skip)
        return await self._finished(sheet)

    async def _finished(self, sheet: AppPasswordSheet | ByHandSheet) -> Account | None:
        """Show a sheet until it's closed; return its account."""
        self.sheet = sheet
        gone = asyncio.Event()
        sheet.closed.connect(gone.set)
        sheet.present(sheet.first)
        try:
            await gone.wait()
            return sheet.account
        finally:
            self._forget(sheet)
            if isValid(sheet):
                sheet.dismiss()

    async def _ask_for_server(
        self, platform: ConnectionPlatform, again: Account | None = None, place: str = ""
    ) -> ServerSheet:
        """Show the sheet that asks for a server or handle until it's closed, and store the flow it began."""
        flows, practice = self._workspace.flows, self._workspace.practice
        self.sheet = sheet = ServerSheet(
            self._host,
            lambda server: flows.begin(platform, server=server),
            platform,
            practice=practice,
            again=again,
            place=place,
        )
        sheet.skipped.connect(self._skip)
        gone = asyncio.Event()
        sheet.closed.connect(gone.set)
        sheet.present(sheet.line)
        try:
            await gone.wait()
            self._server, self._begun = sheet.named, sheet.flow
            return sheet
        finally:
            self._forget(sheet)
            if isValid(sheet):
                sheet.dismiss()

    async def _attempts(
        self, sheet: WaitingSheet, platform: ConnectionPlatform, again: Account | None
    ) -> Account | None:
        """Retry until an account is connected; return None if the sheet was closed meanwhile."""
        while True:
            try:
                account = await self._attempt(sheet, platform, again)
            except Problem as problem:
                if self.sheet is not sheet:
                    return None
                self._retry.clear()
                if problem.kind == "forbidden":
                    sheet.show_forbidden(problem.details, takes_key=self._on_key_wanted is not None)
                else:
                    sheet.show_problem(problem.text, problem.details)
                if problem.kind in ("denied", "failed"):  # the browser is in front then
                    self._bring_to_front()
                await self._retry.wait()
            else:
                if self.sheet is not sheet:
                    return None
                sheet.show_account(account.name)
                self._bring_to_front()
                await asyncio.sleep(_ARRIVED_S)
                return account

    async def _attempt(
        self, sheet: WaitingSheet, platform: ConnectionPlatform, again: Account | None
    ) -> Account:
        sheet.show_beginning()
        begun, self._begun = self._begun, None
        flow = begun or await self._workspace.flows.begin(platform, again, self._server)
        self._flow = flow
        try:
            sheet.show_link(
                flow.url, (urlsplit(flow.url).hostname or "").removeprefix("www."), flow.expires_at
            )
            self._open_page()
            return await flow.account()
        finally:
            self._flow = None
            flow.cancel()

    def _forget(self, sheet: AnySheet) -> None:
        """Forget the sheet, unless another one has replaced it."""
        if self.sheet is sheet:
            self.sheet = None  # Qt deletes it soon after

    def _skip(self) -> None:
        self._skipped = True
        if self.sheet is not None:
            self.sheet.dismiss()

    def _want_key(self) -> None:
        if self.sheet is not None and self._on_key_wanted is not None:
            self.sheet.dismiss()
            self._on_key_wanted()

    def _open_page(self) -> None:
        if self._flow is not None and isinstance(self.sheet, WaitingSheet):
            self.sheet.show_opened(opened=open_page(self._flow.url, is_secret=True))

    async def _paste(self, address: str) -> None:
        flow, sheet = self._flow, self.sheet
        if flow is None or not isinstance(sheet, WaitingSheet):
            return
        try:
            choice = await flow.paste(address)
        except Problem as problem:
            if self.sheet is sheet:
                sheet.show_paste_problem(problem.text)
        else:
            if self.sheet is sheet and choice:
                sheet.show_choice(flow.url)
                self._open_page()
            elif self.sheet is sheet:
                sheet.show_pasted()

    def _bring_to_front(self) -> None:
        window = self._host.window()
        window.raise_()
        window.activateWindow()
