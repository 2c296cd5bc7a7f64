"""The pane of what was published, over a service in memory."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from sqlalchemy import text

from app.contract.enums import PostingPlatform, PostStatus, PostType, SubscriptionStatus
from app.contract.history import ContentRecord
from app.desktop.history import HistoryPane
from app.desktop.history.model import ENTRY, PIECE
from app.desktop.history.wording import kind_name, page_of, says_more, status_tip, status_words, via_name
from app.desktop.inspector import facts
from app.desktop.usage.wording import status_words as usage_status
from app.language import use
from app.workspace.clock import wall_clock
from app.workspace.messages import Message
from app.workspace.posts.new import NewPost
from app.workspace.workspace import Workspace
from tests.desktop.calendar.memory import post
from tests.desktop.running import LISBON, run, service_of_today, shown, workspace
from tests.workspace.model_history import keep_history, record
from tests.workspace.model_service import HOUR, ModelService, attempt
from tests.workspace.opened import until


@pytest.fixture
def service() -> ModelService:
    """Five pieces; the second one is a post of this calendar."""
    made = service_of_today()
    account = made.add_account("x")
    post = made.add_post(account, made.clock() - 3_600_000, "Wool, three weights", status="posted")
    records = [record(number) for number in range(1, 5)]
    records.insert(1, record(100, "Wool, three weights", scheduled_post_id=post, created_via="mcp"))
    keep_history(made, records)
    return made


def seen(opened: Workspace) -> AbstractAsyncContextManager[HistoryPane]:
    return shown(HistoryPane(opened, LISBON), (1_072, 760))


def spoken(pane: HistoryPane, row: int) -> str:
    return str(pane.model.index(row).data(Qt.ItemDataRole.AccessibleTextRole))


def rows_of(pane: HistoryPane) -> list[int]:
    """Rows that are no headings."""
    return [row for row in range(pane.model.rowCount()) if not pane.model.is_heading(row)]


async def listed(pane: HistoryPane, count: int) -> None:
    await until(lambda: len(pane.model.places) == count and pane.model.record(rows_of(pane)[0]))


def test_what_was_published_is_listed_searched_and_opened(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as pane:
            opened_posts: list[str] = []
            pane.post_opened.connect(opened_posts.append)
            await listed(pane, 5)
            await until(lambda: pane.toolbar.count.text() == "5 published")
            assert spoken(pane, 1).startswith("Text 1, X, ")
            assert "via the API" in spoken(pane, 1)
            pane.toolbar.search.setText("WOO")
            await listed(pane, 1)
            await until(lambda: pane.toolbar.count.text() == "1 of 5 published")
            await until(pane.details.reveal.isVisible)
            QTest.keyClick(pane.list, Qt.Key.Key_Return)
            assert opened_posts == [str(next(iter(service.posts)))]
            pane.toolbar.search.setText("parsley")
            await until(pane.no_match.isVisible)
            pane.no_match.acted.emit()
            await listed(pane, 5)
            filters = pane.toolbar.ask()
            filters.via.setCurrentIndex(filters.via.findData("mcp"))
            await listed(pane, 1)
            assert pane.toolbar.filter_button.accessibleName() == "Filter (1)"
            filters.reset.click()
            await listed(pane, 5)
            filters.close()

    run(qapp, work)


def test_what_is_not_known_here_says_so(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as pane:
            await listed(pane, 5)
            pane.list.setCurrentIndex(pane.model.index(1))
            await until(pane.details.gone.isVisible)
            assert not pane.details.reveal.isVisible()
            assert pane.details.look.text() == "Open on X"

    run(qapp, work)


def test_a_hundred_thousand_rows_are_there_at_once_and_read_as_they_are_seen(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    fill = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
        "INSERT INTO content SELECT 'id-' || printf('%032d', i), 'x', i, NULL, NULL, 'Row ' || i, NULL, "
        "'text', 'published', NULL, 'rest', 1700000000000 + i * 1000 FROM n"
    )
    make_uuid = "UPDATE content SET id = '00000000-0000-4000-8000-' || substr(id, -12) WHERE id LIKE 'id-%'"

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await opened._core.write(lambda rows: (rows.execute(text(fill)), rows.execute(text(make_uuid))))
            async with seen(opened) as pane:
                await listed(pane, 100_005)
                asked: list[int] = []
                pane.model.wanted.connect(asked.append)
                pane.list.scrollToBottom()
                last = pane.model.rowCount() - 1
                await until(lambda: pane.model.index(last).data(ENTRY))
                assert spoken(pane, last).startswith("Row 1, ")
                assert len(set(asked)) <= 4, "only what is seen is read"
                assert set(asked) >= {(len(pane.model.places) - 1) // PIECE}
                pane.toolbar.search.setText("Row 77777")
                await listed(pane, 1)
                pane.write(tmp_path / "one.csv")
                await until((tmp_path / "one.csv").exists)

    run(qapp, work)


def test_without_the_service_what_is_known_stays(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as pane:
            await listed(pane, 5)
            await until(pane.toolbar.refresh_button.isEnabled)
            service.online = False
            QTest.mouseClick(pane.toolbar.refresh_button, Qt.MouseButton.LeftButton)
            await until(pane.strip.isVisible)
            assert pane.strip.kind() == "warn"
            assert len(pane.model.places) == 5
            service.online = True
            QTest.mouseClick(pane.strip.button, Qt.MouseButton.LeftButton)
            await until(lambda: not pane.strip.isVisible())
            service.key_is_good = False
            QTest.mouseClick(pane.toolbar.refresh_button, Qt.MouseButton.LeftButton)
            await until(pane.strip.isVisible)
            assert pane.strip.kind() == "bad"

    run(qapp, work)


@pytest.mark.parametrize("fault", ["500", "429", "garbage", "refuse"])
def test_a_service_that_fails_leaves_a_sentence_and_a_way_on(
    qapp: QApplication, tmp_path: Path, service: ModelService, fault: str
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            service.faults = [("GET", fault)] * 500
            async with seen(opened) as pane:
                await until(pane.failed.isVisible)
                assert pane.failed.text()
                service.faults.clear()
                pane.failed.acted.emit()
                await listed(pane, 5)

    run(qapp, work)


def test_nothing_published_is_one_sentence_and_a_way_to_publish(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    keep_history(service, [])

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as pane:
            await until(pane.empty.isVisible)
            assert not pane.toolbar.search.isVisible()
            begun: list[bool] = []
            pane.begun.connect(lambda: begun.append(True))
            pane.empty.acted.emit()
            assert begun

    run(qapp, work)


def test_an_error_gives_way_once_the_service_says_that_nothing_was_published(
    qapp: QApplication, tmp_path: Path
) -> None:
    service = service_of_today()
    keep_history(service, [])

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            service.faults = [("GET", "500")] * 500
            async with seen(opened) as pane:
                await until(pane.failed.isVisible)
                service.faults.clear()
                pane.failed.acted.emit()
                await until(pane.empty.isVisible)

    run(qapp, work)


def test_what_a_newer_service_says_shows_as_it_is_and_the_table_holds_no_formula(
    qapp: QApplication, tmp_path: Path
) -> None:
    service = service_of_today()
    odd = record(1, "=1+1", platform="reels", created_via="fax", media_type="hologram", surprise=7)
    keep_history(service, [odd])
    said: list[Message] = []

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as pane:
            pane.told.connect(said.append)
            await listed(pane, 1)
            assert all(word in spoken(pane, 1) for word in ("reels", "Other type", "via “fax”"))
            pane.grab()
            pane.write(tmp_path / "out.csv")
            await until(lambda: said)

    run(qapp, work)
    assert said[0].text == "1 row exported to out.csv."
    assert ",'=1+1," in (tmp_path / "out.csv").read_text("utf-8-sig")


@pytest.mark.parametrize(
    ("platform", "content_id", "page"),
    [
        ("x", "1800000000000000001", "https://x.com/i/status/1800000000000000001"),
        ("youtube", "dQw4w9WgXcQ", "https://www.youtube.com/watch?v=dQw4w9WgXcQ"),
        ("linkedin", "urn:li:share:7", "https://www.linkedin.com/feed/update/urn:li:share:7/"),
        ("x", "1/../../evil", ""),
        ("youtube", "javascript:1", ""),
        ("instagram", "17841400000000000", ""),
        ("reels", "1", ""),
    ],
)
def test_a_page_is_offered_only_for_an_id_that_looks_like_one(
    platform: str, content_id: str, page: str
) -> None:
    told = ContentRecord.model_validate(record(1, platform=platform, content_id=content_id))
    assert page_of(told, practice=False) == page
    assert page_of(told, practice=True) == ""


def test_a_post_that_was_planned_here_did_not_come_through_the_api(
    qapp: QApplication, tmp_path: Path
) -> None:
    service = service_of_today()
    account = service.connections[0]["id"] if service.connections else service.add_account()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            opened.plan([NewPost(account, PostingPlatform.X, PostType.TEXT, "Ours", at=wall_clock() + HOUR)])
            await until(lambda: opened.sync.waiting == 0)
            ours = next(str(key) for key, one in service.posts.items() if one["description"] == "Ours")
            keep_history(service, [record(1, "Ours", scheduled_post_id=ours), record(2, "Theirs")])
            async with seen(opened) as pane:
                await listed(pane, 2)
                rows = {pane.model.index(row).data(): spoken(pane, row) for row in rows_of(pane)}
                assert "API" not in rows["Ours"]
                assert "via the API" in rows["Theirs"]
                await until(lambda: pane.details.title.text() == "Ours")
                assert pane.details.source.text() == "Published by Kalends"

    run(qapp, work)


@pytest.mark.parametrize(
    ("told", "shown", "more"),
    [
        ("published", "veröffentlicht", False),
        ("POSTED", "veröffentlicht", False),
        ("live", "veröffentlicht", False),
        ("PUBLIC", "veröffentlicht", False),
        ("failed", "fehlgeschlagen", True),
        ("under_review", "in Prüfung", True),
        ("IN_HOLOGRAM", "unbekannt", True),
        (None, "", False),
    ],
)
def test_the_status_is_told_in_the_language_that_is_spoken(told: str | None, shown: str, more: bool) -> None:
    one = ContentRecord.model_validate(record(1, "Words", status=told))
    use("de")
    try:
        assert status_words(one) == shown
        assert says_more(one) is more
    finally:
        use("en")


def test_values_that_this_version_does_not_know_are_told_in_words() -> None:
    use("de")
    try:
        assert status_tip(ContentRecord.model_validate(record(1, "Words", status="failed"))) == ""
        new = ContentRecord.model_validate(record(1, "Words", status="IN_HOLOGRAM"))
        assert status_tip(new) == "Der Dienst nennt diesen Status „IN_HOLOGRAM“."
        assert via_name("pigeon") == "„pigeon“"
        assert kind_name("hologram") == "Anderer Typ"
        strange = post("a", 0, status=PostStatus("in_hologram"))
        assert facts.status(strange) == ("Unbekannter Status", "text2")
        assert usage_status(SubscriptionStatus("frozen")) == ("unbekannt", "neutral")
    finally:
        use("en")


def test_what_the_user_published_from_their_inbox_is_theirs(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    """Only the attempts of a post say so."""
    [post] = service.posts
    step = {"step": "hand_over", "platform_code": None}
    service.attempts = {post: [attempt(str(post), "published") | step]}

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as pane:
            await listed(pane, 5)
            pane.toolbar.search.setText("WOO")
            await listed(pane, 1)
            await until(lambda: pane.details.source.text() == "Published by you")

    run(qapp, work)
