"""Calls to platforms through a proxy: what it did wrong is told, and surely nothing was sent."""

import asyncio

import pytest

from app.platforms.base import ANY_TIME, FailureKind, PlatformError
from app.platforms.http import Answer, Call, PlatformHttp
from app.platforms.wire import Network, Timeouts
from tests.network.small_proxy import PASSWORD, USER, SmallProxy, running
from tests.platforms.sockets import Server, says

_TIMEOUTS = Timeouts(connect=5, read=5, total=10)
_URL = "http://api.platform.example/posts"
_OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


def publish(proxy: SmallProxy, password: str = PASSWORD) -> tuple[Answer | PlatformError, Server]:
    async def main() -> tuple[Answer | PlatformError, Server]:
        async with Server(says(_OK)).running() as server, running(proxy):
            if proxy.places:
                proxy.places["api.platform.example:80"] = int(server.url.rpartition(":")[2])
            network = Network(_TIMEOUTS, proxy.way(password))
            call = Call(method="POST", url=_URL, json={"text": "Hi"}, creating=ANY_TIME)
            try:
                return await PlatformHttp(network, "LinkedIn", _TIMEOUTS).send(call), server
            except PlatformError as error:
                return error, server
            finally:
                await network.aclose()

    return asyncio.run(main())


def test_a_post_goes_through_it() -> None:
    proxy = SmallProxy(places={"api.platform.example:80": 0}, wants=(USER, PASSWORD))
    answer, server = publish(proxy)

    assert isinstance(answer, Answer)
    assert answer.is_success
    assert proxy.asked == ["api.platform.example:80"]
    assert b'{"text":"Hi"}' in server.requests[0]
    assert b"roxy" not in server.requests[0]


@pytest.mark.parametrize(
    ("proxy", "words"),
    [
        (SmallProxy(wants=(USER, PASSWORD)), "The proxy rejected the user name or password"),
        (SmallProxy(), "The proxy couldn't reach the address"),
        (SmallProxy(refuses=403), "The proxy doesn't allow this destination"),
    ],
)
def test_what_did_not_get_through_was_surely_not_published(proxy: SmallProxy, words: str) -> None:
    error, server = publish(proxy, "wrong")

    assert isinstance(error, PlatformError)
    assert error.kind is FailureKind.TRANSIENT
    assert error.message == f"LinkedIn couldn't be reached ({words})."
    assert not server.requests
