"""What may have arrived and what surely did not, over real sockets."""

import asyncio
import socket
import ssl

import pytest

from app.platforms.base import FailureKind, PlatformError
from app.platforms.http import Answer, Call, PlatformHttp
from app.platforms.wire import Network, Timeouts
from tests.platforms.exchanges import LONG, OK, SHORT, creating, exchange, fails, reading, sending
from tests.platforms.sockets import Behaviour, Server, drips, is_silent, resets, says, says_and_closes


@pytest.mark.parametrize(
    ("behaviour", "timeouts"),
    [
        (resets, LONG),
        (says_and_closes(b""), LONG),
        (says_and_closes(b"HTTP/1.1 201 Crea"), LONG),
        (says_and_closes(b"SSH-2.0-OpenSSH\r\n\r\n"), LONG),
        (is_silent, SHORT),
        (drips(b"HTTP/1.1 201 Created\r\nX-A: ", 0.02), SHORT),
    ],
    ids=["reset", "closed", "cut off", "other protocol", "silent", "dripping"],
)
def test_a_lost_answer_is_ambiguous_only_when_something_may_exist(
    behaviour: Behaviour, timeouts: Timeouts
) -> None:
    assert fails(behaviour, creating, timeouts) is FailureKind.AMBIGUOUS
    assert fails(behaviour, reading, timeouts) is FailureKind.TRANSIENT


def test_a_body_in_thousands_of_tiny_chunks_is_left_unread() -> None:
    """Each chunk takes time of the event loop that publishes."""
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    def body_in(count: int) -> bytes:
        chunked = head + b"1\r\n1\r\n" * count + b"0\r\n\r\n"
        answer, _ = exchange(says(chunked), lambda http, url: http.send(reading(url)))
        assert isinstance(answer, Answer)
        return answer.body

    assert body_in(500) == b"1" * 500
    assert body_in(3_000) == b""


def test_a_reset_of_a_connection_that_was_kept_is_ambiguous() -> None:
    """The pool may hand out a connection that the other side ends while the call is on its way."""
    answers = iter([says(OK), resets])

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await next(answers)(reader, writer)

    async def work(http: PlatformHttp, url: str) -> Answer:
        await http.send(creating(url))
        return await http.send(creating(url))

    result, server = exchange(behave, work)
    assert isinstance(result, PlatformError)
    assert (result.kind, server.connections) == (FailureKind.AMBIGUOUS, 1)


def test_nobody_listening_means_not_sent() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        result = sending(creating(f"http://127.0.0.1:{taken.getsockname()[1]}"))
    assert isinstance(result, PlatformError)
    assert (result.kind, result.code) == (FailureKind.TRANSIENT, "unreachable")
    assert result.message == "X couldn't be reached (ClientConnectorError)."


def test_an_address_that_is_none_means_not_sent() -> None:
    result = sending(creating("http://[nowhere"))
    assert isinstance(result, PlatformError)
    assert (result.kind, result.code) == (FailureKind.TRANSIENT, "unreachable")


def test_a_fault_while_the_answer_is_read_never_means_not_sent() -> None:
    """Whatever an answer is made of: only what is known to be unsent may be sent again."""
    heads = (
        b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 \xff\xfe\r\nX-A: \xff\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nSet-Cookie: \xff\x01=;;=\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=\x00no\r\nContent-Length: -2\r\n\r\n{}",
        b"HTTP/1.1 999999 OK\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: http://[nowhere\r\nContent-Length: 0\r\n\r\n",
    )
    for head in heads:
        result, server = exchange(says_and_closes(head), lambda http, url: http.send(creating(url)))
        assert server.requests, head
        assert isinstance(result, Answer) or result.kind is FailureKind.AMBIGUOUS, (head, result)


def test_an_unknown_host_means_not_sent() -> None:
    result = sending(creating("http://host.invalid"))
    assert isinstance(result, PlatformError)
    assert result.kind is FailureKind.TRANSIENT


def test_a_failed_handshake_means_not_sent() -> None:
    result, server = exchange(
        says_and_closes(b""), lambda http, url: http.send(creating(url.replace("http:", "https:")))
    )
    assert isinstance(result, PlatformError)
    assert (result.kind, result.code, server.requests) == (FailureKind.TRANSIENT, "unreachable", [])


def test_a_connection_that_is_never_accepted_means_not_sent() -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = full.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(address)
        result = sending(creating(f"http://127.0.0.1:{address[1]}"), Timeouts(connect=0.2, read=5, total=5))
        for one in waiting:
            one.close()
    assert isinstance(result, PlatformError)
    assert (result.kind, result.code) == (FailureKind.TRANSIENT, "unreachable")


def test_a_lost_body_leaves_status_and_headers() -> None:
    text = b"HTTP/1.1 201 Created\r\nx-restli-id: urn:li:share:1\r\nContent-Length: 50\r\n\r\n{"
    result, _ = exchange(says_and_closes(text), lambda http, url: http.send(creating(url)))
    assert isinstance(result, Answer)
    assert (result.status, result.headers["x-restli-id"], result.body) == (201, "urn:li:share:1", b"")


