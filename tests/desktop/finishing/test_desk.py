"""When the card shows: asked for, from the sidebar, the tray and notifications, or by itself."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.contract.enums import PostStatus
from app.desktop.background.tray import Tray
from app.desktop.finishing.words import finished_message
from app.desktop.notices import Teller
from app.desktop.shell.window import MainWindow
from app.workspace.clock import wall_clock
from app.workspace.messages import MessageAction
from app.workspace.notices.notice import ASK_LATER, SKIP, Notice, NoticeKind
from tests.desktop.browsing import Browser
from tests.desktop.finishing.test_card import MINUTE, due
from tests.desktop.running import LISBON, furnish, run, shown, workspace
from tests.workspace.model_places import ModelPlaces, keep_places
from tests.workspace.model_service import ModelService
from tests.workspace.opened import QUICK, opened, settled, until

PACE = replace(QUICK, notices=0.02, notices_again=0.1, notices_look=0.02)


@pytest.fixture
def places(service: ModelService) -> ModelPlaces:
    return keep_places(service)


def window_in(folder: Path) -> MainWindow:
    return MainWindow(QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat), LISBON)


def test_sidebar_status_line_and_tray_say_how_many_posts_wait(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    keys = due(places, "One", "Two")

    async def work() -> None:
        window = window_in(tmp_path)
        async with workspace(tmp_path, service) as made, shown(window, (1280, 800)):
            controller = furnish(window, made)
            tray = Tray(window)
            tray.follow(controller)
            item = window.rail.waiting
            assert item.isVisible()
            assert item.accessibleDescription() == "2 posts are waiting for you"
            assert "2 posts are waiting for you" in window.status.accessibleName()
            assert tray.waiting.text() == "2 posts are waiting for you"
            QTest.mouseClick(item, Qt.MouseButton.LeftButton)
            assert controller.finishing.is_shown
            for key in keys:
                await made.finishing.finish(key)
            tray.refresh()
            assert not item.isVisible()
            assert "wait" not in window.status.accessibleName()
            assert not tray.waiting.isVisible()
            controller.close()
            assert controller.finishing.card is None

    run(qapp, work)


def test_after_a_start_the_card_opens_by_itself_in_front_of_the_user(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    (key,) = due(places, "Due while Kalends was closed")

    async def work() -> None:
        window = window_in(tmp_path)
        async with opened(tmp_path, service, pace=PACE) as made, shown(window, (1280, 800)):
            await made.refresh()
            controller, teller = furnish(window, made), Teller(window)
            teller.follow(controller)
            await until(lambda: controller.finishing.is_shown)
            assert controller.finishing.card is not None
            assert controller.finishing.card.key == key
            # The user may be typing in the window.
            assert controller.finishing.card.testAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
            await teller.close()
            controller.close()

    run(qapp, work)


@pytest.mark.parametrize("is_wanted", [True, False])
def test_elsewhere_a_notification_is_sent_instead(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces, is_wanted: bool
) -> None:
    (key,) = due(places, "Wool")

    async def work() -> None:
        window, told = window_in(tmp_path), list[Notice]()
        async with opened(tmp_path, service, pace=PACE) as made, shown(window, (1280, 800)):
            await made.refresh()
            controller = furnish(window, made)
            window.preferences.choose(NoticeKind.BY_HAND, on=is_wanted)
            window.hide()
            await until(lambda: QApplication.activeWindow() is None)

            def take(notice: Notice) -> bool:
                told.append(notice)
                return True

            teller = Teller(window, take)
            teller.follow(controller)
            await (until(lambda: told) if is_wanted else asyncio.sleep(0.3))
            assert [(one.title, one.text) for one in told] == (
                [("Publish on X now", "Wool\nAccount 1")] if is_wanted else []
            )
            labels = [action.label for one in told for action in (one.action, *one.others)]
            assert labels == (["Open", "Later", "Skip"] if is_wanted else [])
            card = controller.finishing.card
            assert card is None
            teller._act(MessageAction("Open", "finish", key))
            await until(lambda: controller.finishing.is_shown)
            assert not window.isVisible()
            await teller.close()
            controller.close()

    run(qapp, work)


def test_later_and_skip_of_a_notification_need_no_window(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    later, skipped = due(places, "One", "Two")

    async def work() -> None:
        window = window_in(tmp_path)
        async with workspace(tmp_path, service) as made, shown(window, (1280, 800)):
            controller = furnish(window, made)
            controller.act(MessageAction("Later", ASK_LATER, later))
            controller.act(MessageAction("Skip", SKIP, skipped))
            await settled(made)
            states = {post.key: (post.status, post.at) for post in made.posts}
            assert states[skipped][0] is PostStatus.CANCELLED
            status, at = states[later]
            assert status is PostStatus.SCHEDULED
            assert abs(at - wall_clock() - 15 * MINUTE) < MINUTE
            controller.act(MessageAction("Skip", SKIP, later))  # an old notification: it no longer waits
            assert made.posts.get(later)
            assert [post.status for post in made.posts if post.key == later] == [PostStatus.SCHEDULED]
            assert not controller.finishing.is_shown
            controller.close()

    run(qapp, work)


def test_the_inspector_hands_over_and_its_message_takes_back(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces, browser: Browser
) -> None:
    (key,) = due(places, "One")

    async def work() -> None:
        window = window_in(tmp_path)
        async with workspace(tmp_path, service) as made, shown(window, (1280, 800)):
            controller = furnish(window, made)
            controller.finishing.hand_over(key)
            await until(lambda: browser.opened)
            assert browser.opened == ["https://x.com/intent/post?text=One"]
            await made.finishing.finish(key)
            action = finished_message(key).action
            assert action is not None
            controller.act(action)
            await until(made.finishing.waiting)
            controller.close()

    run(qapp, work)
