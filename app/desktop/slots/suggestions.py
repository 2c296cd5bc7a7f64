"""The times at which an account did best, below those at which it posts; one press takes one over."""

from collections.abc import Collection
from datetime import date
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.slots import wording
from app.desktop.theme.growing import grow
from app.desktop.widgets import Divider, ElidedLabel, IconLabel, Label, LinkButton
from app.desktop.widgets.announcing import announce
from app.language import tr, weekday_short
from app.workspace.analytics.best_times import BestTime, BestTimes

_TIME_WIDTH = 76

Hour = tuple[int, int]
"""A weekday (0 is Monday) and an hour of the day."""


class Suggestions(QWidget):
    """Of one account. ``platform`` is what its platform is called."""

    taken = Signal(object)
    """The BestTime that shall be a posting time."""

    def __init__(self, platform: str) -> None:
        super().__init__()
        self._platform = platform
        self._found: BestTimes | None = None
        self._title = Label(tr("Best times"), "card", "text2", weight=QFont.Weight.Medium)
        self._basis, self._note = ElidedLabel("", "small", "text3"), Label("", "card", "text3", wrap=True)
        self.rows: list[SuggestedTime] = []
        self._head, self._lines = QWidget(), QVBoxLayout()
        head = QHBoxLayout(self._head)
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(8)
        head.addWidget(self._title)
        head.addWidget(self._basis, 1)
        self._lines.setSpacing(5)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 0)
        column.setSpacing(6)
        for part in (Divider(inner=True), self._head, self._note):
            column.addWidget(part)
        column.addLayout(self._lines)
        self.show_loading()

    def note(self) -> str:
        """What is said in place of best times."""
        return self._note.text()

    def show_loading(self) -> None:
        """Nothing is known yet."""
        self._show_note(wording.LOADING)
        self._show_rows(BestTimes())

    def show_for(self, found: BestTimes | None, posting: Collection[Hour]) -> None:
        """Shows what is known; ``posting`` are the hours that have a posting time already."""
        self._show_note(wording.lack(found, self._platform))
        self._show_rows(found or BestTimes())
        for row in self.rows:
            row.show_taken(taken=(row.time.weekday, row.time.hour) in posting)

    def _show_note(self, text: str) -> None:
        self._note.setText(text)
        self._note.setVisible(bool(text))
        self._head.setVisible(not text)

    def _show_rows(self, found: BestTimes) -> None:
        self._basis.setText(wording.basis(found))
        if found == self._found:
            return
        self._found = found
        for row in self.rows:
            self._lines.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = [SuggestedTime(time, found) for time in found.times]
        for row in self.rows:
            self._lines.addWidget(row)
            row.add.clicked.connect(partial(self._take, row))

    def _take(self, row: "SuggestedTime") -> None:
        """Takes a time over; the keyboard goes on to the next that can be."""
        place = self.rows.index(row)
        left = [one for one in (*self.rows[place + 1 :], *self.rows[:place]) if not one.is_taken]
        if row.add.hasFocus():
            (left[0].add if left else row).setFocus(Qt.FocusReason.TabFocusReason)
        time = wording.time_words(row.time.weekday, row.time.minute)
        announce(self, tr("{time} added to posting times", time=time))
        self.taken.emit(row.time)


class SuggestedTime(QWidget):
    """One time, why it is a good one, and the way to have it."""

    def __init__(self, time: BestTime, found: BestTimes) -> None:
        super().__init__()
        self.time = time
        self.is_taken = False
        day = wording.time_words(time.weekday, time.minute)
        why = wording.reason(time, found)
        self.add = LinkButton(tr("Add"))
        self.add.setAccessibleName(tr("Add {time}", time=day))
        self.add.setAccessibleDescription(f"{why}, {wording.basis(found)}")
        self._check = IconLabel("check", "ok", 14, tr("{time} is already a posting time", time=day))
        self.setAccessibleName(f"{day}, {why}, {wording.basis(found)}")
        short = weekday_short(date.fromordinal(1 + time.weekday))  # the first day of all was a Monday
        when = Label(f"{short} {day[-5:]}", "card", weight=QFont.Weight.Medium)
        grow(when, QWidget.setFixedWidth, _TIME_WIDTH)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(when)
        row.addWidget(ElidedLabel(why, "card", "text2"), 1)
        for end in (self.add, self._check):
            row.addWidget(end)
        self.show_taken(taken=False)

    def show_taken(self, *, taken: bool) -> None:
        """Says whether its hour has a posting time."""
        self.is_taken = taken
        self.add.setHidden(taken)
        self._check.setVisible(taken)
        # What has been taken is still read where the keyboard was when it was.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus if taken else Qt.FocusPolicy.NoFocus)
