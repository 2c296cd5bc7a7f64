"""The HTTP server: uvicorn behind a gate that limits clients and waits."""

import asyncio
import contextlib
import errno
import secrets
import socket
import ssl
import sys
import traceback
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

import h11
import structlog
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from app.contract.enums import ErrorCode
from app.contract.errors import ErrorBody, ErrorEnvelope, ValidationDetails, ValidationIssue
from app.network import abort
from app.service.gate import Caps, ConnectionGate, ListeningSettings, Place
from app.service.problems import CommandProblem, PortProblem

_NOT_TO_BE_HAD = frozenset({errno.EADDRINUSE, errno.EACCES})
_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  the address for clients on this machine

_log = structlog.get_logger(__name__)

_GRACEFUL_STOP_S: Final = 1
_IDLE_STOP_S: Final = 0.2
_ACCEPT_AGAIN_S: Final = 0.5
_GOODBYE_S: Final = 5.0
"""How long a client may take to confirm the end of a TLS connection, in s."""
_TICK_S: Final = 1.0
_TICKS: Final = 10
"""Uvicorn's ticks in that time; every tenth tick sets the date of responses."""
_BODY_GRACE_S: Final = 60.0
"""How much longer than ``body_seconds`` a client may pause in any body, in s. Most endpoints wait less."""
_HEAD_BYTES: Final = 16 * 1024
"""Longest request head that is always accepted, in bytes; one twice as long is rejected."""
_PIECE_BYTES: Final = 2 * 1024
"""How much of a head or a chunked body is parsed at a time: a chunk takes 20 µs, even with a single byte."""
_CAPS: Final = Caps(total=1_000, per_peer=1_000)


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 selects a free one.

    Raises PortProblem if the port is taken or not allowed, CommandProblem if the host isn't one of this
    machine.
    """
    try:
        family, kind, protocol, _, address = _address_of(host, port)
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise _no_host(host, error) from error
    try:
        if sys.platform != "win32":  # on Windows it would let two programs share the port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        if error.errno not in _NOT_TO_BE_HAD:
            raise _no_host(host, error) from error
        raise PortProblem(
            f"Port {port} on {host} can't be used ({error.strerror}). Choose another one, or 0 for any."
        ) from error
    return listener


def _address_of(host: str, port: int) -> Any:
    """Return the first address, with TCP named, so that asyncio disables Nagle's algorithm."""
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)[0]


def _no_host(host: str, error: OSError) -> CommandProblem:
    return CommandProblem(
        f"The host {host} can't be listened on ({error.strerror}). Choose an address of this machine."
    )


def origin(scheme: str, listener: socket.socket) -> str:
    """Return the URL for clients on this machine, such as ``https://127.0.0.1:8443``."""
    host, port = listener.getsockname()[:2]
    host = _ANY_ADDRESS.get(host, host)
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


class Server(uvicorn.Server):
    """Serves one application on one socket until ``stop``, without handling signals.

    It accepts connections itself, so that those in their TLS handshake count too.
    """

    def __init__(
        self,
        app: Any,
        listener: socket.socket,
        context: ssl.SSLContext | None = None,
        *,
        caps: Caps = _CAPS,
        settings: ListeningSettings | None = None,
        trusted_proxies: Sequence[str] = (),
    ) -> None:
        self._settings = settings or ListeningSettings()
        super().__init__(
            uvicorn.Config(
                app,
                http=_GatedProtocol,
                h11_max_incomplete_event_size=_HEAD_BYTES,
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="warning",
                proxy_headers=bool(trusted_proxies),
                forwarded_allow_ips=list(trusted_proxies),
                access_log=False,  # it would log queries
                server_header=False,
                timeout_keep_alive=round(self._settings.idle_seconds) + 1,  # the gate closes it first
                timeout_graceful_shutdown=_GRACEFUL_STOP_S,
            )
        )
        self._listener = listener
        self._context = context
        self._gate = ConnectionGate(caps)
        self._accepting: asyncio.Task[None] | None = None
        self._opening: set[asyncio.Task[bool]] = set()
        self._ticking = asyncio.Event()
        """Set to tick now: for the first connection, and to stop."""
        self.up = asyncio.Event()

    async def run_until_stopped(self) -> None:
        """Serve until ``stop``."""
        await self.serve([self._listener])

    def stop(self) -> None:
        """Accept no more connections, and let requests in progress finish."""
        self.should_exit = True
        self._ticking.set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        del sockets  # uvicorn would accept from them without a limit
        self.servers = []
        self._accepting = asyncio.create_task(self._accept())
        self.started = True
        self.up.set()

    async def main_loop(self) -> None:
        """Tick once a second instead of ten times, and not at all without connections."""
        counter = 0
        while not await self.on_tick(counter):
            counter += _TICKS
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_TICK_S if len(self._gate) else None):
                    await self._ticking.wait()
            self._ticking.clear()

    async def on_tick(self, counter: int) -> bool:
        self._gate.sweep()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        ended = [task for task in (self._accepting, *self._opening) if task is not None]
        for task in ended:
            task.cancel()
        await asyncio.gather(*ended, return_exceptions=True)
        dropping = asyncio.create_task(self._drop_idle())
        await super().shutdown(sockets)
        await dropping

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, address = await loop.sock_accept(self._listener)
            except OSError as error:
                if error.errno != errno.ECONNABORTED:  # the client has disconnected already
                    _log.warning("connections can't be accepted; trying again", reason=error.strerror)
                    await asyncio.sleep(_ACCEPT_AGAIN_S)
                continue
            if not len(self._gate):
                await self.on_tick(0)  # its answers contain the time of the last tick
                self._ticking.set()
            self._admit(connection, str(address[0]))
            await asyncio.sleep(0)  # one handshake at a time, so that a burst doesn't block other requests

    def _admit(self, connection: socket.socket, host: str) -> None:
        protocol = _GatedProtocol(
            self.config, self.server_state, {"body_seconds": self._settings.body_seconds}
        )
        place = self._gate.admit(host, protocol.drop, self._settings.head_seconds)
        if place is None:
            connection.close()
            return
        protocol.begin(place, self._settings)
        opening = protocol.opening = asyncio.create_task(self._open(connection, protocol))
        self._opening.add(opening)
        opening.add_done_callback(partial(self._opened, connection, protocol))

    async def _open(self, connection: socket.socket, protocol: "_GatedProtocol") -> bool:
        """Complete the connection; False if the client doesn't speak TLS, is too slow, or has left."""
        waits: dict[str, float] = {}
        if self._context is not None:
            waits = {"ssl_handshake_timeout": self._settings.head_seconds, "ssl_shutdown_timeout": _GOODBYE_S}
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: protocol, connection, ssl=self._context, **waits
            )
        except OSError as error:
            # asyncio's frames keep the error and the connection alive
            traceback.clear_frames(error.__traceback__)
            return False
        return True

    def _opened(
        self, connection: socket.socket, protocol: "_GatedProtocol", opening: asyncio.Task[bool]
    ) -> None:
        self._opening.discard(opening)
        protocol.opening = None
        if opening.cancelled() or not opening.result():
            connection.close()
            protocol.place.leave()

    async def _drop_idle(self) -> None:
        """Close idle connections, because clients keep them open."""
        await asyncio.sleep(_IDLE_STOP_S)
        for connection in list(self.server_state.connections):
            if isinstance(connection, _GatedProtocol) and connection.is_idle:
                connection.drop()


