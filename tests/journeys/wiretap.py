"""A TLS forwarder on loopback that writes down every request that passes.

It stands between the app and the service with a certificate of its own, so that a test sees what really went
over the wire, and can cut the line, or break single calls.
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
"""``unsent``: dropped before the service had it. ``lost``: done, but the answer is dropped. ``cut``: as
``unsent``, and from then on nothing passes."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request line as it was sent."""

    method: str
    path: str


@dataclass(slots=True)
class Break:
    """The next ``times`` requests like these go wrong, after ``after`` of them went well.

    ``how`` says in which way; a number is the HTTP status of the answer that they get in the service's place.
    """

    method: str
    how: How | int
    path: str = ""
    after: int = 0
    times: int = 1

    def meets(self, request: Request) -> bool:
        """Counts a request; tells whether it goes wrong."""
        if request.method != self.method or self.path not in request.path or not self.times:
            return False
        if self.after:
            self.after -= 1
            return False
        self.times -= 1
        return True


class Wiretap:
    """Forwards to ``base_url`` until it is cut; ``requests`` is what passed, in order."""

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
        # Clients that do not trust our certificate break the handshake; some tests are about that.
        self._loop.set_exception_handler(lambda _loop, _context: None)
        self._thread = threading.Thread(target=self._loop.run_forever, name="wiretap")
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._serve, "127.0.0.1", port, ssl=self._identity))

    @property
    def base_url(self) -> str:
        """Where the app shall go."""
        return f"https://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def sent(self, method: str, path: str = "") -> list[Request]:
        """The requests with a method whose path contains ``path``."""
        return [each for each in self.requests if each.method == method and path in each.path]

    def cut(self) -> None:
        """Drops all connections and refuses new ones, like a lost network."""
        self._whole = False
        self._run(self._drop())

    def mend(self) -> None:
        """Forwards again."""
        self._whole = True

    def close(self) -> None:
        """Ends the forwarder."""
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
        if self._is_cut():  # meanwhile
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
        """Passes requests on, but for those that break; ``lost`` is set where an answer shall not pass."""
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
        """Writes down the requests that begin in ``data``; tells how they break, if they do."""
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
    """Reads the part of a request's body that did not come with its head."""
    head, _, body = begun.partition(b"\r\n\r\n")
    length = _LENGTH.search(head)
    await reader.readexactly(max(0, int(length[1]) - len(body)) if length else 0)


def _refusal(status: int) -> bytes:
    """An answer in the service's envelope."""
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
    """Makes a certificate for 127.0.0.1 that nobody knows; key and certificate in one PEM file."""
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
