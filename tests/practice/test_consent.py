"""The consent page: a plain form, a constant user, and no redirects to wrong places."""

import httpx
import pytest

from tests.practice.programs import ConsentForm, LinkedInProgram, XProgram, press

LINKEDIN, X = LinkedInProgram.PATH, XProgram.PATH


def test_the_page_is_one_form_with_hidden_inputs_and_two_buttons(practice: httpx.Client) -> None:
    page = practice.get(LINKEDIN, params=LinkedInProgram.query())
    form = ConsentForm(page.text)
    assert (form.forms, form.method, form.action) == (1, "post", LINKEDIN)
    assert form.buttons == [("decision", "allow"), ("decision", "deny")]
    assert form.hidden == {**LinkedInProgram.query(), "account": "robin-marsh"}
    assert "PRACTICE: nothing here reaches the real platform" in page.text
    assert "<script" not in page.text


def test_allow_returns_code_and_state_beside_the_query_of_the_redirect_uri(practice: httpx.Client) -> None:
    back = press(practice, LINKEDIN, LinkedInProgram.query(state="a b&c"))
    assert back["state"] == "a b&c"
    assert back["from"] == "practice"
    assert back["code"]


def test_deny_returns_access_denied(practice: httpx.Client) -> None:
    back = press(practice, X, XProgram.query("v"), "deny")
    assert (back["error"], back["state"]) == ("access_denied", "s")
    assert "code" not in back


def test_state_is_left_out_where_none_was_given(practice: httpx.Client) -> None:
    assert "state" not in press(practice, LINKEDIN, LinkedInProgram.query(state=""))


def test_consenting_again_gives_the_same_account_and_another_name_another(practice: httpx.Client) -> None:
    first, again = LinkedInProgram.connect(practice), LinkedInProgram.connect(practice)
    other = LinkedInProgram.connect(practice, account="Ada Lovelace")
    assert first.urn == again.urn != other.urn
    assert other.urn == LinkedInProgram.connect(practice, account="ada-lovelace").urn
    assert XProgram.connect(practice).user_id == XProgram.connect(practice).user_id


def test_use_another_account_keeps_the_request_and_changes_the_person(practice: httpx.Client) -> None:
    first = ConsentForm(practice.get(LINKEDIN, params=LinkedInProgram.query()).text)
    other = ConsentForm(practice.get(LINKEDIN + first.links["Use another account"]).text)
    assert other.hidden == {**first.hidden, "account": "kei-tanaka"}


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (LINKEDIN, {"redirect_uri": "javascript:alert(1)"}),
        (LINKEDIN, {"redirect_uri": "kalends://callback"}),
        (LINKEDIN, {"redirect_uri": "http://[::1"}),
        (LINKEDIN, {"redirect_uri": "http:///callback"}),
        (LINKEDIN, {"redirect_uri": "http://user@host/callback"}),
        (LINKEDIN, {"redirect_uri": "http://host/callback#part"}),
        (LINKEDIN, {"client_id": ""}),
        (LINKEDIN, {"scope": " "}),
        (LINKEDIN, {"response_type": "token"}),
        (LINKEDIN, {"account": "<script>"}),
        (LINKEDIN, {"state": "s" * 5000}),
        (X, {"code_challenge": ""}),
        (X, {"code_challenge": "short"}),
        (X, {"code_challenge_method": "plain"}),
        (X, {"state": ""}),
        (X, {"state": "s" * 501}),
    ],
)
def test_a_wrong_request_is_a_page_and_never_a_redirect(
    practice: httpx.Client, path: str, wrong: dict[str, str]
) -> None:
    right = LinkedInProgram.query() if path == LINKEDIN else XProgram.query("v")
    asked = practice.get(path, params=right | wrong)
    pressed = practice.post(path, data=right | wrong | {"decision": "allow"})
    for answer in (asked, pressed):
        assert answer.status_code == 400
        assert "location" not in answer.headers
        assert "<script>" not in answer.text


def test_a_decision_that_no_button_makes_is_refused(practice: httpx.Client) -> None:
    answer = practice.post(LINKEDIN, data=LinkedInProgram.query(decision="perhaps"))
    assert answer.status_code == 400


@pytest.mark.parametrize(
    ("path", "query", "error"),
    [
        (LINKEDIN, LinkedInProgram.query(scope="openid r_liteprofile"), "unauthorized_scope_error"),
        (X, XProgram.query("v", scope="tweet.read dm.read"), "invalid_scope"),
    ],
)
def test_an_unknown_scope_goes_back_as_an_error(
    practice: httpx.Client, path: str, query: dict[str, str], error: str
) -> None:
    for answer in (practice.get(path, params=query), practice.post(path, data=query | {"decision": "allow"})):
        assert answer.status_code == 303
        assert f"error={error}" in answer.headers["location"]


def test_what_a_program_says_is_escaped(practice: httpx.Client) -> None:
    page = practice.get(LINKEDIN, params=LinkedInProgram.query(client_id='"><b>', state="'\"<i>")).text
    assert "<b>" not in page
    assert "<i>" not in page
    assert ConsentForm(page).hidden["client_id"] == '"><b>'
