"""The rows of the history, and the columns that fit."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from PySide6.QtCore import QPoint, QRect, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.contract.base import format_timestamp
from app.desktop.history import HistoryPane
from app.desktop.history.list import NAMES, columns, name_font
from app.desktop.kit.row_delegate import width_of
from app.desktop.theme import theme
from app.workspace.clock import wall_clock
from tests.desktop.running import LISBON, run, service_of_today, shown, workspace
from tests.gallery.shelf import still
from tests.workspace.model_history import keep_history, record
from tests.workspace.model_metrics import keep_metrics, metric
from tests.workspace.model_service import HOUR, ModelService
from tests.workspace.opened import until

SIZE = (1_072, 760)
PATH = "me/coat.jpg"


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("width", [320, 480, 700, 1_200])
def test_names_fit_above_their_numbers_and_no_column_overlaps_another(
    qapp: QApplication, width: int, scale: float
) -> None:
    theme.apply(qapp, "light", scale)
    try:
        places = columns(QRect(0, 0, width, 52))
        metrics = QFontMetrics(name_font())
        for name, box in places.numbers.items():
            assert metrics.horizontalAdvance(NAMES[name]) <= box.width()
        in_order = [places.time, places.picture, places.title, places.bar, *reversed(places.numbers.values())]
        shown = [box for box in in_order if box is not None]
        assert all(left.right() < right.left() for left, right in pairwise(shown))
        assert shown[-1].right() < width
        assert places.title.width() >= 100
    finally:
        theme.apply(qapp, "light")


def published(service: ModelService, *, media_url: str | None = None) -> str:
    """A post with a file, published today; its key."""
    account = service.add_account("linkedin")
    key = service.add_post(account, wall_clock() - HOUR, "The long coat", status="posted")
    now = datetime.now(UTC)
    service.posts[UUID(key)] |= {"posted_at": format_timestamp(now), "media_storage_path": PATH}
    service.files[PATH] = still(3)
    content_id = "urn:li:share:7"
    told: dict[str, Any] = {
        "platform": "linkedin",
        "content_id": content_id,
        "media_type": "image",
        "media_url": media_url,
    }
    mine = record(1, "The long coat", scheduled_post_id=key, created_at=format_timestamp(now), **told)
    theirs = record(2, "By hand", platform="x", created_via="mcp", created_at=format_timestamp(now))
    keep_history(service, [mine, theirs])
    days = [now.date() - timedelta(days=age) for age in (1, 0)]
    samples = [
        metric(content_id, day, 1_000 * n, platform="linkedin", likes=7 * n) for n, day in enumerate(days, 1)
    ]
    keep_metrics(service, samples)
    return key


def spoken(pane: HistoryPane, row: int) -> str:
    return str(pane.model.index(row).data(Qt.ItemDataRole.AccessibleTextRole))


def row_of(pane: HistoryPane, headline: str) -> int:
    rows = range(pane.model.rowCount())
    return next((row for row in rows if pane.model.index(row).data() == headline), -1)


async def read(pane: HistoryPane) -> None:
    await until(lambda: row_of(pane, "The long coat") >= 0 and row_of(pane, "By hand") >= 0)
    await until(lambda: "views" in spoken(pane, row_of(pane, "The long coat")))


def test_a_row_says_who_when_and_how_it_did(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    published(service)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(HistoryPane(opened, LISBON), SIZE) as pane:
            await read(pane)
            account = next(iter(opened.accounts.values()))
            mine, theirs = spoken(pane, row_of(pane, "The long coat")), spoken(pane, row_of(pane, "By hand"))
            assert f"{account.name} on LinkedIn" in mine
            assert "2,000 views, 14 likes" in mine
            assert "via MCP" in theirs
            assert "views" not in theirs
            assert pane.model.index(0).data(Qt.ItemDataRole.AccessibleTextRole).startswith("Today, ")

    run(qapp, work)


def test_a_row_shows_the_picture_of_its_posts_file(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    published(service)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(HistoryPane(opened, LISBON), SIZE) as pane:
            await read(pane)
            pane.list.viewport().grab()
            await until(lambda: pane.is_at_rest)
            area = pane.list.visualRect(pane.model.index(row_of(pane, "The long coat")))
            box = columns(area).picture
            picture = pane.list.viewport().grab(box).toImage()
            assert len({picture.pixel(x, y) for x in range(4, 36) for y in range(4, 36)}) > 8
            pane.list.choose(row_of(pane, "The long coat"))
            await until(lambda: pane.details.cover.has_picture)

    run(qapp, work)


def test_an_address_in_a_record_is_never_fetched(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    published(service, media_url="https://cdn.evil.example/track.png")
    asked: list[str] = []

    def hear(request: httpx.Request) -> None:
        asked.append(str(request.url))

    service.parts.insert(0, hear)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(HistoryPane(opened, LISBON), SIZE) as pane:
            await read(pane)
            pane.list.choose(row_of(pane, "The long coat"))
            await until(lambda: pane.details.cover.has_picture)
            await until(lambda: pane.is_at_rest)

    run(qapp, work)
    assert asked
    assert not any("evil.example" in address for address in asked)


def test_the_end_of_a_row_and_ctrl_enter_open_the_post_on_its_platform(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = service_of_today()
    published(service)
    pages: list[str] = []

    def take(url: QUrl) -> bool:
        pages.append(url.toString())
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", take)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(HistoryPane(opened, LISBON), SIZE) as pane:
            opened_posts: list[str] = []
            pane.post_opened.connect(opened_posts.append)
            await read(pane)
            row = row_of(pane, "The long coat")
            area = pane.list.visualRect(pane.model.index(row))
            spot = QPoint(area.right() - width_of(1) // 2, area.center().y())
            QTest.mouseClick(pane.list.viewport(), Qt.MouseButton.LeftButton, pos=spot)
            await until(lambda: len(pages) == 1)
            QTest.mouseDClick(pane.list.viewport(), Qt.MouseButton.LeftButton, pos=area.center())
            await until(lambda: len(opened_posts) == 1)
            QTest.keyClick(pane.list, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
            await until(lambda: len(pages) == 2)

    run(qapp, work)
    assert pages == ["https://www.linkedin.com/feed/update/urn:li:share:7/"] * 2


def test_the_arrows_and_home_skip_headings(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    keep_history(service, [record(number, apart=timedelta(days=20)) for number in range(4)])

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(HistoryPane(opened, LISBON), SIZE) as pane:
            await until(lambda: len(pane.model.places) == 4 and pane.model.record(1))
            pane.list.setFocus()
            seen = []
            for _ in range(5):
                seen.append(pane.list.currentIndex().row())
                QTest.keyClick(pane.list, Qt.Key.Key_Down)
            assert seen == sorted(seen)
            assert len(set(seen)) == 4
            assert not any(pane.model.is_heading(row) for row in seen)
            QTest.keyClick(pane.list, Qt.Key.Key_Home)
            assert pane.list.currentIndex().row() == 1

    run(qapp, work)


def test_the_menu_has_the_post_and_the_calendar_has_its_day(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    key = published(service)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(HistoryPane(opened, LISBON), SIZE) as pane:
            opened_posts: list[str] = []
            revealed: list[str] = []
            pane.post_opened.connect(opened_posts.append)
            pane.post_revealed.connect(revealed.append)
            await read(pane)
            pane.list.choose(row_of(pane, "The long coat"))
            await until(pane.details.reveal.isVisible)
            pane.details.reveal.click()
            entries = {action.text(): action for action in pane.details.menu().actions()}
            entries["Open the post"].trigger()
            assert revealed == opened_posts == [key]
            pane.list.choose(row_of(pane, "By hand"))
            await until(pane.details.gone.isVisible)
            assert "Open the post" not in [action.text() for action in pane.details.menu().actions()]

    run(qapp, work)


def test_two_samples_draw_a_curve(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    account = service.add_account("tiktok")
    records, samples = [], []
    for number in range(3):
        moment = datetime.now(UTC) - timedelta(days=5 + number)
        key = service.add_post(account, wall_clock() - HOUR, f"Clip {number}", status="posted")
        service.posts[UUID(key)]["posted_at"] = format_timestamp(moment)
        one = record(
            number,
            f"Clip {number}",
            platform="tiktok",
            scheduled_post_id=key,
            created_at=format_timestamp(moment),
        )
        records.append(one)
        samples += [
            metric(
                one["content_id"],
                moment.date() + timedelta(days=age),
                100 * (age + number + 1),
                platform="tiktok",
            )
            for age in range(1 if number == 2 else 4)
        ]
    keep_history(service, records)
    keep_metrics(service, samples)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(HistoryPane(opened, LISBON), SIZE) as pane:
            await until(lambda: row_of(pane, "Clip 0") >= 0 and row_of(pane, "Clip 2") >= 0)
            await until(lambda: "views" in spoken(pane, row_of(pane, "Clip 0")))
            pane.list.choose(row_of(pane, "Clip 0"))
            await until(pane.details.growth.isVisible)
            plot = pane.details.growth.plot
            assert plot.accessibleName() == "First week, next to your usual post"
            assert plot.accessibleDescription() == "400 views on day 3. Your usual post: 450."
            pane.list.choose(row_of(pane, "Clip 2"))
            await until(lambda: pane.details.title.text() == "Clip 2" and pane.is_at_rest)
            assert not pane.details.growth.isVisible()

    run(qapp, work)


def test_tab_goes_through_the_header_the_list_and_the_post(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    published(service)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(HistoryPane(opened, LISBON), SIZE) as pane:
            await read(pane)
            pane.list.choose(row_of(pane, "The long coat"))
            await until(pane.details.reveal.isVisible)
            await until(pane.toolbar.refresh_button.isEnabled)
            bar = pane.toolbar
            wanted = [bar.filter_button, bar.refresh_button, bar.export_button, pane.list, pane.details.cover]
            bar.search.setFocus()
            for before, after in pairwise([bar.search, *wanted]):
                QTest.keyClick(before, Qt.Key.Key_Tab)
                assert qapp.focusWidget() is after

    run(qapp, work)
