"""Where the browser comes back to: a listener on this computer for one flow."""

import asyncio
import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from urllib.parse import parse_qs, urlsplit

from app.language import current, tr

_REQUEST_MAX = 16 * 1024
_PATIENCE_S = 10

_PAGE = """<!doctype html><html lang="{language}"><meta charset="utf-8"><title>Kalends</title>
<style>body{{font:16px/1.5 system-ui,sans-serif;margin:20vh auto;max-width:28rem;padding:0 1rem;
color:#1e1d1a;background:#f7f6f3}}@media(prefers-color-scheme:dark){{body{{color:#eceae6;background:#151517}}}}
</style><h1>{title}</h1><p>{text}</p></html>"""

_WORDS = {
    "connected": (tr("Connected"), tr("The account is connected. You can close this tab.")),
    "denied": (
        tr("Not connected"),
        tr("You declined the request. You can close this tab and go back to Kalends."),
    ),
    "failed": (
        tr("Not connected"),
        tr("Something went wrong. See Kalends for details. You can close this tab."),
    ),
    "cancelled": (
        tr("Cancelled in Kalends"),
        tr("The account wasn't connected. You can close this tab."),
    ),
    "too late": (
        tr("Cancelled in Kalends"),
        tr(
            "You had already allowed access, so the account is connected. To undo this, "
            "revoke access in the platform's settings."
        ),
    ),
    "": (tr("Almost done"), tr("You can close this tab and go back to Kalends.")),
}


@dataclass(frozen=True, slots=True)
class Arrival:
    """What the browser returned: a status, "" if the service has none, and maybe the connection's ID."""

    status: str
    connection_id: str


class Landing:
    """An HTTP server that answers one secret path on 127.0.0.1, and nothing else."""

    def __init__(self, on_arrival: Callable[[Arrival], None]) -> None:
        self._on_arrival = on_arrival
        self._path = f"/connected/{secrets.token_urlsafe(16)}"
        self._socket: socket.socket | None = None
        self._server: asyncio.Server | None = None
        self._host = ""
        self._is_cancelled = False

    @property
    def url(self) -> str:
        return f"http://{self._host}{self._path}"

    async def open(self) -> None:
        # Assigned before anything is awaited, so that a flow cancelled in the meantime can close it.
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._host = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self._server = await asyncio.start_server(self._serve, sock=self._socket, limit=_REQUEST_MAX)

    def cancel(self) -> None:
        """Make the page say that the attempt was cancelled."""
        self._is_cancelled = True

    def close(self) -> None:
        if self._server:
            self._server.close()
        elif self._socket:
            self._socket.close()

    def arrival(self, target: str, host: str) -> Arrival | None:
        """Parse a request target; None if it isn't for us, or not from the browser we sent."""
        try:
            parts = urlsplit(target)
            path = parts.path.encode()
        except ValueError:  # brackets without an address, or half of a surrogate pair
            return None
        if host != self._host or not secrets.compare_digest(path, self._path.encode()):
            return None
        query = parse_qs(parts.query)
        return Arrival(query.get("status", [""])[0], query.get("connection_id", [""])[0])

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                head = await reader.readuntil(b"\r\n\r\n")
                arrival = self._read(head)
                writer.write(_answer(self._word(arrival)))
                await writer.drain()
            if arrival:
                self._on_arrival(arrival)
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
            pass  # not a browser
        finally:
            writer.close()

    def _word(self, arrival: Arrival | None) -> str | None:
        """The page to show; None for a request that isn't for us."""
        if arrival is None:
            return None
        if self._is_cancelled:
            return "too late" if arrival.status == "connected" else "cancelled"
        return arrival.status if arrival.status in ("connected", "denied", "failed") else ""

    def _read(self, head: bytes) -> Arrival | None:
        request, *lines = head.decode("latin-1").split("\r\n")
        words = request.split(" ")
        if len(words) != 3 or words[0] != "GET" or not words[1].startswith("/"):
            return None
        headers = dict(line.lower().split(":", 1) for line in lines if ":" in line)
        return self.arrival(words[1], headers.get("host", "").strip())


def _answer(word: str | None) -> bytes:
    title, text = (tr("Not found"), tr("There is nothing here.")) if word is None else _WORDS[word]
    body = _PAGE.format(language=current(), title=escape(title), text=escape(text)).encode()
    head = (
        f"HTTP/1.1 {'404 Not Found' if word is None else '200 OK'}\r\n"
        f"Content-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
        "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r\n"
        "Referrer-Policy: no-referrer\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
