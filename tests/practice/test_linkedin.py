"""The practice LinkedIn over HTTP, and its "little text" format."""

import re

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.practice.platforms.linkedin_organizations import shown_text
from tests.practice.conftest import Clock
from tests.practice.programs import LinkedInProgram, press


def test_a_post_is_created_empty_with_its_urn_in_the_header(linkedin: LinkedInProgram) -> None:
    answer = linkedin.publish("Hello")
    assert (answer.status_code, answer.content) == (201, b"")
    (entry,) = linkedin.published()
    assert answer.headers["x-restli-id"] == entry["content_id"]
    assert entry["content_id"].startswith("urn:li:share:")
    assert entry["content_id"].removeprefix("urn:li:share:").isdigit()
    assert (entry["platform"], entry["account_identifier"], entry["text"]) == (
        "linkedin",
        linkedin.urn,
        "Hello",
    )


def test_tokens_live_as_long_as_on_the_real_platform(linkedin: LinkedInProgram) -> None:
    assert linkedin.tokens["expires_in"] == 5_184_000
    assert linkedin.tokens["refresh_token_expires_in"] == 31_536_000
    assert linkedin.tokens["scope"] == ",".join(sorted(LinkedInProgram.SCOPE.split()))


def test_the_profile_is_openid(linkedin: LinkedInProgram) -> None:
    person = linkedin.client.get("/linkedin/v2/userinfo", headers=linkedin.headers).json()
    assert person["name"] == f"{person['given_name']} {person['family_name']}"
    assert person["email_verified"] is True
    picture = linkedin.client.get(person["picture"])
    assert picture.headers["content-type"] == "image/svg+xml"


def test_the_profile_needs_its_scopes(practice: httpx.Client) -> None:
    back = press(practice, LinkedInProgram.PATH, LinkedInProgram.query(scope="w_member_social"))
    form = {"grant_type": "authorization_code", "code": back["code"]}
    token = LinkedInProgram.exchange(practice, form).json()["access_token"]
    answer = practice.get("/linkedin/v2/userinfo", headers={"Authorization": f"Bearer {token}"})
    assert (answer.status_code, answer.json()["code"]) == (403, "ACCESS_DENIED")


def test_a_code_works_once_for_its_client_and_address_within_half_an_hour(
    practice: httpx.Client, clock: Clock
) -> None:
    def exchange(code: str, **wrong: str) -> httpx.Response:
        return LinkedInProgram.exchange(practice, {"grant_type": "authorization_code", "code": code, **wrong})

    code = press(practice, LinkedInProgram.PATH, LinkedInProgram.query())["code"]
    for wrong in ({"client_id": "other"}, {"redirect_uri": "http://127.0.0.1:9/other"}):
        assert exchange(code, **wrong).json()["error"] == "invalid_request"
    assert "client_secret" in exchange(code, client_secret="").json()["error_description"]
    assert exchange(code).status_code == 200
    assert exchange(code).status_code == 400
    late = press(practice, LinkedInProgram.PATH, LinkedInProgram.query())["code"]
    clock.ahead += 30 * 60
    assert exchange(late).status_code == 400


def test_refreshing_keeps_the_refresh_token_and_does_not_prolong_it(
    linkedin: LinkedInProgram, clock: Clock
) -> None:
    clock.ahead += 86_400
    renewed = linkedin.refresh().json()
    assert renewed["refresh_token"] == linkedin.tokens["refresh_token"]
    assert renewed["refresh_token_expires_in"] <= 364 * 86_400
    assert renewed["access_token"] != linkedin.tokens["access_token"]
    clock.ahead += 365 * 86_400
    assert linkedin.refresh().json()["error"] == "invalid_grant"


def test_dead_tokens_are_told_apart(linkedin: LinkedInProgram, clock: Clock) -> None:
    def code(token: str) -> str:
        answer = linkedin.client.get("/linkedin/v2/userinfo", headers={"Authorization": token})
        assert answer.status_code == 401
        return str(answer.json()["code"])

    bearer = linkedin.headers["Authorization"]
    assert code("Bearer unknown") == code("Basic xyz") == "INVALID_ACCESS_TOKEN"
    clock.ahead += 60 * 86_400
    assert code(bearer) == "EXPIRED_ACCESS_TOKEN"
    form = {"client_id": "app", "client_secret": "hush", "token": linkedin.tokens["refresh_token"]}
    assert linkedin.client.post("/linkedin/oauth/v2/revoke", data=form).status_code == 200
    assert code(bearer) == "REVOKED_ACCESS_TOKEN"


