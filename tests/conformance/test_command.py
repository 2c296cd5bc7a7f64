"""The command: its output, its exit codes, and that no rule holds for a service that does nothing right."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.conformance.__main__ import main
from tests.conformance.outcome import Result
from tests.conformance.register import rules

KEY = "stp_rest_" + "0" * 64


@contextmanager
def answering(status: int, body: bytes) -> Iterator[str]:
    """Run a server with the same response to everything; yields its base URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one_request(self) -> None:
            self.raw_requestline = self.rfile.readline(65537)
            if not self.raw_requestline or not self.parse_request():
                self.close_connection = True
                return
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *_: object) -> None:  # noqa: A002  the name is the base's
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    return file


def tried(capsys: pytest.CaptureFixture[str], url: str, key_file: Path, *options: str) -> dict[str, str]:
    """Return the results by rule ID. The command must fail, because a rule does."""
    keys = [word for name in ("other", "no-scope") for word in (f"--{name}-key-file", str(key_file))]
    patience = ("--patience", "0.1")
    arguments = ["--base-url", url, "--key-file", str(key_file), *keys, *patience, "--json", *options]
    assert main(arguments) == 1
    document = json.loads(capsys.readouterr().out.splitlines()[-1])
    return {one["id"]: one["result"] for one in document["rules"]}


ENVELOPE = json.dumps({"error": {"code": "not_found", "message": "No such thing."}, "request_id": "1"})


@pytest.mark.parametrize(
    ("status", "body"), [(200, b"{}"), (200, b"[]"), (500, b"Traceback"), (404, ENVELOPE.encode())]
)
def test_no_rule_holds_of_a_service_that_always_says_the_same(
    status: int, body: bytes, capsys: pytest.CaptureFixture[str], key_file: Path
) -> None:
    with answering(status, body) as url:
        results = tried(capsys, url, key_file, "--profile", "kalends")
    assert len(results) == len(rules())
    held = {one for one, result in results.items() if result == Result.HOLDS}
    assert held == {
        "authentication.keys_have_their_format"
    }  # about the keys that were given, not the service


def test_one_section_is_tried_alone(capsys: pytest.CaptureFixture[str], key_file: Path) -> None:
    with answering(404, b"{}") as url:
        results = tried(capsys, url, key_file, "--only", "Usage")
    assert {one.partition(".")[0] for one in results} == {"usage"}


def test_what_is_missing_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for arguments in ([], ["--base-url", "https://localhost", "--key-file", str(tmp_path / "none")]):
        with pytest.raises(SystemExit, match="2"):
            main(arguments)
    assert "--key-file" in capsys.readouterr().err


def test_an_authority_is_made_for_the_receiver(tmp_path: Path) -> None:
    file = tmp_path / "authority.pem"
    assert main(["--make-receiver-ca", str(file)]) == 0
    assert file.read_bytes().startswith(b"-----BEGIN CERTIFICATE-----")
