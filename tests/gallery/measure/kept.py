"""The texts of a widget, those in pictures that it keeps as well: these are painted once more."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QPoint, QRect, QRectF
from PySide6.QtGui import QPainter, QRegion
from PySide6.QtWidgets import QWidget

from app.desktop.calendar.drag import Drag, paint_stack
from app.desktop.calendar.headers import DayHeader, HourRuler, _hidden_by
from app.desktop.calendar.placement import Box, DayLayout
from app.desktop.calendar.view import CalendarView
from tests.gallery.measure.recorder import Drawn, Recorder, Writing

Paint = Callable[[QPainter], object]
Kept = dict[int, tuple[Paint, bool]]
"""What paints a picture's texts, by the picture's `cacheKey`, and whether it lies over what else shows."""


def record(widget: QWidget, kept: Kept) -> list[Writing]:
    """Everything that a widget writes, in its coordinates."""
    recorder = Recorder(widget.size())
    widget.render(recorder, QPoint(), QRegion(widget.rect()), QWidget.RenderFlag(0))
    found = [*recorder.writings, *_written_on(recorder.drawn, kept)]
    view = widget.parentWidget()
    if not isinstance(view, CalendarView) or view.viewport() is not widget:
        return found
    if view.drag is not None:  # what is carried is painted over a picture of the days
        found = [replace(one, floats=True) for one in found]
    return [*_days(view), *found] if view.page.prefetches() else found


def kept_in(window: QWidget) -> Kept:
    """The pictures with texts that the widgets of a window keep."""
    kept: Kept = {}
    for view in window.findChildren(CalendarView):
        kept |= _marks_of(view) | _pills_of(view)
        if view.drag is not None:
            kept |= _preview_of(view, view.drag)
    for header in window.findChildren(DayHeader):
        kept |= _days_of(header)
    for ruler in window.findChildren(HourRuler):
        kept |= _hours_of(ruler)
    return kept


def _days(view: CalendarView) -> Iterator[Writing]:
    """The calendar shows days from pictures, of which a crowded page makes some later."""
    page, painted = view.page, []
    for day in page.geometry.days_in(view.visible):
        layout, corner = page.cells.layout(day), view.on_viewport(page.geometry.cell(day)).topLeft()
        for tile in page.tiles(day, layout):
            recorder = Recorder(view.viewport().size())
            painter = QPainter(recorder)
            painter.setClipRect(QRect(QPoint(), view.viewport().size()))
            painter.translate(corner)
            tile.paint(painter)
            painter.end()
            painted.append((recorder, layout, tile.box, corner))
    marks = _marks_of(view)
    for recorder, layout, box, corner in painted:
        for one in (*recorder.writings, *_written_on(recorder.drawn, marks)):
            yield replace(one, place=_card_around(one, layout, box, corner))


def _card_around(one: Writing, layout: DayLayout, tile: Box, corner: QPoint) -> QRectF:
    """The card that a text stands on, or all of the picture."""
    middle = one.ink.center() - corner
    cards = [*layout.cards, *([layout.new] if layout.new is not None else [])]
    boxes = [card.box for card in cards if card.box.contains(int(middle.x()), int(middle.y()))]
    return QRectF(*(boxes[-1] if boxes else tile)).translated(corner)


def _written_on(drawn: list[Drawn], kept: Kept) -> Iterator[Writing]:
    """The texts of pictures, where these were drawn."""
    for picture in drawn:
        if picture.key not in kept:
            continue
        paint, floats = kept[picture.key]
        recorder = Recorder(picture.place.size().toSize())
        painter = QPainter(recorder)
        paint(painter)
        painter.end()
        corner = picture.place.topLeft()
        for one in (*recorder.writings, *_written_on(recorder.drawn, kept)):
            line, ink = one.line.translated(corner), one.ink.translated(corner)
            yield Writing(one.words, line, ink, picture.clip, picture.place, floats=floats)


def _marks_of(view: CalendarView) -> Kept:
    """Of cards: the tag of practice."""
    cards, kept = view.page.cards, Kept()
    for key, picture in cards._templates.items():
        parts = cards._arranged(key.width, key.height, key.wanted)
        kept[picture.cacheKey()] = partial(cards._paint_marks, key=key, parts=parts), False
    return kept


def _pills_of(view: CalendarView) -> Kept:
    pills = view.pills
    return {
        picture.cacheKey(): (partial(pills._write, text=text), True)
        for (_, text, *_), picture in pills._pictures.items()
    }


def _preview_of(view: CalendarView, drag: Drag) -> Kept:
    """The cards that are carried; their style is that of the one that was grabbed."""
    found = view.page.card_of(drag.grabbed)
    card = found[1] if found is not None else view.page.alone(drag.grabbed)
    box = Box(0, 0, *drag.card_size)
    paint = partial(paint_stack, page=view.page, posts=drag.posts[:3], box=box, style=card.style)
    pictures = drag.preview._picture, drag.preview._refused
    kept: Kept = {picture.cacheKey(): (paint, True) for picture in pictures if picture is not None}
    tips = view.layer._tips
    if tips._picture is not None:
        is_refused = drag.refusal is not None
        words = partial(tips._write, corner=QPoint(), words=drag.tip, refused=is_refused)
        kept[tips._picture.cacheKey()] = words, True
    return kept


def _days_of(header: DayHeader) -> Kept:
    return {
        picture.cacheKey(): (partial(header._paint_day, box=QRectF(0, 0, width, height), day=day), False)
        for (day, width, _, height, *_), picture in header._pictures.items()
    }


def _hours_of(ruler: HourRuler) -> Kept:
    """All hours but those that a mark lies on."""
    if ruler._picture is None:
        return {}
    hidden = {_hidden_by(minute) for minute, _, _ in ruler._marks_in(ruler.rect())}
    hours = [hour for hour in range(24) if hour not in hidden]
    return {ruler._picture.cacheKey(): (partial(ruler._paint_hours, hours=hours), False)}
