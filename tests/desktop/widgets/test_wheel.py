"""The wheel scrolls a form, whatever passes below the pointer, and changes nothing in it."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QDate, QPoint, QPointF, QTime
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.composer.film_strip import FilmStrip
from app.desktop.media.player import PositionSlider
from app.desktop.widgets import ComboBox, DateField, LineEdit, TimeField, scrolled


def choices() -> ComboBox:
    field = ComboBox()
    field.addItems(["Followers only", "Unlisted", "Public"])
    field.setCurrentIndex(1)
    return field


def typed_choices() -> ComboBox:
    field = choices()
    field.setEditable(True)
    return field


def day() -> DateField:
    field = DateField()
    field.setDate(QDate(2026, 12, 1))
    return field


def time() -> TimeField:
    field = TimeField()
    field.setTime(QTime(12, 30))
    return field


def strip() -> FilmStrip:
    field = FilmStrip(60_000, 20_000)
    field.setValue(10_000)
    return field


def position() -> PositionSlider:
    field = PositionSlider()
    field.set_range(60_000)
    field.show_value(10_000)
    return field


def turn(widget: QWidget, notches: int) -> None:
    """Turn the wheel as a hand does, with the pointer over a widget; positive scrolls down."""
    middle = widget.mapTo(widget.window(), widget.rect().center())
    QTest.wheelEvent(widget.window().windowHandle(), QPointF(middle), QPoint(0, -120 * notches))


def value(field: QWidget) -> object:
    return field.metaObject().userProperty().read(field)


@pytest.mark.parametrize("is_focused", [False, True])
@pytest.mark.parametrize("make", [choices, typed_choices, day, time, strip, position])
def test_the_wheel_scrolls_past_an_input(make: Callable[[], QWidget], is_focused: bool, qtbot: QtBot) -> None:
    body, field, text = QWidget(), make(), LineEdit()
    column = QVBoxLayout(body)
    for part in (QLabel("\n" * 40), field, text, QLabel("\n" * 40)):
        column.addWidget(part)
    area = scrolled(body)
    qtbot.addWidget(area)
    area.resize(300, 200)
    with qtbot.waitActive(area):
        area.show()
    (field if is_focused else text).setFocus()
    before, bar = value(field), area.verticalScrollBar()
    for notches in (1, -1):
        area.ensureWidgetVisible(field, 0, 80)
        start = bar.value()
        turn(field, notches)
        assert (bar.value() - start) * notches > 0
        assert value(field) == before
    assert (field if is_focused else text).hasFocus()
