"""An account's best times, computed from its metrics, with a button to use each."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import date, datetime
from functools import partial
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.aio import TaskScope
from app.desktop.theme.theme import grow
from app.desktop.widgets import Divider, ElidedLabel, IconLabel, Label, LinkButton
from app.desktop.widgets.screen_reader import announce
from app.desktop.words import clock, date_short, day
from app.language import number, tr, trn, weekday_name, weekday_short
from app.workspace.analytics.best_times import ENOUGH_POSTS, BestTime, BestTimes
from app.workspace.analytics.counts import Measure
from app.workspace.changes import Changes
from app.workspace.messages import Problem
from app.workspace.sync.status import SyncStatus

DAYS: Final = tuple(weekday_name(date.fromordinal(day)) for day in range(1, 8))  # the first was a Monday
LOADING: Final = tr("Analyzing your posts…")
_BASES: Final = {
    Measure.VIEWS: tr("by views, last sampled {day}"),
    Measure.LIKES: tr("by likes, last sampled {day}"),
    Measure.COMMENTS: tr("by comments, last sampled {day}"),
    Measure.SHARES: tr("by shares, last sampled {day}"),
}


def time_words(weekday: int, minute: int) -> str:
    """Return ``Tuesday 18:30``."""
    return f"{DAYS[weekday]} {minute // 60:02}:{minute % 60:02}"


def reason(time: BestTime, found: BestTimes) -> str:
    """Return why a time is good: ``1.9 times the usual, from 5 of your posts``."""
    times = time.typical / found.usual
    if times < 1.1:
        return tr("slightly above average, from {n} of your posts", n=time.posts)
    more = number(times, 1)
    return tr("{times} times the average, from {n} of your posts", times=more, n=time.posts)


def basis(found: BestTimes) -> str:
    """Return which metrics were compared, and their age; empty without any."""
    if found.measure is None or found.sampled_on is None:
        return ""
    return _BASES[found.measure].format(day=date_short(found.sampled_on))


def lack(found: BestTimes | None, platform: str) -> str:
    """Return why there are no best times; empty if there are some. None: no metrics yet."""
    known = found or BestTimes()
    if known.times:
        return ""
    if known.measure is None and known.unreported:
        return tr("No best times: {platform} doesn't report metrics.", platform=platform)
    if known.missing:
        return trn(
            "Best times need {enough} posts older than a week; {n} more to go.",
            "Best times need {enough} posts older than a week; {n} more to go.",
            known.missing,
            enough=ENOUGH_POSTS,
        )
    return tr("No hour of the week stands out among {n} posts.", n=known.posts)


def offline(asked: datetime | None) -> str:
    """Return the text for an unreachable service; ``asked`` is the time of the last metrics."""
    if asked is None:
        return tr("The service can't be reached. Best times will appear once it's back.")
    away = tr("The service can't be reached.")
    return f"{away} {_asked(asked)}"


def failed(problem: str, asked: datetime | None) -> str:
    """Return the text for metrics that failed to load."""
    return problem if asked is None else f"{problem} {_asked(asked)}"


def _asked(moment: datetime) -> str:
    return tr("Best times as of {day}, {time}.", day=day(moment), time=clock(moment))


_TIME_WIDTH = 76
Hour = tuple[int, int]
"""A weekday (0 is Monday) and an hour of the day."""


class Numbers(Protocol):
    """The metrics of posts, stored and requested."""

    async def refresh(self) -> None: ...

    async def refresh_when_due(self) -> None: ...

    async def asked_at(self) -> int: ...

    async def best_times(self, zone: ZoneInfo) -> dict[str, BestTimes]: ...


class NumbersKeeper(Protocol):
    """What this needs from a workspace."""

    @property
    def analytics(self) -> Numbers: ...

    @property
    def sync(self) -> SyncStatus: ...

    def listen(self, listener: Callable[[Changes], None]) -> Callable[[], None]: ...


class OwnNumbers(QObject):
    """Best times by account, from stored metrics. ``times`` is None until these are loaded."""

    changed = Signal()
    """The times, or what is to be said of them."""

    def __init__(self, owner: QObject, workspace: NumbersKeeper, zone: ZoneInfo) -> None:
        super().__init__(owner)
        self.times: Mapping[str, BestTimes] | None = None
        self.is_asking = False
        self._workspace, self._zone = workspace, zone
        self._asked_at = 0
        self._problem: Problem | None = None
        self._is_away = not workspace.sync.connected
        self._scope = TaskScope(self, self._report)
        stop = workspace.listen(self._changed)
        owner.destroyed.connect(lambda _object=None: stop())

    @property
    def is_loading(self) -> bool:
        """Whether the result is unknown but may arrive soon."""
        return self.times is None or (self.is_asking and not self._asked_at)

    @property
    def is_known(self) -> bool:
        """Whether the service has ever returned metrics, even if there were none."""
        return self._asked_at > 0

    @property
    def can_retry(self) -> bool:
        """Whether requesting again may help. It doesn't if the service has no metrics at all."""
        is_lacking = self._problem is not None and self._problem.kind == "not_found"
        return self._problem is not None and not (is_lacking or self._is_away or self.is_asking)

    def words(self) -> str:
        """The problem with the metrics; empty if there's none."""
        asked = datetime.fromtimestamp(self._asked_at / 1_000, self._zone) if self._asked_at else None
        if self._is_away:
            return offline(asked)
        return failed(self._problem.text, asked) if self._problem and not self.is_asking else ""

    def begin(self) -> None:
        """Load stored metrics, and request new ones if they're some hours old."""
        self._scope.start(self._begin())

    def retry(self) -> None:
        """Request metrics now."""
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
            self._problem = None
        except Problem as problem:
            self._problem = problem
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
        self._problem = problem
        self.changed.emit()


