"""The practice X over HTTP, and how it counts and shows text."""

import base64
import html
from datetime import datetime, timedelta

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.practice.platforms.x_posts import cashtags, shown, weighted_length
from tests.practice.conftest import Clock
from tests.practice.programs import XProgram, press

PROBLEM = "application/problem+json"
VERIFIER = "v" * 43
FAMILY = "\N{WOMAN}\u200d\N{GIRL}\u200d\N{BOY}"


def code_of(practice: httpx.Client, **query: str) -> dict[str, str]:
    """Return the form that exchanges a new code."""
    code = press(practice, XProgram.PATH, XProgram.query(VERIFIER, **query))["code"]
    return {"grant_type": "authorization_code", "code": code, "code_verifier": VERIFIER}


def test_a_post_is_created_with_id_and_text(x: XProgram) -> None:
    answer = x.publish("Hello")
    (entry,) = x.published()
    assert answer.status_code == 201
    data = answer.json()["data"]
    assert (data["id"], data["text"]) == (entry["content_id"], "Hello")
    assert (entry["platform"], entry["text"], entry["media_sha256"]) == ("x", "Hello", None)


def test_the_user(x: XProgram) -> None:
    x.publish("Hello")
    fields = {"user.fields": "profile_image_url,public_metrics,verified,verified_type,username,name"}
    user = x.get("/x/2/users/me", **fields).json()["data"]
    assert user["public_metrics"]["tweet_count"] == 1
    assert user["verified"] is False
    assert x.client.get(user["profile_image_url"]).status_code == 200
    assert x.get("/x/2/users/me").json()["data"].keys() == {"id", "name", "username"}
    assert x.get("/x/2/users/me", **{"user.fields": "shoe_size"}).status_code == 400


def test_the_verifier_is_checked_and_the_code_works_once(practice: httpx.Client) -> None:
    form = code_of(practice)
    for wrong in ({"code_verifier": "w" * 43}, {"code_verifier": ""}, {"client_id": "other"}):
        answer = XProgram.exchange(practice, form | wrong)
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")
    assert XProgram.exchange(practice, form).json()["expires_in"] == 7200
    assert XProgram.exchange(practice, form).status_code == 400


def test_a_code_lives_thirty_seconds(practice: httpx.Client, clock: Clock) -> None:
    form = code_of(practice)
    clock.ahead += 30
    assert XProgram.exchange(practice, form).status_code == 400


def test_only_offline_access_gives_a_refresh_token(practice: httpx.Client) -> None:
    tokens = XProgram.exchange(practice, code_of(practice, scope="tweet.read users.read")).json()
    assert "refresh_token" not in tokens
    assert tokens["scope"] == "tweet.read users.read"


def test_a_confidential_client_says_who_it_is_by_basic(practice: httpx.Client) -> None:
    def exchange(form: dict[str, str], basic: bytes) -> httpx.Response:
        headers = {"Authorization": "Basic " + base64.b64encode(basic).decode()}
        return practice.post("/x/2/oauth2/token", data=form, headers=headers)

    form = code_of(practice) | {"redirect_uri": XProgram.query("")["redirect_uri"]}
    assert exchange(form, b"app:").json()["error"] == "unauthorized_client"
    assert exchange(form, b"\xff").status_code == 401
    assert exchange(form, b"other:hush").status_code == 400
    assert exchange(form, b"app:hush").status_code == 200


def test_a_refresh_token_works_once_and_is_replaced(x: XProgram, clock: Clock) -> None:
    renewed = x.refresh().json()
    assert renewed["refresh_token"] != x.tokens["refresh_token"]
    assert x.refresh().json() == {
        "error": "invalid_request",
        "error_description": "Value passed for the token was invalid.",
    }
    x.tokens = renewed
    clock.ahead += 7200
    assert x.publish("Late").status_code == 401
    x.tokens = x.refresh().json()
    assert x.publish("Late").status_code == 201


def test_a_revoked_token_is_dead(x: XProgram) -> None:
    answer = x.client.post("/x/2/oauth2/revoke", data={"client_id": "app", "token": x.tokens["access_token"]})
    assert answer.json() == {"revoked": True}
    assert x.publish("Hello").status_code == 401
    assert x.refresh().json()["error"] == "invalid_grant"


@pytest.mark.parametrize("token", ["Bearer unknown", "Basic xyz", ""])
def test_a_call_without_a_live_token_is_unauthorized(practice: httpx.Client, token: str) -> None:
    answer = practice.get("/x/2/users/me", headers={"Authorization": token} if token else {})
    assert (answer.status_code, answer.headers["content-type"]) == (401, PROBLEM)
    assert answer.json()["title"] == "Unauthorized"


def test_publishing_needs_the_scope_for_it(practice: httpx.Client) -> None:
    reader = XProgram.connect(practice, scope="tweet.read users.read")
    assert reader.publish("Hello").status_code == 403


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"text": "x" * 281}, 400, "too long"),
        ({"text": "日" * 141}, 400, "too long"),
        ({"text": "x" * 200_000}, 400, "too long"),
        ({"text": " "}, 400, "empty"),
        ({"text": 5}, 400, "$.text"),
        ({}, 400, "$.text"),
        ({"text": "Hello", "scheduled_at": 5}, 400, "$.scheduled_at: is not defined in the schema"),
        ({"text": "Hello", "reply_settings": "nobody"}, 400, "$.reply_settings"),
        ({"text": "$ABC and $DEF"}, 403, "cashtag"),
    ],
)
def test_a_wrong_post_is_refused(x: XProgram, body: dict[str, object], status: int, said: str) -> None:
    answer = x.client.post("/x/2/tweets", json=body, headers=x.headers)
    assert (answer.status_code, answer.headers["content-type"]) == (status, PROBLEM)
    problem = answer.json()
    assert problem["status"] == status
    assert said in str(problem.get("errors", problem["detail"]))
    assert x.published() == []


