"""Texts in pictures that widgets keep are measured, too."""

from datetime import date
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.geometry import HoursGeometry
from app.desktop.calendar.headers import DayHeader, HourRuler
from tests.gallery.measure.fits import cut_texts
from tests.gallery.measure.texts import texts_of

_MONDAY = date(2031, 6, 9).toordinal()
_DAYS = LocalDays(ZoneInfo("Europe/Lisbon"))

pytestmark = pytest.mark.usefixtures("qapp")


def shown(part: QWidget) -> QWidget:
    """A window with a part of the calendar, which has made its pictures."""
    window = QWidget()
    QVBoxLayout(window).addWidget(part)
    window.resize(1_100, 400)
    window.show()
    window.grab()
    return window


def test_days_above_their_hours() -> None:
    header, geometry = DayHeader(_DAYS, lambda _day: 3), HoursGeometry(1_000, 7, _MONDAY)
    header.show_days(geometry, geometry.cell(_MONDAY).x)
    header.setFixedHeight(44)
    window = shown(header)
    texts = texts_of(window)
    assert {"Mon", "9", "3 posts", "15"} <= {text.words for text in texts}
    assert not list(cut_texts(texts))
    window.close()


def test_hours_that_no_mark_lies_on() -> None:
    ruler = HourRuler(_DAYS)
    ruler.show_drag(3 * 60 + 5)
    window = shown(ruler)
    words = {text.words for text in texts_of(window)}
    assert {"02:00", "03:05", "04:00"} <= words
    assert "03:00" not in words
    window.close()


def test_what_a_kept_picture_cuts_off_is_told() -> None:
    header, geometry = DayHeader(_DAYS, lambda _day: 0), HoursGeometry(140, 7, _MONDAY)
    header.show_days(geometry, geometry.cell(_MONDAY).x)
    header.setFixedHeight(44)
    window = shown(header)
    assert any("wider than its card or picture" in lost for _, lost in cut_texts(texts_of(window)))
    window.close()
