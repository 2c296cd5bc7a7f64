"""Performs a user's actions on the calendar with real events, and times each until it's painted."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QWheelEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.calendar import CalendarPane
from app.desktop.calendar.days import Span
from app.desktop.calendar.filters import Filter
from tests.benchmarks.samples import milliseconds, percentile
from tests.desktop.calendar.memory import MemoryWorkspace

_LEFT: Final = Qt.MouseButton.LeftButton
_NO_KEY: Final = Qt.KeyboardModifier.NoModifier
_NOTCH: Final = 120
_GRIP: Final = QPoint(9, 9)
_PERIODS: Final = 20
"""Number of periods with a card, however few posts there are."""
_FRAME_S: Final = 0.018
"""Slightly longer than a frame, in s."""

_PREFETCH_S: Final = 0.8
"""Time until the days around a new period are painted, in s."""


@dataclass(frozen=True, slots=True)
class Amount:
    """Number of repetitions of each action."""

    turns: int = 10
    scrolls: int = 120
    moves: int = 240
    filters: int = 6
    changes: int = 4
    looks: int = 3
    motions: int = 4


FEW: Final = Amount(turns=2, scrolls=6, moves=12, filters=1, changes=1, looks=1, motions=1)
"""For a look at what the command prints."""


@dataclass(frozen=True, slots=True)
class Hand:
    """The user of one pane, in a view with periods."""

    app: QApplication
    pane: CalendarPane
    workspace: MemoryWorkspace
    span: Span
    amount: Amount

    def timed(self, action: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
        """Return the duration of an action and its painting, in ms.

        First waits until the screen shows the last frame: users don't act before that, and Qt would wait for
        it.
        """

        def complete() -> None:
            action()
            self.app.processEvents()

        self.app.sync()
        return milliseconds(complete, clock)

    def shown(self, action: Callable[[], object]) -> float:
        """Return the time until the screen shows what an action paints, in ms."""

        def complete() -> None:
            action()
            self.app.processEvents()
            self.app.sync()

        return milliseconds(complete)

    def measure(self) -> dict[str, float]:
        """Return the figures in the command's contract, with the month's names."""
        turns, revisits = self._turns(), self._revisits()
        drags, scrolls = self._drags(), self._scrolls()
        return {
            "next_month_ms_p50": percentile(turns, 0.5),
            "revisit_ms_p50": percentile(revisits, 0.5),
            "drag_move_cpu_ms_p50": percentile(drags, 0.5),
            "drag_move_cpu_ms_p95": percentile(drags, 0.95),
            "scroll_ms_p50": percentile(scrolls, 0.5),
            "scroll_ms_p95": percentile(scrolls, 0.95),
        }

    def measure_besides(self) -> dict[str, float]:
        """Return the other figures."""
        filters, changes = self._filters(), self._changes()
        return {
            "revisit_shown_ms_p50": percentile([self.shown(way) for way in self._ways()], 0.5),
            "scroll_shown_ms_p95": percentile(self._scrolls(self.shown), 0.95),
            "next_complete_ms_p50": percentile(self._completions(), 0.5),
            "drag_frame_cpu_ms_p95": percentile(self._drags(pace_s=_FRAME_S), 0.95),
            "filter_ms_p50": percentile(filters, 0.5),
            "filter_ms_p95": percentile(filters, 0.95),
            "change_ms_p50": percentile(changes, 0.5),
            "change_ms_p95": percentile(changes, 0.95),
            "prefetched_ms_p50": percentile(self._prefetched(), 0.5),
        }

    def _turns(self) -> list[float]:
        """Visit new periods, forward from today and then back beyond it."""
        forward = [self._seen(self.pane.toolbar.forward.click) for _ in range(self.amount.turns)]
        self.go_to_today()
        return forward + [self._seen(self.pane.toolbar.back.click) for _ in range(self.amount.turns)]

    def _revisits(self) -> list[float]:
        """Back and forth between two periods."""
        return [self._seen(way) for way in self._ways()]

    def _ways(self) -> Iterator[Callable[[], object]]:
        self.go_to_today()
        self._seen(self.pane.toolbar.forward.click)
        ways = (self.pane.toolbar.back, self.pane.toolbar.forward)
        return (ways[number % 2].click for number in range(2 * self.amount.turns))

    def _seen(self, action: Callable[[], object]) -> float:
        """Return the time until the first frame, in ms. The next action starts when everything is painted."""
        taken = self.timed(action)
        self._complete()
        return taken

    def _complete(self) -> None:
        while not self.pane.grid.view.is_complete:
            self.app.processEvents()

    def _completions(self) -> list[float]:
        """Visit new periods until every card shows its text."""

        def turn() -> None:
            self.timed(self.pane.toolbar.forward.click)
            self._complete()

        self.pane.show_span(self.span, self.pane.grid.shown_day - 150)
        self._complete()
        return [milliseconds(turn) for _ in range(self.amount.turns)]

    def _prefetched(self) -> list[float]:
        """Visit distant periods with a pause at each."""
        self.pane.show_span(self.span, self.pane.grid.shown_day + 500)
        taken = []
        for _ in range(self.amount.looks):
            look_until = time.perf_counter() + _PREFETCH_S
            while time.perf_counter() < look_until:
                self.app.processEvents()
                time.sleep(0.005)
            taken.append(self.timed(self.pane.toolbar.forward.click))
        return taken

    def _drags(self, pace_s: float = 0.0) -> list[float]:
        """Return the CPU time of each move of a long drag, which Esc then cancels.

        Each move follows ``pace_s`` after the previous one, and includes what is painted until then.
        """
        self.go_to_today()
        view, window = self.pane.grid.view, self.shown_window
        surface, to_window = view.viewport(), self.to_window
        start = to_window(self.whole_card().topLeft() + _GRIP)
        self.timed(lambda: QTest.mousePress(window, _LEFT, _NO_KEY, start))
        self.timed(lambda: QTest.mouseMove(window, start + QPoint(24, 8)))
        width, height = surface.width() - 160, surface.height() - 160
        path = [to_window(QPoint(80 + 7 * n % width, 80 + 5 * n % height)) for n in range(self.amount.moves)]

        def move(point: QPoint) -> None:
            QTest.mouseMove(window, point)
            if pace_s:
                self.app.processEvents()
                time.sleep(pace_s)

        moves = [self.timed(partial(move, point), time.process_time) for point in path]
        if view.drag is None:
            raise RuntimeError("The drag did not begin.")
        QTest.keyClick(view, Qt.Key.Key_Escape)
        QTest.mouseRelease(window, _LEFT, _NO_KEY, path[-1])
        return moves

    def whole_card(self) -> QRect:
        """Return a card away from the edges, in this period or the next one with such a card."""
        view = self.pane.grid.view
        inner = view.viewport().rect().adjusted(40, 40, -40, -40)
        for _ in range(_PERIODS):
            cards = (view.on_viewport(box) for box, _ in view.page.cards_in(view.visible))
            if (found := next((card for card in cards if inner.contains(card)), None)) is not None:
                return found
            self.timed(self.pane.toolbar.forward.click)
        raise RuntimeError("No card shows as a whole.")

    def to_window(self, point: QPoint) -> QPoint:
        """Return where a point of the viewport is in the window."""
        surface = self.pane.grid.view.viewport()
        return surface.mapTo(surface.window(), point)

    @property
    def shown_window(self) -> QWindow:
        """The window, to which the mouse's events are sent."""
        window = self.pane.window().windowHandle()
        if window is None:
            raise RuntimeError("The window does not show.")
        return window

    def _scrolls(self, measure: Callable[[Callable[[], object]], float] | None = None) -> list[float]:
        """Scroll through months with the mouse wheel, or through days with Shift."""
        self.go_to_today()
        return [(measure or self.timed)(self._turn_wheel) for _ in range(self.amount.scrolls)]

    def _turn_wheel(self) -> None:
        surface = self.pane.grid.view.viewport()
        middle = QPointF(surface.rect().center())
        event = QWheelEvent(
            middle,
            surface.mapToGlobal(middle),
            QPoint(),
            QPoint(0, -_NOTCH),
            Qt.MouseButton.NoButton,
            _NO_KEY if self.span is Span.MONTH else Qt.KeyboardModifier.ShiftModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        self.app.sendEvent(surface, event)

    def _filters(self) -> list[float]:
        """Alternate between one account and all accounts."""
        self.go_to_today()
        alone = Filter().with_account(next(iter(self.workspace.accounts)))
        chosen = [alone, Filter()] * self.amount.filters
        return [self.timed(partial(self.pane.filters.choose, filter_)) for filter_ in chosen]

    def _changes(self) -> list[float]:
        """Change the headlines of visible posts, one after the other, like a sync."""
        view = self.pane.grid.view
        days: Sequence[int] = list(view.page.geometry.days_in(view.visible))
        posts = [post for day in days for post in self.pane.model.on_day(day)[:1]]
        return [
            self.timed(partial(self.workspace.arrive, post._replace(headline=f"Changed {number}")))
            for number in range(self.amount.changes)
            for post in posts
        ]

    def go_to_today(self) -> None:
        """Show the period of today, completely painted."""
        self.timed(self.pane.toolbar.went_to_today.emit)
        self._complete()
