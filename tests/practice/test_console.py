"""The stand-in's own endpoints, and that every response identifies it."""

import httpx
import pytest

from app.practice.identities import ACCOUNTS, Identity, next_account
from tests.practice.programs import LinkedInProgram, XProgram

NOTICE = "PRACTICE: nothing here reaches the real platform"


def test_a_line_of_the_ledger_has_every_field(x: XProgram) -> None:
    x.publish("Hello")
    (line,) = x.published()
    assert list(line) == [
        "platform",
        "account_identifier",
        "content_id",
        "text",
        "title",
        "link",
        "board_id",
        "media_sha256",
        "labels",
        "received_at",
    ]
    assert line["received_at"].endswith("Z")
    assert len(line["received_at"]) == len("2026-11-21T10:00:00.000Z")


def test_every_token_ever_issued_is_listed(x: XProgram, linkedin: LinkedInProgram) -> None:
    renewed = x.refresh().json()
    issued = {
        tokens[kind]
        for tokens in (x.tokens, renewed, linkedin.tokens)
        for kind in ("access_token", "refresh_token")
    }
    assert issued <= set(x.client.get("/tokens").json()["data"])


def test_every_answer_says_that_it_is_a_stand_in(practice: httpx.Client) -> None:
    for path in ("/", "/ledger", "/tokens", "/x/2/users/me", "/linkedin/rest/posts", "/nowhere"):
        assert "stand-in" in practice.get(path).headers["server"]
    for path in ("/ledger", "/tokens"):
        assert practice.get(path).json()["notice"] == NOTICE
    assert NOTICE in practice.get("/").text


def test_the_page_shows_the_ledger_escaped_and_the_faults_on_order(x: XProgram) -> None:
    x.publish("<script>alert(1)</script>")
    order = {"platform": "x", "operation": "upload", "kind": "slow", "times": 7}
    assert x.client.post("/faults", json=order).status_code == 201
    page = x.client.get("/").text
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "slow on upload" in page


def test_another_host_name_is_refused(practice: httpx.Client) -> None:
    assert practice.get("/tokens", headers={"Host": "rebound.example"}).status_code == 400


def test_pages_load_their_style(practice: httpx.Client) -> None:
    style = practice.get("/static/practice.css")
    assert style.headers["content-type"].startswith("text/css")
    assert "prefers-color-scheme: dark" in style.text


def test_a_picture_of_a_name_that_cannot_be_is_not_found(practice: httpx.Client) -> None:
    assert practice.get("/avatars/x/%3Cb%3E.svg").status_code == 404


@pytest.mark.parametrize("account", ["", "Ada Lovelace", "ada", "a.b", "Łukasz Żółć", "x" * 40])
def test_a_person_has_all_that_platforms_show(account: str) -> None:
    person = Identity.of("x", account)
    assert person == Identity.of("x", person.account)
    assert person != Identity.of("linkedin", account)
    assert 1 <= len(person.handle) <= 15
    assert person.handle.isascii()
    assert person.display_name
    assert person.initials


@pytest.mark.parametrize("account", ["-", "<b>", "x" * 41, "a\nb", "a/b"])
def test_what_is_no_account_name_is_refused(account: str) -> None:
    with pytest.raises(ValueError, match="account name"):
        Identity.of("x", account)


def test_built_in_accounts_follow_each_other_and_come_round() -> None:
    assert [next_account(account) for account in ACCOUNTS] == [*ACCOUNTS[1:], ACCOUNTS[0]]
    assert next_account("ada") == ACCOUNTS[0]
