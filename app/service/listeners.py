"""Listening sockets, with an error that names the reason when one cannot be had."""

import errno
import socket
import sys
from typing import Any

from app.service.problems import CommandProblem, PortProblem

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
