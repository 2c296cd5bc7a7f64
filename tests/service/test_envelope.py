"""The envelope: whatever comes in, what goes out is an answer of the contract."""

import json
import re
import socket
import ssl
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.contract.errors import HTTP_STATUS, ErrorEnvelope
from tests.service.running import Caller, RunningService

REQUEST_ID = re.compile(r"req_[0-9a-f]{24}")


def envelope(answer: httpx.Response) -> ErrorEnvelope:
    """The answer's envelope, which must be one, and the only thing in the body."""
    assert answer.headers["Content-Type"] == "application/json"
    assert REQUEST_ID.fullmatch(answer.headers["X-Request-Id"])
    body = answer.json()
    assert set(body) == {"error", "request_id"}
    assert set(body["error"]) <= {"code", "message", "details"}
    parsed = ErrorEnvelope.model_validate(body)
    assert parsed.request_id == answer.headers["X-Request-Id"]
    assert HTTP_STATUS[parsed.error.code] == answer.status_code
    return parsed


def fields(answer: httpx.Response) -> dict[str, str]:
    """Field to type of every issue of a validation error."""
    parsed = envelope(answer)
    assert answer.status_code == 400
    assert parsed.error.code == "validation_error"
    assert set(parsed.error.details) == {"errors"}
    issues = parsed.error.details["errors"]
    for issue in issues:
        assert set(issue) == {"field", "message", "type"}
    return {issue["field"]: issue["type"] for issue in issues}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/nothing"),
        ("GET", "/posts/"),
        ("PUT", "/posts"),
        ("DELETE", "/posts"),
        ("POST", "/usage"),
        ("HEAD", "/posts"),
        ("GET", "/posts/%ff"),
        ("GET", "/posts/not-a-uuid"),
        ("GET", f"/posts/{uuid4().hex}"),
        ("GET", f"/posts/{uuid4()}"),
        ("GET", f"/connections/{uuid4()}"),
        ("PATCH", "/posts/1"),
    ],
)
def test_what_is_not_there_is_404(caller: Caller, method: str, path: str) -> None:
    answer = caller.http.request(method, path)

    assert answer.status_code == 404
    if method != "HEAD":
        assert envelope(answer).error.code == "not_found"


@pytest.mark.parametrize("path", ["/", "/docs", "/openapi.json", "/companion", "/api/v1", "/api/v2/posts"])
def test_outside_of_the_paths_there_is_nothing(service: RunningService, path: str) -> None:
    with httpx.Client(base_url=service.base_url, verify=service.trust, trust_env=False) as http:
        answer = http.get(path)
    assert answer.status_code == 404
    envelope(answer)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "json_missing"),
        (b"  ", "json_missing"),
        (b"{", "json_invalid"),
        (b"nothing", "json_invalid"),
        (b'{"platform": "\xff"}', "json_invalid"),
        (b'{"platform": "\\ud800"}', "json_invalid"),
        (b"[" * 5_000, "json_invalid"),
        (b"[]", "model_type"),
        (b"null", "model_type"),
        (b" " * (1024 * 1024) + b"{}", "body_too_long"),
    ],
)
def test_a_body_that_is_no_object_is_refused(caller: Caller, body: bytes, kind: str) -> None:
    for method, path in [
        ("POST", "/posts"),
        ("PATCH", f"/posts/{uuid4()}"),
        ("POST", "/connections/initiate"),
    ]:
        assert fields(caller.http.request(method, path, content=body)) == {"": kind}


def test_a_long_body_is_refused_before_all_of_it_came(caller: Caller) -> None:
    sent = 0

    def body() -> Any:
        nonlocal sent
        for _ in range(64):
            sent += 1
            yield b" " * 65_536

    assert fields(caller.http.post("/posts", content=body())) == {"": "body_too_long"}
    assert caller.http.get("/posts").status_code == 200


