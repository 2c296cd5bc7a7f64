"""The dashboard with all cards, and the selection. Imported when the pane is first opened."""

from collections.abc import Sequence
from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, QEvent, QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.analytics.card import ChartCard
from app.desktop.analytics.line_card import LineCard
from app.desktop.analytics.post_cards import PostCard, PostsCard
from app.desktop.analytics.tiles import TileStrip
from app.desktop.analytics.wording import DASH, WEEKDAYS, hour_words, number, short_day
from app.desktop.charts.heat_map import Cells, HeatKey, HeatMap, level_of
from app.desktop.theme import theme
from app.desktop.widgets import Label, Reflow
from app.desktop.widgets.painting import insets
from app.language import tr, trn
from app.workspace.analytics.dashboard import (
    ENOUGH_IN_HOUR,
    HEAT_DAYS,
    Choice,
    Heat,
    day_rows,
    heat,
    post_rows,
    tiles,
)
from app.workspace.analytics.dataset import COUNTED, Dataset, Figure, Span

_EARLY, _LATE = 6, 22
_HOURS: Final = 24


class HeatCard(ChartCard):
    """The heat map of the hours, always over 90 days regardless of the span."""

    def __init__(self) -> None:
        self.map = HeatMap(tr("Interactions per post by weekday and hour"))
        self.best = Label("", "card", "text2")
        self.key = HeatKey(tr("under {count} posts", count=ENOUGH_IN_HOUR))
        self._shown: tuple[Dataset, frozenset[str]] | None = None
        self._found: Heat | None = None
        self.hours = range(_EARLY, _LATE + 1)
        """The hours that show: the usual ones, and all at which something was published."""
        chart = QWidget()
        column = QVBoxLayout(chart)
        column.setContentsMargins(insets(16, 0, 14, 0))
        column.setSpacing(6)
        column.addWidget(self.map, 1)
        column.addWidget(self.best)
        column.addWidget(self.key)
        super().__init__(tr("Best times to post"), chart)
        self.note.setText(tr("per post, {days} days", days=HEAT_DAYS))

    def show_for(self, data: Dataset, choice: Choice) -> None:
        """Show the hours of the selected sources."""
        if self._shown == (data, choice.sources):
            return
        self._shown, found = (data, choice.sources), heat(data, choice)
        if found == self._found:
            return
        self._found = found
        used = [hour for day in range(7) for hour in range(_HOURS) if found.posts[day * _HOURS + hour]]
        self.hours = hours = range(min([_EARLY, *used]), max([_LATE, *used]) + 1)
        self.map.show_cells(cells_of(found, self.hours))
        self.key.show_most(tr("{n} interactions", n=number(round(found.most))))
        self.best.setText(_best_words(found))

        def cell(row: int, column: int) -> str:
            if not column:
                return WEEKDAYS[row]
            typical = found.typical[row * _HOURS + hours.start + column - 1]
            return DASH if typical is None else number(round(typical))

        header = [tr("Weekday"), *(f"{hour:02}" for hour in hours)]
        self.table.figures.show_cells(header, len(WEEKDAYS), cell)


def cells_of(found: Heat, hours: range) -> Cells:
    """Return a row for each weekday and a column for each hour."""
    levels = {
        (day, hour - hours.start): level_of(typical, found.most)
        for day in range(len(WEEKDAYS))
        for hour in hours
        if (typical := found.typical[day * _HOURS + hour]) is not None
    }
    unrated = {(day, hour) for day, hour in levels if not found.is_rated(day * _HOURS + hours.start + hour)}
    best = divmod(found.best, _HOURS) if found.best is not None else None
    return Cells(
        rows=WEEKDAYS,
        columns=[f"{hour:02}" for hour in hours],
        levels=levels,
        words=lambda row, column: hour_told(found, row * _HOURS + hours.start + column),
        best=(best[0], best[1] - hours.start) if best is not None else None,
        unrated=unrated,
    )


def hour_told(found: Heat, hour: int) -> str:
    """``Tue 12 …: 1,204 interactions per post, 3 posts``."""
    typical = found.typical[hour]
    if typical is None:
        return tr("{hour}: no posts", hour=hour_words(hour))
    return trn(
        "{hour}: {typical} interactions per post, {n} post",
        "{hour}: {typical} interactions per post, {n} posts",
        found.posts[hour],
        hour=hour_words(hour),
        typical=number(round(typical)),
    )


def _best_words(found: Heat) -> str:
    if not found.all_posts:
        return tr("No posts with metrics in the last 90 days.")
    if found.best is None:
        return tr("No hour has {count} posts yet.", count=ENOUGH_IN_HOUR)
    return trn(
        "Best: {hour}, from {n} post",
        "Best: {hour}, from {n} posts",
        found.all_posts,
        hour=hour_words(found.best),
    )


_GAP: Final = 12
_LEVELS: Final = 5
"""Depth of nested layouts, from the legend's keys to the pane."""


