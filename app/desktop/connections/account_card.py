"""The card of an account, and the card for connecting another one."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.contract.enums import ConnectionPlatform
from app.desktop.aio import TaskScope
from app.desktop.connections.standing import Standing
from app.desktop.local_time import local
from app.desktop.theme import theme
from app.desktop.widgets import (
    Avatar,
    Button,
    Card,
    ElidedLabel,
    Face,
    IconButton,
    IconLabel,
    LinkButton,
    Menu,
    PracticeTag,
    Swatch,
    primary,
    secondary,
)
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import decoded, draw_icon, insets, rounded, shows_focus
from app.desktop.words import date_with_year, handle, platform_name
from app.language import number, tr, trn
from app.platforms.card import SignIn
from app.platforms.cards import CARDS, COMPANION_NETWORKS, brand_of
from app.workspace.accounts.account import Account
from app.workspace.accounts.book import EDGE, AccountPictures

HEIGHT = 200
_BEYOND = 6
"""How far the menu button overhangs, so that its dots align with the other content."""
_NONE = "–"  # noqa: RUF001  a dash
"""Shown instead of an unknown number."""

_TONES = {"ended": "bad", "soon": "warn", "fine": "text2"}

_READERS = {
    (False, False): tr("Followers"),
    (False, True): tr("Followers (sample)"),
    (True, False): tr("Subscribers"),
    (True, True): tr("Subscribers (sample)"),
}
"""Labels by whether the platform calls them subscribers, and whether the number is made up."""
_SIZE: Final = QSize(EDGE, EDGE)
_NO_APP_NEEDED: Final = {
    SignIn.HANDLE: tr("With your handle. No developer app needed."),
    SignIn.OWN_SERVER: tr("On your own server's page. No developer app needed."),
}
_LINE, _SIDE = 20, 24


class AccountCard(Card):
    """The account, three numbers, and in the footer how long its access lasts.

    Args:
        account: the account.
        scheduled: number of its scheduled posts.
        standing: the texts about its access.
        can_connect: whether this build can connect accounts of its platform.
        can_renew: whether the service reconnects an account before its access ends.
        can_choose: whether the service stores who can see the account's posts on TikTok.
    """

    connect_again = Signal(str)
    """The key of an account to reconnect."""
    tiktok_wanted = Signal(str)
    """The key of an account, to choose who can see its posts."""
    boards_wanted = Signal(str)
    """The key of an account, to list its boards."""

    disconnect_wanted = Signal(str)
    """The key of an account to disconnect."""

    def __init__(
        self,
        account: Account,
        scheduled: int,
        standing: Standing,
        *,
        can_connect: bool,
        can_renew: bool = False,
        can_choose: bool = False,
    ) -> None:
        super().__init__("bad" if standing.urgency == "ended" else "dashed" if account.practice else "plain")
        self.account, self.standing = account, standing
        self._can_connect = can_connect
        self._can_choose = can_choose and account.platform is ConnectionPlatform.TIKTOK
        self._can_disconnect = account.platform in COMPANION_NETWORKS and account.is_available
        self._can_renew = can_connect and can_renew and account.access_ends_at is not None
        self._name = tr(
            "{account} on {platform}", account=account.name, platform=platform_name(account.platform.value)
        )
        self.more = IconButton("ellipsis", tr("More actions for {name}", name=self._name), size="small")
        self.more.clicked.connect(self._offer_more)
        self.boards = LinkButton(tr("Boards"))
        self.boards.setAccessibleName(tr("Boards of {name}", name=account.name))
        self.boards.clicked.connect(lambda: self.boards_wanted.emit(account.key))
        self.tiktok = LinkButton(tr("TikTok posts"))
        self.tiktok.setAccessibleName(tr("TikTok settings for {name}", name=account.name))
        self.tiktok.clicked.connect(lambda: self.tiktok_wanted.emit(account.key))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"{account.name}, {platform_name(account.platform.value)}. {standing.text}")
        around = self.body.contentsMargins()
        end = around.right() - _BEYOND
        self.body.setContentsMargins(insets(around.left(), around.top(), end, around.bottom()))
        self.body.setSpacing(18)
        self.body.addLayout(self._who())
        self.body.addLayout(self._numbers(scheduled))
        self.body.addStretch(1)
        self.footer.addLayout(self._access())
        if standing.urgency == "ended":
            self.tint_footer("bad_soft")

    def sizeHint(self) -> QSize:
        """Give all cards the same height, unless large text needs more."""
        return super().sizeHint().expandedTo(QSize(0, HEIGHT))

    def show_boards(self, count: int) -> None:
        """Show the number of boards."""
        self.boards.setText(trn("{n} board", "{n} boards", count))
        self.boards.updateGeometry()

    def show_picture(self, picture: QPixmap) -> None:
        """Show the account's picture in place of the initials."""
        self._avatar.set_face(Face(self.account.name, self.account.platform.value, None, picture))

    def _who(self) -> QHBoxLayout:
        account = self.account
        name, words = QHBoxLayout(), QVBoxLayout()
        name.setSpacing(6)
        heading = ElidedLabel(account.name, "heading")
        heading.setAccessibleDescription(tr("Platform ID: {identifier}", identifier=account.identifier))
        name.addWidget(heading, 0)
        if account.is_verified:
            name.addWidget(IconLabel("badge-check", "text2", 15, tr("Verified")))
        if account.practice:
            name.addWidget(PracticeTag())
        name.addStretch(1)
        words.setContentsMargins(0, 4, 0, 0)
        words.setSpacing(4)
        words.addLayout(name)
        platform = account.platform.value
        parts = (handle(account.handle, platform), platform_name(platform))
        words.addWidget(ElidedLabel(" · ".join(part for part in parts if part), "card", "text3"))
        words.addStretch(1)
        row, end = QHBoxLayout(), QHBoxLayout()
        row.setSpacing(10)
        end.setSpacing(8)
        end.addWidget(Swatch(account.color_index))
        end.addWidget(self.more)
        self._avatar = Avatar(Face(account.name, platform, None))
        self._avatar.setToolTip(heading.accessibleDescription())
        row.addWidget(self._avatar, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addLayout(end)
        row.setAlignment(end, Qt.AlignmentFlag.AlignTop)
        return row

    def _numbers(self, scheduled: int) -> QGridLayout:
        """Return a grid with the numbers and the date in one row, aligned, and their labels below."""
        account, grid = self.account, QGridLayout()
        followers = _NONE if account.followers is None else number(account.followers)
        takes_posts = account.takes_posts
        here = local(account.connected_at)
        made_up = account.practice and account.followers is not None
        readers = _READERS[brand_of(account.platform).subscribers, made_up]
        columns = (
            (followers, readers, 9 if made_up else 8),
            (number(scheduled) if takes_posts else _NONE, tr("Scheduled"), 5 if made_up else 6),
            (date_with_year(here), tr("Connected"), 8),
        )
        grid.setContentsMargins(insets(0, 0, _BEYOND, 0))
        grid.setVerticalSpacing(4)
        for column, (value, label, share) in enumerate(columns):
            is_date = column == len(columns) - 1
            words = ElidedLabel(value, "text", weight=QFont.Weight.Medium) if is_date else None
            grid.addWidget(words or ElidedLabel(value, "section"), 0, column)
            grid.addWidget(ElidedLabel(label, "small", "text3"), 1, column)
            grid.setColumnStretch(column, share)
        return grid

    def _access(self) -> QHBoxLayout:
        standing, tone = self.standing, _TONES[self.standing.urgency]
        words = QVBoxLayout()
        words.setSpacing(1)
        weight = None if standing.urgency == "fine" else QFont.Weight.DemiBold
        words.addWidget(ElidedLabel(standing.text, "card", tone, weight=weight))
        if standing.posts:
            words.addWidget(ElidedLabel(standing.posts, "card", "bad" if tone == "bad" else "text2"))
        row = QHBoxLayout()
        row.setSpacing(9)
        row.addWidget(IconLabel(standing.icon, tone if tone != "text2" else "text3", 14))
        row.addLayout(words, 1)
        if standing.urgency == "ended" and self._can_connect:
            row.addWidget(self._again(primary(tr("Reconnect"), size="small")))
        elif standing.urgency == "soon" and self._can_renew:
            row.addWidget(self._again(secondary(self._renewal[0], size="small")))
        elif self._has_boards:
            row.addWidget(self.boards)
        elif self._has_audience:
            row.addWidget(self.tiktok)
        return row

    @property
    def _renewal(self) -> tuple[str, str]:
        """The labels of the button and the menu."""
        if self.account.sign_in_by is not None:
            return tr("Sign in"), tr("Sign in again")
        return tr("Renew"), tr("Renew access")

    @property
    def _has_audience(self) -> bool:
        return self._can_choose and self.account.is_available

    @property
    def _has_boards(self) -> bool:
        return self.account.platform is ConnectionPlatform.PINTEREST and self.account.is_available

    def _again(self, button: Button) -> Button:
        button.setAccessibleName(f"{button.text()} {self._name}")
        button.clicked.connect(self._ask_again)
        return button

    def _ask_again(self) -> None:
        self.connect_again.emit(self.account.key)

    def _offer_more(self) -> None:
        menu = Menu(self.more)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self.standing.urgency == "ended" and self._can_connect:
            menu.add(tr("Reconnect"), self._ask_again, icon="plug")
        elif self._can_renew:
            menu.add(self._renewal[1], self._ask_again, icon="refresh-cw")
        if self._has_boards:
            menu.add(tr("Boards"), self.boards.click, icon="layout-grid")
        if self._has_audience:
            menu.add(tr("TikTok posts"), self.tiktok.click, icon="eye")
        menu.add(tr("Copy account ID"), self._copy_id, icon="copy")
        if self._can_disconnect:
            menu.addSeparator()
            menu.add(tr("Disconnect"), lambda: self.disconnect_wanted.emit(self.account.key), icon="unplug")
        menu.open_below(self.more)

    def _copy_id(self) -> None:
        QGuiApplication.clipboard().setText(self.account.key)


class NextAccount(EnterPresses):
    """A card that connects another account when pressed."""

    def __init__(self, platforms: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._platforms = tuple(platforms)
        self.setText(tr("Connect another account"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMinimumHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(320, HEIGHT)

    def paint_frame(self, painter: QPainter) -> None:
        """Paint the dashed frame."""
        hot = self.underMouse() or self.isDown()
        ring = shows_focus(self)
        rounded(
            painter,
            QRectF(self.rect()),
            theme.current().metrics.radius_panel,
            fill="sunken" if hot else None,
            line="accent" if ring else "line",
            width=2 if ring else 1,
            dashed=not ring,
        )

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, rect = QPainter(self), QRectF(self.rect())
        self.paint_frame(painter)
        middle = rect.center()
        plus = QRectF(middle.x() - 18, middle.y() - 46, 36, 36)
        rounded(painter, plus, 18, fill="surface", line="line")
        draw_icon(painter, plus.adjusted(9, 9, -9, -9), "plus", "text2")
        painter.setFont(theme.current().font("text", QFont.Weight.Medium))
        painter.setPen(theme.current().color("text2"))
        words = QRectF(rect.x(), middle.y(), rect.width(), 20)
        painter.drawText(words, Qt.AlignmentFlag.AlignCenter, self.text())
        x = middle.x() - (26 * len(self._platforms) - 12) / 2
        for platform in self._platforms:
            draw_icon(painter, QRectF(x, middle.y() + 30, 14, 14), f"brand:{platform}", "text2")
            x += 26


class NetworkTile(NextAccount):
    """A card that connects an account of a network that needs no developer app."""

    def __init__(
        self, platform: str, about: str = "", label: str = "", parent: QWidget | None = None
    ) -> None:
        """``platform`` may be "" if ``label`` says what is connected; ``about`` is a line below.

        Without ``about``, the line says what is needed to connect.
        """
        about = about or _NO_APP_NEEDED[CARDS[platform].sign_in]
        super().__init__((platform,), parent)
        self.platform, self._about = platform, about
        self.setText(label or tr("Connect {platform}", platform=platform_name(platform)))
        self.setAccessibleName(f"{self.text()}. {about}")

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, look, middle = QPainter(self), theme.current(), QRectF(self.rect()).center()
        self.paint_frame(painter)
        fill, glyph = look.tokens.brand(self.platform) if self.platform else ("sunken", "text2")
        mark = QRectF(middle.x() - 18, middle.y() - 58, 36, 36)
        rounded(painter, mark, 10, fill=fill)
        icon = f"brand:{self.platform}" if self.platform else "bell"
        draw_icon(painter, mark.adjusted(8, 8, -8, -8), icon, glyph)
        painter.setFont(look.font("text", QFont.Weight.Medium))
        painter.setPen(look.color("text"))
        line = look.grown(_LINE)
        words = QRectF(self.rect()).adjusted(_SIDE, 0, -_SIDE, 0)
        words.setTop(middle.y() - 10)
        words.setHeight(line)
        painter.drawText(words, Qt.AlignmentFlag.AlignCenter, self.text())
        painter.setFont(look.font("card"))
        painter.setPen(look.color("text2"))
        words.translate(0, line + 4)
        words.setBottom(self.height() - 4)
        middle_top = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        painter.drawText(words, int(middle_top | Qt.TextFlag.TextWordWrap), self._about)


class Faces:
    """The account pictures of a pane. If a picture has a new URL, it's loaded again."""

    def __init__(
        self, owner: QWidget, pictures: AccountPictures, cards: Callable[[], Sequence[AccountCard]]
    ) -> None:
        self._pictures, self._cards = pictures, cards
        self._scope = TaskScope(owner)
        self._known: dict[tuple[str, str], QPixmap] = {}
        self._looking: set[tuple[str, str]] = set()

    def show(self) -> None:
        """Show the known pictures on the cards, and load the missing ones."""
        for card in self._cards():
            account, url = card.account, card.account.avatar_url
            if url is None:
                continue
            if (known := self._known.get((account.key, url))) is not None:
                card.show_picture(known)
            elif (account.key, url) not in self._looking:
                self._looking.add((account.key, url))
                self._scope.start(self._look(account, url))

    async def _look(self, account: Account, url: str) -> None:
        try:
            content = await self._pictures.of(account)
            picture = await asyncio.to_thread(decoded, content, _SIZE) if content else None
        finally:
            self._looking.discard((account.key, url))
        if picture is not None and not picture.isNull():
            self._known[account.key, url] = QPixmap.fromImage(picture)
            for card in self._cards():  # the card may have been rebuilt meanwhile
                if (card.account.key, card.account.avatar_url) == (account.key, url):
                    card.show_picture(self._known[account.key, url])
