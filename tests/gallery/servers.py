"""Services on this computer with real TLS that refuse the key, or never answer."""

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from app.service.tls import Identity, issue, make_authority
from tests.workspace.model_service import KEY

_REFUSAL = {
    "error": {"code": "unauthorized", "message": "This key is not known."},
    "request_id": "req_01hx7n9q2m",
}


@dataclass(frozen=True, slots=True)
class Server:
    """Where it is, a key of the right shape, and a certificate that is not its own."""

    address: str
    key: str
    other_certificate: str


@contextmanager
def server(folder: Path, *, answers: bool) -> Iterator[Server]:
    """Refuses every key, or with ``answers`` False keeps everybody waiting."""
    gone = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if not answers:
                gone.wait()
                return
            body = json.dumps(_REFUSAL).encode()
            self.send_response(401)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  its name there
            """Says nothing."""

    authority = make_authority(datetime.now(UTC))
    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listener.daemon_threads = True
    listener.socket = _context(folder, authority).wrap_socket(
        listener.socket, server_side=True, do_handshake_on_connect=False
    )
    thread = threading.Thread(target=lambda: listener.serve_forever(poll_interval=0.02))
    thread.start()
    other = make_authority(datetime.now(UTC)).certificate_pem().decode()
    try:
        yield Server(f"https://127.0.0.1:{listener.server_address[1]}", KEY, other)
    finally:
        gone.set()
        listener.shutdown()
        thread.join()
        listener.server_close()


def _context(folder: Path, authority: Identity) -> ssl.SSLContext:
    identity = issue(authority, ["127.0.0.1"], datetime.now(UTC))
    chain, key = folder / "server.crt", folder / "server.key"
    chain.write_bytes(identity.certificate_pem())
    key.write_bytes(identity.key_pem())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    return context
