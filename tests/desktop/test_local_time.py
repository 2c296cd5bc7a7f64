"""All times are in the calendar's zone, wherever the computer is."""

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtCore import QEvent, QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.local_time import local, today
from app.desktop.shell.window import MainWindow
from app.desktop.widgets import DateField, MonthCalendar
from tests.desktop.running import run
from tests.desktop.shell.test_rebuilding_panes import running
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

LISBON = ZoneInfo("Europe/Lisbon")
FARTHEST = ZoneInfo("Pacific/Kiritimati"), ZoneInfo("Pacific/Pago_Pago")
"""Where it's always another day than in the other."""


def test_times_follow_the_zone_of_the_calendar(qtbot: QtBot, tmp_path: Path) -> None:
    window = MainWindow(QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat), LISBON)
    qtbot.addWidget(window)
    noon = datetime(2026, 12, 1, 12, tzinfo=UTC)
    for zone, clock in zip(FARTHEST, ("02:00", "01:00"), strict=True):
        window.choose_zone(zone)
        assert f"{local(noon):%H:%M}" == clock
        field = DateField()
        qtbot.addWidget(field)
        month = field.calendarWidget()
        assert isinstance(month, MonthCalendar)
        day = datetime.now(zone).date()
        assert {today(), month.today(), field.today()} == {day}
        field.today = partial(day.replace, year=2020)  # of the post's own zone
        assert month.today() == day.replace(year=2020)
    window.choose_zone(None)
    assert local(noon).utcoffset() == timedelta(0)


def test_a_computer_that_travels_is_followed_once_the_user_agrees(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account()

    async def work() -> None:
        async with running(tmp_path, service) as (application, person):
            window, tokyo = person.window, ZoneInfo("Asia/Tokyo")
            window.read_zone = lambda: tokyo
            window.activateWindow()
            await until(window.isActiveWindow)
            for _ in range(2):  # it's offered once
                QApplication.sendEvent(window, QEvent(QEvent.Type.ActivationChange))
            assert window.messages.texts() == [
                "This computer is now in the time zone of Tokyo. Kalends still uses that of Lisbon."
            ]
            assert window.zone == LISBON
            before = application.controller
            person.press("Use the new time zone")
            assert application.controller is not before
            assert window.zone == tokyo
            assert window.follows_system_zone
            assert today() == datetime.now(tokyo).date()

    run(qapp, work)


def test_a_zone_that_was_chosen_stays(qtbot: QtBot, tmp_path: Path) -> None:
    window = MainWindow(QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat), LISBON)
    qtbot.addWidget(window)
    window.choose_zone(FARTHEST[0])
    window.read_zone = lambda: FARTHEST[1]
    window._offer_zone()
    assert window.messages.texts() == []
    assert (window.zone, window.system_zone) == FARTHEST
