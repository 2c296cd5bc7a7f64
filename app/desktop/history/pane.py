"""The pane of what was published."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.aio import TaskScope
from app.desktop.commands import Command
from app.desktop.file_dialogs import ask_to_save_table
from app.desktop.history.details import Details
from app.desktop.history.model import HistoryModel
from app.desktop.history.row import RecordRow
from app.desktop.history.toolbar import HistoryToolbar
from app.desktop.kit.service_pane import ServicePane
from app.desktop.theme import theme
from app.desktop.widgets import EmptyState, Panel, RowList
from app.language import tr, trn
from app.workspace.changes import Changes
from app.workspace.messages import Message, Problem
from app.workspace.published.rows import Choices
from app.workspace.workspace import Workspace

_NEWS_PAUSE_MS: Final = 500
_AGAIN_MS: Final = 3_000
"""From a post that went out to the question what the history says of it."""
_DETAILS_LEAST: Final = 760
_GROUP: Final = tr("History")
_NOTHING: Final = tr("Nothing published yet. Every published post appears here, however it was created.")
_NO_MATCH: Final = tr("No published posts match your search.")


class RecordList(RowList):
    """Rows; Enter opens the post."""

    opened = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Takes Enter; arrows are Qt's."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit()
            return
        super().keyPressEvent(event)


class HistoryPane(ServicePane):
    """A list of everything, and next to it what is known of the chosen row."""

    post_opened = Signal(str)
    """The key of a post to look at."""
    begun = Signal()
    """A new post is wanted."""

    def __init__(self, workspace: Workspace, zone: ZoneInfo) -> None:
        super().__init__(workspace, tr("History"))
        self._zone = zone
        self._finding = TaskScope(self, self._show_problem)
        self._choices = Choices()
        self._chosen: int | None = None
        self._detailed: int | None = None
        """The place of what the details show."""
        self._has_asked, self._has_failed = False, False
        self.model = HistoryModel(zone, workspace.published.is_own)
        self.toolbar = HistoryToolbar(self.refresh_button)
        self.list = RecordList(self.model, tr("Published posts, newest first"))
        self.details = Details(workspace, zone)
        self.empty = EmptyState("history", _NOTHING, tr("New post"), kind="primary")
        self.no_match = EmptyState("search", _NO_MATCH, tr("Show everything"))
        self._frame = Panel()
        self._news, self._again = QTimer(self), QTimer(self)
        self._lay_out()
        self._connect()
        self.toolbar.show_choices(self._choices)
        self._look()

    def export(self) -> None:
        """Ask for a file, and write what shows into it."""
        if self.model.places:
            title = trn("Export {n} row as CSV", "Export {n} rows as CSV", len(self.model.places))
            ask_to_save_table(self, title, "Kalends-history.csv", self.write)

    def write(self, path: Path) -> None:
        """Write what shows as a table."""
        self._scope.start(self._write(path, self.model.places))

    def showEvent(self, event: QShowEvent) -> None:
        """Bring it up to date."""
        super().showEvent(event)
        self.refresh()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Hand the focus to the list, where there is one."""
        del event
        if self.pages.currentWidget() is self._frame:
            self.list.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the details out where the list needs the room."""
        super().resizeEvent(event)
        self._show_details()

    async def fetch(self) -> None:
        await self._workspace.published.refresh()

    def has_data(self) -> bool:
        return self._choices.count > 0

    def _end_request(self) -> None:
        super()._end_request()
        self._has_asked = True

    def _succeeded(self) -> None:
        super()._succeeded()
        self._has_failed = False
        self._look()

    def _show_problem(self, problem: Problem) -> None:
        super()._show_problem(problem)
        self._has_failed = True

    def _look(self) -> None:
        """Look again for what is looked for, in place of a look that is not done."""
        self._finding.cancel()
        self._finding.start(self._find())

    async def _find(self) -> None:
        published = self._workspace.published
        self._choices = await published.choices()
        places = await published.find(self.toolbar.wanted())
        self.toolbar.show_choices(self._choices)
        self.toolbar.show_count(len(places), self._choices.count)
        if list(places) != list(self.model.places):
            self._list(places)
        self._turn_to(self._page())

    def _list(self, places: Sequence[int]) -> None:
        """The chosen row stays chosen while it shows, and what is seen where it is."""
        chosen, before = self._chosen, self.model.places
        with self.list.staying(lambda row: before[row], self.model.row_of):
            self.model.show(places)
            row = self.model.row_of(chosen) if chosen is not None else -1
            if self.model.rowCount():
                self.list.setCurrentIndex(self.model.index(max(row, 0)))

    def _page(self) -> QWidget:
        if self.model.places:
            return self._frame
        if self._choices.count:
            return self.no_match
        if self._has_failed:
            return self.failed
        return self.empty if self._has_asked else self.loading

    def _turn_to(self, page: QWidget) -> None:
        had_focus = self.hasFocus()
        self.pages.setCurrentWidget(page)
        self._show_details()
        if had_focus and page is self._frame:
            self.list.setFocus()

    def _choose(self, index: QModelIndex) -> None:
        self._chosen = self.model.places[index.row()] if index.isValid() else None
        self._show_details()

    def _show_details(self) -> None:
        has_room = self.width() >= theme.current().grown(_DETAILS_LEAST)
        shows = self.pages.currentWidget() is self._frame and has_room
        record = self.model.record(self.list.currentIndex().row()) if shows else None
        if record is None and shows and self._chosen is not None and self._chosen == self._detailed:
            return  # it is read again, since it stands in another row
        self._detailed = self._chosen if record is not None else None
        self.details.setVisible(record is not None)
        if record is not None:
            self.details.show_record(record)

    def _open(self) -> None:
        record = self.model.record(self.list.currentIndex().row())
        key = self._workspace.published.post_key(record) if record else None
        if key is not None:
            self.post_opened.emit(key)

    def _fetch(self, piece: int) -> None:
        places = list(self.model.places_of(piece))
        self._scope.start(self._read(piece, places))

    async def _read(self, piece: int, places: list[int]) -> None:
        try:
            found = await self._workspace.published.read(places)
        except Problem:
            self.model.give_up(piece)
            raise
        self.model.take(piece, places, found)
        self._show_details()

    async def _write(self, path: Path, places: Sequence[int]) -> None:
        written = await self._workspace.published.export(path, places, self._zone)
        text = trn("{n} row exported to {name}.", "{n} rows exported to {name}.", written, name=path.name)
        self.told.emit(Message("info", text))

    def _changed(self, changes: Changes) -> None:
        super()._changed(changes)
        if changes.published and not self._news.isActive():
            self._news.start()
        if changes.posts and self.isVisible() and self._is_newly_out(changes.posts):
            self._again.start()

    def _is_newly_out(self, keys: frozenset[str]) -> bool:
        posts = (self._workspace.posts.get(key) for key in keys)
        return any(post is not None and post.published for post in posts)

    def _connect(self) -> None:
        bar = self.toolbar
        bar.narrowed.connect(self._look)
        bar.export_button.clicked.connect(self.export)
        self.no_match.acted.connect(bar.clear)
        self.empty.acted.connect(self.begun)
        self.model.wanted.connect(self._fetch)
        self.list.selectionModel().currentChanged.connect(lambda new, _old: self._choose(new))
        self.list.opened.connect(self._open)
        self.list.doubleClicked.connect(lambda _index: self._open())
        self.details.post_opened.connect(self.post_opened)
        for timer, pause, act in (
            (self._news, _NEWS_PAUSE_MS, self._look),
            (self._again, _AGAIN_MS, self.refresh),
        ):
            timer.setSingleShot(True)
            timer.setInterval(pause)
            timer.timeout.connect(act)
        self._add_commands(
            "history",
            _GROUP,
            tr("Refresh the history"),
            Command(
                tr("Export history as CSV…"),
                _GROUP,
                self.export,
                icon="download",
                words=tr("csv spreadsheet published save"),
                enabled=lambda: bool(self.model.places),
            ),
        )

    def _lay_out(self) -> None:
        view = self.list
        view.setItemDelegate(RecordRow(view))
        inside = QVBoxLayout(self._frame)
        inside.setContentsMargins(1, 3, 1, 3)
        inside.addWidget(view)
        for page in (self._frame, self.empty, self.no_match):
            self.pages.addWidget(page)
        middle = QHBoxLayout()
        middle.setSpacing(12)
        middle.addWidget(self.pages, 1)
        middle.addWidget(self.details)
        self._stack_up(self.toolbar, middle, below=16)
