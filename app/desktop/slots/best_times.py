"""The times at which an account did best: their numbers, requested on demand; one press to use them."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import date, datetime
from functools import partial
from typing import Protocol
from zoneinfo import ZoneInfo

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.aio import TaskScope
from app.desktop.slots import wording
from app.desktop.theme.theme import grow
from app.desktop.widgets import Divider, ElidedLabel, IconLabel, Label, LinkButton
from app.desktop.widgets.screen_reader import announce
from app.language import tr, weekday_short
from app.workspace.analytics.best_times import BestTime, BestTimes
from app.workspace.changes import Changes
from app.workspace.messages import Problem
from app.workspace.sync.status import SyncStatus

_TIME_WIDTH = 76
Hour = tuple[int, int]
"""A weekday (0 is Monday) and an hour of the day."""


class Numbers(Protocol):
    """What was counted of posts, kept and asked for."""

    async def refresh(self) -> None: ...

    async def refresh_when_due(self) -> None: ...

    async def asked_at(self) -> int: ...

    async def best_times(self, zone: ZoneInfo) -> dict[str, BestTimes]: ...


class NumbersKeeper(Protocol):
    """What this needs of a workspace."""

    @property
    def analytics(self) -> Numbers: ...

    @property
    def sync(self) -> SyncStatus: ...

    def listen(self, listener: Callable[[Changes], None]) -> Callable[[], None]: ...


class OwnNumbers(QObject):
    """``times`` by account, as of what is kept; None until that was read."""

    changed = Signal()
    """The times, or what is to be said of them."""

    def __init__(self, owner: QObject, workspace: NumbersKeeper, zone: ZoneInfo) -> None:
        super().__init__(owner)
        self.times: Mapping[str, BestTimes] | None = None
        self.is_asking = False
        self._workspace, self._zone = workspace, zone
        self._asked_at = 0
        self._problem = ""
        self._is_away = not workspace.sync.connected
        self._scope = TaskScope(self, self._report)
        stop = workspace.listen(self._changed)
        owner.destroyed.connect(lambda _object=None: stop())

    @property
    def is_loading(self) -> bool:
        """Whether nothing is known yet, and that may change in a moment."""
        return self.times is None or (self.is_asking and not self._asked_at)

    @property
    def is_known(self) -> bool:
        """Whether the service ever told any numbers, if only that there are none."""
        return self._asked_at > 0

    @property
    def can_retry(self) -> bool:
        """Whether asking once more makes sense."""
        return bool(self._problem) and not self._is_away and not self.is_asking

    def words(self) -> str:
        """What is not as it should be; empty while all is."""
        asked = datetime.fromtimestamp(self._asked_at / 1_000, self._zone) if self._asked_at else None
        if self._is_away:
            return wording.offline(asked)
        return wording.failed(self._problem, asked) if self._problem and not self.is_asking else ""

    def begin(self) -> None:
        """Reads what is kept, and asks the service when that was some hours ago."""
        self._scope.start(self._begin())

    def retry(self) -> None:
        """Asks the service whenever that was done last."""
        if not self.is_asking:
            self._scope.start(self._ask(self._workspace.analytics.refresh))

    async def _begin(self) -> None:
        if self._is_away:
            await self._read()
        else:
            await self._ask(self._workspace.analytics.refresh_when_due)

    async def _ask(self, ask: Callable[[], Awaitable[None]]) -> None:
        self.is_asking = True
        await self._read()
        try:
            await ask()
            self._problem = ""
        except Problem as problem:
            self._problem = problem.text
        finally:
            self.is_asking = False
        await self._read()

    async def _read(self) -> None:
        analytics = self._workspace.analytics
        self._asked_at = await analytics.asked_at()
        self.times = await analytics.best_times(self._zone)
        self.changed.emit()

    def _changed(self, changes: Changes) -> None:
        if changes.sync:
            was_away, self._is_away = self._is_away, not self._workspace.sync.connected
            if was_away and not self._is_away:
                self.begin()
            elif was_away != self._is_away:
                self.changed.emit()
        if changes.metrics and not self.is_asking:
            self._scope.start(self._read())

    def _report(self, problem: Problem) -> None:
        self._problem = problem.text
        self.changed.emit()


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
