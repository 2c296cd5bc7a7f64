"""Writes commands to disk in the background, each all or none, and reverts them if that fails."""

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, and_, bindparam, case, delete, func, literal_column, select, update
from sqlalchemy.dialects.sqlite import insert

from app.database import DatabaseError
from app.language import tr
from app.workspace.changes import Changes
from app.workspace.core import Core
from app.workspace.messages import Message
from app.workspace.outbox.intention import Intention
from app.workspace.outbox.unanswered import Unanswered
from app.workspace.posts.planned import PlannedPost
from app.workspace.problems import problem_of
from app.workspace.store import loading
from app.workspace.store.loading import PostRow
from app.workspace.store.tables import drafts, late_calls, outbox, posts, undo_steps
from app.workspace.undo import NO_CHANGE, HistoryChange, Step

_CALL = ("attempts", "create_at", "seen_at", "seen_cancelled", "sent")
_NEVER_TOLD = ("board_id", "board_name", "link", "tiktok", "options")


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows to write, posts with a new state, posts to remove, wishes to keep or settle, and undo steps.

    ``unanswered`` are calls that may still be carried out. They replace the stored ones. ``superseded`` are
    the IDs of drafts whose texts are in the rows.
    """

    rows: tuple[PostRow, ...] = ()
    bases: tuple[PlannedPost, ...] = ()
    removed: tuple[str, ...] = ()
    intentions: tuple[Intention, ...] = ()
    settled: tuple[str, ...] = ()
    unanswered: tuple[Unanswered, ...] = ()
    history: HistoryChange = NO_CHANGE
    superseded: frozenset[str] = frozenset()

    def keys(self) -> frozenset[str]:
        """The keys of all posts in it."""
        return frozenset(
            (
                *(row.key for row in self.rows),
                *(base.key for base in self.bases),
                *self.removed,
                *(intention.key for intention in self.intentions),
                *self.settled,
            )
        )

    def apply(self, connection: Connection) -> None:
        """Write it in the caller's transaction."""
        if self.removed:
            _delete(connection, self.removed)
        _put_rows(connection, self.rows)
        _put_bases(connection, self.bases)
        _put_intentions(connection, self.intentions)
        _settle(connection, self.settled)
        _put_unanswered(connection, self.unanswered)
        _put_history(connection, self.history)
        _delete_drafts(connection, self.superseded)


def _delete(connection: Connection, keys: Iterable[str]) -> None:
    connection.execute(delete(posts).where(posts.c.key == bindparam("k")), [{"k": key} for key in keys])


def _settle(connection: Connection, keys: Iterable[str]) -> None:
    if values := [{"k": key} for key in keys]:
        connection.execute(delete(outbox).where(outbox.c.key == bindparam("k")), values)


def _put_rows(connection: Connection, rows: Iterable[PostRow]) -> None:
    values = [row.values() for row in rows]
    if not values:
        return
    put = insert(posts)
    # The service's data doesn't overwrite what only the app knows.
    kept = {"key", "idempotency_key"}
    changed: dict[str, Any] = {name: column for name, column in put.excluded.items() if name not in kept}
    changed |= {name: func.coalesce(put.excluded[name], posts.c[name]) for name in _NEVER_TOLD}
    connection.execute(put.on_conflict_do_update(index_elements=["key"], set_=changed), values)


def _put_bases(connection: Connection, bases: Iterable[PlannedPost]) -> None:
    values = [
        {
            "k": base.key,
            "s": base.status.value,
            "t": base.at,
            "r": base.reason,
            "l": base.may_be_live,
        }
        for base in bases
    ]
    if values:
        connection.execute(
            update(posts)
            .where(posts.c.key == bindparam("k"))
            .values(
                status=bindparam("s"), at=bindparam("t"), reason=bindparam("r"), may_be_live=bindparam("l")
            ),
            values,
        )


