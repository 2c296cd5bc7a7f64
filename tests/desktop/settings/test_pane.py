"""The pane of the settings: what is chosen is in force and kept, and what is asked before it is done."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from app.desktop import motion, week
from app.desktop.calendar.days import Span
from app.desktop.settings import SettingsPane
from app.desktop.settings.about import TextSheet
from app.desktop.settings.notices import NoticesSheet
from app.desktop.settings.rows import AskSheet, ConfirmSheet
from app.desktop.shell.main_controller import MainController
from app.desktop.shell.window import DESTINATIONS, MainWindow
from app.desktop.theme import theme
from app.desktop.widgets import Label
from app.workspace.homes import Home, Homes
from app.workspace.homes.certificates import presented_certificate
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.registry import HomeKind
from app.workspace.homes.visit import Visits
from tests.desktop.pressing import choose
from tests.desktop.running import LISBON, run, shown, workspace
from tests.gallery.servers import server
from tests.workspace.model_service import KEY, ModelService
from tests.workspace.opened import until

TOKYO = ZoneInfo("Asia/Tokyo")
OTHER_KEY = "stp_rest_" + "b" * 64
MINE = Home(kind=HomeKind.REMOTE, name="Studio", base_url="https://plan.example.com")


def window_in(folder: Path) -> MainWindow:
    return MainWindow(QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat), LISBON)


@asynccontextmanager
async def opened_pane(
    folder: Path, service: ModelService, home: Home = MINE, *others: Home
) -> AsyncIterator[SettingsPane]:
    homes = Homes(folder)
    for one in (*others, home):
        homes.keep(one)
    async with workspace(folder, service) as opened, shown(window_in(folder)) as window:
        visits = Visits(homes, Credentials(folder))
        pane = SettingsPane(window, opened, home, visits)
        window.furnish(lambda _place: pane, home.name, "")
        window.add("settings", pane)
        window.go("settings")
        await until(lambda: len(pane.calendars.rows) == 1 + len(others))
        try:
            yield pane
        finally:
            window.clear_out()


def sheet(pane: QWidget, kind: type[QWidget]) -> QWidget:
    (found,) = [one for one in pane.window().findChildren(kind) if one.isVisible()]
    return found


def asked(pane: QWidget) -> AskSheet:
    found = sheet(pane, AskSheet)
    assert isinstance(found, AskSheet)
    return found


def test_it_is_last_in_the_rail_and_has_keys(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(window_in(tmp_path)) as window:
            controller = MainController(window, opened, MINE, LISBON)
            commands = {one.name: one.keys for one in controller.finder.commands.all()}
            assert commands["Go to settings"] == (f"Ctrl+{len(DESTINATIONS)}", "Ctrl+,")
            QTest.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
            await until(controller.settings.isVisible)
            controller.close()

    assert DESTINATIONS[-1].name == "settings"
    run(qapp, work)


def test_the_focus_goes_to_the_section_that_is_clicked(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with opened_pane(tmp_path, service) as pane:
            pane.items["calendars"].setFocus()
            for name, before in (("looks", "calendars"), ("network", "looks"), ("about", "network")):
                QTest.mouseClick(pane.items[name], Qt.MouseButton.LeftButton)
                assert pane.items[name].hasFocus()
                assert not pane.items[before].hasFocus()
            QTest.mouseClick(pane.items["looks"], Qt.MouseButton.LeftButton)
            pane.looks.zone.setFocus()
            QTest.mouseClick(pane.items["about"], Qt.MouseButton.LeftButton)
            assert pane.items["about"].hasFocus()

    run(qapp, work)


def test_the_focus_comes_back_to_the_control_that_had_it(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with opened_pane(tmp_path, service) as pane:
            pane.show_section("looks")
            for control in (pane.looks.zone, pane.looks.text_size):
                control.setFocus()
                place = pane.place()
                pane.show_section("about")
                pane.return_to(*place)
                assert pane.section() == "looks"
                focused = QApplication.focusWidget()
                assert focused is not None
                assert control.isAncestorOf(focused) or control is focused
            pane.return_to("looks", "own_zone")  # which shows for a zone of one's own alone
            assert pane.items["looks"].hasFocus()

    run(qapp, work)


def test_a_zone_is_kept_and_told_and_the_computers_own_can_be_followed_again(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with opened_pane(tmp_path, service) as pane:
            window, told = pane.window(), []
            assert isinstance(window, MainWindow)
            pane.refurnish_wanted.connect(lambda: told.append(window.zone.key))
            pane.show_section("looks")
            pane.looks.zone.set_zone(TOKYO)
            assert told == ["Asia/Tokyo"]
            assert "Asia/Tokyo" in window.status.accessibleName()
            assert window_in(tmp_path).zone == TOKYO
            await until(lambda: pane.looks.own_zone.isVisible() and pane.looks.own_zone.isEnabled())
            pane.looks.own_zone.click()
            assert told == ["Asia/Tokyo", "Europe/Lisbon"]
            assert window.follows_system_zone
            assert window_in(tmp_path).follows_system_zone

    run(qapp, work)


@pytest.mark.usefixtures("qapp")
def test_a_zone_that_this_computer_does_not_know_is_not_used(tmp_path: Path) -> None:
    for nonsense in ("Nowhere/Land", "../../etc/passwd", "/etc/localtime"):
        window = window_in(tmp_path)
        window.preferences.zone = nonsense
        assert window.zone == LISBON


@pytest.mark.parametrize(
    ("weekday", "begins"),
    [(week.MONDAY, "2026-11-16"), (week.SUNDAY, "2026-11-22"), (week.SATURDAY, "2026-11-21")],
)
def test_weeks_begin_on_the_day_that_was_chosen(
    qapp: QApplication, tmp_path: Path, service: ModelService, weekday: int, begins: str
) -> None:
    from datetime import date

    async def work() -> None:
        async with opened_pane(tmp_path, service) as pane:
            told: list[int] = []
            pane.refurnish_wanted.connect(lambda: told.append(week.first_weekday()))
            pane.looks.weekday.set_value(str(weekday))
            assert told == ([weekday] if weekday else [])
            sunday = date(2026, 11, 22).toordinal()
            assert date.fromordinal(Span.WEEK.first_day(sunday)).isoformat() == begins

    try:
        run(qapp, work)
        assert Span.WEEK.week_number(date.fromisoformat(begins).toordinal()) == (48 if weekday else 47)
        week.begin_on(week.MONDAY)
        window_in(tmp_path)
        assert week.first_weekday() == weekday
    finally:
        week.begin_on(week.MONDAY)


def test_theme_and_size_of_text_follow_whoever_chose_them(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with opened_pane(tmp_path, service) as pane:
            window = pane.window()
            assert isinstance(window, MainWindow)
            pane.looks.mode.set_value("dark")
            assert (window.appearance, theme.current().tokens.dark) == ("dark", True)
            window.set_appearance("light")
            window.change_text_size(1)
            assert pane.looks.mode.value() == "light"
            assert pane.looks.text_size.currentText() == "110%"
            choose(pane.looks.text_size, 0)
            assert window.text_size == 90
            window.change_text_size(0)

    run(qapp, work)


def test_animations_are_chosen_and_kept(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        async with opened_pane(tmp_path, service) as pane:
            window = pane.window()
            assert isinstance(window, MainWindow)
            assert pane.looks.motion.value() == "system"
            assert pane.looks.motion.accessibleName() == "Animations"
            for mode in ("on", "off"):
                pane.looks.motion.set_value(mode)
                assert (motion.mode(), window.preferences.motion) == (mode, mode)

    run(qapp, work)


def test_grouping_is_chosen_announced_to_the_calendar_and_kept(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with opened_pane(tmp_path, service) as pane:
            window = pane.window()
            assert isinstance(window, MainWindow)
            told: list[bool] = []
            window.grouping_changed.connect(told.append)
            pane.show_section("looks")
            assert pane.looks.grouping.isChecked()
            pane.looks.grouping.click()
            assert told == [False]
            assert not window_in(tmp_path).preferences.groups_ideas
            pane.looks.grouping.click()
            assert told == [False, True]
            assert window_in(tmp_path).preferences.groups_ideas

    run(qapp, work)


def test_a_language_is_kept_and_waits_for_the_next_start(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with opened_pane(tmp_path, service) as pane:
            window, choice = pane.window(), pane.looks.language
            assert isinstance(window, MainWindow)
            pane.show_section("looks")
            assert [choice.itemText(row) for row in range(choice.count())] == [
                "System",
                "English",
                "Deutsch",
            ]
            assert choice.currentData() == ""
            QTest.keyClick(choice, Qt.Key.Key_End)
            assert window.preferences.language == "de"
            assert any("to switch to Deutsch" in one.text() for one in pane.looks.findChildren(Label))
            QTest.keyClick(choice, Qt.Key.Key_Up)
            assert window.preferences.language == "en"
            assert not any("to switch to" in one.text() for one in pane.looks.findChildren(Label))

    run(qapp, work)
    assert window_in(tmp_path).preferences.language == "en"


def test_a_calendar_is_renamed(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        async with opened_pane(tmp_path, service) as pane:
            renamed: list[str] = []
            pane.calendars.renamed.connect(lambda home: renamed.append(home.name))
            pane.calendars.rows[0].rename.click()
            asked(pane).editor.setText("  ")
            asked(pane).go.click()
            await until(lambda: asked(pane).field.error() == "A calendar needs a name.")
            asked(pane).editor.setText("  Winter  studio ")
            await until(asked(pane).go.isEnabled)
            asked(pane).go.click()
            await until(lambda: renamed == ["Winter studio"])
            await until(lambda: pane.calendars.rows[0].accessibleName() == "Winter studio")
            assert [home.name for home in Homes(tmp_path).all()] == ["Winter studio"]

    run(qapp, work)


def test_a_key_that_the_service_refuses_is_not_kept(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        with ExitStack() as running:
            there = running.enter_context(server(tmp_path, answers=True))
            trusted = (await presented_certificate(there.address)).pem
            home = MINE.model_copy(update={"base_url": there.address, "pinned_certificate": trusted})
            await Credentials(tmp_path).keep(home.id, KEY)
            async with opened_pane(tmp_path, service, home) as pane:
                pane.calendars.rows[0].key.click()
                asked(pane).editor.setText("stp_rest_12")
                asked(pane).go.click()
                await until(lambda: "has 73 characters" in asked(pane).field.error())
                asked(pane).editor.setText(OTHER_KEY)
                await until(asked(pane).go.isEnabled)
                asked(pane).go.click()
                await until(lambda: "doesn't recognize this key" in asked(pane).field.error())
                assert await Credentials(tmp_path).find(home.id) == KEY
                QTest.keyClick(asked(pane), Qt.Key.Key_Escape)

    run(qapp, work)


def test_a_dead_key_is_said_with_the_way_out(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with opened_pane(tmp_path, service) as pane:
            assert not pane.calendars.strip.isVisible()
            service.key_is_good = False
            await until(pane.calendars.strip.isVisible)
            pane.calendars.strip.button.click()
            assert asked(pane).accessibleName() == "Replace the API key of Studio"
            asked(pane).dismiss()
            service.key_is_good = True
            await until(lambda: not pane.calendars.strip.isVisible())

    run(qapp, work)


def test_a_calendar_that_is_not_open_is_removed_after_asking_and_its_files_are_kept(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    other = Home(kind=HomeKind.REMOTE, name="Agency", base_url="https://agency.example.com")
    file = Homes(tmp_path).folder(other) / "workspace.db"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"drafts")

    async def work() -> None:
        await Credentials(tmp_path).keep(other.id, KEY)
        async with opened_pane(tmp_path, service, MINE, other) as pane:
            said: list[str] = []
            pane.told.connect(lambda message: said.append(message.text))
            pane.calendars.rows[0].remove.click()
            asking = sheet(pane, ConfirmSheet)
            assert isinstance(asking, ConfirmSheet)
            assert "The service keeps its data" in asking.text.text()
            asking.cancel.click()
            assert len(Homes(tmp_path).all()) == 2
            pane.calendars.rows[0].remove.click()
            asking = sheet(pane, ConfirmSheet)
            assert isinstance(asking, ConfirmSheet)
            asking.go.click()
            await until(lambda: said)
            await until(lambda: len(pane.calendars.rows) == 1)
            (aside,) = (tmp_path / "removed").iterdir()
            assert (aside / "workspace.db").read_bytes() == b"drafts"
            assert str(aside) in said[0]
            assert Homes(tmp_path).all() == [MINE]
            assert await Credentials(tmp_path).find(other.id) is None

    run(qapp, work)


def test_the_open_calendar_is_given_to_the_app_to_close_first(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with opened_pane(tmp_path, service) as pane:
            removed: list[Home] = []
            pane.calendars.removed.connect(removed.append)
            pane.calendars.rows[0].remove.click()
            asking = sheet(pane, ConfirmSheet)
            assert isinstance(asking, ConfirmSheet)
            asking.go.click()
            assert removed == [MINE]
            assert Homes(tmp_path).all() == [MINE]

    run(qapp, work)


def test_logs_show_and_are_exported_without_secrets(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    log = tmp_path / "logs" / "kalends.log"
    log.parent.mkdir()
    log.write_text(json.dumps({"event": "odd", "header": "Bearer abcdef0123456789"}) + "\n", "utf-8")

    async def work() -> None:
        async with opened_pane(tmp_path, service) as pane:
            said: list[str] = []
            pane.told.connect(lambda message: said.append(message.text))
            pane.show_section("logs")
            await until(lambda: "odd" in pane.logs.lines.toPlainText())
            assert "abcdef0123456789" not in pane.logs.lines.toPlainText()
            pane.logs.write(tmp_path / "copy.txt")
            await until(lambda: said)
            copy = (tmp_path / "copy.txt").read_text("utf-8")
            assert "odd" in copy
            assert "abcdef0123456789" not in copy

    run(qapp, work)


def test_the_log_that_is_chosen_stays_so_when_another_one_comes(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with opened_pane(tmp_path, service) as pane:
            pane.show_section("logs")
            homes = pane.logs._homes
            folder = homes.folder(homes.all()[0])
            folder.mkdir(parents=True, exist_ok=True)
            for number, program in enumerate(("practice", "service"), start=2):
                (folder / f"{program}.log").write_text(json.dumps({"event": program}) + "\n", "utf-8")
                pane.logs.refresh_button.click()
                await until(lambda number=number: pane.logs.which.count() == number)  # type: ignore[misc]
                if program == "practice":
                    pane.logs.which.setCurrentIndex(1)
            assert pane.logs.which.currentIndex() == 2
            assert pane.logs.which.currentText().startswith("Practice platforms")
            await until(lambda: "practice" in pane.logs.lines.toPlainText())

    run(qapp, work)


def test_version_and_notices_can_be_read(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        async with opened_pane(tmp_path, service) as pane:
            pane.show_section("about")
            await until(lambda: pane.about.version.text().startswith("Version 0."))
            pane.about.notices_button.click()
            await until(lambda: pane.window().findChildren(NoticesSheet))
            notices = sheet(pane, NoticesSheet)
            assert isinstance(notices, NoticesSheet)
            [work] = notices.list.findItems("aiohttp ", Qt.MatchFlag.MatchStartsWith)
            notices.list.setCurrentItem(work)
            QTest.keyClick(notices.list, Qt.Key.Key_Return)
            assert notices.text.hasFocus()
            assert "License: Apache-2.0" in notices.text.toPlainText()
            assert "Apache License" in notices.text.toPlainText()
            notices.back.click()
            assert notices.list.hasFocus()
            assert notices.list.currentItem() is work
            QTest.keyClick(notices.list, Qt.Key.Key_Escape)
            await until(lambda: not notices.isVisible())
            pane.about.licence_button.click()
            await until(lambda: pane.window().findChildren(TextSheet))
            licence = sheet(pane, TextSheet)
            assert isinstance(licence, TextSheet)
            assert "Apache License" in licence.text.toPlainText()

    run(qapp, work)


def test_a_backup_that_fails_says_why_and_another_can_be_made(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with opened_pane(tmp_path, service) as pane:
            said: list[str] = []
            pane.told.connect(lambda message: said.append(message.text))
            pane.show_section("data")
            pane.data.back_up(tmp_path / "missing" / "kept.zip")
            assert not pane.data.backup_button.isEnabled()
            await until(pane.data.strip.isVisible)
            assert "Couldn't write" in pane.data.strip.text()
            await until(pane.data.backup_button.isEnabled)
            assert pane.data.strip.button.text() == "Choose a folder"
            pane.data.strip.button.click()
            await until(lambda: pane.window().findChildren(QFileDialog))
            pane.window().findChildren(QFileDialog)[0].reject()
            assert not pane.data.strip.isVisible()
            pane.data.back_up(tmp_path / "kept.zip")
            await until(lambda: said)
            assert (tmp_path / "kept.zip").exists()
            assert not pane.data.strip.isVisible()
            pane.data.test(tmp_path / "kept.zip")
            await until(lambda: pane.window().findChildren(ConfirmSheet))
            asking = sheet(pane, ConfirmSheet)
            assert isinstance(asking, ConfirmSheet)
            wanted: list[bool] = []
            pane.data.restore_wanted.connect(lambda: wanted.append(True))
            asking.cancel.click()
            await until(lambda: not (tmp_path / "restoring").exists())
            assert not wanted

    run(qapp, work)


def test_a_backup_under_way_is_named_before_it_is_dropped(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with opened_pane(tmp_path, service) as pane:
            said: list[str] = []
            pane.told.connect(lambda message: said.append(message.text))
            assert pane.data.unfinished() == ""
            pane.data.back_up(tmp_path / "kept.zip")
            await asyncio.sleep(0)
            assert pane.data.unfinished().startswith("The backup isn't complete yet")
            pane.looks.days_changed.emit()  # as after another first day of the week, which rebuilds all
            assert said == [f"{pane.data.unfinished()} Start it again."]
            await until(pane.data.backup_button.isEnabled)
            assert pane.data.unfinished() == ""

    run(qapp, work)


def test_a_backup_under_way_ends_with_the_window(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    """Its buttons no longer exist then; touching them would be logged as an error."""

    async def work() -> None:
        async with opened_pane(tmp_path, service) as pane:
            pane.data.back_up(tmp_path / "kept.zip")
            await until(lambda: not pane.data.backup_button.isEnabled())
            await asyncio.sleep(0)
        await asyncio.sleep(0.1)

    run(qapp, work)


def test_every_control_has_a_name(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit

    async def work() -> None:
        async with opened_pane(tmp_path, service) as pane:
            for name in pane.items:
                pane.show_section(name)
                await asyncio.sleep(0)
                for kind in (QAbstractButton, QComboBox, QLineEdit):
                    for one in pane.findChildren(kind):
                        if one.isVisible() and one.focusPolicy() is not Qt.FocusPolicy.NoFocus:
                            text = getattr(one, "text", str)()
                            assert one.accessibleName() or text, (name, one)

    run(qapp, work)
