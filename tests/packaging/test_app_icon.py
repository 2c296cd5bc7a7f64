"""The icon's files are what its drawings show."""

import app_icon
import pytest
from PySide6.QtGui import QImage

pytestmark = pytest.mark.usefixtures("qapp")

_NEAR = 12
"""How far a channel may differ: Qt's versions smooth edges differently."""


def differing(one: QImage, other: QImage) -> int:
    """Return how many channels of pixels differ."""
    here, there = _channels(one), _channels(other)
    return sum(abs(a - b) > _NEAR for a, b in zip(here, there, strict=True))


def _channels(picture: QImage) -> bytes:
    return bytes(memoryview(picture.convertToFormat(QImage.Format.Format_ARGB32).constBits()))


def test_the_files_are_up_to_date() -> None:
    for file, picture in app_icon.pictures().items():
        bundled = QImage(str(file))
        assert bundled.size() == picture.size(), file.name
        assert differing(bundled, picture) <= picture.width(), f"{file.name}: run packaging/app_icon.py"


def test_macos_gets_the_margin_that_its_icons_have() -> None:
    picture = app_icon.pictures()[app_icon.MACOS / "kalends-1024.png"]
    assert [picture.pixelColor(x, 512).alpha() for x in (95, 512, 928)] == [0, 255, 0]
