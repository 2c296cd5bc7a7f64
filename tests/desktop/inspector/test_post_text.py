"""A post's text is shown as it is, with its hashtags in a colour."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from app.desktop.inspector.post_text import PostText
from app.desktop.theme import theme

pytestmark = pytest.mark.usefixtures("qapp")
_PIECES = st.sampled_from(
    ["<img src=x>", "</p>", "&amp;", "&#60;", "#wool", "wool ", "  ", "\n", "م", "🦊", "🦊#fox"]
)


def shown(words: str) -> PostText:
    text = PostText()
    text.show_words(words)
    return text


def colored(text: PostText) -> list[str]:
    """The parts of a text in the colour of links."""
    found, block = [], text.document().begin()
    while block.isValid():
        runs = block.begin()
        while not runs.atEnd():
            part = runs.fragment()
            if part.charFormat().foreground().color() == theme.current().color("accent"):
                found.append(part.text())
            runs += 1
        block = block.next()
    return found


@given(st.lists(_PIECES).map("".join))
def test_nothing_is_read_as_markup(words: str) -> None:
    assert shown(words).document().toRawText().replace("\u2029", "\n") == words


def test_hashtags_have_the_colour_of_links(qapp: QApplication) -> None:
    theme.apply(qapp, "light")
    text = shown("🦊 Orders open. #slowfashion, #wolle_2026! https://okafor.studio/#top &#39; C#")
    assert colored(text) == ["#slowfashion", "#wolle_2026"]


def test_it_is_as_high_as_its_lines(qapp: QApplication) -> None:
    theme.apply(qapp, "light")
    text = shown("wool " * 40)
    text.show()
    text.resize(200, 20)
    before = text.height()
    text.resize(400, 20)
    assert 1.6 < before / text.height() < 2.4
    assert text.height() == round(text.document().size().height())


def test_screen_readers_get_the_text() -> None:
    assert shown("Orders open. #wool <b>").accessibleName() == "Orders open. #wool <b>"
