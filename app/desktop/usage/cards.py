"""The cards of the pane: plan, storage, daily calls, actions, and an explanation."""

from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.charts.paint import PartsMeter, PeriodMeter
from app.desktop.theme import theme
from app.desktop.usage.actions import ActionsList, ActionsModel
from app.desktop.usage.charts import CallsChart, GrowthChart
from app.desktop.usage.wording import (
    action_rows,
    ends_words,
    long_day,
    low_words,
    plan_name,
    short_day,
    status_words,
    subscription_words,
)
from app.desktop.widgets import (
    Chip,
    Divider,
    ElidedLabel,
    FlowLayout,
    IconLabel,
    Label,
    Panel,
    Reflow,
    Tag,
    clear,
    ends_of,
    line_of,
)
from app.desktop.widgets.painting import insets, rounded
from app.desktop.words import month_year, status_detail
from app.language import data_size, month_name, number, percent, tr, trc, trn
from app.workspace.usage import Overview, full_at

_INSET: Final = 16
_NOT_YET: Final = tr("Daily figures appear after Kalends has read the counters for a day or two.")
_SPREAD: Final = tr("Kalends adds this up from the service's counters.")
_COUNTS: Final = (
    ("check", tr("Includes every API key of this account: other apps and background sync, too.")),
    (
        "refresh-cw",
        tr("Retries count as calls, even if the post already exists."),
    ),
    ("gauge", tr("Limits appear where the service reports them.")),
    ("image", tr("The breakdown counts the files Kalends knows. The total comes from the service.")),
)


class PlanCard(Panel):
    """The plan, its status, and the rest of the period."""

    def __init__(self) -> None:
        super().__init__()
        self.name, self.status = ElidedLabel("", "title"), Tag("")
        self.ends, self.left = Label("", "card", "text2"), Label("", "card", "text2")
        self.bar = PeriodMeter()
        self.begins, self.again = Label("", "small", "text3"), Label("", "small", "text3")
        self.advice = Label("", "card", "warn", wrap=True)
        self.setAccessibleName(trc("of a subscription", "Plan"))
        column = _column(self)
        column.setSpacing(12)
        column.addWidget(Label(trc("of a subscription", "Plan"), "strong"))
        column.addLayout(_row(self.name, self.status, stretch_at=2))
        column.addWidget(self.advice)
        column.addSpacing(6)
        column.addWidget(ends_of(self.ends, self.left))
        column.addWidget(self.bar)
        column.addLayout(_row(self.begins, None, self.again))
        column.addStretch(1)

    def show_for(self, seen: Overview, zone: ZoneInfo) -> None:
        usage = seen.told.usage
        word, tone = status_words(usage.status)
        self.name.setText(plan_name(usage.plan))
        self.status.set_text(word)
        self.status.set_tone(tone)
        self.status.setToolTip("" if usage.status.is_known else status_detail(usage.status.value))
        self.advice.setText(subscription_words(usage.status))
        self.advice.setVisible(bool(self.advice.text()))
        self._show_end(usage.current_period_end, seen.today, zone)
        self._show_period(seen.period, seen.today)

    def _show_end(self, ends: datetime | None, today: date, zone: ZoneInfo) -> None:
        if ends is None:
            self.ends.setText(tr("Counted by month"))
            self.left.setText("")
            return
        last = (ends.astimezone(zone) - timedelta(milliseconds=1)).date()
        self.ends.setText(tr("Period ends {day}", day=long_day(last)))
        self.left.setText(ends_words(last, today))

    def _show_period(self, period: tuple[date, date] | None, today: date) -> None:
        for widget in (self.bar, self.begins, self.again):
            widget.setVisible(period is not None)
        if period is None:
            return
        first, last = period
        length = (last - first).days + 1
        self.bar.set_share(((today - first).days + 0.5) / length)
        self.begins.setText(short_day(first))
        self.again.setText(tr("until {day}", day=short_day(last)))


