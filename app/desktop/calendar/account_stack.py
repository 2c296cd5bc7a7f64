"""The accounts of the calendar as overlapping circles that open the filter."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.desktop.theme import icons, theme
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import draw_icon, rounded, shows_focus
from app.desktop.widgets.screen_reader import PopupInterface, spoken_by
from app.language import number, trn
from app.workspace.accounts.account import Account

_CIRCLE, _OVERLAP, _RING, _EDGE = 24, 4, 2, 3
"""Sizes in pixels. The next circle and its ring never reach the glyph, which takes the middle half."""
_MANY, _FEW = 8, 4
"""Number of circles with much and with little space; the last one counts the remaining accounts."""

_LEFT_OUT = 0.35
"""Opacity of filtered-out accounts."""


@spoken_by(PopupInterface)
class AccountStack(EnterPresses):
    """Circles in the accounts' colours, with the platform's glyph; filtered-out ones are faint."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._accounts: Sequence[Account] = ()
        self._chosen: frozenset[str] = frozenset()
        self._most = _MANY
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.follow(self._restyle)

    def show_accounts(self, accounts: Sequence[Account], chosen: frozenset[str]) -> None:
        """Show accounts, with the selected ones opaque; an empty selection means all."""
        self._accounts, self._chosen = accounts, chosen
        count = len(accounts)
        name = trn("Filter {n} account", "Filter {n} accounts", count)
        self.setAccessibleName(name)
        self.setToolTip("\n".join([name, *(account.name for account in accounts[:_MANY])]))
        self.updateGeometry()
        self.update()

    def show_many(self, many: bool) -> None:
        """Set whether there's space for many circles or only for a few."""
        self._most = _MANY if many else _FEW
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        grown, circles = theme.current().grown, min(len(self._accounts), self._most)
        width = circles * grown(_CIRCLE - _OVERLAP) + grown(_OVERLAP) + 2 * _EDGE if circles else 0
        return QSize(width, theme.current().metrics.control)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, look = QPainter(self), theme.current()
        painter.setLayoutDirection(self.layoutDirection())
        edge, step = look.grown(_CIRCLE), look.grown(_CIRCLE - _OVERLAP)
        shown = self._accounts if len(self._accounts) <= self._most else self._accounts[: self._most - 1]
        for place, account in enumerate(shown):
            self._paint_account(painter, self._circle(place, step, edge), account)
        if hidden := len(self._accounts) - len(shown):
            self._paint_count(painter, self._circle(len(shown), step, edge), hidden)
        if shows_focus(self):
            rounded(painter, QRectF(self.rect()), look.metrics.radius, line="accent", width=2)

    def _circle(self, place: int, step: int, edge: int) -> QRectF:
        left = _EDGE + place * step
        if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
            left = self.width() - left - edge
        return QRectF(left, (self.height() - edge) / 2, edge, edge)

    def _paint_account(self, painter: QPainter, circle: QRectF, account: Account) -> None:
        tokens = theme.current().tokens
        fill = tokens.account_fill(account.color_index) if account.is_available else tokens.data2
        self._paint_ground(painter, circle)
        painter.setOpacity(_LEFT_OUT if self._chosen and account.key not in self._chosen else 1)
        rounded(painter, circle, circle.width() / 2, fill=fill)
        inset = circle.width() * 0.25
        sign = circle.adjusted(inset, inset, -inset, -inset)
        draw_icon(painter, sign, icons.platform_icon(account.platform), tokens.on_mark)
        painter.setOpacity(1)

    def _paint_count(self, painter: QPainter, circle: QRectF, count: int) -> None:
        self._paint_ground(painter, circle)
        rounded(painter, circle, circle.width() / 2, fill="sunken", line="line")
        painter.setFont(theme.current().font("small"))
        painter.setPen(theme.current().color("text2"))
        painter.drawText(circle, Qt.AlignmentFlag.AlignCenter, f"+{number(count)}")

    @staticmethod
    def _paint_ground(painter: QPainter, circle: QRectF) -> None:
        """Cut a circle out of the one below it."""
        outer = circle.adjusted(-_RING, -_RING, _RING, _RING)
        rounded(painter, outer, outer.width() / 2, fill="bg")

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
