"""Taking in uploads: peeking at the first bytes, and writing all of them in order and in batches."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest

from app.service.media.intake import BATCH_BYTES, peek, pour

T = TypeVar("T")


class Stream:
    """Chunks that arrive one after the other; ``taken`` is how many were asked for."""

    def __init__(self, *chunks: bytes, error: Exception | None = None) -> None:
        self._chunks = chunks
        self._error = error
        self.taken = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            self.taken += 1
            await asyncio.sleep(0)
            yield chunk
        if self._error is not None:
            raise self._error

    @property
    def chunks(self) -> AsyncIterator[bytes]:
        return aiter(self)


def run(story: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(story, 20))


@pytest.mark.parametrize(
    ("size", "head", "taken"),
    [(1, b"a", 1), (2, b"ab", 1), (3, b"abc", 2), (4, b"abcd", 2), (5, b"abcde", 3), (9, b"abcde", 3)],
)
def test_peeking_takes_no_more_chunks_than_it_needs(size: int, head: bytes, taken: int) -> None:
    async def story() -> None:
        stream = Stream(b"ab", b"cd", b"e")
        found, whole = await peek(stream.chunks, size)
        assert (found, stream.taken) == (head, taken)
        assert b"".join([chunk async for chunk in whole]) == b"abcde"

    run(story())


class Writer:
    """Notes what is written, and whether two calls overlap; ``hold`` makes each call wait."""

    def __init__(self, hold: Callable[[], None] = lambda: None) -> None:
        self.written: list[bytes] = []
        self.overlapped = False
        self.threads: set[int] = set()
        self._hold = hold
        self._lock = threading.Lock()

    def __call__(self, batch: bytes | bytearray) -> None:
        self.overlapped |= not self._lock.acquire(blocking=False)
        self._hold()
        self.threads.add(threading.get_ident())
        self.written.append(bytes(batch))
        if self._lock.locked():
            self._lock.release()


def poured(stream: Stream, write: Callable[[bytes | bytearray], None]) -> None:
    with ThreadPoolExecutor(4) as threads:
        run(pour(stream.chunks, write, threads))


def test_all_bytes_are_written_in_order_by_other_threads() -> None:
    half = BATCH_BYTES // 2
    chunks = [bytes([number]) * half for number in range(5)]
    writer = Writer()
    poured(Stream(*chunks), writer)

    assert b"".join(writer.written) == b"".join(chunks)
    assert [len(batch) for batch in writer.written] == [BATCH_BYTES, BATCH_BYTES, half]
    assert threading.get_ident() not in writer.threads


def test_fewer_bytes_than_a_batch_wait_for_more() -> None:
    writer = Writer()
    poured(Stream(b"a" * (BATCH_BYTES - 1), b"b", b"c"), writer)

    assert [len(batch) for batch in writer.written] == [BATCH_BYTES, 1]


def test_a_batch_is_a_mebibyte() -> None:
    assert BATCH_BYTES == 2**20


def test_one_batch_is_written_at_a_time_and_one_more_is_taken_meanwhile() -> None:
    stream = Stream(*[b"x" * BATCH_BYTES] * 5)
    seen: list[int] = []

    def hold() -> None:
        threading.Event().wait(0.05)  # the stream would go on if nothing stopped it
        seen.append(stream.taken)

    writer = Writer(hold)
    poured(stream, writer)

    assert not writer.overlapped
    assert seen == [2, 3, 4, 5, 5, 5]


def test_an_error_of_writing_is_raised() -> None:
    calls: list[int] = []

    def fail(batch: bytes | bytearray) -> None:
        calls.append(len(batch))
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        poured(Stream(*[b"x" * BATCH_BYTES] * 3), fail)
    assert calls == [BATCH_BYTES]
    with pytest.raises(OSError, match="full"):
        poured(Stream(b"the last batch"), fail)


def test_a_stream_that_breaks_off_waits_for_the_batch_that_is_written() -> None:
    def hold() -> None:
        threading.Event().wait(0.1)

    writer = Writer(hold)

    async def story() -> None:
        with ThreadPoolExecutor(1) as threads:
            with pytest.raises(ConnectionError):
                await pour(Stream(b"x" * BATCH_BYTES, error=ConnectionError()).chunks, writer, threads)
            assert len(writer.written) == 1

    run(story())


def test_an_error_of_the_stream_takes_precedence_over_one_of_writing() -> None:
    def fail(_: bytes | bytearray) -> None:
        raise OSError("full")

    with pytest.raises(ConnectionError):
        poured(Stream(b"x" * BATCH_BYTES, error=ConnectionError()), fail)
