"""Prints the calendar in the light theme, as large as the sheet allows, and exports calendar files."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from PySide6.QtCore import QIODevice, QObject, QPoint, QRect, QRectF, QSaveFile, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPageLayout, QPainter
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QDialog, QWidget

from app.desktop import week, words
from app.desktop.aio import TaskScope
from app.desktop.calendar.cards import FindAccount
from app.desktop.calendar.days import LocalDays, Span, weekday_name
from app.desktop.calendar.geometry import HOUR_HEIGHT, HOURS_TOP
from app.desktop.calendar.looks import STATUS_WORDS, look_of
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.page import Page
from app.desktop.calendar.pages import Pages
from app.desktop.calendar.placement import Box
from app.desktop.file_dialogs import ask_to_save
from app.desktop.theme import theme
from app.language import sentence_start, tr, trn
from app.workspace import foreign_texts
from app.workspace.advice import reason_of
from app.workspace.clock import wall_clock
from app.workspace.exchange.calendar_file import Words, calendar_file
from app.workspace.messages import Message
from app.workspace.posts.planned import PlannedPost

_TITLE = 44
_NAMES = 26
_RULER = 48
_RATIO = 3.0
"""Pixels per logical pixel, which makes the sheet sharper than a screen."""

_WIDTHS = {Span.MONTH: 1_320, Span.WEEK: 1_500, Span.DAY: 1_000, Span.AGENDA: 1_000}
"""Width of a sheet in logical pixels; six weeks of a month must fit onto a wide one."""

_HOURS_END = 24 * HOUR_HEIGHT + HOURS_TOP + 1
_AGENDA_DAYS = 28
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: the part of a page's canvas printed on it."""

    page: Page
    shown: Box
    number: int = 1


class Paper:
    """Paints periods of one model onto sheets."""

    def __init__(self, model: PostListModel, days: LocalDays, find_account: FindAccount, now: int) -> None:
        """``now`` (ms since 1970 UTC) separates past and future."""
        self._now = now
        self._model = model
        self._days = days
        self._find_account = find_account

    def sheets(self, span: Span, day: int, shape: QSize) -> Iterator[Sheet]:
        """Return the sheets of the period that begins with a day; ``shape`` is a sheet's, in any unit.

        Call this and `paint` under `theme.on_paper`.
        """
        width, height = self._logical(span, shape)
        pages = Pages(self._model, self._days, self._find_account)
        page = pages.page(span, day, QSize(width - self._left(span), height - self._top(span)))
        page.set_ratio(_RATIO)
        page.now = self._now
        return self._parts(span, day, page, height - self._top(span))

    def paint(self, painter: QPainter, sheet: Sheet, span: Span, day: int, area: QRect) -> Iterator[None]:
        """Paint a sheet of `sheets` into a rectangle of the paint device, in short steps."""
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
        """Yield as many sheets as four weeks need; a day isn't split if it fits on a sheet."""
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
        name, year = span.title(day)
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
        """Paint the weekdays above a month, or the dates above hours with the hours at the side."""
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
        for cell in cells.values():  # afterwards, because on paper adjacent cells don't meet exactly
            painter.fillRect(cell.left(), cell.bottom(), cell.width(), 1, page.color("line"))
            if span is not Span.AGENDA:
                painter.fillRect(cell.left(), cell.top(), 1, cell.height(), page.color("line"))
        painter.restore()
        if span is not Span.AGENDA:
            painter.setPen(page.color("line"))
            painter.drawRect(area.translated(corner).adjusted(0, 0, -1, -1))


_MARGIN = 0.04
"""Margin on each side as a share of the sheet's width, in addition to the printer's margin."""

_FILTER = tr("Calendar file") + " (*.ics)"
_MANY = 3_000
"""Number of posts from which an export takes seconds."""
_NOT_FINISHED = tr("Printing stopped. Check the printer, then try again.")


FindTexts = Callable[[Sequence[str]], Awaitable[Mapping[str, str]]]
"""Returns the full texts of posts, by key. Raises Problem."""


