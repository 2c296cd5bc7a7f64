"""The sign-in and consent pages of Bluesky's own server, in a real browser."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from tests.real_browser import chromium
from tests.real_browser.chromium import Page, until

T = TypeVar("T")
_PATH = "/callback/bluesky"
_PASSWORD, _GO_ON = "input[type=password]", "button[type=submit]"


def allow(page_url: str, password: str, folder: Path, end: Callable[[Page], T | None]) -> T:
    """Sign in and allow access; return what ``end`` finds in the browser's page after that."""
    with chromium.browser(folder) as (browser, _):
        opener = folder / "programs/xdg-open"
        with subprocess.Popen([str(opener), "--headless=new", page_url]) as running:
            try:
                page = browser.page("oauth/authorize")
                page.click(_PASSWORD)
                page.write(password)
                page.click(_GO_ON)
                until(lambda: "wants to access your account" in page.evaluate("document.body.innerText"))
                page.click(_GO_ON)
                return until(lambda: end(page))
            finally:
                running.terminate()


class Callback:
    """Where the browser returns to."""

    def __init__(self, url: str, answers: list[dict[str, str]]) -> None:
        self.url = url
        self._answers = answers

    def allow(self, page_url: str, password: str, folder: Path) -> dict[str, str]:
        """Sign in and allow access; return the query that the browser came back with."""
        return allow(page_url, password, folder, lambda _page: next(iter(self._answers), None))


@contextmanager
def callback() -> Iterator[Callback]:
    """Listen for the browser."""
    answers: list[dict[str, str]] = []

    class Listener(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path == _PATH:
                answers.append(dict(parse_qsl(parts.query)))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_args: Any) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Listener) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield Callback(f"http://127.0.0.1:{server.server_address[1]}{_PATH}", answers)
        server.shutdown()
