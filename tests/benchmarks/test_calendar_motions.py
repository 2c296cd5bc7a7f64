"""The posts that the calendar's benchmark grabs."""

from datetime import datetime, timedelta
from pathlib import Path

from PySide6.QtCore import QMargins
from PySide6.QtWidgets import QApplication

from app.desktop.calendar import CalendarPane
from app.desktop.calendar.days import Span
from app.desktop.calendar.filters import CalendarState
from app.workspace.clock import now_in, to_millis
from tests.benchmarks.calendar.hand import Amount, Hand
from tests.benchmarks.calendar.motions import Frames
from tests.benchmarks.calendar.pane import ZONE, furnish, open_window
from tests.desktop.calendar.memory import MemoryWorkspace, account, post

_TIMES = {"hidden": "01:00", "cut": "06:00", "below the pill": "06:12", "free": "10:00"}


def test_a_card_below_a_pill_is_not_grabbed(qapp: QApplication, tmp_path: Path) -> None:
    day = now_in(ZONE).date() + timedelta(days=14)
    posts = [
        post(key, to_millis(datetime.fromisoformat(f"{day}T{time}").replace(tzinfo=ZONE)), key)
        for key, time in _TIMES.items()
    ]
    workspace, window = MemoryWorkspace(posts, [account("studio")]), open_window(qapp, tmp_path)
    pane = CalendarPane(workspace, ZONE)
    pane.results.around = tuple  # no asyncio loop runs here that could read any
    pane.restore(CalendarState(span=Span.WEEK))
    furnish(window, pane)
    pane.show_span(Span.WEEK, day.toordinal())
    view = pane.grid.view
    view.verticalScrollBar().setValue(view.page.geometry.y_of(360) + 1)  # type: ignore[attr-defined]
    qapp.processEvents()
    found = Frames(Hand(qapp, pane, workspace, Span.WEEK, Amount()), window)._visible_post(QMargins())
    assert found is not None
    assert found.key == "free"
    window.close()
