"""The columns of the history have room for their names, and leave the title its room."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication

from app.desktop.history.columns import NAMES, columns, name_font
from app.desktop.theme import theme


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("width", [320, 480, 700, 1_200])
def test_names_fit_above_their_numbers_and_no_column_overlaps_another(
    qapp: QApplication, width: int, scale: float
) -> None:
    theme.apply(qapp, "light", scale)
    try:
        places = columns(QRect(0, 0, width, 52))
        metrics = QFontMetrics(name_font())
        for name, box in places.numbers.items():
            assert metrics.horizontalAdvance(NAMES[name]) <= box.width()
        in_order = [places.time, places.picture, places.title, places.bar, *reversed(places.numbers.values())]
        shown = [box for box in in_order if box is not None]
        assert all(left.right() < right.left() for left, right in pairwise(shown))
        assert shown[-1].right() < width
        assert places.title.width() >= 100
    finally:
        theme.apply(qapp, "light")
