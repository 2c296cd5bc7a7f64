"""The network as the tests of the guard see it: every connect of the process, listeners, servers, names."""

import asyncio
import contextlib
import socket
import ssl
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.service.clock import system_clock
from app.service.outbound import OutboundPolicy
from app.service.tls import Certificates

HOST = "files.example.com"
PUBLIC = "93.184.216.34"
"""An address that is public; no test may come as far as connecting to it."""
SERVER = "127.0.0.9"

_recording: list[list[str]] = []


def _record(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        for record in _recording:
            record.append(str(arguments[1][0]))


sys.addaudithook(_record)


@contextlib.contextmanager
def connects() -> Iterator[list[str]]:
    """Every address that anything in this process tries to connect to, as the interpreter itself reports."""
    record: list[str] = []
    _recording.append(record)
    try:
        yield record
    finally:
        _recording.remove(record)


@dataclass
class Listeners:
    """Sockets on loopback that count who comes."""

    port: int
    sockets: list[socket.socket]

    def visitors(self) -> int:
        count = 0
        for listener in self.sockets:
            with contextlib.suppress(BlockingIOError):
                while True:
                    listener.accept()[0].close()
                    count += 1
        return count


@contextlib.contextmanager
def listeners() -> Iterator[Listeners]:
    """Listeners on one port of 127.0.0.1, of other loopback addresses, and of ::1 where there is IPv6."""
    with contextlib.ExitStack() as stack:

        def bound(family: int, host: str, port: int) -> socket.socket:
            listener = stack.enter_context(socket.socket(family))
            listener.bind((host, port))
            listener.listen()
            listener.setblocking(False)
            return listener

        first = bound(socket.AF_INET, "127.0.0.1", 0)
        port = first.getsockname()[1]
        others = [bound(socket.AF_INET, host, port) for host in ("127.0.0.2", "127.1.2.3")]
        if socket.has_ipv6:
            with contextlib.suppress(OSError):
                others.append(bound(socket.AF_INET6, "::1", port))
        yield Listeners(port, [first, *others])


@dataclass
class Names:
    """A name server: each name answers with its lists in turn, the last one from then on."""

    answers: Mapping[str, list[Sequence[str]]]
    asked: list[str] = field(default_factory=list)

    async def __call__(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        answers = self.answers.get(host)
        if not answers:
            raise OSError("no such name")
        return answers.pop(0) if len(answers) > 1 else answers[0]


@dataclass(frozen=True, slots=True)
class OneOpenDoor(OutboundPolicy):
    """Takes the address of the tests' server for a public one, so that something can lead on from there."""

    def admits(self, address: str) -> bool:
        return address == SERVER or OutboundPolicy.admits(self, address)


Reply = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class WebServer:
    """A server that answers every request alike and keeps what it was sent."""

    port: int
    requests: list[bytes]
    connections: list[int]

    def url(self, path: str = "/", scheme: str = "https", host: str = HOST) -> str:
        return f"{scheme}://{host}:{self.port}{path}"


@contextlib.asynccontextmanager
async def serving(reply: Reply, context: ssl.SSLContext | None) -> AsyncIterator[WebServer]:
    """Serves on the tests' address; over TLS where there is a context."""
    served = WebServer(0, [], [])
    serving_now: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.connections.append(1)
        serving_now.add(asyncio.create_task(serve(reader, writer)))

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
                body = await reader.readexactly(int(length[0].split(b":")[1]) if length else 0)
                served.requests.append(head + body)
                await reply(writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client is done
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(accept, SERVER, 0, ssl=context)
    served.port = server.sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        server.close()
        for task in serving_now:
            task.cancel()
        await asyncio.gather(*serving_now, return_exceptions=True)
        await asyncio.sleep(0)  # in which aborted transports close


def answering(status: int, body: bytes = b"", **headers: str) -> Reply:
    """A whole answer with its length."""

    async def reply(writer: asyncio.StreamWriter) -> None:
        lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)

    return reply


def certificates(folder: Path, host: str = HOST) -> tuple[ssl.SSLContext, Path]:
    """A server's context for a host, and the file of its authority."""
    made = Certificates(folder, host, system_clock)
    return made.context(), made.authority_file
