"""Weekday and number above a column of hours, whatever its width."""

from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter

from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.geometry import HOUR_HEIGHT, HOURS_TOP, HoursGeometry
from app.desktop.calendar.headers import HOURS_HEADER, DayHeader, HourRuler, ZoneCorner
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


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("width", range(530, 1000, 7))
def test_all_days_of_a_week_are_laid_out_alike(width: int) -> None:
    days = LocalDays(ZoneInfo("Europe/Lisbon"))
    header = DayHeader(days, lambda day: day % 7 + 2)
    week = HoursGeometry(width, 7, days.today())
    header.resize(width, HOURS_HEADER)
    header.show_days(week, week.cell(week.anchor).x)
    kinds = set()
    for day in range(week.anchor, week.anchor + 7):
        size = QSize(week.cell(day).width, HOURS_HEADER)
        recorder = Recorder(size)
        painter = QPainter(recorder)
        header._paint_day(painter, QRectF(0, 0, size.width(), size.height()), day)
        painter.end()
        name, number, *facts = [writing for writing in recorder.writings if writing.words]
        kinds.add((name.line.bottom() <= number.line.top(), " ".join(one.words for one in facts)[1:]))
    assert len(kinds) == 1


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("width", range(250, 340))
def test_the_weekdays_of_the_month_are_all_short_or_all_long(width: int) -> None:
    header = DayHeader(LocalDays(ZoneInfo("Europe/Lisbon")), lambda _day: 0)
    header.resize(width, HOURS_HEADER)
    recorder = Recorder(header.size())
    painter = QPainter(recorder)
    header._paint_names(painter)
    painter.end()
    assert len({len(writing.words) for writing in recorder.writings}) == 1


@pytest.mark.usefixtures("qapp")
def test_an_hour_that_an_edge_cuts_in_half_is_not_written() -> None:
    ruler = HourRuler(LocalDays(ZoneInfo("Europe/Lisbon")))
    ruler.resize(ruler.room, 200)
    cut = ruler.rect().adjusted(0, 0, -1, -188)

    def is_blank(scroll: int) -> bool:
        ruler.show_hours(scroll, 738_000, shows_now=False)
        picture = ruler.grab(cut).toImage()
        colors = {picture.pixel(x, y) for x in range(picture.width()) for y in range(picture.height())}
        return len(colors) == 1

    middle_of_10 = HOURS_TOP + 10 * HOUR_HEIGHT
    assert is_blank(middle_of_10 + 2)
    assert not is_blank(middle_of_10 - 3)


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("key", ["Lisbon", "Paris", "Belgrade", "Budapest", "Kaliningrad", "Copenhagen"])
def test_the_zone_of_the_hours_touches_no_edge(key: str) -> None:
    corner = ZoneCorner(ZoneInfo(f"Europe/{key}"))
    corner.resize(corner.sizeHint())
    picture = corner.grab().toImage()
    edges = {
        QColor(picture.pixel(x, y)).name()
        for x in (0, 1, picture.width() - 2, picture.width() - 1)
        for y in range(picture.height() - 1)
    }
    assert len(edges) == 1
