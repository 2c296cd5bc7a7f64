"""Listening: sockets that say plainly when they cannot, and servers that leave signals to the program."""

import asyncio
import contextlib
import errno
import secrets
import socket
import ssl
import sys
from collections.abc import Iterator
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from app.contract.enums import ErrorCode
from app.contract.errors import ErrorBody, ErrorEnvelope
from app.network import abort
from app.service.problems import CommandProblem, PortProblem

_KEEP_ALIVE_S = 65
_GRACEFUL_STOP_S = 1
_IDLE_STOP_S = 0.2
_NOT_TO_BE_HAD = frozenset({errno.EADDRINUSE, errno.EACCES})
_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  what they are called by clients here


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one.

    Raises PortProblem when the port is taken or not allowed, CommandProblem when the host is none of ours.
    """
    try:
        family, kind, protocol, _, address = _address_of(host, port)
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise _no_host(host, error) from error
    try:
        if sys.platform != "win32":  # there it would let two programs share the port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        if error.errno not in _NOT_TO_BE_HAD:
            raise _no_host(host, error) from error
        raise PortProblem(
            f"Port {port} on {host} cannot be used ({error.strerror}). Choose another one, or 0 for any."
        ) from error
    return listener


def _address_of(host: str, port: int) -> Any:
    """The first address; the event loop sends answers without delay where the socket names TCP."""
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)[0]


def _no_host(host: str, error: OSError) -> CommandProblem:
    return CommandProblem(
        f"The host {host} cannot be listened on ({error.strerror}). Choose an address of this machine."
    )


def origin(scheme: str, listener: socket.socket) -> str:
    """The address that clients on this machine use, such as ``https://127.0.0.1:8443``."""
    host, port = listener.getsockname()[:2]
    host = _ANY_ADDRESS.get(host, host)
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


class Server(uvicorn.Server):
    """A server of one application on one socket; it stops when it is told, never by a signal."""

    def __init__(self, app: Any, listener: socket.socket, context: ssl.SSLContext | None = None) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=_EnvelopeProtocol,
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="warning",
                proxy_headers=False,
                access_log=False,  # it would write down queries
                server_header=False,
                timeout_keep_alive=_KEEP_ALIVE_S,
                timeout_graceful_shutdown=_GRACEFUL_STOP_S,
                ssl_context_factory=None if context is None else lambda _config, _default: context,
            )
        )
        self._listener = listener
        self.up = asyncio.Event()

    async def run_until_stopped(self) -> None:
        """Serves until ``stop``."""
        await self.serve([self._listener])

    def stop(self) -> None:
        """Takes no more connections and lets those that are busy finish."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.up.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        dropping = asyncio.create_task(self._drop_idle())
        await super().shutdown(sockets)
        await dropping

    async def _drop_idle(self) -> None:
        """Ends connections on which nothing happens: a client that keeps one open does not end it for us."""
        await asyncio.sleep(_IDLE_STOP_S)
        for connection in list(self.server_state.connections):
            if isinstance(connection, H11Protocol) and (
                connection.cycle is None or connection.cycle.response_complete
            ):
                abort(connection.transport)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _EnvelopeProtocol(H11Protocol):
    """Answers also what is no HTTP at all with the envelope."""

    def send_400_response(self, msg: str) -> None:
        envelope = ErrorEnvelope(
            error=ErrorBody(code=ErrorCode.VALIDATION_ERROR, message=msg),
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
