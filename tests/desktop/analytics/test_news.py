"""The analytics while they are looked at: what comes, and what is not there to be exported."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.contract.base import format_timestamp
from app.desktop.analytics import AnalyticsPane
from app.desktop.commands import Command, CommandSet
from tests.desktop.analytics.test_pane import board_of
from tests.desktop.running import LISBON, run, service_of_today, shown, workspace
from tests.workspace.model_history import keep_history, record
from tests.workspace.model_metrics import keep_metrics, metric
from tests.workspace.model_service import ModelService
from tests.workspace.opened import QUICK, opened, until

SIZE = (1_072, 760)


def published(count: int, ago: timedelta) -> ModelService:
    """A service on which so many posts went out so long ago, with a sample of yesterday each."""
    service = service_of_today()
    service.page_max = 100
    service.add_account()
    at = datetime.now(UTC) - ago
    records = [
        record(number, f"Piece {number}", created_at=format_timestamp(at - timedelta(minutes=number)))
        for number in range(count)
    ]
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date()
    keep_history(service, records)
    keep_metrics(
        service, [metric(one["content_id"], yesterday, 10 + place) for place, one in enumerate(records)]
    )
    return service


def named(pane: AnalyticsPane, words: str) -> Command:
    (commands,) = pane.findChildren(CommandSet)
    return next(one for one in commands.all() if words in one.name)


def test_a_chart_that_is_not_there_is_not_offered_as_a_picture(qapp: QApplication, tmp_path: Path) -> None:
    service = published(1, timedelta(days=60))

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(AnalyticsPane(opened, LISBON), SIZE) as pane:
            board = await board_of(pane)
            command = named(pane, "this post's chart")
            pane.span.usual.set_value("90")
            assert "post" in board.charts
            assert command.enabled()
            pane.span.usual.set_value("7")
            assert "post" not in board.charts
            assert not command.enabled()

    run(qapp, work)


def test_the_posts_stay_where_they_were_scrolled_to(qapp: QApplication, tmp_path: Path) -> None:
    service = published(80, timedelta(days=5))

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(AnalyticsPane(opened, LISBON), SIZE) as pane:
            board = await board_of(pane)
            table = board.posts.table
            await until(lambda: board.posts.model.rowCount() == 80 and table.verticalScrollBar().maximum())
            bar = table.verticalScrollBar()
            bar.setValue(bar.maximum() // 2)
            at, data = bar.value(), pane.data
            pane.refresh()
            await until(lambda: pane.data is not data and pane.refresh_button.isEnabled())
            assert bar.value() == at
            board.posts.order.set_value("worst")
            assert bar.value() == 0

    run(qapp, work)


def test_a_pane_that_stays_open_asks_again_when_that_is_due(qapp: QApplication, tmp_path: Path) -> None:
    service = published(1, timedelta(days=5))

    def asked() -> int:
        return sum(one.url.path.endswith("/analytics") for one in service.requests)

    async def work() -> None:
        async with (
            opened(tmp_path, service, pace=replace(QUICK, metrics=0)) as made,
            shown(AnalyticsPane(made, LISBON), SIZE) as pane,
        ):
            await board_of(pane)
            before = asked()
            assert pane.due.isActive()
            pane.due.timeout.emit()
            await until(lambda: asked() > before and pane.refresh_button.isEnabled())
            pane.hide()
            assert not pane.due.isActive()

    run(qapp, work)
