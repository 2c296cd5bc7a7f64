"""A load generator as a separate process: several connections, each with one request after another.

Reads a line of JSON from stdin with what to send, so that the key isn't on the command line, and prints one
line.
"""

import asyncio
import json
import re
import ssl
import sys
import time
from collections import Counter
from dataclasses import dataclass
from itertools import count
from typing import Final
from urllib.parse import urlsplit

_LENGTH: Final = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
NUMBER: Final = "{number}"
"""Placeholder in a request, replaced by a unique number."""


@dataclass(frozen=True)
class Load:
    """What to send.

    Attributes:
        requests: Complete requests, sent in turn, with a Content-Length if they have a body.
        unique: Prefix that makes this run's numbers unique.
    """

    base_url: str
    ca_file: str
    connections: int
    seconds: float
    requests: list[str]
    unique: str


class _Connection(asyncio.Protocol):
    """Sends the next request as soon as the last response has arrived."""

    def __init__(self, run: "_Run") -> None:
        self._run = run
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._run.open.add(transport)
        transport.write(self._run.next_request())

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, separator, body = self._received.partition(b"\r\n\r\n")
        if not separator:
            return
        length = _LENGTH.search(head)
        if length and len(body) < int(length[1]):
            return
        self._received = b""
        self._run.statuses[head[9:12].decode()] += 1
        if self._transport and not self._run.over:
            self._transport.write(self._run.next_request())

    def connection_lost(self, _exc: Exception | None) -> None:
        self._run.lost += not self._run.over


class _Run:
    def __init__(self, load: Load) -> None:
        self.load = load
        self.statuses: Counter[str] = Counter()
        self.open: set[asyncio.Transport] = set()
        self.lost = 0
        self.over = False
        self._turn = count()
        self._numbered = [NUMBER in request for request in load.requests]
        self._requests = [request.encode() for request in load.requests]

    def next_request(self) -> bytes:
        number = next(self._turn)
        which = number % len(self._requests)
        if not self._numbered[which]:
            return self._requests[which]
        return self._requests[which].replace(NUMBER.encode(), f"{self.load.unique}-{number:09}".encode())

    async def carry_out(self) -> dict[str, object]:
        host, port = urlsplit(self.load.base_url).netloc.split(":")
        context = ssl.create_default_context(cafile=self.load.ca_file)
        loop = asyncio.get_running_loop()
        for _ in range(self.load.connections):
            await loop.create_connection(lambda: _Connection(self), host, int(port), ssl=context)
        self.statuses.clear()
        began = time.perf_counter()
        await asyncio.sleep(self.load.seconds)
        while not (self.statuses or self.lost):  # noqa: ASYNC110  a short time may be too short for any answer
            await asyncio.sleep(0.01)
        taken, statuses = time.perf_counter() - began, dict(self.statuses)
        self.over = True
        for transport in self.open:
            transport.abort()
        return {"per_s": sum(statuses.values()) / taken, "statuses": statuses, "lost": self.lost}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_Run(Load(**json.loads(sys.stdin.readline()))).carry_out())))
