"""Every text that a window shows, with the widget that it belongs to."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRectF
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from app.desktop.calendar.view import CalendarView
from tests.gallery.measure.kept import kept_in, record
from tests.gallery.measure.recorder import Writing

HAIR = 1.0
"""How far, in logical pixels, rounding may take a text out of its place."""

_ENOUGH = 0.7


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text on a widget; ``writing`` is in the widget's coordinates."""

    widget: QWidget
    writing: Writing

    @property
    def words(self) -> str:
        """What it says."""
        return self.writing.words

    def on_window(self, area: QRectF) -> QRectF:
        """An area of the widget as one of its window."""
        return area.translated(self.widget.mapTo(self.widget.window(), QPoint()))

    def shown(self, area: QRectF) -> QRectF:
        """What the widgets around it let through of an area, on the window; empty for nothing."""
        left = QRectF(area)
        if self.writing.clip is not None:
            left &= self.writing.clip
        for one in around(self.widget):
            left &= QRectF(one.rect())
            if not one.isWindow():
                left.translate(one.pos())
        return left


def texts_of(window: QWidget) -> list[Text]:
    """The texts of a window and of all widgets in it that show, without emoji and mere signs."""
    found, kept = [], kept_in(window)
    for widget in (window, *window.findChildren(QWidget)):
        if widget.window() is window and widget.isVisible() and not widget.visibleRegion().isEmpty():
            found += [Text(widget, one) for one in record(widget, kept) if _is_read(one.words)]
    return [text for text in found if not text.shown(text.writing.ink).isEmpty()]


def is_covered(text: Text) -> bool:
    """Whether something lies over a text, as a sheet or a dragged card does."""
    window = text.widget.window()
    area = text.shown(text.writing.ink)
    top = window.childAt(area.center().toPoint()) or window
    if not (top is text.widget or text.widget.isAncestorOf(top) or _lets_through(top, text.widget)):
        return True
    view = text.widget.parentWidget()
    if not isinstance(view, CalendarView) or text.writing.floats:
        return False
    return _is_below_what_floats(view, text.writing.ink)


def _is_below_what_floats(view: CalendarView, ink: QRectF) -> bool:
    """Whether a card is below what is dragged, or fades out towards the edge of the view."""
    floating = [pill.area for pill in view.pills.shown]
    if view.drag is not None:
        floating.append(view.drag.preview.place(*view.drag.preview_corner()))
    return any(ink.intersects(QRectF(one)) for one in floating)


def is_whole(text: Text) -> bool:
    """Whether enough of a text shows to measure its colours: not a sliver at the edge of what scrolls."""
    ink, shown = text.writing.ink, text.shown(text.writing.ink)
    return (
        min(shown.width() / ink.width(), shown.height() / ink.height()) > _ENOUGH if ink.isValid() else False
    )


def _lets_through(top: QWidget, below: QWidget) -> bool:
    """``childAt`` leaves out what the mouse goes through; then it finds an ancestor."""
    return top.isAncestorOf(below)


def _is_read(words: str) -> bool:
    """Whether there is a letter or a figure in it."""
    return any(unicodedata.category(character)[0] in "LN" for character in words)


def scrolling(widget: QWidget) -> QAbstractScrollArea | None:
    """The scroll area whose viewport a widget is."""
    area = widget.parentWidget()
    return area if isinstance(area, QAbstractScrollArea) and area.viewport() is widget else None


def around(widget: QWidget) -> Iterator[QWidget]:
    """The widget and all around it, up to its window."""
    one: QWidget | None = widget
    while one is not None:
        yield one
        one = None if one.isWindow() else one.parentWidget()
