"""The text box: it grows with its text, and marks what is too long without moving a word."""

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.desktop.composer.highlighter import characters
from app.desktop.composer.text_box import TextBox
from app.desktop.theme import theme

TEXTS = [
    "Orders open at nine, and the first twenty get a tote bag. " + "#smallbatch #slowfashion " * 12,
    "\n".join(f"{'wool ' * n}#{'handmade' * (n % 4 + 1)}" for n in range(40)),
    "#" + "veryLongHashtag" * 200,
    "W" * 900 + " #" + "M" * 90,
]


@pytest.mark.parametrize("text", TEXTS, ids=["row of hashtags", "many lines", "one word", "wide letters"])
def test_no_line_is_wider_than_the_box(qtbot: QtBot, text: str) -> None:
    box = TextBox()
    qtbot.addWidget(box)
    box.show()
    editor = box.editor
    for width in range(260, 460, 7):
        box.resize(width, 400)
        box.set_text("")
        box.set_text(text)
        qtbot.wait(0)
        room = editor.viewport().width()
        assert not editor.horizontalScrollBar().isVisible()
        assert editor.horizontalScrollBar().maximum() == 0
        block = editor.document().firstBlock()
        while block.isValid():
            lines = [block.layout().lineAt(n) for n in range(block.layout().lineCount())]
            assert max((line.naturalTextWidth() for line in lines), default=0) <= room
            block = block.next()


@pytest.fixture
def box(qtbot: QtBot) -> TextBox:
    made = TextBox()
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show()
    return made


def test_the_box_grows_with_its_text_and_never_scrolls_inside(qtbot: QtBot, box: TextBox) -> None:
    heights = []
    for lines in (0, 3, 4, 5, 40, 400):
        box.set_text("\n".join(["wool"] * lines))
        qtbot.wait(0)
        assert box.editor.verticalScrollBar().maximum() == 0
        heights.append(box.editor.height())
    assert heights[0] == heights[1] == heights[2] == 96
    assert heights[3] == 5 * 21 + 8
    assert heights[5] // 400 == 21


def test_lines_are_21_px_apart_also_those_that_are_written_later(box: TextBox) -> None:
    box.set_text("one\ntwo")
    box.editor.moveCursor(box.editor.textCursor().MoveOperation.End)
    QTest.keyClick(box.editor, Qt.Key.Key_Return)
    QTest.keyClicks(box.editor, "three")
    box.editor.insertPlainText("\nfour\nfive")
    document = box.editor.document()
    layout = document.documentLayout()
    tops = [layout.blockBoundingRect(document.findBlockByNumber(n)).top() for n in range(5)]
    assert [round(low - high) for high, low in pairwise(tops)] == [21, 21, 21, 21]


def test_undo_takes_back_words_and_not_the_height_of_lines(box: TextBox) -> None:
    box.set_text("one\ntwo")
    assert not box.editor.document().isUndoAvailable()
    QTest.keyClicks(box.editor, "s")
    box.editor.undo()
    assert box.text() == "one\ntwo"
    assert not box.editor.document().isUndoAvailable()


def test_what_is_too_long_is_marked_and_unmarked(box: TextBox) -> None:
    box.set_text("🧶 wool and linen\nand more")
    box.mark_from(7)
    assert box.highlighter.too_long == "and linen\nand more"
    assert _grounds(box) == {"and linen", "and more"}
    box.mark_from(len(box.text()))
    assert box.highlighter.too_long == ""
    assert _grounds(box) == set()


def test_a_hashtag_that_is_too_long_is_marked_and_still_a_hashtag(box: TextBox) -> None:
    box.set_text("wool #slow")
    box.mark_from(5)
    formats = box.editor.document().firstBlock().layout().formats()
    (over,) = (one for one in formats if one.format.background().style() != Qt.BrushStyle.NoBrush)
    assert (over.start, over.length) == (5, 5)
    assert over.format.foreground().color() == theme.current().color("accent")


def _grounds(box: TextBox) -> set[str]:
    """The stretches of text that have a ground of their own."""
    found = set()
    block = box.editor.document().firstBlock()
    while block.isValid():
        for one in block.layout().formats():
            if one.format.background().style() != Qt.BrushStyle.NoBrush:
                text = block.text()
                first, last = characters(text, one.start), characters(text, one.start + one.length)
                found.add(text[first:last])
        block = block.next()
    return found
