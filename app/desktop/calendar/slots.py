"""Weekly posting times on the days: finds and paints the free ones, also those for existing posts."""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from math import ceil

from PySide6.QtCore import QObject, QRectF, Qt, Signal
from PySide6.QtGui import QPainter

from app.desktop.calendar import moves
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.placement import INSET, WIDEST_LANE, Box, DayLayout, FreeSlot
from app.desktop.calendar.planner import Planner
from app.desktop.theme import icons, theme
from app.desktop.widgets.painting import draw_icon, rounded
from app.language import tr
from app.workspace.clock import wall_clock
from app.workspace.messages import Message, MessageAction
from app.workspace.posts.planned import PlannedPost
from app.workspace.slots.slots import next_free_slots, next_slots, slot_times

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
        """Return the free slots of a day after an instant, merging those at the same time."""
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
        """Return the slots of a day and their places; one that a card would cover is left out."""
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
        """Paint slots faintly: the time, and if they fit, a plus and the platforms."""
        look = theme.current()
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # as time runs in the calendar
        painter.setFont(look.font("figures"))
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
    """Finds slots for posts, and starts new ones there."""

    begun = Signal(object, object)
    """The user wants a new post at a time (ms since 1970 UTC) for accounts, a tuple of keys."""
    told = Signal(object)
    """A Message for the user."""

    def __init__(
        self,
        owner: QObject,
        planner: Planner,
        days: LocalDays,
        lead: Callable[[PlannedPost], PlannedPost],
    ) -> None:
        """``lead`` returns the first post of the card that shows a post."""
        super().__init__(owner)
        self._planner = planner
        self._days = days
        self._lead = lead

    def times(self, posts: Sequence[PlannedPost]) -> dict[str, int]:
        """Return the next free slots of posts on their accounts, in ms by key; posts of one card share one.

        A message says so if there are too few.
        """
        cancelled = {post.key for post in moves.staying(posts)}
        posts = [post for post in posts if post.key not in cancelled] or posts  # they don't occupy slots
        slots, timeline = self._planner.slots.all(), self._planner.posts
        cards: defaultdict[str, list[PlannedPost]] = defaultdict(list)
        for post in posts:
            cards[self._lead(post).key].append(post)
        times = next_slots(cards.values(), slots, self._days, timeline, wall_clock())
        if len(times) < len(posts):
            self.told.emit(_NO_SLOT)
        return times

    def begin(self, accounts: Collection[str]) -> None:
        """Request a new post in the next free slot of accounts, or of all if none are given."""
        slots, timeline = self._planner.slots.all(), self._planner.posts
        free = next_free_slots(slots, self._days, timeline, after=wall_clock(), accounts=accounts or None)
        if free:
            self.begun.emit(free[0].at, (free[0].account_key,))
        else:
            self.told.emit(_NO_SLOT)
