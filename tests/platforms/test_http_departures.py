"""Nothing that publishes is sent before its departure, after it, or twice by itself."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from app.platforms.base import ANY_TIME, Chunks, FailureKind, PlatformError
from app.platforms.http import Answer, Body, Call, PlatformHttp
from app.platforms.wire import Timeouts
from tests.platforms.exchanges import OK, creating, exchange, reading
from tests.platforms.sockets import resets, says


def test_a_creating_call_is_never_repeated_by_itself() -> None:
    _, server = exchange(resets, lambda http, url: http.send(creating(url)))
    assert len(server.requests) == 1


@dataclass
class Held:
    """A departure of a test; ``departs`` counts how often it was waited for."""

    may_send: Callable[[], bool] = lambda: True
    gate: Callable[[], Awaitable[None]] | None = None
    has_departed: bool = False
    departs: int = 0

    async def depart(self) -> None:
        self.departs += 1
        if self.gate:
            await self.gate()
        self.has_departed = True

    def holds(self) -> bool:
        return self.may_send()


def test_nothing_is_published_once_the_departure_no_longer_holds() -> None:
    async def work(http: PlatformHttp, url: str) -> Answer:
        await http.send(reading(url))
        return await http.send(creating(url, Held(lambda: False)))

    result, server = exchange(says(OK), work)
    assert isinstance(result, PlatformError)
    assert (result.kind, result.code) == (FailureKind.TRANSIENT, "stood_still")
    assert [request.partition(b" ")[0] for request in server.requests] == [b"GET"]


def test_a_call_is_ready_before_it_departs_and_its_limit_begins_then() -> None:
    async def late() -> None:
        await asyncio.sleep(2.5)

    held = Held(gate=late)

    async def work(http: PlatformHttp, url: str) -> Answer:
        return await http.send(creating(url, held))

    result, server = exchange(says(OK), work, Timeouts(total=2))
    assert isinstance(result, Answer)
    assert (held.departs, len(server.requests)) == (1, 1)


def test_a_post_that_is_withdrawn_sends_nothing() -> None:
    class Gone(BaseException):
        pass

    async def gone() -> None:
        raise Gone

    async def work(http: PlatformHttp, url: str) -> Answer:
        with pytest.raises(Gone):
            await http.send(creating(url, Held(gate=gone)))
        return await http.send(reading(url))

    _, server = exchange(says(OK), work)
    assert [request.partition(b" ")[0] for request in server.requests] == [b"GET"]


def test_a_file_that_publishes_stays_incomplete_when_the_departure_no_longer_holds() -> None:
    pieces = [b"one", b"two"]

    @asynccontextmanager
    async def opened() -> AsyncIterator[Chunks]:
        yield taken()

    async def taken() -> Chunks:
        while pieces:
            yield pieces.pop(0)

    async def work(http: PlatformHttp, url: str) -> Answer:
        held = Held(lambda: len(pieces) > 0)
        return await http.send(Call(method="PUT", url=url, body=Body("video/mp4", 6, opened), creating=held))

    result, server = exchange(says(OK), work)
    assert isinstance(result, PlatformError)
    assert result.kind is FailureKind.AMBIGUOUS
    assert not any(request.endswith(b"two") for request in server.requests)


def test_a_file_that_publishes_is_never_sent_twice_by_itself() -> None:
    """HTTP libraries repeat a PUT whose kept connection was lost, since it should do no harm."""
    answers = iter([says(OK), resets, says(OK)])

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await next(answers)(reader, writer)

    @asynccontextmanager
    async def opened() -> AsyncIterator[Chunks]:
        yield taken()

    async def taken() -> Chunks:
        yield b"file"

    async def work(http: PlatformHttp, url: str) -> Answer:
        call = Call(method="PUT", url=url, body=Body("video/mp4", 4, opened), creating=ANY_TIME)
        await http.send(call)
        return await http.send(call)

    result, server = exchange(behave, work)
    assert isinstance(result, PlatformError)
    assert (result.kind, len(server.requests)) == (FailureKind.AMBIGUOUS, 2)
