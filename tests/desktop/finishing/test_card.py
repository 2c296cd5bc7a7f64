"""Journeys on the card, by mouse and by keyboard, in a real window."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.contract.enums import PostStatus
from app.desktop.finishing.card import FinishingCard, composer_page
from app.workspace.clock import wall_clock
from tests.desktop.browsing import Browser
from tests.desktop.running import LISBON, run, workspace
from tests.workspace.media.samples import picture
from tests.workspace.model_places import ModelPlaces, keep_places
from tests.workspace.model_service import ModelService
from tests.workspace.opened import Opened, settled, until

MINUTE = 60_000
FILE = "me/coat-0a1b2c3d.jpg"
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def places(service: ModelService) -> ModelPlaces:
    return keep_places(service)


def due(places: ModelPlaces, *texts: str, media: str = "") -> list[str]:
    """Posts that are due, oldest first."""
    account = places.add_account("x-by-hand")
    now = wall_clock()
    return [
        places.add_post_by_hand(account, now - (len(texts) - place) * MINUTE, text, media=media)
        for place, text in enumerate(texts)
    ]


@asynccontextmanager
async def presented(
    folder: Path, service: ModelService, *, undo_ms: int = 60_000
) -> AsyncIterator[tuple[FinishingCard, Opened]]:
    async with workspace(folder, service) as opened:
        card = FinishingCard(opened, LISBON, undo_ms=undo_ms)
        card.present(is_asked=True)
        try:
            await until(lambda: not card.key or card.content.text.toPlainText())
            yield card, opened
        finally:
            card.close()
            card.deleteLater()


def click(button: QWidget) -> None:
    assert button.isVisible()
    QTest.mouseClick(button, LEFT)


async def after_a_double_click() -> None:
    """Until a click can't belong to the one before."""
    await asyncio.sleep(1.5 * QApplication.doubleClickInterval() / 1_000)


def undo_button(card: FinishingCard) -> QWidget:
    assert card.strip is not None
    return card.strip.ways()[0]


def effects(places: ModelPlaces) -> list[str]:
    return [one for one in places.effects if one.startswith(("finished", "taken back"))]


def test_a_post_is_handed_over_by_mouse(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces, browser: Browser
) -> None:
    (key,) = due(places, "Wool & felt #wool")
    clipboard = QGuiApplication.clipboard()

    async def work() -> None:
        clipboard.setText("copied before")
        async with presented(tmp_path, service) as (card, opened):
            assert card.windowTitle() == "1 post is waiting for you"
            assert card.account.text() == "X · @account1"
            assert not card.list.isVisible()
            click(card.open_button)
            await until(lambda: browser.opened)
            assert browser.opened == ["https://x.com/intent/post?text=Wool%20%26%20felt%20%23wool"]
            assert clipboard.text() == "Wool & felt #wool"
            assert card.done_button.kind() == "primary"
            card.address.setText("https://x.com/mira/status/1")
            click(card.done_button)
            await until(lambda: effects(places))
            assert effects(places) == ["finished Wool & felt #wool https://x.com/mira/status/1"]
            await until(lambda: card.strip is not None)
            assert clipboard.text() == "copied before"
            assert card.empty.isVisible()
            await until(undo_button(card).isVisible)
            click(undo_button(card))
            await until(lambda: card.key == key)
            assert effects(places)[-1] == f"taken back {key}"
            assert [post.key for post in opened.finishing.waiting()] == [key]

    run(qapp, work)


def test_a_post_is_handed_over_by_keyboard_alone(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces, browser: Browser
) -> None:
    due(places, "Wool")

    async def work() -> None:
        async with presented(tmp_path, service) as (card, _opened):
            await until(card.open_button.hasFocus)
            QTest.keyClick(card.open_button, Qt.Key.Key_Return)
            await until(lambda: browser.opened)
            QTest.keyClick(card, Qt.Key.Key_Tab)
            assert card.address.hasFocus()
            QTest.keyClicks(card.address, "x.com/mira")
            QTest.keyClick(card.address, Qt.Key.Key_Return)
            await until(card.field.error)
            assert card.field.error() == "Enter a web address that starts with https://."
            assert card.address.hasFocus()
            assert effects(places) == []
            card.address.clear()
            QTest.keyClicks(card.address, "https://x.com/mira/status/1")
            QTest.keyClick(card.address, Qt.Key.Key_Return)
            await until(lambda: effects(places))
            await until(lambda: card.strip is not None and undo_button(card).hasFocus())
            QTest.keyClick(undo_button(card), Qt.Key.Key_Space)
            await until(lambda: len(effects(places)) == 2)
            await until(card.open_button.hasFocus)
            QTest.keyClick(card, Qt.Key.Key_Escape)
            assert not card.isVisible()
            assert len(effects(places)) == 2

    run(qapp, work)


