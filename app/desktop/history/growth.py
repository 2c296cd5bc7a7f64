"""The views of a post in its first week, next to the usual post of its account."""

from typing import Final

from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.desktop.charts.hover import HoverRow
from app.desktop.charts.line_plot import LinePlot
from app.desktop.charts.numbers import short_number
from app.desktop.charts.scale import Values
from app.desktop.charts.strokes import Axis, Stroke
from app.desktop.history.wording import count
from app.desktop.theme import theme
from app.desktop.theme.growing import grow
from app.desktop.widgets import Divider, Label
from app.language import mid_sentence, number, tr, trn
from app.workspace.analytics.counts import Curve

_DAYS: Final = 7
_HEIGHT: Final = 132
_LEAST: Final = 2
"""Samples that make a line."""
_STEP: Final = 2
"""Days from one name below the chart to the next."""
_FIRST_WEEK: Final = tr("First week")


class GrowthChart(QWidget):
    """Hidden while there are too few samples for a line: a day has one, so the first day has no curve."""

    days = _DAYS

    def __init__(self) -> None:
        super().__init__()
        self._curve: Curve | None = None
        self._color_index: int | None = None
        self.title = Label("", "card", "text2")
        self.plot = LinePlot(_FIRST_WEEK, short_number)
        self.plot.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        grow(self.plot, QWidget.setFixedHeight, _HEIGHT)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for part in (Divider(inner=True), self.title, self.plot):
            column.addWidget(part)
        self.plot.asked.connect(self._tell)
        theme.follow(self._draw)
        self.hide()

    def clear(self) -> None:
        """Show nothing until another curve arrives."""
        self._curve = None
        self.hide()

    def show_curve(self, curve: Curve, color_index: int | None) -> None:
        """Show a post's curve in its account's color; None if the account is unknown."""
        self._curve, self._color_index = curve, color_index
        self._draw()

    @property
    def _has_usual(self) -> bool:
        return self._curve is not None and self._curve.posts > 1

    @property
    def _color(self) -> str:
        index = self._color_index
        return "text2" if index is None else theme.current().tokens.account(index)

    def _draw(self) -> None:
        curve = self._curve
        known = [value for value in curve.own if value is not None] if curve is not None else []
        self.setVisible(len(known) >= _LEAST and max(known) > 0)
        if curve is None or self.isHidden():
            return
        strokes = [Stroke(tr("This post"), self._color, curve.own, is_filled=True)]
        if self._has_usual:
            strokes.insert(0, Stroke(tr("Your usual post"), "text3", curve.median, is_dashed=True))
        title = tr("First week, next to your usual post") if self._has_usual else _FIRST_WEEK
        self.title.setText(title)
        self.plot.setAccessibleName(title)
        names = [
            (day, str(day) if day else tr("Day {place}", place=day)) for day in range(0, _DAYS + 1, _STEP)
        ]
        self.plot.show_lines(strokes, Axis(_DAYS + 1, names), _summary(curve))

    def _tell(self, place: int | None) -> None:
        curve = self._curve
        if place is None or curve is None:
            return
        rows = [HoverRow(self._color, tr("This post"), _value(curve.own, place))]
        if self._has_usual:
            rows.append(HoverRow("text3", tr("Your usual post"), _value(curve.median, place)))
        self.plot.tell(tr("Day {place}", place=place), mid_sentence(tr("Views")), rows)


def _summary(curve: Curve) -> str:
    last = len(curve.own) - 1
    views = round(curve.own[last] or 0)
    own = trn("{n} view on day {day}.", "{n} views on day {day}.", views, n=number(views), day=last)
    usual = curve.median[last] if curve.posts > 1 else None
    if usual is None:
        return own
    compared = tr("Your usual post: {n}.", n=number(round(usual)))
    return f"{own} {compared}"


def _value(values: Values, place: int) -> str:
    value = values[place] if place < len(values) else None
    return count(None if value is None else round(value))