def test_a_body_without_end_is_dropped() -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"10000\r\n" + b"a" * 0x10000 + b"\r\n"

    async def behave(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(chunk)
            await writer.drain()

    result, _ = exchange(behave, lambda http, url: http.send(reading(url)))
    assert isinstance(result, Answer)
    assert result.body == b""


def test_a_body_that_drips_for_ever_ends_in_time() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
    assert fails(drips(head, 0.02), reading, SHORT) is FailureKind.TRANSIENT


def test_redirects_are_not_followed() -> None:
    text = b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"
    result, server = exchange(says(text), lambda http, url: http.send(reading(url)))
    assert isinstance(result, Answer)
    assert (result.status, len(server.requests)) == (302, 1)


def test_cookies_are_not_kept() -> None:
    text = OK.replace(b"\r\n\r\n", b"\r\nSet-Cookie: who=robin; Path=/\r\n\r\n")

    async def work(http: PlatformHttp, url: str) -> Answer:
        await http.send(reading(url))
        return await http.send(reading(url))

    _, server = exchange(says(text), work)
    assert len(server.requests) == 2
    assert b"cookie" not in server.requests[1].lower()


def test_connections_are_kept_for_the_next_call() -> None:
    async def work(http: PlatformHttp, url: str) -> Answer:
        await http.send(creating(url))
        return await http.send(creating(url))

    _, server = exchange(says(OK), work)
    assert (len(server.requests), server.connections) == (2, 1)


def test_a_connection_that_rested_is_not_used_again() -> None:
    """Its server may be about to close it, and the answer of a call that meets that is lost."""
    kept = Timeouts(connect=5, read=5, total=10, kept=0.05)

    async def work(http: PlatformHttp, url: str) -> Answer:
        await http.send(creating(url))
        await asyncio.sleep(2 * kept.kept)
        return await http.send(creating(url))

    answer, server = exchange(says(OK), work, kept)
    assert isinstance(answer, Answer)
    assert (len(server.requests), server.connections) == (2, 2)


def test_servers_close_later_than_we_do() -> None:
    """Five seconds is what Node, Apache and uvicorn keep a connection for when nobody tells them."""
    assert Timeouts().kept < 5


def test_addresses_stay_quoted() -> None:
    def call(url: str) -> Call:
        return Call(
            method="GET",
            url=f"{url}/images/urn%3Ali%3Aimage%3A1%2F2",
            params={"author": "urn:li:organization:1", "t": "a+b&c=%41 é(,)"},
        )

    _, server = exchange(says(OK), lambda http, url: http.send(call(url)))
    line = server.requests[0].split(b"\r\n")[0].decode()
    assert line == (
        "GET /images/urn%3Ali%3Aimage%3A1%2F2"
        "?author=urn%3Ali%3Aorganization%3A1&t=a%2Bb%26c%3D%2541+%C3%A9%28%2C%29 HTTP/1.1"
    )


@pytest.mark.parametrize(
    "sent", ["/a?b=(c:d%3Ae,List(f%2C))&g='", "/a%28b%29?c=%27%2F%3D&d=~!*", "/a;b=c,d?e=?/@"]
)
def test_an_address_that_was_handed_out_is_called_as_it_is(sent: str) -> None:
    _, server = exchange(says(OK), lambda http, url: http.send(Call(method="GET", url=f"{url}{sent}")))
    assert server.requests[0].split(b"\r\n")[0].decode() == f"GET {sent} HTTP/1.1"


@pytest.mark.parametrize("path", ["/a b", "/a\r\nX-A: b", "/é", "/\x00"])
def test_an_address_that_would_break_the_request_is_not_called(path: str) -> None:
    result, server = exchange(says(OK), lambda http, url: http.send(creating(f"{url}{path}")))
    assert isinstance(result, PlatformError)
    assert (result.kind, server.requests) == (FailureKind.TRANSIENT, [])


def test_the_program_names_itself_and_asks_for_nothing_compressed() -> None:
    _, server = exchange(says(OK), lambda http, url: http.send(reading(url)))
    head = server.requests[0].lower()
    assert b"user-agent: kalends" in head
    assert b"accept-encoding: identity" in head


async def test_cancelling_is_not_swallowed() -> None:
    network = Network(LONG)
    async with Server(is_silent).running() as server:
        sending = asyncio.create_task(PlatformHttp(network, "X", LONG).send(creating(server.url)))
        await server.asked.wait()
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
    await network.aclose()


def test_the_environment_names_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    result, _ = exchange(says(OK), lambda http, url: http.send(reading(url)))
    assert isinstance(result, Answer)


def test_certificates_are_checked() -> None:
    """The context of the pool verifies names and chains."""
    context = Network(LONG).trust
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
