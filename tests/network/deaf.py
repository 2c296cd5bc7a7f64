"""A server that stops reading, so that it never answers a client's end of TLS."""

import asyncio
import gc
import socket
import ssl
import threading
import warnings
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from tests.service.outbound.network import certificates

HOST = "127.0.0.1"
_RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx"
_PATIENCE_S = 60


@contextmanager
def deaf(folder: Path, *, reads_request: bool = True) -> Iterator[tuple[str, ssl.SSLContext]]:
    """Run the server in a thread; yield its URL and what trusts it.

    It begins a response if it reads the request, and holds its connections until the end.
    """
    context, authority = certificates(folder, HOST)
    with ExitStack() as held, socket.create_server((HOST, 0)) as listener:

        def serve() -> None:
            with suppress(OSError):  # the listener was shut down, or a client hung up early
                while True:
                    line, _ = listener.accept()
                    line.settimeout(_PATIENCE_S)
                    with suppress(ssl.SSLError, ConnectionError):
                        secured = held.enter_context(context.wrap_socket(line, server_side=True))
                        if reads_request and secured.recv(4096):
                            secured.sendall(_RESPONSE)

        thread = threading.Thread(target=serve, name="deaf server")
        thread.start()
        try:
            port = listener.getsockname()[1]
            yield f"https://{HOST}:{port}", ssl.create_default_context(cafile=str(authority))
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def left_open(story: Callable[[], Awaitable[None]]) -> list[str]:
    """Run a story in an event loop; return what it left open, according to the garbage collector."""

    async def run() -> None:
        await story()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        asyncio.run(run())
        gc.collect()
    return [str(one.message) for one in caught]
