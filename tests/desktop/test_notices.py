"""Where a person is told: not of what they see, in the window while they are there, else by the system."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, time, timedelta
from pathlib import Path
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QSettings, QTime
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QApplication

from app.contract.base import format_timestamp
from app.desktop.inspector import Inspector
from app.desktop.notices import Teller
from app.desktop.settings.background import NotificationsSection
from app.desktop.shell.main_controller import MainController
from app.desktop.shell.window import MainWindow
from app.desktop.theme import theme
from app.workspace.clock import from_millis, wall_clock
from app.workspace.messages import MessageAction
from app.workspace.notices.notice import COPY_TEXT, NoticeKind
from app.workspace.preferences import QuietHours
from tests.desktop.notices_center import bus, center, needs_dbus
from tests.desktop.running import furnish, run, service_of_today, shown
from tests.workspace.model_service import ModelService
from tests.workspace.model_tiktok import ModelTikTok
from tests.workspace.opened import QUICK, opened, until

LISBON = ZoneInfo("Europe/Lisbon")
PACE = replace(QUICK, notices=0.05, notices_again=0.5, notices_look=0.05)
FAILED = "Not published on X\nFitting notes\nThe service didn't say why."


@pytest.fixture
def service(qapp: QApplication) -> ModelService:
    theme.apply(qapp, "light")
    made = service_of_today()
    made.practice = False
    made.add_account()
    return made


def planned(service: ModelService) -> str:
    return service.add_post(service.connections[0]["id"], wall_clock() + 60_000, "Fitting notes")


def fail(service: ModelService, key: str) -> None:
    service.posts[UUID(key)]["status"] = "failed"


def publish(service: ModelService, key: str) -> None:
    moment = format_timestamp(from_millis(wall_clock() + 1_000))
    service.posts[UUID(key)].update(status="posted", posted_at=moment)


@asynccontextmanager
async def told(folder: Path, service: ModelService) -> AsyncIterator[tuple[MainController, Teller]]:
    """A window that tells; the calendar is what shows."""
    window = MainWindow(QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat), LISBON)
    async with opened(folder, service, pace=PACE) as workspace, shown(window, (1280, 800)):
        await workspace.refresh()
        controller = furnish(window, workspace)
        teller = Teller(window)
        teller.follow(controller)
        try:
            await until(lambda: workspace.posts)
            yield controller, teller
        finally:
            await teller.close()
            controller.close()


async def leave(controller: MainController) -> None:
    """The person goes elsewhere."""
    controller.window.hide()
    await until(lambda: QApplication.activeWindow() is None)


def test_what_shows_is_not_told(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    key = planned(service)

    async def work() -> None:
        async with told(tmp_path, service) as (controller, _):
            fail(service, key)
            await until(lambda: controller.workspace.posts.get(key).reason)  # type: ignore[union-attr]
            await asyncio.sleep(0.3)
            assert controller.window.messages.texts() == []

    run(qapp, work)


def test_at_another_place_of_the_window_it_is_said_there(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    key = planned(service)

    async def work() -> None:
        async with told(tmp_path, service) as (controller, _):
            controller.window.go("usage")
            fail(service, key)
            await until(lambda: controller.window.messages.texts() == [FAILED])
            controller.window.messages.focus_newest()
            button = QApplication.focusWidget()
            assert isinstance(button, QAbstractButton)
            assert button.text() == "See why"
            button.click()
            assert isinstance(controller.window.side, Inspector)
            assert controller.window.side.key == key

    run(qapp, work)


@needs_dbus
def test_elsewhere_the_system_tells_and_a_click_leads_to_the_post(
    qapp: QApplication, tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = planned(service)

    async def work() -> None:
        async with center("actions", "body") as desk, told(tmp_path, service) as (controller, _):
            await leave(controller)
            fail(service, key)
            await until(lambda: desk.shown)
            assert [one.title for one in desk.shown] == ["Not published on X"]
            await asyncio.sleep(0.05)  # nobody clicks while it is being shown
            desk.click(1, "go")
            await until(lambda: isinstance(controller.window.side, Inspector))
            assert controller.window.isVisible()
            assert controller.window.messages.texts() == []

    with bus(monkeypatch):
        run(qapp, work)


def test_where_the_system_tells_nothing_the_window_does(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    key = planned(service)

    async def work() -> None:
        async with told(tmp_path, service) as (controller, _):
            await leave(controller)
            fail(service, key)
            await until(lambda: controller.window.messages.texts() == [FAILED])

    run(qapp, work)


@pytest.mark.parametrize("all_off", [False, True])
def test_what_is_turned_off_is_not_told(
    qapp: QApplication, tmp_path: Path, service: ModelService, all_off: bool
) -> None:
    out, failing = planned(service), planned(service)

    async def work() -> None:
        async with told(tmp_path, service) as (controller, _):
            section = controller.settings.notifications
            (section.all if all_off else section.kinds[NoticeKind.PUBLISHED]).setChecked(False)
            controller.window.go("usage")
            publish(service, out)
            fail(service, failing)
            wanted = [] if all_off else [FAILED]
            await controller.workspace.refresh()
            await until(lambda: controller.window.messages.texts() == wanted)
            await asyncio.sleep(0.5)  # nothing else is said
            assert controller.window.messages.texts() == wanted

    run(qapp, work)


@pytest.mark.parametrize(
    ("action", "place"),
    [
        (MessageAction("Show", "show_connections"), "connections"),
        (MessageAction("Show in Media", "show_media"), "media"),
        (MessageAction("Show in Media", "show_file", "nowhere/coat.jpg"), "media"),
        (MessageAction("Reconnect", "reconnect", "gone"), "connections"),
    ],
)
def test_each_action_leads_somewhere(
    qapp: QApplication, tmp_path: Path, service: ModelService, action: MessageAction, place: str
) -> None:
    planned(service)

    async def work() -> None:
        async with told(tmp_path, service) as (controller, _):
            controller.act(action)
            assert getattr(controller, place).isVisible()

    run(qapp, work)


def test_reconnecting_begins_at_once(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    planned(service)
    key = service.add_account("linkedin", available=False)

    async def work() -> None:
        async with told(tmp_path, service) as (controller, _):
            controller.act(MessageAction("Reconnect", "reconnect", key))
            await until(lambda: service.reauthorized == [key])
            await until(lambda: controller.connections.sheet is not None)

    run(qapp, work)


def test_several_posts_are_chosen_on_the_calendar(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    keys = {planned(service), planned(service)}

    async def work() -> None:
        async with told(tmp_path, service) as (controller, _):
            await until(lambda: len(controller.workspace.posts) == 2)
            controller.window.go("usage")
            controller.act(MessageAction("Show", "show_posts", " ".join(keys)))
            assert set(controller.calendar.grid.view.selection.keys) == keys

    run(qapp, work)


def test_switches_are_kept_and_one_turns_all_off(qapp: QApplication, tmp_path: Path) -> None:
    theme.apply(qapp, "light")

    def window() -> MainWindow:
        return MainWindow(QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat), LISBON)

    first = window()
    section = NotificationsSection(first.preferences)
    assert section.all.isChecked()
    assert all(box.isChecked() and box.isEnabled() for box in section.kinds.values())
    section.kinds[NoticeKind.UPLOADED].setChecked(False)
    section.all.setChecked(False)
    assert not any(box.isEnabled() for box in section.kinds.values())
    first.close()
    again = window().preferences
    assert not again.notifies
    assert [kind for kind in NoticeKind if not again.has_chosen(kind)] == [NoticeKind.UPLOADED]
    assert not any(again.wants(kind) for kind in NoticeKind)
    again.notifies = True
    assert [kind for kind in NoticeKind if not again.wants(kind)] == [NoticeKind.UPLOADED]


def test_quiet_hours_are_chosen_in_the_settings_and_kept(qapp: QApplication, tmp_path: Path) -> None:
    theme.apply(qapp, "light")

    def window() -> MainWindow:
        return MainWindow(QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat), LISBON)

    first = window()
    section = NotificationsSection(first.preferences)
    assert not section.quiet_begin.isEnabled()
    section.quiet.setChecked(True)
    section.quiet_begin.setTime(QTime(23, 15))
    section.quiet_end.setTime(QTime(6, 45))
    first.close()
    again = window()
    assert again.preferences.quiet_hours == QuietHours(is_on=True, begin=time(23, 15), end=time(6, 45))
    section = NotificationsSection(again.preferences)
    assert section.quiet.isChecked()
    assert section.quiet_begin.isEnabled()
    assert section.quiet_end.time() == QTime(6, 45)
    section.all.setChecked(False)
    assert not section.quiet.isEnabled()
    assert not section.quiet_begin.isEnabled()


@pytest.mark.parametrize("is_there", [True, False])
def test_quiet_hours_are_for_who_is_not_at_the_window(
    qapp: QApplication, tmp_path: Path, service: ModelService, is_there: bool
) -> None:
    key = planned(service)

    async def work() -> None:
        async with told(tmp_path, service) as (controller, _):
            preferences, now = controller.window.preferences, datetime.now(LISBON)
            begin, end = (now - timedelta(hours=1)).time(), (now + timedelta(hours=1)).time()
            preferences.quiet_hours = QuietHours(is_on=True, begin=begin, end=end)
            controller.window.go("usage")
            if not is_there:
                await leave(controller)
            fail(service, key)
            await until(lambda: controller.workspace.posts.get(key).reason)  # type: ignore[union-attr]
            wanted = [FAILED] if is_there else []
            await until(lambda: controller.window.messages.texts() == wanted)
            await asyncio.sleep(0.3)  # nothing else is said
            assert controller.window.messages.texts() == wanted
            preferences.quiet_hours = QuietHours()
            await until(lambda: controller.window.messages.texts() == [FAILED])

    run(qapp, work)


def test_the_trial_says_whether_the_system_showed_it(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    planned(service)

    async def work() -> None:
        async with told(tmp_path, service) as (_, teller):
            assert not await teller.try_out()

    run(qapp, work)


@pytest.mark.parametrize("is_there", [True, False])
def test_the_text_of_a_post_in_the_inbox_is_copied_on_request(
    qapp: QApplication, tmp_path: Path, service: ModelService, is_there: bool
) -> None:
    """The clipboard is never changed unasked, and copying from outside opens no window."""
    account = service.add_account("tiktok")
    key = service.add_post(account, wall_clock() - 1_000, "Wool", status="processing")
    service.posts[UUID(key)]["platform"] = "tiktok"
    tiktok = ModelTikTok(service)

    async def work() -> None:
        QGuiApplication.clipboard().setText("mine")
        async with told(tmp_path, service) as (controller, teller):
            messages = controller.window.messages
            if not is_there:
                await leave(controller)
            tiktok.in_inbox = [key]
            await controller.workspace.tiktok.choose_for_account(account, None)  # asks again
            # In the calendar, the card is visible, but doesn't say what to do.
            told_text = "Finish a post in TikTok's app\nWool\nAccount 2\nIt's in your inbox there."
            await until(lambda: messages.texts() == [told_text])
            assert QGuiApplication.clipboard().text() == "mine"
            teller._act(MessageAction("Copy text", COPY_TEXT, key))
            await until(lambda: QGuiApplication.clipboard().text() == "Wool")
            assert controller.window.isVisible() is is_there
            assert "Text copied." in messages.texts()
            controller.act(MessageAction("Open", "show_post", key))
            await until(lambda: isinstance(controller.window.side, Inspector))

    run(qapp, work)
