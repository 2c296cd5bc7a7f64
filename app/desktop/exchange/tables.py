"""What can be done with tables in a furnished window."""

from collections.abc import Callable, Iterable
from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.desktop.commands import Command, CommandSet
from app.desktop.exchange.import_sheet import ImportSheet
from app.desktop.exchange.outgoing import TableExport, ask_for_table
from app.language import tr, trc
from app.workspace.posts.planned import PlannedPost
from app.workspace.workspace import Workspace

_GROUP = tr("Calendar")


class Tables(QObject):
    """Import and export as commands of the calendar."""

    told = Signal(object)
    """A Message for the person."""

    def __init__(
        self,
        pane: QWidget,
        workspace: Workspace,
        zone: ZoneInfo,
        shown: Callable[[], Iterable[PlannedPost]],
    ) -> None:
        """``shown`` gives the posts that the calendar shows at any time."""
        super().__init__(pane)
        self._pane = pane
        self._workspace = workspace
        self._zone = zone
        self._shown = shown
        self.export = TableExport(workspace.csv, zone, pane)
        self.export.told.connect(self.told)
        CommandSet(pane, "calendar").add(*self._commands())

    def ask(self) -> None:
        """Asks for a table, and opens it."""
        ask_for_table(self._pane, self.open)

    def open(self, path: Path) -> ImportSheet:
        """Opens a table to import posts from."""
        sheet = ImportSheet(self._pane.window(), self._workspace, self._zone, path)
        sheet.failed.connect(self.told)
        sheet.present()
        sheet.open_file()
        return sheet

    def ask_where_to_export(self) -> None:
        """Asks for a file, and writes the posts into it that the calendar shows at any time."""
        self.export.ask(self._shown())

    def _commands(self) -> list[Command]:
        return [
            Command(
                tr("Import posts from a table…"),
                _GROUP,
                self.ask,
                keys=("Ctrl+Shift+I",),
                icon="upload",
                words=trc("search words", "csv spreadsheet excel bulk file"),
                enabled=lambda: bool(self._workspace.accounts),
            ),
            Command(
                tr("Export posts to a table…"),
                _GROUP,
                self.ask_where_to_export,
                icon="download",
                words=trc("search words", "csv spreadsheet excel save"),
            ),
            Command(
                tr("Save an empty table to fill in…"),
                _GROUP,
                self.export.ask_for_template,
                icon="file-pen-line",
                words=trc("search words", "csv template example import"),
            ),
        ]
