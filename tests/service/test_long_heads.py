"""The head of a request is read up to a limit, however it arrives: reading long ones stops everybody else."""

import json
import socket
from urllib.parse import urlsplit

import pytest

from tests.service.running import Caller, RunningService

SHORT, LONG = 12 * 1024, 40 * 1024


def answer_to(caller: Caller, head: str, body: str = "", *, pieces: int = 1) -> int:
    """The status of the answer to a request that is sent in so many pieces."""
    address = urlsplit(caller.service.base_url)
    host, port = address.hostname or "", address.port or 0
    with (
        socket.create_connection((host, port), timeout=60) as plain,
        caller.service.trust.wrap_socket(plain, server_hostname=host) as connection,
    ):
        sent = f"{head}Authorization: Bearer {caller.key}\r\nHost: {host}\r\n\r\n{body}".encode()
        length = -(-len(sent) // pieces)
        for start in range(0, len(sent), length):
            connection.sendall(sent[start : start + length])
        return int(connection.recv(4096).split(b" ")[1])


def head_of(kind: str, length: int) -> str:
    start, many = "GET /api/v1/usage", "A: a\r\n" * (length // 6)
    return {
        "a long path": f"{start}?{'a' * length} HTTP/1.1\r\n",
        "many pairs": f"{start}?{'a=1&' * (length // 4)} HTTP/1.1\r\n",
        "a long header": f"{start} HTTP/1.1\r\nX-A: {'a' * length}\r\n",
        "many headers": f"{start} HTTP/1.1\r\n{many}",
    }[kind]


KINDS = pytest.mark.parametrize("kind", ["a long path", "many pairs", "a long header", "many headers"])


@KINDS
@pytest.mark.parametrize("pieces", [1, 7])
def test_a_head_that_is_too_long_is_refused(caller: Caller, kind: str, pieces: int) -> None:
    assert answer_to(caller, head_of(kind, LONG), pieces=pieces) == 400


@KINDS
@pytest.mark.parametrize("pieces", [1, 7])
def test_a_head_of_more_than_anybody_needs_is_taken(caller: Caller, kind: str, pieces: int) -> None:
    assert answer_to(caller, head_of(kind, SHORT), pieces=pieces) == 200


def test_a_head_that_comes_in_one_piece_is_no_longer(service: RunningService) -> None:
    address = urlsplit(service.callback_url)
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=60) as connection:
        connection.sendall(f"GET /choose?{'a' * 60_000} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        assert connection.recv(4096).split(b" ")[1] == b"400"


def test_a_body_that_comes_with_its_head_is_read_whole(caller: Caller) -> None:
    account = caller.connect(platform="facebook")
    text = "x" * 9_900
    body = json.dumps({"posts": [caller.post_body(account, platform="facebook", description=text)] * 3})
    head = f"POST /api/v1/posts/bulk HTTP/1.1\r\nContent-Length: {len(body)}\r\n"
    assert answer_to(caller, head, body) == 200
    assert len(caller.http.get("/posts").json()["data"]) == 3