def test_types_are_strict_and_every_wrong_field_is_named(caller: Caller) -> None:
    body = {
        "social_account_id": 5,
        "platform": "myspace",
        "post_type": None,
        "title": "x" * 501,
        "scheduled_at": "2030-01-01T10:00:00",
        "idempotency_key": "",
        "pinterest_link": "javascript:alert(1)",
        "unknown": {"is": "ignored"},
    }

    assert set(fields(caller.http.post("/posts", json=body))) == {
        "social_account_id",
        "platform",
        "post_type",
        "description",
        "title",
        "scheduled_at",
        "idempotency_key",
        "pinterest_link",
    }


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=ten", "limit"),
        ("limit=-1", "limit"),
        ("limit=", "limit"),
        ("status=done", "status"),
        ("status=", "status"),
        ("platform=threads", "platform"),
        ("cursor=zzz", "cursor"),
        ("cursor=" + "A" * 3000, "cursor"),
    ],
)
def test_a_bad_query_is_refused(caller: Caller, query: str, field: str) -> None:
    assert set(fields(caller.http.get(f"/posts?{query}"))) == {field}


@pytest.mark.parametrize("query", ["cursor=", "surprise=1", "limit=5&limit=6", "%ff=%ff", "&&="])
def test_a_harmless_query_is_tolerated(caller: Caller, query: str) -> None:
    assert caller.http.get(f"/posts?{query}").json() == {"data": [], "next_cursor": None}


def test_success_carries_its_headers_too(caller: Caller) -> None:
    answer = caller.http.get("/posts")

    assert REQUEST_ID.fullmatch(answer.headers["X-Request-Id"])
    assert answer.headers["Cache-Control"] == "no-store"
    assert "server" not in answer.headers


def test_what_is_no_http_gets_the_envelope_too(service: RunningService) -> None:
    host, port = service.base_url.removeprefix("https://").split(":")
    with (
        socket.create_connection((host, int(port))) as plain,
        service.trust.wrap_socket(plain, server_hostname=host) as secure,
    ):
        secure.sendall(b"GET / nonsense\r\n\r\n")
        answer = b"".join(iter(lambda: secure.recv(4096), b""))

    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert json.loads(body)["error"]["code"] == "validation_error"


def test_plain_http_is_rejected(service: RunningService) -> None:
    address = service.base_url.replace("https", "http")
    with httpx.Client(trust_env=False) as http, pytest.raises(httpx.TransportError):
        http.get(f"{address}/api/v1/posts")


def test_old_tls_is_rejected(service: RunningService) -> None:
    old = ssl.create_default_context(cafile=service.folder.tls / "ca.pem")
    old.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1 is deprecated"):
        old.minimum_version = ssl.TLSVersion.TLSv1
    with pytest.warns(DeprecationWarning, match="TLSv1_1 is deprecated"):
        old.maximum_version = ssl.TLSVersion.TLSv1_1
    with httpx.Client(verify=old, trust_env=False) as http, pytest.raises(httpx.ConnectError, match="SSL"):
        http.get(service.base_url)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
create_bodies = st.fixed_dictionaries(
    {},
    optional={
        "social_account_id": anything | st.uuids().map(str),
        "platform": anything | st.sampled_from(["linkedin", "x"]),
        "post_type": anything | st.just("text"),
        "description": anything,
        "title": anything,
        "scheduled_at": anything | st.datetimes().map(lambda at: at.isoformat() + "Z"),
        "idempotency_key": anything,
        "batch_id": anything,
        "media_storage_path": anything,
    },
)
hammering = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@hammering
@given(body=st.binary(max_size=300) | create_bodies.map(lambda body: json.dumps(body).encode()))
def test_no_body_gets_anything_but_an_answer_of_the_contract(caller: Caller, body: bytes) -> None:
    answer = caller.http.post("/posts", content=body)

    assert envelope(answer).error.code in {"validation_error", "not_found"}


@hammering
@given(
    path=st.sampled_from(["/posts", "/connections"]),
    query=st.dictionaries(
        st.sampled_from(["limit", "cursor", "status", "platform", "batch_id", "include_unavailable"]),
        st.text(max_size=40),
    ),
)
def test_no_query_gets_anything_but_an_answer_of_the_contract(
    caller: Caller, path: str, query: dict[str, str]
) -> None:
    answer = caller.http.get(path, params=query)

    if answer.status_code != 200:
        assert envelope(answer).error.code == "validation_error"


@hammering
@given(path=st.text(max_size=30))
def test_no_path_gets_anything_but_an_answer_of_the_contract(caller: Caller, path: str) -> None:
    answer = caller.http.get(f"/posts/{quote(path)}")

    if answer.status_code != 200:
        assert envelope(answer).error.code == "not_found"
