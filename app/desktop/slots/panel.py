"""The panel that shows and edits the weekly posting times of every account."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from itertools import islice
from typing import Protocol
from zoneinfo import ZoneInfo

from PySide6.QtCore import QRectF, QSize, Qt, QTime, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.desktop.aio import TaskScope, report_to
from app.desktop.connections.connecting import connectable
from app.desktop.slots.best_times import DAYS, Numbers, OwnNumbers, Suggestions
from app.desktop.theme import icons, theme
from app.desktop.theme.theme import grow
from app.desktop.widgets import (
    ElidedLabel,
    IconButton,
    IconLabel,
    Label,
    LinkButton,
    Panel,
    SidePanel,
    StateStrip,
    TimeField,
    order_tabs,
    secondary,
)
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import insets, rounded, shows_focus
from app.desktop.words import platform_name
from app.language import tr, trn
from app.workspace.accounts.account import Account
from app.workspace.analytics.best_times import BestTime
from app.workspace.changes import Changes
from app.workspace.slots.slots import Slot
from app.workspace.sync.status import SyncStatus

_SIDE = 28
_WHY = tr(
    "When an account usually posts. Free times appear in the week and day views: "
    "click one to start a post, or press S to move selected posts to the next "
    "ones."
)
_NOBODY = tr("Connect an account first, then set its posting times here.")
_WORKDAYS = frozenset(range(5))
_USUAL = (9 * 60, 12 * 60, 17 * 60, 20 * 60)
_STEP = 30
_PORTION = 40
"""Accounts that show before more are asked for."""


class DayToggle(EnterPresses):
    """A weekday that can be switched on and off."""

    shows_name = True

    def __init__(self, day: int) -> None:
        super().__init__()
        self.setText(DAYS[day][0])
        self.setCheckable(True)
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
    """A time, seven days, and a button that removes it."""

    changed = Signal()
    removed = Signal()

    def __init__(self, minute: int) -> None:
        super().__init__()
        self.time = TimeField()
        self.time.setTime(QTime(minute // 60, minute % 60))
        self.time.setKeyboardTracking(False)
        grow(self.time, QWidget.setFixedWidth, 84)
        self.days = [DayToggle(day) for day in range(len(DAYS))]
        self.remove = IconButton("trash-2", "", size="small")
        self._name()
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

    def show_weekdays(self, weekdays: Collection[int]) -> None:
        """Select these days; 0 is Monday."""
        for day, toggle in enumerate(self.days):
            toggle.setChecked(day in weekdays)

    def sections(self) -> tuple[QWidget, ...]:
        """Return what Tab comes to, from left to right."""
        return self.time, *self.days, self.remove

    def weekdays(self) -> frozenset[int]:
        """The selected days; 0 is Monday."""
        return frozenset(day for day, toggle in enumerate(self.days) if toggle.isChecked())

    def _name(self) -> None:
        """Tell rows apart for screen readers."""
        clock = f"{self.minute() // 60:02}:{self.minute() % 60:02}"
        self.time.setAccessibleName(tr("Time, {time}", time=clock))
        for day, toggle in enumerate(self.days):
            toggle.setAccessibleName(tr("{weekday}, {time}", weekday=DAYS[day], time=clock))
        self.remove.set_name(tr("Remove {time}", time=clock))

    def _tell_time(self) -> None:
        if self.minute() != self._told:
            self._told = self.minute()
            self._name()
            self.changed.emit()


class SlotPlan(Protocol):
    """The posting times of all accounts."""

    def all(self) -> Iterable[Slot]: ...

    async def set(self, account_key: str, chosen: Iterable[Slot]) -> None: ...


class SlotKeeper(Protocol):
    """What the panel needs from a workspace."""

    @property
    def accounts(self) -> Mapping[str, Account]: ...

    @property
    def slots(self) -> SlotPlan: ...

    @property
    def analytics(self) -> Numbers: ...

    @property
    def sync(self) -> SyncStatus: ...

    def listen(self, listener: Callable[[Changes], None]) -> Callable[[], None]: ...


class SlotPanel(SidePanel):
    """A card for each account, with a row for each time of day; changes are saved immediately.

    Below the times are the account's best times, from its metrics; ``zone`` is the calendar's.
    """

    told = Signal(object)
    """A Message for the person."""

    def __init__(self, workspace: SlotKeeper, zone: ZoneInfo) -> None:
        super().__init__(tr("Posting times"))
        self._workspace = workspace
        self._scope = TaskScope(self, report_to(self.told.emit))
        self._why = Label(_WHY, "card", "text2", wrap=True)
        self._cards = QVBoxLayout()
        self._cards.setSpacing(10)
        self._by_account: dict[str, AccountSlots] = {}
        self._most = _PORTION
        self._more = secondary("", "chevron-down")
        self._more.clicked.connect(self._show_more)
        self._unkept: Counter[str] = Counter()
        """By account, how many changes are on their way; until then the lines are ahead of what is kept."""
        self.numbers, self.strip = OwnNumbers(self, workspace, zone), StateStrip()
        self.numbers.changed.connect(self._show_numbers)
        self.strip.acted.connect(self.numbers.retry)
        self.body.addWidget(self._why)
        self.body.addWidget(self.strip)
        self.body.addLayout(self._cards)
        self.body.addWidget(self._more)
        self.body.addStretch(1)
        self._fill()
        self.numbers.begin()
        stop = workspace.listen(self._changed)
        self.destroyed.connect(lambda _object=None: stop())

    def suggestions(self, account_key: str) -> Suggestions:
        """Return the suggestions of a listed account. Raises KeyError."""
        return self._by_account[account_key].suggestions

    def _changed(self, changes: Changes) -> None:
        if changes.accounts or changes.reset:
            self._fill()
        elif changes.slots:
            self._show_slots()

    def _fill(self) -> None:
        every = self._workspace.accounts.items()
        able = {key: account for key, account in every if account.platform in connectable()}
        accounts = dict(islice(able.items(), self._most))
        self._more.setText(trn("Show {n} more account", "Show {n} more accounts", len(able) - len(accounts)))
        self._more.setVisible(len(able) > len(accounts))
        for key in self._by_account.keys() - accounts.keys():
            gone = self._by_account.pop(key)
            self._cards.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        for key, account in accounts.items():
            if key not in self._by_account:
                self._by_account[key] = card = AccountSlots(account)
                card.changed.connect(partial(self._keep, key))
                self._cards.addWidget(card)
        self._why.setText(_WHY if accounts else _NOBODY)
        self._show_slots()

    def _show_more(self) -> None:
        before = set(self._by_account)
        self._most += _PORTION
        self._fill()
        first = next((card for key, card in self._by_account.items() if key not in before), None)
        if first is not None:
            first.add.setFocus()

    def _show_slots(self) -> None:
        slots: defaultdict[str, list[Slot]] = defaultdict(list)
        for slot in self._workspace.slots.all():
            slots[slot.account_key].append(slot)
        for key, card in self._by_account.items():
            if not self._unkept[key]:
                card.show_slots(slots[key])
        self._show_numbers()

    def _show_numbers(self) -> None:
        numbers = self.numbers
        self.strip.say(numbers.words() if self._by_account else "", can_act=numbers.can_retry)
        for key, card in self._by_account.items():
            card.suggestions.setVisible(numbers.is_loading or numbers.is_known)
            if numbers.is_loading or numbers.times is None:
                card.suggestions.show_loading()
            else:
                card.suggestions.show_for(numbers.times.get(key), card.hours())

    def _keep(self, key: str, times: Mapping[int, frozenset[int]]) -> None:
        self._show_numbers()
        slots = [Slot(key, day, minute) for minute, days in times.items() for day in days]
        self._unkept[key] += 1
        self._scope.start(self._set(key, slots))

    async def _set(self, key: str, slots: list[Slot]) -> None:
        try:
            await self._workspace.slots.set(key, slots)
        finally:
            self._unkept[key] -= 1


class AccountSlots(Panel):
    """The posting times of an account."""

    changed = Signal(object)
    """All of its times: the weekdays (0 is Monday) by the minute of the day."""

    def __init__(self, account: Account) -> None:
        super().__init__()
        self._account = account
        self._rows: list[TimeRow] = []
        named = platform_name(account.platform)
        self.setAccessibleName(
            tr("Posting times of {account} on {platform}", account=account.name, platform=named)
        )
        self.add = LinkButton(tr("Add a time"))
        self.add.setAccessibleName(
            tr("Add a time for {account} on {platform}", account=account.name, platform=named)
        )
        self.add.clicked.connect(self._add)
        head = QHBoxLayout()
        head.setSpacing(8)
        platform = account.platform.value
        head.addWidget(IconLabel(f"brand:{platform}" if platform in icons.BRANDS else "hash", "text2", 14))
        head.addWidget(ElidedLabel(account.name, weight=QFont.Weight.Medium), 1)
        head.addWidget(self.add)
        self._lines = QVBoxLayout()
        self._lines.setSpacing(6)
        self.suggestions = Suggestions(platform_name(platform))
        self.suggestions.taken.connect(self._take)
        column = QVBoxLayout(self)
        column.setContentsMargins(insets(14, 11, 10, 11))
        column.setSpacing(8)
        column.addLayout(head)
        column.addLayout(self._lines)
        column.addWidget(self.suggestions)

    def show_slots(self, slots: Iterable[Slot]) -> None:
        """Show these posting times."""
        times: dict[int, frozenset[int]] = {}
        for slot in slots:
            times[slot.minute] = times.get(slot.minute, frozenset()) | {slot.weekday}
        if times != self._times():
            self._show(times)

    def rows(self) -> list[TimeRow]:
        """The rows in chronological order."""
        return list(self._rows)

    def hours(self) -> frozenset[tuple[int, int]]:
        """The weekdays and hours with a posting time."""
        return frozenset((day, minute // 60) for minute, days in self._times().items() for day in days)

    def _take(self, time: BestTime) -> None:
        times = self._times()
        self._show({**times, time.minute: times.get(time.minute, frozenset()) | {time.weekday}})
        self._tell()

    def _show(self, times: Mapping[int, frozenset[int]]) -> None:
        """Show these times. Rows that stay keep the focus, a press, and what is being typed."""
        before = self._rows
        by_minute = {row.minute(): row for row in before}
        self._rows = [by_minute.get(minute) or self._new_row(minute) for minute in sorted(times)]
        for row in set(before) - set(self._rows):
            self._drop(row)
        for place, row in enumerate(self._rows):
            row.show_weekdays(times[row.minute()])
            if self._lines.indexOf(row) != place:
                self._lines.insertWidget(place, row)
        order_tabs(self.add, *(part for row in self._rows for part in row.sections()))

    def _new_row(self, minute: int) -> TimeRow:
        row = TimeRow(minute)
        row.changed.connect(self._tell)
        row.removed.connect(partial(self._remove, row))
        return row

    def _drop(self, row: TimeRow) -> None:
        self._lines.removeWidget(row)
        row.hide()
        row.deleteLater()

    def _times(self) -> dict[int, frozenset[int]]:
        """Return the posting times of the rows; rows with the same time are merged."""
        times: dict[int, frozenset[int]] = {}
        for row in self._rows:
            times[row.minute()] = times.get(row.minute(), frozenset()) | row.weekdays()
        return {minute: days for minute, days in times.items() if days}

    def _tell(self) -> None:
        self.changed.emit(self._times())

    def _add(self) -> None:
        times = self._times()
        every = range(8 * 60, 24 * 60, _STEP)
        free = next((minute for minute in (*_USUAL, *every) if minute not in times), 0)
        self._show({**times, free: _WORKDAYS})
        next(row for row in self._rows if row.minute() == free).time.setFocus()
        self._tell()

    def _remove(self, row: TimeRow) -> None:
        place = self._rows.index(row)
        self._rows.remove(row)
        self._drop(row)
        later = self._rows[place:] or self._rows[-1:]
        (later[0].time if later else self.add).setFocus()
        self._tell()
