"""Forms: only from our own pages, only from the browser that the page was made for."""

from collections.abc import Callable
from uuid import uuid4

import pytest

from tests.service.integrations.visiting import Visitor, new_link
from tests.service.running import Caller, RunningService
from tests.service.test_companion_keys import listed

FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "https://127.0.0.1.evil.example"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
]


def key_fields(visitor: Visitor) -> dict[str, str]:
    return visitor.form("/keys").fields | {"name": "Zapier"}


@pytest.mark.parametrize("headers", FOREIGN)
def test_a_form_from_elsewhere_does_nothing(owner: Visitor, caller: Caller, headers: dict[str, str]) -> None:
    answer = owner.post("/integrations/keys", key_fields(owner), headers)

    assert answer.status_code == 403
    assert "This form has expired" in answer.text
    assert len(listed(caller)) == 1


@pytest.mark.parametrize("headers", FOREIGN)
def test_a_sign_in_from_elsewhere_does_nothing(
    visitor: Visitor, caller: Caller, headers: dict[str, str]
) -> None:
    visitor.open(new_link(caller.service, caller.account_id))
    form = visitor.form("/sign-in/link")

    assert visitor.post(form.action, form.fields, headers).status_code == 403
    assert visitor.send("/sign-in/link").status_code == 303  # and the link was not used up


def test_an_old_browser_that_names_no_site_gets_in(owner: Visitor) -> None:
    assert owner.post("/integrations/keys", key_fields(owner), {"Sec-Fetch-Site": ""}).status_code == 200


@pytest.mark.parametrize("token", [None, "", "0" * 64, "é"])
def test_a_form_without_its_token_does_nothing(owner: Visitor, caller: Caller, token: str | None) -> None:
    fields = key_fields(owner) | {"form_token": token or ""}
    if token is None:
        del fields["form_token"]

    assert owner.post("/integrations/keys", fields).status_code == 403
    assert len(listed(caller)) == 1


def test_the_token_of_another_session_is_no_good(
    owner: Visitor, new_visitor: Callable[[], Visitor], service: RunningService, caller: Caller
) -> None:
    stranger = new_visitor()
    stranger.sign_in(service.new_caller().account_id)

    fields = key_fields(owner) | {"form_token": stranger.form("/keys").fields["form_token"]}

    assert owner.post("/integrations/keys", fields).status_code == 403
    assert len(listed(caller)) == 1


def test_every_action_wants_a_session_and_a_form(owner: Visitor) -> None:
    actions = [
        "/integrations/keys",
        f"/integrations/keys/{uuid4()}/revoke",
        "/integrations/accounts/threads",
        f"/integrations/accounts/{uuid4()}/reconnect",
        "/integrations/sign-out",
    ]
    for action in actions:
        assert owner.post(action, {"name": "x"}).status_code == 403
    owner.http.cookies.clear()
    for action in actions:
        assert owner.post(action, {"name": "x"}).status_code in (303, 403)
        assert owner.http.get(action).status_code in (303, 404)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b'{"name": "x"}', "application/json"),
        (b"name=x", "text/plain"),
        (b"name=x", ""),
        (b"name=%ff", "application/x-www-form-urlencoded"),
        (b"name=\xff", "application/x-www-form-urlencoded"),
        (b"a=" + b"x" * 40_000, "application/x-www-form-urlencoded"),
        (b"&".join(b"a=1" for _ in range(50)), "application/x-www-form-urlencoded"),
    ],
)
def test_what_is_no_form_is_refused_as_a_page(owner: Visitor, content: bytes, kind: str) -> None:
    headers = {"Origin": owner.service.base_url, "Content-Type": kind}

    answer = owner.http.post("/integrations/keys", content=content, headers=headers)

    assert answer.status_code == 400
    assert answer.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("fields", [{"form_id": "7"}, {"form_id": ""}, {"expires": "soon"}, {"expires": ""}])
def test_choices_that_no_page_offers_are_refused(
    owner: Visitor, caller: Caller, fields: dict[str, str]
) -> None:
    assert owner.post("/integrations/keys", key_fields(owner) | fields).status_code == 400
    assert len(listed(caller)) == 1
