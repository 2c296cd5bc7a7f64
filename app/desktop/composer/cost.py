"""The price of the posts, cheaper ways, and the question when it exceeds the monthly cap."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.aio import TaskScope
from app.desktop.composer.frame import ComposerFrame
from app.desktop.widgets import Button, FlowLayout, IconLabel, Label, MessageStrip
from app.desktop.widgets.painting import insets
from app.desktop.words import dollars, month_year
from app.language import tr
from app.platforms.cards import own_name
from app.workspace.accounts.account import Account
from app.workspace.clock import from_millis, wall_clock
from app.workspace.editing.model import DraftModel
from app.workspace.spending import month_around
from app.workspace.workspace import Workspace

_INDENT: Final = 22


class CostLine(QWidget):
    """The price, and a button for each cheaper way; hidden if posts are free."""

    by_hand_wanted = Signal(str)
    """Publish the post of this account by hand instead."""
    version_wanted = Signal(str)
    """Write a version of the text for this account."""

    def __init__(self, workspace: Workspace, model: DraftModel) -> None:
        super().__init__()
        self._workspace, self._model = workspace, model
        self.words = Label("", "card", "text2", wrap=True)
        self.shorter, self.by_hand = Button("", size="small"), Button(tr("Publish by hand"), size="small")
        self._account: Account | None = None
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(IconLabel("info", "text3", 14), 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.words, 1)
        ways = QWidget()
        flow = FlowLayout(ways, 8, 6)
        flow.setContentsMargins(insets(_INDENT, 0, 0, 0))
        for button in (self.shorter, self.by_hand):
            flow.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(line)
        column.addWidget(ways)
        self.shorter.clicked.connect(self._want_version)
        self.by_hand.clicked.connect(self._want_by_hand)
        self.hide()

    @property
    def mills(self) -> int:
        """The price for all selected accounts, in thousandths of a US dollar."""
        spending, model = self._workspace.spending, self._model
        posts = map(model.post_for, model.chosen)
        prices = (spending.price(one.account, one.text, by_hand=one.by_hand) for one in posts)
        return sum(price.mills for price in prices if price is not None)

    @property
    def platform(self) -> str:
        """The name of the platform that charges for the most expensive post; "" if posts are free."""
        return own_name(self._account.platform) if self._account is not None else ""

    def refresh(self) -> None:
        """Show the price of the most expensive post."""
        spending, model = self._workspace.spending, self._model
        priced = [
            (price, one.account)
            for one in map(model.post_for, model.chosen)
            if (price := spending.price(one.account, one.text, by_hand=one.by_hand)) is not None
        ]
        prices = spending.prices
        self.setVisible(bool(priced) and not model.is_blank)
        if not priced or prices is None:
            self._account = None
            return
        dearest, account = max(priced, key=lambda one: one[0].mills)
        self._account, name = account, own_name(account.platform)
        if dearest.has_link:
            text = tr(
                "{platform} charges {price} for this post because it has a link. "
                "Without it, the price is {less}.",
                platform=name,
                price=dollars(dearest.mills),
                less=dollars(prices.post),
            )
        else:
            charged = dollars(dearest.mills)
            text = tr("{platform} charges {price} for this post.", platform=name, price=charged)
        self.words.setText(text)
        self.shorter.setText(tr("Write a version for {platform} without the link", platform=name))
        is_shared = len(model.chosen) > 1 and model.version != account.key
        self.shorter.setVisible(dearest.has_link and is_shared)
        self.by_hand.setVisible(dearest.has_link and self._workspace.finishing.takes_single_posts)
        for button in (self.shorter, self.by_hand):
            button.setAccessibleDescription(text)

    def _want_version(self) -> None:
        if self._account is not None:
            self.version_wanted.emit(self._account.key)

    def _want_by_hand(self) -> None:
        if self._account is not None:
            self.by_hand_wanted.emit(self._account.key)


class CapQuestion:
    """Asks before a month's posts cost more than the user's cap.

    Args:
        line: returns the price of the posts.
        scope: runs the calculation of the month.
    """

    def __init__(
        self,
        workspace: Workspace,
        model: DraftModel,
        line: CostLine,
        frame: ComposerFrame,
        scope: TaskScope,
    ) -> None:
        self._workspace, self._model, self._line, self._frame = workspace, model, line, frame
        self._scope = scope
        self._allowed: tuple[int, int] | None = None
        """The cost that was allowed, and the beginning of its month."""

    def may_go(self, go: Callable[[], None], *, at_once: bool, asked: Callable[[str], None]) -> bool:
        """Return whether to schedule the posts now; otherwise call ``go`` once that's known or allowed.

        ``asked`` is called with the question, if there is one.
        """
        at = wall_clock() if at_once else self._model.schedule.at
        cost = self._line.mills
        if not cost or at is None or self._workspace.spending.cap is None:
            return True
        if self._allowed == (cost, month_around(at, self._model.schedule.zone)[0]):
            return True
        self._scope.start(self._look(at, cost, go, asked, at_once=at_once))
        return False

    async def _look(
        self, at: int, cost: int, go: Callable[[], None], asked: Callable[[str], None], *, at_once: bool
    ) -> None:
        spending, zone = self._workspace.spending, self._model.schedule.zone
        cap, month = spending.cap, month_around(at, zone)[0]
        before = await spending.month(at, zone, without=self._model.replaces)

        def allow() -> None:
            self._allowed = (cost, month)
            self._frame.unsay()
            go()

        if cap is None or before.mills + cost <= cap:
            allow()
            return
        text = tr(
            "With this post, {platform}'s charges in {month} come to about {sum}. Your cap is {cap}.",
            platform=self._line.platform,
            month=month_year(from_millis(at).astimezone(zone)),
            sum=dollars(before.mills + cost),
            cap=dollars(cap),
        )
        anyway = tr("Publish anyway") if at_once else tr("Schedule anyway")
        strip = MessageStrip("warning", text, action=anyway)
        strip.acted.connect(allow)
        self._frame.say(strip)
        asked(text)
