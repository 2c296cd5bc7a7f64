"""The tray's page: it shows the day, a dot while a post is due, and takes the system's colour on macOS."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage

from app.desktop.background.tray import tray_icon
from app.desktop.theme import fonts
from app.desktop.theme.tokens import LIGHT

_EDGE = 64


def picture(day: int, *, is_due: bool, is_template: bool = False) -> QImage:
    icon = tray_icon(day, is_due=is_due, is_template=is_template)
    return icon.pixmap(QSize(_EDGE, _EDGE), 1.0).toImage()


def colors(image: QImage) -> set[str]:
    points = ((x, y) for x in range(image.width()) for y in range(image.height()))
    found = (image.pixelColor(x, y) for x, y in points)
    return {color.name().upper() for color in found if color.alpha() == 255}


@pytest.fixture(autouse=True)
def _bundled_fonts(request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("qapp")
    fonts.load()


def test_each_day_has_a_picture_of_its_own() -> None:
    pictures = [picture(day, is_due=False) for day in range(1, 32)]
    assert all(first != second for first, second in pairwise(pictures))


def test_a_red_dot_shows_that_a_post_is_due() -> None:
    assert LIGHT.rubric in colors(picture(26, is_due=True))
    assert LIGHT.rubric not in colors(picture(26, is_due=False))


def test_a_template_has_one_color() -> None:
    assert tray_icon(26, is_due=True, is_template=True).isMask()
    assert {
        QColor(name).lightness() > 127 for name in colors(picture(26, is_due=True, is_template=True))
    } == {False}
    assert not tray_icon(26, is_due=True, is_template=False).isMask()


def test_small_trays_get_a_drawing_of_their_size() -> None:
    assert {16, 22, 24} <= {size.width() for size in tray_icon(26, is_due=True).availableSizes()}