class StorageCard(Panel):
    """The used storage by type, and when it will be full."""

    def __init__(self) -> None:
        super().__init__()
        self.used, self.cap = Label("", "title"), Label("", "card", "text3")
        self.share, self.free = Label("", "card", "text2"), Label("", "card", "text2", wrap=True)
        self.bar, self.legend = PartsMeter(), _Legend()
        self.title, self.pace = Label("", "strong"), Label("", "card", "text3")
        self.chart = GrowthChart()
        self.outlook, self._line = QWidget(), Divider(Qt.Orientation.Vertical, inner=True)
        self._lay_out()

    def show_for(self, seen: Overview, waiting: int, waiting_bytes: int) -> None:
        """``waiting``: the number and total size of unfinished uploads."""
        storage = seen.told.usage.storage
        used, cap = max(0, storage.used_bytes), max(0, storage.cap_bytes)
        share = used / cap if cap else 1.0
        tone = "bad" if share >= 1 else "warn" if share >= 0.9 else "text"
        self.used.setText(data_size(used))
        self.used.set_tone(tone)
        self.cap.setText(tr("of {size}", size=data_size(cap)))
        self.share.setText(tr("{percent} used", percent=_percent(share)))
        self._show_parts(seen, used, cap)
        self.free.setText(_free_words(max(0, cap - used), waiting, waiting_bytes))
        self.free.set_tone("warn" if waiting_bytes > max(0, cap - used) else "text2")
        self.setAccessibleName(tr("Storage: {used} {of}", used=self.used.text(), of=self.cap.text()))
        self._show_outlook(seen)

    def _show_parts(self, seen: Overview, used: int, cap: int) -> None:
        videos = min(seen.videos, used)
        images = min(seen.images, used - videos)
        known = ((tr("Videos"), videos, "text2"), (tr("Images"), images, "data3"))
        parts = [part for part in (*known, (tr("Other"), used - videos - images, "data2")) if part[1] > 0]
        if not videos and not images:
            parts = [(tr("Stored"), used, "text2")] if used else []
        self.bar.show_parts([(size / max(1, cap, used), ink) for _name, size, ink in parts])
        largest = max((size for _name, size, _ink in parts), default=0)
        self.legend.show_parts([(f"{name} ", data_size(size, largest), ink) for name, size, ink in parts])
        self.legend.setVisible(bool(parts))

    def _show_outlook(self, seen: Overview) -> None:
        grows = seen.growth
        self.outlook.setVisible(grows is not None)
        self._line.setVisible(grows is not None)
        if grows is None:
            return
        month = data_size(abs(round(grows.bytes_a_month)))
        hardly = abs(grows.bytes_a_month) < max(1, seen.told.usage.storage.cap_bytes) / 1_000
        sign = "−" if grows.bytes_a_month < 0 else "+"  # noqa: RUF001  a true minus
        self.pace.setText("" if hardly else tr("{size} per month", size=sign + month))
        self.title.setText(_outlook_words(grows.full_on, seen.today, is_steady=hardly))
        self.chart.show_growth(seen.stored, seen.told.usage.storage.cap_bytes, full_at(seen))
        self.chart.setAccessibleDescription(f"{self.title.text()}. {self.pace.text()}")

    def _lay_out(self) -> None:
        room = QWidget()
        left, right = QVBoxLayout(room), QVBoxLayout(self.outlook)
        left.setContentsMargins(_INSET, 12, _INSET, 14)
        left.setSpacing(12)
        left.addWidget(Label(tr("Storage"), "strong"))
        left.addWidget(ends_of(line_of(self.used, self.cap), self.share))
        left.addWidget(self.bar)
        left.addWidget(self.legend)
        left.addWidget(self.free)
        left.addStretch(1)
        right.setContentsMargins(_INSET, 12, _INSET, 10)
        right.setSpacing(6)
        right.addWidget(ends_of(self.title, self.pace))
        right.addWidget(self.chart, 1)
        both = Reflow((11, 0, 9), gap=0)
        for place, part in enumerate((room, self._line, self.outlook)):
            both.add(part, 0, place)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(both)


class CallsCard(Panel):
    """The calls of each day, and a forecast."""

    def __init__(self) -> None:
        super().__init__()
        self.total, self.chart = Label("", "card", "text3"), CallsChart()
        self.not_yet = Label(_NOT_YET, "card", "text3", wrap=True)
        self.not_yet.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeading)
        self.at_end = Label("", "card", "text2", wrap=True)
        self.note = Label(_SPREAD, "small", "text3", wrap=True)
        self.setAccessibleName(tr("Calls per day"))
        column = _column(self)
        column.setSpacing(6)
        column.addLayout(_row(Label(tr("Calls per day"), "strong"), self.total, None))
        column.addWidget(self.chart, 1)
        column.addWidget(self.not_yet, 1)
        column.addWidget(self.at_end)
        column.addWidget(self.note)

    def show_for(self, seen: Overview) -> None:
        is_known = sum(day.calls is not None for day in seen.days) > 1
        self.total.setText(tr("{calls} in this period", calls=number(seen.calls)))
        self.chart.setVisible(is_known)
        self.note.setVisible(is_known)
        self.not_yet.setVisible(not is_known)
        if is_known:
            known = [place for place, day in enumerate(seen.days) if day.calls is not None]
            shown = seen.days if seen.period else seen.days[known[0] :]
            self.chart.show_days(shown, seen.period[1] if seen.period else None)
        self.at_end.setVisible(seen.at_end is not None)
        if seen.at_end is not None and seen.period is not None:
            self.at_end.setText(
                tr(
                    "About {at_end} by {day}, at last week's pace.",
                    at_end=number(seen.at_end),
                    day=short_day(seen.period[1]),
                )
            )


