"""The pane of the analytics, over a service in memory: what shows, what is not known, and what goes wrong."""

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.contract.base import format_timestamp
from app.desktop.analytics import AnalyticsPane
from app.desktop.analytics.board import Board
from app.desktop.analytics.post_table import PUBLISHED
from app.desktop.theme import theme
from app.workspace.analytics.dataset import Figure, Span
from app.workspace.messages import Message
from app.workspace.workspace import Workspace
from tests.desktop.running import LISBON, run, service_of_today, shown, workspace
from tests.workspace.model_history import keep_history, record
from tests.workspace.model_metrics import keep_metrics, metric
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

DAY = timedelta(days=1)


@pytest.fixture
def service() -> ModelService:
    """Two accounts of one platform: one post of each went out five days ago, and grew by 10 views a day."""
    made = service_of_today()
    made.page_max = 100
    now = datetime.now(UTC)
    records: list[dict[str, Any]] = []
    samples: list[dict[str, Any]] = []
    for number in range(2):
        account = made.add_account()
        at = now - 5 * DAY
        post = made.add_post(account, round(at.timestamp() * 1_000), status="posted")
        told = record(
            number, f"Piece {number}", platform="x", scheduled_post_id=post, created_at=format_timestamp(at)
        )
        records.append(told)
        samples += [
            metric(
                told["content_id"],
                (at + age * DAY).date(),
                10 * (age + 1) * (number + 1),
                created_at=format_timestamp(at + age * DAY),
                likes=age,
            )
            for age in range(6)
        ]
    keep_history(made, records)
    keep_metrics(made, samples)
    return made


def opened_pane(opened: Workspace) -> AbstractAsyncContextManager[AnalyticsPane]:
    return shown(AnalyticsPane(opened, LISBON), (1_072, 760))


async def board_of(pane: AnalyticsPane) -> Board:
    """The board, once it shows what the service told."""
    await until(lambda: pane.board is not None and pane.board.isVisible())
    await until(lambda: pane.data is not None and pane.data.asked_at and pane.refresh_button.isEnabled())
    assert pane.board is not None
    return pane.board


def table(board: Board) -> list[tuple[str, ...]]:
    return board.lines.table.figures.rows()


