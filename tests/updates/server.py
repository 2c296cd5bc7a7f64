"""A server for a feed and an installer over real TLS, which can misbehave in every way."""

import asyncio
import base64
import json
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.updates.feed import CONTEXT
from tests.journeys.wiretap import self_signed

INSTALLER = b"\x7fELF what the app becomes " * 40_000


@dataclass
class Place:
    """The served files; `answers` has the raw bytes and pauses for each path."""

    key: Ed25519PrivateKey
    port: int = 0
    trust: ssl.SSLContext | None = None
    answers: dict[str, Callable[[asyncio.StreamWriter], Any]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    @property
    def base(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def public_key(self) -> bytes:
        return self.key.public_key().public_bytes_raw()

    def publish(self, version: str, **changes: Any) -> bytes:
        """Publish a feed with one installer, and return the feed."""
        told = self.described(version, **changes)
        body = self.signed(told, changes.get("key") or self.key)
        self.answers["/feed"] = plain(body)
        self.answers.setdefault("/Kalends.AppImage", plain(changes.get("content", INSTALLER)))
        return body

    def described(self, version: str, **changes: Any) -> dict[str, Any]:
        content = changes.get("content", INSTALLER)
        return {
            "format": 1,
            "version": version,
            "published_at": changes.get("at", datetime(2026, 11, 1, tzinfo=UTC)).isoformat(),
            "installers": [
                {
                    "system": "linux-x64",
                    "kind": "appimage",
                    "name": "Kalends.AppImage",
                    "url": changes.get("url", f"{self.base}/Kalends.AppImage"),
                    "size": changes.get("size", len(content)),
                    "sha256": sha256(content).hexdigest(),
                }
            ],
        }

    def signed(self, told: dict[str, Any], key: Ed25519PrivateKey) -> bytes:
        text = json.dumps(told).encode()
        signature = base64.b64encode(key.sign(CONTEXT + text)).decode()
        return json.dumps({"signed": base64.b64encode(text).decode(), "signatures": [signature]}).encode()


def plain(body: bytes) -> Callable[[asyncio.StreamWriter], Any]:
    async def answer(to: asyncio.StreamWriter) -> None:
        to.write(head(length=len(body)) + body)
        await to.drain()

    return answer


def head(status: str = "200 OK", *, length: int | None = None, location: str = "") -> bytes:
    lines = [f"HTTP/1.1 {status}", "Connection: close"]
    lines += [f"Content-Length: {length}"] if length is not None else []
    lines += [f"Location: {location}"] if location else []
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[Place]:
    """Listen on loopback during the block."""
    pem = self_signed(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    place = Place(Ed25519PrivateKey.generate(), trust=ssl.create_default_context(cafile=str(pem)))
    open_now: set[asyncio.Task[None]] = set()

    async def meet(source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        open_now.add(task)
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                request = await source.readuntil(b"\r\n\r\n")
                path = request.split()[1].decode()
                place.asked.append(path)
                await place.answers.get(path, _absent)(to)
        finally:
            open_now.discard(task)
            to.close()
            with suppress(OSError):
                await to.wait_closed()

    server = await asyncio.start_server(meet, "127.0.0.1", 0, ssl=context)
    place.port = server.sockets[0].getsockname()[1]
    try:
        yield place
    finally:
        server.close()
        for task in list(open_now):
            task.cancel()
        await asyncio.gather(*open_now, return_exceptions=True)


async def _absent(to: asyncio.StreamWriter) -> None:
    to.write(head("404 Not Found", length=0))
    await to.drain()