@pytest.mark.parametrize(
    ("header", "value", "status", "code"),
    [
        ("LinkedIn-Version", "", 400, "VERSION_MISSING"),
        ("LinkedIn-Version", "202613", 426, "NONEXISTENT_VERSION"),
        ("LinkedIn-Version", "202401", 426, "NONEXISTENT_VERSION"),
        ("X-Restli-Protocol-Version", "", 400, "ILLEGAL_ARGUMENT"),
    ],
)
def test_the_gateway_wants_its_headers(
    linkedin: LinkedInProgram, header: str, value: str, status: int, code: str
) -> None:
    answer = linkedin.client.post(
        "/linkedin/rest/posts", json=linkedin.body("Hello"), headers=linkedin.headers | {header: value}
    )
    assert (answer.status_code, answer.json()["status"], answer.json()["code"]) == (status, status, code)
    assert linkedin.published() == []


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"commentary": "x" * 3001}, 400, "FIELD_LENGTH_TOO_LONG"),
        ({"commentary": "  "}, 400, "INVALID_VALUE_BLANK_FIELD"),
        ({"commentary": 5}, 400, "INVALID_VALUE_FOR_FIELD"),
        ({"visibility": "WORLD"}, 400, "INVALID_VALUE_FOR_FIELD"),
        ({"scheduledAt": 5}, 422, "UNPROCESSABLE_ENTITY"),
        ({"author": "me"}, 400, "INVALID_URN_TYPE"),
        ({"author": "urn:li:person:other"}, 403, "ACCESS_DENIED"),
    ],
)
def test_a_wrong_post_is_refused(
    linkedin: LinkedInProgram, change: dict[str, object], status: int, code: str
) -> None:
    answer = linkedin.publish("Hello", **change)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert linkedin.published() == []


def test_a_missing_field_is_named(linkedin: LinkedInProgram) -> None:
    answer = linkedin.client.post("/linkedin/rest/posts", json={}, headers=linkedin.headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "MISSING_FIELD")
    assert answer.json()["message"] == "/author is required"


def test_3000_characters_are_counted_without_escapes(linkedin: LinkedInProgram) -> None:
    assert linkedin.publish("\\#" * 3000).status_code == 201
    assert linkedin.published()[0]["text"] == "#" * 3000


def test_the_same_text_within_ten_minutes_is_refused_by_the_name_of_the_first(
    linkedin: LinkedInProgram, clock: Clock
) -> None:
    first = linkedin.publish("Hello \\(you\\)").headers["x-restli-id"]
    again = linkedin.publish("Hello \\(you\\)")
    assert (again.status_code, again.json()["status"]) == (422, 422)
    assert again.json()["message"] == f"Content is a duplicate of {first}"
    assert (
        LinkedInProgram.connect(linkedin.client, account="ada").publish("Hello \\(you\\)").status_code == 201
    )
    clock.ahead += 601
    assert linkedin.publish("Hello \\(you\\)").status_code == 201
    assert len(linkedin.published()) == 2


def test_a_members_posts_cannot_be_listed(linkedin: LinkedInProgram) -> None:
    answer = linkedin.client.get(
        "/linkedin/rest/posts", params={"q": "author", "author": linkedin.urn}, headers=linkedin.headers
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "ACCESS_DENIED")


def test_followers_are_counted(linkedin: LinkedInProgram) -> None:
    def count() -> httpx.Response:
        path = "/linkedin/rest/memberFollowersCount"
        return linkedin.client.get(path, params={"q": "me"}, headers=linkedin.headers)

    first = count().json()["elements"][0]["memberFollowersCount"]
    assert first == count().json()["elements"][0]["memberFollowersCount"] >= 40


@given(st.text())
def test_escaped_text_is_shown_as_it_was_written(text: str) -> None:
    escaped = re.sub(r"([\\|{}@\[\]()<>#*_~])", r"\\\1", text)
    assert shown_text(escaped) == text


@pytest.mark.parametrize(
    ("commentary", "shown"),
    [
        ("Cut here (and not there", "Cut here "),
        (r"{hashtag|\#|kalends} and {hashtag|#|plain}", "#kalends and #plain"),
        (r"Thanks @[Ada \(L\)](urn:li:person:abc-1)!", "Thanks Ada (L)!"),
        ("A backslash \\ alone", "A backslash \\ alone"),
    ],
)
def test_elements_and_mistakes_are_shown_as_readers_see_them(commentary: str, shown: str) -> None:
    assert shown_text(commentary) == shown
