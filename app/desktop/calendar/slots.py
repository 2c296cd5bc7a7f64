"""Weekly posting times on the days: which are free, where they are, and how posts get there.

Free slots are painted with the days. For the keyboard and screen readers each has a button below the view:
Tab reaches the first, arrows walk them. Without a screen reader there is one button until it has the focus.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from math import ceil

from PySide6.QtCore import QCoreApplication, QObject, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.desktop import words
from app.desktop.calendar import moves
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.placement import INSET, WIDEST_LANE, Box, DayLayout, FreeSlot
from app.desktop.calendar.planner import Planner
from app.desktop.calendar.view import CalendarView
from app.desktop.theme import icons, theme
from app.desktop.widgets.painting import draw_icon, rounded
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.clock import wall_clock
from app.workspace.messages import Message, MessageAction
from app.workspace.posts.planned import PlannedPost
from app.workspace.slots.gaps import next_slots
from app.workspace.slots.slots import next_free_slots, slot_times

_HEIGHT = 24
_GLYPH = 11
_GLYPH_PITCH = 15
_TIME_LEFT = 22
_TIME_ROOM = 64
_NARROWEST = 40


class FreeSlots:
    """Finds and paints the slots of days. ``only``: the accounts that are shown; empty for all."""

    def __init__(self, planner: Planner, days: LocalDays) -> None:
        self.only: Collection[str] = frozenset()
        self._planner = planner
        self._days = days

    def on_day(self, day: int, now: int) -> list[FreeSlot]:
        """The free slots of a day after an instant, those at the same time as one."""
        accounts = self._planner.accounts
        slots = [
            slot
            for slot in self._planner.slots.all()
            if slot.account_key in accounts and (not self.only or slot.account_key in self.only)
        ]
        if not slots:
            return []
        together: dict[int, tuple[str, ...]] = {}
        for time in slot_times(slots, self._days, self._days.day(day), self._planner.posts):
            if time.is_free and time.at > now:
                together[time.at] = (*together.get(time.at, ()), time.account_key)
        return [FreeSlot(at, self._days.place(at).minute, keys) for at, keys in together.items()]

    def placed(
        self, day: int, now: int, width: int, minute_height: float, layout: DayLayout
    ) -> list[tuple[Box, FreeSlot]]:
        """Where they stand in a day of the week; one that a card would cover is left out."""
        if width < _NARROWEST:
            return []
        found: list[tuple[Box, FreeSlot]] = []
        look = theme.current()
        room = min(look.grown(WIDEST_LANE), width - 2 * INSET)
        cards = [card.box for card in layout.cards] + ([layout.new.box] if layout.new else [])
        for slot in self.on_day(day, now):
            box = Box(INSET, round(slot.minute * minute_height), room, look.grown(_HEIGHT))
            if not any(box.intersects(other) for other in (*cards, *(before for before, _ in found))):
                found.append((box, slot))
        return found

    def paint(self, painter: QPainter, placed: Sequence[tuple[Box, FreeSlot]]) -> None:
        """Paints slots faintly: the time, and where there is room a plus and the platforms."""
        look = theme.current()
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # as time runs in the calendar
        painter.setFont(look.font("small"))
        for box, slot in placed:
            area = QRectF(*box)
            rounded(painter, area, look.metrics.radius_card, line="line", dashed=True)
            middle = area.center().y()
            clock = self._days.clock(slot.at)
            has_room = _TIME_LEFT + painter.fontMetrics().horizontalAdvance(clock) < area.width() - 1
            if has_room:
                draw_icon(painter, QRectF(area.x() + 7, middle - 5, 10, 10), "plus", "text3")
            painter.setPen(look.color("text3"))
            words = area.adjusted(_TIME_LEFT if has_room else 4, 0, 0, 0)
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, clock)
            self._paint_platforms(painter, area, slot)

    def _paint_platforms(self, painter: QPainter, area: QRectF, slot: FreeSlot) -> None:
        accounts = (self._planner.accounts.get(key) for key in slot.account_keys)
        platforms = list(dict.fromkeys(account.platform.value for account in accounts if account))
        room = int((area.width() - theme.current().grown(_TIME_ROOM)) // _GLYPH_PITCH)
        right = area.right() - 7
        for number, platform in enumerate(reversed(platforms[: max(0, room)])):
            name = f"brand:{platform}" if platform in icons.BRANDS else "hash"
            left = right - (number + 1) * _GLYPH_PITCH + _GLYPH_PITCH - _GLYPH
            draw_icon(painter, QRectF(left, ceil(area.center().y()) - 6, _GLYPH, _GLYPH), name, "text3")


_NO_SLOT = Message(
    "info",
    tr(
        "No free posting time. Add weekly posting times for the account; they appear "
        "in the week and day views."
    ),
    action=MessageAction(tr("Posting times"), "show_slots"),
)


class ToSlots(QObject):
    """Moves posts to slots, and begins new ones there."""

    begun = Signal(object, object)
    """A new post is wanted at a time (milliseconds since 1970 UTC) for accounts, by a tuple of their keys."""
    told = Signal(object)
    """A Message for the person."""

    def __init__(self, owner: QObject, planner: Planner, days: LocalDays) -> None:
        super().__init__(owner)
        self._planner = planner
        self._days = days

    def move(self, posts: Sequence[PlannedPost]) -> None:
        """Moves posts to the next free slots of their accounts, as one step."""
        cancelled = {post.key for post in moves.staying(posts)}
        posts = [post for post in posts if post.key not in cancelled] or posts  # they take no slots
        slots, timeline = self._planner.slots.all(), self._planner.posts
        times = next_slots(posts, slots, self._days, timeline, wall_clock())
        if len(times) < len(posts):
            self.told.emit(_NO_SLOT)
        if times:
            self._planner.move(times)

    def begin(self, accounts: Collection[str]) -> None:
        """Asks for a new post in the next free slot of accounts; of all where none are given."""
        slots, timeline = self._planner.slots.all(), self._planner.posts
        free = next_free_slots(slots, self._days, timeline, after=wall_clock(), accounts=accounts or None)
        if free:
            self.begun.emit(free[0].at, (free[0].account_key,))
        else:
            self.told.emit(_NO_SLOT)


_REST_MS = 100
"""So long the days stand still before the buttons follow: each of them costs a little to move."""
_FARTHEST_DAYS = 35
"""How far the next slot is looked for."""
_BY_TIME = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_BY_DAY = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_PRESSES = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)

FindAccount = Callable[[str], Account | None]


class SlotButtons(QObject):
    """The buttons of the slots that show. ``previous`` gives the widget that Tab comes from."""

    opened = Signal(object)
    """A FreeSlot that was pressed."""
    walked = Signal(int)
    """The day of the slot that the keyboard goes to, before it is scrolled into view."""

    def __init__(
        self, view: CalendarView, find_account: FindAccount, previous: Callable[[], QWidget]
    ) -> None:
        super().__init__(view)
        self._view = view
        self._find_account = find_account
        self._previous = previous
        self._days: tuple[int, ...] = ()
        self._shown: dict[FreeSlot, SlotButton] = {}
        self._spare: list[SlotButton] = []
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._follow)

    @property
    def shown(self) -> Mapping[FreeSlot, "SlotButton"]:
        """The buttons that there are now, by what they stand for."""
        return self._shown

    def show_for(self, days: Iterable[int]) -> None:
        """Follows the slots of days in a moment."""
        self._days = tuple(days)
        self._rest.start()

    def press(self, button: "SlotButton") -> None:
        """Begins a post in its slot."""
        self.opened.emit(button.slot)

    def step(self, button: "SlotButton", by: int) -> None:
        """Gives the focus to the next slot, or the one before."""
        self._go_to(self._next(button.day, button.slot, by))

    def step_days(self, button: "SlotButton", by: int) -> None:
        """Gives the focus to that slot of the next day with any which is nearest in time of day."""
        for day in self._ahead(button.day + by, by):
            if there := self._view.page.slots_on(day):
                self._go_to(min(((day, *one) for one in there), key=lambda one: _apart(one[2], button.slot)))
                return

    def pass_on(self, event: QKeyEvent) -> None:
        """Lets the days have a key."""
        QCoreApplication.sendEvent(self._view, event)

    def show_focus(self, button: "SlotButton | None") -> None:
        """Paints the ring around the slot of a button, or none, and has Tab come back to it."""
        self._view.ring.show(button.box if button is not None else None)
        if button is not None:
            self._view.ensure_visible(button.box)
            self._let_tab_stop_at(button)
            self._rest.start()

    def _next(self, day: int, slot: FreeSlot, by: int) -> tuple[int, Box, FreeSlot] | None:
        for there in self._ahead(day, by):
            found = [one for one in self._view.page.slots_on(there) if (one[1].at - slot.at) * by > 0]
            if found:
                return there, *min(found, key=lambda one: one[1].at * by)
        return None

    @staticmethod
    def _ahead(day: int, by: int) -> range:
        return range(day, day + by * _FARTHEST_DAYS, by)

    def _go_to(self, place: tuple[int, Box, FreeSlot] | None) -> None:
        if place is None:
            return
        day, box, slot = place
        self.walked.emit(day)
        self._view.ensure_visible(box)
        self._follow()
        if (button := self._shown.get(slot)) is not None:
            button.setFocus(Qt.FocusReason.TabFocusReason)

    def _follow(self) -> None:
        """Has a button for each slot that shows, or only for the first."""
        wanted = list(self._wanted())
        has_focus = any(button.hasFocus() for button in self._shown.values())
        if not (has_focus or QAccessible.isActive()):
            del wanted[1:]
        gone = self._shown.keys() - {slot for _, _, slot in wanted}
        lost_focus = any(self._shown[slot].hasFocus() for slot in gone)
        for day, box, slot in wanted:
            self._button(slot).show_slot(day, box, slot, self._name(day, slot), self._view)
        if lost_focus:
            self._view.setFocus()
        for slot in gone:
            self._put_away(self._shown.pop(slot))
        self._let_tab_stop_at(self._focused() or (self._shown[wanted[0][2]] if wanted else None))

    def _wanted(self) -> Iterable[tuple[int, Box, FreeSlot]]:
        """The slots that show, in the order of time; where none does, the first of the days that show."""
        page, shown = self._view.page, self._view.visible
        every = [(day, box, slot) for day in self._days for box, slot in page.slots_on(day)]
        every.sort(key=lambda one: one[2].at)
        return [one for one in every if one[1].intersects(shown)] or every[:1]

    def _button(self, slot: FreeSlot) -> "SlotButton":
        if slot not in self._shown:
            self._shown[slot] = self._spare.pop() if self._spare else self._make()
        return self._shown[slot]

    def _make(self) -> "SlotButton":
        button = SlotButton(self, self._view)
        last = next(reversed(self._shown.values()), None)
        QWidget.setTabOrder(last or self._previous(), button)
        return button

    def _put_away(self, button: "SlotButton") -> None:
        button.hide()
        self._spare.append(button)

    def _focused(self) -> "SlotButton | None":
        return next((button for button in self._shown.values() if button.hasFocus()), None)

    def _let_tab_stop_at(self, chosen: "SlotButton | None") -> None:
        """Tab stops at one of them; the others can have the focus all the same."""
        for button in self._shown.values():
            is_stop = button is chosen
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus if is_stop else Qt.FocusPolicy.ClickFocus)

    def _name(self, day: int, slot: FreeSlot) -> str:
        accounts = [account for key in slot.account_keys if (account := self._find_account(key))]
        whose = [
            tr("{account} on {platform}", account=one.name, platform=words.platform_name(one.platform.value))
            for one in accounts
        ]
        when = words.day_long(date.fromordinal(day))
        clock = self._view.page.days.clock(slot.at)
        return tr(
            "Free posting time, {day} {time}, {accounts}", day=when, time=clock, accounts=words.joined(whose)
        )


class SlotButton(QAbstractButton):
    """Lies where a free slot is painted, below the view."""

    def __init__(self, group: SlotButtons, view: CalendarView) -> None:
        super().__init__(view.parentWidget())
        self.day = 0
        self.box = Box(0, 0, 0, 0)
        self.slot = FreeSlot(0, 0, ())
        self._group = group
        self.setAccessibleDescription(tr("Press Enter to start a post there"))
        self.clicked.connect(lambda: group.press(self))
        self.lower()

    def show_slot(self, day: int, box: Box, slot: FreeSlot, name: str, view: CalendarView) -> None:
        """Stands for a slot, which is at a place of the canvas."""
        self.day, self.box, self.slot = day, box, slot
        self.setAccessibleName(name)
        self.setGeometry(view.on_viewport(box).translated(view.pos()))
        self.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows lead to other slots, Enter and Space begin a post; the rest is for the days."""
        key = Qt.Key(event.key())
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self._group.pass_on(event)
        elif key in _BY_TIME:
            self._group.step(self, _BY_TIME[key])
        elif key in _BY_DAY:
            self._group.step_days(self, _BY_DAY[key])
        elif key in _PRESSES:
            self.click()
        else:
            self._group.pass_on(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._group.show_focus(self)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._group.show_focus(None)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Nothing: the view does."""


def _apart(one: FreeSlot, other: FreeSlot) -> int:
    """How far two are from each other in minutes of the day."""
    return abs(one.minute - other.minute)
