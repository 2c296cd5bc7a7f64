"""Receiving a file: its row and its bytes in the store, or neither. Also uploads sent to a signed link.

The first bytes are checked first; the rest is written in threads while more arrive.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import Final

from sqlalchemy import Connection
from starlette.requests import Request

from app.contract.media import MediaImport
from app.contract.media_kinds import HEAD_BYTES, sniffed
from app.database import Database
from app.service.accounts.accounts import Caller
from app.service.accounts.callers import write_for
from app.service.api.responses import ApiError, invalid, not_found
from app.service.clock import Clock
from app.service.media import rows
from app.service.media.rows import Stored
from app.service.media.settings import LinkSigner, UploadClaims
from app.service.media.stores import Incoming, MediaStore
from app.service.monitoring.meter import Meter
from app.service.monitoring.traces import span
from app.service.threads import ended, settled

BATCH_BYTES: Final = 1024 * 1024
"""Bytes per write in a thread; at most two such batches are in memory."""

IDLE: Final = timedelta(seconds=60)
"""How long the sender of a file may pause."""
TOTAL: Final = timedelta(hours=12)
"""How long a file may take. Shorter than the lifetime of parts and lapsed reservations."""

_THREADS: Final = 8


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
        # So that the file isn't closed while a thread still writes.
        await settled(writing)


async def timely(
    chunks: AsyncIterator[bytes], limit: asyncio.Timeout, *, idle: timedelta = IDLE, total: timedelta = TOTAL
) -> AsyncIterator[bytes]:
    """Pass all chunks on. ``limit`` expires if one takes longer than ``idle``, or all longer than ``total``.

    What the caller does after the last chunk isn't limited.
    """
    clock = asyncio.get_running_loop().time
    end = clock() + total.total_seconds()
    limit.reschedule(clock() + idle.total_seconds())
    async for chunk in chunks:
        limit.reschedule(min(end, clock() + idle.total_seconds()))
        yield chunk
    limit.reschedule(None)


class Keeper:
    """Writes the files of reserved paths, and calls ``on_stored`` for each new file."""

    def __init__(
        self,
        database: Database,
        store: MediaStore,
        clock: Clock,
        on_stored: Callable[[], None],
        meter: Meter | None = None,
    ) -> None:
        self._meter = meter or Meter()
        self._database = database
        self._store = store
        self._clock = clock
        self._on_stored = on_stored
        # Separate threads, so that uploads to a slow disk block nothing else.
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="media")

    async def keep(
        self, caller: Caller, storage_path: str, chunks: AsyncIterator[bytes], *, size: int | None = None
    ) -> Stored:
        """Store the chunks, ``size`` bytes if given. If anything fails, nothing is stored.

        Raises ApiError: 400 for another length or if other bytes were stored first, 403 without enough
        storage, 404 if the reservation was cancelled meanwhile; DiskFullError; and errors of ``chunks``.
        """
        try:
            with span("store"):
                stored = await self._keep(caller, storage_path, chunks, size)
        except BaseException:
            self._meter.note_upload(0, is_stored=False)
            raise
        self._meter.note_upload(stored.size, is_stored=True)
        self._on_stored()
        return stored

    async def _keep(
        self, caller: Caller, storage_path: str, chunks: AsyncIterator[bytes], size: int | None
    ) -> Stored:
        run = partial(asyncio.get_running_loop().run_in_executor, self._threads)
        beginning = run(self._store.begin, storage_path)
        try:
            incoming = await ended(beginning)
        except asyncio.CancelledError:
            if beginning.exception() is None:
                await ended(run(beginning.result().abandon))
            raise
        try:
            await pour(chunks, incoming.write, self._threads)
            if size is not None and incoming.size != size:
                raise wrong_length(incoming.size, size)
            stored = Stored(incoming.size, await ended(run(incoming.finish)))
            commit = partial(self._commit, storage_path=storage_path, incoming=incoming, stored=stored)
            writing = write_for(self._database, caller, self._clock(), commit)
            await ended(asyncio.ensure_future(writing))
        finally:
            await ended(run(incoming.abandon))
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


def wrong_length(found: int, size: int) -> ApiError:
    """Return the error for more or fewer bytes than announced."""
    relation = "more" if found > size else "fewer"
    message = f"The upload has {relation} bytes than the {size} that were announced."
    return invalid("", message, "wrong_length")


def other_bytes() -> ApiError:
    """Return the error for a second, different file at one link."""
    return invalid("", "Another file was already uploaded here. Request a new link.", "uploaded_already")


_HOLD_EVERY: Final = timedelta(seconds=30)
_HOLD: Final = timedelta(minutes=5)
"""How long storage stays reserved for an upload in progress, even after its link has expired."""


class _Turn:
    """One upload to a link, which a later upload or a deletion ends."""

    def __init__(self) -> None:
        self.refusal: ApiError | None = None
        self._limit: asyncio.Timeout | None = None

    def begin(self, limit: asyncio.Timeout) -> None:
        self._limit = limit

    def finish(self) -> None:
        """Mark the upload as received or refused, so that it can't be ended any more."""
        self._limit = None

    def end_with(self, refusal: ApiError) -> None:
        """End the upload immediately, even while it waits for bytes."""
        if self.refusal is None:
            self.refusal = refusal
        if self._limit is not None and not self._limit.expired():
            self._limit.reschedule(asyncio.get_running_loop().time())


