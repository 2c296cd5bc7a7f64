"""The card of what this month's posts cost, with the cap that Kalends asks before."""

import re
from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.desktop.widgets import Field, Label, LineEdit, Panel, secondary
from app.desktop.words import date_long, dollars
from app.language import number, tr, trn
from app.platforms.cards import own_name
from app.workspace.accounts.account import Account
from app.workspace.clock import Clock
from app.workspace.spending import MonthCost, Spending

_INSET: Final = 16
_AMOUNT: Final = re.compile(r"[0-9]{1,6}(?:[.,][0-9]{1,3})?")


class CostCard(Panel):
    """Hidden where no account's posts cost anything."""

    capped = Signal(object)
    """The cap that was entered, in thousandths of a US dollar; None for no cap."""

    def __init__(self) -> None:
        super().__init__()
        self.title, self.sum = Label("", "strong"), Label("", "title")
        self.parts = Label("", "card", "text2", wrap=True)
        self.prices = Label("", "small", "text3", wrap=True)
        self.line, self.save = LineEdit(), secondary(tr("Save"))
        self.line.setPlaceholderText(tr("No cap"))
        about = tr("Kalends asks before you schedule more than this. In US dollars.")
        self.field = Field(tr("Monthly cap"), self.line, about, beside=self.save)
        words = QVBoxLayout()
        words.setSpacing(6)
        for label in (self.title, self.sum, self.parts, self.prices):
            words.addWidget(label)
        words.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(_INSET, 12, _INSET, 14)
        row.setSpacing(24)
        row.addLayout(words, 3)
        row.addWidget(self.field, 2)
        self.save.clicked.connect(self._take)
        self.line.returnPressed.connect(self._take)
        self.line.textEdited.connect(lambda _text: self.field.set_error(""))
        self.hide()

    async def show_for(self, spending: Spending, zone: ZoneInfo, now: Clock) -> None:
        """Show this month's cost. Raises Problem."""
        charged, prices = spending.charged, spending.prices
        self.setVisible(bool(charged))
        if prices is None:
            return
        self._show_month(charged[0], await spending.month(now(), zone))
        self.prices.setText(
            tr(
                "{post} a post, {dear} with a link (a bare domain counts as one). Prices as of {day}.",
                post=dollars(prices.post),
                dear=dollars(prices.post_with_link),
                day=date_long(prices.as_of),
            )
        )
        if not self.line.hasFocus():
            cap = spending.cap
            self.line.setText("" if cap is None else number(cap / 1_000, 2))

    def _show_month(self, account: Account, cost: MonthCost) -> None:
        self.title.setText(tr("Cost on {platform} this month", platform=own_name(account.platform)))
        self.sum.setText(dollars(cost.mills))
        posts = trn("{n} post", "{n} posts", cost.posts, n=number(cost.posts))
        links = trn("{n} with a link", "{n} with a link", cost.with_link, n=number(cost.with_link))
        spent = tr(
            "{spent} published, {planned} planned",
            spent=dollars(cost.published),
            planned=dollars(cost.planned),
        )
        self.parts.setText(f"{posts} · {links} · {spent}")
        self.setAccessibleName(f"{self.title.text()}: {self.sum.text()}")

    def _take(self) -> None:
        try:
            self.capped.emit(read_dollars(self.line.text()))
        except ValueError:
            self.field.set_error(tr("Enter an amount such as {example}.", example=number(5, 2)))
            self.line.setFocus()


def read_dollars(text: str) -> int | None:
    """Return an amount in thousandths of a dollar; None if the text is empty.

    Point and comma both separate the cents. Raises ValueError for anything else, and for negative amounts.
    """
    bare = text.replace("$", "").strip()
    if not bare:
        return None
    if _AMOUNT.fullmatch(bare) is None:
        raise ValueError(text)
    return round(float(bare.replace(",", ".")) * 1_000)
