"""Calls to addresses that people name: bounded in time and size, exact, and clear about what went wrong."""

import asyncio
import gzip
from collections.abc import Iterator
from contextlib import AsyncExitStack, nullcontext, suppress
from datetime import timedelta
from pathlib import Path
from ssl import SSLContext

import pytest

from app.service.outbound import (
    AddressRefusedError,
    OutboundClient,
    OutboundError,
    OutboundFailedError,
    OutboundPolicy,
    OutboundTimeoutError,
)
from app.service.problems import CommandProblem
from tests.service.outbound.network import (
    HOST,
    SERVER,
    Names,
    Reply,
    answering,
    certificates,
    connects,
    serving,
)

SOON = timedelta(seconds=30)


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[SSLContext, Path]:
    return certificates(tmp_path_factory.mktemp("tls"))


def open_client(tls: tuple[SSLContext, Path]) -> OutboundClient:
    names = Names({HOST: [[SERVER]], "other.example.com": [[SERVER]]})
    return OutboundClient(OutboundPolicy(allow_private=True, extra_ca=tls[1]), resolve=names)


async def read(
    client: OutboundClient,
    url: str,
    *,
    timeout: timedelta = SOON,  # noqa: ASYNC109  as the client has it
    bytes_max: int = 10_000,
) -> bytes:
    async with client.stream_get(url, timeout=timeout, bytes_max=bytes_max) as download:
        return b"".join([chunk async for chunk in download.chunks])


async def test_a_post_arrives_byte_by_byte_under_its_name_and_without_a_redirect(
    tls: tuple[SSLContext, Path],
) -> None:
    client = open_client(tls)
    async with serving(answering(302, Location="/elsewhere"), tls[0]) as server:
        path = "/a%2Fb%3Ac/%C3%A9?q=%2B%2C%3d&d[]=1"
        answer = await client.post(
            server.url(path), headers={"X-Service-Event": "post.published"}, body=b'{"a": 1}', timeout=SOON
        )
        assert answer.status == 302
        (request,) = server.requests
        head, _, body = request.partition(b"\r\n\r\n")
        assert head.startswith(f"POST {path} HTTP/1.1".encode())
        assert f"\r\nhost: {HOST}:{server.port}".encode() in head.lower()
        assert b"\r\nx-service-event: post.published" in head.lower()
        assert body == b'{"a": 1}'
        await client.close()


