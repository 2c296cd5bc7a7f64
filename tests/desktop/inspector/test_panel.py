from pathlib import Path
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import Qt, QTime
from PySide6.QtGui import QAction, QFontMetrics, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.contract.base import format_timestamp
from app.contract.enums import PostStatus
from app.desktop.calendar.looks import Look, look_of, note_of
from app.desktop.calendar.placement import CardStyle
from app.desktop.connections.waiting import WaitingSheet
from app.desktop.inspector import Inspector
from app.desktop.inspector.platform_preview import _COMMENT, _LIKE, _Acts
from app.desktop.theme import theme
from app.desktop.widgets import Button, TailLabel
from app.desktop.words import day_and_time
from app.language import use
from app.workspace.clock import from_millis, wall_clock
from app.workspace.editing.schedule import in_zone
from app.workspace.messages import Message, MessageAction
from app.workspace.workspace import Workspace
from tests.desktop.browsing import Browser
from tests.desktop.running import run, service_of_today, shown, workspace
from tests.gallery.measure.fits import cut_texts
from tests.gallery.measure.texts import texts_of
from tests.workspace.model_by_hand import OFFER
from tests.workspace.model_places import keep_places
from tests.workspace.model_service import ModelService
from tests.workspace.model_tiktok import ModelTikTok
from tests.workspace.opened import settled, until

