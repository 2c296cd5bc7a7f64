"""Bytes of a file inside other bytes: every size, from every offset, in pieces of every length."""

import asyncio
import base64
import email
import email.policy
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.platforms.base import Chunks, Media
from app.platforms.http import Body
from app.platforms.rest import in_form, in_json, part_of, whole

Pieces = st.lists(st.binary(max_size=7), max_size=9)


def media_of(pieces: list[bytes], size: int | None = None) -> Media:
    content = b"".join(pieces)

    @asynccontextmanager
    async def opened(first: int) -> AsyncIterator[Chunks]:
        async def chunks() -> Chunks:
            place = 0
            for piece in pieces:
                yield piece[max(0, first - place) :]
                place += len(piece)

        yield chunks()

    return Media(len(content) if size is None else size, "video/mp4", "", opened)


def sent(body: Body) -> bytes:
    async def read() -> bytes:
        async with body.open() as chunks:
            return b"".join([chunk async for chunk in chunks])

    content = asyncio.run(read())
    assert len(content) == body.size
    return content


@given(Pieces, st.data())
def test_a_part_is_that_part(pieces: list[bytes], data: st.DataObject) -> None:
    content = b"".join(pieces)
    first = data.draw(st.integers(0, len(content)))
    size = data.draw(st.integers(0, len(content) - first))
    assert sent(part_of(media_of(pieces), first, size)) == content[first : first + size]


@given(Pieces)
def test_a_file_in_base64_is_the_file(pieces: list[bytes]) -> None:
    def document(data: str) -> dict[str, object]:
        return {"title": 'A "title"', "media": {"data": data}, "last": 1}

    read = json.loads(sent(in_json(document, media_of(pieces))))
    assert base64.b64decode(read["media"]["data"], validate=True) == b"".join(pieces)
    assert read == document(read["media"]["data"])


@given(Pieces)
def test_a_form_holds_its_fields_and_the_file_last(pieces: list[bytes]) -> None:
    body = in_form({"key": "a\r\nb", "policy": "ü"}, "file", 'a"b', whole(media_of(pieces)))
    raw = f"Content-Type: {body.content_type}\r\n\r\n".encode() + sent(body)
    parts = list(email.message_from_bytes(raw, policy=email.policy.HTTP).iter_parts())
    assert [part.get_param("name", header="content-disposition") for part in parts] == [
        "key",
        "policy",
        "file",
    ]
    assert parts[1].get_payload(decode=True) == "ü".encode()
    assert parts[2].get_content_type() == "video/mp4"
    assert b"".join(pieces) in raw


@pytest.mark.parametrize("make", [whole, lambda media: in_form({}, "file", "name", whole(media))])
def test_a_file_that_ends_early_is_noticed(make: Callable[[Media], Body]) -> None:
    with pytest.raises(OSError, match="ended early"):
        sent(make(media_of([b"short"], size=6)))
