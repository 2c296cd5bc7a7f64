"""The helper process for stored files: probes of new files, and frames of videos."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol

import structlog
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, bindparam, select, update
from sqlalchemy.sql.dml import ReturningUpdate

from app.contract.enums import PostType
from app.database import Database
from app.media.helper import COMMAND, Helper, HelperError
from app.media.protocol import PIECE_MAX, ProbeResult
from app.service.clock import Clock
from app.service.media.stores import MediaStore, Place
from app.service.store.tables import media
from app.service.threads import in_thread
from app.service.worker import DATABASE_ERRORS, PeriodicWorker

_log = structlog.get_logger(__name__)

_PATIENCE: Final = timedelta(seconds=20)
"""Time limit for probing one file."""
_BATCH: Final = 10
_LEASE: Final = _PATIENCE * (_BATCH + 1)
"""How long claimed files are left to the worker that claimed them."""
_AGAIN: Final = timedelta(seconds=5)
"""Pause after a database error."""


_RESULT: Final = TypeAdapter(ProbeResult)
_COLUMNS: Final = ("width", "height", "duration_ms", "video_codec", "audio_codec", "frame_rate")
"""The stored fields of a result."""
_DUE: Final = select(media.c.id).where(media.c.probe_after <= bindparam("now"))
_ANY_DUE: Final = _DUE.limit(1)


def _claim() -> ReturningUpdate[Any]:
    first = _DUE.order_by(media.c.probe_after).limit(_BATCH)
    # In a common table expression, so that PostgreSQL runs it once, whatever its plan.
    free = first.with_for_update(skip_locked=True).cte("free")
    return (
        update(media)
        .where(media.c.id.in_(select(free.c.id)))
        .values(probe_after=bindparam("leased_until"))
        .returning(media.c.storage_path, media.c.object_key, media.c.kind, media.c.created_at)
    )


_CLAIM: Final = _claim()


_RELEASE: Final = (
    update(media)
    .where(media.c.probe_after.in_(bindparam("leases", expanding=True, type_=media.c.probe_after.type)))
    .values(probe_after=bindparam("now"))
)


class Program(Protocol):
    """The running program that probes files."""

    async def probe(self, file: Path, kind: str) -> ProbeResult | None:
        """Probe a file; None if the program crashed on it or took too long."""

    def kill(self) -> None:
        """Kill the program."""

    async def end(self) -> None:
        """Kill the program and wait until it has ended."""


class Prober(PeriodicWorker):
    """Claims unprobed files and stores the helper process's results.

    ``start`` runs the helper process with ``command`` and ``patience``. It only runs while there are files,
    and a bad file crashes nothing else.
    """

    every = timedelta(minutes=1)  # also finds files of crashed processes
    trouble = "files can't be probed now; trying again"
    passing: ClassVar[tuple[type[Exception], ...]] = (OSError, *DATABASE_ERRORS)

    def __init__(
        self,
        database: Database,
        store: MediaStore,
        clock: Clock,
        *,
        command: Sequence[str] = COMMAND,
        patience: timedelta = _PATIENCE,
        start: Callable[[Sequence[str], timedelta], Program] | None = None,
    ) -> None:
        super().__init__()
        self._database = database
        self._store = store
        self._clock = clock
        self._command = command
        self._patience = patience
        self._start = start or HelperProgram
        self._program: Program | None = None
        self._leases: list[datetime] = []
        """Leases of files that aren't being probed any more, and that may still be in their rows."""

    async def _round(self) -> timedelta | None:
        try:
            await self._release()
            return timedelta() if await self.probe_some() else None
        except DATABASE_ERRORS as error:
            self._report(error)
            return _AGAIN

    def _report(self, error: Exception) -> None:
        reason = error.strerror if isinstance(error, OSError) else type(error).__name__
        _log.warning(self.trouble, reason=reason)

    async def stop(self) -> None:
        """Stop; files in progress are probed after the next start."""
        await super().stop()
        if self._program is not None:
            self._program.kill()

    async def probe_some(self) -> bool:
        """Probe a few files; return whether there were any. Raises OSError if the program can't start."""
        # An idle service only reads: a write transaction would lock the database for nothing.
        if not await self._database.read(self._has_due):
            return False
        lease = self._new_lease()
        self._leases.append(lease)
        files = await self._database.write(lambda rows: self._take(rows, lease))
        try:
            for place, kind in files:
                result = await self._probe(place, kind)
                if self._stopping:
                    break
                await self._note(place.storage_path, result)
            else:
                self._leases.remove(lease)
        finally:
            await self._end_program()
        return bool(files)

    async def _release(self) -> None:
        """Release files that a round claimed, perhaps unknowingly, and left: they'd wait for their lease."""
        if self._leases:
            left = {"leases": self._leases, "now": self._clock()}
            await self._database.write(lambda rows: rows.execute(_RELEASE, left))
            self._leases = []

    async def _probe(self, place: Place, kind: str) -> ProbeResult:
        try:
            async with self._lent(place) as file:
                if self._program is None:
                    self._program = self._start(self._command, self._patience)
                found = await self._program.probe(file, kind)
        except FileNotFoundError:  # removed meanwhile
            return ProbeResult()
        if found is None and not self._stopping:
            await self._end_program()
            _log.warning("a file could not be probed", kind=kind)
        return found or ProbeResult()

    @contextlib.asynccontextmanager
    async def _lent(self, place: Place) -> AsyncIterator[Path]:
        stack = contextlib.ExitStack()
        try:
            yield await in_thread(stack.enter_context, self._store.lent(place))
        finally:
            await in_thread(stack.close)  # deletes the copy of a file from a bucket

    async def _note(self, storage_path: str, result: ProbeResult) -> None:
        values = {name: getattr(result, name) for name in _COLUMNS}
        probed = update(media).where(media.c.storage_path == storage_path).values(**values, probe_after=None)
        await self._database.write(lambda rows: rows.execute(probed))

    async def _end_program(self) -> None:
        program, self._program = self._program, None
        if program is not None:
            await program.end()

    def _has_due(self, connection: Connection) -> bool:
        return connection.execute(_ANY_DUE, {"now": self._clock()}).first() is not None

    def _new_lease(self) -> datetime:
        return self._clock() + _LEASE

    def _take(self, connection: Connection, lease: datetime) -> list[tuple[Place, str]]:
        taken = connection.execute(_CLAIM, {"now": lease - _LEASE, "leased_until": lease})
        oldest_first = sorted(taken, key=lambda row: (row.created_at, row.storage_path))
        return [(Place(row.storage_path, row.object_key), row.kind) for row in oldest_first]