class Suggestions(QWidget):
    """The suggestions for an account. ``platform`` is its platform's name."""

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
        """The text shown instead of best times."""
        return self._note.text()

    def show_loading(self) -> None:
        """Show that nothing is known yet."""
        self._show_note(LOADING)
        self._show_rows(BestTimes())

    def show_for(self, found: BestTimes | None, posting: Collection[Hour]) -> None:
        """Show the suggestions; ``posting`` are the hours that already have a posting time."""
        self._show_note(lack(found, self._platform))
        self._show_rows(found or BestTimes())
        for row in self.rows:
            row.show_taken(taken=(row.time.weekday, row.time.hour) in posting)

    def _show_note(self, text: str) -> None:
        self._note.setText(text)
        self._note.setVisible(bool(text))
        self._head.setVisible(not text)

    def _show_rows(self, found: BestTimes) -> None:
        self._basis.setText(basis(found))
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
        """Use a time, and focus the next suggestion."""
        place = self.rows.index(row)
        left = [one for one in (*self.rows[place + 1 :], *self.rows[:place]) if not one.is_taken]
        if row.add.hasFocus():
            (left[0].add if left else row).setFocus(Qt.FocusReason.TabFocusReason)
        time = time_words(row.time.weekday, row.time.minute)
        announce(self, tr("{time} added to posting times", time=time))
        self.taken.emit(row.time)


class SuggestedTime(QWidget):
    """A time, the reason for it, and a button that uses it."""

    def __init__(self, time: BestTime, found: BestTimes) -> None:
        super().__init__()
        self.time = time
        self.is_taken = False
        day = time_words(time.weekday, time.minute)
        why = reason(time, found)
        self.add = LinkButton(tr("Add"))
        self.add.setAccessibleName(tr("Add {time}", time=day))
        self.add.setAccessibleDescription(f"{why}, {basis(found)}")
        self._check = IconLabel("check", "ok", 14, tr("{time} is already a posting time", time=day))
        self.setAccessibleName(f"{day}, {why}, {basis(found)}")
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
        """Show whether its hour has a posting time."""
        self.is_taken = taken
        self.add.setHidden(taken)
        self._check.setVisible(taken)
        # What has been taken is still read where the keyboard was when it was.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus if taken else Qt.FocusPolicy.NoFocus)
