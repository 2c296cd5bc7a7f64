"""The logs of the app and its programs: the latest lines, the folder, and an export."""

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout

from app.desktop.aio import TaskScope, report_to
from app.desktop.file_dialogs import ask_to_save
from app.desktop.kit.code import Code
from app.desktop.opening import open_folder
from app.desktop.settings.rows import INSET, Section, SettingsCard
from app.desktop.widgets import ComboBox, IconButton, Label, Reflow, StateStrip, line_of, secondary
from app.language import tr
from app.workspace.homes import Homes
from app.workspace.messages import Message, Problem
from app.workspace.settings import log_files
from app.workspace.settings.log_files import LogFile

_ABOUT: Final = tr(
    "Useful when something goes wrong. Keys, tokens and signatures are hidden, including in exports."
)
_NOTHING: Final = tr("No log entries yet. Warnings and errors appear here.")


class LogsSection(Section):
    """Shows the end of a log."""

    told = Signal(Message)

    def __init__(self, homes: Homes) -> None:
        super().__init__(tr("Logs"))
        self._homes = homes
        self._files: list[LogFile] = []
        report = report_to(self.told.emit)
        self._scope, self._reading = TaskScope(self, report), TaskScope(self, report)
        self.which, self.lines = ComboBox(), Code(tr("Last lines"))
        self.strip = StateStrip()
        self.refresh_button = IconButton("refresh-cw", tr("Refresh"), "secondary")
        self.folder_button = secondary(tr("Open the folder"), "external-link")
        self.export_button = secondary(tr("Export a copy"), "download")
        self._lay_out()
        self.which.activated.connect(lambda _index: self._start_reading(self._read()))
        self.refresh_button.clicked.connect(self.came_to_view)
        self.strip.acted.connect(self.came_to_view)
        self.folder_button.clicked.connect(self._open_folder)
        self.export_button.clicked.connect(self.ask_where)

    def came_to_view(self) -> None:
        """Read the end of the selected log."""
        self._start_reading(self._load())

    def ask_where(self) -> None:
        """Ask for a file to export to."""
        title, kinds = tr("Export the logs"), (tr("Text (*.txt)"),)
        ask_to_save(self, title, "Kalends-logs.txt", ("txt",), self.write, "documents", filters=kinds)

    def write(self, path: Path) -> None:
        """Write all logs into a file, without secrets."""
        self._scope.start(self._write(path))

    async def _load(self) -> None:
        files = await asyncio.to_thread(log_files.log_files, self._homes)
        if files != self._files:
            chosen, self._files = self.which.currentText(), files
            self.which.clear()
            self.which.addItems([file.name for file in files])
            self.which.setCurrentIndex(max(0, self.which.findText(chosen)))
        await self._read()

    def _start_reading(self, work: Coroutine[Any, Any, None]) -> None:
        """Read a log, cancelling the previous read, which would appear under the wrong name."""
        self._reading.cancel()
        self._reading.start(work, self._show_failed)

    async def _read(self) -> None:
        file = self._files[self.which.currentIndex()]
        lines = await asyncio.to_thread(log_files.last_lines, file)
        self.strip.say("")
        self.lines.show_code("\n".join(lines) or _NOTHING)
        bar = self.lines.verticalScrollBar()
        bar.setValue(bar.maximum())

    async def _write(self, path: Path) -> None:
        files = await asyncio.to_thread(log_files.log_files, self._homes)
        await asyncio.to_thread(log_files.export, files, path)
        self.told.emit(Message("info", tr("Logs exported to {name}, without secrets.", name=path.name)))

    def _open_folder(self) -> None:
        file = self._files[self.which.currentIndex()] if self._files else None
        folder = file.path.parent if file else log_files.log_folder(self._homes.data)
        if not open_folder(folder):
            self.told.emit(
                Message("warning", tr("No file manager found. The logs are in {folder}.", folder=folder))
            )

    def _show_failed(self, problem: Problem) -> None:
        self.strip.say(problem.text, "bad")

    def _lay_out(self) -> None:
        self.which.setAccessibleName(tr("Log"))
        self.which.setMinimumWidth(220)
        head, column = Reflow((1, 0), gap=8), QVBoxLayout()
        head.add(line_of(self.which, self.refresh_button, None), 0, 0)
        head.add(line_of(self.folder_button, self.export_button, None), 0, 1)
        column.setContentsMargins(INSET, 12, INSET, 12)
        column.setSpacing(10)
        column.addWidget(Label(tr("Logs"), "strong"))
        column.addWidget(Label(_ABOUT, "card", "text2", wrap=True))
        column.addWidget(head)
        column.addWidget(self.strip)
        column.addWidget(self.lines, 1)
        card = SettingsCard(tr("Logs"), head=column)
        self.body.addWidget(card, 1)
