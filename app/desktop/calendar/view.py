"""The calendar's surface: shows a page of days, paints it, and passes events on.

The page decides how days look; the controllers handle mouse and keyboard.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
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
from PySide6.QtWidgets import QWidget

from app.desktop.calendar.drag import Drag
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.motion import CalendarMotion
from app.desktop.calendar.page import Page
from app.desktop.calendar.page_view import PageView
from app.desktop.calendar.paint import DragLayer, FramePacer, Gradual, Marks, Prefetch, areas_to_paint
from app.desktop.calendar.pills import CardTips, EdgePills
from app.desktop.calendar.selection import Selection, mirror_selection
from app.desktop.calendar.tiles import Budget
from app.desktop.commands import Command
from app.desktop.widgets import Menu
from app.workspace.posts.planned import PlannedPost


class MouseHandler(Protocol):
    """Handles mouse events on the days."""

    def press(self, event: QMouseEvent) -> None: ...

    def move(self, event: QMouseEvent) -> None: ...

    def release(self, event: QMouseEvent) -> None: ...

    def double_click(self, event: QMouseEvent) -> None: ...


class DropTarget(Protocol):
    """Handles drags from elsewhere over the days."""

    def enter(self, event: QDragEnterEvent) -> None: ...

    def over(self, event: QDropEvent) -> None: ...

    def drop(self, event: QDropEvent) -> None: ...

    def leave(self) -> None: ...


class CalendarView(PageView):
    """Paints a page of days; ``mouse``, ``drops`` and ``on_key`` are set by the controllers."""

    scrolled = Signal()
    resized = Signal()
    shifted = Signal()
    """The horizontal shift of the days has changed: see ``CalendarMotion.shift``."""

    def __init__(self, model: PostListModel, page: Page, parent: QWidget | None = None) -> None:
        self.mouse: MouseHandler | None = None
        self.drops: DropTarget | None = None
        self.on_key: Callable[[QKeyEvent], bool] | None = None
        self.offer: Callable[[], Sequence[Command]] = tuple
        """Returns the commands in the menu of the selected posts."""
        self._is_turning = False
        """Whether the page is being replaced, so that no pixel stays."""
        self._ringed_day: int | None = None
        super().__init__(model, page, parent)
        self.selection = Selection(model.sharing, self)
        self.frames = FramePacer(self)
        self.marks = Marks(self, self.selection)
        self.pills = EdgePills(self)
        self.motion = CalendarMotion(self, self.shifted.emit)
        self.layer = DragLayer(self, self.frames, self.marks, self._paint_days)
        self._gradual = Gradual(self)
        self._prefetch = Prefetch(self)
        self.setItemDelegate(CardTips(self, self.pills))
        self.pills.changed.connect(self.layer.look_again)
        model.days_changed.connect(self._days_changed)
        model.modelReset.connect(self._reset)
        self.setModel(model)
        self.selection.changed.connect(self._selection_changed)

    @property
    def drag(self) -> Drag | None:
        """The drag in progress."""
        return self.layer.drag

    @property
    def is_complete(self) -> bool:
        """Whether everything visible is fully painted; on a crowded page that takes a few frames."""
        return self._gradual.is_complete

    def show_page(self, page: Page, scroll: QPoint) -> None:
        """Show another page, scrolled to a point of its canvas."""
        self.motion.finish()
        self.page = page
        page.set_ratio(self.devicePixelRatioF())
        page.cells.set_viewport(self.viewport().width(), self.viewport().height(), page.ratio)
        self._is_turning = True
        self.updateGeometries()
        self.scroll_to(scroll)
        self._is_turning = False
        self.scrolled.emit()
        if self.drag is not None:
            self.drag.turn_to(page)
            self.layer.look_again()
        self._gradual.restart()
        self.pills.restart()
        self.viewport().update()
        self._prefetch.begin()

    def update_day(self, day: int) -> None:
        """Repaint one day."""
        self.viewport().update(self.on_viewport(self.page.geometry.cell(day)))

    def update_card(self, post: PlannedPost) -> None:
        """Repaint a post's card, if it has one."""
        if self.page.days.day_of(post.at) in self.page.geometry.days_in(self.visible):
            found = self.page.card_of(post)
            self.viewport().update(self.on_viewport(found[0]) if found else QRect())

    def selectAll(self) -> None:
        """Select every visible post."""
        cards = self.page.cards_in(self.visible)
        self.selection.choose({card.post.key for _, card in cards}, self.selection.current)

    # Events -----------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Notify the grid, which creates the pages."""
        del event
        self.resized.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; with Shift, a vertical wheel scrolls sideways."""
        turned = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not turned.x():
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() - turned.y())
            event.accept()
            return
        super().wheelEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Move the pixels that stay and paint the uncovered strip."""
        if self._is_turning:
            return  # everything is repainted
        self.motion.finish()
        size = self.viewport().size()
        is_jump = abs(dx) >= size.width() or abs(dy) >= size.height()
        if self.drag is not None or self.marks.band is not None or is_jump:
            self.layer.look_again()
            self.viewport().update()
        else:
            self._gradual.scroll()
            self._hover(None)
            self.viewport().scroll(dx, dy)
            self.viewport().update(self._hidden().translated(dx, dy))  # those pixels were other widgets'
            self.pills.follow(dx, dy)
        self.scrolled.emit()
        self._prefetch.begin()

    def _hidden(self) -> QRegion:
        """The part of the view hidden by its round corners and its border."""
        return QRegion() if self.mask().isEmpty() else QRegion(self.rect()) - self.mask()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        is_left = event.button() is Qt.MouseButton.LeftButton
        if not (is_left and self.pills.press(event.position().toPoint())) and self.mouse:
            self.mouse.press(event)

    def leaveEvent(self, event: QEvent) -> None:
        """End hovering."""
        super().leaveEvent(event)
        self._hover(None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.layer.drag is None:
            self._hover(event.position().toPoint())
        if self.mouse:
            self.mouse.move(event)

    def _hover(self, point: QPoint | None) -> None:
        """Show which pill is at a point of the viewport."""
        on_canvas = self.canvas(point) if point is not None and not self.pills.hover(point) else None
        if point is None:
            self.pills.hover(None)
        self.marks.hover_more(self.page.more_at(on_canvas.x(), on_canvas.y()) if on_canvas else None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.mouse:
            self.mouse.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.mouse and self.pills.at(event.position().toPoint()) is None:
            self.mouse.double_click(event)

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

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the menu of the card below the pointer, or of the current one for a key."""
        if event.reason() is not QContextMenuEvent.Reason.Mouse:
            self.show_menu()
            return
        on_canvas = self.canvas(event.pos())
        if (card := self.page.card_at(on_canvas.x(), on_canvas.y())) is not None:
            keys = self.selection.keys
            self.selection.choose(keys if card.post.key in keys else {card.post.key}, card.post.key)
            self._pop_up(event.pos())

    def show_menu(self) -> None:
        """Show the menu of the selected posts at the current one, which is selected if none is."""
        current = self.selection.current
        post = self._posts.get(current or "")
        if post is not None:
            self.selection.choose(self.selection.keys or {post.key}, post.key)
            found = self.page.card_of(post)
            place = self.on_viewport(found[0]) if found else self.more_rect(post.key)
            self._pop_up(place.center() if place is not None else self.viewport().rect().center())

    def _pop_up(self, place: QPoint) -> None:
        menu = Menu(self)
        menu.add_commands(self.offer())
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.viewport().mapToGlobal(place))

    # Painting ---------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint each dirty rectangle separately: their bounding box may be the whole view."""
        painter = QPainter(self.viewport())
        painter.setLayoutDirection(self.layoutDirection())  # a painter starts with the app's direction
        if self.drag is not None:
            self.layer.paint(painter, self.drag, event.rect())
        else:
            shift = self.motion.shift
            areas = areas_to_paint(event.region())
            painter.translate(shift)
            self._gradual.paint(
                (area.translated(-shift) for area in areas), partial(self._paint_area, painter)
            )
            painter.translate(-shift)
            painter.setClipping(False)
            self.motion.paint(painter, event.rect())
        painter.end()

    def _paint_area(self, painter: QPainter, area: QRect, budget: Budget) -> None:
        painter.setClipRect(area)
        self._paint_days(painter, area, budget)

    def _paint_days(self, painter: QPainter, area: QRect, budget: Budget) -> None:
        """Paint an area of the viewport without the drag."""
        self.page.paint(painter, area, self.offset, budget)
        dragged = {post.key for post in self.drag.posts} if self.drag is not None else set()
        self.marks.paint(painter, area, self.motion.hidden | dragged)
        self.pills.paint(painter, area)

    def _days_changed(self, days: set[int]) -> None:
        self.page.cells.drop(days)  # Qt may have asked for a card while its row was moving
        mirror_selection(self, self._posts, self.selection)  # Qt deselects rows that are removed and inserted
        if self._posts.get(self.selection.current or "") is not None:
            self.announce_missed_focus()
        self.layer.look_again()
        for day in days:
            self.update_day(day)

    def _reset(self) -> None:
        self.page.cells.clear()
        self.selection.keep_only(key for key in self.selection.keys if self._posts.get(key))
        self.layer.look_again()
        self.viewport().update()

    def _selection_changed(self, keys: frozenset[str]) -> None:
        for day in (self._ringed_day, self.selection.day):
            if day is not None and day in self.page.geometry.days_in(self.visible):
                self.update_day(day)
        self._ringed_day = self.selection.day
        for key in keys:
            post = self._posts.get(key)
            found = self.page.card_of(post) if post is not None else None
            place = self.on_viewport(found[0]) if found else self.more_rect(key)
            if place is not None:
                self.viewport().update(place.adjusted(-3, -3, 3, 3))
        mirror_selection(self, self._posts, self.selection)
        self.announce_missed_focus()
