"""Receiving a file: writing a stream to the store together with its row, or neither.

The first bytes are checked first; the rest is written in threads while more arrive.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from typing import Final, TypeVar

from sqlalchemy import Connection

from app.database import Database
from app.service.api.responses import ApiError, invalid, not_found
from app.service.clock import Clock
from app.service.media import rows
from app.service.media.rows import Stored
from app.service.media.stores import Incoming, MediaStore

BATCH_BYTES: Final = 1024 * 1024
"""Bytes per write in a thread; at most two such batches are in memory."""

_THREADS: Final = 8
T = TypeVar("T")


async def peek(chunks: AsyncIterator[bytes], size: int) -> tuple[bytes, AsyncIterator[bytes]]:
    """Return the first ``size`` bytes, or fewer if the stream is shorter, and the whole stream."""
    head = bytearray()
    async for chunk in chunks:
        head += chunk
        if len(head) >= size:
            break

    async def whole() -> AsyncIterator[bytes]:
        yield bytes(head)
        async for chunk in chunks:
            yield chunk

    return bytes(head[:size]), whole()


async def pour(
    chunks: AsyncIterator[bytes], write: Callable[[bytes | bytearray], None], threads: Executor
) -> None:
    """Pass all bytes to a blocking ``write``, in order, one call at a time. Raises its errors."""
    loop = asyncio.get_running_loop()
    batch = bytearray()
    writing = loop.create_future()
    writing.set_result(None)
    try:
        async for chunk in chunks:
            batch += chunk
            if len(batch) >= BATCH_BYTES:
                await writing
                writing = loop.run_in_executor(threads, write, batch)
                batch = bytearray()
        await writing
        writing = loop.run_in_executor(threads, write, batch)
        await writing
    finally:
        # Wait, so that the file isn't closed while a thread still writes.
        await asyncio.gather(writing, return_exceptions=True)


class Keeper:
    """Writes the files of reserved paths, and calls ``on_stored`` for each new file."""

    def __init__(
        self, database: Database, store: MediaStore, clock: Clock, on_stored: Callable[[], None]
    ) -> None:
        self._database = database
        self._store = store
        self._clock = clock
        self._on_stored = on_stored
        # Separate threads, so that uploads to a slow disk block nothing else.
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="media")

    async def keep(
        self, storage_path: str, chunks: AsyncIterator[bytes], *, size: int | None = None
    ) -> Stored:
        """Store the chunks, ``size`` bytes if given. If anything fails, nothing is stored.

        Raises ApiError: 400 for another length or if other bytes were stored first, 403 without enough
        storage, 404 if the reservation was cancelled meanwhile; DiskFullError; and errors of ``chunks``.
        """
        run = partial(asyncio.get_running_loop().run_in_executor, self._threads)
        beginning = run(self._store.begin, storage_path)
        try:
            incoming = await _ended(beginning)
        except asyncio.CancelledError:
            if beginning.exception() is None:
                await run(beginning.result().abandon)
            raise
        try:
            await pour(chunks, incoming.write, self._threads)
            if size is not None and incoming.size != size:
                raise wrong_length(incoming.size, size)
            stored = Stored(incoming.size, await _ended(run(incoming.finish)))
            commit = partial(self._commit, storage_path=storage_path, incoming=incoming, stored=stored)
            await _ended(asyncio.ensure_future(self._database.write(commit)))
        finally:
            await run(incoming.abandon)
        self._on_stored()
        return stored

    async def digest(self, chunks: AsyncIterator[bytes]) -> str:
        """Return the SHA-256 of a stream in hexadecimal, storing nothing."""
        sha256 = hashlib.sha256()
        await pour(chunks, sha256.update, self._threads)
        return sha256.hexdigest()

    def _commit(self, connection: Connection, storage_path: str, incoming: Incoming, stored: Stored) -> None:
        """Move the file into place while the row is locked, so that one of two uploads is first."""
        row = rows.find(connection, storage_path, lock=True)
        if row is None:
            raise not_found("upload")
        if row["expires_at"] is None:
            if row["sha256"] != stored.sha256:
                raise other_bytes()
            return
        now = self._clock()
        if row["expires_at"] <= now:
            rows.require_room(connection, row["account_id"], stored.size, now)
        rows.mark_stored(connection, incoming.keep(storage_path), stored, now)


async def _ended(work: asyncio.Future[T]) -> T:
    """Await work that continues if the caller is cancelled, and wait for its end in that case.

    Otherwise an upload could be abandoned while a thread still opens, flushes or keeps its file.
    """
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait([work])
        if not work.cancelled():
            work.exception()  # retrieved, so that asyncio doesn't log it
        raise


def wrong_length(found: int, size: int) -> ApiError:
    """Return the error for more or fewer bytes than announced."""
    relation = "more" if found > size else "fewer"
    message = f"The upload has {relation} bytes than the {size} that were announced."
    return invalid("", message, "wrong_length")


def other_bytes() -> ApiError:
    """Return the error for a second, different file at one link."""
    return invalid("", "Another file was already uploaded here. Request a new link.", "uploaded_already")
