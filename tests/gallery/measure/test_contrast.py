"""The measure of contrast, on colours whose ratio is known."""

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.desktop.theme import fonts
from app.desktop.widgets import IconLabel, LineEdit
from tests.gallery.measure import contrast
from tests.gallery.measure.findings import Tally, measure_contrast
from tests.gallery.measure.texts import texts_of

_AREA = QRectF(0, 0, 120, 24)


pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture(autouse=True)
def with_fonts() -> None:
    fonts.load()


def written(ink: str, ground: str, *, mark: str = "") -> QImage:
    """Small words on a screen with two pixels per logical one, and optionally a mark."""
    picture = QImage(240, 48, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(2)
    picture.fill(QColor(ground))
    painter = QPainter(picture)
    if mark:
        painter.fillRect(100, 4, 12, 16, QColor(mark))
    font = QFont("Inter")
    font.setPixelSize(11)
    painter.setFont(font)
    painter.setPen(QColor(ink))
    painter.drawText(QRectF(4, 0, 90, 24), Qt.AlignmentFlag.AlignVCenter, "Quiet words")
    painter.end()
    return picture


@pytest.mark.parametrize(
    ("ink", "ground", "ratio"),
    [
        ("#000000", "#FFFFFF", 21.0),
        ("#787878", "#FFFFFF", 4.42),  # just too little
        ("#757575", "#FFFFFF", 4.61),  # just enough
        ("#85857F", "#151517", 4.91),
        ("#7A7A75", "#151517", 4.23),
        ("#8F5B00", "#FBF1DC", 5.11),
        ("#B07A20", "#FBF1DC", 3.31),
    ],
)
def test_small_words_have_the_ratio_of_their_colours(ink: str, ground: str, ratio: float) -> None:
    measured = contrast.measure(written(ink, ground), _AREA)
    assert measured is not None
    assert (measured.ink, measured.ground) == (ink, ground)
    assert measured.ratio == pytest.approx(ratio, abs=0.01)


def test_bare_ground_has_no_ratio() -> None:
    picture = written("#000000", "#FFFFFF")
    assert contrast.measure(picture, QRectF(0, 0, 3, 3)) is None


def test_an_icon_beside_a_text_is_not_measured_with_it() -> None:
    window = QWidget()
    row = QHBoxLayout(window)
    row.setSpacing(0)
    row.addWidget(IconLabel("check", "#000000"))
    row.addWidget(label := QLabel("Quiet words"))
    assert ratios(window, label, "#8A8A8A") == ["'Quiet words' (QLabel): #8A8A8A on #FFFFFF, 3.45"]
    assert ratios(window, label, "#707070") == []


def test_disabled_controls_are_exempt_and_placeholders_are_not() -> None:
    window = QWidget()
    row = QHBoxLayout(window)
    row.addWidget(label := QLabel("Not now"))
    row.addWidget(line := LineEdit())
    line.setPlaceholderText("Words")
    line.setStyleSheet("color: #000000; placeholder-text-color: #AAAAAA; background: #FFFFFF")
    label.setEnabled(False)
    assert [one.partition(" ")[0] for one in ratios(window, label, "#999999")] == ["'Words'"]


def ratios(window: QWidget, label: QLabel, ink: str) -> list[str]:
    """Return the findings for a window with a label in a colour."""
    label.setStyleSheet(f"color: {ink}")
    window.setStyleSheet("background: #FFFFFF")
    window.show()
    picture = QImage(window.size() * 2, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(2)
    window.render(picture, QPoint())
    tally = Tally()
    measure_contrast(tally, "scene", "light", picture, texts_of(window))
    window.close()
    return [f"{one.what}: {one.detail}" for one in tally.findings]
