"""Frames: panels on the window's ground, and cards with a footer."""

from typing import Literal

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded

Edge = Literal["plain", "bad", "dashed", "faint"]

_EDGES = {"plain": "line", "bad": "bad_line", "dashed": "line_strong", "faint": "line"}


class Panel(QFrame):
    """A rounded frame with a hairline, on the surface colour.

    Args:
        edge: "plain", "bad" (needs attention), "dashed" (practice) or "faint" (dashed and not filled: a
            place for something that is not there yet).
        fill: the colour role of the ground.
        parent: the owner.
    """

    def __init__(self, edge: Edge = "plain", *, fill: str = "surface", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._edge, self._fill = edge, fill

    def set_edge(self, edge: Edge) -> None:
        """Change the edge."""
        self._edge = edge
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        rect, radius = QRectF(self.rect()), theme.current().metrics.radius_panel
        if self._edge != "faint":
            rounded(painter, rect, radius, fill=self._fill)
        self._paint_inside(painter, rect, radius)
        dashed = self._edge in ("dashed", "faint")
        rounded(painter, rect, radius, line=_EDGES[self._edge], dashed=dashed)

    def _paint_inside(self, painter: QPainter, rect: QRectF, radius: float) -> None:
        """Draw what lies between the ground and the edge."""


class Card(Panel):
    """A panel with a body and a footer below a hairline.

    `body` and `footer` are the layouts to fill; the footer shows nothing, not even its hairline, while empty.
    """

    def __init__(self, edge: Edge = "plain", parent: QWidget | None = None) -> None:
        super().__init__(edge, parent=parent)
        self._footer_fill = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._body, self._foot = QWidget(), QWidget()
        self.body, self.footer = QVBoxLayout(self._body), QVBoxLayout(self._foot)
        self.body.setContentsMargins(18, 18, 18, 18)
        self.footer.setContentsMargins(18, 8, 14, 8)
        self._foot.setMinimumHeight(52)
        column.addWidget(self._body, 1)
        column.addWidget(self._foot)

    def tint_footer(self, role: str) -> None:
        """Fill the footer with a colour role, or "" for none."""
        self._footer_fill = role
        self.update()

    def _paint_inside(self, painter: QPainter, rect: QRectF, radius: float) -> None:
        if not self.footer.count():
            return
        top = float(self._foot.y())
        if self._footer_fill:
            shape = QPainterPath()
            shape.addRoundedRect(rect, radius, radius)
            painter.setClipPath(shape)
            foot = QRectF(0, top, rect.width(), rect.height() - top)
            painter.fillRect(foot, theme.current().color(self._footer_fill))
            painter.setClipping(False)
        line = "bad_line" if self._edge == "bad" else "line2"
        painter.fillRect(QRectF(1, top, rect.width() - 2, 1), theme.current().color(line))
