"""Request bodies with files: whole, in parts or in a form, never completely in memory."""

import base64
import json
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial

from app.platforms.base import Chunks, Media
from app.platforms.http import Body


def part_of(media: Media, first: int, size: int, content_type: str | None = None) -> Body:
    """Return a body with ``size`` bytes of a file, starting at ``first``."""
    return Body(content_type or media.content_type, size, partial(_opened, media, first, size))


def whole(media: Media, content_type: str | None = None) -> Body:
    """Return a body with a whole file."""
    return part_of(media, 0, media.size, content_type)


def in_form(fields: Mapping[str, str], name: str, filename: str, content: Body) -> Body:
    """Return a form (multipart/form-data) whose last field is a file."""
    boundary = secrets.token_hex(16)
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{_quoted(key)}"\r\n\r\n{value}\r\n'
        for key, value in fields.items()
    ]
    parts.append(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{_quoted(name)}";'
        f' filename="{_quoted(filename)}"\r\n'
        f"Content-Type: {content.content_type}\r\n\r\n"
    )
    head, tail = "".join(parts).encode(), f"\r\n--{boundary}--\r\n".encode()

    @asynccontextmanager
    async def opened() -> AsyncIterator[Chunks]:
        async with content.open() as chunks:
            yield _framed(head, chunks, tail)

    size = len(head) + content.size + len(tail)
    return Body(f"multipart/form-data; boundary={boundary}", size, opened)


def in_json(document: Callable[[str], Mapping[str, object]], media: Media) -> Body:
    """Return a JSON document with a file in base64, in place of the text passed to ``document``."""
    marker = secrets.token_hex(16)
    head, _, tail = json.dumps(document(marker)).encode().partition(marker.encode())

    @asynccontextmanager
    async def opened() -> AsyncIterator[Chunks]:
        async with media.open(0) as chunks:
            yield _framed(head, _base64(_limited(chunks, media.size)), tail)

    size = len(head) + 4 * ((media.size + 2) // 3) + len(tail)
    return Body("application/json", size, opened)


@asynccontextmanager
async def _opened(media: Media, first: int, size: int) -> AsyncIterator[Chunks]:
    async with media.open(first) as chunks:
        yield _limited(chunks, size)


async def _limited(chunks: Chunks, size: int) -> Chunks:
    """Yield the first ``size`` bytes. Raises OSError if the file has fewer."""
    left = size
    async for chunk in chunks:
        if piece := chunk[:left]:
            left -= len(piece)
            yield piece
        if not left:
            return
    if left:
        raise OSError("The file ended early.")


async def _framed(head: bytes, chunks: Chunks, tail: bytes) -> Chunks:
    yield head
    async for chunk in chunks:
        yield chunk
    yield tail


async def _base64(chunks: Chunks) -> Chunks:
    rest = b""
    async for chunk in chunks:
        rest += chunk
        whole_groups = len(rest) - len(rest) % 3
        yield base64.b64encode(rest[:whole_groups])
        rest = rest[whole_groups:]
    yield base64.b64encode(rest)


def _quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
