"""`python -m tests.benchmarks.calendar.pane POSTS SPAN AMOUNT [WITHOUT ...]`: one pane, in its own process.

AMOUNT is `usual` or `few`. Prints one line of JSON with figures by name, on the screen of the environment.
"""

import gc
import json
import sys
import time
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from app.contract.enums import PostStatus, PostType
from app.desktop.calendar import CalendarPane
from app.desktop.calendar.days import Span
from app.desktop.calendar.filters import CalendarState
from app.desktop.collector import GuiThreadCollector
from app.desktop.shell.window import MainWindow
from tests.benchmarks.calendar.ablation import switch_off
from tests.benchmarks.calendar.hand import FEW, Amount, Hand
from tests.benchmarks.calendar.motions import Frames
from tests.benchmarks.calendar.plan import PLATFORMS, now_ms, planned
from tests.benchmarks.samples import resident_mb
from tests.desktop.calendar.memory import MemoryWorkspace, account, post

SIZE: Final = (1_440, 900)
ZONE: Final = ZoneInfo("Europe/Lisbon")
_KINDS: Final = (PostType.TEXT, PostType.IMAGE, PostType.VIDEO)


@dataclass(frozen=True, slots=True)
class Found:
    """``named`` are the figures in the command's contract."""

    named: dict[str, float]
    besides: dict[str, float]


def main() -> None:
    """Measure and print."""
    count, span, amount, *without = sys.argv[1:]
    for name in without:
        switch_off(name)
    print(json.dumps(asdict(measure(int(count), Span(span), FEW if amount == "few" else Amount()))))


def measure(count: int, span: Span, amount: Amount) -> Found:
    """Measure in a process that contains what the real app does: its window, its modules and the posts.

    Like in the app, the window appears before the posts are loaded, and the first paint is the calendar's.
    ``rss_mb_added`` is the memory of the pane and its pictures, without the posts.
    """
    app = QApplication([])
    collector = GuiThreadCollector(app)
    with TemporaryDirectory() as folder:
        window = open_window(app, Path(folder))
        workspace = _workspace(count)
        for module in ("app.client", "app.workspace.workspace"):
            import_module(module)  # the real app does so once its window shows
        gc.collect()
        before = resident_mb()
        began = time.perf_counter()
        pane = CalendarPane(workspace, ZONE)
        pane.results.around = tuple  # no asyncio loop runs here that could read any
        pane.restore(CalendarState(span=span))
        hand = Hand(app, pane, workspace, span, amount)
        index_ms = (time.perf_counter() - began) * 1_000
        first_paint_ms = hand.timed(lambda: furnish(window, pane))
        actions = hand.measure()
        rss_mb = resident_mb()
        motions = Frames(hand, window).measure()
        slowest = max(value for name, value in motions.items() if name != "motion_begin_ms_p95")
        named = {
            "first_paint_ms": first_paint_ms,
            **actions,
            "motion_frame_ms_p95": slowest,
            "rss_mb": rss_mb,
            "rss_mb_added": rss_mb - before,
        }
        besides = {"index_ms": index_ms, **hand.measure_besides(), **motions}
        window.close()
    collector.stop()
    return Found(named, besides)


def open_window(app: QApplication, folder: Path) -> MainWindow:
    """Return the app's window without a pane."""
    settings = QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)
    settings.setValue("appearance", "light")
    settings.setValue("motion", "on")
    window = MainWindow(settings, ZONE)
    window.resize(*SIZE)
    window.show()
    app.processEvents()
    return window


def furnish(window: MainWindow, pane: CalendarPane) -> None:
    """Show the pane in the window."""
    window.furnish(lambda _place: pane, "Benchmark", "On this computer")
    window.add("calendar", pane)
    window.go("calendar")


def _workspace(count: int) -> MemoryWorkspace:
    """Create a workspace in which past posts are published."""
    now = now_ms()
    accounts = [account(f"of {name}", name, color=index) for index, name in enumerate(PLATFORMS)]
    posts = [
        post(
            f"{one.number:08}",
            one.at,
            one.headline,
            account_key=f"of {one.platform}",
            platform=one.platform,
            kind=_KINDS[one.number % len(_KINDS)],
            status=PostStatus.POSTED if one.at < now else PostStatus.SCHEDULED,
        )
        for one in planned(count, now)
    ]
    return MemoryWorkspace(posts, accounts, clock=lambda: now)


if __name__ == "__main__":
    main()
