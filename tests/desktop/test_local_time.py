"""All times are in the calendar's zone, wherever the computer is."""

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from app.desktop.local_time import local, today
from app.desktop.shell.window import MainWindow
from app.desktop.widgets import DateField, MonthCalendar

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
