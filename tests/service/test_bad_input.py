"""Bad input to every endpoint, generated from the description: always the envelope, never the insides."""

import json
import socket
import ssl
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.errors import HTTP_STATUS
from app.contract.limits import API_PREFIX, COMPANION_PREFIX
from app.service.api.app import api_routes
from app.service.openapi.document import Operation, operations
from app.service.openapi.examples import example_of
from tests.service.running import Caller, RunningService

HUGE = 64 * 1024 * 1024
LONG = "x" * 100_000


def _all() -> list[tuple[str, Operation]]:
    routes = api_routes()
    return [
        (prefix, operation)
        for prefix in (API_PREFIX, COMPANION_PREFIX)
        for operation in operations(routes, prefix)
    ]


EVERY = _all()
WITH_BODY = [(prefix, operation) for prefix, operation in EVERY if operation.body is not None]
WITH_QUERY = [(prefix, operation) for prefix, operation in EVERY if operation.query is not None]


def name_of(part: Any) -> str:
    return part.name if isinstance(part, Operation) else str(part).strip("/").partition("/")[0]


every_body = pytest.mark.parametrize(("prefix", "operation"), WITH_BODY, ids=name_of)
every_query = pytest.mark.parametrize(("prefix", "operation"), WITH_QUERY, ids=name_of)


def url_of(caller: Caller, prefix: str, operation: Operation) -> str:
    path = operation.path
    own = {"storage_path": f"{caller.account_id}/none.png", "platform": "linkedin"}
    for name in operation.parameters:
        path = path.replace(f"{{{name}}}", own.get(name, str(uuid4())))
    return f"{caller.service.base_url}{prefix}{path}"


def _send(caller: Caller, prefix: str, operation: Operation, body: bytes, kind: str | None = None) -> None:
    """Sends a body that must be refused with the envelope, or taken, but never break anything."""
    headers = {} if kind is None else {"Content-Type": kind}
    answer = caller.http.request(
        operation.method.upper(), url_of(caller, prefix, operation), content=body, headers=headers
    )
    _check(answer.status_code, answer.json(), answer.headers["x-request-id"])


def _check(status: int, body: Any, request_id: str) -> None:
    assert status < 500, body
    if status < 400:
        return
    assert set(body) >= {"error", "request_id"}
    assert HTTP_STATUS[body["error"]["code"]] == status
    assert body["request_id"] == request_id
    assert "Traceback" not in str(body)
    assert "site-packages" not in str(body)


MALFORMED = {
    "no JSON": b"{",
    "a word": b"hello",
    "two values": b"{} {}",
    "a comma too many": b'{"a": 1,}',
    "single quotes": b"{'a': 1}",
    "NaN": b'{"a": NaN}',
    "no UTF-8": b'{"a": "\xff\xfe"}',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf{}",
    "a lone surrogate": b'{"description": "\\ud800"}',
    "an array": b"[]",
    "null": b"null",
    "a number": b"17",
    "deep nesting": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "deep arrays": b"[" * 200_000,
    "a huge number": b'{"size_bytes": ' + b"9" * 5_000 + b"}",
    "an exponent": b'{"size_bytes": 1e400}',
    "NUL bytes": b"\x00" * 100,
    "duplicate keys": b'{"a": 1, "a": 2}',
    "blanks": b" " * 1000,
}


@every_body
@pytest.mark.parametrize("kind", MALFORMED)
def test_malformed_bodies(caller: Caller, prefix: str, operation: Operation, kind: str) -> None:
    _send(caller, prefix, operation, MALFORMED[kind], "application/json")


@every_body
@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "\xe4"]
)
def test_other_content_types_are_refused(
    caller: Caller, prefix: str, operation: Operation, content_type: str
) -> None:
    assert operation.body is not None
    example = example_of(operation.body.model) or {}
    url = url_of(caller, prefix, operation)
    headers = {b"content-type": content_type.encode("latin-1")}
    answer = caller.http.request(operation.method.upper(), url, content=json.dumps(example), headers=headers)
    assert answer.status_code in {400, 404}, answer.text
    _check(answer.status_code, answer.json(), answer.headers["x-request-id"])


WRONG: list[Any] = [
    None, True, 0, -1, 1.5, 10**30, "", " ", "\x00", "\x1b[31m", "\u202e", LONG,
    [], [[]], {}, {"a": {}}, [None], ["x"] * 1000,
]  # fmt: skip


@every_body
def test_wrong_values_in_every_field(caller: Caller, prefix: str, operation: Operation) -> None:
    assert operation.body is not None
    example = example_of(operation.body.model) or {}
    for field in operation.body.model.model_fields:
        for value in WRONG:
            _send(caller, prefix, operation, json.dumps({**example, field: value}).encode())


@every_query
def test_wrong_values_in_every_parameter(caller: Caller, prefix: str, operation: Operation) -> None:
    assert operation.query is not None
    for field in operation.query.model_fields:
        for value in (
            "",
            "x",
            "-1",
            "1e9",
            "0x10",
            "\uff11",
            "null",
            "\x00",
            "\ud7ff",
            "x" * 5000,
            "%",
            "a" * 600 + ".",
        ):
            answer = caller.http.request(
                operation.method.upper(), url_of(caller, prefix, operation), params={field: value}
            )
            _check(answer.status_code, answer.json(), answer.headers["x-request-id"])


@every_body
def test_a_body_over_the_limit_is_refused_early(caller: Caller, prefix: str, operation: Operation) -> None:
    """Bytes that are announced are not read, bytes that are not announced are counted."""
    assert operation.body is not None
    url = urlsplit(url_of(caller, prefix, operation))
    head = (
        f"{operation.method.upper()} {url.path} HTTP/1.1\r\nHost: {url.netloc}\r\n"
        f"Authorization: Bearer {caller.key}\r\nContent-Type: application/json\r\n"
    )
    with _connected(caller.service) as connection:
        connection.sendall(f"{head}Content-Length: {HUGE}\r\n\r\n".encode())
        # What is not there is not read for either.
        assert connection.recv(4096).split(b" ")[1] in (b"400", b"404")
    with _connected(caller.service) as connection:
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        assert _taken(connection, operation.body.bytes_max) <= operation.body.bytes_max + 4 * 1024 * 1024


def _taken(connection: ssl.SSLSocket, limit: int) -> int:
    """How many bytes of an endless chunked body the service takes before it answers or hangs up."""
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    sent = 0
    connection.settimeout(0.05)
    while sent < HUGE:
        try:
            connection.sendall(chunk)
            sent += 0x10000
            if sent > limit and connection.recv(4096):
                return sent
        except TimeoutError:
            continue
        except OSError:
            return sent
    return sent


def _connected(service: RunningService) -> ssl.SSLSocket:
    address = urlsplit(service.base_url)
    plain = socket.create_connection((address.hostname or "", address.port or 0), timeout=20)
    return service.trust.wrap_socket(plain, server_hostname=address.hostname)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=50),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def tireless(_running: RunningService) -> Iterator[Caller]:
    caller = _running.new_caller()
    yield caller
    _running.forget_callers()


@every_body
def test_generated_values(tireless: Caller, prefix: str, operation: Operation) -> None:
    assert operation.body is not None
    example, fields = example_of(operation.body.model) or {}, sorted(operation.body.model.model_fields)

    @given(st.dictionaries(st.sampled_from(fields), _JSON, max_size=3) if fields else st.just({}))
    def check(changes: dict[str, Any]) -> None:
        body = json.dumps({**example, **changes}, ensure_ascii=True).encode()
        _send(tireless, prefix, operation, body)

    check()