def test_totals_lines_and_posts_show(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            board = await board_of(pane)
            tiles = board.tiles.buttons
            assert tiles[Figure.VIEWS].accessibleName() == "Views: 180"
            assert tiles[Figure.SHARES].accessibleName() == "Shares: –"  # noqa: RUF001  a dash
            assert "Not reported by X" in tiles[Figure.SHARES].accessibleDescription()
            assert [line.total for line in board.lines.shown] == [100, 50]
            today, yesterday = table(board)[:2]
            assert today[1:] == ("–", "–")  # noqa: RUF001  lines end at the last complete day
            assert yesterday[1:] == ("20", "10")
            model = board.posts.model
            assert [model.index(row, 3).data() for row in range(2)] == ["120", "60"]
            assert [model.index(row, 6).data() for row in range(2)] == ["–", "–"]  # noqa: RUF001

    run(qapp, work)


class Paintings(QObject):
    """Counts how often each widget is painted."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[QObject] = Counter()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget):
            self.counts[watched] += 1
        return False

    def of_all_that_waits(self, app: QApplication) -> list[int]:
        """How often each was, once all that was asked for is painted."""
        app.installEventFilter(self)
        for _ in range(3):
            app.sendPostedEvents()
        app.removeEventFilter(self)
        return list(self.counts.values())


def test_a_change_is_painted_once(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            board = await board_of(pane)
            assert pane.data is not None
            today = pane.data.today
            steps: tuple[Callable[[], object], ...] = (
                lambda: pane.span.choose(Span(today - 2, today - 1)),
                lambda: pane.span.usual.set_value("7"),  # posts come back, and the card of one
                lambda: pane.sources.choose([board.lines.shown[-1].source.key]),
                board.tiles.buttons[Figure.FOLLOWERS].click,
                lambda: pane.sources.choose([]),
            )
            for step in steps:
                Paintings().of_all_that_waits(qapp)
                step()
                assert set(Paintings().of_all_that_waits(qapp)) == {1}

    run(qapp, work)


def test_posts_are_painted_in_the_frame_after_the_charts(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            board = await board_of(pane)
            before = board.posts.grab().toImage()
            board.tiles.buttons[Figure.COMMENTS].click()
            assert board.posts.model.figure is Figure.COMMENTS  # who asks is told at once
            assert not board.posts.updatesEnabled()
            assert board.lines.updatesEnabled()
            await until(board.posts.updatesEnabled)
            assert board.post.updatesEnabled()
            assert board.posts.grab().toImage() != before

    run(qapp, work)


def test_accounts_days_and_figures_are_chosen(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            board = await board_of(pane)
            assert pane.data is not None
            lesser = board.lines.shown[-1].source.key
            pane.sources.choose([lesser])
            assert board.tiles.buttons[Figure.VIEWS].accessibleName() == "Views: 60"
            assert board.posts.model.rowCount() == 1
            pane.sources.choose([])
            today = pane.data.today
            pane.span.choose(Span(today - 2, today - 1))
            assert board.tiles.buttons[Figure.VIEWS].accessibleName() == "Views: 60"
            assert board.posts.nothing.isVisible()
            assert not board.post.isVisible()
            pane.span.usual.set_value("7")
            board.tiles.buttons[Figure.LIKES].click()
            assert board.lines.title.text() == "Likes per day"
            assert table(board)[1][1:] == ("1", "1")
            board.tiles.buttons[Figure.FOLLOWERS].click()
            assert table(board)[1][1:] == ("250", "250")

    run(qapp, work)


def test_keys_walk_through_days_hours_and_posts(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            board = await board_of(pane)
            QTest.keyClick(board.lines.plot, Qt.Key.Key_Left)
            assert board.lines.plot.place == 28
            assert "All 2 accounts 30" in board.lines.plot.accessibleDescription()
            first = f"{board.heat.hours.start:02}"
            QTest.keyClick(board.heat.map, Qt.Key.Key_Right)
            assert board.heat.map.spoken().startswith(f"Mon {first}")
            QTest.keyClick(board.heat.map, Qt.Key.Key_Down)
            assert board.heat.map.spoken().startswith(f"Tue {first}")
            asked: list[str] = []
            pane.post_opened.connect(asked.append)
            QTest.keyClick(board.posts.table, Qt.Key.Key_Return)
            place = board.posts.place
            assert pane.data is not None
            assert place is not None
            assert asked == [pane.data.items[place].post_key]

    run(qapp, work)


def test_a_line_is_switched_off_and_a_chart_becomes_a_table(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            board = await board_of(pane)
            first, second = board.lines.shown
            board.lines.toggle(first.source.key)
            assert board.lines.shown == [second]
            board.lines.switch.click()
            assert board.lines.table.isVisible()
            board.lines.toggle(first.source.key)  # which draws the lines again, below the table
            assert board.lines.shown == [first, second]
            assert board.lines.table.isVisible()
            board.lines.switch.click()
            assert board.lines.plot.isVisible()
            pane.table_button.click()
            assert board.heat.table.isVisible()
            assert board.post.table.isVisible()

    run(qapp, work)


def test_the_best_post_shows_until_somebody_chooses_another(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            board = await board_of(pane)
            assert pane.data is not None
            best, other = board.posts.model.places
            sources = [pane.data.sources[pane.data.item_source[place]].key for place in (best, other)]
            pane.sources.choose([sources[1]])
            pane.sources.choose([])
            assert board.posts.place == best
            QTest.keyClick(board.posts.table, Qt.Key.Key_Down)
            assert board.posts.place == other
            pane.span.usual.set_value("90")
            assert board.posts.place == other
            board.posts.order.set_value("worst")
            board.posts.order.set_value("best")
            assert board.posts.place == best

    run(qapp, work)


def test_no_moment_of_publishing_is_cut_off(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            board = await board_of(pane)
            words = QFontMetrics(theme.current().font("clock")).horizontalAdvance("Wed 26 Nov 22:28")
            assert board.posts.table.columnWidth(PUBLISHED) >= words + 20

    run(qapp, work)


def test_the_curve_of_a_post_comes_with_its_median(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            board = await board_of(pane)
            await until(lambda: board.post.table.figures.rowCount() == 6)
            assert board.post.table.figures.rows()[1][:2] == ("1", "40")
            assert board.post.headline.text() == "Piece 1"

    run(qapp, work)


def test_tables_and_a_picture_are_written(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    said: list[Message] = []
    kinds: list[str] = []

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            pane.told.connect(said.append)
            await board_of(pane)
            for name, write in (
                ("days.csv", pane.write_days),
                ("posts.csv", pane.write_posts),
                ("chart.png", pane.write_picture),
                ("hours.png", lambda path: pane.write_picture(path, "best-hours")),
                ("post.png", lambda path: pane.write_picture(path, "post")),
                ("missing/chart.png", pane.write_picture),
            ):
                said.clear()
                write(tmp_path / name)
                await until(lambda: said)
                kinds.append(said[0].kind)

    run(qapp, work)
    posts = (tmp_path / "posts.csv").read_text("utf-8-sig").splitlines()
    assert posts[1].endswith(",120,5,,")
    days = (tmp_path / "days.csv").read_text("utf-8-sig").splitlines()
    assert days[0].startswith("Day,Platform,Account,Views")
    assert days[-1].split(",")[3:] in (["10", "1", "", "", "250", "0"], ["20", "1", "", "", "250", "0"])
    pictures = [(tmp_path / f"{name}.png").read_bytes() for name in ("chart", "hours", "post")]
    assert all(picture.startswith(b"\x89PNG") for picture in pictures)
    assert len(set(pictures)) == 3
    assert kinds == ["info"] * 5 + ["error"]


def test_no_cell_is_a_formula(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    records = [
        record(7, "", title="=1+1", platform="x", created_at=format_timestamp(datetime.now(UTC) - DAY))
    ]
    keep_history(service, records)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            await board_of(pane)
            pane.write_posts(tmp_path / "posts.csv")
            await until((tmp_path / "posts.csv").exists)

    service.parts.insert(0, service.parts.pop())
    run(qapp, work)
    assert "'=1+1" in (tmp_path / "posts.csv").read_text("utf-8-sig")


def test_without_the_service_what_it_told_stays(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            board = await board_of(pane)
            service.online = False
            QTest.keyClick(pane, Qt.Key.Key_F5)
            await until(pane.strip.isVisible)
            assert pane.strip.text().startswith("The service can't be reached.")
            assert "Showing numbers from" in pane.strip.text()
            assert board.isVisible()
            service.online = True
            pane.strip.button.click()
            await until(lambda: not pane.strip.isVisible())

    run(qapp, work)


def test_a_service_without_numbers_is_said_so(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    keep_history(service, [])

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            await until(pane.failed.isVisible)
            assert pane.failed.text() == "This service doesn't provide post metrics."
            assert not pane.export_button.isEnabled()

    run(qapp, work)


def test_before_the_first_numbers_it_is_said_when_they_come(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    keep_history(service, [])
    keep_metrics(service, [])

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            await until(pane.empty.isVisible)
            assert "within a day" in pane.empty.text()

    run(qapp, work)
