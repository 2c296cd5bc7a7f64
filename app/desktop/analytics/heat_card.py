"""The card with the heat map: at which hours of the week posts do well."""

from typing import Final

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.analytics.card import ChartCard
from app.desktop.analytics.wording import DASH, WEEKDAYS, hour_words, number
from app.desktop.charts.heat_map import Cells, HeatKey, HeatMap, level_of
from app.desktop.widgets import Label
from app.language import tr, trn
from app.workspace.analytics.dashboard import ENOUGH_IN_HOUR, HEAT_DAYS, Choice, Heat, heat
from app.workspace.analytics.dataset import Dataset

_EARLY, _LATE = 6, 22
_HOURS: Final = 24


class HeatCard(ChartCard):
    """Always over 90 days, whatever the span is."""

    def __init__(self) -> None:
        self.map = HeatMap(tr("Interactions per post by weekday and hour"))
        self.best, self.key = Label("", "card", "text2"), HeatKey(tr("no posts"))
        self._shown: tuple[Dataset, frozenset[str]] | None = None
        self._found: Heat | None = None
        self.hours = range(_EARLY, _LATE + 1)
        """The hours that show: the usual ones, and all at which something was published."""
        chart = QWidget()
        column = QVBoxLayout(chart)
        column.setContentsMargins(16, 0, 14, 0)
        column.setSpacing(6)
        column.addWidget(self.map, 1)
        column.addWidget(self.best)
        column.addWidget(self.key)
        super().__init__(tr("Best times to post"), chart)
        self.note.setText(tr("per post, {days} days", days=HEAT_DAYS))

    def show_for(self, data: Dataset, choice: Choice) -> None:
        """Show the hours of the chosen sources."""
        if self._shown == (data, choice.sources):
            return
        self._shown, found = (data, choice.sources), heat(data, choice)
        if found == self._found:
            return
        self._found = found
        used = [hour for day in range(7) for hour in range(_HOURS) if found.posts[day * _HOURS + hour]]
        self.hours = range(min([_EARLY, *used]), max([_LATE, *used]) + 1)
        self.map.show_cells(cells_of(found, self.hours))
        self.key.show_most(tr("{n} interactions", n=number(round(found.most))))
        self.best.setText(_best_words(found))

        def cell(row: int, column: int) -> str:
            if not column:
                return WEEKDAYS[row]
            typical = found.typical[row * _HOURS + column - 1]
            return DASH if typical is None else number(round(typical))

        header = [tr("Weekday"), *(f"{hour:02}" for hour in range(_HOURS))]
        self.table.figures.show_cells(header, len(WEEKDAYS), cell)


def cells_of(found: Heat, hours: range) -> Cells:
    """Return a row for each weekday and a column for each of the hours."""
    levels = {
        (day, hour - hours.start): level_of(typical, found.most)
        for day in range(len(WEEKDAYS))
        for hour in hours
        if (typical := found.typical[day * _HOURS + hour]) is not None
    }
    best = divmod(found.best, _HOURS) if found.best is not None else None
    return Cells(
        rows=WEEKDAYS,
        columns=[f"{hour:02}" for hour in hours],
        levels=levels,
        words=lambda row, column: hour_told(found, row * _HOURS + hours.start + column),
        best=(best[0], best[1] - hours.start) if best is not None else None,
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
