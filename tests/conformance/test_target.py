"""Default trust of the suite."""

import http.client
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.conformance.authority import make_authority, server_context
from tests.conformance.target import Target


class _Nothing(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def port() -> Iterator[int]:
    """A server on loopback with an unknown authority."""
    server = HTTPServer(("127.0.0.1", 0), _Nothing)
    server.socket = server_context(None).wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def _ask(port: int, trust: ssl.SSLContext) -> int:
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=10, context=trust)
    connection.request("GET", "/")
    status = connection.getresponse().status
    connection.close()
    return status


def test_on_loopback_the_certificate_that_is_shown_is_trusted(port: int) -> None:
    target = Target(base_url=f"https://127.0.0.1:{port}", keys={"main": "key"})
    assert _ask(port, target.trusted["main"]) == 204


def test_elsewhere_only_authorities_are(port: int) -> None:
    target = Target(base_url=f"https://service.example:{port}", keys={"main": "key"})
    with pytest.raises(ssl.SSLCertVerificationError):
        _ask(port, target.trusted["main"])


def test_another_authority_than_the_named_one_is_refused(port: int, tmp_path: Path) -> None:
    make_authority(tmp_path / "other.pem")
    target = Target(
        base_url=f"https://127.0.0.1:{port}", keys={"main": "key"}, ca_file=tmp_path / "other.pem"
    )
    with pytest.raises(ssl.SSLCertVerificationError):
        _ask(port, target.trusted["main"])
