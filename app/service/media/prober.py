"""The worker that has new files looked into, behind the uploads' back."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import ClassVar, Final, Protocol

import structlog
from pydantic import BaseModel, ValidationError
from sqlalchemy import Connection, select, update

from app.children import SOURCE, child_command, helper_environment
from app.database import Database
from app.service.clock import Clock
from app.service.media.stores import MediaStore, Place
from app.service.store.tables import media
from app.service.worker import DATABASE_ERRORS, PeriodicWorker

_log = structlog.get_logger(__name__)

_PATIENCE: Final = timedelta(seconds=20)
"""How long one file may be looked at."""
_BATCH: Final = 10
_LEASE: Final = _PATIENCE * (_BATCH + 1)
"""How long nobody else takes the files that a worker has taken."""


class Facts(BaseModel):
    """What the program found out; None where nobody can tell."""

    width: int | None = None
    height: int | None = None
    duration_ms: int | None = None
    video_codec: str | None = None
    audio_codec: str | None = None
    frame_rate: float | None = None


class Looker(Protocol):
    """The running program."""

    async def ask(self, file: Path, kind: str, patience: timedelta) -> Facts | None:
        """None when the program gave up over the file, or took too long."""

    def kill(self) -> None:
        """Ends the program, whatever it does."""

    async def end(self) -> None:
        """Kills the program and waits until it is gone."""


class Prober(PeriodicWorker):
    """Takes files that nobody has looked into, and writes down what the looking program says.

    ``start`` starts that program, with ``command``; it runs only while there are files, and dies alone over a
    bad one.
    """

    every = timedelta(minutes=1)  # files of other processes whose worker died are found then
    trouble = "files cannot be looked into now"
    passing: ClassVar[tuple[type[Exception], ...]] = (OSError, *DATABASE_ERRORS)

    def __init__(
        self,
        database: Database,
        store: MediaStore,
        clock: Clock,
        *,
        command: Sequence[str] = child_command("app.service.media.probing"),
        patience: timedelta = _PATIENCE,
        start: Callable[[Sequence[str]], Awaitable[Looker]] | None = None,
    ) -> None:
        super().__init__()
        self._database = database
        self._store = store
        self._clock = clock
        self._command = command
        self._patience = patience
        self._start = start or _Program.start
        self._program: Looker | None = None

    async def _round(self) -> timedelta | None:
        return timedelta() if await self.probe_some() else None

    def _report(self, error: Exception) -> None:
        reason = error.strerror if isinstance(error, OSError) else type(error).__name__
        _log.warning(self.trouble, reason=reason)

    async def stop(self) -> None:
        """What is being looked at is left for the next start."""
        await super().stop()
        if self._program is not None:
            self._program.kill()

    async def probe_some(self) -> bool:
        """Looks into a few files; says whether there were any. Raises OSError when it cannot begin."""
        files = await self._database.write(self._take)
        try:
            for place, kind in files:
                facts = await self._look_into(place, kind)
                if self._stopping:
                    break
                await self._note(place.storage_path, facts)
        finally:
            await self._end_program()
        return bool(files)

    async def _look_into(self, place: Place, kind: str) -> Facts:
        try:
            return await self._ask_about(place, kind)
        except FileNotFoundError:  # removed meanwhile
            return Facts()

    async def _ask_about(self, place: Place, kind: str) -> Facts:
        async with self._lent(place) as file:
            if self._program is None:
                self._program = await self._start(self._command)
            facts = await self._program.ask(file, kind, self._patience)
        if facts is None and not self._stopping:
            await self._end_program()
            _log.warning("a file could not be looked into", kind=kind)
        return facts or Facts()

    @contextlib.asynccontextmanager
    async def _lent(self, place: Place) -> AsyncIterator[Path]:
        with contextlib.ExitStack() as stack:
            yield await asyncio.to_thread(stack.enter_context, self._store.lent(place))

    async def _note(self, storage_path: str, facts: Facts) -> None:
        found = update(media).where(media.c.storage_path == storage_path)
        await self._database.write(
            lambda rows: rows.execute(found.values(**facts.model_dump(), probe_after=None))
        )

    async def _end_program(self) -> None:
        program, self._program = self._program, None
        if program is not None:
            await program.end()

    def _take(self, connection: Connection) -> list[tuple[Place, str]]:
        now = self._clock()
        due = select(media.c.id).where(media.c.probe_after <= now).order_by(media.c.probe_after).limit(_BATCH)
        free = due.with_for_update(skip_locked=True).cte(
            "free"
        )  # which PostgreSQL runs once, whatever its plan
        taken = connection.execute(
            update(media)
            .where(media.c.id.in_(select(free.c.id)))
            .values(probe_after=now + _LEASE)
            .returning(media.c.storage_path, media.c.object_key, media.c.kind, media.c.created_at)
        )
        oldest_first = sorted(taken, key=lambda row: (row.created_at, row.storage_path))
        return [(Place(row.storage_path, row.object_key), row.kind) for row in oldest_first]


class _Program:
    """A process of our own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, command: Sequence[str]) -> "_Program":
        pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        return cls(
            await asyncio.create_subprocess_exec(
                *command,
                cwd=SOURCE,
                env=helper_environment(),
                stdin=pipe,
                stdout=pipe,
                stderr=nothing,
            )
        )

    async def ask(self, file: Path, kind: str, patience: timedelta) -> Facts | None:
        assert self._process.stdin is not None  # noqa: S101  it was started with pipes
        assert self._process.stdout is not None  # noqa: S101
        try:
            async with asyncio.timeout(patience.total_seconds()):
                self._process.stdin.write(json.dumps({"path": str(file), "kind": kind}).encode() + b"\n")
                await self._process.stdin.drain()
                return Facts.model_validate_json(await self._process.stdout.readline())
        except (TimeoutError, OSError, ValidationError):
            return None

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def end(self) -> None:
        self.kill()
        await self._process.communicate()
