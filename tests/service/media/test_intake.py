"""Receiving files: what is refused, and rows that are stored only once their bytes are."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import pytest

from app.contract.media_kinds import KINDS
from app.database import Database
from app.service.accounts.accounts import Caller, Plan, create_account
from app.service.clock import system_clock
from app.service.media import rows
from app.service.media.files import IncomingFile, LocalMediaStore
from app.service.media.intake import BATCH_BYTES, Keeper, peek, pour, timely
from app.service.media.rows import Stored
from app.service.media.stores import Place
from tests.service.media.samples import image
from tests.stores import service_engine, take_back

T = TypeVar("T")
PNG = image()


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


async def run(story: Coroutine[Any, Any, T]) -> T:
    return await asyncio.wait_for(story, 20)


async def drip() -> AsyncIterator[bytes]:
    while True:
        yield b"x"
        await asyncio.sleep(0.01)


async def test_chunks_that_never_end_take_no_longer_than_in_total() -> None:
    async def story() -> list[bytes]:
        async with asyncio.timeout(None) as limit:
            chunks = timely(drip(), limit, idle=timedelta(seconds=10), total=timedelta(seconds=0.2))
            return [chunk async for chunk in chunks]

    started = asyncio.get_running_loop().time()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(story(), 20)
    assert asyncio.get_running_loop().time() - started < 10


async def test_the_work_after_the_last_chunk_is_not_limited() -> None:
    async with asyncio.timeout(None) as limit:
        chunks = timely(Stream(b"a", b"b").chunks, limit, idle=timedelta(seconds=0.2))
        assert [chunk async for chunk in chunks] == [b"a", b"b"]
        await asyncio.sleep(0.3)


@pytest.mark.parametrize(
    ("size", "head", "taken"),
    [(1, b"a", 1), (2, b"ab", 1), (3, b"abc", 2), (4, b"abcd", 2), (5, b"abcde", 3), (9, b"abcde", 3)],
)
async def test_peeking_takes_no_more_chunks_than_it_needs(size: int, head: bytes, taken: int) -> None:
    async def story() -> None:
        stream = Stream(b"ab", b"cd", b"e")
        found, whole = await peek(stream.chunks, size)
        assert (found, stream.taken) == (head, taken)
        assert b"".join([chunk async for chunk in whole]) == b"abcde"

    await run(story())


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


async def poured(stream: Stream, write: Callable[[bytes | bytearray], None]) -> None:
    with ThreadPoolExecutor(4) as threads:
        await run(pour(stream.chunks, write, threads))


async def test_all_bytes_are_written_in_order_by_other_threads() -> None:
    half = BATCH_BYTES // 2
    chunks = [bytes([number]) * half for number in range(5)]
    writer = Writer()
    await poured(Stream(*chunks), writer)

    assert b"".join(writer.written) == b"".join(chunks)
    assert [len(batch) for batch in writer.written] == [BATCH_BYTES, BATCH_BYTES, half]
    assert threading.get_ident() not in writer.threads


async def test_fewer_bytes_than_a_batch_wait_for_more() -> None:
    writer = Writer()
    await poured(Stream(b"a" * (BATCH_BYTES - 1), b"b", b"c"), writer)

    assert [len(batch) for batch in writer.written] == [BATCH_BYTES, 1]


def test_a_batch_is_a_mebibyte() -> None:
    assert BATCH_BYTES == 2**20


async def test_one_batch_is_written_at_a_time_and_one_more_is_taken_meanwhile() -> None:
    stream = Stream(*[b"x" * BATCH_BYTES] * 5)
    seen: list[int] = []

    def hold() -> None:
        threading.Event().wait(0.05)  # the stream would go on if nothing stopped it
        seen.append(stream.taken)

    writer = Writer(hold)
    await poured(stream, writer)

    assert not writer.overlapped
    assert seen == [2, 3, 4, 5, 5, 5]


async def test_an_error_of_writing_is_raised() -> None:
    calls: list[int] = []

    def fail(batch: bytes | bytearray) -> None:
        calls.append(len(batch))
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        await poured(Stream(*[b"x" * BATCH_BYTES] * 3), fail)
    assert calls == [BATCH_BYTES]
    with pytest.raises(OSError, match="full"):
        await poured(Stream(b"the last batch"), fail)


async def test_a_stream_that_breaks_off_waits_for_the_batch_that_is_written() -> None:
    def hold() -> None:
        threading.Event().wait(0.1)

    writer = Writer(hold)

    async def story() -> None:
        with ThreadPoolExecutor(1) as threads:
            with pytest.raises(ConnectionError):
                await pour(Stream(b"x" * BATCH_BYTES, error=ConnectionError()).chunks, writer, threads)
            assert len(writer.written) == 1

    await run(story())


async def test_an_error_of_the_stream_takes_precedence_over_one_of_writing() -> None:
    def fail(_: bytes | bytearray) -> None:
        raise OSError("full")

    with pytest.raises(ConnectionError):
        await poured(Stream(b"x" * BATCH_BYTES, error=ConnectionError()), fail)


async def test_a_stream_cancelled_twice_waits_for_the_batch_that_is_written() -> None:
    """As when a user's upload breaks off and is sent again while the disk is slow."""
    go = threading.Event()
    writer = Writer(lambda: assert_waited(go))
    with ThreadPoolExecutor(1) as threads:
        pouring = asyncio.ensure_future(pour(endless(), writer, threads))
        for _ in range(3):
            await asyncio.sleep(0.01)
            pouring.cancel()
        await asyncio.sleep(0.01)
        assert not pouring.done()
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await pouring
        assert len(writer.written) == 1


