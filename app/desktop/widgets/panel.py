"""Containers: panels, cards, popovers, scroll areas and side panels."""

from typing import Literal

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QAccessible, QCloseEvent, QPainter, QPainterPath, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractSlider,
    QFrame,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QScrollBar,
    QVBoxLayout,
    QWidget,
)

from app.desktop.commands import Command, CommandSet
from app.desktop.theme import theme
from app.desktop.theme.theme import WIDEST_SIDE, grow
from app.desktop.widgets.button import IconButton
from app.desktop.widgets.label import Divider, Label
from app.desktop.widgets.layouts import FlowLayout
from app.desktop.widgets.painting import cut_corners, insets, rounded
from app.desktop.widgets.screen_reader import spoken_as
from app.language import tr

Edge = Literal["plain", "accent", "bad", "dashed", "faint"]

_EDGES = {
    "plain": "line",
    "accent": "accent",
    "bad": "bad_line",
    "dashed": "line_strong",
    "faint": "line",
}


@spoken_as(QAccessible.Role.Grouping)
class Panel(QFrame):
    """A rounded frame with an outline, on the surface colour.

    Args:
        edge: "plain", "accent" (just changed), "bad" (needs attention), "dashed" (practice) or "faint"
            (dashed without fill: a placeholder).
        fill: the colour role of the background.
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
        """Draw the content between background and outline."""


class Card(Panel):
    """A panel with a body, and a footer below a line.

    `body` and `footer` are the layouts to fill; an empty footer is invisible, including its line.
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
        self.footer.setContentsMargins(insets(18, 8, 14, 8))
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


_PADDING = 12


@spoken_as(QAccessible.Role.Dialog)
class Popover(QFrame):
    """Fill ``body``, then call ``open_below`` with its anchor."""

    closed = Signal()
    """It was closed, not destroyed together with its owner."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)  # nothing behind the corners
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(_PADDING, _PADDING, _PADDING, _PADDING)
        self.body.setSpacing(8)

    def open_below(self, anchor: QWidget) -> None:
        """Show it below a widget, moved to be completely on the screen."""
        self.adjustSize()
        corner = anchor.mapToGlobal(QPoint(0, anchor.height() + 4))
        room = anchor.screen().availableGeometry()
        corner.setX(max(room.left(), min(corner.x(), room.right() - self.width())))
        corner.setY(max(room.top(), min(corner.y(), room.bottom() - self.height())))
        self.move(corner)
        self.show()

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        cut_corners(self, theme.current().metrics.radius_panel)

    def paintEvent(self, _event: QPaintEvent) -> None:
        radius = theme.current().metrics.radius_panel
        rounded(QPainter(self), self.rect().toRectF(), radius, fill="raised", line="line_strong")


def scrolled(body: QWidget) -> QScrollArea:
    """Return a scroll area with `body`, horizontal only with large text, and a transparent background."""
    area = scroll_area()
    area.setWidget(body)
    body.setAutoFillBackground(False)
    return area


def scrolled_column(body: QWidget, least: int, most: int) -> QScrollArea:
    """Return a `scrolled` column as wide as its content needs, in every language and text size.

    ``least`` is its width at 100 % and grows with text; ``most`` doesn't, since windows don't. In logical
    pixels.
    """
    area = scrolled(body)
    _FittedWidth(area, body, least, most)
    return area


class _FittedWidth(QObject):
    """Updates the width of a column whenever its content changes."""

    def __init__(self, area: QScrollArea, body: QWidget, least: int, most: int) -> None:
        super().__init__(area)
        self._area, self._body, self._least, self._most = area, body, least, most
        body.installEventFilter(self)
        theme.follow(self._fit)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return False

    def _fit(self) -> None:
        bar = self._area.verticalScrollBar().sizeHint().width()
        needed = max(theme.current().grown(self._least), self._body.minimumSizeHint().width() + bar)
        self._area.setFixedWidth(min(needed, self._most))


class _BarWithRange(QScrollBar):
    """Disabled while there is nothing to scroll.

    Not through ``rangeChanged``: while an area is being destroyed, its bar still sends signals, but no
    longer exists for Python.
    """

    def __init__(self, area: QScrollArea) -> None:
        super().__init__(Qt.Orientation.Vertical, area)
        self.setEnabled(False)

    def sliderChange(self, change: QAbstractSlider.SliderChange) -> None:
        super().sliderChange(change)
        if change == QAbstractSlider.SliderChange.SliderRangeChange:
            self.setEnabled(self.maximum() > 0)


def keep_room_for_bar(area: QScrollArea, layout: QLayout) -> None:
    """Reserve the scroll bar's space in the margin of a layout, whether it can be seen or not.

    What is inside then ends where things above and below the area do. And if the width depended on the bar,
    parts that need more lines in less width would show and hide it forever.
    """
    bar = _BarWithRange(area)
    area.setVerticalScrollBar(bar)
    area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
    sides = layout.contentsMargins()
    if area.isRightToLeft():
        sides.setLeft(sides.left() - bar.sizeHint().width())
    else:
        sides.setRight(sides.right() - bar.sizeHint().width())
    layout.setContentsMargins(sides)


def scroll_area() -> QScrollArea:
    """Return a scroll area without a body.

    Create a large body with the area's viewport as its parent, once the area is in place: reparenting
    restyles a widget with everything in it.
    """
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.viewport().setAutoFillBackground(False)
    return area


@spoken_as(QAccessible.Role.ComplementaryContent)
class SidePanel(QWidget):
    """Fill ``body``; ``foot`` stays below it. Esc and the close button close it."""

    closed = Signal()

    about = ""
    """The problem that it shows, by the ``about`` of messages: they'd repeat it."""

    def __init__(self, title: str) -> None:
        super().__init__()
        grow(self, QWidget.setFixedWidth, theme.current().metrics.composer, WIDEST_SIDE)
        self.setProperty("ground", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(title)
        self.title = Label(title, "section")
        self.body, self.foot = QVBoxLayout(), QVBoxLayout()
        self._head = QWidget()
        FlowLayout(self._head).addWidget(self.title)
        self._lay_out()
        name, group = tr("Close panel"), tr("Side panel")
        close = Command(name, group, self.closed.emit, keys=("Esc",), listed=False)
        CommandSet(self, within=True).add(close)

    def add_to_head(self, widget: QWidget) -> None:
        """Put a widget next to the title, or below it where it has no room there."""
        head = self._head.layout()
        if head is not None:
            head.addWidget(widget)

    def _lay_out(self) -> None:
        gutter = theme.current().metrics.gutter
        cross = IconButton("x", tr("Close"), size="small")
        cross.clicked.connect(self.closed)
        head = QHBoxLayout()
        head.setContentsMargins(insets(gutter, 14, 12, 12))
        head.setSpacing(8)
        head.addWidget(self._head, 1, Qt.AlignmentFlag.AlignVCenter)
        head.addWidget(cross, 0, Qt.AlignmentFlag.AlignTop)
        holder = QWidget()
        holder.setLayout(self.body)
        self.body.setContentsMargins(gutter, 14, gutter, gutter)
        self.body.setSpacing(10)
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(Divider())
        area = scrolled(holder)
        keep_room_for_bar(area, self.body)
        column.addWidget(area, 1)
        column.addLayout(self.foot)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(Divider(Qt.Orientation.Vertical))
        row.addLayout(column, 1)
