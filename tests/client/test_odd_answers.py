"""Responses, headers and links that no library expects: each is a ClientError, and memory stays small."""

import asyncio
import gzip
import io
import itertools
import json
import threading
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import field_validator

from app.client import (
    AnswerNotUnderstood,
    ClientError,
    EnvelopeMissing,
    Forbidden,
    RateLimited,
    RetryPolicy,
    ServiceClient,
    TimedOut,
    bodies,
)
from app.client.answers import read
from app.client.bodies import ANSWER_BYTES_MAX, EVENT_BYTES_MAX, in_events, read_whole, unpacked
from app.client.wire import Wire
from app.contract.base import ResponseModel
from app.contract.connections import BoardListQuery
from app.contract.media import MediaView, UploadUrl
from tests.client.raw_service import Say, answering, plain
from tests.client.test_client import BASE, KEY, POST, Answer, error, failing, get, talk
from tests.client.test_events import event, stream
from tests.leaping import leap, run_leaping

MEGABYTE = 1024 * 1024
_PACKED = gzip.compress(b"x")
_BODY = json.dumps(POST).encode()


async def _all(pieces: AsyncIterator[bytes]) -> list[bytes]:
    return [piece async for piece in pieces]


async def _in_pieces(content: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


def _bomb(size: int) -> bytes:
    """Return compressed zeros, without holding all of them in memory."""
    packer = io.BytesIO()
    with gzip.GzipFile(fileobj=packer, mode="wb", compresslevel=9) as packed:
        for _ in range(size // MEGABYTE):
            packed.write(bytes(MEGABYTE))
    return packer.getvalue()


async def _ask(folder: Path, say: Say, work: Callable[[ServiceClient], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with answering(folder, say) as service:
            client = service.client()
            try:
                return await work(client)
            finally:
                await client.close()

    return await run()


async def _first_event(client: ServiceClient) -> str:
    async with aclosing(client.events()) as events:
        return (await anext(events)).id


@pytest.mark.parametrize(
    "headers",
    [
        {"retry-after": "Wed, 21 Oct 2015 07:28:00 +99999999999999999"},
        {"retry-after": "Mon, 01 Jan 0001 00:00:00 +2359"},
        {"retry-after": format_datetime(datetime(9999, 12, 31, 23, 59, tzinfo=UTC))},
        {"retry-after": "9" * 5_000},
        {"retry-after": "Infinity"},
        {"x-request-id": "r" * 100_000},
    ],
    ids=str,
)
def test_no_header_of_a_refusal_stops_a_call(headers: dict[str, str]) -> None:
    found, _ = failing([error(429, **headers)], get)
    assert isinstance(found, RateLimited)
    assert found.retry_after is None or found.retry_after >= 0
    assert len(found.request_id or "") <= 200


async def test_a_reason_phrase_of_an_old_server_is_not_read(tmp_path: Path) -> None:
    say = plain(_BODY, "HTTP/1.1 200 Très bien".encode("latin-1"))
    assert (await _ask(tmp_path, say, get)).description == "Hello"


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: br",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: deflate",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: \xff\xfe",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1",
        b"HTTP/1.1 99999 OK",
        b"HTTP/9.9 200 OK",
        b"\x00\xff",
    ],
    ids=str,
)
async def test_no_head_of_an_answer_is_anything_but_a_failed_call(tmp_path: Path, head: bytes) -> None:
    with pytest.raises(ClientError):
        await _ask(tmp_path, plain(_BODY, head), get)


@pytest.mark.parametrize(
    "url", ["https://xn--a/", "https://[", "https://a\u2100b/", "https://x:99999/", "https://" + "a" * 70_000]
)
async def test_no_link_is_anything_but_a_failed_call(url: str, tmp_path: Path) -> None:
    film = tmp_path / "film"
    film.write_bytes(b"film")
    view, link = (
        MediaView(view_url=url, expires_in_seconds=1),
        UploadUrl(upload_url=url, storage_path="a", token="t", expires_in_seconds=1),
    )
    works: list[Callable[[ServiceClient], Awaitable[Any]]] = [
        lambda client: client.media.download(view, io.BytesIO(), 1),
        lambda client: client.media.upload(link, film, "video/mp4"),
        lambda client: client.picture(url, io.BytesIO(), 1),
        lambda client: client.visit(url),
    ]
    for work in works:
        with pytest.raises(ClientError):
            await _ask(tmp_path, plain(b""), work)


def test_a_path_of_megabytes_is_a_failed_call() -> None:
    with pytest.raises(ClientError):
        talk([httpx.Response(200)], lambda client: client.media.view("a" * 3_000_000))


@pytest.mark.parametrize("told", ["bytes 0-0/" + "9" * 5_000, "bytes 0-0/-1", "bytes 0-0/٣", "bytes 0-0/*"])
def test_a_size_that_is_no_number_is_not_known(told: str) -> None:
    async def work(_client: ServiceClient) -> int | None:
        wire = Wire(
            BASE,
            KEY,
            transport=httpx.MockTransport(
                lambda _request: httpx.Response(206, headers=[(b"content-range", told.encode())])
            ),
        )
        return await wire.size_of(f"{BASE}x")

    assert talk([], work)[0] is None


def test_a_stream_is_utf_8_whatever_it_calls_itself() -> None:
    answer = stream(event(1), kind="text/event-stream; charset=idna")
    assert talk([answer], _first_event)[0] == "1"


@given(
    st.lists(st.sampled_from([b"", b"a", b"\r", b"\n", b"\r\n", b"data: x", b"\n\n"]), max_size=12),
    st.integers(1, 5),
)
@example([b"a", b"\r", b"\n", b"a"], 1)
def test_line_ends_of_a_stream_are_the_same_however_it_is_cut(parts: list[bytes], size: int) -> None:
    content = b"".join(parts)
    got = b"".join(asyncio.run(_all(in_events(unpacked(_in_pieces(content, size), "")))))
    assert got == content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("size", [1_000, 1_001, 7_777])
async def test_a_long_stream_is_not_an_event_too_big(end: str, size: int) -> None:
    events = ": quiet\n\n" + event(1) * 3 + f"data: {'x' * 1_000}\n\n"
    content = events.replace("\n", end).encode() * (2 * EVENT_BYTES_MAX // len(events))

    assert sum([len(piece) async for piece in in_events(unpacked(_in_pieces(content, size), ""))]) == len(
        content.replace(b"\r\n", b"\n")
    )


@pytest.mark.parametrize("line", [b"data: 1\n", b"x", b": hello\n", b"data: 1\r\n"])
async def test_an_event_too_big_is_given_up_however_it_is_written(line: bytes) -> None:
    content = itertools.repeat(line * 1_000)

    async def endless() -> AsyncIterator[bytes]:
        for piece in content:
            yield piece

    async def run() -> int:
        size = 0
        try:
            async for piece in in_events(unpacked(endless(), "")):
                size += len(piece)
        except AnswerNotUnderstood:
            return size
        raise AssertionError

    assert await run() <= EVENT_BYTES_MAX


@given(st.binary(max_size=200_000), st.integers(1, 70_000))
def test_one_gzip_is_unpacked_however_it_is_cut(content: bytes, size: int) -> None:
    got = asyncio.run(_all(unpacked(_in_pieces(gzip.compress(content), size), "gzip")))
    assert b"".join(got) == content


@pytest.mark.parametrize(
    "packed",
    [
        gzip.compress(b"x")[:-1],
        gzip.compress(b"x")[:12],
        gzip.compress(b"x") + b"x",
        gzip.compress(b"x") * 2,
        b"x",
    ],
)
async def test_damaged_gzip_is_not_understood(packed: bytes) -> None:
    for size in (1, 1_000):
        with pytest.raises(AnswerNotUnderstood):
            await _all(unpacked(_in_pieces(packed, size), "GZIP"))


async def test_an_encoding_without_a_body_is_one() -> None:
    assert await _all(unpacked(_in_pieces(b"", 1), "gzip")) == []


async def test_what_is_packed_small_stays_small_in_memory() -> None:
    bomb = _bomb(100 * MEGABYTE)

    async def discard() -> None:
        async for _ in unpacked(_in_pieces(bomb, len(bomb)), "gzip"):
            pass

    async def run() -> tuple[int, int]:
        turns, ended = 0, asyncio.Event()

        async def count() -> None:
            nonlocal turns
            while not ended.is_set():
                turns += 1
                await asyncio.sleep(0)

        others = asyncio.create_task(count())
        tracemalloc.start()
        with pytest.raises(AnswerNotUnderstood):
            await read_whole(unpacked(_in_pieces(bomb, len(bomb)), "gzip"))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        await discard()
        ended.set()
        await others
        return peak, turns

    peak, turns = await run()
    assert peak < 3 * ANSWER_BYTES_MAX
    assert turns > 1, "nothing else ran while it was unpacked"


async def test_what_is_packed_counts_as_what_it_is_everywhere(tmp_path: Path) -> None:
    bomb = _bomb(20 * MEGABYTE)
    say = plain(bomb, b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip")
    film = tmp_path / "film"
    film.write_bytes(b"film")

    async def download(client: ServiceClient) -> None:
        await client.picture(f"{client.base_url}/x", io.BytesIO(), 10 * MEGABYTE)

    async def upload(client: ServiceClient) -> None:
        link = UploadUrl(upload_url=f"{client.base_url}/x", storage_path="a", token="t", expires_in_seconds=1)
        await client.media.upload(link, film, "video/mp4")

    works: list[Callable[[ServiceClient], Awaitable[Any]]] = [get, _first_event, download, upload]
    for work in works:
        with pytest.raises(AnswerNotUnderstood):
            await _ask(tmp_path, say, work)


async def test_cookies_are_not_kept(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\n" + b"\r\n".join(
        b"Set-Cookie: c%d=%s; Path=/" % (n, b"x" * 3_000) for n in range(2)
    )

    async def run() -> list[str]:
        async with answering(tmp_path, plain(_BODY, head)) as service:
            client = service.client()
            await get(client)
            await get(client)
            await client.close()
            return service.heads

    assert not [head for head in await run() if "cookie:" in head.lower()]


def _dripping(seconds: float, piece: bytes) -> Callable[[httpx.Request], httpx.Response]:
    async def drip() -> AsyncIterator[bytes]:
        while True:
            leap(seconds)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            yield piece

    return lambda _request: httpx.Response(200, content=drip())


@pytest.mark.parametrize(("seconds", "piece"), [(5, b"x"), (50, b"x" * 1_000), (61, b"x" * 1_000_000)])
def test_a_file_that_comes_by_drips_is_given_up(seconds: float, piece: bytes) -> None:
    async def run() -> int:
        wire = Wire(BASE, KEY, transport=httpx.MockTransport(_dripping(seconds, piece)))
        into = io.BytesIO()
        with pytest.raises(TimedOut):
            await wire.fetch(f"{BASE}x", into, 10**9)
        await wire.close()
        return into.tell()

    assert run_leaping(run()) < 2_000_000


def test_a_slow_line_is_still_good_enough() -> None:
    async def run() -> None:
        wire = Wire(BASE, KEY, transport=httpx.MockTransport(_dripping(10, bytes(16 * 1024))))
        with pytest.raises(AnswerNotUnderstood, match="too large"):
            await wire.fetch(f"{BASE}x", io.BytesIO(), 10 * MEGABYTE)
        await wire.close()

    run_leaping(run())


def test_a_service_that_never_begins_to_answer_is_given_up() -> None:
    async def never(_request: httpx.Request) -> httpx.Response:
        while True:
            leap(10)
            await asyncio.sleep(0)

    async def listen(wire: Wire) -> None:
        async with wire.listen("/events", {}, silence_s=45):
            pass

    async def run() -> None:
        wire = Wire(BASE, KEY, transport=httpx.MockTransport(never))
        for work in (wire.fetch(f"{BASE}x", io.BytesIO(), 1), wire.size_of(f"{BASE}x"), listen(wire)):
            with pytest.raises(TimedOut):
                await work
        await wire.close()

    run_leaping(run())


@pytest.mark.parametrize(
    "told", ["plätz", "a\tb", "a\x7fb", "x" * 257, "x" * 1_000_000, " ", "\u202e"], ids=lambda told: told[:5]
)
def test_an_id_that_no_header_holds_is_left_out(told: str) -> None:
    def named(name: str) -> str:
        return f'id: {name}\nevent: media.changed\ndata: {{"storage_path": "a"}}\n\n'

    answers: list[Answer] = [stream(named("7") + named(told)), stream(named("8"))]

    async def work(client: ServiceClient) -> list[str]:
        async with aclosing(client.events(told)) as events:
            return [(await anext(events)).id for _ in range(3)]

    ids, requests = talk(answers, work)
    assert ids == ["7", "7", "8"]
    assert [request.headers.get("last-event-id") for request in requests] == [None, "7"]


def test_an_id_of_256_characters_is_taken() -> None:
    answers: list[Answer] = [stream(f"id: {'x' * 256}\nevent: reset\ndata: {{}}\n\n")]

    async def work(client: ServiceClient) -> str:
        return await _first_event(client)

    assert talk(answers, work)[0] == "x" * 256


def test_a_stream_that_ends_after_each_event_is_opened_ever_more_rarely() -> None:
    policy = RetryPolicy(wait_initial=0.5, reconnect_max=64)

    async def run() -> float:
        asked = 0

        def handle(_request: httpx.Request) -> httpx.Response:
            nonlocal asked
            asked += 1
            return stream(event(asked))

        loop = asyncio.get_running_loop()
        client = ServiceClient(BASE, KEY, transport=httpx.MockTransport(handle), retries=policy)
        began = loop.time()
        async with aclosing(client.events()) as events:
            reading = asyncio.ensure_future(_so_many(events, 12))
            while not reading.done():
                leap(1)
                await asyncio.sleep(0)
        await client.close()
        return loop.time() - began

    assert run_leaping(run()) > 60


async def _so_many(events: AsyncIterator[Any], count: int) -> None:
    for _ in range(count):
        await anext(events)


@pytest.mark.parametrize("body", [b"0,", b"{},", b"[],", b'"",', b'{"":"a,b"},'])
def test_what_is_many_values_is_not_even_read(body: bytes) -> None:
    many = b'{"data": [' + body * (4 * MEGABYTE // len(body)) + b'0], "next_cursor": null}'
    tracemalloc.start()
    found, _ = failing([httpx.Response(200, content=many)], lambda client: client.list_posts())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(found, AnswerNotUnderstood)
    assert peak < 10 * len(many)


def test_long_texts_full_of_commas_and_quotation_marks_are_read() -> None:
    text = 'a, "b", \\, ' * 900
    rows = [POST | {"id": str(uuid4()), "description": text} for _ in range(100)]
    page, _ = talk(
        [httpx.Response(200, json={"data": rows, "next_cursor": None})], lambda client: client.list_posts()
    )
    assert [post.description for post in page.data] == [text] * 100


def test_what_is_longer_than_any_window_is_cut() -> None:
    row = POST | {"description": "x" * 5_000_000, "title": "t" * 501, "status": "s" * 10_000}
    row |= {"media_storage_path": "p" * 3_000_000}
    post, _ = talk([httpx.Response(200, json=row)], get)
    assert post.description == "x" * 20_000 + "…"
    assert post.title == "t" * 500 + "…"
    assert len(post.status) == 500
    assert len(post.media_storage_path) == 2_049


@pytest.mark.parametrize(
    "ask", [lambda client: client.list_posts(), lambda client: client.list_boards(uuid4(), BoardListQuery())]
)
def test_a_cursor_too_long_for_an_address_is_not_understood(ask: Callable[[ServiceClient], Any]) -> None:
    told = {"data": [], "next_cursor": "é" * 8_193}
    found, _ = failing([httpx.Response(200, json=told)], ask)
    assert isinstance(found, AnswerNotUnderstood)


def test_a_long_cursor_that_fits_an_address_is_sent_back() -> None:
    pages = [{"data": [], "next_cursor": "c" * 8_192}, {"data": [], "next_cursor": None}]

    async def work(client: ServiceClient) -> int:
        return len([page async for page in client.posts()])

    count, requests = talk([httpx.Response(200, json=page) for page in pages], work)
    assert count == 2
    assert requests[1].url.params["cursor"] == "c" * 8_192


def test_lists_within_an_object_have_an_end() -> None:
    actions = {f"rest.x.{number}": number for number in range(60_000)}
    usage: dict[str, Any] = {
        "plan": "p",
        "status": "active",
        "current_period_end": None,
        "period": "p",
        "actions": actions,
    }
    usage |= {"storage": {"used_bytes": 10**30, "cap_bytes": 1, "used_human": "0 B", "cap_human": "1 B"}}
    found, _ = talk([httpx.Response(200, json=usage)], lambda client: client.usage())
    assert len(found.actions) == 1_000
    assert found.storage.used_bytes == 2**53 - 1


class _Told(ResponseModel):
    """Uses the ID of the parsing thread as its value."""

    thread: int

    @field_validator("thread", mode="before")
    @classmethod
    def _note_thread(cls, _told: str) -> int:
        return threading.get_ident()


@pytest.mark.parametrize(("length", "is_here"), [(1_000, True), (70_000, False)])
async def test_a_long_answer_is_not_read_by_the_event_loop(length: int, is_here: bool) -> None:
    answer = bodies.Answer(200, {}, json.dumps({"thread": "x" * length}).encode())
    told = await read(answer, _Told)
    assert (told.thread == threading.get_ident()) is is_here


@pytest.mark.parametrize("count", [9_000, 11_000])
def test_a_refusal_of_too_many_values_gives_no_reason(count: int) -> None:
    body = {"error": {"code": "forbidden", "message": "No.", "details": [0] * count}, "request_id": "r"}
    found, _ = failing([httpx.Response(403, json=body)], get)
    assert type(found) is (Forbidden if count < 10_000 else EnvelopeMissing)
    assert str(found) == ("403 forbidden: No." if count < 10_000 else "403 : the service gave no reason")