def assert_waited(go: threading.Event) -> None:
    assert go.wait(20)


async def endless() -> AsyncIterator[bytes]:
    """A stream that stalls after its first batch."""
    yield b"x" * BATCH_BYTES
    await asyncio.Event().wait()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(service_engine(tmp_path), "the store")
    yield opened
    opened.close()
    take_back(tmp_path)


@pytest.fixture
def store(tmp_path: Path) -> LocalMediaStore:
    return LocalMediaStore(tmp_path / "media")


@pytest.fixture
def path(database: Database) -> str:
    """A reservation."""
    now = system_clock()
    account_id: UUID = database.write_now(lambda opened: create_account(opened, "Ines", Plan.LOCAL, now))
    until = now + timedelta(hours=2)
    return database.write_now(
        lambda opened: rows.reserve(
            opened, account_id, "a.png", KINDS[1], len(PNG), now=now, expires_at=until
        )
    )


def owner_of(path: str) -> Caller:
    return Caller(UUID(path.partition("/")[0]))


async def test_nothing_is_stored_when_another_sweep_removed_the_part(
    database: Database, store: LocalMediaStore, path: str
) -> None:
    """As one does whose clock is days ahead."""

    async def swept() -> AsyncIterator[bytes]:
        yield PNG
        assert store.clear_parts(system_clock() + timedelta(days=2)) == 1

    keeper = Keeper(database, store, system_clock, lambda: None)
    with pytest.raises(FileNotFoundError):
        await keeper.keep(owner_of(path), path, swept())
    row = database.read_now(lambda opened: rows.find(opened, path))
    assert row is not None
    assert row["sha256"] is None

    await keeper.keep(owner_of(path), path, _whole())
    assert store.locate(path).read_bytes() == PNG


class BusyStore(LocalMediaStore):
    """Calls ``then`` in the thread that wrote a batch, as on a slow disk."""

    def __init__(self, folder: Path, then: Callable[[], None]) -> None:
        super().__init__(folder)
        self._then = then

    def begin(self, storage_path: str) -> IncomingFile:
        incoming = super().begin(storage_path)
        write = incoming.write

        def slow(chunk: bytes | bytearray) -> None:
            write(chunk)
            self._then()

        incoming.write = slow  # type: ignore[method-assign]
        return incoming


async def test_an_upload_cancelled_while_it_waits_for_a_thread_leaves_no_bytes(
    database: Database, path: str, tmp_path: Path
) -> None:
    """Every thread is busy with other uploads when this one breaks off and is cancelled once more."""
    go = threading.Event()
    writing = asyncio.Semaphore(0)
    loop = asyncio.get_running_loop()

    def busy() -> None:
        loop.call_soon_threadsafe(writing.release)
        assert_waited(go)

    store = BusyStore(tmp_path / "media", busy)
    keeper = Keeper(database, store, system_clock, lambda: None)
    uploads = [asyncio.ensure_future(keeper.keep(owner_of(path), path, endless())) for _ in range(9)]
    for _ in range(8):
        await writing.acquire()
    late = uploads[-1]
    for _ in range(3):
        late.cancel()
        await asyncio.sleep(0.01)
    assert not late.done()
    go.set()
    for upload in uploads:
        upload.cancel()
    assert all(
        isinstance(end, asyncio.CancelledError)
        for end in await asyncio.gather(*uploads, return_exceptions=True)
    )
    assert [file for file in (tmp_path / "media").rglob("*") if file.is_file()] == []


def test_a_transaction_that_is_done_again_keeps_the_file_once(store: LocalMediaStore, path: str) -> None:
    incoming = store.begin(path)
    incoming.write(PNG)
    incoming.finish()
    assert incoming.keep(path) == incoming.keep(path) == Place(path)
    incoming.abandon()
    assert store.locate(path).read_bytes() == PNG


def test_what_is_given_up_is_a_reservation_never_a_stored_file(database: Database, path: str) -> None:
    """As when an import was stored, but the answer of the database was lost."""
    stored = Stored(len(PNG), "0" * 64)
    database.write_now(lambda opened: rows.mark_stored(opened, Place(path), stored, system_clock()))
    database.write_now(lambda opened: rows.give_up(opened, path))
    assert database.read_now(lambda opened: rows.find(opened, path)) is not None


def test_a_reservation_that_is_given_up_is_gone(database: Database, path: str) -> None:
    database.write_now(lambda opened: rows.give_up(opened, path))
    assert database.read_now(lambda opened: rows.find(opened, path)) is None


async def _whole() -> AsyncIterator[bytes]:
    yield PNG
