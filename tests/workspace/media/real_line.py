"""A service in memory behind real TLS on loopback, whose uploads can break in the middle."""

import json
import socket
import ssl
import struct
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, Literal

import httpx

from app.client import Clocks, RetryPolicy, ServiceClient
from tests.journeys.wiretap import self_signed
from tests.workspace.model_service import BASE_URL, KEY, ModelService

_PIECE = 64 * 1024
_RESET = struct.pack("ii", 1, 0)

How = Literal["drop", "stall"] | int
"""``drop``: the connection is reset. ``stall``: nothing more is read. A number: that status is answered."""


@dataclass
class Ill:
    """What happens to an upload once ``after`` bytes of it have come; none: before they are asked for."""

    how: How
    after: int = 0
    message: str = ""


@dataclass
class RealLine:
    """``ills`` are used up one per upload; ``met`` counts those that have come true."""

    service: ModelService
    base_url: str
    trust: ssl.SSLContext
    ills: deque[Ill] = field(default_factory=deque)
    met: int = 0
    received: int = 0
    """Bytes of files."""
    open_uploads: int = 0
    silent: bool = False
    """Whether nobody is asked to go on, as by services that do not know of it."""
    over: threading.Event = field(default_factory=threading.Event)

    def client(self, clocks: Clocks | None = None) -> ServiceClient:
        retries = RetryPolicy(attempts=1)
        return ServiceClient(self.base_url, KEY, ssl_context=self.trust, retries=retries, clocks=clocks)


@contextmanager
def real_line(service: ModelService, folder: Path) -> Iterator[RealLine]:
    """Listens until the block ends."""
    pem = self_signed(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    server = _Server(("127.0.0.1", 0), _Handler, bind_and_activate=True)
    line = RealLine(
        service, f"https://127.0.0.1:{server.server_port}", ssl.create_default_context(cafile=str(pem))
    )
    server.line, server.context = line, context
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield line
    finally:
        line.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    line: RealLine
    context: ssl.SSLContext

    def finish_request(self, request: Any, client_address: Any) -> None:
        request.settimeout(30)
        with suppress(OSError), self.context.wrap_socket(request, server_side=True) as secured:
            _Handler(secured, client_address, self)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Connections break here all the time."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    timeout: ClassVar[float] = 30

    def handle_expect_100(self) -> bool:
        return self.server.line.silent or (self._is_healthy() and super().handle_expect_100())

    def log_message(self, *_words: object) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        self._pass_on(self._body())

    do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815  the library's names

    def do_PUT(self) -> None:
        line = self.server.line
        line.open_uploads += 1
        try:
            if (content := self._file()) is not None:
                self._pass_on(content)
        finally:
            line.open_uploads -= 1

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _is_healthy(self) -> bool:
        """Whether the file may be sent at all; else that is answered."""
        line = self.server.line
        if not line.ills or line.ills[0].after:
            return True
        self._fall_ill(line.ills.popleft())
        return False

    def _file(self) -> bytes | None:
        line, content = self.server.line, bytearray()
        ill = line.ills.popleft() if line.ills else None
        left = int(self.headers["Content-Length"])
        while left:
            if ill is not None and len(content) >= ill.after:
                self._fall_ill(ill)
                return None
            piece = self.rfile.read(min(_PIECE, left))
            if not piece:
                raise ConnectionError("cut off")
            content += piece
            left -= len(piece)
            line.received += len(piece)
        return bytes(content)

    def _fall_ill(self, ill: Ill) -> None:
        self.close_connection = True
        line = self.server.line
        line.met += 1
        if ill.how == "stall":
            line.over.wait()
        elif ill.how == "drop":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            socket.socket.close(self.connection)
        else:
            error = {"code": "forbidden" if ill.how == 403 else "internal_error", "message": ill.message}
            self._answer(httpx.Response(ill.how, json={"error": error, "request_id": "req-1"}))
            while self.rfile.read(_PIECE):  # else the answer might be lost with what is not read
                pass

    def _pass_on(self, body: bytes) -> None:
        line = self.server.line
        headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
        request = httpx.Request(self.command, BASE_URL + self.path, headers=headers, content=body)
        try:
            self._answer(line.service.answer(request))
        except httpx.HTTPError:
            self.close_connection = True

    def _answer(self, response: httpx.Response) -> None:
        content = response.content
        if response.headers.get("content-type") == "application/json":
            content = json.dumps(response.json()).replace(BASE_URL, self.server.line.base_url).encode()
        self.send_response(response.status_code)
        self.send_header("Content-Type", response.headers.get("content-type", "text/plain"))
        self.send_header("Content-Length", str(len(content)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)
