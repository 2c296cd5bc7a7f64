"""The card with the heat map: at which hours of the week posts do well."""

from collections import defaultdict
from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFocusEvent, QFontMetrics, QHelpEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QVBoxLayout, QWidget

from app.desktop.analytics.card import ChartCard
from app.desktop.analytics.wording import DASH, WEEKDAYS, hour_words, number
from app.desktop.theme import theme
from app.desktop.widgets import Label
from app.desktop.widgets.painting import rounded
from app.language import tr, trn
from app.workspace.analytics.dashboard import ENOUGH_IN_HOUR, HEAT_DAYS, Choice, Heat, heat
from app.workspace.analytics.dataset import Dataset

_SHADES: Final = ("data1", "data2", "data3", "text2", "text")
_EARLY, _LATE = 6, 22


class HeatMap(QWidget):
    """A square an hour; the arrows walk. A small dot where nothing was published."""

    def __init__(self) -> None:
        super().__init__()
        self._heat: Heat | None = None
        self._asked: tuple[int, int] | None = None
        self._levels: dict[tuple[int, int], int] = {}
        self.hours = range(_EARLY, _LATE + 1)
        """The hours that show: the usual ones, and all at which something was published."""
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Interactions per post by weekday and hour"))
        theme.follow(self.update)

    def sizeHint(self) -> QSize:
        return QSize(340, 170)

    def show_heat(self, found: Heat) -> None:
        """Show these hours."""
        self._heat, self._asked = found, None
        used = np.flatnonzero(found.posts.sum(axis=0)).tolist()
        self.hours = range(min([_EARLY, *used]), max([_LATE, *used]) + 1)
        self._levels = levels_of(found)
        self.update()

    def told(self) -> str:
        """What is said of the hour that is asked for."""
        if self._heat is None or self._asked is None:
            return ""
        return cell_words(self._heat, *self._asked)

    def event(self, event: QEvent) -> bool:
        """Say what an hour holds below the mouse."""
        if isinstance(event, QHelpEvent) and self._heat is not None:
            cell = self._cell_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), cell_words(self._heat, *cell) if cell else "", self)
            return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._ask(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk from hour to hour and day to day."""
        steps = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        step = steps.get(Qt.Key(event.key()))
        if step is None or self._heat is None:
            super().keyPressEvent(event)
            return
        hours = self.hours
        best = divmod(self._heat.best, 24) if self._heat.best is not None else (0, hours.start)
        day, hour = (self._asked[0] + step[0], self._asked[1] + step[1]) if self._asked else best
        self._ask((min(max(day, 0), 6), min(max(hour, hours.start), hours.stop - 1)))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint hours, weekdays and squares."""
        if self._heat is None:
            return
        look, painter = theme.current(), QPainter(self)
        painter.setFont(look.font("small"))
        painter.setPen(look.color("text3"))
        for hour in self.hours[::2]:
            box = self._box(-1, hour).adjusted(-10, 0, 10, 0)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{hour:02}")
        left = self._box(0, self.hours.start).left() - 6
        for day, name in enumerate(WEEKDAYS):
            box = self._box(day, self.hours.start)
            place = QRectF(0, box.top(), left, box.height())
            painter.setPen(look.color("text2"))
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, name)
        self._paint_cells(painter)
        if self.hasFocus() and self._asked is None:
            rounded(painter, QRectF(self.rect()), look.metrics.radius, line="accent", width=2)

    def _paint_cells(self, painter: QPainter) -> None:
        """Level by level, so that a brush is set once; then the rings around the best hour and the asked."""
        assert self._heat is not None  # noqa: S101  asked only of what shows
        by_level: defaultdict[int | None, list[QRectF]] = defaultdict(list)
        first, below = self._box(0, self.hours.start), self._box(1, self.hours.start)
        size, down = first.adjusted(1, 1, -1, -1).size(), below.top() - first.top()
        columns = [(hour, self._box(0, hour).left() + 1) for hour in self.hours]
        for day in range(7):
            top = first.top() + 1 + day * down
            for hour, left in columns:
                by_level[self._levels.get((day, hour))].append(QRectF(QPointF(left, top), size))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for level, boxes in by_level.items():
            painter.setBrush(theme.current().color("line_strong" if level is None else shade(level)))
            for box in boxes:
                if level is None:
                    painter.drawEllipse(box.center(), 1, 1)
                else:
                    painter.drawRoundedRect(box, 3, 3)
        best = divmod(self._heat.best, 24) if self._heat.best is not None else None
        if best is not None and best != self._asked:
            self._ring(painter, best, "text", 1.5)
        if self._asked is not None:
            self._ring(painter, self._asked, "accent", 2)

    def _ring(self, painter: QPainter, cell: tuple[int, int], line: str, width: float) -> None:
        rounded(painter, self._box(*cell).adjusted(-1, -1, 1, 1), 4, line=line, width=width)

    def _box(self, day: int, hour: int) -> QRectF:
        """The place of an hour; those above the first day are for the names of hours."""
        look = theme.current()
        left, top = round(38 * look.scale), look.metrics.line
        width = (self.width() - left - 4) / len(self.hours)
        height = (self.height() - top - 2) / 7
        place = hour - self.hours.start
        if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
            place = len(self.hours) - 1 - place
        if day < 0:
            return QRectF(left + place * width, 0, width, top)
        return QRectF(left + place * width, top + day * height, width, height)

    def _cell_at(self, point: QPointF) -> tuple[int, int] | None:
        cells = ((day, hour) for day in range(7) for hour in self.hours)
        return next((cell for cell in cells if self._box(*cell).contains(point)), None)

    def _ask(self, cell: tuple[int, int] | None) -> None:
        self._asked = cell
        self.setAccessibleDescription(self.told())
        self.update()


