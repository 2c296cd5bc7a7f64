"""Posts that were waiting to be sent when a backup was made. Blocking."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from app.contract.enums import PostStatus
from app.language import tr
from app.workspace.clock import to_millis

_UNSENT = (
    "key IN (SELECT posts.key FROM posts JOIN outbox USING (key) WHERE service_id IS NULL"
    " AND NOT outbox.cancelled AND (:every OR immediate OR outbox.at <= :now))"
)


def hold_unsent(workspace: Path, *, every: bool = False) -> None:
    """Mark posts that may have been published since the backup, so that they aren't sent again.

    A service restored from the same backup doesn't know them, so it can't recognize them by their idempotency
    keys either. ``every``: also those that aren't due yet, which a service that has forgotten their keys may
    have. Raises sqlite3.Error.
    """
    values = {
        "every": every,
        "now": to_millis(datetime.now(UTC)),
        "failed": PostStatus.FAILED.value,
        "reason": tr("It wasn't sent yet when the backup was made. It may have been published since.")
        if not every
        else tr(
            "It wasn't sent yet when the backup was made. It may have been scheduled or published since."
        ),
    }
    with closing(sqlite3.connect(workspace)) as rows:
        if {"posts", "outbox"} <= {name for (name,) in rows.execute("SELECT name FROM sqlite_master")}:
            rows.execute(
                f"UPDATE posts SET status = :failed, reason = :reason, may_be_live = 1 WHERE {_UNSENT}",  # noqa: S608
                values,
            )
            rows.execute(f"DELETE FROM outbox WHERE {_UNSENT}", values)  # noqa: S608
            rows.commit()
