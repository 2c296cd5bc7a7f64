"""A list view that shows a part of a page: Qt gives selection, focus and accessibility for a flat list.

Where its rows are is the page's to say. Points and rectangles of the viewport are Qt's; those of the page's
canvas, which may be years long, are ``Box``.
"""

from collections.abc import Sequence

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
)
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QWidget

from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.page import Page
from app.desktop.calendar.placement import Box
from app.desktop.widgets import access
from app.desktop.widgets.item_view import ListView
from app.language import tr

Index = QModelIndex | QPersistentModelIndex


class PageView(ListView):
    """Shows a part of ``page`` and lays nothing out by itself.

    Qt's own layout asks for every row: with it one changed row costs seconds (measured), without it 0.4 ms.
    """

    def __init__(self, model: PostListModel, page: Page, parent: QWidget | None = None) -> None:
        # Every field first: Qt's setters below call our overrides at once, and those must not fail.
        self.page = page
        self._posts = model
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Time has no end that a bar could show, and the columns line up with their header.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.setAutoScroll(False)  # choosing a card that shows in part must not move the days
        self.setAccessibleName(tr("Calendar"))
        # Every pixel is painted here: without saying so all that lies below is painted too, at each move.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    @property
    def offset(self) -> QPoint:
        """The point of the canvas that is at the viewport's corner."""
        return QPoint(self.horizontalOffset(), self.verticalOffset())

    @property
    def visible(self) -> Box:
        """The part of the canvas that shows."""
        return self.on_canvas(self.viewport().rect())

    def scroll_to(self, corner: QPoint) -> None:
        """Brings a point of the canvas to the viewport's corner."""
        self.horizontalScrollBar().setValue(corner.x())
        self.verticalScrollBar().setValue(corner.y())

    def ensure_visible(self, box: Box) -> None:
        """Scrolls as little as shows a rectangle of the canvas."""
        shown = self.visible
        x = _nearest(box.x, box.width, shown.x, shown.width)
        self.scroll_to(QPoint(x, _nearest(box.y, box.height, shown.y, shown.height)))

    def canvas(self, point: QPoint) -> QPoint:
        """A point of the viewport on the canvas."""
        return point + self.offset

    def on_canvas(self, area: QRect) -> Box:
        """A rectangle of the viewport on the canvas."""
        corner = self.canvas(area.topLeft())
        return Box(corner.x(), corner.y(), area.width(), area.height())

    def on_viewport(self, box: Box) -> QRect:
        """A rectangle of the canvas on the viewport."""
        return QRect(box.x - self.horizontalOffset(), box.y - self.verticalOffset(), box.width, box.height)

    def more_rect(self, key: str) -> QRect | None:
        """Return the place of "+n more" on the viewport if a post is behind it."""
        post = self._posts.get(key)
        if post is None or self.page.card_of(post) is not None:
            return None
        day = self.page.days.place(post.at).day
        more, cell = self.page.cells.layout(day).more, self.page.geometry.cell(day)
        return self.on_viewport(more.moved(cell.x, cell.y)) if more else None

    def day_corner(self, day: int) -> QPoint:
        """Return where a day begins on the viewport, or its "+n more" if it is higher than that."""
        cell, more = self.page.geometry.cell(day), self.page.cells.layout(day).more
        if cell.height <= self.viewport().height() or more is None:
            return self.on_viewport(cell).topLeft()
        return self.on_viewport(cell).topLeft() + QPoint(0, more.y)

    # What Qt asks a view ----------------------------------------------------------------------------------

    def visualRect(self, index: Index) -> QRect:
        """Where a post's card is; empty for one behind "+n more", and while the view is hidden."""
        if not index.isValid() or not self.isVisible():
            return QRect()
        found = self.page.card_of(self._posts.post_at(index.row()))
        return self.on_viewport(found[0]) if found else QRect()

    def indexAt(self, point: QPoint) -> QModelIndex:
        """The post whose card is at a point of the viewport."""
        on_canvas = self.canvas(point)
        card = self.page.card_at(on_canvas.x(), on_canvas.y())
        return self._posts.index(self._posts.row_of(card.post.key)) if card else QModelIndex()

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QListView.ScrollHint.EnsureVisible
    ) -> None:
        """Shows a post's day, and its card where it has one."""
        del hint
        if not index.isValid():
            return
        post = self._posts.post_at(index.row())
        found = self.page.card_of(post)
        self.ensure_visible(found[0] if found else self.page.geometry.cell(self.page.days.place(post.at).day))

    def horizontalOffset(self) -> int:
        return self.horizontalScrollBar().value()

    def verticalOffset(self) -> int:
        return self.verticalScrollBar().value()

    def updateGeometries(self) -> None:
        """Sets the range that can be scrolled."""
        geometry, size = self.page.geometry, self.viewport().size()
        for bar, content, shown in (
            (self.horizontalScrollBar(), geometry.content_width, size.width()),
            (self.verticalScrollBar(), geometry.content_height, size.height()),
        ):
            bar.setRange(0, max(0, content - shown))
            bar.setPageStep(shown)
            bar.setSingleStep(24)

    def doItemsLayout(self) -> None:
        """Clears Qt's pending flag and lays nothing out."""
        QAbstractItemView.doItemsLayout(self)

    def dataChanged(self, top_left: Index, bottom_right: Index, roles: Sequence[int] = ()) -> None:
        QAbstractItemView.dataChanged(self, top_left, bottom_right, roles)

    def rowsInserted(self, parent: Index, start: int, end: int) -> None:
        """Nothing: the model names the days that changed."""

    def rowsAboutToBeRemoved(self, parent: Index, start: int, end: int) -> None:
        QAbstractItemView.rowsAboutToBeRemoved(self, parent, start, end)

    def horizontalScrollbarValueChanged(self, value: int) -> None:  # noqa: N802  Qt's
        """Nothing: Qt would look at each step for the row under the pointer, and nothing here shows that."""

    def verticalScrollbarValueChanged(self, value: int) -> None:  # noqa: N802  Qt's
        """Nothing, as above."""

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Stays: keys are handled before Qt would walk rows."""
        del action, modifiers
        return self.currentIndex()

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        """Nothing: our own selection is mirrored to Qt's, not the other way round."""

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:
        """Nothing: the view repaints chosen cards itself."""
        del selection
        return QRegion()

    def keyboardSearch(self, text: str) -> None:
        """Nothing: Qt would search all rows for a letter that means a command here."""

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Tells screen readers; Qt would say it of a row that it did not lay out."""
        QAbstractItemView.currentChanged(self, current, previous)
        if current.isValid():
            access.announce_focus(self, current.row())

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        QAbstractItemView.selectionChanged(self, selected, deselected)
        access.announce_selection(self, deselected, added=False)
        access.announce_selection(self, selected, added=True)


def _nearest(start: int, length: int, shown_from: int, shown: int) -> int:
    """Where a window of a length must begin to show a stretch whole, its beginning before its end."""
    if start < shown_from:
        return start
    return max(shown_from, min(start, start + length - shown))
