"""The calendar pane with many posts over two years, at 1400 x 900, with real events."""

import argparse
import gc
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from random import Random
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from tests.benchmarks.registry import Benchmark, Figures
from tests.benchmarks.samples import milliseconds, percentile, resident_mb

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.desktop.calendar import CalendarPane
    from tests.desktop.calendar.memory import MemoryWorkspace

_DAY_MS = 86_400_000
_DAYS = 730
_SIZE = (1_400, 900)
_MONTHS = 10
_SCROLL_STEPS = 120
_DRAG_STEPS = 240
_PLATFORMS = ("instagram", "linkedin", "x", "pinterest", "tiktok", "youtube", "facebook")
_HEADLINES = (
    "Winter lookbook is live: 24 pieces",
    "Three things linen taught me",
    "Studio tour, one year on",
    "Open studio this Saturday",
    "A thread on thread counts",
    "Five questions before you cut",
    "Returns, honestly: what came back and why",
)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--posts", type=int, default=10_000, metavar="N", help="posts over two years (10000)")


def run(options: argparse.Namespace) -> Figures:
    """Measures in a process that holds what the real app holds: the theme, the pane and the posts."""
    if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys():
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    from app.desktop.calendar import CalendarPane
    from app.desktop.theme import theme

    app = QApplication([])
    theme.apply(app, "light")
    workspace = _workspace(options.posts)
    gc.collect()
    gc.freeze()
    before = resident_mb()
    pane = CalendarPane(workspace, ZoneInfo("Europe/Lisbon"))
    pane.resize(*_SIZE)
    bench = _Bench(app, pane)
    first_paint = bench.timed(pane.show)
    return {"first_paint_ms": first_paint, **bench.measure()} | {
        "rss_mb": resident_mb(),
        "rss_mb_added": resident_mb() - before,
    }


def _workspace(count: int) -> "MemoryWorkspace":
    """Posts spread evenly around now; what lies in the past is published."""
    from app.contract.enums import PostStatus, PostType
    from tests.desktop.calendar.memory import MemoryWorkspace, account, post

    random = Random(count)  # noqa: S311  sample data
    now = int(datetime.now(UTC).timestamp() * 1_000)
    start = now - _DAYS // 2 * _DAY_MS
    kinds = (PostType.TEXT, PostType.IMAGE, PostType.VIDEO)
    accounts = [account(f"of {name}", name, color=index) for index, name in enumerate(_PLATFORMS)]
    posts = []
    for number in range(count):
        at = start + number * _DAYS * _DAY_MS // count + random.randrange(3_600_000)
        owner = accounts[number % len(accounts)]
        posts.append(
            post(
                f"{number:08}",
                at // 60_000 * 60_000,
                random.choice(_HEADLINES),
                account_key=owner.key,
                platform=owner.platform.value,
                kind=kinds[number % 3],
                status=PostStatus.POSTED if at < now else PostStatus.SCHEDULED,
            )
        )
    return MemoryWorkspace(posts, accounts, clock=lambda: now)


@dataclass(frozen=True, slots=True)
class _Bench:
    """Does what a person does to the pane, and times each until it is painted."""

    app: "QApplication"
    pane: "CalendarPane"

    def timed(self, action: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
        """Milliseconds of an action and of the painting that follows it."""

        def complete() -> None:
            action()
            self.app.processEvents()

        return milliseconds(complete, clock)

    def measure(self) -> dict[str, float]:
        months = self._months()
        revisits = self._revisits()
        drags = self._drags()
        scrolls = self._scrolls()
        return {
            "next_month_ms_p50": percentile(months, 0.5),
            "revisit_ms_p50": percentile(revisits, 0.5),
            "drag_move_cpu_ms_p50": percentile(drags, 0.5),
            "drag_move_cpu_ms_p95": percentile(drags, 0.95),
            "scroll_ms_p50": percentile(scrolls, 0.5),
            "scroll_ms_p95": percentile(scrolls, 0.95),
        }

    def _months(self) -> list[float]:
        """Months that were not shown before, onwards from today and then back beyond it."""
        forward = [self.timed(self.pane.toolbar.forward.click) for _ in range(_MONTHS)]
        self._go_to_today()
        return forward + [self.timed(self.pane.toolbar.back.click) for _ in range(_MONTHS)]

    def _revisits(self) -> list[float]:
        """To and fro between two months."""
        self._go_to_today()
        self.timed(self.pane.toolbar.forward.click)
        turns = (self.pane.toolbar.back, self.pane.toolbar.forward)
        return [self.timed(turns[number % 2].click) for number in range(2 * _MONTHS)]

    def _drags(self) -> list[float]:
        """CPU of each move of one long drag, which is then let go with Esc."""
        from PySide6.QtCore import QPoint, Qt
        from PySide6.QtTest import QTest

        self._go_to_today()
        view = self.pane.grid.view
        surface, top = view.viewport(), view.verticalOffset()
        card = next(box for box, _ in view.page.cards_between(top, top + surface.height()) if box.y >= top)
        start = view.on_viewport(card).center()
        left = Qt.MouseButton.LeftButton
        QTest.mousePress(surface, left, Qt.KeyboardModifier.NoModifier, start)
        self.timed(lambda: QTest.mouseMove(surface, start + QPoint(24, 8)))
        width, height = surface.width() - 160, surface.height() - 160
        path = [QPoint(80 + 7 * n % width, 80 + 5 * n % height) for n in range(_DRAG_STEPS)]
        moves = [self.timed(partial(QTest.mouseMove, surface, point), time.process_time) for point in path]
        QTest.keyClick(view, Qt.Key.Key_Escape)
        QTest.mouseRelease(surface, left, Qt.KeyboardModifier.NoModifier, path[-1])
        return moves

    def _scrolls(self) -> list[float]:
        """Notches of the mouse wheel through months."""
        from PySide6.QtCore import QPoint, QPointF, Qt
        from PySide6.QtGui import QWheelEvent

        self._go_to_today()
        surface = self.pane.grid.view.viewport()
        middle = QPointF(surface.rect().center())

        def turn_wheel() -> None:
            event = QWheelEvent(
                middle,
                surface.mapToGlobal(middle),
                QPoint(),
                QPoint(0, -120),
                Qt.MouseButton.NoButton,
                Qt.KeyboardModifier.NoModifier,
                Qt.ScrollPhase.NoScrollPhase,
                False,
            )
            self.app.sendEvent(surface, event)

        return [self.timed(turn_wheel) for _ in range(_SCROLL_STEPS)]

    def _go_to_today(self) -> None:
        self.timed(lambda: self.pane.keys.letter.emit("t"))


BENCHMARK = Benchmark("calendar", "the calendar pane with many posts over two years", add_options, run)
