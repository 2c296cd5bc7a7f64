"""The panel for setting up the platforms of a service."""

from collections.abc import Coroutine, Sequence
from functools import partial
from typing import Any, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.contract.platform_setup import PlatformSetup
from app.desktop.aio import TaskScope
from app.desktop.settings.rows import removal
from app.desktop.setup import wording
from app.desktop.setup.packs import PackPage, PackRow, PackWork
from app.desktop.setup.page import PlatformPage
from app.desktop.widgets import (
    Button,
    EmptyState,
    IconLabel,
    Label,
    Panel,
    SidePanel,
    Skeleton,
    announce,
    secondary,
)
from app.desktop.widgets.painting import insets
from app.language import tr
from app.platforms.card import Card, SignIn
from app.platforms.cards import CARDS, by_hand_key
from app.workspace.changes import Changes
from app.workspace.messages import Message, Problem
from app.workspace.workspace import Workspace

_WHY = tr(
    "Most platforms require an app you register yourself. Its credentials go "
    "to the service, which encrypts them and never shows them again."
)
_NO_APP: Final = {
    SignIn.HANDLE: tr("Needs only your handle"),
    SignIn.OWN_SERVER: tr("Needs only the name of your server"),
}
_FIELDS = frozenset({"client_id", "client_secret", "redirect_uri"})