def test_280_units_are_accepted(x: XProgram) -> None:
    link = "https://example.com/" + "long/" * 60
    assert x.publish(f"{'x' * 256} {link}").status_code == 201


def test_the_same_text_soon_after_is_refused(x: XProgram, clock: Clock) -> None:
    x.publish("Hello")
    again = x.publish("Hello")
    assert again.status_code == 403
    assert again.json()["detail"] == "You are not allowed to create a Tweet with duplicate content."
    clock.ahead += 601
    assert x.publish("Hello").status_code == 201


def test_the_timeline_is_newest_first_with_links_replaced(x: XProgram) -> None:
    x.publish("First & last")
    x.publish("See https://example.com/page")
    answer = x.timeline(max_results=5, **{"tweet.fields": "created_at,entities,attachments"}).json()
    newest, oldest = answer["data"]
    (link,) = newest["entities"]["urls"]
    assert newest["text"] == f"See {link['url']}"
    assert link["expanded_url"] == "https://example.com/page"
    assert oldest["text"] == "First &amp; last"
    assert "entities" not in oldest
    assert [newest["created_at"], oldest["created_at"]] == [
        entry["received_at"] for entry in reversed(x.published())
    ]
    assert answer["meta"] == {"result_count": 2, "newest_id": newest["id"], "oldest_id": oldest["id"]}


def test_fields_come_only_when_asked_for(x: XProgram) -> None:
    x.publish("https://example.com")
    assert x.timeline().json()["data"][0].keys() == {"id", "text", "edit_history_tweet_ids"}


def test_start_time_leaves_out_what_is_older(x: XProgram, clock: Clock) -> None:
    x.publish("Old")
    clock.ahead += 60
    new = x.publish("New").json()["data"]["id"]
    received = datetime.fromisoformat(x.published()[1]["received_at"])
    found = x.timeline(start_time=received.isoformat()).json()
    assert [post["id"] for post in found["data"]] == [new]
    after = (received + timedelta(seconds=1)).isoformat()
    assert x.timeline(start_time=after).json() == {"meta": {"result_count": 0}}


def test_pages_follow_each_other(x: XProgram) -> None:
    ids = [x.publish(f"Post {number}").json()["data"]["id"] for number in range(12)]
    seen: list[str] = []
    query: dict[str, str | int] = {"max_results": 5}
    while True:
        page = x.timeline(**query).json()
        seen += [post["id"] for post in page["data"]]
        if "next_token" not in page["meta"]:
            break
        query["pagination_token"] = page["meta"]["next_token"]
    assert seen == ids[::-1]


@pytest.mark.parametrize(
    "query",
    [
        {"max_results": 4},
        {"max_results": 101},
        {"max_results": "many"},
        {"start_time": "yesterday"},
        {"start_time": "2026-11-21T10:00:00"},
        {"pagination_token": "-1"},
        {"tweet.fields": "mood"},
        {"sort": "oldest"},
    ],
)
def test_a_wrong_query_is_refused(x: XProgram, query: dict[str, str | int]) -> None:
    answer = x.timeline(**query)
    assert (answer.status_code, answer.headers["content-type"]) == (400, PROBLEM)


def test_an_account_that_was_never_connected_is_not_found(x: XProgram) -> None:
    answer = x.get("/x/2/users/12345/tweets").json()
    assert answer["errors"][0]["title"] == "Not Found Error"


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("hello", 5),
        ("日本", 4),
        ("e\u0301", 1),
        ("\N{GRINNING FACE}", 2),
        (FAMILY, 2),
        ("1\ufe0f\u20e3", 2),
        ("123", 3),
        ("see https://example.com/a/very/long/path?with=query#and-part.", 4 + 23 + 1),
        ("example.com", 23),
        ("kalends.example", 15),
        ("ada@example.com", 15),
        ("two https://a.example/b and http://c.example", 4 + 23 + 5 + 23),
    ],
)
def test_weighted_length(text: str, length: int) -> None:
    assert weighted_length(text) == length


def test_links_are_replaced_and_named() -> None:
    text, (first, second) = shown("A & B: https://example.com/x?a=1&b=2, or example.org", "1")
    assert text == f"A &amp; B: {first.url}, or {second.url}"
    assert [text[link.start : link.end] for link in (first, second)] == [first.url, second.url]
    assert (first.expanded_url, second.expanded_url) == (
        "https://example.com/x?a=1&b=2",
        "http://example.org",
    )
    assert first.display_url == "example.com/x?a=1&b=2"
    assert first.url != second.url


@given(st.text() | st.lists(st.sampled_from(["https://a.example/b", " ", "<", "é", "x.com"])).map("".join))
def test_expanding_the_links_gives_the_text_back(text: str) -> None:
    seen, links = shown(text, "1")
    parts, last = [], 0
    for link in links:
        assert seen[link.start : link.end] == link.url
        parts += [seen[last : link.start], html.escape(link.expanded_url, quote=False)]
        last = link.end
    expanded = html.unescape("".join([*parts, seen[last:]]))
    assert expanded.replace("http://x.com", "x.com") == html.unescape(html.escape(text, quote=False))


@given(st.text(), st.text())
def test_length_is_never_less_than_nothing_and_grows_with_spaced_text(first: str, second: str) -> None:
    assert weighted_length(f"{first} {second}") > weighted_length(first) - 1 >= -1


def test_cashtags() -> None:
    assert cashtags("$ABC and $X.A, not $5 or a$B") == 2
