"""What leaves the calendar: onto paper, and into files of other calendar programs."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QIODevice, QObject, QSaveFile, QSize, Signal
from PySide6.QtGui import QPageLayout, QPainter
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QDialog, QWidget

from app.desktop import words
from app.desktop.aio import TaskScope
from app.desktop.calendar import spans
from app.desktop.calendar.cards import FindAccount
from app.desktop.calendar.looks import STATUS_WORDS, look_of
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.paper import Paper
from app.desktop.calendar.spans import Span
from app.desktop.file_dialogs import ask_to_save
from app.desktop.theme import theme
from app.language import sentence_start, tr, trn
from app.workspace import system_words
from app.workspace.clock import wall_clock
from app.workspace.exchange.calendar_file import Words, calendar_file
from app.workspace.messages import Message
from app.workspace.posts.planned import PlannedPost

_MARGIN = 0.04
"""The part of a sheet's width that stays free on every side beside what the printer needs."""

_FILTER = tr("Calendar file") + " (*.ics)"
_MANY = 3_000
"""More posts than this take some seconds."""
_NOT_FINISHED = tr("Printing stopped. Check the printer, then try again.")


FindTexts = Callable[[Sequence[str]], Awaitable[Mapping[str, str]]]
"""Gets the whole texts of posts, by key. Raises Problem."""


class CalendarPrint(QObject):
    """Prints one period onto paper, or into a PDF file, a step at a time so that the window goes on."""

    told = Signal(object)
    """A Message for the person: done, or why not."""

    def __init__(self, paper: Paper, span: Span, day: int, parent: QWidget) -> None:
        """The period is the one of ``span`` that begins with ``day``, an ordinal."""
        super().__init__(parent)
        self._paper = paper
        self._span = span
        self._day = day
        self._parent = parent
        self._scope = TaskScope(self)

    def ask(self) -> None:
        """Asks for a printer or a file, then prints."""
        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        is_wide = self._span in (Span.MONTH, Span.WEEK)
        orientation = QPageLayout.Orientation.Landscape if is_wide else QPageLayout.Orientation.Portrait
        printer.setPageOrientation(orientation)
        printer.setDocName(" ".join(spans.title(self._span, self._day)))
        printer.setCreator("Kalends")
        dialog = QPrintDialog(printer, self._parent)
        dialog.accepted.connect(lambda: self.print(printer))
        dialog.rejected.connect(self.deleteLater)
        dialog.finished.connect(dialog.deleteLater)
        QDialog.open(dialog)

    def print(self, printer: QPrinter) -> None:
        """Prints without asking."""
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
        """Paints between the steps only, as all that is painted meanwhile is light."""
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
    """Writes the posts of a model into an iCalendar file that the person names."""

    told = Signal(object)
    """A Message for the person: done, or why not."""

    def __init__(
        self,
        model: PostListModel,
        find_account: FindAccount,
        find_texts: FindTexts,
        zone: str,
        parent: QWidget,
    ) -> None:
        """``zone`` is the IANA name of the zone in which the calendar is shown."""
        super().__init__(parent)
        self._find_texts = find_texts
        self._model = model
        self._find_account = find_account
        self._zone = zone
        self._parent = parent
        self._scope = TaskScope(self, self._failed)

    def ask(self) -> None:
        """Asks for the file's name, then writes it beside the window's work."""
        title = tr("Export to a calendar file")
        ask_to_save(self._parent, title, "Kalends.ics", ("ics",), self.write, "documents", filters=(_FILTER,))

    def write(self, file: Path) -> None:
        """Writes every post that the calendar shows at any time; those that are filtered out stay out."""
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

        await asyncio.to_thread(work)
        done = trn(
            "{n} post exported to {file}.", "{n} posts exported to {file}.", len(posts), file=file.name
        )
        self.told.emit(Message("info", done))

    def _words(self, post: PlannedPost, text: str, now: int) -> Words:
        """What an event says: the whole text, then what is known of the post. Runs in a thread."""
        account = self._find_account(post.account_key)
        platform, headline = words.platform_name(post.platform), post.headline or tr("Post without text")
        whose = platform
        if account is not None:
            whose = tr("{account} on {platform}", account=account.name, platform=platform)
            if account.practice:
                whose, headline = (tr("{name} (practice)", name=name) for name in (whose, headline))
        facts = [whose, sentence_start(STATUS_WORDS[look_of(post, now)]), post.reason]
        told = "\n".join(filter(None, facts))
        return Words(headline, f"{text.strip()}\n\n{told}".lstrip())

    def _failed(self, error: Exception) -> None:
        reason = system_words.why(error) if isinstance(error, OSError) else str(error)
        text = tr("Couldn't write the calendar file: {reason}.", reason=reason)
        self.told.emit(Message("error", text))


def _save(file: Path, content: bytes) -> None:
    """Writes a file whole or not at all: what was there stays until then. Raises OSError."""
    saved = QSaveFile(str(file))
    is_open = saved.open(QIODevice.OpenModeFlag.WriteOnly)
    if not (is_open and saved.write(content) == len(content) and saved.commit()):
        raise OSError(0, saved.errorString())
