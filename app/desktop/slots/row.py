"""One time of day with the days of the week on which it counts."""

from collections.abc import Iterable

from PySide6.QtCore import QRectF, QSize, Qt, QTime, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.desktop.slots.wording import DAYS
from app.desktop.theme import theme
from app.desktop.theme.growing import grow
from app.desktop.widgets import IconButton, TimeField
from app.desktop.widgets.enter import EnterPresses
from app.desktop.widgets.painting import rounded, shows_focus
from app.language import tr

_SIDE = 28


class DayToggle(EnterPresses):
    """A weekday that is in or out."""

    def __init__(self, day: int, *, chosen: bool) -> None:
        super().__init__()
        self.setText(DAYS[day][0])
        self.setAccessibleName(DAYS[day])
        self.setToolTip(DAYS[day])
        self.setCheckable(True)
        self.setChecked(chosen)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.notifier().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(_SIDE, _SIDE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        look, painter = theme.current(), QPainter(self)
        chosen, ring = self.isChecked(), shows_focus(self)
        fill = "accent_soft" if chosen else "sunken" if self.underMouse() else "surface"
        line = "accent" if chosen or ring else "line"
        area = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        rounded(painter, area, area.height() / 2, fill=fill, line=line, width=2 if ring else 1)
        painter.setFont(look.font("small", QFont.Weight.Medium))
        painter.setPen(look.color("accent" if chosen else "text3"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())


class TimeRow(QWidget):
    """A time, seven days, and the way to be rid of it."""

    changed = Signal()
    removed = Signal()

    def __init__(self, minute: int, weekdays: Iterable[int]) -> None:
        super().__init__()
        chosen = frozenset(weekdays)
        self.time = TimeField()
        self.time.setTime(QTime(minute // 60, minute % 60))
        self.time.setAccessibleName(tr("Time"))
        self.time.setKeyboardTracking(False)
        grow(self.time, QWidget.setFixedWidth, 84)
        self.days = [DayToggle(day, chosen=day in chosen) for day in range(len(DAYS))]
        clock = f"{minute // 60:02}:{minute % 60:02}"
        self.remove = IconButton("trash-2", tr("Remove {time}", time=clock), size="small")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(3)
        row.addWidget(self.time)
        row.addSpacing(5)
        for day in self.days:
            row.addWidget(day)
            day.clicked.connect(self.changed)
        row.addStretch(1)
        row.addWidget(self.remove)
        self.time.editingFinished.connect(self._tell_time)
        self._told = minute
        self.remove.clicked.connect(self.removed)

    def minute(self) -> int:
        """The time, in minutes of the day."""
        return self.time.time().hour() * 60 + self.time.time().minute()

    def weekdays(self) -> frozenset[int]:
        """The days on which it counts; 0 is Monday."""
        return frozenset(day for day, toggle in enumerate(self.days) if toggle.isChecked())

    def _tell_time(self) -> None:
        if self.minute() != self._told:
            self._told = self.minute()
            self.changed.emit()
