"""A chip for an account: platform, name, and whether it's selected."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.desktop.theme import theme
from app.desktop.theme.icons import BRANDS
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import draw_icon, mirrored, rounded, shows_focus
from app.desktop.words import handle, platform_name
from app.language import tr
from app.workspace.accounts.account import Account

CHIP = 30
"""Height in logical pixels at 100 % text size."""
_CIRCLE, _GLYPH, _BROKEN, _EDGE, _GAP, _END = 22, 13, 14, 4, 6, 11
_WIDEST, _READABLE, _NARROWEST = 150, 60, 30
"""Widths of a name: at most while others need room too, at least to be told apart, and at least at all."""


class AccountChip(EnterPresses):
    """30 px high; tinted while selected. Without access it's red, and pressing it offers to reconnect.

    Args:
        account: the account.
        reason: why it can't be used, or "".
        can_reconnect: whether pressing it without access does anything.
    """

    shows_name = True

    def __init__(
        self,
        account: Account,
        reason: str = "",
        *,
        can_reconnect: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.account, self.reason = account, reason
        self._is_broken = bool(reason) and not account.is_available  # by hand, it needs no access
        self._room = _WIDEST
        self.setText(self._label())
        self.setCheckable(not reason)
        self.setEnabled(not reason or (self._is_broken and can_reconnect))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        platform = platform_name(account.platform.value)
        named = account.name if self._is_broken else self.text()  # as it shows, but whole
        name = tr("{account} on {platform}", account=named, platform=platform)
        if self._is_broken and can_reconnect:
            self.setAccessibleName(tr("Reconnect {account}", account=name))
        else:
            self.setAccessibleName(name)
        self.setAccessibleDescription(reason)
        self.setToolTip(f"{name}: {reason}" if reason else "")
        theme.follow(self._restyle)

    def narrow(self, width: int | None = None) -> None:
        """Limit the width in pixels, None for the usual limit; a few letters always stay."""
        least, usual = theme.current().grown(_NARROWEST), theme.current().grown(_WIDEST)
        self._room = usual if width is None else max(least, width - self._lead() - _END)
        self.updateGeometry()

    def full_width(self) -> int:
        """Return the width in pixels for the whole name."""
        return self._lead() + QFontMetrics(self.font()).horizontalAdvance(self.text()) + _END

    def readable_width(self) -> int:
        """Return the width in pixels at which the beginning of the name can be read."""
        return min(self.full_width(), self._lead() + theme.current().grown(_READABLE) + _END)

    def shown_text(self) -> str:
        """Return the name, shortened to the width."""
        metrics, text = QFontMetrics(self.font()), self.text()
        fits = metrics.horizontalAdvance(text) <= self._room  # Qt itself shortens what just fits
        return text if fits else metrics.elidedText(text, Qt.TextElideMode.ElideRight, self._room)

    def sizeHint(self) -> QSize:
        grown = theme.current().grown
        words = QFontMetrics(self.font()).horizontalAdvance(self.shown_text())
        return QSize(self._lead() + words + _END, grown(CHIP))

    def _lead(self) -> int:
        """Return the width before the name."""
        grown = theme.current().grown
        return grown(_BROKEN) + 2 * _GAP + 1 if self._is_broken else grown(_CIRCLE) + _EDGE + _GAP

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, area = QPainter(self), QRectF(self.rect())
        fill, line, color = self._look()
        ring = shows_focus(self)
        edge = "accent" if ring else line
        rounded(painter, area, area.height() / 2, fill=fill, line=edge, width=2 if ring else 1)
        lead = self._paint_mark(painter, color)
        painter.setFont(self.font())
        painter.setPen(theme.current().color(color))
        words = QRect(lead, 0, self.width() - lead - _END + 2, self.height())
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading | Qt.TextFlag.TextHideMnemonic
        painter.drawText(mirrored(self, words), int(flags), self.shown_text())

    def _paint_mark(self, painter: QPainter, color: str) -> int:
        """Draw the platform's mark, and return where the name begins."""
        grown = theme.current().grown
        if self._is_broken:
            edge = grown(_BROKEN)
            spot = mirrored(self, QRect(_GAP + 3, 0, edge, self.height()))
            draw_icon(painter, QRectF(spot), "unplug", color)
            return edge + 2 * _GAP + 1
        edge, height = grown(_CIRCLE), self.height()
        circle = QRectF(mirrored(self, QRect(_EDGE, (height - edge) // 2, edge, edge)))
        tokens, index = theme.current().tokens, self.account.color_index
        painter.setOpacity(1.0 if self.isEnabled() else 0.45)
        rounded(painter, circle, edge / 2, fill=tokens.account_fill(index))
        glyph = QRectF(0, 0, grown(_GLYPH), grown(_GLYPH))
        glyph.moveCenter(circle.center())
        mark = self.account.platform.value
        name = f"brand:{mark}" if mark in BRANDS else "globe"
        draw_icon(painter, glyph, name, "on_mark")
        painter.setOpacity(1.0)
        return _EDGE + edge + _GAP

    def _look(self) -> tuple[str, str, str]:
        """Return the roles of fill, outline and text."""
        if self._is_broken:
            return "bad_soft", "bad_line", "bad"
        if not self.isEnabled():
            return "surface", "line2", "text3"
        if self.isChecked():
            return "accent_soft", "accent", "text"
        return ("sunken" if self.isDown() or self.underMouse() else "surface"), "line", "text2"

    def _label(self) -> str:
        if self._is_broken:
            return platform_name(self.account.platform.value)
        shown = handle(self.account.handle, self.account.platform.value)
        return shown if shown.startswith("@") else self.account.name

    def _restyle(self) -> None:
        theme.set_font(self, theme.current().font("card", QFont.Weight.Medium))
        self.narrow()
        self.update()