async def test_the_environment_changes_nothing(
    tls: tuple[SSLContext, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.3:9")
    (tmp_path / "netrc").write_text(f"machine {HOST} login robin password secret")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    client = open_client(tls)
    async with serving(answering(200, Set_Cookie="a=b"), tls[0]) as server:
        with connects() as tried:
            for _ in range(2):
                await client.post(server.url(), headers={}, body=b"", timeout=SOON)
        assert tried == [SERVER]  # one connection, used twice
        assert not any(word in server.requests[1].lower() for word in (b"cookie", b"authorization", b"proxy"))
        await client.close()


async def test_a_certificate_for_another_name_or_of_an_unknown_authority_is_refused(
    tls: tuple[SSLContext, Path],
) -> None:
    names = Names({HOST: [[SERVER]]})
    trusting = open_client(tls)
    strange = OutboundClient(OutboundPolicy(allow_private=True), resolve=names)
    async with serving(answering(200), tls[0]) as server:
        for client, host in ((trusting, "other.example.com"), (strange, HOST)):
            with pytest.raises(OutboundFailedError, match="certificate"):
                await client.post(server.url(host=host), headers={}, body=b"", timeout=SOON)
            await client.close()
        assert server.requests == []


async def test_silence_and_slowness_end_with_the_time_given(tls: tuple[SSLContext, Path]) -> None:
    async def never(_writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(20)

    async def drop_by_drop(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
        for _ in range(100):
            writer.write(b".")
            await writer.drain()
            await asyncio.sleep(0.05)

    brief = timedelta(seconds=0.3)
    client = open_client(tls)
    async with serving(never, tls[0]) as server:
        with pytest.raises(OutboundTimeoutError, match=r"within 0\.3 seconds"):
            await client.post(server.url(), headers={}, body=b"", timeout=brief)
    async with serving(drop_by_drop, tls[0]) as server:
        with pytest.raises(OutboundTimeoutError):
            await read(client, server.url(), timeout=brief)
    await client.close()


async def test_an_answer_counts_as_soon_as_its_status_is_there(tls: tuple[SSLContext, Path]) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
            await writer.drain()

    client = open_client(tls)
    async with serving(endless, tls[0]) as server:
        assert (await client.post(server.url(), headers={}, body=b"", timeout=SOON)).status == 500
        await client.close()


async def test_a_connection_that_breaks_is_told_as_such(tls: tuple[SSLContext, Path]) -> None:
    async def hang_up(writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    async def break_off(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
        await writer.drain()
        writer.close()

    client = open_client(tls)
    async with serving(hang_up, tls[0]) as server:
        with pytest.raises(OutboundFailedError, match="ended before the response was complete"):
            await client.post(server.url("/?token=hidden"), headers={}, body=b"", timeout=SOON)
        gone = server.url()
    async with serving(break_off, tls[0]) as server:
        with pytest.raises(OutboundFailedError, match="ended before the response was complete"):
            await read(client, server.url())
    with pytest.raises(OutboundFailedError, match="couldn't be reached"):
        await client.post(gone, headers={}, body=b"", timeout=SOON)
    with pytest.raises(OutboundFailedError, match="name couldn't be found"):
        await client.post("https://nobody.example.com/", headers={}, body=b"", timeout=SOON)
    await client.close()


async def test_a_download_says_what_it_is_and_gives_its_bytes(tls: tuple[SSLContext, Path]) -> None:
    client, content = open_client(tls), bytes(range(256)) * 400
    async with serving(answering(200, content, Content_Type="Image/PNG; a=b"), tls[0]) as server:
        async with client.stream_get(server.url("/a.png"), timeout=SOON) as download:
            assert (download.status, download.content_type) == (200, "image/png")
            assert (download.length, download.url) == (len(content), server.url("/a.png"))
            assert b"".join([chunk async for chunk in download.chunks]) == content
        await client.close()


async def test_a_body_that_is_too_long_is_given_up(tls: tuple[SSLContext, Path]) -> None:
    async def unannounced(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + b"x" * 1001)
        await writer.drain()
        writer.close()

    client = open_client(tls)
    for reply in (answering(200, b"x" * 1001), unannounced):
        async with serving(reply, tls[0]) as server:
            with pytest.raises(OutboundFailedError, match="longer than 1000 bytes"):
                await read(client, server.url(), bytes_max=1000)
            assert len(await read(client, server.url(), bytes_max=1001)) == 1001
    await client.close()


@pytest.mark.parametrize(
    ("count", "size", "is_read"), [(500, 1, True), (3_000, 1, False), (3_000, 300, True)]
)
async def test_many_tiny_chunks_are_given_up(
    tls: tuple[SSLContext, Path], count: int, size: int, *, is_read: bool
) -> None:
    async def tiny(writer: asyncio.StreamWriter) -> None:
        chunks = (b"%x\r\n" % size + b"x" * size + b"\r\n") * count
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n")
        await writer.drain()
        writer.close()

    client = open_client(tls)
    async with serving(tiny, tls[0]) as server:
        with nullcontext() if is_read else pytest.raises(OutboundFailedError, match="too small"):
            assert len(await read(client, server.url(), bytes_max=10**6)) == count * size
    await client.close()


async def test_what_comes_compressed_is_refused(tls: tuple[SSLContext, Path]) -> None:
    client, bomb = open_client(tls), gzip.compress(bytes(10_000_000))
    async with serving(answering(200, bomb, Content_Encoding="gzip"), tls[0]) as server:
        with pytest.raises(OutboundFailedError, match="compressed"):
            await read(client, server.url())
        assert b"\r\naccept-encoding: identity" in server.requests[0].lower()
        await client.close()


async def test_three_redirects_are_followed_and_not_a_fourth(tls: tuple[SSLContext, Path]) -> None:
    replies: Iterator[int]

    async def lead_on(writer: asyncio.StreamWriter) -> None:
        step = next(replies)
        reply = answering(303, Location=f"step-{step}#part") if step else answering(200, b"here")
        await reply(writer)

    client = open_client(tls)
    async with serving(lead_on, tls[0]) as server:
        replies = iter([3, 2, 1, 0])
        assert await read(client, server.url("/deep/start")) == b"here"
        assert [request.split(b" ")[1] for request in server.requests] == [
            b"/deep/start",
            b"/deep/step-3",
            b"/deep/step-2",
            b"/deep/step-1",
        ]
        replies = iter([4, 3, 2, 1, 0])
        with pytest.raises(OutboundFailedError, match="too often"):
            await read(client, server.url())
        await client.close()


async def test_a_redirect_never_leads_out_of_https(tls: tuple[SSLContext, Path]) -> None:
    client = open_client(tls)
    async with AsyncExitStack() as stack:
        plain = await stack.enter_async_context(serving(answering(200, b"in the open"), None))
        leading = answering(302, Location=plain.url(scheme="http"))
        server = await stack.enter_async_context(serving(leading, tls[0]))
        with pytest.raises(AddressRefusedError, match="https://"):
            await read(client, server.url())
        assert plain.connections == []
        assert await read(client, plain.url(scheme="http")) == b"in the open"
        with pytest.raises(AddressRefusedError):
            await read(client, plain.url(scheme="ftp"))
        await client.close()


@pytest.mark.parametrize(
    "content", [None, "nothing", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"]
)
async def test_a_file_of_authorities_that_is_none_is_named(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "authorities.pem"
    if content is not None:
        file.write_text(content)
    with pytest.raises(CommandProblem, match=r"authorities\.pem contains no PEM certificates"):
        OutboundClient(OutboundPolicy(extra_ca=file))


def saying(head: bytes) -> Reply:
    """A server that says these lines, in bytes that need not be HTTP."""

    async def say(writer: asyncio.StreamWriter) -> None:
        writer.write(head + b"\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()

    return say


@pytest.mark.parametrize("reason", ["Très bien".encode("latin-1"), "Très bien".encode(), b"", b"a\tb"])
async def test_the_words_beside_a_status_do_not_matter(tls: tuple[SSLContext, Path], reason: bytes) -> None:
    client = open_client(tls)
    async with serving(saying(b"HTTP/1.1 200 " + reason), tls[0]) as server:
        assert (await client.post(server.url(), headers={}, body=b"", timeout=SOON)).status == 200
        assert await read(client, server.url()) == b""
    await client.close()


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nContent-Type: image/png; charset=idna",
        b"HTTP/1.1 302 Found\r\nLocation: https://xn--a/",
        b"HTTP/1.1 302 Found\r\nLocation: https://[",
        b"HTTP/1.1 302 Found\r\nLocation: https://a\xe2\x84\x80b/",
        b"HTTP/1.1 302 Found\r\nLocation: \xff\xfe",
        b"HTTP/1.1 200 OK\r\nSet-Cookie: \xff=\xff; expires=Wed, 21 Oct 2015 07:28:00 +99999999999999999",
        b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5_000,
        b"HTTP/1.1 200 OK\r\nContent-Encoding: \xff",
        b"HTTP/1.1 200 OK\r\nX: \xff\xfe\x80",
        b"HTTP/1.1 999 OK",
        b"HTTP/9.9 200 OK",
        b"\xff\xfe",
    ],
    ids=lambda head: ascii(head[9:60]),
)
async def test_no_head_of_an_answer_is_anything_but_an_answer_or_a_failed_call(
    tls: tuple[SSLContext, Path], head: bytes
) -> None:
    client = open_client(tls)
    async with serving(saying(head), tls[0]) as server:
        for call in (
            lambda: client.post(server.url(), headers={}, body=b"", timeout=SOON),
            lambda: read(client, server.url()),
        ):
            with suppress(OutboundError):
                await call()
    await client.close()