class Uploads:
    """Receives uploads to signed links; only the latest upload to each link continues."""

    def __init__(
        self,
        database: Database,
        keeper: Keeper,
        signer: LinkSigner,
        clock: Clock,
        *,
        idle: timedelta = IDLE,
        hold_every: timedelta = _HOLD_EVERY,
    ) -> None:
        """``idle`` is how long an upload may pause, ``hold_every`` how often its reservation is renewed."""
        self._database = database
        self._keeper = keeper
        self._signer = signer
        self._clock = clock
        self._idle = idle
        self._hold_every = hold_every
        self._turns: dict[str, list[_Turn]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def receive(self, storage_path: str, claims: UploadClaims, request: Request) -> MediaImport:
        """Store the body of a PUT. Sending the same bytes again succeeds too.

        Raises ApiError: 403 for the link or without enough storage, 404 for a cancelled upload, 400 for bytes
        that don't match what was announced; DiskFullError; ClientDisconnect.
        """
        self._signer.check_upload(storage_path, claims, self._clock())
        _check_announced_length(request, claims.size)
        async with self._turn(storage_path) as turn:
            row = await self._database.read(lambda connection: rows.find(connection, storage_path))
            if row is None:
                raise not_found("upload")
            caller = Caller(row["account_id"])
            try:
                async with asyncio.timeout(None) as limit:
                    turn.begin(limit)
                    timed = timely(request.stream(), limit, idle=self._idle)
                    chunks = self._watched(timed, caller, storage_path, turn, claims.size)
                    await self._receive(
                        chunks, caller, storage_path, claims, stored=row["expires_at"] is None
                    )
            except TimeoutError as error:
                raise turn.refusal or stalled() from error
            finally:
                turn.finish()
        return MediaImport(
            success=True, storage_path=storage_path, content_type=claims.type, size_bytes=claims.size
        )

    def give_up(self, storage_path: str) -> None:
        """End the uploads to a path whose row is deleted, and delete their bytes."""
        for turn in self._turns.get(storage_path, ()):
            turn.end_with(not_found("upload"))

    @asynccontextmanager
    async def _turn(self, storage_path: str) -> AsyncIterator[_Turn]:
        """End earlier uploads to the path and wait until their bytes are deleted."""
        turns = self._turns.setdefault(storage_path, [])
        lock = self._locks.setdefault(storage_path, asyncio.Lock())
        for earlier in turns:
            earlier.end_with(invalid("", "The upload was started again elsewhere.", "upload_superseded"))
        turn = _Turn()
        turns.append(turn)
        try:
            async with lock:
                if turn.refusal is not None:
                    raise turn.refusal
                yield turn
        finally:
            turns.remove(turn)
            if not turns:
                del self._turns[storage_path], self._locks[storage_path]

    async def _receive(
        self,
        chunks: AsyncIterator[bytes],
        caller: Caller,
        storage_path: str,
        claims: UploadClaims,
        *,
        stored: bool,
    ) -> None:
        head, whole = await peek(chunks, HEAD_BYTES)
        kind = sniffed(head)
        if kind is None or kind.content_type != claims.type:
            found = kind.content_type if kind else "of an unsupported type"
            raise invalid("", f"The file was announced as {claims.type} but is {found}.", "wrong_kind")
        if stored:
            await self._compare(whole, storage_path, claims.size)
        else:
            await self._keeper.keep(caller, storage_path, whole, size=claims.size)

    async def _compare(self, chunks: AsyncIterator[bytes], storage_path: str, size: int) -> None:
        arrived = await self._keeper.digest(chunks)
        row = await self._database.read(lambda connection: rows.find(connection, storage_path))
        if row is None or row["sha256"] != arrived or row["size_bytes"] != size:
            raise other_bytes()

    async def _watched(
        self,
        chunks: AsyncIterator[bytes],
        caller: Caller,
        storage_path: str,
        turn: _Turn,
        size: int,
    ) -> AsyncIterator[bytes]:
        """Pass the chunks on, while they aren't too many, and there is storage for them."""
        clock = asyncio.get_running_loop().time
        held_at = clock()
        received = 0
        async for chunk in chunks:
            if turn.refusal is not None:
                raise turn.refusal
            received += len(chunk)
            if received > size:
                raise wrong_length(received, size)
            if clock() - held_at >= self._hold_every.total_seconds():
                hold = partial(self._hold, storage_path=storage_path)
                await write_for(self._database, caller, self._clock(), hold)
                held_at = clock()
            yield chunk
        turn.finish()  # the rest is our own work

    def _hold(self, connection: Connection, storage_path: str) -> None:
        """Renew the reservation, so that unfinished uploads never exceed the account's storage.

        Raises ApiError: 404 if another process cancelled the upload, 403 without enough storage.
        """
        row = rows.find(connection, storage_path, lock=True)
        if row is None:
            raise not_found("upload")
        now = self._clock()
        if row["expires_at"] is None or row["expires_at"] >= now + _HOLD:
            return
        if row["expires_at"] <= now:
            rows.require_room(connection, row["account_id"], row["size_bytes"], now)
        rows.extend(connection, storage_path, now + _HOLD)


def _check_announced_length(request: Request, size: int) -> None:
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) != size:
        raise wrong_length(int(announced), size)


def stalled() -> ApiError:
    """Return the error for a sender that paused for too long, or took too long in total."""
    return invalid("", "The upload stalled. Send it again.", "upload_stalled")
