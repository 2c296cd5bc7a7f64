"""Web addresses that pins lead to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.workspace.editing.obstacles import as_web_link, link_problem
from tests.workspace.editing.samples import account


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("okafor.studio/coat", "https://okafor.studio/coat"),
        (" https://okafor.studio ", "https://okafor.studio"),
        ("http://127.0.0.1:8000/x", "http://127.0.0.1:8000/x"),
        ("javascript:alert(1)", ""),
        ("ftp://okafor.studio", ""),
        ("coat", ""),
        ("two words.com", ""),
        ("", ""),
        ("https://a.b/" + "x" * 2_048, ""),
    ],
)
def test_web_addresses_are_read_as_people_write_them(written: str, meant: str) -> None:
    assert as_web_link(written) == meant


@given(st.text(max_size=60))
def test_whatever_is_written_gives_a_web_address_or_none(written: str) -> None:
    meant = as_web_link(written)
    assert meant == "" or (meant.startswith(("https://", "http://")) and "." in meant)
    assert as_web_link(meant) == meant


def test_a_link_is_a_problem_for_pins_alone() -> None:
    pin, post = account("pinterest", "pinterest"), account("x", "x")
    assert link_problem("no address", [post, pin]).startswith("That isn't a web address.")
    assert (link_problem("no address", [post]), link_problem("", [pin])) == ("", "")
    assert link_problem("okafor.studio", [pin]) == ""