class _GatedProtocol(H11Protocol):
    """Tells the gate when it waits for the client, and answers invalid HTTP with the error envelope."""

    place: Place
    opening: asyncio.Task[bool] | None = None
    """Until the connection is established or has failed."""

    def begin(self, place: Place, settings: ListeningSettings) -> None:
        """Assign its place in the gate, before the connection is established."""
        self.place = place
        self._settings = settings
        self._is_made = False
        self._is_stalled = False
        self._rest = bytearray()
        self._next_piece: asyncio.Handle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no request is in progress."""
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        return cycle is None or cycle.response_complete

    def drop(self) -> None:
        """Close the connection immediately, even during its TLS handshake."""
        if self._is_made:
            abort(self.transport)
        elif self.opening is not None:
            self.opening.cancel()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # the signature in uvicorn
        self._is_made = True
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.place.leave()
        if self._next_piece is not None:
            self._next_piece.cancel()
        super().connection_lost(exc)
        if self.timeout_keep_alive_task is not None:  # uvicorn doesn't cancel it if the connection breaks
            self.timeout_keep_alive_task.cancel()
            self.timeout_keep_alive_task = None

    def data_received(self, data: bytes) -> None:
        self._rest += data
        if self._next_piece is None:
            self._parse()
        else:
            self.transport.pause_reading()

    def _parse(self) -> None:
        """Parse a piece of what has arrived; the next one once everything else had its turn."""
        self._next_piece = None
        if self.transport.is_closing():
            return
        size = len(self._rest) if self._is_counted else _PIECE_BYTES
        piece = bytes(self._rest[:size])
        del self._rest[:size]
        super().data_received(piece)
        if self.is_idle:
            self.place.hurry(self._settings.head_seconds)  # from the first byte; more bytes gain no time
        else:
            self._note_request()
        if self._rest:
            self.transport.pause_reading()
            self._next_piece = self.loop.call_soon(self._parse)
        elif not self.flow.read_paused:
            self.transport.resume_reading()

    @property
    def _is_counted(self) -> bool:
        """Whether the rest of a body follows whose length was announced, which is parsed in one go."""
        is_body = not self.is_idle and self.cycle.more_body
        return is_body and all(name != b"transfer-encoding" for name, _ in self.headers)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.is_idle:
            self.place.wait(self._settings.idle_seconds)
        else:  # the next request has already arrived
            self._note_request()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._is_stalled = True
        self.place.wait(self._settings.stalled_seconds)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._is_stalled = False
        if not self.is_idle:
            self._note_request()

    def _note_request(self) -> None:
        if self._is_stalled:
            return  # it must read this response, even if it may send the next request
        if self.cycle.more_body:
            self.place.wait(self._settings.body_seconds + _BODY_GRACE_S)
        else:
            self.place.work()

    def send_400_response(self, msg: str) -> None:
        details = ValidationDetails(errors=[ValidationIssue(field="", message=msg, type="not_http")])
        envelope = ErrorEnvelope(
            error=ErrorBody(code=ErrorCode.VALIDATION_ERROR, message=msg, details=details),
            request_id=f"req_{secrets.token_hex(12)}",
        )
        body = envelope.model_dump_json().encode()
        headers = [
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            ("X-Request-Id", envelope.request_id),
            ("Connection", "close"),
        ]
        events = (
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(data=body),
            h11.EndOfMessage(),
        )
        for event in events:
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