class HelperProgram:
    """The program as a helper process."""

    def __init__(self, command: Sequence[str], patience: timedelta) -> None:
        self._helper = Helper(command, patience.total_seconds())

    async def probe(self, file: Path, kind: str) -> ProbeResult | None:
        asked = {"do": "probe", "path": str(file), "post_type": PostType(kind).value, "whole": False}
        try:
            answer, _ = await self._helper.ask_in_thread(asked)
            return _RESULT.validate_python(answer.get("done", {}))
        except (HelperError, ValidationError):
            return None

    def kill(self) -> None:
        self._helper.stop()

    async def end(self) -> None:
        self.kill()
        await asyncio.to_thread(self._helper.close)


_AT_ONCE: Final = 2
_BYTES_MAX: Final = 2_000_000
"""Largest picture in bytes that every platform accepts."""


class Frames:
    """Makes pictures of videos in any store. ``command`` starts a program like `app.media.worker`."""

    def __init__(
        self, store: MediaStore, *, command: Sequence[str] = COMMAND, patience: timedelta = _PATIENCE
    ) -> None:
        self._store = store
        self._command = command
        self._patience = patience
        self._room = asyncio.Semaphore(_AT_ONCE)

    async def picture(self, place: Place, size: int, ms: int) -> bytes | None:
        """Return the frame at ``ms`` of a video of ``size`` bytes, as a JPEG of at most 2 MB.

        Returns None if the video can't be read, or not now.
        """
        async with self._room:
            try:
                async with asyncio.timeout(self._patience.total_seconds()):
                    return await self._made(place, size, ms)
            except (OSError, HelperError) as error:  # TimeoutError is one of the former
                _log.warning("a video's frame could not be extracted", reason=type(error).__name__)
                return None

    async def _made(self, place: Place, size: int, ms: int) -> bytes | None:
        helper, loop = Helper(self._command, self._patience.total_seconds()), asyncio.get_running_loop()

        def read(first: int, length: int) -> bytes:
            return asyncio.run_coroutine_threadsafe(self._piece(place, first, length), loop).result()

        try:
            asked = {"do": "cover", "size": size, "ms": ms}
            _, picture = await helper.ask_in_thread(asked, read=read)
        finally:
            helper.stop()
            await in_thread(helper.close)
        return picture if 0 < len(picture) <= _BYTES_MAX else None

    async def _piece(self, place: Place, first: int, size: int) -> bytes:
        """Read part of the video. Raises ValueError for an invalid range, or the store's errors."""
        if first < 0 or not 0 < size <= PIECE_MAX:
            raise ValueError(size)
        async with self._store.open_at(place, first, size) as chunks:
            return b"".join([chunk async for chunk in chunks])
