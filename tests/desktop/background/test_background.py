"""What closing the window means, and what the tray offers."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication

from app.desktop.background.background import Background, ClosingSheet, EndingSheet
from app.desktop.background.tray import tray_icon
from app.desktop.composer import ComposerPanel
from app.desktop.inspector import Inspector
from app.desktop.settings.background import BackgroundSection
from app.desktop.shell.main_controller import MainController
from app.desktop.shell.window import MainWindow
from app.desktop.theme import theme
from app.workspace.clock import wall_clock
from app.workspace.login import LinuxLogin, Start
from app.workspace.messages import Message
from tests.desktop.running import furnish, run, service_of_today, shown, workspace
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

LISBON = ZoneInfo("Europe/Lisbon")
HOUR = 3_600_000

# Said where a tray icon is shown on a screen that has none.
pytestmark = pytest.mark.qt_log_ignore("No such signal QPlatformNativeInterface::systemTrayWindowChanged")


@pytest.fixture
def service(qapp: QApplication) -> ModelService:
    theme.apply(qapp, "light")
    made = service_of_today()
    made.add_account()
    return made


def window_in(folder: Path) -> MainWindow:
    return MainWindow(QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat), LISBON)


@asynccontextmanager
async def living(
    folder: Path, service: ModelService, *, runs_here: bool = True, tray: bool = True
) -> AsyncIterator[tuple[Background, MainController, list[str]]]:
    """A window with a tray beside it, and what was said to be the end."""
    window, ends = window_in(folder), list[str]()
    async with workspace(folder, service) as opened, shown(window):
        controller = furnish(window, opened)
        background = Background(window, is_tray_there=lambda: tray)
        background.quit_wanted.connect(lambda: ends.append("quit"))
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        closed = application.lastWindowClosed.connect(lambda: ends.append("closed"))
        background.follow(controller, runs_here=runs_here)
        try:
            yield background, controller, ends
        finally:
            application.lastWindowClosed.disconnect(closed)
            background.end()
            controller.close()


def question(controller: MainController) -> ClosingSheet:
    (found,) = [one for one in controller.window.findChildren(ClosingSheet) if one.isVisible()]
    return found


def test_the_first_time_it_is_asked_and_then_known(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with living(tmp_path, service) as (_, controller, ends):
            controller.window.close()
            controller.window.close()  # a second time asks no second time
            assert controller.window.isVisible()
            sheet = question(controller)
            assert sheet.keep.hasFocus()
            sheet.keep.click()
            assert not controller.window.isVisible()
            controller.window.come_forward()
            controller.window.close()
            assert not controller.window.isVisible()
            assert not [one for one in controller.window.findChildren(ClosingSheet) if not one.isHidden()]
            await asyncio.sleep(0.05)
            assert ends == []
        assert window_in(tmp_path).preferences.keeps_publishing is True

    run(qapp, work)


def test_to_quit_is_chosen_once_too(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        async with living(tmp_path, service) as (background, controller, ends):
            controller.window.close()
            question(controller).quit.click()
            assert ends == ["quit"]
            assert background.preferences.keeps_publishing is False
            controller.window.close()
            await until(lambda: ends == ["quit", "closed"])

    run(qapp, work)


def test_esc_changes_nothing(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        async with living(tmp_path, service) as (background, controller, ends):
            controller.window.close()
            QTest.keyClick(question(controller), Qt.Key.Key_Escape)
            assert controller.window.isVisible()
            assert background.preferences.keeps_publishing is None
            assert ends == []

    run(qapp, work)


@pytest.mark.parametrize(("runs_here", "tray"), [(False, True), (True, False)])
def test_where_it_would_be_of_no_use_closing_ends_as_ever(
    qapp: QApplication, tmp_path: Path, service: ModelService, runs_here: bool, tray: bool
) -> None:
    async def work() -> None:
        async with living(tmp_path, service, runs_here=runs_here, tray=tray) as (
            background,
            controller,
            ends,
        ):
            background.preferences.keeps_publishing = True
            controller.window.close()
            assert not controller.window.isVisible()
            await until(lambda: ends == ["closed"])

    run(qapp, work)


def ending(controller: MainController) -> EndingSheet:
    (found,) = [one for one in controller.window.findChildren(EndingSheet) if one.isVisible()]
    return found


def test_without_a_tray_closing_asks_while_posts_wait(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    for hour in (2, 3):
        service.add_post(service.connections[0]["id"], wall_clock() + hour * HOUR)

    async def work() -> None:
        async with living(tmp_path, service, tray=False) as (_, controller, ends):
            controller.window.close()
            controller.window.close()  # a second time asks no second time
            sheet = ending(controller)
            assert sheet.accessibleName() == "2 posts won't be published while Kalends is closed"
            assert sheet.minimize.hasFocus()
            QTest.keyClick(sheet, Qt.Key.Key_Escape)
            assert controller.window.isVisible()
            controller.window.close()
            QTest.keyClick(ending(controller).minimize, Qt.Key.Key_Return)
            assert controller.window.isMinimized()
            assert ends == []
            controller.window.come_forward()
            controller.window.close()
            QTest.mouseClick(ending(controller).quit, Qt.MouseButton.LeftButton)
            assert ends == ["quit"]

    run(qapp, work)


@pytest.mark.parametrize("by", ["key", "tray"])
def test_to_quit_asks_the_same_while_posts_wait(
    qapp: QApplication, tmp_path: Path, service: ModelService, by: str
) -> None:
    def ask(background: Background, controller: MainController) -> None:
        if by == "tray":
            background.tray.quit.trigger()
        else:
            QTest.keyClick(controller.window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)

    async def work() -> None:
        async with living(tmp_path, service) as (background, controller, ends):
            service.add_post(service.connections[0]["id"], wall_clock() + 2 * HOUR)
            await until(controller.workspace.posts.all)
            ask(background, controller)
            ask(background, controller)  # a second time asks no second time
            question(controller).stay.click()
            assert (ends, background.preferences.keeps_publishing) == ([], None)
            background.preferences.keeps_publishing = True
            controller.window.hide()
            background.tray.open.trigger()
            ask(background, controller)
            ending(controller).stay.click()
            assert ends == []
            ask(background, controller)
            ending(controller).quit.click()
            assert ends == ["quit"]

    run(qapp, work)


@pytest.mark.parametrize("runs_here", [True, False])
def test_without_posts_that_wait_here_to_quit_asks_nothing(
    qapp: QApplication, tmp_path: Path, service: ModelService, runs_here: bool
) -> None:
    if not runs_here:
        service.add_post(service.connections[0]["id"], wall_clock() + 2 * HOUR)

    async def work() -> None:
        async with living(tmp_path, service, runs_here=runs_here) as (_, controller, ends):
            QTest.keyClick(controller.window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
            assert ends == ["quit"]

    run(qapp, work)


def test_when_everything_ends_nothing_is_asked(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with living(tmp_path, service) as (background, controller, _):
            background.end()
            controller.window.close()
            assert not controller.window.isVisible()
            assert not background.tray.icon.isVisible()

    run(qapp, work)


def test_the_tray_tells_the_next_post_and_leads_there(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with living(tmp_path, service) as (background, controller, _):
            tray = background.tray
            assert not tray.next.isEnabled()
            assert tray.icon.toolTip().endswith("Nothing is scheduled")
            at = wall_clock() + HOUR // 2 + 30_000
            key = service.add_post(service.connections[0]["id"], at)
            await until(tray.next.isEnabled)
            assert tray.next.text().endswith("in 30 minutes")
            today, due = (
                datetime.fromtimestamp(one / 1_000, controller.window.zone) for one in (wall_clock(), at)
            )
            expected = tray_icon(today.day, is_due=due.date() == today.date())
            assert tray.icon.icon().cacheKey() == expected.cacheKey()
            assert tray.next.text() in tray.icon.toolTip()
            controller.window.hide()
            tray.next.trigger()
            assert controller.window.isVisible()
            assert isinstance(controller.window.side, Inspector)
            assert controller.window.side.key == key

    run(qapp, work)


def test_the_tray_opens_begins_a_post_and_quits(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with living(tmp_path, service) as (background, controller, ends):
            controller.window.go("usage")
            controller.window.hide()
            background.tray.open.trigger()
            assert controller.window.isVisible()
            controller.window.hide()
            background.tray.new_post.trigger()
            assert controller.window.isVisible()
            assert isinstance(controller.window.side, ComposerPanel)
            background.tray.quit.trigger()
            assert ends == ["quit"]
            background.leave()
            assert not background.tray.new_post.isEnabled()

    run(qapp, work)


def test_the_dock_begins_a_post_and_shows_today(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with living(tmp_path, service) as (background, controller, _):
            dock = background.dock
            assert [action.text() for action in dock.actions()] == ["New post", "Today"]
            controller.window.go("usage")
            controller.window.hide()
            dock.today.trigger()
            assert controller.window.isVisible()
            assert controller.calendar.isVisible()
            controller.window.hide()
            dock.new_post.trigger()
            assert controller.window.isVisible()
            assert isinstance(controller.window.side, ComposerPanel)
            background.leave()
            dock.today.trigger()  # no calendar is open
            dock.new_post.trigger()

    run(qapp, work)


def test_the_settings_change_it_and_say_why_not(qapp: QApplication, tmp_path: Path) -> None:
    theme.apply(qapp, "light")
    preferences = window_in(tmp_path).preferences
    section = BackgroundSection(preferences, None, runs_here=True, is_tray_there=lambda: True)
    assert not section.keep.isChecked()
    assert "asks" in section.keep_row.text.text()
    for on in (True, False):
        section.keep.click()
        assert preferences.keeps_publishing is on
    no_tray = BackgroundSection(preferences, None, runs_here=True, is_tray_there=lambda: False)
    elsewhere = BackgroundSection(preferences, None, runs_here=False, is_tray_there=lambda: True)
    for other, word in ((no_tray, "no tray"), (elsewhere, "elsewhere")):
        assert not other.keep.isEnabled()
        assert word in other.keep_row.text.text()


def test_starting_at_login_is_chosen_in_the_settings(qapp: QApplication, tmp_path: Path) -> None:
    theme.apply(qapp, "light")
    item = LinuxLogin(Start(("/opt/kalends", "--hidden")), tmp_path / "autostart")

    async def work() -> None:
        section = BackgroundSection(window_in(tmp_path).preferences, item, runs_here=True)
        for on in (True, False):
            section.login.click()
            await until(lambda on=on: item.is_on() is on and section.login.isChecked() is on)  # type: ignore[misc]
        item.turn_on()  # by somebody else
        section.came_to_view()
        await until(section.login.isChecked)

    run(qapp, work)


class SlowLogin(LinuxLogin):
    """Turning it on takes until somebody lets it."""

    def __init__(self, start: Start, folder: Path) -> None:
        super().__init__(start, folder)
        self.may_end = threading.Event()

    def turn_on(self) -> None:
        self.may_end.wait(60)
        super().turn_on()


def test_who_changes_their_mind_at_once_gets_what_they_chose_last(qapp: QApplication, tmp_path: Path) -> None:
    theme.apply(qapp, "light")
    item = SlowLogin(Start(("/opt/kalends", "--hidden")), tmp_path / "autostart")

    async def work() -> None:
        section = BackgroundSection(window_in(tmp_path).preferences, item, runs_here=True)
        said: list[bool] = []
        section.login.toggled.connect(said.append)
        section.login.click()
        section.login.click()
        await asyncio.sleep(0.05)  # what could be done in the meantime is done
        item.may_end.set()
        await until(lambda: said == [True, False, True, False])
        assert not item.is_on()

    run(qapp, work)


def test_a_system_that_refuses_is_told_of(qapp: QApplication, tmp_path: Path) -> None:
    theme.apply(qapp, "light")
    (tmp_path / "autostart").write_text("a file where the folder should be")
    item = LinuxLogin(Start(("/opt/kalends",)), tmp_path / "autostart")

    async def work() -> None:
        told: list[Message] = []
        section = BackgroundSection(window_in(tmp_path).preferences, item, runs_here=True)
        section.told.connect(told.append)
        section.login.click()
        await until(lambda: told)
        assert told[0].kind == "error"
        await until(lambda: not section.login.isChecked())

    run(qapp, work)


@pytest.mark.parametrize("answer", ["Start automatically", "Not now"])
def test_it_is_asked_once_when_something_is_planned(
    qapp: QApplication, tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    entry = tmp_path / "config" / "autostart" / "kalends.desktop"
    account = service.connections[0]["id"]
    service.practice = False

    async def work() -> None:
        async with living(tmp_path, service) as (_, controller, _ends):
            messages = controller.window.messages
            assert messages.texts() == []
            service.add_post(account, wall_clock() + HOUR)
            await until(messages.texts)
            assert "log in" in messages.texts()[0]
            messages.focus_newest()
            buttons = {one.text(): one for one in messages.findChildren(QAbstractButton) if one.text()}
            assert buttons["Start automatically"].hasFocus()
            buttons[answer].click()
            if answer == "Start automatically":
                await until(entry.exists)
                await until(lambda: "now starts when you log in" in "".join(messages.texts()))
            else:
                assert messages.texts() == []
            service.add_post(account, wall_clock() + 2 * HOUR)
            await until(lambda: len(controller.workspace.posts) == 2)
            assert not [text for text in messages.texts() if "Shall" in text]
            assert entry.exists() is (answer == "Start automatically")

    run(qapp, work)


@pytest.mark.parametrize(("practice", "runs_here"), [(True, True), (False, False)])
def test_where_it_is_of_no_use_it_is_not_asked(
    qapp: QApplication, tmp_path: Path, service: ModelService, practice: bool, runs_here: bool
) -> None:
    service.practice, service.offers = practice, ("media",)
    service.add_post(service.connections[0]["id"], wall_clock() + HOUR)

    async def work() -> None:
        async with living(tmp_path, service, runs_here=runs_here) as (background, controller, _):
            service.add_post(service.connections[0]["id"], wall_clock() + 2 * HOUR)
            await until(lambda: len(controller.workspace.posts) == 2)
            assert controller.window.messages.texts() == []
            assert not background.preferences.was_asked_about_login

    run(qapp, work)
