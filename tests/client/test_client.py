"""The client with scripted responses, replacing only the transport."""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from io import BytesIO
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.client import (
    AccessEnded,
    AnswerNotUnderstood,
    ClientError,
    EnvelopeMissing,
    Forbidden,
    NotConnected,
    NotFound,
    RateLimited,
    RetryPolicy,
    ServerFailed,
    ServiceClient,
    ServiceUnreachable,
    TimedOut,
    Unauthorized,
    ValidationRefused,
)
from app.client.bodies import ANSWER_BYTES_MAX
from app.contract.companion import CreateApiKey
from app.contract.connections import InitiateConnection
from app.contract.enums import PostingPlatform
from app.contract.posts import CreatePost

BASE = "https://service.example/sub/"
KEY = "stp_rest_" + "0" * 64
QUICK = RetryPolicy(attempts=3, wait_initial=0, wait_max=0)

POST: dict[str, Any] = {
    "id": "7b0a3a5e-5b0c-4b53-9a38-8a7d6c1f0001",
    "status": "scheduled",
    "platform": "x",
    "post_type": "text",
    "title": None,
    "description": "Hello",
    "scheduled_at": "2026-11-25T09:30:00+01:00",
    "posted_at": None,
    "social_account_id": "7b0a3a5e-5b0c-4b53-9a38-8a7d6c1f0002",
    "media_storage_path": "",
    "batch_id": None,
    "created_at": "2026-11-21T09:30:00Z",
}
Answer = httpx.Response | Exception


