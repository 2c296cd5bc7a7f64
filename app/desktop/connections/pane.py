"""The pane of connected accounts."""

from collections import defaultdict
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from app.contract.enums import ConnectionPlatform, PostStatus
from app.desktop.connections.account_card import AccountCard, Faces, NetworkTile, NextAccount
from app.desktop.connections.boards import BoardSheet
from app.desktop.connections.by_hand import ABOUT as BY_HAND
from app.desktop.connections.card_grid import GAP, CardGrid
from app.desktop.connections.connecting import Connecting, connectable, offered
from app.desktop.connections.first_account import FirstAccount
from app.desktop.connections.standing import standing
from app.desktop.connections.tiktok_sheet import TikTokSheet
from app.desktop.kit.card_skeleton import CardRow, CardSkeleton
from app.desktop.kit.service_pane import ServicePane
from app.desktop.local_time import local, today
from app.desktop.opening import open_page
from app.desktop.settings.rows import ConfirmSheet
from app.desktop.theme import theme
from app.desktop.widgets import (
    Chip,
    EmptyState,
    FlowLayout,
    Label,
    Menu,
    danger,
    ends_of,
    keep_room,
    line_of,
    primary,
    scrolled,
    secondary,
)
from app.desktop.widgets.in_use import is_in_use
from app.desktop.words import clock, platform_name, when
from app.language import number, tr, trn
from app.platforms.cards import COMPANION_NETWORKS, by_hand_key, is_by_hand
from app.workspace.accounts.account import Account
from app.workspace.changes import Changes
from app.workspace.messages import Message, Problem
from app.workspace.posts.planned import PlannedPost
from app.workspace.workspace import Workspace

_PAUSE_MS = 200
_MINUTE_MS = 60_000
_PORTION = 60
_SHAPE = (CardRow(200, (1, 1, 1)),) * 3
_ORDER = {"ended": 0, "soon": 1, "fine": 2}
_NOTHING = tr("No accounts connected yet. Once a platform is set up, connecting takes about a minute.")

_FILTERS: dict[str, tuple[str, Callable[[Account], bool]]] = {
    "all": (tr("All"), lambda _account: True),
    "working": (tr("Working"), lambda account: account.is_available),
    "ended": (tr("Needs attention"), lambda account: not account.is_available),
}


