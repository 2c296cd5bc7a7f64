"""Clients that connect and then say nothing, or half of something, while others are served."""

import contextlib
import gc
import socket
import ssl
import time
from collections.abc import Callable, Iterator

import httpx
import pytest
from uvicorn.protocols.http.h11_impl import H11Protocol

from app.contract.enums import ConnectionPlatform
from app.service.gate import ListeningSettings
from app.service.settings import Settings
from tests.service.platforms import ScriptedAdapter
from tests.service.running import RunningService, run_service

HEAD = b"POST /api/v1/posts HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n"
SHORT = ListeningSettings(
    connections=64,
    connections_per_peer=40,
    head_seconds=0.6,
    body_seconds=0.6,
    idle_seconds=0.6,
    stalled_seconds=0.6,
)
_PATIENCE_S = 60


@pytest.fixture(scope="module")
def brisk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that waits for nobody for long."""
    platform = ConnectionPlatform.LINKEDIN
    adapters = {platform: ScriptedAdapter(platform)}
    with run_service(
        tmp_path_factory.mktemp("brisk"), adapters, settings=Settings(listening=SHORT)
    ) as service:
        yield service
        service.forget_callers()


def _connect(url: str) -> socket.socket:
    address = httpx.URL(url)
    return socket.create_connection((address.host, address.port or 0), timeout=_PATIENCE_S)


def _tls(service: RunningService) -> ssl.SSLSocket:
    plain = _connect(service.base_url)
    return service.trust.wrap_socket(plain, server_hostname="127.0.0.1", suppress_ragged_eofs=True)


def _rest(connection: socket.socket) -> bytes:
    """What still comes before the service closes the connection. Raises TimeoutError when it does not."""
    received = b""
    with contextlib.suppress(ConnectionError, ssl.SSLError):
        while piece := connection.recv(65_536):
            received += piece
    return received


def _is_cut_off(connection: socket.socket, piece: bytes, read: Callable[[], bytes] | None = None) -> bool:
    """Whether the service closes the connection while the client goes on sending."""
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        try:
            connection.sendall(piece)
            if read is not None and not read():
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


def _silent_before_tls(service: RunningService) -> socket.socket:
    return _connect(service.base_url)


def _silent_after_tls(service: RunningService) -> socket.socket:
    return _tls(service)


def _half_a_handshake(service: RunningService) -> socket.socket:
    plain = _connect(service.base_url)
    plain.sendall(b"\x16\x03\x01\x02\x00\x01")
    return plain


def _half_a_head(service: RunningService) -> socket.socket:
    connection = _tls(service)
    connection.sendall(HEAD[:30])
    return connection


def _body_without_a_key(service: RunningService) -> socket.socket:
    connection = _tls(service)
    connection.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
    return connection


def _silent_callback(service: RunningService) -> socket.socket:
    return _connect(service.callback_url)


def _half_a_form(service: RunningService) -> socket.socket:
    connection = _connect(service.callback_url)
    connection.sendall(b"POST /choose?token=x HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n\r\naccount=1")
    return connection


def _second_head_is_half(service: RunningService) -> socket.socket:
    connection = _tls(service)
    connection.sendall(b"GET /api/v1/usage HTTP/1.1\r\nHost: test\r\n\r\n")
    assert connection.recv(65_536).startswith(b"HTTP/1.1 401")
    connection.sendall(HEAD[:30])
    return connection


@pytest.mark.parametrize(
    "begin",
    [
        _silent_before_tls,
        _half_a_handshake,
        _silent_after_tls,
        _half_a_head,
        _body_without_a_key,
        _silent_callback,
        _half_a_form,
        _second_head_is_half,
    ],
)
def test_a_client_that_stops_talking_is_let_go(
    brisk: RunningService, begin: Callable[[RunningService], socket.socket]
) -> None:
    with begin(brisk) as connection:
        _rest(connection)


def test_a_head_that_drips_gains_no_time(brisk: RunningService) -> None:
    with _tls(brisk) as connection:
        connection.sendall(HEAD)
        connection.settimeout(0.05)
        assert _is_cut_off(connection, b"X-Drip: 1\r\n", lambda: connection.recv(1))


def test_a_body_that_is_not_sent_is_refused_in_the_envelope(brisk: RunningService) -> None:
    caller = brisk.new_caller()
    with _tls(brisk) as connection:
        connection.sendall(
            HEAD + f"Authorization: Bearer {caller.key}\r\nContent-Length: 100\r\n\r\n{{".encode()
        )
        head, _, body = _rest(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400")
    assert b"didn't arrive within 0.6 seconds" in body


def test_a_client_that_does_not_read_its_answer_is_let_go(brisk: RunningService) -> None:
    with _tls(brisk) as connection:
        connection.settimeout(0.05)
        assert _is_cut_off(connection, b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: test\r\n\r\n")


def test_a_stream_of_events_may_be_silent(brisk: RunningService) -> None:
    caller = brisk.new_caller()
    with caller.http.stream("GET", f"{brisk.base_url}/companion/v1/events") as stream:
        lines = stream.iter_lines()
        assert any(line == "event: reset" for line in lines)
        silent = [_silent_after_tls(brisk) for _ in range(60)]  # more than one peer may have
        for connection in silent:
            _rest(connection)
            connection.close()
        caller.connect()
        assert any(line.startswith("event: connection.changed") for line in lines)


def test_the_api_answers_while_more_connections_hang_than_there_is_room_for(brisk: RunningService) -> None:
    caller = brisk.new_caller()
    with contextlib.ExitStack() as hanging:
        for number in range(120):
            begin = (_silent_before_tls, _silent_after_tls, _half_a_head)[number % 3]
            with contextlib.suppress(ConnectionError, ssl.SSLError):
                hanging.enter_context(begin(brisk))
            if number % 20 == 19:
                with brisk.client({"Authorization": f"Bearer {caller.key}"}) as fresh:
                    assert fresh.get("/usage").status_code == 200


def test_places_are_free_again_when_clients_have_gone(brisk: RunningService) -> None:
    """Three times as many as fit, one after the other: none has to be dropped."""
    for _ in range(3 * 64):
        _get(brisk)


def _get(service: RunningService) -> None:
    with contextlib.closing(_tls(service)) as connection:
        connection.sendall(b"GET /api/v1/usage HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
        assert _rest(connection).startswith(b"HTTP/1.1 401")


def _refused(service: RunningService) -> socket.socket:
    connection = _tls(service)
    with contextlib.suppress(OSError):  # it may be refused before all of it was sent
        connection.sendall(b"GET /api/v1/usage HTTP/1.1\r\nX-Long: " + b"a" * 100_000 + b"\r\n\r\n")
    return connection


def _protocols() -> int:
    return sum(isinstance(one, H11Protocol) for one in gc.get_objects())


@pytest.mark.parametrize(
    "begin",
    [
        _silent_before_tls,
        _half_a_handshake,
        _silent_after_tls,
        _body_without_a_key,
        _second_head_is_half,
        _silent_callback,
        _refused,
    ],
)
def test_a_closed_connection_leaves_nothing_to_the_garbage_collector(
    brisk: RunningService, begin: Callable[[RunningService], socket.socket]
) -> None:
    """Each has buffers of 300 KB, and the service's collector runs rarely."""
    gc.collect()
    before = _protocols()
    gc.disable()
    try:
        for _ in range(5):
            begin(brisk).close()
        _get(brisk)  # so that those before it were accepted
        end = time.monotonic() + _PATIENCE_S
        while (left := _protocols()) > before and time.monotonic() < end:
            time.sleep(0.05)
        assert left <= before
    finally:
        gc.enable()
