"""The history pane."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import QModelIndex, QPoint, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.history import ContentRecord
from app.desktop.aio import TaskScope, ignore
from app.desktop.commands import Command
from app.desktop.file_dialogs import ask_to_save_table
from app.desktop.history.details import Details
from app.desktop.history.list import OPEN_PAGE, PICTURE, RecordList, RecordRow
from app.desktop.history.model import HistoryModel, Lookup, next_day, sections
from app.desktop.history.toolbar import HistoryToolbar
from app.desktop.kit.row_pictures import RowPictures, RowSkeleton
from app.desktop.kit.service_pane import ServicePane
from app.desktop.opening import open_page
from app.desktop.theme import theme
from app.desktop.widgets import EmptyState, Panel
from app.desktop.words import platform_name
from app.language import tr, trn
from app.workspace.changes import Changes
from app.workspace.clock import Clock, from_millis, to_millis, wall_clock
from app.workspace.messages import Message, Problem
from app.workspace.published import Choices, Found
from app.workspace.workspace import Workspace

_NEWS_PAUSE_MS: Final = 500
_AGAIN_MS: Final = 3_000
"""Delay between publishing a post and refreshing the history, in ms."""
_MIDNIGHT_SLACK_MS: Final = 1_000
_DETAILS_LEAST: Final = 760
_GROUP: Final = tr("History")
_NOTHING: Final = tr("Nothing published yet. Every published post appears here, however it was created.")
_NO_MATCH: Final = tr("No matching posts.")


class HistoryPane(ServicePane):
    """A list of published content, and the details of the selected row."""

    post_opened = Signal(str)
    """The key of a post to open."""
    post_revealed = Signal(str)
    """The key of a post to show in the calendar."""
    begun = Signal()
    """A new post is wanted."""

    def __init__(self, workspace: Workspace, zone: ZoneInfo, now: Clock = wall_clock) -> None:
        super().__init__(workspace, tr("History"), RowSkeleton())
        self._zone, self._now = zone, now
        self._finding = TaskScope(self, self._show_problem)
        self._counting = TaskScope(self, ignore)  # without the service, the last known numbers show
        self._choices = Choices()
        self._chosen: int | None = None
        self._detailed: int | None = None
        """The place of what the details show."""
        self._has_asked, self._has_failed = False, False
        self._lookup = Lookup(workspace, zone)
        self.model = HistoryModel(self._lookup)
        self.toolbar = HistoryToolbar(self.refresh_button)
        self.list = RecordList(self.model)
        self._pictures = RowPictures(self, workspace.media.picture, PICTURE)
        self._row = RecordRow(self.list, self._lookup, self._pictures)
        self.details = Details(workspace, zone, self._lookup)
        self.empty = EmptyState("history", _NOTHING, tr("New post"), kind="primary")
        self.no_match = EmptyState("search", _NO_MATCH, tr("Show all"))
        self._frame = Panel()
        self._news, self._again, self._midnight = QTimer(self), QTimer(self), QTimer(self)
        self._lay_out()
        self._connect()
        self._name_commands()
        self.toolbar.show_choices(self._choices)
        self._look()

    def export(self) -> None:
        """Ask for a file, and write the listed rows."""
        if self.model.places:
            title = trn("Export {n} row as CSV", "Export {n} rows as CSV", len(self.model.places))
            ask_to_save_table(self, title, "Kalends-history.csv", self.write)

    def write(self, path: Path) -> None:
        """Write the listed rows as a table."""
        self._scope.start(self._write(path, self.model.places))

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is loading."""
        scopes = self._scope, self._finding, self._counting
        is_reading = any(scope.is_busy for scope in scopes)
        return not is_reading and self._pictures.is_at_rest and self.details.is_at_rest

    def showEvent(self, event: QShowEvent) -> None:
        """Refresh the pane."""
        super().showEvent(event)
        self.refresh()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Focus the list, unless it's hidden."""
        del event
        if (entry := self.entry()) is not self:
            entry.setFocus()

    def entry(self) -> QWidget:
        """Return the list if it shows, or else the pane."""
        return self.list if self.pages.currentWidget() is self._frame else self

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the details if the list needs the space."""
        super().resizeEvent(event)
        self._show_details()

    async def fetch(self) -> None:
        self._pictures.forget_missing()
        await self._workspace.published.refresh()
        self._counting.start(self._workspace.analytics.refresh_when_due())

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
        """Search again, replacing an unfinished search."""
        self._finding.cancel()
        self._finding.start(self._find())

    async def _find(self) -> None:
        published = self._workspace.published
        found = await published.find(self.toolbar.wanted())
        self._choices = await published.choices()  # after the rows, so that it has what they have
        self._row.scale = await self._workspace.analytics.scale()
        self.toolbar.show_choices(self._choices)
        self.toolbar.show_count(len(found.places), self._choices.count)
        self._list(found)
        self._turn_to(self._page())

    def _list(self, found: Found) -> None:
        """List the records under their days if they changed, keeping the selection."""
        now = from_millis(self._now()).astimezone(self._zone)
        self._midnight.start(to_millis(next_day(now)) - to_millis(now) + _MIDNIGHT_SLACK_MS)
        days = sections(found.moments, now)
        if list(found.places) == list(self.model.places) and days == self.model.sections:
            return
        chosen, model = self._chosen, self.model
        with self.list.staying(self._seen, self._row_of):
            model.show(found, days)
            row = model.row_of(chosen) if chosen is not None else -1
            self.list.choose(max(row, 0))

    def _seen(self, row: int) -> tuple[int | None, str]:
        """Return a row's identity across updates: its record's index, or its heading's title."""
        return self.model.place(row), self.model.section(row).title

    def _row_of(self, seen: tuple[int | None, str]) -> int:
        place, title = seen
        if place is not None:
            return self.model.row_of(place)
        titles = [section.title for section in self.model.sections]
        return self.model.row_of_section(titles.index(title)) if title in titles else -1

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
        self._chosen = self.model.place(index.row())
        self._show_details()

    def _show_details(self) -> None:
        has_room = self.width() >= theme.current().grown(_DETAILS_LEAST)
        shows = self.pages.currentWidget() is self._frame and has_room
        entry = self.model.entry(self.list.currentIndex().row()) if shows else None
        if entry is None and shows and self._chosen is not None and self._chosen == self._detailed:
            return  # it is read again, since it's in another row
        self._detailed = self._chosen if entry is not None else None
        self.details.setVisible(entry is not None)
        if entry is not None and self._chosen is not None:
            counts = self._row.scale.reported(entry.record.platform.value, entry.counts)
            self.details.show_record(self._chosen, entry.record, counts)

    def _open(self) -> None:
        record = self.model.record(self.list.currentIndex().row())
        key = self._workspace.published.post_key(record) if record else None
        if key is not None:
            self.post_opened.emit(key)

    def _act(self, row: int, action: str) -> None:
        if action == OPEN_PAGE:
            self._open_page(row)

    def _open_page(self, row: int) -> None:
        record = self.model.record(row)
        if record is not None and self._lookup.has_page(record):
            self._scope.start(self._find_page(record))

    async def _find_page(self, record: ContentRecord) -> None:
        if page := self._lookup.page(record) or await self._lookup.find_page(record):
            open_page(page)
        else:
            platform = platform_name(record.platform.value)
            text = tr("Kalends has no link to this post. Look for it on {platform}.", platform=platform)
            self.told.emit(Message("info", text))

    def _open_menu(self, at: QPoint) -> None:
        self.details.menu().popup(at)

    def _fetch(self, piece: int) -> None:
        places = list(self.model.places_of(piece))
        self._scope.start(self._read(piece, places))

    async def _read(self, piece: int, places: list[int]) -> None:
        try:
            found = await self._workspace.published.read(places)
        except Problem:
            self.model.give_up(piece)
            raise
        counts = await self._workspace.analytics.counts(places)
        self.model.take(piece, places, found, counts)
        self._show_details()

    async def _count_again(self) -> None:
        """Reload the metrics of the loaded rows."""
        self._row.scale = await self._workspace.analytics.scale()
        for piece in self.model.pieces():
            await self._read(piece, list(self.model.places_of(piece)))

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
        if changes.metrics:
            self._counting.start(self._count_again())
        if changes.posts or changes.removed or changes.accounts or changes.reset:
            self.list.viewport().update()  # rows name accounts and show pictures of posts

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
        self.list.activated.connect(lambda _index: self._open())
        self.list.menu_wanted.connect(self._open_menu)
        self._row.acted.connect(self._act)
        self._pictures.arrived.connect(self.list.viewport().update)
        self.details.post_opened.connect(self.post_opened)
        self.details.post_revealed.connect(self.post_revealed)
        for timer, pause, act in (
            (self._news, _NEWS_PAUSE_MS, self._look),
            (self._again, _AGAIN_MS, self.refresh),
            (self._midnight, 0, self._look),
        ):
            timer.setSingleShot(True)
            timer.setInterval(pause)
            timer.timeout.connect(act)

    def _name_commands(self) -> None:
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
        self.list.commands.add(
            Command(
                tr("Open on the platform"),
                _GROUP,
                lambda: self._open_page(self.list.currentIndex().row()),
                focus_keys=("Ctrl+Return",),
                icon="external-link",
                enabled=lambda: self.list.currentIndex().isValid(),
            )
        )

    def _lay_out(self) -> None:
        view = self.list
        view.setItemDelegate(self._row)
        inside = QVBoxLayout(self._frame)
        inside.setContentsMargins(1, 1, 1, 2)
        inside.addWidget(view)
        for page in (self._frame, self.empty, self.no_match):
            self.pages.addWidget(page)
        middle = QHBoxLayout()
        middle.setSpacing(12)
        middle.addWidget(self.pages, 1)
        middle.addWidget(self.details)
        self._stack_up(self.toolbar, middle, below=16)
