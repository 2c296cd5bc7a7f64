"""An HTTPS server on loopback that receives webhooks and serves files."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from uuid import uuid4

from tests.conformance.authority import server_context

_PATIENCE_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class Arrived:
    """A raw request: the body, and the headers as sent."""

    method: str
    headers: Message
    raw: bytes
    at: float

    @property
    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.raw)
        return found


@dataclass(frozen=True, slots=True)
class Reply:
    """A response of the receiver: a status after a delay in s; None closes the connection."""

    status: int | None = 200
    wait: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b"{}"


@dataclass
class Inbox:
    """A URL of the receiver with its requests. Replies are used once, except the last."""

    url: str
    replies: list[Reply]
    arrived: list[Arrived] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def answer(self, *replies: Reply) -> None:
        """Set the next responses."""
        with self.changed:
            self.replies[:] = replies

    def take(self, one: Arrived) -> Reply:
        with self.changed:
            self.arrived.append(one)
            self.changed.notify_all()
            return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    def events(self, wanted: Callable[[Arrived], bool]) -> list[Arrived]:
        """Return the matching requests so far."""
        with self.changed:
            return [one for one in self.arrived if wanted(one)]

    def wait(self, wanted: Callable[[Arrived], bool], count: int, patience_s: float) -> list[Arrived]:
        """Like ``events``, after waiting for ``count`` of them or the timeout."""
        with self.changed:
            self.changed.wait_for(lambda: sum(map(wanted, self.arrived)) >= count, patience_s)
            return [one for one in self.arrived if wanted(one)]


class Receiver:
    """The server. Every inbox has its own URL."""

    def __init__(self, authority: Path | None) -> None:
        self._inboxes: dict[str, Inbox] = {}
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._server.socket = server_context(authority).wrap_socket(
            self._server.socket, server_side=True, do_handshake_on_connect=False
        )
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def inbox(self, *replies: Reply, name: str = "hook") -> Inbox:
        """Return a new URL ``/ID/name`` with these responses, repeating the last one; by default 200."""
        path = f"/{uuid4().hex}/{name}"
        port = self._server.server_address[1]
        inbox = Inbox(f"https://127.0.0.1:{port}{path}", list(replies or (Reply(),)))
        self._inboxes[path] = inbox
        return inbox

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        inboxes = self._inboxes

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = _PATIENCE_S

            def do_GET(self) -> None:
                self._serve(b"")

            def do_HEAD(self) -> None:
                self._serve(b"")

            def do_POST(self) -> None:
                self._serve(self.rfile.read(int(self.headers.get("Content-Length", 0))))

            def log_message(self, format: str, *_: object) -> None:  # noqa: A002  the name is the base's
                """Log nothing."""

            def _serve(self, raw: bytes) -> None:
                self.close_connection = True
                inbox = inboxes.get(self.path)
                if inbox is None:
                    self.send_error(404)
                    return
                reply = inbox.take(Arrived(self.command, self.headers, raw, time.monotonic()))
                time.sleep(reply.wait)
                if reply.status is None:
                    return
                self.send_response(reply.status)
                headers = {"Content-Length": str(len(reply.content)), "Connection": "close"}
                for name, value in {**headers, **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(reply.content)

        return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore services that hang up first."""
