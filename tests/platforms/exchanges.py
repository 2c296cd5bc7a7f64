"""Calls of platforms to servers of a test, over real sockets."""

import asyncio
from collections.abc import Awaitable, Callable

from app.platforms.base import ANY_TIME, Departure, FailureKind, PlatformError
from app.platforms.http import Answer, Call, PlatformHttp
from app.platforms.wire import Network, Timeouts
from tests.platforms.sockets import Behaviour, Server

SHORT = Timeouts(connect=5, read=0.2, total=0.3)

LONG = Timeouts(connect=5, read=5, total=10)

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


def exchange(
    behaviour: Behaviour,
    work: Callable[[PlatformHttp, str], Awaitable[Answer]],
    timeouts: Timeouts = LONG,
) -> tuple[Answer | PlatformError, Server]:
    """What a client gets from a server, and what the server saw."""

    async def main() -> tuple[Answer | PlatformError, Server]:
        network = Network(timeouts)
        async with Server(behaviour).running() as server:
            try:
                return await work(PlatformHttp(network, "LinkedIn", timeouts), server.url), server
            except PlatformError as error:
                return error, server
            finally:
                await network.aclose()

    return asyncio.run(main())


def creating(url: str, departure: Departure = ANY_TIME) -> Call:
    return Call(method="POST", url=f"{url}/posts", json={"text": "Hi"}, creating=departure)


def reading(url: str) -> Call:
    return Call(method="GET", url=f"{url}/posts")


def fails(behaviour: Behaviour, call: Callable[[str], Call], timeouts: Timeouts = LONG) -> FailureKind:
    result, server = exchange(behaviour, lambda http, url: http.send(call(url)), timeouts)
    assert isinstance(result, PlatformError)
    assert server.requests
    assert result.message.startswith("The connection to LinkedIn ended without a response")
    return result.kind


def sending(call: Call, timeouts: Timeouts = LONG) -> Answer | PlatformError:
    async def main() -> Answer | PlatformError:
        network = Network(timeouts)
        try:
            return await PlatformHttp(network, "X", timeouts).send(call)
        except PlatformError as error:
            return error
        finally:
            await network.aclose()

    return asyncio.run(main())
