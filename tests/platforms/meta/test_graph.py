"""The calls of the Graph API: what they carry, and where files may be sent."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx
import pytest

from app.platforms.base import Chunks, FailureKind, Media, PlatformError
from app.platforms.card import Hosts
from app.platforms.http import PlatformHttp
from app.platforms.meta.graph import Graph
from app.platforms.wire import Timeouts
from tests.platforms.httpx_wire import HttpxWire
from tests.platforms.scripted import TOKEN, Script, Step, json_answer

HOSTS = Hosts(
    "https://www.example", "https://www.example", "https://graph.example", "v25.0", uploads=("files.example",)
)
CONTENT = b"0123456789"


@asynccontextmanager
async def opened(first: int) -> AsyncIterator[Chunks]:
    async def chunks() -> AsyncIterator[bytes]:
        yield CONTENT[first:]

    yield chunks()


MEDIA = Media(len(CONTENT), "video/mp4", "0" * 64, opened)


def run(script: Script, work: Callable[[Graph], Awaitable[None]], api: str = "") -> None:
    async def main() -> None:
        wire = HttpxWire(httpx.MockTransport(script))
        await work(Graph(PlatformHttp(wire, "Facebook", Timeouts()), HOSTS, api))

    asyncio.run(main())


@pytest.mark.parametrize(
    ("api", "base"), [("", "https://graph.example"), ("https://videos.example", "https://videos.example")]
)
def test_a_call_goes_to_the_version_of_the_api(api: str, base: str) -> None:
    script = Script(json_answer(200, {"success": True}))
    run(script, lambda graph: graph.delete("17", TOKEN), api)

    [request] = script.requests
    assert (request.method, str(request.url)) == ("DELETE", f"{base}/v25.0/17")
    assert request.headers["authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize("first", [0, 4])
def test_a_file_is_sent_from_the_byte_that_is_missing(first: int) -> None:
    script = Script(json_answer(200, {"success": True}))
    run(script, lambda graph: graph.send_file("https://files.example/a", TOKEN, MEDIA, first))

    [request] = script.requests
    assert (request.method, str(request.url)) == ("POST", "https://files.example/a")
    assert request.content == CONTENT[first:]
    names = ("authorization", "offset", "file_size", "content-type", "content-length")
    assert [request.headers[name] for name in names] == [
        f"OAuth {TOKEN}",
        str(first),
        "10",
        "application/octet-stream",
        str(10 - first),
    ]


def failed(work: Callable[[Graph], Awaitable[None]], *steps: Step) -> PlatformError:
    with pytest.raises(PlatformError) as caught:
        run(Script(*steps), work)
    return caught.value


def test_a_file_is_sent_to_no_other_address() -> None:
    error = failed(lambda graph: graph.send_file("https://evil.example/a", TOKEN, MEDIA, 0))

    assert (error.kind, error.code) == (FailureKind.TRANSIENT, "upload_address")
    assert "Facebook" in error.message


def test_a_refused_file_says_why_without_the_token() -> None:
    token = "robins-token"  # too short to be hidden by its looks
    refusal = json_answer(400, {"error": {"code": 352, "message": f"Not a video: {token}"}})
    error = failed(lambda graph: graph.send_file("https://files.example/a", token, MEDIA, 0), refusal)

    assert (error.kind, error.code) == (FailureKind.INVALID, "352")
    assert error.message.startswith("Not a video")
    assert token not in error.message