LISBON = ZoneInfo("Europe/Lisbon")
DAY, HOUR = 86_400_000, 3_600_000
NOON = (wall_clock() // DAY + 2) * DAY + DAY // 2


def only(opened: Workspace) -> str:
    return opened.posts.all()[0].key


def entries(panel: Inspector) -> list[str]:
    return [action.text() for action in panel.menu().actions()]


def entry(panel: Inspector, words: str) -> QAction:
    return next(action for action in panel.menu().actions() if action.text() == words)


async def ready(panel: Inspector) -> None:
    await until(lambda: panel.has_loaded)


def test_a_planned_post_is_shown_whole_with_its_time(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_post(service.add_account(), NOON, "First line\n" + "word " * 300)

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(Inspector(opened, LISBON, only(opened))) as panel,
        ):
            await ready(panel)
            assert panel.preview.text.words == "First line\n" + "word " * 300
            assert panel.time.clock.text() == f"{in_zone(NOON, LISBON):%H:%M}"
            assert panel.time.zone.text().startswith("Lisbon · UTC+")
            assert panel.time.left.text().startswith("in ")
            assert panel.head.status.text() == "Scheduled"
            entry(panel, "Copy text").trigger()
            assert QGuiApplication.clipboard().text().startswith("First line\nword")

    run(qapp, work)


def test_it_is_moved_cancelled_and_brought_back(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_post(service.add_account(), NOON)

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(Inspector(opened, LISBON, only(opened))) as panel,
        ):
            await ready(panel)
            panel.move_button.click()
            assert not panel.edit_button.isVisible()
            panel.form.when.time.setTime(QTime(17, 45))
            panel.form.move_button.click()
            assert panel.edit_button.isVisible()
            moved = opened.posts.all()[0].at
            assert f"{in_zone(moved, LISBON):%H:%M}" == "17:45"
            told: list[Message] = []
            panel.told.connect(told.append)
            entry(panel, "Cancel post").trigger()
            assert opened.posts.all()[0].status is PostStatus.CANCELLED
            assert told.pop().text.startswith("Cancelled: “text”, ")
            assert panel.head.status.text() == "Cancelled"
            assert not panel.time.left.isVisible(), "it counts down to nothing"
            assert "Cancel post" not in entries(panel)
            assert panel.move_button.text() == "Schedule again…"
            panel.move_button.click()
            panel.form.when.time.setTime(QTime(18, 15))
            assert not panel.form.refusal.isVisible()
            panel.form.move_button.click()
            assert opened.posts.all()[0].status is PostStatus.SCHEDULED
            moved = opened.posts.all()[0].at
            when = day_and_time(in_zone(moved, LISBON))
            assert when.endswith("18:15")
            assert [one.text for one in told] == [f"“text” is scheduled again for {when}."]
            assert told[0].action == MessageAction("Undo", "undo_step", str(opened.history[0].id))
            await settled(opened)
            assert opened.posts.all()[0].at == moved

    run(qapp, work)


def test_its_status_and_buttons_are_whole_in_large_german_text(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_post(service.add_account(), NOON, "Launch teaser")

    async def work() -> None:
        theme.apply(qapp, "light", 2.0)
        use("de")
        async with (
            workspace(tmp_path, service) as opened,
            shown(Inspector(opened, LISBON, only(opened))) as panel,
        ):
            await ready(panel)

            def is_below_the_name() -> bool:
                # Each time, because the panel shows the post's own status again when the sync is done.
                panel.head.show_status("Geplant · von Hand veröffentlichen", "text2")
                return panel.head.status.x() == 0

            await until(is_below_the_name)
            assert not list(cut_texts(texts_of(panel)))
            assert panel.move_button.width() >= panel.move_button.sizeHint().width()

    try:
        run(qapp, work)
    finally:
        use("en")
        theme.apply(qapp, "light")


def test_reactions_share_their_line_by_their_words(qapp: QApplication, qtbot: QtBot) -> None:
    theme.apply(qapp, "light")
    acts = _Acts((_LIKE, _COMMENT, _LIKE))
    qtbot.addWidget(acts)
    line = QFontMetrics(theme.current().font("card"))
    acts.resize(sum(line.horizontalAdvance(words) for words in (_LIKE, _COMMENT, _LIKE)) + 6, 40)
    acts.show()
    assert [text.words for text in texts_of(acts)] == [_LIKE, _COMMENT, _LIKE]
    assert not list(cut_texts(texts_of(acts)))


def test_a_failed_post_says_why_and_offers_nothing_untrue(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    post_id = service.add_post(service.add_account(), wall_clock() - DAY, status="failed")
    moment = format_timestamp(from_millis(wall_clock() - DAY))
    attempt = {
        "id": str(uuid4()),
        "post_id": post_id,
        "step": "publish",
        "outcome": "refused",
        "started_at": moment,
        "finished_at": moment,
        "platform_code": "187",
        "platform_message": "Status is a duplicate.",
        "advice": "Change the text.",
    }
    service.attempts = {UUID(post_id): [attempt]}

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(Inspector(opened, LISBON, only(opened))) as panel,
        ):
            outcome = panel.outcome
            await until(lambda: outcome.headline.text() == "X already has a post like this one.")
            assert outcome.advice.text() == "Change the text."
            assert not outcome.details.isVisible()
            outcome.details_button.click()
            assert outcome.details.isVisible()
            assert outcome.details.text().endswith("refused (187). Status is a duplicate.")
            assert panel.head.status.text() == "Failed"
            asked: list[str] = []
            panel.writeAgain.connect(asked.append)
            outcome.write_button.click()
            assert asked == [only(opened)]
            assert not outcome.connect_button.isVisible()
            assert not outcome.look_button.isVisible()
            assert not panel.move_button.isVisible()
            assert "Cancel post" not in entries(panel)

    run(qapp, work)


def test_a_post_that_failed_for_want_of_access_leads_to_connecting_again(
    qapp: QApplication, tmp_path: Path, service: ModelService, browser: Browser
) -> None:
    service.add_post(service.add_account(available=False), wall_clock() - DAY, status="failed")

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(Inspector(opened, LISBON, only(opened))) as panel,
        ):
            await ready(panel)
            panel.outcome.connect_button.click()
            await until(lambda: bool(browser.opened))
            sheet = panel.window().findChild(WaitingSheet)
            assert isinstance(sheet, WaitingSheet)
            sheet.dismiss()
            service.connections[-1]["is_available"] = True
            await opened.refresh()
            await until(lambda: not panel.outcome.connect_button.isVisible())

    run(qapp, work)


def test_it_follows_what_happens_elsewhere(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    post_id = service.add_post(service.add_account(), NOON)

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(Inspector(opened, LISBON, only(opened))) as panel,
        ):
            await ready(panel)
            service.posts[UUID(post_id)] |= {
                "status": "posted",
                "posted_at": format_timestamp(from_millis(NOON)),
            }
            await opened.refresh()
            assert panel.head.status.text() == "Published"
            assert not panel.move_button.isVisible()
            await until(lambda: panel.time.note.text().startswith("Published "))

    run(qapp, work)


def test_a_post_that_is_not_there_is_said_to_be_gone(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(Inspector(opened, LISBON, "nothing")) as panel,
        ):
            assert panel.note.text() == "This post no longer exists."
            ends: list[str] = []
            panel.closed.connect(lambda: ends.append("closed"))
            panel.setFocus()
            QTest.keyClick(panel.head.close_button, Qt.Key.Key_Escape)
            assert ends == ["closed"]
            await until(lambda: panel.head.status.text() == "Gone")

    run(qapp, work)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_any_text_renders(
    qapp: QApplication, tmp_path: Path, service: ModelService, mode: theme.Mode
) -> None:
    account = service.add_account()
    service.connections[-1] |= {"display_name": "م" * 200, "username": "🦊" * 100}
    service.add_post(account, NOON, "<img src=x> " + "long" * 1_000)

    async def work() -> None:
        theme.apply(qapp, mode)
        async with (
            workspace(tmp_path, service) as opened,
            shown(Inspector(opened, LISBON, only(opened))) as panel,
        ):
            await ready(panel)
            panel.resize(440, 600)
            assert panel.grab().width() == 440
            assert panel.preview.text.words.startswith("<img src=x> ")

    run(qapp, work)


def test_what_will_fail_is_said_with_its_reasons_until_it_is_settled(
    qapp: QApplication, tmp_path: Path
) -> None:
    service = service_of_today()
    account = service.add_account()
    start = service.clock() + 2 * DAY
    service.add_post(account, start, "one")
    key = service.add_post(account, start + 20 * 60_000, "word " * 80)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(Inspector(opened, LISBON, key)) as panel:
            await until(panel.obstacles.text)
            assert panel.obstacles.text().startswith("120 characters too long for X (limit 280)")
            assert "Two X posts 20 minutes apart" in panel.obstacles.text()
            named = [line.text() for line in panel.obstacles.findChildren(TailLabel)]
            assert [text.partition(" ")[0] for text in named] == ["one", "word"]  # only of two posts
            assert panel.obstacles.isVisible()
            service.connections[0]["is_available"] = False
            await opened.refresh()
            await until(lambda: panel.obstacles.text().startswith("Reconnect "))
            kinds = {button.text(): button.kind() for button in panel.obstacles.findChildren(Button)}
            assert (kinds["Reconnect"], panel.edit_button.kind()) == ("primary", "secondary")
            opened.cancel([key])
            await until(lambda: not panel.obstacles.isVisible())

    run(qapp, work)


def test_a_post_with_an_unsent_change_isn_t_called_ready(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    at = service.clock() + 2 * DAY
    key = service.add_post(service.add_account(), at)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(Inspector(opened, LISBON, key)) as panel:
            await until(panel.obstacles.ready.isVisible)
            service.online = False
            opened.move({key: at + DAY})
            await until(lambda: panel.note.text() == "Your last change hasn't reached the service yet.")
            assert not panel.obstacles.ready.isVisible()
            assert panel.note.tone() == "warn"
            service.online = True
            await opened.refresh()
            await until(panel.obstacles.ready.isVisible)
            assert not panel.note.isVisible()

    run(qapp, work)


def test_a_post_to_tiktok_says_who_can_see_it(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    tiktok = ModelTikTok(service)
    post_id = service.add_post(service.add_account("tiktok"), NOON)
    [post] = service.posts.values()
    post["platform"] = "tiktok"
    tiktok.posts[post_id] = {"privacy": "MUTUAL_FOLLOW_FRIENDS", "your_brand": True, "ai_generated": True}

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await until(lambda: opened.tiktok.offered)
            async with shown(Inspector(opened, LISBON, only(opened))) as panel:
                await ready(panel)
                assert panel.pin.text() == "On TikTok: Friends · Promotional content · AI-generated"

    run(qapp, work)


def test_a_post_in_the_tiktok_inbox_gives_its_text_to_the_user(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    tiktok = ModelTikTok(service)
    at = wall_clock() - 60_000
    post_id = service.add_post(service.add_account("tiktok"), at, "Winding wool", status="processing")
    [there] = service.posts.values()
    there["platform"] = "tiktok"
    tiktok.in_inbox = [str(post_id)]
    moment = format_timestamp(from_millis(at))
    handed = {"step": "hand_over", "outcome": "in_inbox", "started_at": moment, "finished_at": moment}
    unsaid = dict.fromkeys(("content_id", "platform_code", "platform_message", "advice"))
    service.attempts = {UUID(post_id): [{"id": str(uuid4()), "post_id": post_id, **handed, **unsaid}]}

    async def work() -> None:
        assert service.attempts is not None
        async with workspace(tmp_path, service) as opened:
            await until(lambda: any(post.is_in_inbox for post in opened.posts.all()))
            async with shown(Inspector(opened, LISBON, only(opened))) as panel:
                await ready(panel)
                assert panel.head.status.text() == "In your inbox"
                block = panel.in_inbox
                assert block.headline.text() == "In your TikTok inbox: finish it there"
                block.copy_button.click()
                assert QGuiApplication.clipboard().text() == "Winding wool"
                block.qr_code.button.click()
                await until(lambda: block.qr_code.code.has_image)
                assert not panel.move_button.isVisible()
                [post] = opened.posts.all()
                assert look_of(post, wall_clock()) is Look.FOR_USER
                assert note_of(post, Look.FOR_USER, CardStyle.TIMED) == "In your TikTok inbox"

                there.update(status="posted", posted_at=format_timestamp(from_millis(at)))
                tiktok.in_inbox = []
                service.attempts[UUID(post_id)][0]["outcome"] = "published"
                await opened.refresh()
                await until(lambda: not block.isVisible())
                await until(lambda: panel.head.status.text() == "Published by you")

    run(qapp, work)


def test_a_post_to_mastodon_says_what_was_chosen_for_it(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    places = keep_places(service, servers=True)
    options = {"content_warning": "Moths", "visibility": "private", "language": "de"}
    body = {"social_account_id": places.add_account("mastodon"), "platform": "mastodon"}
    places._store({**body, "description": "Wool", "options": options}, NOON, "scheduled")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await opened.refresh()
            async with shown(Inspector(opened, LISBON, only(opened))) as panel:
                await ready(panel)
                told = "Content warning: Moths\nVisibility: Followers only\nLanguage: Deutsch"
                assert panel.pin.text() == told
                assert panel.preview.title.text() == "Moths"

    run(qapp, work)


@pytest.mark.parametrize("is_there", [True, False])
def test_after_a_lost_answer_the_user_says_what_is_there(
    qapp: QApplication, tmp_path: Path, service: ModelService, *, is_there: bool
) -> None:
    service.offers = ("outcomes",)
    post_id = service.add_post(service.add_account(), wall_clock() - DAY, status="failed")
    moment = format_timestamp(from_millis(wall_clock() - DAY))
    attempt = {
        "id": str(uuid4()),
        "post_id": post_id,
        "step": "publish",
        "outcome": "unknown",
        "started_at": moment,
        "finished_at": moment,
        "platform_code": None,
        "platform_message": None,
        "advice": "Look there.",
    }
    service.attempts = {UUID(post_id): [attempt]}

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(Inspector(opened, LISBON, only(opened))) as panel,
        ):
            await ready(panel)
            await until(panel.outcome.there_button.isVisible)
            assert panel.head.status.text() == "Possibly published"
            again: list[str] = []
            panel.writeAgain.connect(again.append)
            button = panel.outcome.there_button if is_there else panel.outcome.absent_button
            button.click()
            await until(lambda: not panel.outcome.there_button.isVisible())
            assert panel.head.status.text() == ("Published" if is_there else "Failed")
            await until(lambda: again == ([] if is_there else [only(opened)]))
            await opened.refresh()
            assert not opened.posts.all()[0].may_be_live
            assert panel.outcome.isVisible() is not is_there

    run(qapp, work)


def test_the_menu_lets_the_user_publish_a_post_by_hand_and_gives_it_back(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.practice, service.offers = False, [*service.offers, OFFER, "finishing"]
    key = service.add_post(service.add_account(), NOON)

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(Inspector(opened, LISBON, key)) as panel,
        ):
            await ready(panel)
            told: list[Message] = []
            panel.told.connect(told.append)
            entry(panel, "Publish by hand").trigger()
            await until(lambda: told)
            assert told.pop().text == "You publish this post by hand. Kalends reminds you."
            assert panel.head.status.text() == "Scheduled · publish by hand"
            await until(lambda: "Let Kalends publish it" in entries(panel))
            entry(panel, "Let Kalends publish it").trigger()
            await until(lambda: told)
            assert told.pop().text == "Kalends publishes this post."
            assert panel.head.status.text() == "Scheduled"

    run(qapp, work)
