"""The card with the line chart: a figure over the days, one line per account."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.desktop.analytics.card import ChartCard
from app.desktop.analytics.wording import (
    DASH,
    NAMES,
    day_words,
    number,
    short_day,
    source_name,
    source_with_platform,
)
from app.desktop.charts.hover import HoverRow
from app.desktop.charts.line_plot import LinePlot
from app.desktop.charts.scale import Axis, Stroke, apart, short_number
from app.desktop.theme import theme
from app.desktop.theme.icons import platform_icon
from app.desktop.theme.theme import grow
from app.desktop.widgets import EmptyState, order_tabs
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import draw_icon, rounded, shows_focus
from app.desktop.words import platform_name
from app.language import mid_sentence, tr, trn
from app.workspace.analytics.dashboard import Choice, Line, lines, posting_days
from app.workspace.analytics.dataset import Dataset, Figure, Source

_SHOWN_AT_FIRST: Final = 4
_ENDS_WIDTH: Final = 132
_PER_DAY: Final = {
    Figure.VIEWS: tr("Views per day"),
    Figure.LIKES: tr("Likes per day"),
    Figure.COMMENTS: tr("Comments per day"),
    Figure.SHARES: tr("Shares per day"),
    Figure.FOLLOWERS: tr("Followers"),
}
_NONE: Final = {
    Figure.VIEWS: tr("No views in this period."),
    Figure.LIKES: tr("No likes in this period."),
    Figure.COMMENTS: tr("No comments in this period."),
    Figure.SHARES: tr("No shares in this period."),
    Figure.FOLLOWERS: tr("No follower data in this period."),
}


class LineCard(ChartCard):
    """Lines end at the last complete day; dots below mark posts; the legend toggles lines."""

    def __init__(self) -> None:
        self.plot, self._ends = LinePlot(_PER_DAY[Figure.VIEWS], short_number), EndNames()
        chart = QWidget()
        row = QHBoxLayout(chart)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(0)
        row.addWidget(self.plot, 1)
        row.addWidget(self._ends)
        super().__init__(_PER_DAY[Figure.VIEWS], chart)
        self.note.setText(tr("dots mark posts"))
        self._chart = chart
        self.nothing = EmptyState("chart-line", "")
        self._stack.addWidget(self.nothing)
        self._keys = LegendKeys()
        self.head.insertWidget(self.head.count() - 1, self._keys)
        self._wanted: dict[str, bool] = {}
        self._lines: Sequence[Line] = ()
        self._choice: Choice | None = None
        self._data: Dataset | None = None
        self._figure = Figure.VIEWS
        self.plot.asked.connect(self._tell)
        self.plot.moved.connect(self._ends.update)
        self._keys.toggled.connect(self.toggle)

    @property
    def shown(self) -> list[Line]:
        """The visible lines: by default the first few, or as the user toggled them."""
        return [
            line
            for place, line in enumerate(self._lines)
            if self._wanted.get(line.source.key, place < _SHOWN_AT_FIRST)
        ]

    def show_for(self, data: Dataset, choice: Choice, figure: Figure) -> None:
        """Chart a figure of the selection."""
        self._data, self._choice, self._figure = data, choice, figure
        self._lines = lines(data, choice, figure)
        self.set_title(_PER_DAY[figure])
        self.plot.setAccessibleName(self.title.text())
        if not self.shown:
            self._wanted.clear()
        shown = {line.source.key for line in self.shown}
        if self._keys.show_keys([(line.source, line.source.key in shown) for line in self._lines]):
            order_tabs(self.switch, self._keys)  # else new keys come last in the window's tab order
            order_tabs(self._keys, self.switch)
        self._draw()
        self._fill_table()

    def toggle(self, key: str) -> None:
        """Show or hide a line."""
        self._wanted[key] = key not in {line.source.key for line in self.shown}
        self._draw()

    def _draw(self) -> None:
        if self._data is None or self._choice is None:
            return
        span, data = self._choice.span, self._data
        self.nothing.set_text(_NONE[self._figure])
        if not self.switch.isChecked():
            self._stack.setCurrentWidget(self._chart if self._lines else self.nothing)
        look = theme.current().tokens
        shown = self.shown
        strokes = [
            Stroke(source_name(line.source), look.account(line.source.color_index), line.values)
            for line in shown
        ]
        days = posting_days(data, self._choice)
        marks = [
            (day - span.first, look.account(line.source.color_index))
            for line in shown
            for day in days.get(line.source.key, ())
        ]
        today = data.today - span.first if span.first <= data.today <= span.last else None
        self.plot.show_lines(strokes, Axis(span.days, _names(span.first, span.days, today), today, marks))
        self._ends.show_ends(self.plot, shown)

    def _tell(self, place: int | None) -> None:
        if place is None or self._choice is None:
            return
        names = Counter(source_name(line.source) for line in self.shown)
        rows = [
            HoverRow(
                theme.current().tokens.account(line.source.color_index),
                source_with_platform(line.source)
                if names[source_name(line.source)] > 1
                else source_name(line.source),
                _value(line, place),
            )
            for line in self.shown
        ]
        known = [value for line in self._lines if (value := _at(line, place)) is not None]
        if len(self._lines) > 1:
            total = number(sum(known)) if known else DASH
            rows.append(HoverRow("", trn("All {n} account", "All {n} accounts", len(self._lines)), total))
        self.plot.tell(day_words(self._choice.span.first + place), mid_sentence(NAMES[self._figure]), rows)

    def _fill_table(self) -> None:
        if self._choice is None:
            return
        span, found = self._choice.span, self._lines

        def cell(row: int, column: int) -> str:
            place = span.days - 1 - row
            return _value(found[column - 1], place) if column else day_words(span.first + place)

        header = [tr("Day"), *(_column_name(line.source) for line in found)]
        self.table.figures.show_cells(header, span.days, cell)


class LegendKeys(QWidget):
    """The legend, with a key for each line. Keys are reused, because creating them is expensive."""

    toggled = Signal(str)
    """The key of the account whose line is toggled."""

    def __init__(self) -> None:
        super().__init__()
        self._told: Sequence[tuple[Source, bool]] = ()
        self.keys: list[LegendKey] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(4)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_keys(self, told: Sequence[tuple[Source, bool]]) -> bool:
        """Show these accounts, and whether their lines are visible; return whether keys were created."""
        if told == self._told:
            return False
        made = len(told) - len(self.keys)
        if len(told) > len(self._told):
            self.hide()  # each key added while visible asks the screen for the mouse, and waits
        self._told = told
        while len(self.keys) < len(told):
            key = LegendKey()
            key.clicked.connect(lambda _on, key=key: self.toggled.emit(key.source.key))
            self.keys.append(key)
            self._row.addWidget(key)
        for place, key in enumerate(self.keys):
            key.setVisible(place < len(told))
            if place < len(told):
                key.show_source(*told[place])
        self.setVisible(bool(told))
        return made > 0


class LegendKey(EnterPresses):
    """A line's account; checked while the line is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.source = Source("", "")
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_source(self, source: Source, shows: bool) -> None:
        """Set the account."""
        if (source, shows) == (self.source, self.isChecked()):
            return
        self.source = source
        self.setChecked(shows)
        self.setToolTip(source_name(source))
        self.setAccessibleName(tr("{name} series", name=source_with_platform(source)))
        self.update()

    def sizeHint(self) -> QSize:
        edge = theme.current().metrics.chip
        return QSize(edge, edge)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the platform's glyph, in the account's colour while the line is shown."""
        painter, rect = QPainter(self), QRectF(self.rect())
        is_on, look = self.isChecked(), theme.current()
        line = "accent" if shows_focus(self) else "line" if is_on else None
        width = 2 if shows_focus(self) else 1
        rounded(painter, rect, 6, fill="surface" if is_on else None, line=line, width=width)
        ink = look.tokens.account(self.source.color_index) if is_on else "text3"
        platform = self.source.platform
        icon = platform_icon(platform)
        draw_icon(painter, rect.adjusted(6, 6, -6, -6), icon, ink)


class EndNames(QWidget):
    """The names of the lines at their ends, moved apart if they would overlap."""

    def __init__(self) -> None:
        super().__init__()
        self._plot: LinePlot | None = None
        self._lines: Sequence[Line] = ()
        grow(self, QWidget.setFixedWidth, _ENDS_WIDTH)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        theme.follow(self.update)

    def show_ends(self, plot: LinePlot, shown: Sequence[Line]) -> None:
        """Name these lines of the plot to the left."""
        self._plot, self._lines = plot, shown
        self.setVisible(bool(shown))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint a glyph and a name for each line."""
        if self._plot is None:
            return
        look, painter = theme.current(), QPainter(self)
        font, height = look.font("card"), look.metrics.line + 2
        painter.setFont(font)
        ends = sorted(((self._plot.y_of(_end(line)), line) for line in self._lines), key=lambda end: end[0])
        tops = apart([y - height / 2 for y, _ in ends], height, self.height() - 24 - height)
        for top, (_, line) in zip(tops, ends, strict=True):
            platform = line.source.platform
            icon = platform_icon(platform)
            ink = look.tokens.account(line.source.color_index)
            draw_icon(painter, QRectF(8, top + (height - 12) / 2, 12, 12), icon, ink)
            room = self.width() - 28
            shown = QFontMetrics(font).elidedText(source_name(line.source), Qt.TextElideMode.ElideRight, room)
            painter.setPen(look.color("text"))
            painter.drawText(QRectF(26, top, room, height), Qt.AlignmentFlag.AlignVCenter, shown)


def _names(first: int, days: int, today: int | None) -> list[tuple[int, str]]:
    """Return some days of the axis: about six of them, weeks apart if there are many."""
    step = next(step for step in (1, 2, 5, 7, 14, 28) if days / step <= 8 or step == 28)
    names = [(place, short_day(first + place)) for place in range(0, days, step)]
    if today is None:
        return names
    return [(at, name) for at, name in names if abs(at - today) * 8 > days]


def _column_name(source: Source) -> str:
    """Return the name of a table column; accounts often have the same name on several platforms."""
    name = source_name(source)
    return f"{platform_name(source.platform)}: {name}" if source.is_known else name


def _at(line: Line, place: int) -> int | None:
    return line.values[place] if place < len(line.values) else None


def _value(line: Line, place: int) -> str:
    return number(_at(line, place))


def _end(line: Line) -> int:
    return next(value for value in reversed(line.values) if value is not None)