class ConnectionsPane(ServicePane):
    """Cards of all accounts; those that need attention come first."""

    connected = Signal(str)
    """The key of an account that was connected from here."""
    set_up_wanted = Signal()
    """The user wants to set up platforms."""
    samples_wanted = Signal()
    """The user wants to see the sample week."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace, tr("Connections"), CardSkeleton(_SHAPE, gap=GAP))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the cards take it
        self._filter = "all"
        self._most = _PORTION
        """Maximum number of cards to build."""
        self._connecting = Connecting(self, workspace, self.key_wanted.emit)
        self._faces = Faces(self, workspace.faces, self.cards)
        self.connect_button = primary(tr("Connect account"), "plus")
        self.set_up_button = secondary(tr("Set up platforms"), "sliders-horizontal")
        self.reconnect_all = secondary("", "plug", size="small")
        self._strip_row = QWidget()
        self._board_counts: dict[str, int] = {}
        self._renews = self._chooses = self._has_places = False
        self.chips = {key: Chip("") for key in _FILTERS}
        self._checked = Label("", "card", "text3")
        self._grid = CardGrid()
        self._cards, self._waiting = scrolled(self._grid), _padded(self.loading)
        self.empty = EmptyState("plug", _NOTHING, tr("Connect account"), kind="primary")
        self.first: FirstAccount | None = None
        self._first_offers: tuple[tuple[ConnectionPlatform, ...], bool] = ((), False)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._days = QTimer(self)
        self._days.setInterval(_MINUTE_MS)
        self._lay_out()
        self._connect()
        self.rebuild()

    async def connect_platform(self, platform: str) -> Account | None:
        """Connect an account of a platform through the browser; return None if the user gave up."""
        account = await self._connecting.connect(ConnectionPlatform(platform))
        if account is not None:
            self.connected.emit(account.key)
        return account

    def connect_again(self, key: str) -> None:
        """Reconnect an account through the browser; do nothing if no account has this key."""
        if (account := self._workspace.accounts.get(key)) is not None:
            self._scope.start(self._connecting.connect_again([account]))

    @property
    def sheet(self) -> QWidget | None:
        """The waiting sheet, while it's open."""
        return self._connecting.sheet

    def cards(self) -> list[AccountCard]:
        """Return the cards in order."""
        return self._grid.cards()

    async def fetch(self) -> None:
        await self._workspace.refresh()

    def has_data(self) -> bool:
        return bool(self._workspace.accounts)

    def rebuild(self) -> None:
        """Rebuild all cards, once no card's menu is open and no button is pressed."""
        if is_in_use(self._grid):
            self._pause.start()
            return
        accounts = list(self._workspace.accounts.values())
        self._renews, self._chooses = self._workspace.flows.renews, self._workspace.tiktok.offered
        self._has_places = self._workspace.places.offered
        self._show_counts(accounts)
        self._offer_first_account()
        self._show_page()
        self.connect_button.setVisible(bool(accounts) or self.first is not None)
        self.connect_button.set_kind("primary" if accounts else "secondary")
        self._chip_row.setVisible(bool(accounts))
        cards = self._account_cards(accounts)
        if (more := sum(map(_FILTERS[self._filter][1], accounts)) - len(cards)) > 0:
            cards.append(self._more(more))
        if self._filter != "ended":
            cards += [*self._network_tiles(), self._next_account()]
        self._grid.set_cards(cards, self.width())
        if self.isVisible():
            self._faces.show()

    def showEvent(self, event: QShowEvent) -> None:
        """Load the pictures, once the cards are there."""
        super().showEvent(event)
        self._faces.show()

    def _succeeded(self) -> None:
        """Do nothing: the strip and the page follow the sync state instead."""

    def _show_problem(self, problem: Problem) -> None:
        if not (self.strip.isVisible() or self.failed.isVisible()):  # otherwise the error is already shown
            self.told.emit(problem.message())

    def _reconnected(self) -> None:
        """Do nothing: accounts are part of every sync."""

    def _show_page(self) -> None:
        """Show the cards, or why there are no accounts."""
        sync = self._workspace.sync
        trouble = sync.trouble if sync.last_synced is None else None
        self.failed.set_text(trouble or "")
        accounts = self._workspace.accounts
        waits = not accounts and not trouble and sync.last_synced is None
        other = self.failed if trouble else self._waiting if waits else self._nothing_page
        self.pages.setCurrentWidget(self._cards if accounts else other)
        keep_room(self._chip_row, waits)  # so that nothing jumps once there are accounts
        self.set_up_button.setVisible(self._workspace.setups.offered)
        synced = sync.last_synced
        at = when(local(synced), today()) if synced else tr("an earlier time")
        away = bool(accounts) and sync.is_away
        said = (sync.problem or sync.trouble or "").rstrip(".")
        text = tr("{said}. Showing accounts from {at}.", said=said, at=at) if away else ""
        self._offer_remedy("key_refused" if sync.key_refused else "")
        self.strip.say(text, "bad" if sync.key_refused else "warn")
        self._strip_row.setVisible(away)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put as many cards in a row as fit."""
        super().resizeEvent(event)
        self._grid.fit(self.width())

    def _account_cards(self, accounts: list[Account]) -> list[QWidget]:
        scheduled = self._scheduled()
        wanted = _FILTERS[self._filter][1]
        found = [
            (standing(account, scheduled[account.key]), account) for account in accounts if wanted(account)
        ]
        found.sort(key=lambda one: _ORDER[one[0].urgency])
        cards: list[QWidget] = []
        for how, account in found[: self._most]:
            can_connect = account.platform in connectable() or is_by_hand(account.platform)
            card = AccountCard(
                account,
                len(scheduled[account.key]),
                how,
                can_connect=can_connect,
                can_renew=self._renews or account.platform in COMPANION_NETWORKS,
                can_choose=self._chooses,
            )
            card.tiktok_wanted.connect(self._show_tiktok)
            card.connect_again.connect(self.connect_again)
            card.boards_wanted.connect(self._show_boards)
            card.disconnect_wanted.connect(self._ask_to_disconnect)
            if (count := self._board_counts.get(account.key)) is not None:
                card.show_boards(count)
            elif account.platform is ConnectionPlatform.PINTEREST:
                self._scope.start(self._count_boards(account.key))
            cards.append(card)
        return cards

    def _more(self, number: int) -> QWidget:
        """Return a button for the remaining cards, which are built on request because that takes time."""
        more = secondary(trn("Show {n} more account", "Show {n} more accounts", number), "chevron-down")
        more.clicked.connect(self._show_more)
        return more

    def _show_more(self) -> None:
        shown = len(self.cards())
        self._most += _PORTION
        self.rebuild()
        if len(cards := self.cards()) > shown:
            cards[shown].setFocus(Qt.FocusReason.OtherFocusReason)

    async def _count_boards(self, key: str) -> None:
        known = await self._workspace.boards.known(key)
        if known is not None:
            self._take_board_count(key, len(known))

    def _take_board_count(self, key: str, count: int) -> None:
        self._board_counts[key] = count
        for card in self.cards():
            if card.account.key == key:
                card.show_boards(count)

    def _show_boards(self, key: str) -> None:
        if (account := self._workspace.accounts.get(key)) is not None:
            sheet = BoardSheet(self, self._workspace.boards, account)
            sheet.counted.connect(self._take_board_count)
            sheet.present()

    def _show_tiktok(self, key: str) -> None:
        if (account := self._workspace.accounts.get(key)) is not None:
            TikTokSheet(self, self._workspace.tiktok, account).present()

    def _ask_to_disconnect(self, key: str) -> None:
        if (account := self._workspace.accounts.get(key)) is None:
            return
        platform, count = platform_name(account.platform.value), len(self._scheduled()[key])
        text = tr("Kalends deletes its access and can no longer publish there.")
        if is_by_hand(account.platform):
            text = tr("Kalends no longer reminds you to publish there.")
        if count:
            posts = trn(
                "{n} scheduled post will fail unless you reconnect the account.",
                "{n} scheduled posts will fail unless you reconnect the account.",
                count,
            )
            text = f"{text} {posts}"
        title = tr("Disconnect {account} from {platform}?", account=account.name, platform=platform)
        sheet = ConfirmSheet(self, title, text, danger(tr("Disconnect"), "unplug"))
        sheet.ask(lambda: self._scope.start(self._disconnect(account)))

    async def _disconnect(self, account: Account) -> None:
        await self._workspace.places.disconnect(account)
        self.told.emit(Message("info", tr("{account} was disconnected.", account=account.name)))

    def _scheduled(self) -> defaultdict[str, list[PlannedPost]]:
        found: defaultdict[str, list[PlannedPost]] = defaultdict(list)
        for post in self._workspace.posts.all():
            if post.status is PostStatus.SCHEDULED:
                found[post.account_key].append(post)
        return found

    def _next_account(self) -> NextAccount:
        tile = NextAccount([platform.value for platform in offered(self._workspace)])
        tile.clicked.connect(lambda: self._offer(tile))
        return tile

    def _network_tiles(self) -> list[QWidget]:
        """Return a tile for each network that needs no developer app and has no account yet."""
        connected = {account.platform for account in self._workspace.accounts.values()}
        platforms = offered(self._workspace)
        missing = (one for one in COMPANION_NETWORKS if one in platforms and one not in connected)
        tiles: list[QWidget] = [self._network_tile(platform) for platform in missing]
        if self._workspace.places.offered and not any(map(is_by_hand, connected)):
            tile = NetworkTile("", BY_HAND, tr("Publish by hand"))
            tile.clicked.connect(self._begin_by_hand)
            tiles.append(tile)
        return tiles

    def _begin_by_hand(self) -> None:
        self._start(ConnectionPlatform(by_hand_key(ConnectionPlatform.X)))

    def _first_ways(self) -> tuple[tuple[ConnectionPlatform, ...], bool]:
        """Return the networks that need no developer app, and whether platforms can be set up."""
        workspace = self._workspace
        networks = tuple(one for one in offered(workspace) if one.value in COMPANION_NETWORKS)
        return networks, workspace.setups.offered and not workspace.practice

    def _offer_first_account(self) -> None:
        """Show the ways to connect a first account that the service supports."""
        if self._workspace.accounts or self._first_ways() == self._first_offers:
            return
        networks, has_set_up = self._first_offers = self._first_ways()
        if self.first is not None:
            self.first.hide()
            self.first.deleteLater()
            self.first = None
        self.empty.setVisible(not networks)
        if not networks:
            return
        self.first = first = FirstAccount(networks, has_set_up=has_set_up)
        first.network_chosen.connect(lambda platform: self._start(ConnectionPlatform(platform)))
        first.by_hand_chosen.connect(self._begin_by_hand)
        first.set_up_chosen.connect(self.set_up_wanted)
        first.samples_wanted.connect(self.samples_wanted)
        self._nothing_column.addWidget(first, 1)

    def _network_tile(self, platform: str) -> NetworkTile:
        tile = NetworkTile(platform)
        tile.clicked.connect(lambda: self._start(ConnectionPlatform(platform)))
        return tile

    def _show_counts(self, accounts: list[Account]) -> None:
        for key, (label, wanted) in _FILTERS.items():
            chip = self.chips[key]
            chip.setText(f"{label} {number(sum(map(wanted, accounts)))}")
            chip.updateGeometry()
        lost = self._lost()
        self.reconnect_all.setText(tr("Reconnect all ({count})", count=len(lost)))
        self.reconnect_all.setVisible(len(lost) > 1)
        synced = self._workspace.sync.last_synced
        self._checked.setText(tr("Checked at {time}", time=clock(local(synced))) if synced else "")

    def _offer(self, origin: QWidget) -> None:
        """Let the user choose the platform, unless there is only one."""
        platforms = offered(self._workspace)
        if len(platforms) == 1 and not self._workspace.places.offered:
            self._start(platforms[0])
            return
        menu = Menu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for platform in platforms:
            menu.add(
                tr("{platform} (practice)", platform=platform_name(platform.value))
                if self._workspace.practice
                else platform_name(platform.value),
                partial(self._start, platform),
                icon=f"brand:{platform.value}",
            )
        if self._workspace.places.offered:
            menu.addSeparator()
            menu.add(tr("Publish by hand"), self._begin_by_hand, icon="bell")
        menu.addSeparator()
        menu.add(tr("Threads and API keys, in the browser"), self._open_integrations, icon="external-link")
        menu.open_below(origin)
        menu.setActiveAction(menu.actions()[0])

    def _open_integrations(self) -> None:
        self._scope.start(self._visit_integrations())

    async def _visit_integrations(self) -> None:
        if page := await self._workspace.flows.integrations_page():
            open_page(page, service=self._workspace.base_url, is_secret=True)

    def _lost(self) -> list[Account]:
        """Return the accounts that must be reconnected, and can be from here."""
        accounts = self._workspace.accounts.values()
        return [one for one in accounts if not one.is_available and one.platform in connectable()]

    def _connect_all_again(self) -> None:
        self._scope.start(self._connect_each_again(self._lost()))

    async def _connect_each_again(self, lost: list[Account]) -> None:
        back = await self._connecting.connect_again(lost)
        accounts = trn("{n} account", "{n} accounts", len(lost))
        text = trn(
            "{n} of {accounts} reconnected.",
            "{n} of {accounts} reconnected.",
            len(back),
            accounts=accounts,
        )
        self.told.emit(Message("info", text))

    def _pass_time(self) -> None:
        """Update the countdowns."""
        scheduled = self._scheduled()
        told = [standing(card.account, scheduled[card.account.key]) for card in self.cards()]
        if told != [card.standing for card in self.cards()]:
            self.rebuild()

    def _start(self, platform: ConnectionPlatform) -> None:
        self._scope.start(self.connect_platform(platform.value))

    def _choose_filter(self, button: QAbstractButton) -> None:
        self._filter = next(key for key, chip in self.chips.items() if chip is button)
        self.rebuild()

    def _changed(self, changes: Changes) -> None:
        super()._changed(changes)
        workspace = self._workspace
        now = workspace.flows.renews, workspace.tiktok.offered, workspace.places.offered
        offers_more = changes.sync and now != (self._renews, self._chooses, self._has_places)
        if changes.sync and not workspace.accounts:
            offers_more = offers_more or self._first_ways() != self._first_offers
        if changes.accounts or changes.reset or offers_more:
            self.rebuild()
        elif changes.posts or changes.removed:
            self._pause.start()
        elif changes.sync:
            self._show_page()
            self._show_counts(list(self._workspace.accounts.values()))

    def _connect(self) -> None:
        self.connect_button.clicked.connect(lambda: self._offer(self.connect_button))
        self.empty.acted.connect(lambda: self._offer(self.empty.focusProxy() or self.empty))
        self.set_up_button.clicked.connect(self.set_up_wanted)
        self.reconnect_all.clicked.connect(self._connect_all_again)
        self._add_commands("connections", tr("Connections"), tr("Refresh the connections"))
        self._pause.timeout.connect(self.rebuild)
        self._days.timeout.connect(self._pass_time)
        self._days.start()

    def _lay_out(self) -> None:
        gutter = theme.current().metrics.gutter
        # The title stays where it is when the buttons come.
        title = line_of(Label(tr("Connections"), "title"), least=theme.current().metrics.control)
        head = ends_of(title, self.refresh_button, self.set_up_button, self.connect_button)
        self._chip_row = self._chips()
        self._nothing = QWidget()
        self._nothing_column = nothing = QVBoxLayout(self._nothing)
        nothing.setContentsMargins(0, 0, 0, 0)
        nothing.setSpacing(0)
        nothing.addWidget(self.empty, 1)
        self._nothing_page = scrolled(self._nothing)
        for page in (self._nothing_page, self._cards, self._waiting):
            self.pages.addWidget(page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 12, 0, 0)
        outer.setSpacing(0)
        head.setContentsMargins(gutter, 0, gutter, 0)
        outer.addWidget(head)
        outer.addWidget(self._chip_row)
        beside = QHBoxLayout(self._strip_row)
        beside.setContentsMargins(gutter, 0, gutter, 10)
        beside.addWidget(self.strip)
        outer.addWidget(self._strip_row)
        outer.addWidget(self.pages, 1)

    def _chips(self) -> QWidget:
        gutter = theme.current().metrics.gutter
        group, holder = QButtonGroup(self), QWidget()
        row = FlowLayout(holder, 10)
        row.setContentsMargins(gutter, 8, gutter, 10)
        for chip in self.chips.values():
            group.addButton(chip)
            row.addWidget(chip)
        self.chips["all"].setChecked(True)
        group.buttonClicked.connect(self._choose_filter)
        row.add_far(self.reconnect_all, line_of(self._checked, least=theme.current().metrics.chip))
        return holder


def _padded(skeleton: QWidget) -> QWidget:
    gutter, holder = theme.current().metrics.gutter, QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(gutter, 0, gutter, gutter)
    column.addWidget(skeleton)
    skeleton.show()  # hidden by the stack of pages when it was removed
    return holder
