"""HTML from outside."""

import html.parser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.platforms.markup import Tag, tokens, unescaped


def shown(source: str) -> list[Tag | str]:
    return list(tokens(source))


def text_of(source: str) -> str:
    return "".join(token for token in tokens(source) if isinstance(token, str))


def test_tags_have_their_attributes_and_texts_their_characters() -> None:
    assert shown("<P Class='a b' id=c hidden class=d>A &amp; b</p>") == [
        Tag("p", False, {"class": "a b", "id": "c", "hidden": ""}),
        "A & b",
        Tag("p", True, {}),
    ]


def test_an_attribute_may_contain_the_end_of_a_tag() -> None:
    assert shown('<a href="?a>b&quot;">c') == [Tag("a", False, {"href": '?a>b"'}), "c"]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a<!-- <p> -- > -->b", "ab"),
        ("a<!-->b", "ab"),
        ("a<!--->b", "ab"),
        ("a<!doctype html>b", "ab"),
        ("a<![CDATA[<p>]]>b", "a]]>b"),
        ("a<?php >b", "ab"),
        ("a</ >b", "ab"),
        ("1 < 2 <", "1 < 2 <"),
        ("a<![", "a"),
        ("a<!--b", "a"),
        ("a<b", "a"),
        ("a<b c='>", "a"),
        ("a<b c=\"d' >", "a"),
    ],
)
def test_comments_declarations_and_tags_without_an_end_show_nothing(source: str, text: str) -> None:
    assert text_of(source) == text


def test_titles_and_scripts_contain_no_tags() -> None:
    assert text_of("<title>A <b> &amp; c</title><script>if (a<b) '&amp;'</script >d") == (
        "A <b> & cif (a<b) '&amp;'d"
    )


def test_an_element_without_an_end_contains_the_rest() -> None:
    assert shown("<title>A</titles>") == [Tag("title", False, {}), "A</titles>"]


@pytest.mark.parametrize("reference", [f"&#{'9' * 5_000};", f"&#x{'f' * 5_000}", "&#4294967296;"])
def test_a_number_that_is_no_character_shows_as_one_unknown(reference: str) -> None:
    assert unescaped(f"a{reference}z") == "a\ufffdz"


@given(st.text(alphabet="<>/!?-[]a= '\"&;#x9p\n", max_size=60))
def test_whatever_is_written_is_read(source: str) -> None:
    assert len(text_of(source)) <= len(source)


class _Reader(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, bool] | str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.seen.append((tag, False))

    def handle_endtag(self, tag: str) -> None:
        self.seen.append((tag, True))

    def handle_data(self, data: str) -> None:
        self.seen.append(data)


_PIECES = (
    "<p>",
    "</p>",
    "<br>",
    '<a href="https://a.example/?b=1">',
    "</a>",
    "a",
    "&amp;",
    " ",
    "<!-- b -->",
    "&lt;",
)


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map("".join))
def test_plain_markup_is_read_as_by_the_standard_library(source: str) -> None:
    reader = _Reader()
    reader.feed(source)
    reader.close()
    ours = [token if isinstance(token, str) else (token.name, token.is_end) for token in tokens(source)]
    assert _joined(ours) == _joined(reader.seen)


def _joined(seen: list[tuple[str, bool] | str]) -> list[tuple[str, bool] | str]:
    joined: list[tuple[str, bool] | str] = []
    for each in seen:
        if isinstance(each, str) and joined and isinstance(joined[-1], str):
            joined[-1] += each
        else:
            joined.append(each)
    return joined
