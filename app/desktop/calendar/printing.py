"""What leaves the calendar: onto paper, and into files of other calendar programs."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QIODevice, QObject, QSaveFile, QSize, Signal
from PySide6.QtGui import QPageLayout, QPainter
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QDialog, QFileDialog, QWidget

from app.desktop import words
from app.desktop.aio import TaskScope
from app.desktop.calendar.cards import FindAccount
from app.desktop.calendar.looks import STATUS_WORDS, look_of
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.paper import Paper
from app.desktop.calendar.spans import Span
from app.desktop.theme import theme
from app.workspace.clock import wall_clock
from app.workspace.exchange.calendar_file import Words, calendar_file
from app.workspace.messages import Message
from app.workspace.posts.planned import PlannedPost

_MARGIN = 0.04
"""The part of a sheet's width that stays free on every side beside what the printer needs."""

_FILTER = "Calendar file (*.ics)"


def print_period(paper: Paper, span: Span, day: int, parent: QWidget) -> None:
    """Asks for a printer or a PDF file, and prints the period that begins with a day."""
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    is_wide = span in (Span.MONTH, Span.WEEK)
    orientation = QPageLayout.Orientation.Landscape if is_wide else QPageLayout.Orientation.Portrait
    printer.setPageOrientation(orientation)
    printer.setDocName("Kalends")
    dialog = QPrintDialog(printer, parent)
    dialog.accepted.connect(lambda: print_onto(printer, paper, span, day))
    dialog.finished.connect(dialog.deleteLater)
    QDialog.open(dialog)


def print_onto(printer: QPrinter, paper: Paper, span: Span, day: int) -> None:
    """Prints the period without asking."""
    whole = printer.pageLayout().paintRectPixels(printer.resolution())
    area = whole.translated(-whole.topLeft())
    inset = round(area.width() * _MARGIN)
    area.adjust(inset, inset, -inset, -inset)
    painter = QPainter()
    if not painter.begin(printer):
        return
    with theme.on_paper():
        for number, sheet in enumerate(paper.sheets(span, day, QSize(area.size()))):
            if number:
                printer.newPage()
            paper.paint(painter, sheet, span, day, area)
    painter.end()


class CalendarExport(QObject):
    """Writes the posts of a model into an iCalendar file that the person names."""

    told = Signal(object)
    """A Message for the person: done, or why not."""

    def __init__(self, model: PostListModel, find_account: FindAccount, zone: str, parent: QWidget) -> None:
        """``zone`` is the IANA name of the zone in which the calendar is shown."""
        super().__init__(parent)
        self._model = model
        self._find_account = find_account
        self._zone = zone
        self._parent = parent
        self._scope = TaskScope(self, self._failed)

    def ask(self) -> None:
        """Asks for the file's name, then writes it beside the window's work."""
        dialog = QFileDialog(self._parent, "Export to a calendar file", "Kalends.ics", _FILTER)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("ics")
        dialog.fileSelected.connect(lambda name: self.write(Path(name)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def write(self, file: Path) -> None:
        """Writes every post that the calendar shows at any time; those that are filtered out stay out."""
        self._scope.start(self._write(file))

    async def _write(self, file: Path) -> None:
        posts, now = self._model.all(), wall_clock()

        def work() -> None:
            moment = datetime.now(UTC)
            _save(
                file, calendar_file(posts, "Kalends", lambda one: self._words(one, now), moment, self._zone)
            )

        await asyncio.to_thread(work)
        self.told.emit(Message("info", f"{words.counted(len(posts), 'post')} exported to {file.name}."))

    def _words(self, post: PlannedPost, now: int) -> Words:
        """What an event says. Runs in a thread: reads only."""
        account = self._find_account(post.account_key)
        practice = " (practice)" if account is not None and account.practice else ""
        platform = words.platform_name(post.platform)
        whose = f"{account.name} on {platform}" if account is not None else platform
        facts = [whose + practice, STATUS_WORDS[look_of(post, now)].capitalize(), post.reason]
        return Words((post.headline or "Post without text") + practice, "\n".join(filter(None, facts)))

    def _failed(self, error: Exception) -> None:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        self.told.emit(Message("error", f"The calendar file could not be written: {reason}."))


def _save(file: Path, content: bytes) -> None:
    """Writes a file whole or not at all: what was there stays until then. Raises OSError."""
    saved = QSaveFile(str(file))
    is_open = saved.open(QIODevice.OpenModeFlag.WriteOnly)
    if not (is_open and saved.write(content) == len(content) and saved.commit()):
        raise OSError(0, saved.errorString())
