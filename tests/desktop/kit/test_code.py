"""Code to read: every line that shows can be read."""

import pytest
from PySide6.QtGui import QFont, QTextCursor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.kit.code import Code, highlights
from app.desktop.theme import theme

_LONG = "x" * 200


def halves(code: Code) -> list[int]:
    """The numbers of the lines of which only a part shows."""
    seen, found = code.viewport().rect().adjusted(0, 0, 0, -1), []  # a pixel is no part of a line
    for number in range(code.blockCount()):
        place = code.cursorRect(QTextCursor(code.document().findBlockByNumber(number)))
        above, below = place.top() < seen.top(), place.bottom() > seen.bottom()
        if place.bottom() >= seen.top() and place.top() <= seen.bottom() and (above or below):
            found.append(number)
    return found


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_no_line_is_cut_off_where_the_bar_begins(qapp: QApplication, qtbot: QtBot, scale: float) -> None:
    theme.apply(qapp, "light", scale)
    code = Code("Body")
    qtbot.addWidget(code)
    code.show_code("\n".join([_LONG] * 40))
    code.show()
    below, beside = code.horizontalScrollBar(), code.verticalScrollBar()
    for height in range(150, 200):
        code.resize(300, height)
        assert below.isVisible()
        for place in (0, 7, beside.maximum()):
            beside.setValue(place)
            assert (height, place, halves(code)) == (height, place, [])
    theme.apply(qapp, "light", 1.25)
    assert halves(code) == []


def test_keys_and_what_they_hold_differ_by_ink_alone(qtbot: QtBot) -> None:
    code = Code("Body")
    qtbot.addWidget(code)
    code.show_code('return {"key": "value"}')
    formats = code.document().firstBlock().layout().formats()
    inks = {found.start: found.format.foreground().color() for found in formats}
    look = theme.current()
    assert inks == {8: look.color("text"), 15: look.color("ok")}
    assert all(found.format.fontWeight() == QFont.Weight.Normal for found in formats)


@pytest.mark.parametrize("width", [300, 10_000])
@pytest.mark.parametrize("height", range(120, 200, 7))
def test_what_shows_first_is_whole_and_all_of_it_is_reached(qtbot: QtBot, width: int, height: int) -> None:
    code = Code("Body")
    qtbot.addWidget(code)
    code.show_code("\n".join([_LONG] * 10))
    code.resize(width, height)
    code.show()
    assert halves(code) == []
    bar = code.verticalScrollBar()
    whole = code.viewport().height() // code.cursorRect().height()
    assert bar.maximum() == max(0, 10 - whole)
    bar.setValue(bar.maximum())
    last = code.cursorRect(QTextCursor(code.document().lastBlock()))
    assert code.viewport().rect().contains(last)


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 2.0])
def test_nine_lines_need_no_bar(qapp: QApplication, qtbot: QtBot, scale: float) -> None:
    theme.apply(qapp, "light", scale)
    code = Code("Body")
    qtbot.addWidget(code)
    code.show_code("\n".join(["x"] * 9))
    code.show()
    code.resize(400, code.sizeHint().height())
    assert code.verticalScrollBar().maximum() == 0


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ('"a": "b\\"c", # d', [("text", '"a"'), ("ok", '"b\\"c"'), ("text3", "# d")]),
        ('don\'t say "a"', [("ok", '"a"')]),
        ("'a' \"b", [("ok", "'a'")]),
        ('"a" "b" : 1 // c', [("ok", '"a"'), ("text", '"b"'), ("text3", "// c")]),
        ("https://linen.example", []),
    ],
)
def test_strings_keys_and_comments_have_colours(line: str, parts: list[tuple[str, str]]) -> None:
    assert [(ink, line[start:end]) for start, end, ink in highlights(line)] == parts


def test_code_has_the_outline_of_a_panel_because_nothing_can_be_typed(
    qapp: QApplication, qtbot: QtBot
) -> None:
    theme.apply(qapp, "light")
    code = Code("Body")
    qtbot.addWidget(code)
    code.resize(300, 160)
    code.show()
    code.clearFocus()
    outline = code.grab().toImage().pixelColor(150, 0)
    assert outline == theme.current().color("line")
