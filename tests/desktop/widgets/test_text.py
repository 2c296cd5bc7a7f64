"""Text in a width: broken between words, never within one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from app.desktop.widgets.text import ELLIPSIS, TextFitter


@pytest.fixture(scope="module")
def fitter(qapp: QApplication) -> TextFitter:
    del qapp
    return TextFitter(QFont())


@pytest.mark.parametrize("text", ["Thanksgiving table", "Lookbook, page by page"])
def test_a_word_wider_than_a_line_is_elided_and_not_broken(fitter: TextFitter, text: str) -> None:
    word = text.split(maxsplit=1)[0]
    [line] = fitter.lines(text, int(fitter.width(word)) - 3, 3)
    assert line.endswith(ELLIPSIS)
    assert word.startswith(line.removesuffix(ELLIPSIS))


def test_words_and_parts_before_a_hyphen_end_lines(fitter: TextFitter) -> None:
    room = int(fitter.width("behind-the-")) + 2
    assert fitter.lines("behind-the-scenes today", room, 3) == ("behind-the-", "scenes", "today")


def test_ideographs_may_end_lines(fitter: TextFitter) -> None:
    room = int(fitter.width("毛衣")) + 1
    assert fitter.lines("毛衣回來", room, 2) == ("毛衣", "回來")


@given(st.text("abc ,-毛", max_size=60), st.integers(1, 200), st.integers(1, 4))
def test_lines_fit_and_lose_only_the_end(text: str, room: int, most: int) -> None:
    fitter = TextFitter(QFont())
    text = " ".join(text.split())
    lines = fitter.lines(text, room, most)
    assert len(lines) <= most
    told = "".join(lines).removesuffix(ELLIPSIS).replace(" ", "")
    assert text.replace(" ", "").startswith(told)
    assert all(fitter.width(line) <= room for line in lines if line != ELLIPSIS)


@pytest.mark.parametrize(
    ("text", "room", "start"),
    [
        ("We are hiring", "We are h", "We are"),
        ("Autumn, at last", "Autumn, a", "Autumn"),
        ("Thanksgiving table", "Thanks", "Thanks"),
        ("Mood", "Mood board", "Mood"),
        ("A thread about wool", "A threa", "A threa"),
    ],
)
def test_the_start_of_a_text_is_whole_words_without_an_ellipsis(
    fitter: TextFitter, text: str, room: str, start: str
) -> None:
    assert fitter.start(text, fitter.width(room) + 0.5) == start
