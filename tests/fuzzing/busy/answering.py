"""Platforms with random responses: ``python -m tests.fuzzing.busy.answering SEED`` prints their URL."""

import contextlib
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any, Final

from tests.fuzzing.busy.payloads import VALUES, long_text

_SIZES: Final = (100, 5_000, 200_000, 1_000_000, 4_100_000)
_NAMES: Final = (  # noqa: SIM905  one line for each word would be longer
    "data id elements items error errors message code title detail description commentary text createdAt "
    "created_at created_time attachments entities urls meta next_token paging next cursors access_token "
    "expires_in refresh_token scope sub name username snippet status videos user error_description log_id "
    "rows values total_value public_metrics statistics content media details problems"
).split()
_KINDS: Final = 30
"""Number of generated responses, shared by all requests."""
_STATUSES: Final = (*(200,) * 15, 201, 302, 400, 401, 403, 404, 409, 422, 429, 500, 503)


def document(random: Random, size: int, depth: int = 0) -> Any:
    """Return JSON with field names used by platforms."""
    kind = random.random()
    if depth < 3 and kind < 0.6:
        names = random.sample(_NAMES, k=random.randint(1, 12))
        return {name: document(random, size // len(names), depth + 1) for name in names}
    if depth < 4 and kind < 0.8:
        one = document(random, min(size, 300) // 8, depth + 1)
        return [one] * min(size // max(1, len(json.dumps(one))), 400_000)
    if kind < 0.9:
        return long_text(random, size)
    return random.choice((json.loads(random.choice(VALUES)), 10**30, "2026-11-21T12:00:00Z", "1"))


def content(random: Random) -> bytes:
    """Return the body of a response."""
    size = random.choice(_SIZES)
    if random.random() < 0.3:
        value = random.choice(VALUES).encode()
        name = random.choice(_NAMES).encode()
        return b'{"' + name + b'":[' + (value + b",") * (size // (len(value) + 1)) + value + b"]}"
    return json.dumps(document(random, size)).encode("utf-8", "replace")[:5_000_000]


def main(seed: int) -> None:
    """Serve until standard input ends."""
    random, lock = Random(seed), threading.Lock()  # noqa: S311  not for security
    made = [content(random) for _ in range(_KINDS)]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            with lock:
                status, body = random.choice(_STATUSES), random.choice(made)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with contextlib.suppress(OSError):  # the client has disconnected
                self.wfile.write(body)

        do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815  the library's names

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the library's name
            """Log nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Ignore callers that hang up."""

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps(f"http://127.0.0.1:{server.server_port}"), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(int(sys.argv[1]))