def test_the_tab_order_goes_from_the_text_to_done(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    due(places, "Wool", "Felt")

    async def work() -> None:
        async with presented(tmp_path, service) as (card, _opened):
            order = [
                card.list,
                card.content.text,
                card.content.copy_text,
                card.content.qr_code.button,
                card.open_button,
                card.address,
                card.skip_button,
                card.later_button,
                card.done_button,
            ]
            card.list.setFocus(Qt.FocusReason.TabFocusReason)
            for one in order:
                assert one.hasFocus(), one
                QTest.keyClick(card, Qt.Key.Key_Tab)
            named = [QAccessible.queryAccessibleInterface(one).text(QAccessible.Text.Name) for one in order]
            assert named == [
                "Posts waiting for you",
                "Text of the post",
                "Copy text",
                "Show QR code",
                "Open X",
                "Address of the post (optional)",
                "Skip",
                "Later",
                "Done",
            ]

    run(qapp, work)


def test_three_due_at_once_are_worked_through_one_by_one(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    first, second, third = due(places, "One", "Two", "Three")

    async def work() -> None:
        async with presented(tmp_path, service) as (card, opened):
            assert card.list.isVisible()
            assert card.list.count() == 3
            assert card.windowTitle() == "3 posts are waiting for you"
            assert card.key == first
            click(card.done_button)
            await until(lambda: card.key == second)
            await until(lambda: card.content.text.toPlainText() == "Two" and card.strip is not None)
            await after_a_double_click()
            click(card.skip_button)
            assert card.key == third
            assert not card.list.isVisible()
            skipped = opened.posts.get(second)
            assert skipped is not None
            assert skipped.status is PostStatus.CANCELLED
            await until(undo_button(card).isVisible)
            click(undo_button(card))
            await settled(opened)
            back = opened.posts.get(second)
            assert back is not None
            assert back.status is PostStatus.SCHEDULED
            menu = card.later_menu()
            names = [action.text() for action in menu.actions()]
            assert names[:2] == ["In 15 minutes", "In 1 hour"]
            assert names[2].startswith("Tomorrow at ")
            before = wall_clock()
            menu.actions()[1].trigger()
            assert card.key == ""
            later = opened.posts.get(third)
            assert later is not None
            assert 0 <= later.at - before - 60 * MINUTE < MINUTE
            assert later.status is PostStatus.SCHEDULED

    run(qapp, work)


def test_another_post_is_chosen_from_the_list(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    first, second = due(places, "One", "Two")

    async def work() -> None:
        async with presented(tmp_path, service) as (card, _opened):
            assert card.key == first
            card.list.setFocus()
            QTest.keyClick(card.list, Qt.Key.Key_Down)
            assert card.key == second
            await until(lambda: card.content.text.toPlainText() == "Two")

    run(qapp, work)


def test_the_list_stays_where_it_is_when_another_post_is_due(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    due(places, *"ABCDEFGH")

    async def work() -> None:
        async with presented(tmp_path, service) as (card, opened):
            QApplication.sendPostedEvents()
            bar = card.list.verticalScrollBar()
            bar.setValue(place := bar.maximum())
            due(places, "I")
            await opened.refresh()
            assert card.list.count() == 9
            QApplication.sendPostedEvents()
            assert bar.value() == place > 0

    run(qapp, work)


def test_another_time_is_chosen_in_a_form(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    (key,) = due(places, "One")

    async def work() -> None:
        async with presented(tmp_path, service) as (card, opened):
            card.later_menu().actions()[-1].trigger()
            assert card.form.isVisible()
            assert card.form.move_button.text() == "Remind me"
            assert card.open_button.kind() == "secondary"  # the form has the one main button
            assert not card.done_button.isVisible()
            QTest.keyClick(card, Qt.Key.Key_Escape)
            assert card.isVisible()
            assert card.done_button.isVisible()
            assert card.open_button.kind() == "primary"
            card.later_menu().actions()[-1].trigger()
            click(card.form.move_button)
            moved = opened.posts.get(key)
            assert moved is not None
            assert moved.at > wall_clock()

    run(qapp, work)


def test_the_clipboard_is_given_back_unless_something_else_was_copied(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    due(places, "One")
    clipboard = QGuiApplication.clipboard()

    async def work() -> None:
        async with presented(tmp_path, service) as (card, _opened):
            clipboard.setText("before")
            click(card.content.copy_text)
            assert clipboard.text() == "One"
            card.close()
            assert clipboard.text() == "before"
            card.present(is_asked=True)
            click(card.content.copy_text)
            clipboard.setText("meanwhile")
            card.close()
            assert clipboard.text() == "meanwhile"

    run(qapp, work)


def test_the_file_is_dragged_or_copied_as_a_real_local_file(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces, browser: Browser
) -> None:
    service.files[FILE] = picture(tmp_path).read_bytes()
    service.offers = [*service.offers, "media"]
    service.described[FILE] = {"alt_text": "A brown coat"}
    due(places, "One", media=FILE)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await opened.media.library.refresh()
            card = FinishingCard(opened, LISBON)
            card.present(is_asked=True)
            await until(lambda: card.content.tile.file is not None)
            file = card.content.tile.file
            assert file is not None
            assert (file.name, file.read_bytes()) == ("coat.jpg", service.files[FILE])
            assert [url.toLocalFile() for url in card.content.tile.carried().urls()] == [str(file)]
            click(card.content.copy_alt_text)
            assert QGuiApplication.clipboard().text() == "A brown coat"
            click(card.content.tile.copy_button)
            assert [url.toLocalFile() for url in QGuiApplication.clipboard().mimeData().urls()] == [str(file)]
            click(card.content.tile.folder_button)
            assert browser.files == [file.parent]
            card.close()
            card.deleteLater()

    run(qapp, work)


@pytest.mark.parametrize("verb", ["skip_button", "done_button"])
def test_a_double_click_takes_only_the_post_that_was_shown(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces, verb: str
) -> None:
    first, second, _ = due(places, "One", "Two", "Three")

    async def work() -> None:
        async with presented(tmp_path, service) as (card, opened):
            assert card.key == first
            click(getattr(card, verb))
            await until(lambda: card.key == second)
            click(getattr(card, verb))
            await settled(opened)
            assert card.key == second
            await after_a_double_click()
            click(getattr(card, verb))
            await until(lambda: card.key != second)

    run(qapp, work)


def test_a_menu_changes_only_the_post_that_it_was_opened_for(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    first, second = due(places, "One", "Two")

    async def work() -> None:
        async with presented(tmp_path, service) as (card, opened):
            menu = card.later_menu()
            await opened.finishing.finish(first)
            await until(lambda: card.key == second)
            before = opened.posts.get(second)
            menu.actions()[1].trigger()
            menu.actions()[-1].trigger()
            assert opened.posts.get(second) == before
            assert card.strip is not None
            assert card.strip.accessibleName().endswith("This post isn't waiting any more.")
            assert not card.form.isVisible()

    run(qapp, work)


def test_a_report_that_cannot_be_sent_is_shown_and_nothing_is_lost(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    (key,) = due(places, "One")

    async def work() -> None:
        async with presented(tmp_path, service) as (card, _opened):
            service.online = False
            click(card.done_button)
            await until(lambda: card.strip is not None)
            assert card.strip is not None
            assert "can't be reached" in card.strip.accessibleName()
            assert card.key == key
            assert card.done_button.isEnabled()
            service.online = True

    run(qapp, work)


def test_the_card_closes_by_itself_once_undo_is_no_longer_offered(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    due(places, "One")

    async def work() -> None:
        async with presented(tmp_path, service, undo_ms=50) as (card, _opened):
            card.present(is_asked=False)
            click(card.done_button)
            await until(lambda: card.strip is not None)
            card.setFocus()  # a strip with the focus stays
            await until(lambda: not card.isVisible())

    run(qapp, work)


@pytest.mark.parametrize(
    ("platform", "text", "page"),
    [
        ("x-by-hand", "Grüße & mehr", "https://x.com/intent/post?text=Gr%C3%BC%C3%9Fe%20%26%20mehr"),
        ("x-by-hand", "é" * 4_000, "https://x.com/intent/post?text="),
        ("instagram-by-hand", "Wool", "https://www.instagram.com/"),
        ("x", "Wool", "https://x.com/intent/post?text=Wool"),
        ("tiktok", "Wool", "https://www.tiktok.com/tiktokstudio/upload"),
    ],
)
def test_the_composer_gets_the_text_where_it_fits(platform: str, text: str, page: str) -> None:
    assert composer_page(platform, text) == page