class SetupPanel(SidePanel):
    """A list of all platforms, or the page of one or of a setup pack.

    Args:
        workspace: its service is set up.
        platform: the one to show first, "" for the list.
    """

    told = Signal(object)
    """A Message for the user."""
    connect_wanted = Signal(str)
    """Connect an account of a network that needs no developer app."""

    def __init__(self, workspace: Workspace, platform: str = "") -> None:
        super().__init__(tr("Set up platforms"))
        self._workspace = workspace
        self._scope = TaskScope(self, self._show_problem)
        self._first = platform
        self.setups: list[PlatformSetup] = []
        self.page: PlatformPage | None = None
        self.pack_page: PackPage | None = None
        self.pack_row: PackRow | None = None
        self._waiting_pack: PackPage | None = None
        self.packs = PackWork(workspace, self)
        self._tested: frozenset[str] = frozenset()
        self.rows: dict[str, Button] = {}
        self._listed: list[Card] = []
        self.loading, self.failed = Skeleton(8), EmptyState("triangle-alert", "", tr("Try again"))
        self._list = QWidget()
        self._rows = QVBoxLayout(self._list)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(8)
        for widget in (self.loading, self.failed, self._list):
            self.body.addWidget(widget)
            widget.hide()
        self.body.addStretch(1)
        self.failed.acted.connect(self.refresh)
        self._connect_packs()
        stop = workspace.listen(self._changed)
        self.destroyed.connect(lambda _object=None: stop())
        self.refresh()

    def refresh(self) -> None:
        """Request the current setup from the service."""
        self._only(self.loading)
        self._scope.start(self._ask())

    def open(self, platform: str) -> None:
        """Show the page of a platform."""
        self._leave_page()
        setup = next((one for one in self.setups if one.platform.value == platform), None)
        if setup is None:
            return
        self.page = page = PlatformPage(setup, practice=self._workspace.practice)
        page.left.connect(self.show_all)
        page.given.connect(lambda *given: self._begin(page, self._keep(page, *given)))
        page.forgotten.connect(lambda: self._ask_to_forget(page))
        by_hand = by_hand_key(platform)
        page.by_hand.clicked.connect(lambda: self.connect_wanted.emit(by_hand))
        self._offer_by_hand(page)
        page.tested.connect(lambda: self._begin(page, self._test(page)))
        self.body.insertWidget(0, page)
        self._only(page)
        page.back.setFocus()
        self._test_again(page)

    def _test_again(self, page: PlatformPage) -> None:
        """Run the checks that the user would start after a step."""
        self._tested = self._connected(page)
        if page.setup.credentials and not self._workspace.practice:
            self._begin(page, self._test(page))

    def _connect_packs(self) -> None:
        self.packs.shown.connect(self._show_pack)
        self.packs.left.connect(self.show_all)
        self.packs.used.connect(self._take_all)
        self.packs.told.connect(self.told)
        self.packs.failed.connect(self._show_unusable_pack)

    def _show_pack(self, page: PackPage) -> None:
        """Show a pack, but don't close a page that was opened while its file was read."""
        if self.page is not None or self.pack_page is not None:
            self._waiting_pack = page
            self.told.emit(Message("info", tr("The setup pack opens when you leave this page.")))
            return
        self.pack_page = page
        self.body.insertWidget(0, page)
        self._only(page)
        page.back.setFocus()

    def _take_all(self, page: PackPage, setups: list[PlatformSetup]) -> None:
        for setup in setups:
            self._replace(setup)
        if self.pack_page is page:
            self.show_all()
        else:
            self._update_list()

    def _show_unusable_pack(self, text: str) -> None:
        if self.pack_row is not None:
            self.pack_row.strip.say(text, "bad", can_act=False)
            announce(self, text)
        else:
            self.told.emit(Message("error", text))

    def show_all(self) -> None:
        """Show the list of platforms, or a pack that waits for its turn."""
        before = self.page.setup.platform.value if self.page is not None else ""
        self._leave_page()
        waiting, self._waiting_pack = self._waiting_pack, None
        if waiting is not None:
            self._show_pack(waiting)
            return
        self._fill()
        self._only(self._list)
        self._focus_row(before)

    def _changed(self, changes: Changes) -> None:
        """Show networks that need no app as soon as the service is known to have them."""
        if changes.accounts and self.page is not None and self._connected(self.page) != self._tested:
            self._test_again(self.page)
        if not changes.sync or self._networks() == self._listed:
            return
        if self.page is not None:
            self._offer_by_hand(self.page)
        elif not self._list.isHidden():
            before = next((name for name, button in self.rows.items() if button.hasFocus()), "")
            self._fill()
            self._focus_row(before)

    def _offer_by_hand(self, page: PlatformPage) -> None:
        by_hand = by_hand_key(page.setup.platform)
        page.offer_by_hand(is_offered=bool(by_hand) and self._workspace.places.offered)

    def _connected(self, page: PlatformPage) -> frozenset[str]:
        """Return the keys of the platform's usable accounts."""
        accounts = self._workspace.accounts.values()
        here = (one for one in accounts if one.platform == page.setup.platform)
        return frozenset(one.key for one in here if one.is_available)

    async def _ask(self) -> None:
        self.setups = await self._workspace.setups.all()
        first, self._first = self._first, ""
        self.show_all()
        if first:
            self.open(first)

    async def _keep(
        self, page: PlatformPage, client_id: str, secret: str, address: str, inbox_only: bool
    ) -> None:
        platform, name = page.setup.platform, page.setup.name
        kept = await self._workspace.setups.keep(platform, client_id, secret, address, inbox_only=inbox_only)
        was_shown = self.page
        self._take(page, kept)
        self.told.emit(Message("info", tr("The app for {name} was saved.", name=name)))
        if self.page is not None and self.page is was_shown and self.page.setup.platform == platform:
            self._begin(self.page, self._test(self.page))

    def _ask_to_forget(self, page: PlatformPage) -> None:
        """Ask first: nobody can bring the secret back."""
        text = tr(
            "The service deletes its ID and secret, and can't show them again. Accounts connected with it "
            "work until their access expires."
        )
        sheet = removal(self, tr("Remove the app for {name}?", name=page.setup.name), text)
        sheet.ask(lambda: self._begin(page, self._forget(page)))

    async def _forget(self, page: PlatformPage) -> None:
        self._take(page, await self._workspace.setups.forget(page.setup.platform))
        text = tr(
            "The app for {name} was removed. Its accounts work until their access expires.",
            name=page.setup.name,
        )
        self.told.emit(Message("info", text))

    async def _test(self, page: PlatformPage) -> None:
        found = await self._workspace.setups.test(page.setup.platform)
        if self.page is page:
            page.show_checks(found)
            page.set_busy(busy=False)

    def _begin(self, page: PlatformPage, work: Coroutine[Any, Any, None]) -> None:
        """Start work for a page, which the user may leave before it's done."""
        if isValid(page):
            page.say("")
            page.set_busy(busy=True)
        self._scope.start(work, partial(self._show_refusal, page))

    def _take(self, page: PlatformPage, setup: PlatformSetup) -> None:
        """Store a platform's new setup, and update its page or the list if it's shown."""
        self._replace(setup)
        if self.page is page:
            self.open(setup.platform.value)
        else:
            self._update_list()

    def _update_list(self) -> None:
        """Fill the list again, unless a page is shown instead."""
        if self.page is None and self.pack_page is None:
            focused = next((name for name, button in self.rows.items() if button.hasFocus()), "")
            self._fill()
            self._focus_row(focused)

    def _replace(self, setup: PlatformSetup) -> None:
        self.setups = [setup if one.platform == setup.platform else one for one in self.setups]

    def _show_problem(self, problem: Problem) -> None:
        self.failed.set_text(problem.text)
        self._only(self.failed)

    def _show_refusal(self, page: PlatformPage, problem: Problem) -> None:
        if self.page is not page:
            self.told.emit(problem.message())
            return
        page.set_busy(busy=False)
        if problem.kind in _FIELDS and page.keys is not None:
            page.keys.refuse(problem.kind, problem.text)
        else:
            page.say(problem.text)

    def _focus_row(self, platform: str) -> None:
        if platform in self.rows:
            self.rows[platform].setFocus()

    def _leave_page(self) -> None:
        for page in (self.page, self.pack_page):
            if page is not None:
                page.hide()
                page.deleteLater()
        self.page = self.pack_page = None

    def _only(self, shown: QWidget) -> None:
        for widget in (self.loading, self.failed, self._list):
            widget.setVisible(widget is shown)
        for page in (self.page, self.pack_page):
            if page is not None:
                page.setVisible(page is shown)

    def _fill(self) -> None:
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.rows = {}
        self._listed = self._networks()
        for network in self._listed:
            self._rows.addWidget(self._network_row(network))
        why = Label(_WHY, "card", "text2", wrap=True)
        why.setContentsMargins(0, 8, 0, 4)
        self._rows.addWidget(why)
        for setup in _known(self.setups):
            self._rows.addWidget(self._row(setup))
        self._add_packs()

    def _add_packs(self) -> None:
        self.pack_row = None
        if not self.packs.offered:
            return
        ready = [setup for setup in _known(self.setups) if setup.credentials]
        self.pack_row = row = PackRow(can_make=bool(ready))
        row.use.clicked.connect(self.packs.ask)
        row.make.clicked.connect(lambda: self.packs.begin_making(ready))
        self._rows.addWidget(row)

    def _networks(self) -> list[Card]:
        """Return the networks that need no app, as far as the service has them."""
        places = self._workspace.places
        return [card for card in _without_app() if places.offered and places.connects(card.key)]

    def _network_row(self, card: Card) -> QWidget:
        button = secondary(tr("Connect"), size="small")
        needs = _NO_APP[card.sign_in]
        button.setAccessibleName(f"{button.text()} {card.name}: {needs}")
        button.clicked.connect(lambda: self.connect_wanted.emit(card.key))
        self.rows[card.key] = button
        return _platform_row(card.key, card.name, needs, button)

    def _row(self, setup: PlatformSetup) -> QWidget:
        state = wording.state(setup, practice=self._workspace.practice)
        button = secondary(
            tr("Change") if setup.credentials and setup.changeable else tr("Open"), size="small"
        )
        if setup.changeable and not setup.credentials:
            button.setText(tr("Set up"))
        button.setAccessibleName(f"{button.text()} {setup.name}: {state}")
        button.clicked.connect(lambda: self.open(setup.platform.value))
        self.rows[setup.platform.value] = button
        return _platform_row(setup.platform.value, setup.name, state, button)


def _platform_row(platform: str, name: str, state: str, button: Button) -> QWidget:
    panel, words = Panel(), QVBoxLayout()
    words.setSpacing(1)
    words.addWidget(Label(name, "strong"))
    words.addWidget(Label(state, "card", "text3"))
    row = QHBoxLayout(panel)
    row.setContentsMargins(insets(14, 10, 12, 10))
    row.setSpacing(12)
    row.addWidget(IconLabel(f"brand:{platform}", "text", 18), 0, Qt.AlignmentFlag.AlignVCenter)
    row.addLayout(words, 1)
    row.addWidget(button)
    return panel


def _without_app() -> list[Card]:
    return [card for card in CARDS.values() if card.sign_in in _NO_APP]


def _known(setups: Sequence[PlatformSetup]) -> list[PlatformSetup]:
    """Leave out platforms of a newer service that this app doesn't know."""
    return [one for one in setups if one.platform.is_known]