def talk(
    answers: list[Answer], work: Callable[[ServiceClient], Any], retries: RetryPolicy = QUICK
) -> tuple[Any, list[httpx.Request]]:
    """Run ``work`` with responses in order, repeating the last one; return its result and the requests."""
    requests: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        answer = answers[min(len(requests), len(answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, content=answer.content, headers=answer.headers)

    async def run() -> Any:
        client = ServiceClient(BASE, KEY, transport=httpx.MockTransport(handle), retries=retries)
        try:
            return await work(client)
        finally:
            await client.close()

    return asyncio.run(run()), requests


def failing(answers: list[Answer], work: Callable[[ServiceClient], Any]) -> tuple[ClientError, int]:
    calls: list[httpx.Request] = []

    async def counted(client: ServiceClient) -> ClientError:
        with pytest.raises(ClientError) as caught:
            await work(client)
        return caught.value

    error, calls = talk(answers, counted)
    return error, len(calls)


def error(status: int, code: str = "x", details: Any = None, **headers: str) -> httpx.Response:
    body = {"error": {"code": code, "message": "words", "details": details}, "request_id": "req-1"}
    return httpx.Response(status, json=body, headers=headers)


def get(client: ServiceClient) -> Any:
    return client.get_post(UUID(POST["id"]))


def create(key: str | None) -> Callable[[ServiceClient], Any]:
    body = {name: POST[name] for name in ("social_account_id", "platform", "post_type", "description")}
    new = CreatePost.model_validate(body | ({"idempotency_key": key} if key else {}), strict=False)
    return lambda client: client.create_post(new)


def test_a_call_carries_the_key_and_answers_with_a_model() -> None:
    post, (request,) = talk([httpx.Response(299, json={**POST, "new_field": 1})], create("k"))
    assert str(request.url) == "https://service.example/sub/api/v1/posts"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(request.content)["description"] == "Hello"
    assert "title" not in json.loads(request.content)
    assert post.scheduled_at == datetime(2026, 11, 25, 8, 30, tzinfo=UTC)


def test_a_move_is_sent_in_utc() -> None:
    at = datetime.fromisoformat("2026-11-25T10:00:00+02:00")
    _, (request,) = talk([httpx.Response(200, json=POST)], lambda c: c.reschedule_post(UUID(POST["id"]), at))
    assert (request.method, json.loads(request.content)) == (
        "PATCH",
        {"scheduled_at": "2026-11-25T08:00:00.000Z"},
    )


def test_pages_are_followed_with_the_cursor_as_it_came() -> None:
    first = {"data": [POST], "next_cursor": "a+b/="}
    last = {"data": [POST, POST], "next_cursor": None}

    async def work(client: ServiceClient) -> list[int]:
        return [len(page.data) async for page in client.posts()]

    sizes, requests = talk([httpx.Response(200, json=first), httpx.Response(200, json=last)], work)
    assert sizes == [1, 2]
    assert requests[1].url.params["cursor"] == "a+b/="


def test_a_cursor_that_leads_nowhere_ends() -> None:
    page = httpx.Response(200, json={"data": [], "next_cursor": "x"})

    async def work(client: ServiceClient) -> None:
        with pytest.raises(AnswerNotUnderstood):
            _ = [page async for page in client.posts()]

    talk([page], work)


@pytest.mark.parametrize(
    ("status", "kind", "calls"),
    [
        (400, ValidationRefused, 1),
        (401, Unauthorized, 1),
        (403, Forbidden, 1),
        (404, NotFound, 1),
        (418, ValidationRefused, 1),
        (429, RateLimited, 3),
        (500, ServerFailed, 3),
        (503, ServerFailed, 3),
    ],
)
def test_each_status_has_its_error_and_keeps_the_request_id(
    status: int, kind: type[ClientError], calls: int
) -> None:
    found, made = failing([error(status)], get)
    assert type(found) is kind
    assert found.request_id == "req-1"
    assert made == calls


@pytest.mark.parametrize(
    "work",
    [
        lambda client, post: client.get_post(post),
        lambda client, post: client.reschedule_post(post, datetime(2026, 12, 1, tzinfo=UTC)),
        lambda client, post: client.places.get_post(post),
        lambda client, post: client.any_posts.set_by_hand(post, by_hand=True),
        lambda client, post: client.any_posts.take_back_post(post),
        lambda client, post: client.report_outcome(post, is_live=True),
    ],
)
def test_an_answer_about_another_post_is_not_believed(work: Callable[[ServiceClient, UUID], Any]) -> None:
    answer = httpx.Response(200, json=POST | {"by_hand": True})
    post, _ = talk([answer], lambda client: work(client, UUID(POST["id"])))
    assert post.description == "Hello"
    found, made = failing([answer], lambda client: work(client, uuid4()))
    assert (type(found), made) == (AnswerNotUnderstood, 1)


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"message": "no Route matched"}'])
@pytest.mark.parametrize(
    ("status", "kind", "calls"),
    [
        (400, EnvelopeMissing, 1),
        (401, Unauthorized, 1),
        (403, EnvelopeMissing, 1),
        (404, EnvelopeMissing, 1),
        (405, EnvelopeMissing, 1),
        (429, RateLimited, 3),
        (502, ServerFailed, 3),
    ],
)
def test_only_the_service_itself_says_that_something_does_not_exist(
    body: bytes, status: int, kind: type[ClientError], calls: int
) -> None:
    found, made = failing([httpx.Response(status, content=body)], get)
    assert (type(found), made) == (kind, calls)


def test_a_link_to_a_file_may_lead_to_a_host_without_envelopes() -> None:
    """Storage hosts answer an expired link with 403 and XML."""
    url = "https://files.example/avatar.png"
    found, _ = failing([httpx.Response(403, content=b"<Error>")], lambda c: c.picture(url, BytesIO(), 9))
    assert type(found) is Forbidden


@pytest.mark.parametrize(
    "place",
    [
        {"reauth_url": "https://pin.example/again"},
        {"error": {"code": "unauthorized", "message": "w", "reauth_url": "https://pin.example/again"}},
        {"error": {"code": "x", "message": "w", "details": {"reauth_url": "https://pin.example/again"}}},
    ],
)
def test_a_refusal_that_leads_to_consent_is_not_one_of_the_key(place: dict[str, Any]) -> None:
    body = {"error": {"code": "unauthorized", "message": "words"}, "request_id": "req-1"} | place
    found, made = failing([httpx.Response(401, json=body)], get)
    assert (type(found), found.request_id, made) == (AccessEnded, "req-1", 1)
    refused, _ = failing([httpx.Response(403, json=body)], get)
    assert type(refused) is Forbidden


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"error": 1}', b"[" * 100_000, b"\xff\xfe"])
@pytest.mark.parametrize("status", [200, 204, 302, 400, 401, 500])
def test_no_body_crashes(status: int, body: bytes) -> None:
    answer = httpx.Response(status, content=body, headers={"x-request-id": "header-1"})
    found, _ = failing([answer], get)
    assert isinstance(found, AnswerNotUnderstood if status < 400 else ClientError)
    assert found.request_id == "header-1"


def test_a_body_without_end_is_given_up() -> None:
    found, _ = failing([httpx.Response(200, content=b" " * (ANSWER_BYTES_MAX + 1))], get)
    assert isinstance(found, AnswerNotUnderstood)


def test_what_may_be_repeated_is_repeated() -> None:
    for work in (get, create("key"), lambda client: client.delete_post(uuid4())):
        _, made = failing([httpx.ReadTimeout("late")], work)
        assert made == 3


def test_what_may_not_be_repeated_is_not() -> None:
    initiate = InitiateConnection(platform=PostingPlatform.X)
    for work in (create(None), lambda client: client.initiate_connection(initiate)):
        found, made = failing([httpx.ReadTimeout("late")], work)
        assert isinstance(found, TimedOut)
        assert made == 1


