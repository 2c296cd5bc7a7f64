"""A drag in progress: what was grabbed, where it is, and what a drop would do."""

from PySide6.QtCore import QPoint, QRect

from app.desktop.calendar import moves
from app.desktop.calendar.day_names import day_name
from app.desktop.calendar.ghost import Ghost
from app.desktop.calendar.moves import Target
from app.desktop.calendar.page import Page
from app.desktop.calendar.planner import Planner
from app.language import tr, trn
from app.workspace.posts.planned import PlannedPost

_BELOW_LINE = 6
"""In the week the ghost hangs so far below the line of its time."""


class Drag:
    """State of one drag. Positions are viewport coordinates unless they are said to be the canvas's."""

    def __init__(
        self, page: Page, posts: list[PlannedPost], grip: QPoint, ghost: Ghost, card_size: tuple[int, int]
    ) -> None:
        """``posts`` begins with the grabbed one; ``grip`` is where in its card it is held."""
        self.page = page
        self.posts = posts
        self.grip = grip
        self.ghost = ghost
        self.card_size = card_size
        self.pointer = QPoint()
        self.target: Target | None = None
        self.landings: moves.Landings = {}
        self.times: dict[str, int] = {}
        self.refusal: str | None = None
        self.tip = ""
        self.minute: int | None = None
        """Of the day, where hours show: what the clock says when the grabbed one would land."""
        self._scroll = 0, 0
        self._clock_before = self._shown_clock = self._clock(self.grabbed.at)

    @property
    def grabbed(self) -> PlannedPost:
        """The post under the pointer when the drag began."""
        return self.posts[0]

    def turn_to(self, page: Page) -> None:
        """Goes on over another page; where it would land is found out at the next move."""
        self.page = page
        self._aim(None)

    def scroll_to(self, corner: QPoint) -> None:
        """Another point of the canvas is at the viewport's corner."""
        self._scroll = corner.x(), corner.y()

    def move(
        self,
        pointer: QPoint,
        planner: Planner,
        *,
        inside: bool = True,
        fine: bool = False,
        keep_time: bool = False,
    ) -> None:
        """Takes the drag to a point and works out what a drop there would do; not ``inside``, nothing."""
        self.pointer = pointer
        x, y = self._scroll
        y += self.page.time_height(pointer.y(), self.grip.y())
        target = self.page.target(pointer.x() + x, y, fine=fine, keep_time=keep_time) if inside else None
        if target == self.target:
            return
        self._aim(target)
        self.refusal = self._refused(planner)
        self._show_time()
        self.tip = "\n".join(filter(None, (self._words(), self._remark())))

    def _aim(self, target: Target | None) -> None:
        self.target = target
        self.landings = self.page.moves(self.posts, self.grabbed, target) if target else {}
        self.times = moves.times(self.landings)
        self.refusal, self.tip = None, ""
        shows_minute = target is not None and target.minute is not None
        self.minute = self.page.days.place(self.times[self.grabbed.key]).minute if shows_minute else None

    def _show_time(self) -> None:
        """The ghost tells the time that the post would have."""
        clock = self._clock(self.times.get(self.grabbed.key, self.grabbed.at))
        if clock != self._shown_clock:
            self._shown_clock = clock
            self.ghost.tell(clock)

    @property
    def is_worth_dropping(self) -> bool:
        """Whether a drop would change anything and be accepted."""
        return self.refusal is None and any(
            self.times[post.key] != post.at for post in self.posts if self.times
        )

    def ghost_rect(self) -> QRect:
        """Where the grabbed card's picture is."""
        return QRect(*self.ghost_corner(), *self.card_size)

    def ghost_corner(self) -> tuple[int, int]:
        """Where the grabbed card's picture begins."""
        x, y = self.pointer.x() - self.grip.x(), self.pointer.y() - self.grip.y()
        snapped = self.page.line_height(self.target)
        return x, y if snapped is None else snapped - self._scroll[1] + _BELOW_LINE

    def _refused(self, planner: Planner) -> str | None:
        return None if self.target is None else moves.refusal(planner, self.posts, self.times)

    def _words(self) -> str:
        if self.target is None:
            return ""
        if self.refusal is not None:
            return self.refusal
        on = day_name(self.target.day)
        count = len(self.posts)
        if self.target.minute is None:
            kept = tr("times kept") if count > 1 else tr("{time} kept", time=self._clock_before)
            told = f"{on} · {kept}"
        else:
            told = f"{self._clock_before} → {self._shown_clock} · {on}"
        return " · ".join((trn("{n} post", "{n} posts", count), told)) if count > 1 else told

    def _remark(self) -> str | None:
        """Which posts stay behind, or what a clock change does to the first post that it touches."""
        if self.refusal is not None or self.target is None:
            return None
        if left := len(moves.staying(self.posts)):
            return trn("{n} cancelled post won't move", "{n} cancelled posts won't move", left)
        remarks = (moves.remark(self.page.days, landing) for landing in self.landings.values())
        return next((remark for remark in remarks if remark), None)

    def _clock(self, at: int) -> str:
        return self.page.days.clock(at)
