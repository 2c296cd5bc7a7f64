"""Frame times while something moves in the window, over a calendar with many posts."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.contract.enums import PostStatus
from app.desktop import motion
from app.desktop.calendar.days import Span
from app.desktop.shell.window import MainWindow
from app.desktop.widgets import Button, Label, MessageStrip, Sheet, SidePanel
from app.workspace.messages import Message
from app.workspace.posts.planned import PlannedPost
from tests.benchmarks.calendar.hand import Hand
from tests.benchmarks.samples import milliseconds, percentile

_LEFT: Final = Qt.MouseButton.LeftButton
_NO_KEY: Final = Qt.KeyboardModifier.NoModifier
_GRIP: Final = QPoint(9, 9)
_DAY_MS: Final = 86_400_000
_PERIODS: Final = 20
"""Number of periods with a scheduled post, however few posts there are."""
_LINES: Final = 20
"""Lines of text in a panel."""


class _Paints(QObject):
    """Counts paint events."""

    def __init__(self, app: QApplication) -> None:
        super().__init__()
        self.count = 0
        app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        del watched
        self.count += event.type() is QEvent.Type.Paint
        return False


@dataclass(frozen=True, slots=True)
class Frames:
    """Measures the frames of each motion, from the start of a tick until the screen has them."""

    hand: Hand
    window: MainWindow

    def measure(self) -> dict[str, float]:
        """Return the 95th percentile of each motion's frames, and of the first frames, in ms."""
        found: dict[str, list[float]] = {}
        firsts: list[float] = []
        with _counting(self.hand.app) as paints:
            for _ in range(self.hand.amount.motions):
                for name, begin in self._motions():
                    first, frames = self._played(name, begin, paints)
                    firsts.append(first)
                    found.setdefault(name, []).extend(frames)
        figures = {f"motion_{name}_ms_p95": percentile(frames, 0.95) for name, frames in found.items()}
        return {**figures, "motion_begin_ms_p95": percentile(firsts, 0.95)}

    def _played(self, name: str, begin: Callable[[], object], paints: _Paints) -> tuple[float, list[float]]:
        """Return how long the first frame of a motion takes, and each further frame, in ms."""
        app = self.hand.app

        def show() -> None:
            app.processEvents()
            app.sync()

        def begin_and_show() -> None:
            begin()
            if not motion.is_moving():
                raise RuntimeError(f"Nothing moves: {name}.")
            show()

        motion.finish_all()
        show()
        first, frames = milliseconds(begin_and_show), []
        while motion.is_moving():
            before, taken = paints.count, milliseconds(show)
            if paints.count > before:
                frames.append(taken)
        return first, frames

    def _motions(self) -> Iterator[tuple[str, Callable[[], object]]]:
        """Yield each motion with its start, in an order in which each finds what it needs."""
        pane, hand = self.hand.pane, self.hand
        hand.go_to_today()
        yield "turn", pane.toolbar.forward.click
        yield "turn", pane.toolbar.back.click
        other = Span.WEEK if hand.span is Span.MONTH else Span.MONTH
        yield "zoom_in", partial(pane.toolbar.span.set_value, other.value)
        yield "zoom_out", partial(pane.toolbar.span.set_value, hand.span.value)
        yield "panel_in", partial(self.window.open_side, _panel())
        yield "panel_out", self.window.close_side
        sheet = _sheet(self.window)
        yield "sheet_in", sheet.present
        yield "sheet_out", sheet.dismiss
        yield "toast", partial(self.window.messages.tell, Message("warning", "That time has passed."))
        for strip in self.window.messages.findChildren(MessageStrip):
            strip.dismissed.emit()  # it would cover cards
        yield from self._cards()

    def _cards(self) -> Iterator[tuple[str, Callable[[], object]]]:
        """Lift and drop a card, move a post and publish it, and drop a card on a day that is over."""
        hand = self.hand
        start = self._point_on(self._turn_to_post())
        hand.timed(lambda: QTest.mousePress(hand.shown_window, _LEFT, _NO_KEY, start))
        yield "lift", partial(QTest.mouseMove, hand.shown_window, start + QPoint(24, 8))
        goal = start + QPoint(180, 130)
        hand.timed(lambda: QTest.mouseMove(hand.shown_window, goal))
        yield "settle", partial(QTest.mouseRelease, hand.shown_window, _LEFT, _NO_KEY, goal)
        post = self._turn_to_post()
        later = post._replace(at=post.at + _DAY_MS)
        yield "move", partial(hand.workspace.arrive, later)
        if hand.pane.grid.view.page.card_of(later) is None:  # a full day shows only its first posts
            hand.workspace.arrive(later := post)
        published = later._replace(status=PostStatus.POSTED, published=True)
        yield "publish", partial(hand.workspace.arrive, published)
        hand.workspace.arrive(post)
        hand.go_to_today()
        view = hand.pane.grid.view
        past = view.on_viewport(view.page.geometry.cell(view.page.today - 1))
        future = self._visible_post(QMargins())
        if future is None or not view.viewport().rect().contains(past.center()):
            return  # today is the first or the last day in view
        start, goal = self._point_on(future), hand.to_window(past.center())
        hand.timed(lambda: QTest.mousePress(hand.shown_window, _LEFT, _NO_KEY, start))
        for point in (start + QPoint(24, 8), goal):
            hand.timed(partial(QTest.mouseMove, hand.shown_window, point))
        yield "refused", partial(QTest.mouseRelease, hand.shown_window, _LEFT, _NO_KEY, goal)

    def _point_on(self, post: PlannedPost) -> QPoint:
        """Return a point of a visible card in the window."""
        view = self.hand.pane.grid.view
        found = view.page.card_of(post)
        assert found is not None
        return self.hand.to_window(view.on_viewport(found[0]).topLeft() + _GRIP)

    def _turn_to_post(self) -> PlannedPost:
        """Turn to the next period with a scheduled post that has room below and to its right."""
        self.hand.go_to_today()
        for _ in range(_PERIODS):
            self.hand.timed(self.hand.pane.toolbar.forward.click)
            motion.finish_all()
            if (post := self._visible_post(QMargins(0, 0, 200, 140))) is not None:
                return post
        raise RuntimeError("No scheduled post shows.")

    def _visible_post(self, margins: QMargins) -> PlannedPost | None:
        """Return a scheduled post whose card is whole within the view without some margins.

        It's the earliest of any day, which shows on a full day too, and can be grabbed: no pill is over it.
        """
        view = self.hand.pane.grid.view
        inner = view.viewport().rect().marginsRemoved(margins)
        cards = [(view.on_viewport(box), card) for box, card in view.page.cards_in(view.visible)]
        shown = (
            card.post
            for place, card in cards
            if inner.contains(place) and view.pills.at(place.topLeft() + _GRIP) is None
        )
        scheduled = [post for post in shown if post.status is PostStatus.SCHEDULED]
        return min(scheduled, key=lambda post: view.page.days.place(post.at).minute, default=None)


@contextmanager
def _counting(app: QApplication) -> Iterator[_Paints]:
    paints = _Paints(app)
    try:
        yield paints
    finally:
        app.removeEventFilter(paints)


def _panel() -> QWidget:
    panel = SidePanel("Panel")
    for number in range(_LINES):
        panel.body.addWidget(Label(f"Line {number} of a panel as full as usual", "text"))
    panel.foot.addWidget(Button("Schedule", "primary"))
    return panel


def _sheet(window: MainWindow) -> Sheet:
    sheet = Sheet(window, "A sheet")
    for number in range(_LINES // 2):
        sheet.layout_.addWidget(Label(f"Line {number} of a sheet", "text"))
    return sheet
