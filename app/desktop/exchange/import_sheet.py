"""The sheet that imports a table: column mapping, problems and progress."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.desktop.aio import TaskScope
from app.desktop.exchange.mapping_form import (
    MappingForm,
    not_found,
    outcome,
    reading,
    row_words,
    share_done,
    summary,
)
from app.desktop.exchange.rows import RowsGrid, RowsModel
from app.desktop.file_dialogs import ask_to_save_table
from app.desktop.widgets import (
    Button,
    Divider,
    ElidedLabel,
    Label,
    Segmented,
    Sheet,
    announce,
    danger,
    order_tabs,
    primary,
    quiet,
    scrolled_column,
    secondary,
)
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr, trn
from app.workspace.exchange.csv_checking import Checked
from app.workspace.exchange.csv_exchange import CsvFile
from app.workspace.exchange.csv_import import BACK, CsvImport
from app.workspace.exchange.csv_table import Record
from app.workspace.messages import Problem
from app.workspace.workspace import Workspace

_WIDTH, _FORM, _FORM_WIDEST = 1_600, 268, 480
_INSET, _FIX_MAX = 20, 40
_EVERY_MS: Final = 120
_HINT: Final = tr(
    "Select a cell to see what's wrong in its row. Press Enter to fix it, F8 to go to the next problem."
)
_BACK_HINT: Final = tr("Save the rows that weren't scheduled, fix them in that file, and import it.")
_ALL, _PROBLEMS = "all", "problems"


class LeavingSheet(Sheet):
    """Asks before an import is discarded; Esc returns to the table."""

    left = Signal()
    """The person wants to close the table all the same."""

    def __init__(self, host: QWidget) -> None:
        title = tr("Close without importing?")
        super().__init__(host, title, 480)
        text = tr("Your corrections and column choices will be lost. The file itself doesn't change.")
        self.setAccessibleDescription(text)
        self.stay, self.leave = Button(tr("Keep editing"), key_hint="Esc"), danger(tr("Close the import"))
        body = QVBoxLayout()
        body.setContentsMargins(20, 16, 20, 16)
        body.setSpacing(8)
        body.addWidget(Label(title, "section", wrap=True))
        body.addWidget(Label(text, "text", "text2", wrap=True))
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.leave, self.stay))
        self.stay.clicked.connect(self.dismiss)
        self.leave.clicked.connect(self.dismiss)
        self.leave.clicked.connect(self.left)


class ImportSheet(Sheet):
    """Reads nothing before ``open_file``, and creates nothing before the user confirms.

    Esc doesn't close it during an import; posts created so far are kept.
    """

    failed = Signal(object)
    """A Message: the file could not be read; the sheet has closed."""

    def __init__(self, host: QWidget, workspace: Workspace, zone: ZoneInfo, path: Path) -> None:
        super().__init__(host, tr("Import posts from CSV"), _WIDTH, dismissible=False)
        self._workspace = workspace
        self._zone = zone
        self._path = path
        self._scope = TaskScope(self, self._failed)
        self._file: CsvFile | None = None
        self._rows: list[Checked] = []
        self._import: CsvImport | None = None
        self._running = False
        self._is_touched = False
        """Whether something was corrected or chosen here that would be lost."""
        self._leaving: LeavingSheet | None = None
        self._checking: asyncio.Task[None] | None = None
        self.form = MappingForm(workspace.accounts, zone)
        self.model = RowsModel(self)
        self.grid = RowsGrid(self.model)
        self.facts = ElidedLabel(tr("Reading the file…"), "card", "text2")
        self.reading = ElidedLabel("", "card", "text2")
        """How the file's dates and times were read."""
        self.notes = Label("", "card", "warn", wrap=True)
        self.detail = Label("", "card", "text2", wrap=True)
        self.shown = Segmented(((_ALL, tr("All rows")), (_PROBLEMS, tr("Problems"))), tr("Rows to show"))
        self.fix = secondary("", "check", "small")
        self.next = quiet(tr("Next problem"), "chevron-down")
        self.progress = QProgressBar()
        self.save = Button(tr("Save the rows that weren't scheduled…"), icon="download")
        self.cancel = Button(tr("Cancel"), key_hint="Esc")
        self.go = primary(tr("Nothing to schedule"), "calendar-plus")
        self._later = QTimer(self, singleShot=True, interval=_EVERY_MS)
        self._tells_where = False
        """Whether `detail` says where the rows were saved; changes that arrive later don't replace it."""
        self._lay_out()
        self._connect()
        self._show_buttons()

    @property
    def is_running(self) -> bool:
        """Whether posts are being created."""
        return self._running

    def open_file(self) -> None:
        """Read and check the file, and show the result."""
        self._scope.start(self._read("", None))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not self._running:
            self.leave()
        elif event.key() == Qt.Key.Key_F8:
            self.grid.go_to_next_problem()
        elif event.key() == Qt.Key.Key_F9:
            self._take_fix()

    def leave(self) -> None:
        """Close, asking first if something would be lost."""
        if self._import is not None or not self._is_touched:
            self.dismiss()
        elif self._leaving is None or not isValid(self._leaving) or self._leaving.isHidden():
            self._leaving = LeavingSheet(self)
            self._leaving.left.connect(self.dismiss)
            self._leaving.present(self._leaving.stay)

    async def _read(self, encoding: str, has_header: bool | None) -> None:
        file = await self._workspace.csv.read(
            self._path, self._zone.key, encoding=encoding, has_header=has_header
        )
        self._file = file
        self.form.show(file.table, file.choices)
        await self._check()

    async def _check(self) -> None:
        if self._file is None:
            return
        self.facts.setText(tr("Checking the rows…"))
        self.go.setEnabled(False)
        choices = self.form.choices()
        self._rows = await self._workspace.csv.check(self._file, choices)
        titles, place = self.model.titles(), self.grid.place()
        self.model.show(self._file.table, choices, self._rows)
        if self.model.titles() != titles:
            self.grid.fit()
        self.grid.go_back(place)
        self.facts.setText(summary(self._rows))
        self.reading.setText(reading(self._rows, choices))
        self.reading.setVisible(bool(self.reading.text()))
        self._show_notes(*self._file.table.notes, not_found(choices))
        announce(self, f"{self.facts.text()}. {self.reading.text()} {self.notes.text()}")
        self._show_buttons()

    def _check_again(self) -> None:
        self._is_touched = True
        self._replace_check(self._check())

    def _correct(self, record: Record, number: int, text: str) -> None:
        """Correct a cell and check again. Disable other ways to read the file, which would undo it."""
        if self._file is None or self._import is not None:
            return
        self._file = replace(self._file, table=self._file.table.corrected(record, number, text))
        self.form.keep_reading()
        self._check_again()

    def _take_fix(self) -> None:
        index = self.grid.currentIndex()
        if (fix := self.model.fix(index)) is not None:
            column, text = fix
            self.model.setData(index.siblingAtColumn(column), text)
            self.grid.setFocus()

    def _read_again(self) -> None:
        self._replace_check(self._read(self.form.encoding.currentText(), self.form.names.isChecked()))

    def _replace_check(self, work: Coroutine[Any, Any, None]) -> None:
        """Discard the previous check immediately: its rows can't be scheduled any more."""
        self.go.setEnabled(False)
        if self._checking is not None:
            self._checking.cancel()
        self._checking = self._scope.start(work)

    def _begin(self) -> None:
        if self._running and self._import is not None:
            self._import.stop()
        elif self._import is not None:
            self.dismiss()
        elif self._file is not None and not self._running:
            self._running = True
            self._scope.start(self._run(self._file))

    async def _run(self, file: CsvFile) -> None:
        try:
            await self._workspace.csv.remember(file, self.form.choices())
        except Problem:
            self._running = False
            raise
        self._import = run = self._workspace.csv.begin(file, self._rows)
        stop = run.listen(lambda _none: None if self._later.isActive() else self._later.start())
        stop_sync = self._workspace.listen(lambda changes: self._show_outcome() if changes.sync else None)
        for end in (stop, stop_sync, run.close):
            self.destroyed.connect(lambda _object=None, end=end: end())
        self._show_buttons()
        await run.run()
        self._end()

    def _end(self) -> None:
        self._running = False
        self._show_buttons()
        self.go.setFocus()
        announce(self, self.facts.text())

    def _show_progress(self) -> None:
        if self._import is None:
            return
        counts = self._import.counts()
        self.model.show_results(self._import.results())
        self._show_outcome()
        self.progress.setValue(share_done(counts))
        self.save.setVisible(self._has_rows_back())
        if not self._tells_where:
            self._show_detail(self.grid.currentIndex())

    def _show_outcome(self) -> None:
        if self._import is not None:
            counts, is_online = self._import.counts(), self._workspace.sync.connected
            self.facts.setText(outcome(counts, is_online=is_online))

    def _show_buttons(self) -> None:
        posts, run = sum(len(row.posts) for row in self._rows), self._import
        blocked = any(row.blocked for row in self._rows)
        self.form.setEnabled(self._file is not None and run is None)
        self.shown.setEnabled(blocked)
        self.next.setEnabled(blocked)
        self.progress.setVisible(self._running)
        self.cancel.setVisible(run is None)
        self.save.setVisible(False)
        self.go.setEnabled(bool(posts) or run is not None)
        if run is None:
            self.go.setText(
                trn("Schedule {n} post", "Schedule {n} posts", posts) if posts else tr("Nothing to schedule")
            )
        else:
            self.go.setText(tr("Stop") if self._running else tr("Done"))
            self._show_progress()
        self.go.set_icon("ban" if self._running else "check" if run else "calendar-plus")

    def _show_detail(self, index: object) -> None:
        self._tells_where = False
        row = self.model.row(index) if isinstance(index, QModelIndex) else None
        reason = self.model.reason(index) if row is not None and isinstance(index, QModelIndex) else ""
        if row is None:
            self.detail.setText(self._hint())
        else:
            self.detail.setText(
                tr("Line {line}: {words}", line=row.record.line, words=reason) if reason else row_words(row)
            )
        fix = self.model.fix(index) if isinstance(index, QModelIndex) else None
        self.fix.setVisible(fix is not None)
        if fix is not None:
            self.fix.setText(tr("Use “{text}” (F9)", text=fix[1][:_FIX_MAX]))
            self.fix.updateGeometry()

    def _hint(self) -> str:
        """Return what to do without a selected cell. After the import, cells can't be edited."""
        if self._import is None:
            return _HINT
        return _BACK_HINT if self._has_rows_back() else ""

    def _has_rows_back(self) -> bool:
        """Whether the import has ended and left rows that weren't scheduled."""
        if self._import is None or self._running:
            return False
        counts = self._import.counts()
        return any(counts.get(state) for state in BACK)

    def _show_notes(self, *notes: str) -> None:
        said = " ".join(filter(None, notes))
        self.notes.setText(said)
        self.notes.setVisible(bool(said))

    def _choose_shown(self, key: str) -> None:
        self.model.show_only_problems(key == _PROBLEMS)

    def _ask_where_to_save(self) -> None:
        name = tr("{name}-not-scheduled.csv", name=self._path.stem)
        ask_to_save_table(self, tr("Save the rows that weren't scheduled"), name, self.save_back)

    def save_back(self, path: Path) -> None:
        """Write the rows that weren't scheduled, each with its reason."""
        if self._file is not None and self._import is not None:
            self._scope.start(self._save_back(path, self._file, self._import))

    async def _save_back(self, path: Path, file: CsvFile, run: CsvImport) -> None:
        await self._workspace.csv.save_results(path, file, run, only_back=True)
        self.detail.setText(
            tr("The rows are in {name}. Fix them there, then import that file.", name=path.name)
        )
        self._tells_where = True
        announce(self, self.detail.text())

    def _failed(self, problem: Problem) -> None:
        if self._file is None:
            self.dismiss()
            self.failed.emit(problem.message())
            return
        self._show_notes(problem.text)
        if self._running:
            self._end()

    def _connect(self) -> None:
        self.form.changed.connect(self._check_again)
        self.form.reread.connect(self._read_again)
        self.grid.currentMoved.connect(self._show_detail)
        self.shown.selected.connect(self._choose_shown)
        self.next.clicked.connect(self.grid.go_to_next_problem)
        self.save.clicked.connect(self._ask_where_to_save)
        self.cancel.clicked.connect(self.leave)
        self.model.corrected.connect(self._correct)
        self.fix.clicked.connect(self._take_fix)
        self.go.clicked.connect(self._begin)
        self._later.timeout.connect(self._show_progress)

    def _lay_out(self) -> None:
        side = scrolled_column(self.form, _FORM, _FORM_WIDEST)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(side)
        middle.addWidget(Divider(Qt.Orientation.Vertical))
        middle.addWidget(self.grid, 1)
        self.layout_.addLayout(self._head())
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(middle, 1)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(self._foot())
        order_tabs(self.next, self.shown, self.form, self.grid, self.fix, self.save, self.cancel, self.go)

    def _head(self) -> QHBoxLayout:
        told = QVBoxLayout()
        told.setSpacing(4)
        told.addWidget(
            ElidedLabel(tr("Import posts from {name}", name=self._path.name), "section", elide="middle")
        )
        told.addWidget(self.facts)
        told.addWidget(self.reading)
        told.addWidget(self.notes)
        self.reading.hide()
        self.notes.hide()
        head = QHBoxLayout()
        head.setContentsMargins(_INSET, 16, _INSET, 12)
        head.setSpacing(12)
        head.addLayout(told, 1)
        head.addWidget(self.next)
        head.addWidget(self.shown)
        return head

    def _foot(self) -> QVBoxLayout:
        self._show_detail(None)
        self.detail.setMinimumHeight(34)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.detail, 1)
        for button in (self.fix, self.save, self.cancel, self.go):
            row.addWidget(button)
        foot = QVBoxLayout()
        foot.setContentsMargins(_INSET, 12, _INSET, 12)
        foot.setSpacing(8)
        foot.addWidget(self.progress)
        foot.addLayout(row)
        return foot
