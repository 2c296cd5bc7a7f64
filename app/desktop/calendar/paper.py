"""The calendar on paper: the period that shows, light and as large as the sheet allows."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter

from app.desktop import week
from app.desktop.calendar import spans
from app.desktop.calendar.cards import FindAccount
from app.desktop.calendar.day_names import weekday_name
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.geometry import HOUR_HEIGHT, HOURS_TOP
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.page import Page
from app.desktop.calendar.pages import Pages
from app.desktop.calendar.placement import Box
from app.desktop.calendar.spans import Span
from app.desktop.theme import theme
from app.language import tr

_TITLE = 44
_NAMES = 26
_RULER = 48
_RATIO = 3.0
"""Pixels of a picture to a logical one: the sheet is sharper than a screen."""

_WIDTHS = {Span.MONTH: 1_320, Span.WEEK: 1_500, Span.DAY: 1_000, Span.AGENDA: 1_000}
"""How wide a sheet is in logical pixels; six weeks of a month must fit onto a wide one."""

_HOURS_END = 24 * HOUR_HEIGHT + HOURS_TOP + 1
_AGENDA_DAYS = 28
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: the part of a page's canvas that stands on it."""

    page: Page
    shown: Box
    number: int = 1


class Paper:
    """Paints periods of one model onto sheets."""

    def __init__(self, model: PostListModel, days: LocalDays, find_account: FindAccount, now: int) -> None:
        """``now`` (milliseconds since 1970 UTC) tells what is past."""
        self._now = now
        self._model = model
        self._days = days
        self._find_account = find_account

    def sheets(self, span: Span, day: int, shape: QSize) -> Iterator[Sheet]:
        """The sheets of the period that begins with a day; ``shape`` is a sheet's, in any unit.

        Take and paint them under `theme.on_paper`.
        """
        width, height = self._logical(span, shape)
        pages = Pages(self._model, self._days, self._find_account)
        page = pages.page(span, day, QSize(width - self._left(span), height - self._top(span)))
        page.set_ratio(_RATIO)
        page.now = self._now
        return self._parts(span, day, page, height - self._top(span))

    def paint(self, painter: QPainter, sheet: Sheet, span: Span, day: int, area: QRect) -> Iterator[None]:
        """Paints a sheet of `sheets` into a rectangle of the paint device, in steps that take little time."""
        painter.save()
        painter.translate(area.topLeft())
        width, _ = self._logical(span, area.size())
        painter.scale(area.width() / width, area.width() / width)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        self._paint_title(painter, sheet, span, day, width)
        self._paint_names(painter, sheet, span)
        yield from self._paint_days(painter, sheet, span, QPoint(self._left(span), self._top(span)))
        painter.restore()

    def _logical(self, span: Span, shape: QSize) -> tuple[int, int]:
        width = _WIDTHS[span]
        if span.columns:  # a whole day must fit
            width = max(width, round(self._whole_day(span) * shape.width() / max(1, shape.height())))
        return width, round(width * shape.height() / max(1, shape.width()))

    def _whole_day(self, span: Span) -> int:
        return 24 * HOUR_HEIGHT + 16 + self._top(span)

    def _top(self, span: Span) -> int:
        return _TITLE + (0 if span is Span.AGENDA else _NAMES)

    def _left(self, span: Span) -> int:
        return _RULER if span.columns else 0

    def _parts(self, span: Span, day: int, page: Page, height: int) -> Iterator[Sheet]:
        geometry = page.geometry
        cell = geometry.cell(day)
        if span.columns:
            yield Sheet(page, Box(cell.x, 0, cell.width * span.columns, min(height, _HOURS_END)))
        elif span is Span.MONTH:
            top = geometry.cell(week.first_of(day)).y
            yield Sheet(page, Box(0, top, geometry.content_width, height))
        else:
            yield from self._agenda_parts(page, day, height)

    def _agenda_parts(self, page: Page, day: int, height: int) -> Iterator[Sheet]:
        """As many sheets as four weeks need; a day is not torn apart where it fits onto a sheet."""
        first = page.geometry.cell(day)
        top, end = first.y, page.geometry.cell(day + _AGENDA_DAYS).y
        number = 0
        while top < end:
            bottom = min(end, top + height)
            last = page.geometry.day_at(0, bottom - 1)
            if bottom < end and last is not None and page.geometry.cell(last).y > top:
                bottom = page.geometry.cell(last).y
            number += 1
            yield Sheet(page, Box(0, top, page.geometry.content_width, bottom - top), number)
            top = bottom

    def _paint_title(self, painter: QPainter, sheet: Sheet, span: Span, day: int, width: int) -> None:
        name, year = spans.title(span, day)
        painter.setFont(theme.current().font("title", QFont.Weight.DemiBold))
        painter.setPen(theme.current().color("text"))
        painter.drawText(QRectF(8, 0, width, _TITLE - 6), _LEFT, f"{name} {year}")
        painter.setFont(theme.current().font("card"))
        painter.setPen(theme.current().color("text3"))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        facts = ["Kalends", self._days.zone.key] + (
            [tr("Page {number}", number=sheet.number)] if sheet.number > 1 else []
        )
        painter.drawText(QRectF(0, 0, width - 8, _TITLE - 6), right, " · ".join(facts))

    def _paint_names(self, painter: QPainter, sheet: Sheet, span: Span) -> None:
        """The weekdays above a month, the dates above hours, and the hours beside them."""
        if span is Span.AGENDA:
            return
        painter.setFont(theme.current().font("card", QFont.Weight.Medium))
        painter.setPen(theme.current().color("text2"))
        geometry = sheet.page.geometry
        for day in list(geometry.days_in(sheet.shown))[: span.columns or 7]:
            cell, name = geometry.cell(day), weekday_name(day)
            text = f"{name} {date.fromordinal(day).day}" if span.columns else name
            left = self._left(span) + cell.x - sheet.shown.x + 8
            painter.drawText(QRectF(left, _TITLE, cell.width, _NAMES), _LEFT, text)
        if span.columns:
            self._paint_hours(painter, span)

    def _paint_hours(self, painter: QPainter, span: Span) -> None:
        painter.setFont(theme.current().font("small"))
        painter.setPen(theme.current().color("text3"))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for hour in range(24):
            line = QRectF(0, self._top(span) + 8 + hour * HOUR_HEIGHT - 9, _RULER - 8, 18)
            painter.drawText(line, right, f"{hour:02}:00")

    def _paint_days(self, painter: QPainter, sheet: Sheet, span: Span, corner: QPoint) -> Iterator[None]:
        page, shown = sheet.page, sheet.shown
        painter.save()
        painter.translate(corner)
        area = QRect(0, 0, shown.width, shown.height)
        painter.setClipRect(area)
        cell_of, days = page.geometry.cell, page.geometry.days_in(shown)
        cells = {day: QRect(*cell_of(day).moved(-shown.x, -shown.y)) for day in days}
        for day, cell in cells.items():
            page.paint_cell(painter, day, cell, area)
            yield
        for cell in cells.values():  # afterwards: on paper no cell ends exactly where the next one begins
            painter.fillRect(cell.left(), cell.bottom(), cell.width(), 1, page.color("line"))
            if span is not Span.AGENDA:
                painter.fillRect(cell.left(), cell.top(), 1, cell.height(), page.color("line"))
        painter.restore()
        if span is not Span.AGENDA:
            painter.setPen(page.color("line"))
            painter.drawRect(area.translated(corner).adjusted(0, 0, -1, -1))