def _put_intentions(connection: Connection, intentions: Iterable[Intention]) -> None:
    values = [
        {
            "key": intention.key,
            "at": intention.wanted.at,
            "cancelled": intention.wanted.cancelled,
            "version": intention.version,
            "attempts": intention.attempts,
            "create_at": intention.create_at,
            "seen_at": None if intention.seen is None else intention.seen.at,
            "seen_cancelled": None if intention.seen is None else intention.seen.cancelled,
            "sent": json.dumps([[sent.at, sent.cancelled] for sent in intention.sent]),
            "after": intention.after,
        }
        for intention in intentions
    ]
    if not values:
        return
    put = insert(outbox)
    new = put.excluded
    # A change of a post that the service knows, while the ID that it has there couldn't be written: here the
    # post is still being created. The create call must stay known, or cancelling would need no call.
    # As text, because SQLAlchemy would join `outbox` once more instead of naming the row to be changed.
    service_id = select(posts.c.service_id).where(posts.c.key == literal_column('outbox."key"'))
    is_creating = and_(new.seen_at.is_not(None), service_id.scalar_subquery().is_(None))
    changed: dict[str, Any] = {name: new[name] for name in ("at", "cancelled", "version", "after")}
    changed |= {name: case((is_creating, outbox.c[name]), else_=new[name]) for name in _CALL}
    connection.execute(put.on_conflict_do_update(index_elements=["key"], set_=changed), values)


def _put_unanswered(connection: Connection, unanswered: Iterable[Unanswered]) -> None:
    for one in unanswered:
        connection.execute(delete(late_calls).where(late_calls.c.key == one.key))
        if one.calls:
            calls = [[call.wanted.at, call.wanted.cancelled, call.until] for call in one.calls]
            confirmed = {"at": one.wanted.at, "cancelled": one.wanted.cancelled}
            connection.execute(insert(late_calls).values(key=one.key, calls=json.dumps(calls), **confirmed))


def _put_history(connection: Connection, change: HistoryChange) -> None:
    for step, done in change.put:
        put = insert(undo_steps).values(
            id=step.id,
            done=done,
            label=str(step.label),
            edits=_as_json(step),
            made_at=step.made_at,
            doing=step.label.doing.value if step.label.doing else "",
            number=step.label.number,
        )
        changed = {name: put.excluded[name] for name in ("done", "label", "edits", "doing", "number")}
        connection.execute(put.on_conflict_do_update(index_elements=["id"], set_=changed))
    for step_id in change.dropped:
        connection.execute(delete(undo_steps).where(undo_steps.c.id == step_id))


def _delete_drafts(connection: Connection, ids: Iterable[str]) -> None:
    if values := [{"i": draft_id} for draft_id in ids]:
        connection.execute(delete(drafts).where(drafts.c.id == bindparam("i")), values)


def _as_json(step: Step) -> str:
    return json.dumps(
        [
            [edit.key, edit.before.at, edit.before.cancelled, edit.after.at, edit.after.cancelled]
            for edit in step.edits
        ]
    )


_ABOUT: Final = "new posts"


class _Stored(NamedTuple):
    """Posts and the undo history as they are on disk."""

    rows: list[PostRow]
    intentions: dict[str, Intention]
    steps: list[tuple[Step, bool]]


def _read(connection: Connection, *, keys: Sequence[str]) -> _Stored:
    wishes = {wish.key: wish for wish in loading.intentions(connection, keys)}
    return _Stored(loading.post_rows(connection, keys), wishes, loading.steps(connection))


_State = tuple[PostRow | None, PlannedPost | None, Intention | None]
_log = logging.getLogger(__name__)


