"""Bluesky's own server at the address of its stand-in, for a whole service."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final

import httpx

from tests.platforms.bluesky.pds import Addresses

HANDLE: Final = "robin.test"
PASSWORD: Final = "the real password"
_PREFIX: Final = "/bluesky"
_KEPT: Final = ("Authorization", "Content-Type")


@contextmanager
def forwarded(servers: Addresses, loses: Callable[[], bool] | None = None) -> Iterator[str]:
    """Put the server in place of the stand-in; gives the stand-ins' address.

    With ``loses``, calls to the account's own server come through here, too, and the answer of one that
    publishes is lost if it says so.
    """

    class Forwarder(BaseHTTPRequestHandler):
        def _forward(self) -> None:
            path = self.path.removeprefix(_PREFIX)
            is_document = path.startswith("/did")
            kept = {name: self.headers[name] for name in _KEPT if name in self.headers}
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            address = (servers.plc if is_document else servers.pds) + path
            answer = httpx.request(
                self.command, address, content=body, headers=kept, trust_env=False, timeout=60
            )
            content = answer.content
            if is_document and loses is not None:
                content = content.replace(servers.pds.encode(), f"{url}{_PREFIX}".encode())
            if loses is not None and path.endswith("putRecord") and loses():
                self.close_connection = True
                return
            self.send_response(answer.status_code)
            self.send_header("Content-Type", answer.headers.get("content-type", "application/json"))
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with suppress(ConnectionError):  # the service was killed
                self.wfile.write(content)

        do_GET = do_POST = do_HEAD = _forward  # noqa: N815  named by the base class

        def log_message(self, *_args: Any) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Forwarder) as server:
        url = f"http://127.0.0.1:{server.server_address[1]}"
        Thread(target=server.serve_forever, daemon=True).start()
        yield url
        server.shutdown()


def new_account(pds: str) -> tuple[str, str]:
    """Create an account; gives its DID and an app password."""
    with httpx.Client(base_url=f"{pds}/xrpc", trust_env=False, timeout=60) as http:
        new = {"email": "robin@example.com", "handle": HANDLE, "password": PASSWORD}
        created = http.post("/com.atproto.server.createAccount", json=new).json()
        owner = {"Authorization": f"Bearer {created['accessJwt']}"}
        name = {"name": "Kalends"}
        made = http.post("/com.atproto.server.createAppPassword", json=name, headers=owner).json()
    return created["did"], made["password"]
