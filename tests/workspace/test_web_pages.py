"""Which addresses a browser may open."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.workspace.web_pages import ADDRESS_MAX, web_page

SERVICE = "https://service.example:8443/base"


@pytest.mark.parametrize(
    "address",
    [
        "https://www.linkedin.com/oauth/v2/authorization?state=a&scope=w%20x",
        "https://service.example:8443/integrations/sign-in?link=abc#top",
        "https://münchen.example/",
        "http://127.0.0.1:8080/consent?state=x",
        "http://localhost/",
        "http://[::1]:9/",
    ],
)
def test_a_web_page_is_taken_as_it_is(address: str) -> None:
    assert web_page(address) == address


@pytest.mark.parametrize(
    "address",
    [
        None,
        "",
        "https:",
        "https://",
        "https:///x",
        "https://:443/",
        "https://[",
        "https://a℀b/",
        "https://a:port/",
        "https://a:99999/",
        "https://a:0/",
        "HTTPS:javascript:alert(1)",
        "javascript:alert(1)//https://a.example",
        "file:///etc/passwd",
        "smb://attacker.example/share/run.me",
        "vscode://file/x",
        "data:text/html,x",
        "//a.example/x",
        "http://a.example/",
        "http://192.168.0.4/",
        "http://127.0.0.1.a.example/",
        "http://user@127.0.0.1/",
        "https://bank.example@a.example/",
        "https://bank.example\\@a.example/",
        "https://a.example/\n",
        " https://a.example/",
        "https://a.example/\u202egnp.exe",
        "https://a.example/ b",
        f"https://a.example/{'x' * ADDRESS_MAX}",
    ],
)
def test_anything_else_is_not(address: str | None) -> None:
    assert web_page(address) == ""


@pytest.mark.parametrize(
    ("address", "is_of_service"),
    [
        ("https://service.example:8443/integrations", True),
        ("https://SERVICE.example:8443/integrations", True),
        ("https://service.example/integrations", False),
        ("https://service.example:8444/", False),
        ("https://other.example:8443/", False),
        ("https://service.example:8443.other.example/", False),
    ],
)
def test_a_page_of_the_service_has_its_host_and_port(address: str, is_of_service: bool) -> None:
    assert bool(web_page(address, service=SERVICE)) is is_of_service


@given(st.text() | st.text("htps:/[]@.a1\\%#?℀ ", max_size=30).map("https://".__add__))
def test_any_text_gives_an_answer(address: str) -> None:
    assert web_page(address) in ("", address)
