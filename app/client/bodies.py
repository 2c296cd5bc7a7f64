"""Response bodies, decompressed in chunks and limited by their decompressed size."""

import asyncio
import zlib
from collections.abc import AsyncGenerator, AsyncIterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from app.client.errors import AnswerNotUnderstood
from app.contract.json_values import TooManyValuesError, ValueCounter

ANSWER_BYTES_MAX: Final = 16 * 1024 * 1024
"""Maximum response size. A page of 100 posts with 10,000 escaped characters each has 6 MiB."""
ANSWER_VALUES_MAX: Final = 100_000
"""Maximum number of values in a response; a page of 500 posts has 6,000. More would block the UI."""
EVENT_BYTES_MAX: Final = 1024 * 1024
"""Maximum size of a stream event; one with the longest post has 130 KiB."""

STALLED_S: Final = 60.0
"""Maximum time for a download to begin, and for each further ``_LEAST`` bytes, in s."""
_LEAST: Final = 64 * 1024
_PORTION: Final = 256 * 1024
_PIECE: Final = 64 * 1024
_TURN_S: Final = 0.005
"""Maximum time to decompress without yielding to the event loop, in s."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A response: status, headers with lowercase names, and the whole body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


async def unpacked(stream: AsyncIterable[bytes], encoding: str) -> AsyncGenerator[bytes, None]:
    """Yield the body in chunks of up to 64 KiB, letting other tasks run in between.

    Requests ask for ``identity``. A single gzip layer is accepted too, because some reverse proxies always
    apply it. Raises AnswerNotUnderstood for other encodings and damaged data.
    """
    unpack, now = _unpacker(encoding), asyncio.get_running_loop().time
    since = now()
    async for packed in stream:
        for piece in unpack.pieces(packed):
            yield piece
            if now() - since > _TURN_S:  # buffered data arrives without yielding
                await asyncio.sleep(0)
                since = now()
    for piece in unpack.rest():
        yield piece


async def read_whole(pieces: AsyncGenerator[bytes, None]) -> bytes:
    """Read a body into memory, up to slightly more than ``ANSWER_VALUES_MAX`` values.

    Raises AnswerNotUnderstood for more than ``ANSWER_BYTES_MAX``.
    """
    body, counter = bytearray(), ValueCounter(ANSWER_VALUES_MAX)
    async with aclosing(pieces):
        async for piece in pieces:
            body += piece
            try:
                counter.add(piece)
            except TooManyValuesError:
                break  # reading the body rejects it
            if len(body) > ANSWER_BYTES_MAX:
                body.clear()  # the error may be kept for a while, and its traceback with it
                raise AnswerNotUnderstood("the response is too large")
    return bytes(body)


async def in_portions(pieces: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """Yield a file in chunks of slightly more than 256 KiB.

    Raises TimeoutError if it doesn't begin within a minute, or brings less than 64 KiB per minute.
    """
    loop = asyncio.get_running_loop()
    waiting, moved, until = bytearray(), 0, loop.time() + STALLED_S
    async with aclosing(pieces):
        while True:
            async with asyncio.timeout_at(until):
                piece = await anext(pieces, b"")
            waiting += piece
            moved += len(piece)
            if waiting and (len(waiting) >= _PORTION or not piece):
                yield bytes(waiting)
                waiting.clear()
            if not piece:
                return
            if moved >= _LEAST:
                moved, until = 0, loop.time() + STALLED_S


async def in_events(pieces: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """Yield the bytes of an event stream with all line endings normalized to LF.

    Raises AnswerNotUnderstood if an event is too large.
    """
    size, before = 0, b"\n"
    async with aclosing(pieces):
        async for piece in pieces:
            text = piece[1:] if before == b"\r" and piece[:1] == b"\n" else piece
            text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            _, blank_line, begun = (before.replace(b"\r", b"\n") + text).rpartition(b"\n\n")
            size = len(begun) if blank_line else size + len(text)
            if size > EVENT_BYTES_MAX:
                raise AnswerNotUnderstood("the event is too large")
            before = piece[-1:]
            if text:
                yield text


class _Plain:
    """Uncompressed bytes."""

    def pieces(self, packed: bytes) -> Iterator[bytes]:
        for start in range(0, len(packed), _PIECE):
            yield packed[start : start + _PIECE]

    def rest(self) -> Iterator[bytes]:
        yield from ()


class _Gzip:
    """One gzip member. Every method raises AnswerNotUnderstood if the data isn't gzip."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        self._has_begun = False

    def pieces(self, packed: bytes) -> Iterator[bytes]:
        while packed:
            self._has_begun = True
            if self._inflate.eof:
                raise AnswerNotUnderstood("data after the end of the compressed body")
            try:
                piece = self._inflate.decompress(packed, _PIECE)
            except zlib.error as error:
                raise AnswerNotUnderstood("a response that can't be decompressed") from error
            packed = self._inflate.unconsumed_tail or self._inflate.unused_data
            if piece:
                yield piece

    def rest(self) -> Iterator[bytes]:
        """Yield what's left of the last chunk. An empty response may name an encoding too."""
        if self._has_begun:
            if piece := self._inflate.flush():
                yield piece
            if not self._inflate.eof:
                raise AnswerNotUnderstood("a truncated response")


def _unpacker(encoding: str) -> _Plain | _Gzip:
    match encoding.strip().lower():
        case "" | "identity":
            return _Plain()
        case "gzip" | "x-gzip":
            return _Gzip()
    raise AnswerNotUnderstood("a response in an encoding that wasn't requested")
