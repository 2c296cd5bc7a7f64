"""The analytics pane: nothing heavy is imported before it's first opened."""

import asyncio
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import QByteArray, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QImage, QImageWriter, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.aio import TaskScope, report_to
from app.desktop.analytics.choices import SourceBar, SpanChoice
from app.desktop.analytics.wording import sampled, span_words
from app.desktop.binding import import_in_thread
from app.desktop.commands import Command
from app.desktop.file_dialogs import ask_to_save, ask_to_save_table
from app.desktop.history.wording import page_at
from app.desktop.kit.card_skeleton import CardRow, CardSkeleton
from app.desktop.kit.service_pane import ServicePane
from app.desktop.theme import theme
from app.desktop.widgets import (
    ElidedLabel,
    EmptyState,
    IconButton,
    IconLabel,
    Label,
    Menu,
    ends_of,
    keep_room,
    line_of,
    scroll_area,
    secondary,
)
from app.desktop.words import when
from app.language import mid_sentence, number, tr, trn
from app.workspace.analytics.dataset import Figure, Item
from app.workspace.changes import Changes
from app.workspace.clock import Clock, wall_clock
from app.workspace.exchange.csv_table import csv_file, write_table
from app.workspace.messages import Message, Problem
from app.workspace.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.desktop.analytics.board import Board
    from app.workspace.analytics.dataset import Dataset

_NEWS_PAUSE_MS: Final = 400
_DUE_EVERY_MS: Final = 600_000
"""Interval of checks whether to ask the service, in ms, while the pane is open."""
_CURVE_PAUSE_S: Final = 0.12
_GAP: Final = 12
_UNDER_HEAD: Final = 4
_GROUP: Final = tr("Analytics")
_NOTHING: Final = tr("No numbers yet. They appear within a day of your first published post.")


_SHAPE: Final = (
    CardRow(92, (1, 1, 1, 1, 1), is_joined=True),
    CardRow(241, (19, 10)),
    CardRow(310, (19, 10), fills=True),
)
_BELOW: Final = 16


