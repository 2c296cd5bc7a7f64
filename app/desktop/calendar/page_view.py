"""A list view of a part of a page. Qt provides selection, focus and accessibility for a flat list.

The page decides where the rows are. Points and rectangles on the viewport are Qt's; those on the page's
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
from app.desktop.widgets import screen_reader
from app.desktop.widgets.screen_reader import ListView
from app.language import tr

Index = QModelIndex | QPersistentModelIndex


class PageView(ListView):
    """Shows a part of ``page`` without a layout of its own.

    Qt's layout asks for every row: a changed row would take seconds (measured) instead of 0.4 ms.
    """

    def __init__(self, model: PostListModel, page: Page, parent: QWidget | None = None) -> None:
        # Fields come first, because Qt's setters below immediately call our overrides, which need them.
        self.page = page
        self._posts = model
        self._is_changing = self._has_missed_focus = False
        super().__init__(parent)
        model.days_changing.connect(self._hold_focus)
        model.days_changed.connect(self._release_focus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Time has no end that a scroll bar could show, and columns must line up with their header.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.setAutoScroll(False)  # selecting a partly visible card must not move the days
        self.setAccessibleName(tr("Calendar"))
        # We paint every pixel. Without this, Qt also paints everything below at each move.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    @property
    def offset(self) -> QPoint:
        """The point of the canvas at the viewport's corner."""
        return QPoint(self.horizontalOffset(), self.verticalOffset())

    @property
    def visible(self) -> Box:
        """The visible part of the canvas."""
        return self.on_canvas(self.viewport().rect())

    def scroll_to(self, corner: QPoint) -> None:
        """Scroll until a point of the canvas is at the viewport's corner."""
        self.horizontalScrollBar().setValue(corner.x())
        self.verticalScrollBar().setValue(corner.y())

    def ensure_visible(self, box: Box) -> None:
        """Scroll as little as possible to show a rectangle of the canvas."""
        shown = self.visible
        x = _nearest(box.x, box.width, shown.x, shown.width)
        self.scroll_to(QPoint(x, _nearest(box.y, box.height, shown.y, shown.height)))

    def canvas(self, point: QPoint) -> QPoint:
        """Convert a point of the viewport to the canvas."""
        return point + self.offset

    def on_canvas(self, area: QRect) -> Box:
        """Convert a rectangle of the viewport to the canvas."""
        corner = self.canvas(area.topLeft())
        return Box(corner.x(), corner.y(), area.width(), area.height())

    def on_viewport(self, box: Box) -> QRect:
        """Convert a rectangle of the canvas to the viewport."""
        return QRect(box.x - self.horizontalOffset(), box.y - self.verticalOffset(), box.width, box.height)

    def more_rect(self, key: str) -> QRect | None:
        """Return the rectangle of "+n more" on the viewport if a post is behind it."""
        post = self._posts.get(key)
        if post is None or self.page.card_of(post) is not None:
            return None
        return self.more_place(self.page.days.place(post.at).day)

    def more_place(self, day: int) -> QRect | None:
        """Return the rectangle of a day's "+n more" on the viewport; None if nothing is hidden."""
        more, cell = self.page.cells.layout(day).more, self.page.geometry.cell(day)
        return self.on_viewport(more.moved(cell.x, cell.y)) if more else None

    def day_place(self, day: int) -> QRect:
        """Return a day's rectangle on the viewport, or that of its "+n" if the day is too high for it."""
        cell, more = self.on_viewport(self.page.geometry.cell(day)), self.more_place(day)
        return cell if cell.height() <= self.viewport().height() or more is None else more

    # What Qt asks a view ----------------------------------------------------------------------------------

    def visualRect(self, index: Index) -> QRect:
        """Return a card's rectangle; empty behind "+n more", and while the view is hidden."""
        if not index.isValid() or not self.isVisible():
            return QRect()
        found = self.page.card_of(self._posts.post_at(index.row()))
        return self.on_viewport(found[0]) if found else QRect()

    def indexAt(self, point: QPoint) -> QModelIndex:
        """Return the post whose card is at a point of the viewport."""
        on_canvas = self.canvas(point)
        card = self.page.card_at(on_canvas.x(), on_canvas.y())
        return self._posts.index(self._posts.row_of(card.post.key)) if card else QModelIndex()

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QListView.ScrollHint.EnsureVisible
    ) -> None:
        """Scroll to a post's card, or its day if it has no card."""
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
        """Set the scroll range."""
        geometry, size = self.page.geometry, self.viewport().size()
        for bar, content, shown in (
            (self.horizontalScrollBar(), geometry.content_width, size.width()),
            (self.verticalScrollBar(), geometry.content_height, size.height()),
        ):
            bar.setRange(0, max(0, content - shown))
            bar.setPageStep(shown)
            bar.setSingleStep(24)

    def doItemsLayout(self) -> None:
        """Clear Qt's pending flag without a layout."""
        QAbstractItemView.doItemsLayout(self)

    def dataChanged(self, top_left: Index, bottom_right: Index, roles: Sequence[int] = ()) -> None:
        QAbstractItemView.dataChanged(self, top_left, bottom_right, roles)

    def rowsInserted(self, parent: Index, start: int, end: int) -> None:
        """Do nothing: the model names the days that changed."""

    def rowsAboutToBeRemoved(self, parent: Index, start: int, end: int) -> None:
        QAbstractItemView.rowsAboutToBeRemoved(self, parent, start, end)

    def _hold_focus(self) -> None:
        """Don't announce the focus while rows change: Qt focuses a neighbour until a row is reinserted."""
        self._is_changing = True

    def _release_focus(self) -> None:
        self._is_changing = False

    def announce_missed_focus(self) -> None:
        """Announce the current post to screen readers after rows were removed."""
        if self._has_missed_focus and self.currentIndex().isValid():
            screen_reader.announce_focus(self, self.currentIndex().row())
        self._has_missed_focus = False

    def horizontalScrollbarValueChanged(self, value: int) -> None:  # noqa: N802  Qt's
        """Do nothing: Qt would look for the row under the pointer at each step, which isn't used."""

    def verticalScrollbarValueChanged(self, value: int) -> None:  # noqa: N802  Qt's
        """Do nothing, as above."""

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Do nothing: our keys are handled earlier."""
        del action, modifiers
        return self.currentIndex()

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        """Do nothing: our selection is mirrored to Qt's, not the other way round."""

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:
        """Return nothing: the view repaints selected cards itself."""
        del selection
        return QRegion()

    def keyboardSearch(self, text: str) -> None:
        """Do nothing: Qt would search all rows for a letter that is a shortcut here."""

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Notify screen readers, because Qt would report a row that it didn't lay out."""
        QAbstractItemView.currentChanged(self, current, previous)
        self._has_missed_focus = self._is_changing
        if current.isValid() and not self._is_changing:
            screen_reader.announce_focus(self, current.row())

    def show_day(self, day: int, half_hour: int | None = None) -> None:
        """Scroll to a day or a half hour; to a whole day among hours, only sideways."""
        cell, shown = self.page.focus_box(day, half_hour), self.visible
        if cell.height > shown.height:
            cell = cell._replace(y=shown.y, height=shown.height)
        self.ensure_visible(cell)

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        QAbstractItemView.selectionChanged(self, selected, deselected)
        screen_reader.announce_selection(self, deselected, added=False)
        screen_reader.announce_selection(self, selected, added=True)


def _nearest(start: int, length: int, shown_from: int, shown: int) -> int:
    """Return where a window must start to show a whole stretch, or at least its start."""
    if start < shown_from:
        return start
    return max(shown_from, min(start, start + length - shown))
