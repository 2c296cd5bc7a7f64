"""The newer platforms: consent, tokens, users, and that every token is listed."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from app.practice.store import FILE_NAME, Store
from tests.practice.conftest import Clock
from tests.practice.doors import DOORS, FACEBOOK, PINTEREST, THREADS, TIKTOK, YOUTUBE, Door
from tests.practice.programs import ConsentForm, press

EVERY = pytest.mark.parametrize("door", DOORS, ids=lambda door: door.name)


@EVERY
def test_the_page_is_one_form_with_two_buttons_that_says_what_it_is(
    practice: httpx.Client, door: Door
) -> None:
    page = practice.get(door.consent, params=door.asked())
    form = ConsentForm(page.text)
    assert (page.status_code, form.forms, form.method) == (200, 1, "post")
    assert form.buttons == [("decision", "allow"), ("decision", "deny")]
    assert "PRACTICE: nothing here reaches the real platform" in page.text
    assert "app" in page.text


@EVERY
def test_deny_goes_back_without_a_code(practice: httpx.Client, door: Door) -> None:
    back = press(practice, door.consent, door.asked(), "deny")
    assert (back["error"], back["state"], "code" in back) == ("access_denied", "s", False)


@EVERY
def test_an_unknown_scope_goes_back_as_an_error(practice: httpx.Client, door: Door) -> None:
    answer = practice.get(door.consent, params=door.asked(scope="everything"))
    assert "error=invalid_scope" in answer.headers["location"]


@EVERY
def test_a_code_works_once_and_its_token_is_listed(practice: httpx.Client, door: Door) -> None:
    code = press(practice, door.consent, door.asked())["code"]
    first, again = door.exchange(practice, code), door.exchange(practice, code)
    assert first.json()["access_token"] in practice.get("/tokens").json()["data"]
    assert (again.status_code, "access_token" in again.json()) == (400, False)


def test_the_first_page_lists_every_platform(practice: httpx.Client) -> None:
    page = practice.get("/").text
    for name in ("LinkedIn", "TikTok", "Pinterest", "Instagram", "YouTube", "X", "Facebook", "Threads"):
        assert f"<dt>{name}</dt>" in page


def test_tiktok_wants_the_challenge_in_hexadecimal(practice: httpx.Client) -> None:
    for challenge in ("A" * 43, "", "0" * 63):
        assert practice.get(TIKTOK.consent, params=TIKTOK.asked(code_challenge=challenge)).status_code == 400
    wrong = press(practice, TIKTOK.consent, TIKTOK.asked(code_challenge="0" * 64))["code"]
    assert TIKTOK.exchange(practice, wrong).json()["error"] == "invalid_grant"


def test_google_gives_a_refresh_token_for_offline_access_alone(practice: httpx.Client) -> None:
    online = YOUTUBE.enter(practice, account="google-offline", access_type="online", prompt="consent")
    assert "refresh_token" not in online.tokens
    tokens = YOUTUBE.enter(practice, account="google-offline", prompt="consent").tokens
    form = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
    client = {"client_id": "app", "client_secret": "hush"}
    renewed = practice.post("/youtube/token", data=form | client).json()
    assert "refresh_token" not in renewed
    assert "offline" not in renewed["scope"]
    assert practice.post("/youtube/token", data=form).json()["error"] == "invalid_client"


def test_pinterest_renews_the_refresh_token_and_the_former_lives_on(practice: httpx.Client) -> None:
    tokens = PINTEREST.enter(practice).tokens
    assert (tokens["expires_in"], tokens["refresh_token_expires_in"]) == (2_592_000, 5_184_000)
    form = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
    answers = [practice.post("/pinterest/v5/oauth/token", data=form, auth=("app", "hush")) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert len({tokens["refresh_token"], *(answer.json()["refresh_token"] for answer in answers)}) == 3
    assert practice.post("/pinterest/v5/oauth/token", data=form).status_code == 401


def test_a_token_of_threads_is_prolonged_by_itself_until_it_ends(
    practice: httpx.Client, clock: Clock
) -> None:
    visitor = THREADS.enter(practice)
    query = {"grant_type": "th_exchange_token", "client_secret": "hush"}
    longer = visitor.get("/access_token", **query).json()
    assert longer["expires_in"] == 60 * 86_400
    assert visitor.get("/access_token", grant_type="th_refresh_token").json()["error"]["code"] == 100
    assert visitor.get("/access_token", grant_type="th_exchange_token").json()["error"]["code"] == 100
    clock.ahead += 3601
    assert visitor.get("/v1.0/me").json()["error"]["error_subcode"] == 463
    assert visitor.get("/access_token", **query).json()["error"]["code"] == 190
    headers = {"Authorization": f"Bearer {longer['access_token']}"}
    assert practice.get("/threads/v1.0/me", headers=headers).status_code == 200


def test_pages_are_chosen_with_checkboxes_and_none_means_all(practice: httpx.Client) -> None:
    form = ConsentForm(practice.get(FACEBOOK.consent, params=FACEBOOK.asked()).text)
    assert len(form.choices) == 2
    fields = {**form.hidden, "decision": "allow"}
    back = practice.post(form.action, data=fields).headers["location"]
    code = httpx.URL(back).params["code"]
    token = FACEBOOK.exchange(practice, code).json()["access_token"]
    accounts = practice.get("/facebook/v25.0/me/accounts", params={"access_token": token}).json()["data"]
    assert [f"page-{page['id']}" for page in accounts] == form.choices
    one = FACEBOOK.enter(practice, picked=1).get("/v25.0/me/accounts").json()["data"]
    assert [f"page-{page['id']}" for page in one] == form.choices[1:]


def test_a_page_that_is_not_the_persons_cannot_be_chosen(practice: httpx.Client) -> None:
    form = ConsentForm(practice.get(FACEBOOK.consent, params=FACEBOOK.asked()).text)
    fields = {**form.hidden, "decision": "allow", "page-1": "on"}
    code = httpx.URL(practice.post(form.action, data=fields).headers["location"]).params["code"]
    token = FACEBOOK.exchange(practice, code).json()["access_token"]
    accounts = practice.get("/facebook/v25.0/me/accounts", params={"access_token": token}).json()["data"]
    assert "1" not in {page["id"] for page in accounts}


def test_ending_the_access_of_a_page_ends_the_grant_behind_it(
    practice: httpx.Client, order: Callable[..., None]
) -> None:
    visitor = FACEBOOK.enter(practice, account="page-owner")
    [page, _] = visitor.get("/v25.0/me/accounts", fields="id,access_token").json()["data"]
    order("facebook", "token", "expired_token", account=page["id"])
    for token in (page["access_token"], visitor.tokens["access_token"]):
        answer = practice.get("/facebook/v25.0/me/accounts", params={"access_token": token})
        assert answer.json()["error"]["code"] == 190
    query = {"client_id": "app", "client_secret": "hush", "grant_type": "fb_exchange_token"}
    query["fb_exchange_token"] = visitor.tokens["access_token"]
    refused = practice.get("/facebook/v25.0/oauth/access_token", params=query)
    assert refused.json()["error"]["code"] == 190


def test_a_folder_of_an_earlier_version_is_opened(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE_NAME) as earlier:
        earlier.execute("CREATE TABLE tokens (token TEXT PRIMARY KEY, grant_id INTEGER NOT NULL)")
        earlier.execute("INSERT INTO tokens VALUES ('kept', 1)")
    earlier.close()
    store = Store(tmp_path)
    try:
        assert [tuple(row) for row in store.rows("SELECT token, subject FROM tokens")] == [("kept", "")]
    finally:
        store.close()
