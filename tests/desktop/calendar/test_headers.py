"""Weekday and number above a column of hours, whatever its width."""

from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter

from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.headers import HOURS_HEADER, DayHeader
from tests.gallery.measure.recorder import Recorder


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("width", [52, 70, 90, 140])
@pytest.mark.parametrize("ahead", range(7))
def test_a_day_is_named_whole_in_a_narrow_column(width: int, ahead: int) -> None:
    days = LocalDays(ZoneInfo("Europe/Lisbon"))
    header = DayHeader(days, lambda _day: 0)
    header.resize(7 * width, HOURS_HEADER)
    recorder = Recorder(QSize(width, HOURS_HEADER))
    painter = QPainter(recorder)
    header._paint_day(painter, box := QRectF(0, 0, width, HOURS_HEADER), days.today() + ahead)
    painter.end()
    name, number = (writing for writing in recorder.writings)
    assert not name.ink.intersects(number.ink)
    assert all(box.contains(writing.ink) for writing in (name, number))