def test_a_lost_connection_is_unreachable() -> None:
    found, _ = failing([httpx.ReadError("no")], get)
    assert type(found) is ServiceUnreachable


def test_without_a_connection_nothing_was_sent() -> None:
    found, _ = failing([httpx.ConnectError("no")], get)
    assert type(found) is NotConnected


def test_a_rate_limit_is_waited_for_up_to_a_bound() -> None:
    short = error(429, details={"retry_after_seconds": 0.001})
    post, requests = talk([short, httpx.Response(200, json=POST)], get)
    assert post.description == "Hello"
    assert len(requests) == 2

    found, made = failing([error(429, **{"retry-after": "3600"})], get)
    assert isinstance(found, RateLimited)
    assert (found.retry_after, made) == (3600.0, 1)


@pytest.mark.parametrize(
    "details",
    [
        [{"field": "a", "message": "b"}],
        {"a": "b"},
        {"errors": [{"field": "a", "message": "b"}]},
        {"errors": {"a": "b"}},
    ],
)
def test_validation_details_are_read_as_list_and_as_map(details: Any) -> None:
    found, _ = failing([error(400, details=details)], get)
    assert isinstance(found, ValidationRefused)
    assert [(issue.field, issue.message) for issue in found.issues] == [("a", "b")]


@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_details_are_survived(details: Any) -> None:
    assert isinstance(ValidationRefused(400, "c", "m", details).issues, list)


def test_a_service_without_the_companion_has_none() -> None:
    for answer in (error(404), httpx.Response(404)):
        root, requests = talk([answer], lambda client: client.companion())
        assert (root, len(requests)) == (None, 1)
    assert talk([httpx.Response(200, content=b"<html>")], lambda client: client.companion())[0] is None


def test_the_key_is_nowhere_to_be_read(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(0)
    found, _ = failing([httpx.ConnectError("no")], get)
    client = ServiceClient(BASE, KEY, transport=httpx.MockTransport(lambda _: httpx.Response(200)))
    said = f"{client!r} {found!r} {found} {found.__cause__!r} {caplog.text}"
    assert KEY not in said
    with pytest.raises(ValueError, match="characters") as caught:
        ServiceClient(BASE, f"{KEY}\r\nX: y")
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["http://service.example", "ftp://x", "service", "", "https://", "https://u:p@x", "https://x?a=b"]
)
def test_only_a_plain_https_address_will_do(url: str) -> None:
    with pytest.raises(ValueError, match="address"):
        ServiceClient(url, KEY)


API_KEY: dict[str, Any] = {
    "id": "7b0a3a5e-5b0c-4b53-9a38-8a7d6c1f0003",
    "name": "Website",
    "hint": "00ff",
    "scope": "api:full",
    "created_at": "2026-11-21T09:30:00Z",
    "expires_at": None,
    "revoked_at": None,
    "last_used_at": None,
}


def test_keys_are_listed_and_revoked_over_the_companion() -> None:
    page, (listing,) = talk(
        [httpx.Response(200, json={"data": [API_KEY], "next_cursor": None})], lambda c: c.list_keys()
    )
    revoked, (revoking,) = talk(
        [httpx.Response(200, json=API_KEY | {"revoked_at": "2026-11-21T10:00:00Z"})],
        lambda c: c.revoke_key(page.data[0].id),
    )
    assert str(listing.url) == "https://service.example/sub/companion/v1/keys?limit=20"
    assert (revoking.method, revoking.url.path) == ("DELETE", f"/sub/companion/v1/keys/{API_KEY['id']}")
    assert revoked.revoked_at == datetime(2026, 11, 21, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    "work",
    [lambda c: c.create_key(CreateApiKey(name="Website")), lambda c: c.sign_in_link()],
    ids=["key", "link"],
)
def test_what_lets_somebody_in_is_asked_for_once(work: Callable[[ServiceClient], Any]) -> None:
    failed, calls = failing([error(500)], work)
    assert (type(failed), calls) == (ServerFailed, 1)


def test_a_made_key_and_a_link_are_told() -> None:
    made, (request,) = talk(
        [httpx.Response(201, json=API_KEY | {"key": KEY})],
        lambda c: c.create_key(CreateApiKey(name="Website")),
    )
    link, _ = talk(
        [httpx.Response(201, json={"url": f"{BASE}x", "expires_at": "2026-11-21T09:40:00Z"})],
        lambda c: c.sign_in_link(),
    )
    assert made.key == KEY
    assert json.loads(request.content) == {"name": "Website"}
    assert link.url == f"{BASE}x"
