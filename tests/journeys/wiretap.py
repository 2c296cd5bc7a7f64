"""A TLS forwarder on loopback that records every request.

It's between the app and the service, with its own certificate, so that a test sees what was really sent, and
can cut the connection or break single calls.
"""

import asyncio
import contextlib
import datetime as dt
import json
import re
import ssl
import threading
from collections.abc import Coroutine
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from app.network import abort

T = TypeVar("T")

_REQUEST = re.compile(rb"([A-Z]+) (\S+) HTTP/1\.1\r\n")
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)

How = Literal["unsent", "lost", "cut"]
"""``unsent``: dropped before the service gets it. ``lost``: done, but the response is dropped. ``cut``: as
``unsent``, and from then on nothing passes."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request line as sent."""

    method: str
    path: str


@dataclass(slots=True)
class Break:
    """The next ``times`` matching requests fail, after ``after`` of them succeeded.

    ``how`` says in which way; a number is the HTTP status to return instead of the service's response.
    """

    method: str
    how: How | int
    path: str = ""
    after: int = 0
    times: int = 1

    def meets(self, request: Request) -> bool:
        """Count a request; return whether it fails."""
        if request.method != self.method or self.path not in request.path or not self.times:
            return False
        if self.after:
            self.after -= 1
            return False
        self.times -= 1
        return True


class Wiretap:
    """Forwards to ``base_url`` until cut; ``requests`` are the recorded requests, in order."""

    def __init__(self, base_url: str, ca_file: Path, folder: Path, port: int = 0) -> None:
        self.requests: list[Request] = []
        self.breaks: list[Break] = []
        self._target = urlsplit(base_url)
        self._trust = ssl.create_default_context(cafile=ca_file)
        self._identity = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._identity.load_cert_chain(self_signed(folder))
        self._whole = True
        self._writers: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        # Clients that don't trust our certificate break the handshake; some tests need that.
        self._loop.set_exception_handler(lambda _loop, _context: None)
        self._thread = threading.Thread(target=self._loop.run_forever, name="wiretap")
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._serve, "127.0.0.1", port, ssl=self._identity))

    @property
    def base_url(self) -> str:
        """The URL for the app."""
        return f"https://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def sent(self, method: str, path: str = "") -> list[Request]:
        """Return the requests with a method whose path contains ``path``."""
        return [each for each in self.requests if each.method == method and path in each.path]

    def cut(self) -> None:
        """Drop all connections and refuse new ones, like a lost network."""
        self._whole = False
        self._run(self._drop())

    def mend(self) -> None:
        """Forward again."""
        self._whole = True

    def close(self) -> None:
        """Stop the forwarder."""
        self._run(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    def _is_cut(self) -> bool:
        return not self._whole

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut():
            abort(writer.transport)
            return
        there, to_service = await asyncio.open_connection(
            self._target.hostname, self._target.port, ssl=self._trust
        )
        if self._is_cut():  # in the meantime
            abort(writer.transport)
            abort(to_service.transport)
            return
        self._writers |= {writer, to_service}
        lost = asyncio.Event()
        with contextlib.suppress(OSError):
            await asyncio.gather(
                self._ask(reader, to_service, writer, lost), self._answer(there, writer, lost)
            )
        self._writers -= {writer, to_service}

    async def _ask(
        self,
        reader: asyncio.StreamReader,
        to_service: asyncio.StreamWriter,
        to_app: asyncio.StreamWriter,
        lost: asyncio.Event,
    ) -> None:
        """Forward requests except failing ones; set ``lost`` if a response must be dropped."""
        try:
            while data := await reader.read(65_536):
                how = self._note(data)
                if isinstance(how, int):
                    await _read_rest(reader, data)
                    to_app.write(_refusal(how))
                    continue
                if how in ("unsent", "cut"):
                    self._whole = self._whole and how == "unsent"
                    await self._drop() if how == "cut" else abort(to_app.transport)
                    return
                if how == "lost":
                    lost.set()
                to_service.write(data)
                await to_service.drain()
        finally:
            to_service.close()

    async def _answer(
        self, reader: asyncio.StreamReader, to_app: asyncio.StreamWriter, lost: asyncio.Event
    ) -> None:
        try:
            while data := await reader.read(65_536):
                if lost.is_set():
                    abort(to_app.transport)
                    return
                to_app.write(data)
                await to_app.drain()
        finally:
            to_app.close()

    def _note(self, data: bytes) -> How | int | None:
        """Record the requests that start in ``data``; return how one fails, if any."""
        found = [Request(m.decode(), p.decode()) for m, p in _REQUEST.findall(data)]
        self.requests += found
        return next((one.how for request in found for one in self.breaks if one.meets(request)), None)

    async def _drop(self) -> None:
        for writer in tuple(self._writers):
            abort(writer.transport)

    async def _end(self) -> None:
        self._server.close()
        await self._drop()
        await asyncio.sleep(0.05)
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


async def _read_rest(reader: asyncio.StreamReader, begun: bytes) -> None:
    """Read the part of a request's body that didn't arrive with its headers."""
    head, _, body = begun.partition(b"\r\n\r\n")
    length = _LENGTH.search(head)
    await reader.readexactly(max(0, int(length[1]) - len(body)) if length else 0)


def _refusal(status: int) -> bytes:
    """Return an error response in the service's format."""
    codes = {400: "validation_error", 404: "not_found", 429: "rate_limited"}
    error: dict[str, Any] = {"code": codes.get(status, "internal_error"), "message": f"Broken with {status}"}
    if status == 429:
        error["details"] = {"retry_after_seconds": 1}
    body = json.dumps({"error": error, "request_id": f"broken-{status}"}).encode()
    head = (
        f"HTTP/1.1 {status} Broken\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def self_signed(folder: Path) -> Path:
    """Make an untrusted certificate for 127.0.0.1; return a PEM file with key and certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "wiretap")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / f"wiretap-{certificate.serial_number}.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return path
