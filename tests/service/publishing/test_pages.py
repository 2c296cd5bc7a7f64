"""Pages that posts link to are fetched within limits, from public addresses only."""

import asyncio
from collections.abc import AsyncIterator, Callable

import httpx
import pytest

from app.platforms.base import WebContent
from app.service.outbound import OutboundClient, OutboundPolicy
from app.service.publishing.pages import fetch

PAGE = "https://linen.example/coat"


async def fetched(
    answer: Callable[[httpx.Request], httpx.Response], url: str = PAGE, bytes_max: int = 100
) -> WebContent | None:
    async def main() -> WebContent | None:
        outbound = OutboundClient(OutboundPolicy(), transport=httpx.MockTransport(answer))
        try:
            return await fetch(outbound, url, bytes_max)
        finally:
            await outbound.close()

    return await main()


async def test_a_page_is_found_where_it_leads() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/coat":
            return httpx.Response(301, headers={"Location": "/coats/1"})
        return httpx.Response(200, headers={"Content-Type": "text/html; charset=utf-8"}, content=once())

    async def once() -> AsyncIterator[bytes]:
        yield b"<title>Wool</title>"

    found = await fetched(answer)
    assert found == WebContent(
        "https://linen.example/coats/1", "text/html", b"<title>Wool</title>", is_whole=True
    )


async def test_only_the_beginning_of_a_long_page_is_read() -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"<title>Wool</title>" * 100

    found = await fetched(lambda _: httpx.Response(200, content=endless()))
    assert found is not None
    assert (len(found.body), found.is_whole) == (100, False)


@pytest.mark.parametrize("status", [204, 404, 500])
async def test_an_error_is_nothing(status: int) -> None:
    assert await fetched(lambda _: httpx.Response(status, html="<title>Oops</title>")) is None


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1/", "https://10.0.0.1/a", "http://localhost:8000/", "ftp://linen.example/", "https://"],
)
def test_nothing_private_is_asked(url: str) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise AssertionError(request.url)

    assert asyncio.run(fetched(answer, url)) is None


async def test_a_redirect_to_a_private_address_ends_there() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.host == "linen.example"
        return httpx.Response(302, headers={"Location": "https://169.254.169.254/latest"})

    assert await fetched(answer) is None


async def test_a_broken_connection_is_nothing() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadError("reset", request=request)

    assert await fetched(answer) is None
