"""The text box: what is highlighted takes no more room than what is wrapped."""

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.composer.text_box import TextBox

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
