"""Writes commands to disk in the background, and reverts them if that fails."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection

from app.database import DatabaseError
from app.language import tr
from app.workspace.changes import Changes
from app.workspace.core import Core
from app.workspace.messages import Message
from app.workspace.problems import problem_of
from app.workspace.store import loading
from app.workspace.store.batch import Batch
from app.workspace.store.loading import PostRow

_ABOUT: Final = "new posts"
_log = logging.getLogger(__name__)


class Journal:
    """Writes batches in the order they're recorded, in a thread.

    A change that couldn't be written is undone in memory too, and a message is shown. A new post isn't
    undone, because its text exists nowhere else: it stays, and writing it is retried until there is space.
    """

    def __init__(self, core: Core, *, on_saved: Callable[[], None]) -> None:
        self._core = core
        self._on_saved = on_saved
        self._loop = asyncio.get_running_loop()
        self._writing: Counter[str] = Counter()
        self._failed: set[str] = set()
        self._rows: dict[str, PostRow] = {}  # new posts that couldn't be written yet
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def unsaved(self) -> int:
        """Number of posts with changes that aren't on disk yet."""
        return len(self._writing.keys() | self._rows.keys() | self._failed)

    def is_saved(self, key: str) -> bool:
        """Whether all changes of a post are on disk; before that, nothing of it is sent."""
        return not self._writing[key] and key not in self._rows and key not in self._failed

    def record(self, batch: Batch) -> None:
        """Write a command that memory already shows. Returns immediately."""
        batch = self._without_unwritten(batch)
        self._writing.update(batch.keys())
        self._idle.clear()
        future = self._core.database.submit(batch.apply)
        future.add_done_callback(lambda done: self._loop.call_soon_threadsafe(self._finish, batch, done))

    async def write(self, batch: Batch) -> None:
        """Write the service's data, or what is about to be sent. Raises DatabaseError."""
        await self._core.commit(batch.apply)

    async def flush(self) -> None:
        """Wait until everything recorded is written or has failed."""
        await self._idle.wait()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._rows:
            await self._write_rows()

    def _finish(self, batch: Batch, done: Future[None]) -> None:
        self._writing.subtract(batch.keys())
        self._writing += Counter()  # drops what has reached zero
        if error := done.exception():
            self._fail(batch, error)
        if self._failed and not any(self._writing[key] for key in self._failed):
            self._start(self._restore())
        if not self._writing:
            self._idle.set()
        self._on_saved()

    def _fail(self, batch: Batch, error: BaseException) -> None:
        expected = isinstance(error, DatabaseError)  # the user is notified, and can do something about it
        _log.log(logging.WARNING if expected else logging.ERROR, "a change could not be kept: %s", error)
        fresh = {row.key: row for row in batch.rows}
        if fresh and not self._rows:
            self._start(self._write_again())
        self._rows.update(fresh)
        self._failed |= batch.keys() - self._rows.keys()
        said = problem_of(error) if isinstance(error, Exception) else None
        why = said.text if said else ""
        what = (
            tr("The new post isn't saved yet. Keep Kalends open; it keeps trying to save it.")
            if fresh
            else tr("The change couldn't be saved and was undone.")
        )
        about = _ABOUT if fresh else ""
        told = Message("error", f"{what} {why}", said.details if said else "", about=about)
        self._core.messages.tell(told)

    async def _restore(self) -> None:
        """Show failed posts as they are on disk."""
        keys = sorted(self._failed)

        def work(connection: Connection) -> tuple[list[PostRow], Batch, list[str]]:
            rows = loading.post_rows(connection, keys)
            kept = Batch(intentions=tuple(loading.intentions(connection, keys)))
            return rows, kept, sorted({*keys} - {row.key for row in rows})

        try:
            try:
                # As a write, so that it runs after everything recorded before.
                rows, kept, missing = await self._core.commit(work)
            except DatabaseError:  # a full disk fails every write in the same commit
                rows, kept, missing = await self._core.database.read(work)
            steps = await self._core.database.read(loading.steps)
        except DatabaseError:
            _log.exception("what was kept could not be read")
            return
        if any(self._writing[key] for key in keys):
            return  # another change of these posts is being written; its end calls this again
        self._failed.difference_update(keys)
        intentions = {intention.key: intention for intention in kept.intentions}
        mirror = self._core.mirror
        mirror.put_all((row.planned(), intentions.get(row.key)) for row in rows)
        mirror.remove(missing)
        self._core.history.load(steps)
        told = Changes(posts=frozenset(row.key for row in rows), removed=frozenset(missing), undo=True)
        self._core.changes.tell(told)
        self._on_saved()

    async def _write_again(self) -> None:
        while self._rows:
            await asyncio.sleep(self._core.pace.save_again)
            await self._write_rows()
        self._core.messages.tell(Message("info", tr("The new post is saved now."), about=_ABOUT))
        self._on_saved()

    async def _write_rows(self) -> None:
        mirror = self._core.mirror
        rows = {key: row for key, row in self._rows.items() if mirror.base(key)}
        bases = [base for key in rows if (base := mirror.base(key))]
        wanted = [mirror.intentions[key] for key in rows if key in mirror.intentions]
        batch = Batch(
            rows=tuple(replace(rows[base.key], at=base.at, status=base.status.value) for base in bases),
            intentions=tuple(wanted),
        )
        try:
            await self.write(batch)
        except DatabaseError as error:
            _log.warning("new posts are still not saved: %s", error)
        else:
            self._rows.clear()

    def _without_unwritten(self, batch: Batch) -> Batch:
        """Omit changes of posts whose rows aren't written yet: the rows will include them."""
        if not self._rows:
            return batch
        return replace(
            batch,
            bases=tuple(base for base in batch.bases if base.key not in self._rows),
            intentions=tuple(wish for wish in batch.intentions if wish.key not in self._rows),
            settled=tuple(key for key in batch.settled if key not in self._rows),
        )

    def _start(self, coroutine: "asyncio._CoroutineLike[None]") -> None:
        task = self._loop.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
