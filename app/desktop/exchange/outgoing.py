"""Exports posts as tables."""

from collections.abc import Iterable
from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.desktop.aio import TaskScope, report_to
from app.desktop.file_dialogs import ask_to_save_table
from app.language import tr, trn
from app.workspace.exchange.csv_exchange import CsvExchange
from app.workspace.messages import Message
from app.workspace.posts.planned import PlannedPost


class TableExport(QObject):
    """Writes posts into a table that the user names."""

    told = Signal(object)
    """A Message for the person: done, or why not."""

    def __init__(self, tables: CsvExchange, zone: ZoneInfo, parent: QWidget) -> None:
        super().__init__(parent)
        self._tables = tables
        self._zone = zone
        self._parent = parent
        self._scope = TaskScope(self, report_to(self.told.emit))

    def ask(self, posts: Iterable[PlannedPost]) -> None:
        """Ask for the file's name, then write the posts in the background."""
        chosen = list(posts)
        title = trn("Export {n} post as CSV", "Export {n} posts as CSV", len(chosen))
        ask_to_save_table(self._parent, title, "Kalends.csv", lambda path: self.write(path, chosen))

    def write(self, path: Path, posts: Iterable[PlannedPost]) -> None:
        """Write the posts, and report it."""
        self._scope.start(self._write(path, posts))

    def ask_for_template(self) -> None:
        """Ask for a file, and write a table without rows to fill in."""
        title, name = tr("Save a CSV template"), tr("Kalends-posts.csv")
        ask_to_save_table(self._parent, title, name, self.write_template)

    def write_template(self, path: Path) -> None:
        """Write a table without rows, and report it."""
        self._scope.start(self._write_template(path))

    async def _write(self, path: Path, posts: Iterable[PlannedPost]) -> None:
        written = await self._tables.export(path, posts, self._zone)
        text = trn("{n} post exported to {name}.", "{n} posts exported to {name}.", written, name=path.name)
        self.told.emit(Message("info", text))

    async def _write_template(self, path: Path) -> None:
        await self._tables.save_template(path)
        text = tr("Template saved as {name}. Fill it in, then import it.", name=path.name)
        self.told.emit(Message("info", text))