class Journal:
    """Writes batches in the order they're recorded, in a thread.

    A change that couldn't be written is undone in memory too, and a message is shown. A new post isn't
    undone, because its text exists nowhere else: it stays, with the post it replaces, and writing them is
    retried until there is space. They're written as they are in memory then.
    """

    def __init__(self, core: Core, *, on_saved: Callable[[], None]) -> None:
        self._core = core
        self._on_saved = on_saved
        self._loop = asyncio.get_running_loop()
        self._writing: Counter[str] = Counter()
        self._recorded = 0
        self._failed: set[str] = set()
        # New posts that couldn't be written yet, and posts they replace, which have no row here.
        self._unwritten: dict[str, PostRow | None] = {}
        self._dropped: frozenset[int] = frozenset()  # undo steps to remove with the next write of them
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def unsaved(self) -> int:
        """Number of posts with changes that aren't on disk yet."""
        return len(self._writing.keys() | self._unwritten.keys() | self._failed)

    def unsaved_posts(self) -> list[PostRow]:
        """Return the new posts that couldn't be written, as they are now."""
        return list(self._batch({key: self._state(key) for key in self._unwritten}).rows)

    def is_saved(self, key: str) -> bool:
        """Whether all changes of a post are on disk; before that, nothing of it is sent."""
        return not self._writing[key] and key not in self._unwritten and key not in self._failed

    def is_unwritten(self, keys: Iterable[str]) -> bool:
        """Whether these are new posts still to be written, as memory has them then.

        An attempt may have just written one that was removed meanwhile; the next attempt deletes it.
        """
        return self._unwritten.keys() >= {*keys}

    def record(self, batch: Batch, also: Callable[[Connection], object] | None = None) -> Future[None]:
        """Write a command that memory already shows, and do more in its transaction. Returns immediately.

        The future ends after a failed change is noted here.
        """
        batch = self._without_unwritten(batch)
        self._writing.update(batch.keys())
        self._recorded += 1
        self._idle.clear()

        def write(connection: Connection) -> None:
            batch.apply(connection)
            if also is not None:
                also(connection)

        future = self._core.database.submit(write)
        future.add_done_callback(lambda done: self._loop.call_soon_threadsafe(self._finish, batch, done))
        return future

    async def write(self, batch: Batch) -> None:
        """Write the service's data, or what is about to be sent. Raises DatabaseError."""
        await self._core.commit(batch.apply)

    async def flush(self) -> None:
        """Wait until everything recorded is written or has failed."""
        await self._idle.wait()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        while self._unwritten and await self._write_unwritten():
            pass

    def _finish(self, batch: Batch, done: Future[None]) -> None:
        self._writing.subtract(batch.keys())
        self._writing += Counter()  # drops what has reached zero
        if error := done.exception():
            self._fail(batch, error)
        if self._failed and not self._writing:
            self._start(self._restore())
        if not self._writing:
            self._idle.set()
        self._on_saved()

    def _fail(self, batch: Batch, error: BaseException) -> None:
        keys, fresh = batch.keys(), {row.key: row for row in batch.rows}
        if fresh and not self._unwritten:
            self._start(self._write_again())
        if fresh:
            self._unwritten |= {key: fresh.get(key) or self._unwritten.get(key) for key in keys}
        is_unwritten = bool(keys) and self.is_unwritten(keys)
        if is_unwritten:
            self._dropped |= frozenset(batch.history.dropped)
        if is_unwritten and not fresh:
            return  # a change of new posts that was recorded before their rows failed; it will be written
        self._failed = (self._failed | keys) - self._unwritten.keys()
        expected = isinstance(error, DatabaseError)  # the user is notified, and can do something about it
        _log.log(logging.WARNING if expected else logging.ERROR, "a change could not be kept: %s", error)
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
        """Show failed posts as they are on disk, unless memory becomes newer while they're read."""
        mirror = self._core.mirror
        while self._failed and not self._writing:  # the end of what is being written calls this again
            keys, recorded = sorted(self._failed), self._recorded
            before = {key: (mirror.base(key), mirror.intentions.get(key)) for key in keys}
            try:
                stored = await self._read(keys)
            except DatabaseError:
                _log.exception("what was kept could not be read")
                return
            now = {key: (mirror.base(key), mirror.intentions.get(key)) for key in keys}
            if now == before and self._recorded == recorded:
                # A post with a new row that failed meanwhile isn't among them: it will be written.
                self._show(stored, frozenset(self._failed.intersection(keys)))

    async def _read(self, keys: Sequence[str]) -> _Stored:
        """Read posts and the undo history in one transaction. Raises DatabaseError."""
        work = partial(_read, keys=keys)
        try:
            # As a write, so that it runs after everything recorded before.
            return await self._core.commit(work)
        except DatabaseError:  # a full disk fails every write in the same commit
            return await self._core.database.read(work)

    def _show(self, stored: _Stored, keys: frozenset[str]) -> None:
        self._failed -= keys
        mirror, rows = self._core.mirror, [row for row in stored.rows if row.key in keys]
        for row in rows:
            mirror.identify(row.key, row.service_id)  # removing a post forgets whether it was sent
        mirror.put_all((row.planned(), stored.intentions.get(row.key)) for row in rows)
        gone = keys - {row.key for row in rows}
        mirror.remove(gone)
        self._core.history.load(self._newest_steps(stored.steps, keys))
        told = Changes(posts=frozenset(row.key for row in rows), removed=frozenset(gone), undo=True)
        self._core.changes.tell(told)
        self._on_saved()

    def _newest_steps(
        self, stored: Iterable[tuple[Step, bool]], restored: Collection[str]
    ) -> list[tuple[Step, bool]]:
        """Return the stored undo steps, with those of unwritten posts as they are in memory."""
        steps = {step.id: (step, done) for step, done in stored if step.id not in self._dropped}
        for step, done in self._core.history.steps_of(self._unwritten.keys()).put:
            left = tuple(edit for edit in step.edits if edit.key not in restored)
            steps[step.id] = (step if step.id in steps else replace(step, edits=left)), done
        return [steps[step_id] for step_id in sorted(steps)]

    async def _write_again(self) -> None:
        while self._unwritten:
            await asyncio.sleep(self._core.pace.save_again)
            await self._write_unwritten()
        self._core.messages.tell(Message("info", tr("The new post is saved now."), about=_ABOUT))
        self._on_saved()

    async def _write_unwritten(self) -> bool:
        """Write new posts as they are now; return whether that worked.

        Those that change during the write stay unwritten, because their changes aren't recorded.
        """
        states, dropped = {key: self._state(key) for key in self._unwritten}, self._dropped
        try:
            await self.write(self._batch(states))
        except DatabaseError as error:
            _log.warning("new posts are still not saved: %s", error)
            return False
        for key, state in states.items():
            if self._state(key) == state:
                del self._unwritten[key]
        self._dropped -= dropped
        return True

    def _state(self, key: str) -> _State:
        mirror = self._core.mirror
        return self._unwritten[key], mirror.base(key), mirror.intentions.get(key)

    def _batch(self, states: Mapping[str, _State]) -> Batch:
        """Return everything to write of posts; those removed meanwhile have no base.

        Those that are new are deleted, because an earlier attempt may have written them.
        """
        left = [(row, base, wish) for row, base, wish in states.values() if base is not None]
        return Batch(
            rows=tuple(replace(row, at=base.at, status=base.status.value) for row, base, _ in left if row),
            bases=tuple(base for row, base, _ in left if row is None),
            removed=tuple(key for key, (row, base, _) in states.items() if row and base is None),
            intentions=tuple(wish for _, _, wish in left if wish),
            settled=tuple(base.key for _, base, wish in left if wish is None),
            history=self._core.history.steps_of(states.keys()) | HistoryChange(dropped=(*self._dropped,)),
            superseded=frozenset(row.draft for row, _, _ in left if row and row.draft),
        )

    def _without_unwritten(self, batch: Batch) -> Batch:
        """Omit changes of posts that aren't written yet: they'll be written as they are then."""
        if not self._unwritten:
            return batch
        return replace(
            batch,
            bases=tuple(base for base in batch.bases if base.key not in self._unwritten),
            intentions=tuple(wish for wish in batch.intentions if wish.key not in self._unwritten),
            settled=tuple(key for key in batch.settled if key not in self._unwritten),
        )

    def _start(self, coroutine: "asyncio._CoroutineLike[None]") -> None:
        task = self._loop.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
