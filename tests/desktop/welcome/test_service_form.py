import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.desktop.welcome.service_form import address_problem, key_problem, lacks_scheme

GOOD_KEY = "stp_rest_" + "0a" * 32


@pytest.mark.parametrize(
    "address", ["https://plan.example.com", "https://127.0.0.1:8443", "https://[::1]:8443/"]
)
def test_an_https_address_is_taken(address: str) -> None:
    assert address_problem(address) == ""


@pytest.mark.parametrize(
    "address",
    [
        "",
        "http://plan.example.com",
        "ftp://x",
        "https://",
        "https://a b",
        "https://u:p@h",
        "https://h?x=1",
        "https://[::1",
    ],
)
def test_anything_else_gets_a_sentence(address: str) -> None:
    assert address_problem(address).endswith(".")


def test_http_is_refused_because_the_key_would_travel_unprotected() -> None:
    assert "unencrypted" in address_problem("http://plan.example.com")
    assert not lacks_scheme("http://plan.example.com")


def test_an_address_that_only_lacks_its_beginning_is_known() -> None:
    assert lacks_scheme("plan.example.com")
    assert lacks_scheme("localhost:8443")
    assert not lacks_scheme("")
    assert not lacks_scheme("isn't an address")


@given(st.text())
def test_no_text_breaks_the_checks(text: str) -> None:
    assert isinstance(address_problem(text), str)
    assert (key_problem(text) == "") == (text == GOOD_KEY)


@pytest.mark.parametrize("key", ["", "abc", GOOD_KEY[:-1], GOOD_KEY + "0", GOOD_KEY[:-1] + "g"])
def test_a_key_of_the_wrong_shape_gets_a_sentence(key: str) -> None:
    assert key_problem(GOOD_KEY) == ""
    assert key_problem(key).endswith(".")
