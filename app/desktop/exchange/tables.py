"""The commands that import and export tables."""

from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from app.desktop.commands import Command, CommandSet
from app.language import tr, trc
from app.workspace.posts.planned import PlannedPost
from app.workspace.workspace import Workspace

if TYPE_CHECKING:
    from app.desktop.exchange.import_sheet import ImportSheet
    from app.desktop.exchange.outgoing import TableExport

_GROUP = tr("Calendar")


class Tables(QObject):
    """Import and export as commands of the calendar.

    Their shortcuts work from the first frame, so the sheets are only imported when opened.
    """

    told = Signal(object)
    """A Message for the person."""

    def __init__(
        self,
        pane: QWidget,
        workspace: Workspace,
        zone: ZoneInfo,
        shown: Callable[[], Iterable[PlannedPost]],
    ) -> None:
        """``shown`` returns the posts in the calendar, of any date."""
        super().__init__(pane)
        self._pane = pane
        self._workspace = workspace
        self._zone = zone
        self._shown = shown
        self._sheet: ImportSheet | None = None
        CommandSet(pane, "calendar").add(*self._commands())

    @cached_property
    def export(self) -> "TableExport":
        """Exports tables."""
        from app.desktop.exchange.outgoing import TableExport

        export = TableExport(self._workspace.csv, self._zone, self._pane)
        export.told.connect(self.told)
        return export

    def ask(self) -> None:
        """Ask for a table, and open it."""
        from app.desktop.file_dialogs import ask_for_table

        ask_for_table(self._pane, self.open)

    def ask_for_template(self) -> None:
        """Ask for a file, and write a table without rows."""
        self.export.ask_for_template()

    def open(self, path: Path) -> "ImportSheet":
        """Open a table to import posts from."""
        from app.desktop.exchange.import_sheet import ImportSheet

        sheet = ImportSheet(self._pane.window(), self._workspace, self._zone, path)
        sheet.failed.connect(self.told)
        self._sheet = sheet
        sheet.present()
        sheet.open_file()
        return sheet

    def unfinished(self) -> str:
        """Return that an import is running; "" if none is."""
        if self._sheet is None or not isValid(self._sheet) or not self._sheet.is_running:
            return ""
        return tr("Posts are still being imported. The rows that are left won't be scheduled.")

    def ask_where_to_export(self) -> None:
        """Ask for a file, and export the posts in the calendar, of any date."""
        self.export.ask(self._shown())

    def _commands(self) -> list[Command]:
        return [
            Command(
                tr("Import posts from CSV…"),
                _GROUP,
                self.ask,
                keys=("Ctrl+Shift+I",),
                icon="upload",
                words=trc("search words", "csv spreadsheet excel bulk file"),
                enabled=lambda: bool(self._workspace.accounts),
            ),
            Command(
                tr("Export posts as CSV…"),
                _GROUP,
                self.ask_where_to_export,
                icon="download",
                words=trc("search words", "csv spreadsheet excel save"),
            ),
            Command(
                tr("Save a CSV template…"),
                _GROUP,
                self.ask_for_template,
                icon="file-pen-line",
                words=trc("search words", "csv template example import"),
            ),
        ]
