"""The QR code of a text: what it holds, how it's painted, and when there's none."""

import asyncio
from pathlib import Path

import pytest
import segno
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from app.desktop.finishing.qr_code import LONGEST, CodePicture, QrCode, encoded, fits
from app.desktop.theme import theme
from app.desktop.theme.theme import Mode
from app.desktop.widgets import scrolled
from tests.desktop.finishing.test_card import due, presented
from tests.desktop.running import run
from tests.workspace.model_places import ModelPlaces, keep_places
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

TEXT = "Wool für 5 €\n#wool 🧶"
WHITE, BLACK = QColor("white").rgb(), QColor("black").rgb()


@pytest.fixture
def places(service: ModelService) -> ModelPlaces:
    return keep_places(service)


def modules(text: str) -> list[list[int]]:
    code = segno.make_qr(text.encode(), error="l")
    return [[BLACK if dark else WHITE for dark in row] for row in code.matrix_iter(border=4)]


def test_the_code_holds_the_text_in_utf8_with_a_quiet_zone() -> None:
    image, expected = encoded(TEXT), modules(TEXT)
    painted = [[image.pixel(x, y) for x in range(image.width())] for y in range(image.height())]
    assert painted == expected
    assert set(painted[3]) == {WHITE}


@pytest.mark.parametrize(
    ("text", "is_offered"),
    [("", False), ("a", True), ("ä" * (LONGEST // 2), True), ("ä" * (LONGEST // 2 + 1), False)],
)
def test_only_texts_that_a_code_can_hold_fit(text: str, is_offered: bool) -> None:
    assert fits(text) is is_offered
    if is_offered:
        assert encoded(text).width() <= 185


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("length", [5, LONGEST])
def test_every_module_is_painted_alike_and_black_on_white(
    qapp: QApplication, mode: Mode, length: int
) -> None:
    theme.apply(qapp, mode)
    text = "a" * length
    expected = modules(text)
    picture = CodePicture()
    picture.show_image(encoded(text))
    image: QImage = picture.grab().toImage()
    count = len(expected)
    module = image.width() // count
    assert module >= 2
    start = (image.width() - module * count) // 2
    for y, row in enumerate(expected):
        for x, shade in enumerate(row):
            corners = ((0, 0), (module - 1, 0), (0, module - 1), (module - 1, module - 1))
            found = {image.pixel(start + x * module + dx, start + y * module + dy) for dx, dy in corners}
            assert found == {shade}, (x, y)


def test_the_code_opens_with_the_button_and_stays_open_for_the_next_post(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    due(places, "Wool", "Felt")

    async def work() -> None:
        async with presented(tmp_path, service) as (card, _opened):
            code = card.content.qr_code
            await until(code.button.isVisible)
            assert not code.isVisible()
            height = card.height()
            code.button.setFocus(Qt.FocusReason.TabFocusReason)
            QTest.keyClick(code.button, Qt.Key.Key_Space)
            await until(code.isVisible)
            await until(lambda: card.height() > height)
            assert code.button.text() == "Hide QR code"
            spoken = QAccessible.queryAccessibleInterface(code.code)
            assert spoken.role() == QAccessible.Role.Graphic
            assert spoken.text(QAccessible.Text.Name) == "QR code with the text of the post"
            first = code.code.grab().toImage()
            QTest.mouseClick(card.done_button, Qt.MouseButton.LeftButton)
            await until(lambda: card.content.text.toPlainText() == "Felt" and code.isVisible())
            assert code.code.grab().toImage() != first
            QTest.mouseClick(code.button, Qt.MouseButton.LeftButton)
            assert not code.isVisible()
            assert code.button.text() == "Show QR code"

    run(qapp, work)


def test_a_text_that_is_too_long_has_no_button(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    due(places, "a" * (LONGEST + 1))

    async def work() -> None:
        async with presented(tmp_path, service) as (card, _opened):
            assert card.content.copy_text.isVisible()
            assert not card.content.qr_code.button.isVisible()

    run(qapp, work)


def test_an_opened_code_is_scrolled_into_view(qapp: QApplication) -> None:
    body, code = QWidget(), QrCode()
    column = QVBoxLayout(body)
    above = QWidget()
    above.setFixedHeight(500)
    for part in (above, code.button, code):
        column.addWidget(part)
    area = scrolled(body)
    area.resize(420, 320)

    async def work() -> None:
        area.show()
        code.set_text("Wool")
        await code.draw()
        code.reveal()
        assert area.verticalScrollBar().value() == 0
        code.toggle()
        await code.draw()
        code.reveal()
        await until(lambda: code.code.visibleRegion().boundingRect() == code.code.rect())
        area.verticalScrollBar().setValue(0)
        await code.draw()  # as after any change of the post
        code.reveal()
        await asyncio.sleep(0.01)
        assert area.verticalScrollBar().value() == 0

    run(qapp, work)