class HeatKey(QWidget):
    """What the shades mean."""

    def __init__(self) -> None:
        super().__init__()
        self._most = 0
        theme.follow(self._fit)

    def show_most(self, most: int) -> None:
        """The highest number."""
        self._most = most
        self._fit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint a dot for none, and the shades with their numbers."""
        look, painter = theme.current(), QPainter(self)
        painter.setFont(look.font("small"))
        metrics, x, height = painter.fontMetrics(), 0.0, self.height()
        painter.setBrush(look.color("line_strong"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawEllipse(QPointF(3, height / 2), 1.2, 1.2)
        none, most = self._words()
        for words, gap in ((none, 14), ("0", 5)):
            x += 8 if words != "0" else 0
            painter.setPen(look.color("text3"))
            width = metrics.horizontalAdvance(words)
            painter.drawText(QRectF(x, 0, width + 2, height), Qt.AlignmentFlag.AlignVCenter, words)
            x += width + gap
        for level in range(len(_SHADES)):
            rounded(painter, QRectF(x, height / 2 - 5, 13, 10), 2, fill=shade(level))
            x += 15
        painter.setPen(look.color("text3"))
        end = QRectF(x + 4, 0, self.width() - x - 4, height)
        painter.drawText(end, Qt.AlignmentFlag.AlignVCenter, most)

    def _words(self) -> tuple[str, str]:
        return tr("no posts"), tr("{n} interactions", n=number(self._most))

    def _fit(self) -> None:
        metrics = QFontMetrics(theme.current().font("small"))
        words = sum(metrics.horizontalAdvance(word) + 2 for word in (*self._words(), "0"))
        width = words + 15 * len(_SHADES) + 34
        self.setFixedSize(width, theme.current().metrics.line)
        self.update()


class HeatCard(ChartCard):
    """Always over 90 days, whatever the span is."""

    def __init__(self) -> None:
        self.map, self.best, self.key = HeatMap(), Label("", "card", "text2"), HeatKey()
        self._found: Heat | None = None
        chart = QWidget()
        column = QVBoxLayout(chart)
        column.setContentsMargins(16, 0, 14, 0)
        column.setSpacing(6)
        column.addWidget(self.map, 1)
        column.addWidget(self.best)
        column.addWidget(self.key)
        super().__init__(tr("When posts do well"), chart)
        self.note.setText(tr("per post, {days} days", days=HEAT_DAYS))

    def show_for(self, data: Dataset, choice: Choice) -> None:
        """Show the hours of what is chosen."""
        found = heat(data, choice)
        if self._found is not None and found.is_like(self._found):
            return
        self._found = found
        self.map.show_heat(found)
        most = float(np.nanmax(found.typical)) if found.all_posts else 0.0
        self.key.show_most(round(most))
        self.best.setText(_best_words(found))
        hours = range(24)

        def cell(row: int, column: int) -> str:
            if not column:
                return WEEKDAYS[row]
            posts = int(found.posts[row, column - 1])
            return number(round(float(found.typical[row, column - 1]))) if posts else DASH

        self.table.figures.show_cells([tr("Weekday"), *(f"{hour:02}" for hour in hours)], 7, cell)


def levels_of(found: Heat) -> dict[tuple[int, int], int]:
    """The shade of each hour, 0 to 4, by weekday and hour; none of those at which nothing was published."""
    if not found.all_posts:
        return {}
    most = max(1.0, float(np.nanmax(found.typical)))
    told = zip(*(place.tolist() for place in np.nonzero(found.posts)), strict=True)
    last = len(_SHADES) - 1
    return {cell: min(last, max(0, int(found.typical[cell] / most * len(_SHADES)))) for cell in told}


def shade(level: int) -> str:
    """The colour of a level: from nearly the ground to ink."""
    return theme.current().tokens.role(_SHADES[level])


def cell_words(found: Heat, day: int, hour: int) -> str:
    """``Tue 12 …: 1,204 interactions per post, 3 posts``."""
    posts = int(found.posts[day, hour])
    if not posts:
        return tr("{hour}: no posts", hour=hour_words(day * 24 + hour))
    typical = number(round(float(found.typical[day, hour])))
    return trn(
        "{hour}: {typical} interactions per post, {n} post",
        "{hour}: {typical} interactions per post, {n} posts",
        posts,
        hour=hour_words(day * 24 + hour),
        typical=typical,
    )


def _best_words(found: Heat) -> str:
    if not found.all_posts:
        return tr("No posts with numbers in these 90 days.")
    if found.best is None:
        return tr("No hour has {count} posts yet.", count=ENOUGH_IN_HOUR)
    return trn(
        "Best: {hour}, from {n} post",
        "Best: {hour}, from {n} posts",
        found.all_posts,
        hour=hour_words(found.best),
    )