class ActionsCard(Panel):
    """The counted actions."""

    def __init__(self) -> None:
        super().__init__()
        self.model = ActionsModel()
        self.list = ActionsList(self.model)
        self.low = Chip("", "triangle-alert", checkable=False, tone="warn")
        self.low.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.low.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.nothing = Label(tr("No actions in this period yet."), "card", "text3")
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 9, 1, 8)
        column.setSpacing(2)
        title = line_of(Label(tr("Actions in this period"), "strong"), least=theme.current().metrics.chip)
        head = ends_of(title, self.low)
        head.setContentsMargins(_INSET, 0, _INSET, 0)
        column.addWidget(head)
        column.addWidget(self.list, 1)
        column.addWidget(self.nothing, 1, Qt.AlignmentFlag.AlignCenter)

    def show_for(self, seen: Overview) -> None:
        rows = action_rows(seen.told.usage.actions, seen.told.quotas)
        self.model.show(rows)
        self.list.setVisible(bool(rows))
        self.nothing.setVisible(not rows)
        self.low.setText(low_words(rows))
        self.low.updateGeometry()
        self.low.setVisible(bool(self.low.text()))


class CountsCard(Panel):
    """Explains the numbers."""

    def __init__(self) -> None:
        super().__init__()
        column = _column(self)
        column.addWidget(Label(tr("What's counted"), "strong"))
        for icon, text in _COUNTS:
            row = QHBoxLayout()
            row.setSpacing(9)
            row.addWidget(IconLabel(icon, "text3", 14), 0, Qt.AlignmentFlag.AlignTop)
            row.addWidget(Label(text, "card", "text2", wrap=True), 1)
            column.addLayout(row)
        column.addStretch(1)


class _Legend(QWidget):
    """A coloured square, a name and a size."""

    def __init__(self) -> None:
        super().__init__()
        self._row = FlowLayout(self, 12, 4)

    def show_parts(self, parts: list[tuple[str, str, str]]) -> None:
        clear(self._row)
        for name, size, ink in parts:
            self._row.addWidget(_Part(name, size, ink))


class _Part(QWidget):
    def __init__(self, name: str, size: str, ink: str) -> None:
        super().__init__()
        self._ink = ink
        row = QHBoxLayout(self)
        row.setContentsMargins(insets(14, 0, 0, 0))
        row.setSpacing(4)
        row.addWidget(Label(name.strip(), "card", "text2"))
        row.addWidget(Label(size, "clock", weight=QFont.Weight.Medium))

    def paintEvent(self, _event: QPaintEvent) -> None:
        left = self.width() - 8 if self.layoutDirection() is Qt.LayoutDirection.RightToLeft else 0
        rounded(QPainter(self), QRectF(left, self.height() / 2 - 4, 8, 8), 2, fill=self._ink)


def _column(panel: Panel) -> QVBoxLayout:
    column = QVBoxLayout(panel)
    column.setContentsMargins(_INSET, 12, _INSET, 14)
    column.setSpacing(10)
    return column


def _row(*parts: QWidget | None, stretch_at: int = -1) -> QHBoxLayout:
    """Lay out widgets in a row; the named one, if any, takes the remaining space."""
    row = QHBoxLayout()
    row.setSpacing(8)
    for part in parts:
        if part is None:
            row.addStretch(1)
        else:
            row.addWidget(part)
    if stretch_at >= 0:
        row.addStretch(1)
    return row


def _percent(share: float) -> str:
    return tr("under {percent}", percent=percent(1)) if 0 < share < 0.01 else percent(round(share * 100))


def _free_words(free: int, waiting: int, waiting_bytes: int) -> str:
    room = (
        tr("{size} free.", size=data_size(free))
        if free
        else tr("Storage is full. Delete files to free up space.")
    )
    if not waiting:
        return room
    need = trn(
        "{n} upload in progress needs {size}.",
        "{n} uploads in progress need {size}.",
        waiting,
        size=data_size(waiting_bytes),
    )
    return f"{room} {need}"


def _outlook_words(full_on: date | None, today: date, *, is_steady: bool) -> str:
    if full_on is None:
        return tr("Hardly any change") if is_steady else tr("Won't fill up within two years")
    if (full_on - today).days < 45:
        return tr("Full on {day} at this pace", day=short_day(full_on))
    month = month_name(full_on) if full_on.year == today.year else month_year(full_on)
    return tr("Full in {month} at this pace", month=month)
