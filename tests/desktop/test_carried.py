"""What other programs and we ourselves write into a drag, and what is made of it."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, QUrl

from app.desktop.carried import DRAFTS, MEDIA, Carried, pack, read
from app.desktop.links import AddFiles, understood

LINK = "text/x-moz-url"


def data(*urls: str, text: str | None = None, html: str | None = None, **formats: bytes) -> QMimeData:
    made = QMimeData()
    if urls:
        made.setUrls([QUrl(url) for url in urls])
    if text is not None:
        made.setText(text)
    if html is not None:
        made.setHtml(html)
    for kind, written in formats.items():
        made.setData(kind, written)
    return made


def link(address: str, words: str, *, moz: bool = True) -> QMimeData:
    """A link as browsers tell it; under X11 without their own format."""
    made = data(address, text=address, html=f'<a href="{address}">{words}</a>')
    if moz:
        made.setData(LINK, f"{address}\n{words}".encode("utf-16-le"))
    return made


def test_text_loses_what_nobody_can_write() -> None:
    assert (
        read(data(text=" One\r\ntwo\x00\x1b\rthree\ttabbed\u2028four ")).text
        == "One\ntwo\nthree\ttabbed\nfour"
    )


def test_text_of_families_and_rare_scripts_stays_whole() -> None:
    words = "👩‍👩‍👧 می‌خواهم 𝒜 é"  # noqa: RUF001  joiners and letters beyond 16 bits
    assert read(data(text=words)).text == words


@pytest.mark.parametrize("moz", [True, False])
def test_a_link_of_a_browser_keeps_its_words(moz: bool) -> None:
    address = "https://example.org/a?b=1"
    assert read(link(address, "The   long coat", moz=moz)).text == f"The long coat\n{address}"
    assert read(link(address, address, moz=moz)).text == address
    assert read(link(address, "x" * 600, moz=moz)).text == address
    assert read(link(address, "<img src='https://192.0.2.1/x.png'>", moz=False)).text == address


@pytest.mark.parametrize("address", ["https://example.org/a%20b%2Fc?q=%26#x", "https://example.org/ü"])
def test_an_address_leads_where_it_led(address: str) -> None:
    assert QUrl(read(data(address)).text) == QUrl(address)
    assert read(link(address, address)).text == address


def test_words_that_were_chosen_on_a_page_stay_as_they_are() -> None:
    chosen = data(
        "https://example.org/a", text="See the coat", html='See <a href="https://example.org/a">the coat</a>'
    )
    assert read(chosen).text == "See the coat"


@pytest.mark.parametrize(
    "scheme", ["javascript:alert(1)", "data:text/html,x", "file:", "https:", "mailto:a@b.c"]
)
def test_an_address_that_no_reader_could_open_is_nothing(scheme: str) -> None:
    assert not read(data(scheme))
    assert read(link(scheme, "Words")).text in ("", scheme)  # as the text that was selected, at most


def test_several_addresses_stand_beside_each_other() -> None:
    found = read(data("https://example.org/a", "https://example.org/b"))
    assert found.text == "https://example.org/a https://example.org/b"


def test_a_page_gives_its_words_and_nothing_is_fetched() -> None:
    page = '<p>Hello <b>you</b></p><img src="https://192.0.2.1/x.png"><script>no()</script>'
    assert read(data(html=page)).text == "Hello you"


def test_files_come_before_words() -> None:
    assert read(data("file:///home/a.jpg", text="a.jpg")) == Carried(files=(Path("/home/a.jpg"),))


@pytest.mark.skipif(os.name == "nt", reason="paths are bytes only elsewhere")
@pytest.mark.parametrize(
    "address", ["file:///home/caf%E9%20%2541.jpg", "file://localhost/home/caf%E9%20%2541.jpg"]
)
def test_a_file_whose_name_is_not_utf_8_keeps_it(address: str) -> None:
    file = Path(os.fsdecode(b"/home/caf\xe9 %41.jpg"))
    made = QMimeData()
    made.setData("text/uri-list", address.encode())
    assert read(made) == Carried(files=(file,))
    assert understood([address]) == [AddFiles((file,))]


def test_what_is_ours_comes_before_everything_and_each_once() -> None:
    made = data("file:///home/a.jpg", text="First line")
    pack(made, MEDIA, ["one", "two", "one"])
    assert read(made) == Carried(media=("one", "two"))
    pack(made, DRAFTS, ["d"])
    assert read(made) == Carried(drafts=("d",))
    assert read(made).count == 1


@pytest.mark.parametrize(
    "written",
    [b"", b"{}", b"[]", b"[1]", b'[""]', b'["a", null]', b"[" * 9_000, b"\xff\xfe", b'"a"',
     json.dumps(["k"] * 201).encode(), json.dumps(["k" * 200_001]).encode()],
)  # fmt: skip
def test_what_is_not_ours_though_it_says_so_is_nothing(written: bytes) -> None:
    for kind in (DRAFTS, MEDIA):
        made = QMimeData()
        made.setData(kind, written)
        assert not read(made)
        made.setText("Words")
        assert read(made) == Carried(text="Words")


@given(
    written=st.binary(max_size=400),
    kind=st.sampled_from([DRAFTS, MEDIA, LINK, "text/plain", "text/html", "text/uri-list"]),
)
def test_whatever_a_program_writes_is_read_without_harm(written: bytes, kind: str) -> None:
    made = QMimeData()
    made.setData(kind, written)
    found = read(made)
    assert found.count <= 200
    assert not any(ord(each) < 32 and each not in "\n\t" for each in found.text)
    assert not any(0xD800 <= ord(each) <= 0xDFFF for each in found.text)