class AnalyticsPane(ServicePane):
    """Shows the stored data immediately, and asks the service a few times a day while it's open."""

    post_opened = Signal(str)
    """The key of a post to open."""

    def __init__(self, workspace: Workspace, zone: ZoneInfo, *, now: Clock = wall_clock) -> None:
        super().__init__(workspace, tr("Analytics"), CardSkeleton(_SHAPE, below=_BELOW))
        self._zone, self._now = zone, now
        self._loading = TaskScope(self, self._show_problem)
        self._curves = TaskScope(self, report_to(self.told.emit))
        self.board: Board | None = None
        self._data: Dataset | None = None
        self._why = ""
        """Why the last request failed; empty if it didn't."""
        self.days, self.sampled = Label("", "title", "text3"), ElidedLabel("", "card", "text3")
        self.span, self.sources = SpanChoice(), SourceBar()
        self.table_button = IconButton("list", tr("All charts as tables"), "secondary", checkable=True)
        self.export_button = secondary(tr("Export"), "download")
        self.empty = EmptyState("chart-line", _NOTHING)
        self._news, self.due = QTimer(self), QTimer(self)
        self._clock = IconLabel("clock", "text3", 14)
        self._bar, self._area = QWidget(), scroll_area()
        self._lay_out()
        self._connect()

    @property
    def data(self) -> "Dataset | None":
        """The shown dataset; None before anything was read."""
        return self._data

    def show_tables(self, shows: bool) -> None:
        """Show all charts as tables, or as charts again."""
        self.table_button.setChecked(shows)
        if self.board is not None:
            self.board.show_tables(shows=shows)

    def export_days(self) -> None:
        """Ask for a file, and write the days of the selected accounts into it."""
        title = tr("Export daily numbers as CSV")
        ask_to_save_table(self, title, "Kalends-analytics-days.csv", self.write_days)

    def export_posts(self) -> None:
        """Ask for a file, and write the posts of the selected days into it."""
        ask_to_save_table(self, tr("Export posts as CSV"), "Kalends-analytics-posts.csv", self.write_posts)

    def export_picture(self, chart: str = "analytics") -> None:
        """Ask for a file, and write one of the board's charts into it, by its name there."""
        ask_to_save(
            self,
            tr("Save chart as image"),
            f"Kalends-{chart}.png",
            ("png",),
            lambda file: self.write_picture(file, chart),
            "pictures",
            filters=(tr("Picture (*.png)"),),
        )

    def write_days(self, path: Path) -> None:
        """Write the days as a table."""
        if self.board is not None and self._data is not None:
            self._scope.start(self._write(path, *self.board.day_table()))

    def write_posts(self, path: Path) -> None:
        """Write the posts as a table."""
        if self.board is not None and self._data is not None:
            self._scope.start(self._write(path, *self.board.post_table()))

    def write_picture(self, path: Path, chart: str = "analytics") -> None:
        """Write a chart as a picture."""
        card = self.board.charts.get(chart) if self.board is not None else None
        if card is not None:
            self._scope.start(self._save(path, card.picture()))

    def showEvent(self, event: QShowEvent) -> None:
        """Show the stored data, and ask the service if that is due."""
        super().showEvent(event)
        self._look()
        self._ask(self._workspace.analytics.refresh_when_due)
        self.due.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._news.stop()
        self.due.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_head()

    async def fetch(self) -> None:
        await self._workspace.analytics.refresh()

    def has_data(self) -> bool:
        return self._data is not None and bool(self._data.sources)

    def as_of(self) -> str:
        if self._data is None or not self._data.asked_at:
            return super().as_of()
        moment = datetime.fromtimestamp(self._data.asked_at / 1_000, UTC).astimezone(self._zone)
        today = datetime.fromtimestamp(self._now() / 1_000, self._zone).date()
        return tr("Showing numbers from {time}.", time=when(moment, today))

    def _ask_when_due(self) -> None:
        """Ask a few times a day; after an error, at every opportunity."""
        analytics = self._workspace.analytics
        self._ask(analytics.refresh if self._why else analytics.refresh_when_due)

    def _reconnected(self) -> None:
        self._ask_when_due()

    def _succeeded(self) -> None:
        super()._succeeded()
        self._why = ""
        self._turn()

    def _look(self) -> None:
        self._loading.cancel()
        self._loading.start(self._load())

    async def _load(self) -> None:
        reading = self._workspace.analytics.dataset(self._zone)
        data, _ = await asyncio.gather(reading, self._build())  # built while the data is read
        self._data = data
        self.sources.show_sources(data.sources)
        self._show()
        self._turn()

    async def _build(self) -> None:
        if self.board is not None:
            return
        await import_in_thread("app.desktop.analytics.board")  # the window goes on meanwhile
        from app.desktop.analytics.board import Board

        self.board = board = Board(self._zone, self._area.viewport())
        self._area.setWidget(board)
        board.setAutoFillBackground(False)
        board.post_opened.connect(self.post_opened)
        board.item_wanted.connect(self._want)
        board.show_tables(shows=self.table_button.isChecked())

    def _show(self) -> None:
        """Show the selected part of the data."""
        if self.board is None or self._data is None:
            return
        span = self.span.span(self._data.today)
        self.days.setText(span_words(span))
        self.board.show_for(self._data, span, self.sources.chosen)
        self._show_head()

    def _turn(self) -> None:
        """Show the page for the current data."""
        page: QWidget = self.loading
        if self.has_data():
            page = self._area
        elif self._why:
            self.failed.set_text(self._why)
            page = self.failed
        elif self._data is not None and not self._is_asking:
            page = self.empty
        has_numbers = page is self._area
        keep_room(self._bar, page is self.loading)  # so that nothing jumps once there are numbers
        for widget in (self._bar, self.span, self.table_button, self.days):
            widget.setVisible(has_numbers)
        self.export_button.setEnabled(has_numbers)
        self.pages.setCurrentWidget(page)
        self._show_head()

    def _show_head(self) -> None:
        data = self._data
        self.sampled.setText(sampled(data.last_sample_at, self._now(), self._zone) if data else "")
        self._clock.setVisible(bool(self.sampled.text()))

    def _want(self, place: int, figure: Figure) -> None:
        """Request a curve, cancelling the previous request."""
        if self._data is not None and self.board is not None:
            item, practice = self._data.items[place], self._workspace.practice
            self.board.post.show_page(page_at(item.platform, item.content_id, practice=practice))
            self._curves.cancel()
            self._curves.start(self._show_curve(self._data, place, figure))

    async def _show_curve(self, data: "Dataset", place: int, figure: Figure) -> None:
        await asyncio.sleep(_CURVE_PAUSE_S)  # otherwise, moving through posts would request each one's curve
        assert self.board is not None  # noqa: S101  it requested the curve
        item = data.items[place]
        found = await self._workspace.analytics.curve(data, place, figure, self._zone)
        self.board.post.show_curve(item, found)
        await self._show_page(item)

    async def _show_page(self, item: Item) -> None:
        """Show the link from the service if available, which is better than the one derived from the id."""
        try:
            page = (await self._workspace.detail(item.post_key)).page if item.post_key else ""
        except Problem:
            return
        if page and self.board is not None:
            self.board.post.show_page(page)

    def _show_problem(self, problem: Problem) -> None:
        self._why = problem.text
        super()._show_problem(problem)
        self._turn()

    async def _write(self, path: Path, header: "Sequence[str]", rows: list[tuple[str, ...]]) -> None:
        await write_table(path, lambda: csv_file(header, rows))
        text = trn(
            "{n} row exported to {name}.",
            "{n} rows exported to {name}.",
            len(rows),
            n=number(len(rows)),
            name=path.name,
        )
        self.told.emit(Message("info", text))

    async def _save(self, path: Path, picture: QImage) -> None:
        writer = QImageWriter(str(path), QByteArray(b"png"))
        if not await asyncio.to_thread(writer.write, picture):
            why = mid_sentence(writer.errorString())
            raise Problem(tr("Couldn't write “{name}”: {reason}.", name=path.name, reason=why))
        self.told.emit(Message("info", tr("Chart saved as {name}.", name=path.name)))

    def _changed(self, changes: Changes) -> None:
        super()._changed(changes)
        has_news = changes.metrics or changes.published or changes.accounts or changes.reset
        if has_news and self.isVisible() and not self._news.isActive():
            self._news.start()

    def _show_menu(self) -> None:
        menu = Menu(self.export_button)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.add(tr("Daily numbers as CSV…"), self.export_days, icon="download")
        menu.add(tr("Posts as CSV…"), self.export_posts, icon="download")
        menu.addSeparator()
        for name, card in self.board.charts.items() if self.board is not None else ():
            menu.add(
                tr("“{chart}” as an image…", chart=card.title.text()),
                partial(self.export_picture, name),
                icon="image",
            )
        menu.open_below(self.export_button)

    def _connect(self) -> None:
        self._news.setSingleShot(True)
        self._news.setInterval(_NEWS_PAUSE_MS)
        self._news.timeout.connect(self._look)
        self.due.setInterval(_DUE_EVERY_MS)
        self.due.timeout.connect(self._ask_when_due)
        for changed in (self.span.changed, self.sources.changed):
            changed.connect(self._show)
        self.table_button.toggled.connect(self.show_tables)
        self.export_button.clicked.connect(self._show_menu)
        self._offer_commands()

    def _offer_commands(self) -> None:
        commands = (
            (tr("Export daily numbers as CSV…"), self.export_days, tr("csv spreadsheet numbers save")),
            (
                tr("Export posts and their numbers as CSV…"),
                self.export_posts,
                tr("csv spreadsheet save"),
            ),
            (tr("Save the daily chart as an image…"), self.export_picture, tr("png image")),
            (
                tr("Save best times as an image…"),
                partial(self.export_picture, "best-hours"),
                tr("png image"),
            ),
        )
        self._add_commands(
            "analytics",
            _GROUP,
            tr("Refresh the numbers"),
            Command(
                tr("Show charts as tables"), _GROUP, self.table_button.toggle, icon="list", words=tr("chart")
            ),
            *(
                Command(name, _GROUP, act, icon="download", words=words, enabled=self.has_data)
                for name, act, words in commands
            ),
            Command(
                tr("Save this post's chart as an image…"),
                _GROUP,
                partial(self.export_picture, "post"),
                icon="download",
                words=tr("png image"),
                enabled=self._has_post,
            ),
        )

    def _has_post(self) -> bool:
        return self.has_data() and self.board is not None and "post" in self.board.charts

    def _lay_out(self) -> None:
        title = line_of(Label(tr("Analytics"), "title"), self.days, least=theme.current().metrics.control)
        head = ends_of(title, self.span, self.table_button, self.refresh_button, self.export_button)
        second = QHBoxLayout(self._bar)
        second.setContentsMargins(0, 0, 0, 0)
        second.setSpacing(8)
        second.addWidget(self.sources, 1)
        second.addWidget(self._clock)
        second.addWidget(self.sampled)
        for page in (self.empty, self._area):
            self.pages.addWidget(page)
        above = QVBoxLayout()
        above.setSpacing(_UNDER_HEAD)
        above.addWidget(head)
        above.addWidget(self._bar)
        self._stack_up(above)
        self._turn()
