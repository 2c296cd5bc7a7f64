"""Files as request bodies, limited by the throttle; stalled transfers; and a PUT from a separate thread."""

import asyncio
import os
import selectors
import socket
import ssl
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final, Protocol

import h11

from app.network import Way, connected

_TURNS_A_SECOND: Final = 20
_LEAST_BYTES: Final = 1_024


class Throttle:
    """Limits all uploads to a number of bytes per second; 0 means no limit. Thread-safe.

    It's fair because senders request small portions and are served in order.
    """

    def __init__(self) -> None:
        self._rate = 0
        self._free_at = 0.0
        self._changed = threading.Condition()

    @property
    def rate(self) -> int:
        """Bytes per second for all senders; 0 for no limit."""
        return self._rate

    def set_rate(self, rate: int) -> None:
        """Change the rate, also for waiting senders."""
        with self._changed:
            self._rate = rate
            self._free_at = time.monotonic()
            self._changed.notify_all()

    def portion(self, most: int) -> int:
        """Return the number of bytes to request at a time, up to ``most``."""
        rate = self._rate
        return min(most, max(_LEAST_BYTES, rate // _TURNS_A_SECOND)) if rate else most

    def wait_turn(self, size: int) -> None:
        """Block until ``size`` bytes can be sent."""
        with self._changed:
            if not self._rate:
                return
            turn = max(time.monotonic(), self._free_at)
            self._free_at = turn + size / self._rate
            rate = self._rate
            self._changed.wait_for(lambda: self._rate != rate, timeout=turn - time.monotonic())


Progress = Callable[[int], None]
"""Receives the number of bytes handed over so far."""

_PIECE_BYTES: Final = 256 * 1024


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes | None: ...
    def close(self) -> None: ...


class FileBody:
    """A file of ``size`` bytes, of which ``sent`` have been handed over. ``open`` and ``read`` block.

    ``problem`` is the error that occurred when reading the file.
    """

    def __init__(self, path: Path, throttle: Throttle) -> None:
        self.size = 0
        self.sent = 0
        self.problem: OSError | None = None
        self._path = path
        self._file: _Readable = BytesIO()
        self._throttle = throttle
        self._read_so_far = 0
        self._lock = threading.Lock()
        self._is_closed = False

    def open(self) -> None:
        """Open the file.

        Raises OSError. A cancelled caller may call ``close`` from another thread meanwhile.
        """
        with self._held():
            if not self._is_closed:
                opened = self._path.open("rb", buffering=0)
                self._file = opened
                self.size = opened.seek(0, os.SEEK_END)
                opened.seek(0)

    def close(self) -> None:
        """Close the file without waiting. If it's being opened or read, close it afterwards."""
        self._is_closed = True
        if self._lock.acquire(blocking=False):
            try:
                self._file.close()
            finally:
                self._lock.release()

    @contextmanager
    def _held(self) -> Iterator[None]:
        try:
            with self._lock:
                yield
        finally:
            if self._is_closed:
                self.close()

    def read(self) -> bytes:
        """Return the next chunk when the throttle allows it; empty at the end.

        Raises OSError and stores it in ``problem``, because HTTP libraries replace it with their own.
        """
        self.sent = self._read_so_far
        try:
            with self._held():
                piece = self._file.read(self._throttle.portion(_PIECE_BYTES)) or b""
            self._count(piece)
        except (OSError, ValueError) as error:  # ValueError: the file was closed
            self.problem = error if isinstance(error, OSError) else OSError("the file was closed")
            raise self.problem from error
        self._throttle.wait_turn(len(piece))
        return piece

    def _count(self, piece: bytes) -> None:
        self._read_so_far += len(piece)
        if self._read_so_far > self.size or (not piece and self._read_so_far < self.size):
            raise OSError("the file changed while it was read")

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the whole file. Raises like ``read``."""
        while piece := await asyncio.to_thread(self.read):
            yield piece


STALLED_S: Final = 60
"""How long a transfer may stall, in s. Its total time isn't limited."""
AWAKE_S: Final = 15
"""How long it may stall after the computer slept, in s. Most connections don't survive that."""
_SLEPT_S: Final = 5
"""If wall time gains this much on the monotonic clock, in s, the computer was asleep."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """Clocks in seconds: ``steady`` never jumps and usually stops during sleep; ``wall`` continues."""

    steady: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time


class Movement:
    """Tracks the progress of a transfer. Check it several times per second."""

    def __init__(self, clocks: Clocks) -> None:
        self._clocks = clocks
        self._sent = -1
        self._until = 0.0
        self._ahead = self._wall_ahead()

    def require(self, sent: int) -> None:
        """Raise TimeoutError if the number of sent bytes hasn't changed for too long."""
        now, ahead = self._clocks.steady(), self._wall_ahead()
        if sent != self._sent:
            self._sent, self._until = sent, now + STALLED_S
        if ahead - self._ahead > _SLEPT_S:
            self._until = now + AWAKE_S
        self._ahead = ahead
        if now > self._until:
            raise TimeoutError("the upload stalled")

    def _wall_ahead(self) -> float:
        return self._clocks.wall() - self._clocks.steady()


# Sending a large file on the event loop takes twice the CPU time of a blocking socket, and the event loop
# also paints. This thread reads, encrypts and sends mostly without holding the GIL.
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