class CalendarPrint(QObject):
    """Prints one period on paper or as a PDF file, step by step so that the window stays responsive."""

    told = Signal(object)
    """A Message for the user: success, or the error."""

    def __init__(self, paper: Paper, span: Span, day: int, parent: QWidget) -> None:
        """The period is the one of ``span`` that begins with ``day``, an ordinal."""
        super().__init__(parent)
        self._paper = paper
        self._span = span
        self._day = day
        self._parent = parent
        self._scope = TaskScope(self)

    def ask(self) -> None:
        """Ask for a printer or a file, then print."""
        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        is_wide = self._span in (Span.MONTH, Span.WEEK)
        orientation = QPageLayout.Orientation.Landscape if is_wide else QPageLayout.Orientation.Portrait
        printer.setPageOrientation(orientation)
        printer.setDocName(" ".join(self._span.title(self._day)))
        printer.setCreator("Kalends")
        dialog = QPrintDialog(printer, self._parent)
        dialog.accepted.connect(lambda: self.print(printer))
        dialog.rejected.connect(self.deleteLater)
        dialog.finished.connect(dialog.deleteLater)
        QDialog.open(dialog)

    def print(self, printer: QPrinter) -> None:
        """Print without asking."""
        self._scope.start(self._print(printer))

    async def _print(self, printer: QPrinter) -> None:
        name = Path(printer.outputFileName()).name
        painter = QPainter()
        if not painter.begin(printer):
            printed = name or printer.printerName()
            text = tr("Can't print to {printer}. Choose another printer or file.", printer=printed)
            self.told.emit(Message("error", text))
            return
        for _ in self._steps(painter, printer):
            await asyncio.sleep(0)
        is_done = painter.end() and printer.printerState() is not QPrinter.PrinterState.Error
        printed = tr("Sent to {printer}.", printer=printer.printerName())
        where = tr("Saved as {file}.", file=name) if name else printed
        told = Message("info", where) if is_done else Message("error", _NOT_FINISHED)
        self.told.emit(told)

    def _steps(self, painter: QPainter, printer: QPrinter) -> Iterator[None]:
        """Yield outside the light theme, which affects everything painted during a step."""
        work = self._work(painter, printer)
        while True:
            with theme.on_paper():
                try:
                    next(work)
                except StopIteration:
                    return
            yield

    def _work(self, painter: QPainter, printer: QPrinter) -> Iterator[None]:
        whole = printer.pageLayout().paintRectPixels(printer.resolution())
        area = whole.translated(-whole.topLeft())
        inset = round(area.width() * _MARGIN)
        area.adjust(inset, inset, -inset, -inset)
        for sheet in self._paper.sheets(self._span, self._day, QSize(area.size())):
            if sheet.number > 1:
                printer.newPage()
            yield from self._paper.paint(painter, sheet, self._span, self._day, area)


class CalendarExport(QObject):
    """Writes the posts of a model into an iCalendar file that the user names."""

    told = Signal(object)
    """A Message for the user: success, or the error."""

    def __init__(
        self,
        model: PostListModel,
        find_account: FindAccount,
        find_texts: FindTexts,
        zone: str,
        parent: QWidget,
    ) -> None:
        """``zone`` is the IANA name of the calendar's time zone."""
        super().__init__(parent)
        self._find_texts = find_texts
        self._model = model
        self._find_account = find_account
        self._zone = zone
        self._parent = parent
        self._scope = TaskScope(self, self._failed)

    def ask(self) -> None:
        """Ask for the file's name, then write it in the background."""
        title = tr("Export to a calendar file")
        ask_to_save(self._parent, title, "Kalends.ics", ("ics",), self.write, "documents", filters=(_FILTER,))

    def write(self, file: Path) -> None:
        """Write all posts that the calendar shows at any time, without filtered-out ones."""
        self._scope.start(self._write(file))

    async def _write(self, file: Path) -> None:
        posts, now = self._model.all(), wall_clock()
        if len(posts) > _MANY:
            told = trn(
                "Exporting {n} post to {file} …",
                "Exporting {n} posts to {file} …",
                len(posts),
                file=file.name,
            )
            self.told.emit(Message("info", told))

        texts = await self._find_texts([post.key for post in posts])

        def words_of(post: PlannedPost) -> Words:
            return self._words(post, texts.get(post.key, ""), now)

        def work() -> None:
            _save(file, calendar_file(posts, "Kalends", words_of, datetime.now(UTC), self._zone))

        try:
            await asyncio.to_thread(work)
        except OSError as error:
            self._failed(error)
            return
        done = trn(
            "{n} post exported to {file}.", "{n} posts exported to {file}.", len(posts), file=file.name
        )
        self.told.emit(Message("info", done))

    def _words(self, post: PlannedPost, text: str, now: int) -> Words:
        """Return the text of an event: the whole text, then what is known of the post. Runs in a thread."""
        account = self._find_account(post.account_key)
        platform, headline = words.platform_name(post.platform), post.headline or tr("Post without text")
        whose = platform
        if account is not None:
            whose = tr("{account} on {platform}", account=account.name, platform=platform)
            whose, headline = (words.marked(name, account) for name in (whose, headline))
        facts = [whose, sentence_start(STATUS_WORDS[look_of(post, now)]), reason_of(post)]
        told = "\n".join(filter(None, facts))
        return Words(headline, f"{text.strip()}\n\n{told}".lstrip())

    def _failed(self, error: Exception) -> None:
        reason = foreign_texts.why(error) if isinstance(error, OSError) else str(error)
        text = tr("Couldn't write the calendar file: {reason}.", reason=reason)
        self.told.emit(Message("error", text))


def _save(file: Path, content: bytes) -> None:
    """Write a file completely or not at all: an existing one stays until then. Raises OSError."""
    saved = QSaveFile(str(file))
    is_open = saved.open(QIODevice.OpenModeFlag.WriteOnly)
    if not (is_open and saved.write(content) == len(content) and saved.commit()):
        raise OSError(0, saved.errorString())
