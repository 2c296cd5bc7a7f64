"""The calendar in the app's window with many posts over two years, at 1440 x 900, with real events."""

import argparse
import gc
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from tests.benchmarks.list_view import measure_list_view
from tests.benchmarks.registry import Benchmark, Result
from tests.benchmarks.samples import milliseconds, percentile, resident_mb

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.desktop.calendar import CalendarPane
    from app.desktop.shell.window import MainWindow
    from tests.desktop.calendar.memory import MemoryWorkspace

_DAY_MS = 86_400_000
_DAYS = 730
_SIZE = (1_440, 900)
_ZONE = ZoneInfo("Europe/Lisbon")
_LIVE_ROUNDS = 4
_BASELINE_POSTS = 1_000
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


def run(options: argparse.Namespace) -> Result:
    """Measures in a process that holds what the real app holds: its window, its modules and the posts.

    As in the app the window shows before the posts are there; the first paint is the calendar's.
    ``rss_mb_added`` is what the pane and its pictures take; the posts are there before.
    """
    if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys():
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    from app.desktop.calendar import CalendarPane
    from app.desktop.collector import GuiThreadCollector

    app = QApplication([])
    collector = GuiThreadCollector(app)
    with TemporaryDirectory() as folder:
        window = _open_window(app, Path(folder))
        workspace = _workspace(options.posts)
        for module in ("app.client", "app.workspace.workspace"):
            import_module(module)  # the real app does so once its window shows
        gc.collect()
        before = resident_mb()
        began = time.perf_counter()
        bench = _Bench(app, CalendarPane(workspace, _ZONE), workspace)
        indexed = (time.perf_counter() - began) * 1_000
        first_paint = bench.timed(lambda: _furnish(window, bench.pane))
        actions = bench.measure()
        memory = {"rss_mb": resident_mb(), "rss_mb_added": resident_mb() - before}
        besides = {"index_ms": indexed, **bench.measure_besides()}
        baseline = measure_list_view(app, min(options.posts, _BASELINE_POSTS))
        window.close()
    collector.stop()
    return Result({"first_paint_ms": first_paint, **actions, **memory}, {**besides, **baseline})


def _open_window(app: "QApplication", folder: Path) -> "MainWindow":
    from PySide6.QtCore import QSettings

    from app.desktop.shell.window import MainWindow

    settings = QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)
    settings.setValue("appearance", "light")
    window = MainWindow(settings, _ZONE)
    window.resize(*_SIZE)
    window.show()
    app.processEvents()
    return window


def _furnish(window: "MainWindow", pane: "CalendarPane") -> None:
    window.furnish({"calendar": pane}, "Benchmark", "On this computer")
    window.go("calendar")


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
    workspace: "MemoryWorkspace"

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

    def measure_besides(self) -> dict[str, float]:
        """What the contract of this command does not name: live changes, and the week."""
        from app.desktop.calendar.spans import Span

        self._go_to_today()
        live = self._live_changes()
        first_week = self.timed(lambda: self.pane.show_span(Span.WEEK))
        weeks = [self.timed(self.pane.toolbar.forward.click) for _ in range(_MONTHS)]
        return {
            "live_change_ms_p50": percentile(live, 0.5),
            "live_change_ms_p95": percentile(live, 0.95),
            "week_ms": first_week,
            "next_week_ms_p50": percentile(weeks, 0.5),
        }

    def _live_changes(self) -> list[float]:
        """Posts that show get another headline, one after the other, as if the service had told so."""
        view = self.pane.grid.view
        days = list(view.page.geometry.days_in(view.visible))
        posts = [post for day in days for post in self.pane.model.on_day(day)[:1]]
        return [
            self.timed(partial(self.workspace.arrive, post._replace(headline=f"Changed {number}")))
            for number in range(_LIVE_ROUNDS)
            for post in posts
        ]

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
        surface, shown = view.viewport(), view.visible
        card = next(box for box, _ in view.page.cards_in(shown) if box.y >= shown.y)
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
        self.timed(self.pane.go_to_today)


BENCHMARK = Benchmark("calendar", "the calendar pane with many posts over two years", add_options, run)