class Board(QWidget):
    """Shows the selected part of a dataset. Everything except a post's curve is computed immediately."""

    post_opened = Signal(str)
    """The key of a post to open."""
    item_wanted = Signal(int, object)
    """The place of an item whose curve is requested, and the Figure."""

    def __init__(self, zone: ZoneInfo, parent: QWidget) -> None:
        super().__init__(parent)
        self._zone = zone
        self._data: Dataset | None = None
        self._choice: Choice | None = None
        self._has_post = True
        self._shown_post: tuple[Dataset, int, Figure] | None = None
        self._next_frame = QTimer(self, singleShot=True, interval=0)
        self._next_frame.timeout.connect(self._paint_posts)
        self.tiles, self.lines, self.heat = TileStrip(), LineCard(), HeatCard()
        self.posts, self.post = PostsCard(zone), PostCard(zone)
        self.tiles.chosen.connect(lambda _figure: self._turn_to_figure())
        self.posts.chosen.connect(self._show_post)
        self.posts.opened.connect(self.post.open)
        self.post.opened.connect(self.post_opened)
        self._lay_out()

    @property
    def figure(self) -> Figure:
        """The charted figure."""
        return self.tiles.figure

    @property
    def data(self) -> Dataset | None:
        """The shown dataset."""
        return self._data

    def show_for(self, data: Dataset, span: Span, sources: frozenset[str]) -> None:
        """Show these days of these sources; an empty selection means all."""
        self._data, self._choice = data, Choice(span, sources)
        first = data.first_sampled
        since = tr("no data before {day}", day=short_day(first)) if first is not None else ""
        self.tiles.show_tiles(tiles(data, self._choice), since)
        self.heat.show_for(data, self._choice)
        self._turn_to_figure()

    def show_tables(self, *, shows: bool) -> None:
        """Show all charts as tables, or as charts again."""
        for card in (self.lines, self.heat, self.post):
            card.show_table(shows)

    @property
    def charts(self) -> dict[str, ChartCard]:
        """The visible charts, by the names of their pictures."""
        found: dict[str, ChartCard] = {"analytics": self.lines, "best-hours": self.heat}
        return found | ({"post": self.post} if self._has_post else {})

    def day_table(self) -> tuple[Sequence[str], list[tuple[str, ...]]]:
        """Return header and rows of the selected days, for a file."""
        assert self._data is not None  # noqa: S101  offered only while there is data
        assert self._choice is not None  # noqa: S101
        return day_rows(self._data, self._choice)

    def post_table(self) -> tuple[Sequence[str], list[tuple[str, ...]]]:
        """Return header and rows of the posts in their shown order, for a file."""
        assert self._data is not None  # noqa: S101  offered only while there is data
        return post_rows(self._data, self.posts.model.places, self._zone)

    def _turn_to_figure(self) -> None:
        self._paint_posts_later()
        self._show_figure()
        self._settle()

    def _paint_posts_later(self) -> None:
        """Paint totals and charts in one frame, and everything below them in the next."""
        if self.isVisible():
            for card in (self.posts, self.post):
                card.setUpdatesEnabled(False)
            self._next_frame.start()

    def _paint_posts(self) -> None:
        for card in (self.posts, self.post):
            card.setUpdatesEnabled(True)

    def _show_figure(self) -> None:
        if self._data is not None and self._choice is not None:
            self.lines.show_for(self._data, self._choice, self.figure)
            self.posts.show_for(self._data, self._choice, self.figure)

    def _settle(self) -> None:
        """Lay out what changed before any of it is painted.

        A changed layout notifies its parent layout with an event, and newly shown widgets request a repaint
        with another. Qt queues both behind repaints requested earlier, so everything would be painted once
        per level.
        """
        for _ in range(_LEVELS):
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.UpdateLater)

    def _show_post(self, place: int | None) -> None:
        if self._has_post is not (place is not None):
            self._has_post = place is not None
            self.post.setVisible(self._has_post)
        if place is None or self._data is None:
            return
        figure = self.figure if self.figure in COUNTED else Figure.VIEWS
        if (self._data, place, figure) != self._shown_post:
            self._shown_post = self._data, place, figure
            self.post.show_item(self._data, place, figure)
            self.item_wanted.emit(place, figure)

    def _lay_out(self) -> None:
        cards = Reflow((19, 10), (10, 13), _GAP)
        for place, card in enumerate((self.lines, self.heat, self.posts, self.post)):
            cards.add(card, *divmod(place, 2))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 16)
        column.setSpacing(_GAP)
        column.addWidget(self.tiles)
        column.addWidget(cards, 1)
        theme.follow(self._fit)

    def _fit(self) -> None:
        scale = theme.current().scale
        for card in (self.lines, self.heat):
            card.setMinimumHeight(round(216 * scale))
        for lower in (self.posts, self.post):
            lower.setMinimumHeight(round(280 * scale))  # so that a strip above makes nothing scroll
        self.heat.setMinimumWidth(round(340 * scale))
        self.post.restyle()
        self._show_figure()
