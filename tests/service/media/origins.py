"""A web server that files are imported from: it says and sends exactly what a test wants."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Page:
    """One answer. Without ``length`` its end is the end of the connection.

    With ``rest`` the body stops after its first ten kilobytes until that is set.
    """

    body: bytes = b""
    content_type: str | None = "image/png"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    length: int | None = None
    rest: threading.Event | None = None


class Origin:
    """Pages by path, on a port of this machine."""

    def __init__(self, port: int) -> None:
        self.base_url = f"http://127.0.0.1:{port}"
        self.pages: dict[str, Page] = {}
        self.asked: list[str] = []

    def add(self, path: str, body: bytes = b"", *, told: bool = True, **fields: Any) -> str:
        """Puts a page there; gives its URL. ``told`` says whether it announces its length."""
        self.pages[path] = Page(body, **{"length": len(body) if told else None, **fields})
        return self.base_url + path


@contextmanager
def serving() -> Iterator[Origin]:
    """Runs an origin."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            origin.asked.append(self.path)
            page = origin.pages.get(self.path.partition("?")[0], Page(status=404))
            self.send_response(page.status)
            if page.content_type is not None:
                self.send_header("Content-Type", page.content_type)
            if page.length is not None:
                self.send_header("Content-Length", str(page.length))
            for name, value in page.headers.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                if page.rest is not None:
                    self.wfile.write(page.body[:10_240])
                    page.rest.wait(60)
                self.wfile.write(page.body[10_240 if page.rest is not None else 0 :])
            except ConnectionError:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the library's name
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        origin = Origin(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield origin
        finally:
            server.shutdown()
            thread.join()
