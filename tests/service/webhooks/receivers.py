"""Receivers of webhooks: real HTTPS on loopback, with an authority of their own, and any bad manners."""

import asyncio
import json
import ssl
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.service.clock import system_clock
from app.service.tls import Certificates

Reply = Callable[["Connection"], Awaitable[None]]
_LONGEST_WAIT_S = 60.0


@dataclass(frozen=True)
class Received:
    """A request as it came in; ``headers`` by names in lower case, ``names`` as they were written."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    names: frozenset[str] = frozenset()

    @property
    def event(self) -> dict[str, Any]:
        event: dict[str, Any] = json.loads(self.body)
        return event


@dataclass
class Connection:
    """What a reply may do."""

    writer: asyncio.StreamWriter
    released: threading.Event

    async def send(self, content: bytes) -> None:
        self.writer.write(content)
        await self.writer.drain()


@dataclass
class Endpoint:
    """One address, with what it answers: each reply once, and the last one from then on."""

    url: str
    replies: list[Reply]
    requests: list[Received] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def take(self, request: Received) -> Reply:
        with self.changed:
            self.requests.append(request)
            self.changed.notify_all()
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    def wait_for(self, count: int) -> list[Received]:
        """The requests, once there are so many."""
        with self.changed:
            arrived = self.changed.wait_for(lambda: len(self.requests) >= count, _LONGEST_WAIT_S)
            assert arrived, f"{len(self.requests)} of {count} requests came"
            return list(self.requests)


def answers(status: int, body: bytes = b"", **headers: str) -> Reply:
    """A plain answer."""

    async def reply(connection: Connection) -> None:
        lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await connection.send("\r\n".join([*lines, "", ""]).encode() + body)

    return reply


def redirects_to(url: str, status: int = 302) -> Reply:
    return answers(status, Location=url)


async def resets(connection: Connection) -> None:
    """Hangs up in the middle of everything."""
    connection.writer.transport.abort()


async def stalls(connection: Connection) -> None:
    """Answers nothing until the test lets it."""
    while not connection.released.is_set():  # noqa: ASYNC110  the event belongs to another thread
        await asyncio.sleep(0.01)
    connection.writer.transport.abort()


async def talks_for_ever(connection: Connection) -> None:
    """An answer without an end."""
    await connection.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    while not connection.released.is_set():
        await connection.send(chunk)


async def babbles(connection: Connection) -> None:
    """What is no HTTP."""
    await connection.send(b"220 mail.example.com ESMTP\r\n")
    connection.writer.transport.abort()


class Receiver:
    """A server with any number of endpoints. ``authority`` is the PEM file that makes it trusted."""

    def __init__(self, folder: Path) -> None:
        certificates = Certificates(folder, "127.0.0.1", system_clock)
        self._context = certificates.context()
        self.authority = certificates.authority_file
        self.connections = 0
        self._endpoints: dict[str, Endpoint] = {}
        self._origin = ""

    def endpoint(self, *replies: Reply) -> Endpoint:
        """A new address; it answers 204 when nothing else is said."""
        path = f"/hook/{len(self._endpoints)}"
        endpoint = Endpoint(f"{self._origin}{path}", list(replies) or [answers(204)])
        self._endpoints[path] = endpoint
        return endpoint

    def release(self) -> None:
        """Ends every reply that waits for it."""
        for endpoint in self._endpoints.values():
            endpoint.released.set()

    @contextmanager
    def running(self) -> Iterator["Receiver"]:
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="receiver of webhooks")
        thread.start()

        def call(work: Awaitable[Any]) -> Any:
            return asyncio.run_coroutine_threadsafe(_coroutine(work), loop).result(_LONGEST_WAIT_S)

        server = call(asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._context))
        self._origin = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            self.release()
            server.close()
            call(_end_tasks())
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(OSError, ssl.SSLError, asyncio.IncompleteReadError):
            while True:
                request = await _read(reader)
                endpoint = self._endpoints[request.path]
                await endpoint.take(request)(Connection(writer, endpoint.released))
        writer.transport.abort()


async def _read(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")[:-2]
    method, path, _ = first.split(" ")
    fields = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]
    headers = {name.lower(): value for name, value in fields}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method, path, headers, body, frozenset(name for name, _ in fields))


async def _coroutine(work: Awaitable[Any]) -> Any:
    return await work


async def _end_tasks() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
