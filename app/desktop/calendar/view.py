"""The calendar's surface: a list view that shows days.

Qt gives selection, focus and accessibility for a flat list; where things are and how they look is ours.
"""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QWidget

from app.desktop.calendar.drag import Drag
from app.desktop.calendar.drop_target import DropTarget
from app.desktop.calendar.model import PostListModel, Selection, mirror_selection
from app.desktop.calendar.moves import Target
from app.desktop.calendar.page import Page
from app.desktop.calendar.paint import (
    DragLayer,
    FocusRing,
    FramePacer,
    Gradual,
    Prefetch,
    aim_rect,
    areas_to_paint,
    paint_marks,
)
from app.desktop.calendar.pills import CardTips, EdgePills
from app.desktop.calendar.placement import Box
from app.desktop.widgets import access
from app.desktop.widgets.item_view import ListView
from app.language import tr
from app.workspace.posts.planned import PlannedPost

Index = QModelIndex | QPersistentModelIndex


class StillListView(ListView):
    """Keeps model, selection and accessibility of Qt's view; the subclass says where rows are.

    Qt's own layout asks for every row: with it one changed row costs seconds (measured), without it 0.4 ms.
    """

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


MouseHandler = Callable[[QMouseEvent], None]


class CalendarView(StillListView):
    """Paints a page of days; gestures and keys are handled by whoever sets the handlers."""

    scrolled = Signal()
    resized = Signal()

    def __init__(self, model: PostListModel, page: Page, parent: QWidget | None = None) -> None:
        # Every field first: Qt's setters below call our overrides at once, and those must not fail.
        self._page = page
        self._layer = DragLayer(self)
        self.band: QRect | None = None
        self.aim: Target | None = None
        """Where something from elsewhere would land."""
        self.on_press: MouseHandler | None = None
        self.on_move: MouseHandler | None = None
        self.on_release: MouseHandler | None = None
        self.on_double_click: MouseHandler | None = None
        self.drops: DropTarget | None = None
        self.on_key: Callable[[QKeyEvent], bool] | None = None
        self._posts = model
        super().__init__(parent)
        self.frames = FramePacer(self)
        self._gradual = Gradual(self)
        self._is_turning = False
        """Whether another page comes, of which no pixel stays."""
        self.selection = Selection(self)
        self._prefetch = Prefetch(self)
        self.setItemDelegate(CardTips(self))
        self.pills, self.ring = EdgePills(self), FocusRing(self)
        self.pills.changed.connect(self._layer.look_again)
        self._dress()
        model.days_changed.connect(self._days_changed)
        model.modelReset.connect(self._reset)
        self.setModel(model)
        self.selection.changed.connect(self._selection_changed)

    def _dress(self) -> None:
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
    def page(self) -> Page:
        """The page that shows."""
        return self._page

    @property
    def drag(self) -> Drag | None:
        """The drag that goes on."""
        return self._layer.drag

    @property
    def is_complete(self) -> bool:
        """Whether all that shows says what it has to; on a crowded page that takes some frames."""
        return self._gradual.is_complete

    @property
    def offset(self) -> QPoint:
        """The point of the canvas that is at the viewport's corner."""
        return QPoint(self.horizontalOffset(), self.verticalOffset())

    @property
    def visible(self) -> Box:
        """The part of the canvas that shows."""
        return self.on_canvas(self.viewport().rect())

    def show_page(self, page: Page, scroll: QPoint) -> None:
        """Shows another page, scrolled to a point of its canvas."""
        self._page = page
        page.set_ratio(self.devicePixelRatioF())
        page.cells.set_viewport(self.viewport().width(), self.viewport().height(), page.ratio)
        self._is_turning = True
        self.updateGeometries()
        self.scroll_to(scroll)
        self._is_turning = False
        self.scrolled.emit()
        if self.drag is not None:
            self.drag.turn_to(page)
            self._layer.look_again()
        self._gradual.begin_anew()
        self.pills.begin_anew()
        self.viewport().update()
        self._prefetch.begin(self._page)

    def scroll_to(self, corner: QPoint) -> None:
        """Brings a point of the canvas to the viewport's corner."""
        self.horizontalScrollBar().setValue(corner.x())
        self.verticalScrollBar().setValue(corner.y())

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
        """Where "+n more" stands on the viewport when a post is behind it."""
        post = self._posts.get(key)
        if post is None or self._page.card_of(post) is not None:
            return None
        day = self._page.days.place(post.at).day
        more, cell = self._page.cells.layout(day).more, self._page.geometry.cell(day)
        return self.on_viewport(more.moved(cell.x, cell.y)) if more else None

    def day_corner(self, day: int) -> QPoint:
        """Where a day begins on the viewport; of one that is higher than it, where "+n more" stands."""
        cell, more = self._page.geometry.cell(day), self._page.cells.layout(day).more
        if cell.height <= self.viewport().height() or more is None:
            return self.on_viewport(cell).topLeft()
        return self.on_viewport(cell).topLeft() + QPoint(0, more.y)

    def begin_drag(self, drag: Drag) -> None:
        """From now on only the ghost, the words and the target's day are painted anew."""
        self._layer.begin(drag)

    def update_drag(self, move: Callable[[Drag], None]) -> bool:
        """Moves the drag and repaints what it leaves and what it covers; whether it would land elsewhere."""
        return self._layer.move(move)

    def end_drag(self) -> Drag | None:
        """Ends the drag and returns it."""
        return self._layer.end()

    def aim_at(self, target: Target | None) -> None:
        """Shows where something from elsewhere would land, or nothing."""
        before, self.aim = self.aim, target
        if before != target:
            self.viewport().update(QRegion(aim_rect(self, before)) | aim_rect(self, target))

    def set_band(self, band: QRect | None) -> None:
        """Shows the rubber band, or none."""
        dirty = QRegion()
        for area in (self.band, band):
            dirty |= QRegion(area.adjusted(-1, -1, 1, 1)) if area is not None else QRegion()
        self.band = band
        self.viewport().update(dirty)

    def update_day(self, day: int) -> None:
        """Repaints one day."""
        self.viewport().update(self.on_viewport(self._page.geometry.cell(day)))

    def update_card(self, post: PlannedPost) -> None:
        """Repaints one card, where it has one."""
        if self._page.days.day_of(post.at) in self._page.geometry.days_in(self.visible):
            found = self._page.card_of(post)
            self.viewport().update(self.on_viewport(found[0]) if found else QRect())

    def ensure_visible(self, box: Box) -> None:
        """Scrolls as little as shows a rectangle of the canvas."""
        shown = self.visible
        x = _nearest(box.x, box.width, shown.x, shown.width)
        self.scroll_to(QPoint(x, _nearest(box.y, box.height, shown.y, shown.height)))

    # What Qt asks a view ----------------------------------------------------------------------------------

    def visualRect(self, index: Index) -> QRect:
        """Where a post's card is; empty for one behind "+n more", and while the view is hidden."""
        if not index.isValid() or not self.isVisible():
            return QRect()
        found = self._page.card_of(self._posts.post_at(index.row()))
        return self.on_viewport(found[0]) if found else QRect()

    def indexAt(self, point: QPoint) -> QModelIndex:
        """The post whose card is at a point of the viewport."""
        on_canvas = self.canvas(point)
        card = self._page.card_at(on_canvas.x(), on_canvas.y())
        return self._posts.index(self._posts.row_of(card.post.key)) if card else QModelIndex()

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QListView.ScrollHint.EnsureVisible
    ) -> None:
        """Shows a post's day, and its card where it has one."""
        del hint
        if not index.isValid():
            return
        post = self._posts.post_at(index.row())
        found = self._page.card_of(post)
        self.ensure_visible(
            found[0] if found else self._page.geometry.cell(self._page.days.place(post.at).day)
        )

    def horizontalOffset(self) -> int:
        return self.horizontalScrollBar().value()

    def verticalOffset(self) -> int:
        return self.verticalScrollBar().value()

    def selectAll(self) -> None:
        """Chooses every post that shows."""
        cards = self._page.cards_in(self.visible)
        self.selection.choose({card.post.key for _, card in cards}, self.selection.current)

    def updateGeometries(self) -> None:
        """Sets the range that can be scrolled."""
        geometry, size = self._page.geometry, self.viewport().size()
        for bar, content, shown in (
            (self.horizontalScrollBar(), geometry.content_width, size.width()),
            (self.verticalScrollBar(), geometry.content_height, size.height()),
        ):
            bar.setRange(0, max(0, content - shown))
            bar.setPageStep(shown)
            bar.setSingleStep(24)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tells whoever makes the pages."""
        del event
        self.resized.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolls; with Shift, a wheel that turns one way only scrolls to the sides."""
        turned = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not turned.x():
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() - turned.y())
            event.accept()
            return
        super().wheelEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Moves the pixels that stay and paints the strip that comes."""
        if self._is_turning:
            return  # all is painted anew
        size = self.viewport().size()
        is_jump = abs(dx) >= size.width() or abs(dy) >= size.height()
        if self.drag is not None or self.band is not None or is_jump:
            self._layer.look_again()
            self.viewport().update()
        else:
            self._gradual.scroll()
            self.pills.hover(None)
            self.viewport().scroll(dx, dy)
            self.viewport().update(self._hidden().translated(dx, dy))  # pixels that are another's came along
            self.pills.follow(dx, dy)
        self.scrolled.emit()
        self._prefetch.begin(self._page)

    def _hidden(self) -> QRegion:
        """What of the view its round corners and the line around it hide."""
        return QRegion() if self.mask().isEmpty() else QRegion(self.rect()) - self.mask()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        is_left = event.button() is Qt.MouseButton.LeftButton
        if is_left and self.pills.press(event.position().toPoint()):
            return
        if self.on_press:
            self.on_press(event)

    def leaveEvent(self, event: QEvent) -> None:
        """The pointer is on nothing any more."""
        super().leaveEvent(event)
        self.pills.hover(None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._layer.drag is None:
            self.pills.hover(event.position().toPoint())
        if self.on_move:
            self.on_move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.on_release:
            self.on_release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.on_double_click and self.pills.at(event.position().toPoint()) is None:
            self.on_double_click(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.drops:
            self.drops.enter(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if self.drops:
            self.drops.over(event)

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        if self.drops:
            self.drops.leave()

    def dropEvent(self, event: QDropEvent) -> None:
        if self.drops:
            self.drops.drop(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.on_key is None or not self.on_key(event):
            event.ignore()

    # Painting ---------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints each dirty rectangle by itself: their bounding box may be the whole view."""
        painter = QPainter(self.viewport())
        painter.setLayoutDirection(self.layoutDirection())  # a painter begins with the app's
        if self.drag is not None:
            self._layer.paint(painter, self.drag, event.rect())
        else:
            self._gradual.paint(areas_to_paint(event.region()), partial(self._paint_area, painter))
        painter.end()

    def _paint_area(self, painter: QPainter, area: QRect) -> None:
        painter.setClipRect(area)
        self.paint_days(painter, area)

    def paint_days(self, painter: QPainter, area: QRect) -> None:
        """Paints an area of the viewport as it is without a drag."""
        self._page.paint(painter, area, self.offset)
        paint_marks(painter, self, area)
        self.pills.paint(painter, area)

    def _days_changed(self, days: set[int]) -> None:
        self._page.cells.drop(days)  # Qt may have asked for a card while its row was on its way
        mirror_selection(self, self._posts, self.selection)  # Qt forgets rows that leave, also to come back
        self._layer.look_again()
        for day in days:
            self.update_day(day)

    def _reset(self) -> None:
        self._page.cells.clear()
        self.selection.keep_only(key for key in self.selection.keys if self._posts.get(key))
        self._layer.look_again()
        self.viewport().update()

    def _selection_changed(self, keys: frozenset[str]) -> None:
        for key in keys:
            post = self._posts.get(key)
            found = self._page.card_of(post) if post is not None else None
            place = self.on_viewport(found[0]) if found else self.more_rect(key)
            if place is not None:
                self.viewport().update(place.adjusted(-3, -3, 3, 3))
        mirror_selection(self, self._posts, self.selection)


def _nearest(start: int, length: int, shown_from: int, shown: int) -> int:
    """Where a window of a length must begin to show a stretch whole, its beginning before its end."""
    if start < shown_from:
        return start
    return max(shown_from, min(start, start + length - shown))
