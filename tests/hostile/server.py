"""The other service as a separate program: HTTPS on a port, with a world for each first path segment.

``python -m tests.hostile.server FILE`` writes its certificate to FILE, prints its port, and exits when its
input ends. ``/VARIATION.N/api/v1/...`` is the service with that variation; N separates visits.
``/VARIATION.N/state`` returns the state of its world.
"""

import json
import socket
import sys
import threading
import time
from collections import Counter, defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.conformance.authority import server_context
from tests.hostile import companion
from tests.hostile.answers import PNG, answer
from tests.hostile.companion import Stream
from tests.hostile.kinds.seeded import PREFIX, seeded
from tests.hostile.variation import Variation
from tests.hostile.variations import ALL
from tests.hostile.wire import Asked, Reply, endpoint_of, error, missing
from tests.hostile.world import KEY, Row, World


class Visit:
    """A world, and how its service is bent."""

    def __init__(self, variation: Variation) -> None:
        self.lock = threading.Lock()
        self.world: World = variation.world()
        self.variation = variation
        self.turns: Counter[str] = Counter()
        self.connections = 0

    def heal(self) -> None:
        """Stop bending."""
        self.variation = Variation("healed", stream=companion.CALM)

    def connection(self) -> int:
        """Return the number of a new connection to the stream."""
        self.connections += 1
        return self.connections

    def answer(
        self, method: str, path: tuple[str, ...], query: dict[str, str], body: Any, base: str
    ) -> Reply:
        """Return the response of the bent service at the URL ``base``."""
        endpoint = endpoint_of(method, path)
        asked = Asked(method, path, query, body, self.turns.total(), self.turns[endpoint], self.world)
        self.turns[endpoint] += 1
        reply = companion.answer(asked) if path[:1] == ("companion",) else answer(asked)
        told = json.loads(json.dumps(reply.body).replace("{base}", base))
        return self.variation.bend(asked, reply.but(body=told))

    def state(self) -> Row:
        """Return what the app should show once it has everything: posts with all changes of the variation."""
        world, endpoint = self.world, ("posts",)
        told = world.posts
        for number in range(12):
            asked = Asked("GET", endpoint, {"limit": "100"}, None, number, number, world)
            body = self.variation.bend(asked, Reply(200, {"data": world.posts, "next_cursor": None})).body
            if isinstance(body, dict) and len(body.get("data") or ()) == len(world.posts):
                told = body["data"]
                break
        return world.state(told)


class Handler(BaseHTTPRequestHandler):
    """Speaks correct HTTP/1.1, or as badly as a reply wants."""

    protocol_version = "HTTP/1.1"
    visits: defaultdict[str, Visit]

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        content = self.rfile.read(length)
        parts = urlsplit(self.path)
        name, *path = [unquote(part) for part in parts.path.strip("/").split("/")]
        visit = self.visits[name]
        base = f"https://{self.headers['Host']}/{name}"
        stream = visit.variation.stream
        if stream is not None and path == ["companion", "v1", "events"]:
            self._stream(stream, visit.connection())
            return
        with visit.lock:
            reply = self._reply(visit, path, dict(parse_qsl(parts.query)), content, base)
            body = reply.raw if reply.raw is not None else json.dumps(reply.body).encode()
        self._send(reply, body)

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815  the library's names

    def _reply(
        self, visit: Visit, path: list[str], query: dict[str, str], content: bytes, base: str
    ) -> Reply:
        match path:
            case ["state"]:
                return Reply(200, visit.state())
            case ["heal"]:
                visit.heal()
                return Reply(200, {})
            case ["companion", "v1", *rest] if visit.variation.stream is not None:
                return visit.answer(self.command, ("companion", *rest), query, None, base)
            case ["files", *rest]:
                return self._file(visit.world, "/".join(rest), content)
            case ["api", "v1", *rest]:
                if self.headers.get("Authorization") != f"Bearer {KEY}":
                    return error(401, "unauthorized", "The key is not known.")
                body = json.loads(content) if content else None
                return visit.answer(self.command, tuple(rest), query, body, base)
        return visit.variation.companion or missing()

    def _file(self, world: World, path: str, content: bytes) -> Reply:
        if path not in world.files:
            return missing()
        if self.command == "PUT":
            world.files[path] = content
            return Reply(200, {})
        return Reply(200, raw=world.files[path] or PNG, headers={"Content-Type": "image/png"})

    def _stream(self, stream: Stream, turn: int) -> None:
        """Send events until they end, the client disconnects, or the service is healed."""
        self.close_connection = True
        self.send_response(200)
        for header, value in ({"Content-Type": "text/event-stream"} | dict(stream.headers)).items():
            self.send_header(header, value)
        self.send_header("Connection", "close")
        self.end_headers()
        for piece in stream.pieces(turn):
            self.wfile.write(piece)

    def _send(self, reply: Reply, body: bytes) -> None:
        time.sleep(reply.wait)
        if reply.manner == "dropped":
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        if reply.manner == "old":
            self.protocol_version = "HTTP/1.0"
            self.close_connection = True
        headers = {"Content-Type": "application/json"} | dict(reply.headers)
        if reply.manner in ("whole", "cut") and reply.status != 204:
            headers["Content-Length"] = str(len(body) + 100 * (reply.manner == "cut"))
        if reply.manner == "chunked":
            headers["Transfer-Encoding"] = "chunked"
        self.send_response(reply.status, reply.reason)
        for header, value in headers.items():
            self.send_header(header, value)
        self.end_headers()
        if reply.status != 204:
            self._send_body(reply, body)

    def _send_body(self, reply: Reply, body: bytes) -> None:
        if reply.manner == "chunked":
            for start in range(0, len(body), 97):
                piece = body[start : start + 97]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            body = b"0\r\n\r\n"
        self.wfile.write(body)
        if reply.manner == "cut":
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the library's name
        """Log nothing."""


class Server(ThreadingHTTPServer):
    """Ignores clients that hang up."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception() if sys.version_info >= (3, 12) else sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Visits(defaultdict[str, Visit]):
    def __missing__(self, name: str) -> Visit:
        kind = name.rpartition(".")[0]
        variation = seeded(kind) if kind.startswith(PREFIX) else ALL[kind]
        return self.setdefault(name, Visit(variation))


def main(certificate: Path) -> None:
    """Serve until standard input ends."""
    Handler.visits = _Visits()
    server = Server(("127.0.0.1", 0), Handler)
    server.socket = server_context(certificate).wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
