"""The end of a flow: the browser returns to a listener on this computer, or the user pastes the final URL."""

import asyncio
import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from urllib.parse import SplitResult, parse_qs, parse_qsl, urlencode, urlsplit, urlunsplit

from app.language import current, tr
from app.workspace.messages import Problem

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_CARRIED = ("code", "state", "error", "error_description", "scope")
_ADDRESS_MAX = 8_192
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


def require_address(address: str) -> SplitResult:
    """Parse a pasted URL. Raises Problem if it's invalid."""
    try:
        return urlsplit(address.strip()[:_ADDRESS_MAX])
    except ValueError as error:
        raise Problem(tr("That isn't an address. Copy the whole address."), kind="paste") from error


def require_answer(address: str, *, connect_url: str) -> dict[str, str]:
    """Return the platform's response in the URL, which must belong to this attempt. Raises Problem."""
    pasted = query_of(address)
    asked = query_of(connect_url)
    if not ({"code", "error"} & pasted.keys()):
        raise Problem(
            tr("This address doesn't contain the platform's response. Copy the whole address."), kind="paste"
        )
    if "state" in asked and pasted.get("state") != asked["state"]:
        raise Problem(
            tr("This address belongs to another attempt. Open the page again from here."), kind="paste"
        )
    return pasted


def callback_for(address: str, *, connect_url: str, base_url: str, landing: str) -> str:
    """Return the URL to call with the pasted response, for a service that doesn't accept pasted URLs.

    It's the callback named in ``connect_url``, which must be the app's own ``landing`` or on the service's
    host. Only the code and the state are taken from the pasted URL. Raises Problem.
    """
    pasted = require_answer(address, connect_url=connect_url)
    callback = query_of(connect_url).get("redirect_uri", "")
    if not _is_trusted(callback, base_url, landing):
        raise Problem(
            tr("You can't finish this connection by hand: it doesn't return to the service."), kind="paste"
        )
    parts = urlsplit(callback)
    query = parse_qsl(parts.query) + [(name, pasted[name]) for name in _CARRIED if name in pasted]
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(query), ""))


def query_of(address: str) -> dict[str, str]:
    """Return the first value of every query field of a URL. Raises Problem if it's too long."""
    if len(address) > _ADDRESS_MAX:
        raise Problem(tr("This is too long for an address. Copy only the address."), kind="paste")
    try:
        values = parse_qs(urlsplit(address.strip()).query)
    except ValueError:
        return {}
    return {name: given[0] for name, given in values.items()}


def _is_trusted(callback: str, base_url: str, landing: str) -> bool:
    """Whether the app may call a URL named by the service.

    Other programs on this computer listen on loopback and trust every caller there. So a service elsewhere
    may only name the app's own landing; one on this computer may name any port of its host.
    """
    try:
        there, service, own = urlsplit(callback), urlsplit(base_url), urlsplit(landing)
        is_same_port = there.scheme == "https" and there.port == service.port
    except ValueError:
        return False
    if there.username is not None or there.password is not None:
        return False
    is_landing = (there.scheme, there.netloc, there.path) == (own.scheme, own.netloc, own.path)
    is_plain_here = there.scheme == "http" and there.hostname in _LOOPBACK
    return is_landing or (there.hostname == service.hostname and (is_same_port or is_plain_here))


@dataclass(frozen=True, slots=True)
class Arrival:
    """The parameters of the browser's return: a status, "" if missing, and possibly the connection's ID."""

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
        """Parse a request target; None if it isn't for us, or not from the browser we opened."""
        try:
            parts = urlsplit(target)
            path = parts.path.encode()
        except ValueError:  # brackets without an address, or a lone surrogate
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
        """Return the page to show; None for a request that isn't for us."""
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
