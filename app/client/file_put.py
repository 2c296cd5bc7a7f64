"""PUT a file from a separate thread.

Sending a large file on the event loop takes twice the CPU time of a blocking socket, and the event loop also
paints. This thread reads, encrypts and sends mostly without holding the GIL.
"""

import asyncio
import selectors
import socket
import ssl
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import h11

from app.client.transfers import FileBody
from app.network import Way, connected

_CONNECT_S: Final = 10
_STEP_S: Final = 60
"""Timeout of a single read or write, in s. The caller monitors the whole transfer more closely."""
_EXPECT_FROM: Final = 1024 * 1024
"""Size in bytes from which to send ``Expect: 100-continue``, like curl."""
_EXPECT_S: Final = 1.0
_ANSWER_BYTES_MAX: Final = 1024 * 1024
_CONTINUE: Final = 100
_REFUSED_FROM: Final = 400
_RECEIVED_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class PutAnswer:
    """A response: status, headers as received, and the whole body."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


async def put_file(
    host: str,
    port: int,
    target: bytes,
    headers: list[tuple[bytes, bytes]],
    body: FileBody,
    context: ssl.SSLContext,
    way: Way,
) -> PutAnswer:
    """Send an open file and return the response, even one sent before the end. Can be cancelled.

    ``headers`` contain the length. Raises OSError if the connection or the file fails.
    """
    async with asyncio.timeout(_CONNECT_S):
        line = await connected(way, host, port)
    line.settimeout(_STEP_S)
    put = _Put(context.wrap_socket(line, server_hostname=host, do_handshake_on_connect=False), body)
    try:
        return await asyncio.to_thread(put.run, target, headers)
    finally:
        put.stop()


class _Put:
    """One PUT on one connection. ``run`` blocks; ``stop`` can be called from any thread."""

    def __init__(self, line: ssl.SSLSocket, body: FileBody) -> None:
        self._line = line
        self._body = body
        self._http = h11.Connection(h11.CLIENT)
        self._has_begun = False

    def stop(self) -> None:
        """Abort sending and waiting."""
        with suppress(OSError):  # already closed
            # Shut down the plain socket: SSLSocket.shutdown() would send later data unencrypted.
            socket.socket.shutdown(self._line, socket.SHUT_RDWR)
        if not self._has_begun:
            self._line.close()

    def run(self, target: bytes, headers: list[tuple[bytes, bytes]]) -> PutAnswer:
        self._has_begun = True
        try:
            with self._line, selectors.DefaultSelector() as self._incoming:
                self._line.do_handshake()
                self._incoming.register(self._line, selectors.EVENT_READ)
                return self._exchange(target, headers)
        except h11.RemoteProtocolError as error:
            raise ConnectionError("not an HTTP response") from error

    def _exchange(self, target: bytes, headers: list[tuple[bytes, bytes]]) -> PutAnswer:
        asks = self._body.size >= _EXPECT_FROM
        more = [(b"Connection", b"close"), *([(b"Expect", b"100-continue")] if asks else [])]
        self._send(h11.Request(method=b"PUT", target=target, headers=[*headers, *more]))
        answer = self._answer(_EXPECT_S) if asks else None
        try:
            answer = answer or self._send_file()
        except OSError:
            if self._body.problem or not (answer := self._last_words()):
                raise
        return self._whole(answer)

    def _send_file(self) -> h11.Response:
        while piece := self._body.read():
            self._send(h11.Data(data=piece))
            if answer := self._answer(0):
                return answer
        self._send(h11.EndOfMessage())
        if answer := self._answer(_STEP_S):
            return answer
        raise TimeoutError("no answer")

    def _last_words(self) -> h11.Response | None:
        """Return a response that explains why the service closed the connection, if it sent one."""
        try:
            return self._answer(0)
        except OSError:
            return None

    def _send(self, event: h11.Event) -> None:
        if data := self._http.send(event):
            self._line.sendall(data)

    def _answer(self, patience_s: float) -> h11.Response | None:
        """Return the response; None if it doesn't arrive in time or the service asks for the file.

        After the file has begun, informational responses (100, 102, 103) are skipped.
        """
        until = time.monotonic() + patience_s
        while True:
            event = self._http.next_event()
            if isinstance(event, h11.Response):
                return event
            if isinstance(event, h11.ConnectionClosed):
                raise ConnectionError("ended without a response")
            if isinstance(event, h11.InformationalResponse):
                bids = event.status_code == _CONTINUE and not self._body.sent
                if bids or time.monotonic() > until:
                    return None
            elif not self._receive(until):
                return None

    def _whole(self, answer: h11.Response) -> PutAnswer:
        """Return the response with as much of the body as arrived before the service hung up."""
        body = bytearray()
        try:
            self._read_into(body)
        except (OSError, h11.RemoteProtocolError):
            if answer.status_code < _REFUSED_FROM:
                raise
        return PutAnswer(answer.status_code, answer.headers.raw_items(), bytes(body))

    def _read_into(self, body: bytearray) -> None:
        until = time.monotonic() + _STEP_S
        while len(body) <= _ANSWER_BYTES_MAX:
            event = self._http.next_event()
            if isinstance(event, h11.Data):
                body += event.data
            elif event is not h11.NEED_DATA:
                return
            elif not self._receive(until):
                raise TimeoutError("an incomplete response")
        raise ConnectionError("the response is too large")

    def _receive(self, until: float) -> bool:
        """Read available data; False if nothing arrives until then."""
        self._line.setblocking(False)
        try:
            while True:
                try:
                    self._http.receive_data(self._line.recv(_RECEIVED_BYTES))
                except ssl.SSLWantReadError:  # no data, or only TLS records
                    if not self._incoming.select(max(0, until - time.monotonic())):
                        return False
                else:
                    return True
        finally:
            self._line.settimeout(_STEP_S)
