"""The changes of one command, or of one response of the service, written all or none."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, update
from sqlalchemy.dialects.sqlite import insert

from app.workspace.outbox.intention import Intention
from app.workspace.outbox.unanswered import Unanswered
from app.workspace.posts.planned import PlannedPost
from app.workspace.store.loading import PostRow
from app.workspace.store.tables import late_calls, outbox, posts, undo_steps
from app.workspace.undo import NO_CHANGE, HistoryChange, Step

_NEVER_TOLD = ("board_id", "board_name", "link", "tiktok")


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows to write, posts with a new state, posts to remove, wishes to keep or settle, and undo steps.

    ``unanswered`` are calls that may still be carried out. They replace the stored ones.
    """

    rows: tuple[PostRow, ...] = ()
    bases: tuple[PlannedPost, ...] = ()
    removed: tuple[str, ...] = ()
    intentions: tuple[Intention, ...] = ()
    settled: tuple[str, ...] = ()
    unanswered: tuple[Unanswered, ...] = ()
    history: HistoryChange = NO_CHANGE

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
    if values:
        put = insert(outbox)
        changed = {name: column for name, column in put.excluded.items() if name != "key"}
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


def _as_json(step: Step) -> str:
    return json.dumps(
        [
            [edit.key, edit.before.at, edit.before.cancelled, edit.after.at, edit.after.cancelled]
            for edit in step.edits
        ]
    )
