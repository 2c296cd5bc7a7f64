"""Results of published posts: read in the background for the days in view, and shown on their lines."""

from datetime import datetime

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from app.contract.enums import PostStatus
from app.desktop.calendar import CalendarPane
from app.desktop.calendar.days import LocalDays, Span
from app.desktop.calendar.results import CardResults
from app.workspace.changes import Changes
from app.workspace.clock import wall_clock
from app.workspace.posts.planned import PlannedPost
from tests.desktop.calendar.hands import ZONE, Hands
from tests.desktop.calendar.memory import MemoryViews, MemoryWorkspace, account, post
from tests.desktop.running import run, shown
from tests.workspace.opened import until

HOUR_MS = 3_600_000


def published(key: str) -> PlannedPost:
    return post(key, wall_clock() - HOUR_MS, status=PostStatus.POSTED)


def test_views_are_read_for_published_posts_in_view_and_once(qapp: QApplication) -> None:
    async def work() -> None:
        owner, source = QObject(), MemoryViews()
        source.kept = {"one": 12_944, "far": 7}
        results = CardResults(owner, source)
        arrived: list[set[str]] = []
        results.arrived.connect(arrived.append)
        here = [published("one"), published("none"), post("ahead", wall_clock() + HOUR_MS)]
        results.around = lambda: here
        assert results.of(here[:1]) == ""
        await until(lambda: arrived and results.is_at_rest)
        assert [results.of([one]) for one in here] == ["12.9k", "", ""]
        assert arrived == [{"one"}]
        source.kept["one"] = 15_000
        assert results.of(here[:1]) == "12.9k"
        results.read_again()
        await until(lambda: len(arrived) == 2)
        assert results.of(here[:1]) == "15k"
        owner.deleteLater()

    run(qapp, work)


def test_new_samples_show_on_the_line_of_their_post(qapp: QApplication) -> None:
    async def work() -> None:
        # In the middle of a month: its last days may be below the view.
        at = datetime(2026, 3, 10, 12, tzinfo=ZONE)
        one = post("one", int(at.timestamp() * 1000), status=PostStatus.POSTED)
        workspace = MemoryWorkspace([one], [account("studio")])
        pane = CalendarPane(workspace, ZONE)
        pane.resize(1232, 872)
        async with shown(pane):
            pane.show_span(Span.MONTH, LocalDays(ZONE).day_of(one.at))
            hands = Hands(pane, workspace)
            shown_days = hands.view.viewport()
            before = shown_days.grab().toImage()
            await until(lambda: not shown_days.grab().isNull() and pane.results.is_at_rest)
            workspace.analytics.kept = {"one": 4_100}
            workspace.tell(Changes(metrics=True))
            await until(lambda: pane.results.of([one]) == "4.1k")
            assert shown_days.grab().toImage() != before

    run(qapp, work)
