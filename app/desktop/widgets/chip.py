"""Pills: filters that are switched on and off, and short notices that lead somewhere."""

from typing import Literal

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QStyle, QWidget

from app.desktop.theme import theme
from app.desktop.widgets.enter import EnterPresses
from app.desktop.widgets.painting import draw_icon, rounded, shows_focus

Tone = Literal["neutral", "warn", "bad"]

_PADDING, _GAP, _ICON = 10, 6, 12


class Chip(EnterPresses):
    """A pill, 26 px high; checked it is accent-soft.

    Args:
        text: the label.
        icon: name of an icon, or "".
        checkable: whether a click switches it on and off.
        tone: "neutral", or "warn" and "bad" for notices.
        parent: the owner.
    """

    def __init__(
        self,
        text: str,
        icon: str = "",
        *,
        checkable: bool = True,
        tone: Tone = "neutral",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icon_name, self._icon_color, self._tone = icon, "", tone
        self.setText(text)
        self.setCheckable(checkable)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.follow(self._restyle)

    def set_icon(self, name: str, color: str = "") -> None:
        """Show another icon ("" for none), in a colour role or `#RRGGBB` instead of the label's colour."""
        self._icon_name, self._icon_color = name, color
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        width = metrics.horizontalAdvance(self.text()) + 2 * _PADDING
        if self._icon_name:
            width += theme.current().grown(_ICON) + _GAP
        return QSize(width, theme.current().metrics.chip)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        rect = QRectF(self.rect())
        fill, line, color = self._look()
        ring = shows_focus(self)
        rounded(
            painter,
            rect,
            rect.height() / 2,
            fill=fill,
            line="accent" if ring else line,
            width=2 if ring else 1,
        )
        x = _PADDING
        if self._icon_name:
            edge = theme.current().grown(_ICON)
            spot = self._place(x, edge)
            draw_icon(painter, _square(spot), self._icon_name, self._icon_color or color)
            x += edge + _GAP
        painter.setPen(theme.current().color(color))
        label = self._place(x, self.width() - x - _PADDING + 1)
        painter.drawText(label, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading, self.text())

    def _look(self) -> tuple[str, str, str]:
        """Return the roles of fill, line and label."""
        if not self.isEnabled():
            return "sunken", "line", "text3"
        if self.isChecked():
            return "accent_soft", "accent", "accent"
        if self._tone != "neutral":
            return f"{self._tone}_soft", f"{self._tone}_line", self._tone
        return ("sunken" if self.isDown() or self.underMouse() else "surface"), "line", "text2"

    def _place(self, x: int, width: int) -> QRectF:
        area = QRect(x, 0, width, self.height())
        return QRectF(QStyle.visualRect(self.layoutDirection(), self.rect(), area))

    def _restyle(self) -> None:
        self.setFont(theme.current().font("card"))
        self.updateGeometry()
        self.update()


def _square(area: QRectF) -> QRectF:
    half = min(area.width(), area.height()) / 2
    corner = QPointF(half, half)
    return QRectF(area.center() - corner, area.center() + corner)
