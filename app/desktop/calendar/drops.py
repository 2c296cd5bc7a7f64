"""Files, drafts, text or an address dropped on a time, from another program or another part of this one."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.desktop import carried
from app.desktop.calendar.day_names import day_name
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.edges import EdgeScroll
from app.desktop.calendar.ghost import TipPainter, tip_place
from app.desktop.calendar.moves import Target
from app.desktop.calendar.view import CalendarView
from app.desktop.carried import Carried
from app.language import tr, trn

_HAND = 22
"""About the height of a pointer, below which the words stand."""

TimeAt = Callable[[Target], int | None]


class Drops(QObject):
    """Shows where a drop would land and what it would do, and hands on what was dropped there.

    ``time_at`` gives the time of a target in milliseconds since 1970 UTC, None for a day that is over.
    """

    dropped = Signal(object, object)
    """The Carried, and the Target."""
    aimed = Signal(object)
    """The Target below the pointer, or None."""

    def __init__(self, view: CalendarView, days: LocalDays, time_at: TimeAt) -> None:
        super().__init__(view)
        self._view = view
        self._days = days
        self._time_at = time_at
        self._carried = Carried()
        self._point, self._is_fine = QPoint(), False
        self._tip = DropTip(view)
        self._edges = EdgeScroll(view)
        view.viewport().setAcceptDrops(True)
        view.drops = self
        view.scrolled.connect(self._follow_scrolling)

    def enter(self, event: QDragEnterEvent) -> None:
        """Something comes over the days. It is read once: at each move it would be fetched anew."""
        self._carried = carried.read(event.mimeData())
        self.over(event)

    def over(self, event: QDropEvent) -> None:
        """It is at another point."""
        self._look(event)
        target = self._target() if self._carried else None
        self._edges.follow(self._point if self._carried else None)
        self._aim(target)
        _answer(event, taken=target is not None)

    def drop(self, event: QDropEvent) -> None:
        """It is let go."""
        self._look(event)
        target, dropped = self._target(), self._carried
        self.leave()
        taken = target is not None and bool(dropped)
        _answer(event, taken=taken)
        if taken:
            self.dropped.emit(dropped, target)

    def _look(self, event: QDropEvent) -> None:
        self._point = event.position().toPoint()
        self._is_fine = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)

    def leave(self) -> None:
        """It has gone elsewhere."""
        self._carried = Carried()
        self._edges.follow(None)
        self._aim(None)

    def _follow_scrolling(self) -> None:
        """The pointer stays, the days below it change."""
        if self._carried:
            self._aim(self._target())

    def _target(self) -> Target | None:
        point = self._view.canvas(self._point)
        return self._view.page.target(point.x(), point.y(), fine=self._is_fine, keep_time=False)

    def _aim(self, target: Target | None) -> None:
        self._view.aim_at(target)
        self._tip.tell(self._words(target) if target is not None else "", self._point)
        self.aimed.emit(target)

    def _words(self, target: Target) -> str:
        at = self._time_at(target)
        day = day_name(target.day if at is None else self._days.place(at).day)
        if at is None:
            return tr("{what} · {day} has passed, so no time is set", what=self._what(), day=day)
        begins = tr("from {day}", day=day) if self._carried.count > 1 else day
        return f"{self._what()} · {begins} · {self._days.clock(at)}"

    def _what(self) -> str:
        count = self._carried.count
        if self._carried.drafts:
            return trn("{n} draft", "{n} drafts", count) if count > 1 else tr("Draft")
        return trn("{n} file", "{n} files", count) if count > 1 else tr("New post")


class DropTip(QWidget):
    """Words beside the pointer of a drag that comes from elsewhere."""

    def __init__(self, view: CalendarView) -> None:
        super().__init__(view)
        self._view = view
        self._painter = TipPainter()
        self.words = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def tell(self, words: str, pointer: QPoint) -> None:
        """Says words below a point of the viewport, whole; none hide it."""
        self.words = words
        self.setVisible(bool(words))
        if words:
            viewport = self._view.viewport()
            left, top = pointer.x() + _HAND // 2, pointer.y()
            place = tip_place(left, top, top + _HAND, self._painter.size(words), viewport.size())
            self.setGeometry(place.translated(viewport.pos()))
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        ratio = self._view.page.ratio
        self._painter.paint(QPainter(self), QPoint(), self.words, refused=False, ratio=ratio)


def _answer(event: QDropEvent, *, taken: bool) -> None:
    if taken:
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
    else:
        event.ignore()
