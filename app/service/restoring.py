"""Detecting restored databases, and preventing that anything is published twice.

Posts in an older database may be live although they are still scheduled there. Posts that were due before the
restore aren't sent. Calls in the journal that the database lacks are looked up on the platforms, even if
their posts are scheduled for later now. After a failover of the database server, only the latter happens.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

import structlog
from sqlalchemy import Connection, delete, func, insert, select, update

from app.contract.companion import AttemptOutcome
from app.contract.enums import PostStatus
from app.database import Database
from app.database.committer import Work
from app.database.postgresql import timeline
from app.platforms.advice import SENT_BEFORE_RESTORE
from app.service.accounts.accounts import in_force
from app.service.publishing.failovers import JournalCheck
from app.service.publishing.history import Step
from app.service.store import marks
from app.service.store.departures import departures
from app.service.store.folder import DataFolder
from app.service.store.journal import Journaled, SendJournal, Sent, open_journal, outside
from app.service.store.tables import accounts, api_keys, attempts, changes, posts, sessions, sign_in_links

_log = structlog.get_logger(__name__)

APP_KEY_NAME: Final = "The Kalends app"
"""Name of the key that the desktop app creates for itself in its embedded service."""

_TAIL: Final = 100
"""How many of the latest calls in each journal file are compared with the database.

If one is missing, all are compared.
"""
_GROUP: Final = 500


@dataclass(frozen=True, slots=True)
class Past:
    """What an installation has already done.

    Attributes:
        journal: Records calls to platforms before they begin.
        restored_at: When the database was last restored; posts due before aren't sent.
        calls_to_look_for: Number of calls that the database lacked.
        check: Compares the database with the journal again after a failover.
    """

    journal: SendJournal
    restored_at: datetime | None
    calls_to_look_for: int = 0
    check: JournalCheck | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    """The result of checking a database; ``why`` it counts as restored just now, or empty."""

    restored_at: datetime | None
    why: str = ""
    calls: int = 0
    keys: int = 0


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is known outside the database.

    Attributes:
        marked_at: When a backup was restored, from the marker in the folder.
        sent: The calls in the journal.
        file: An id of the database file; None on a server.
        now: The time of the check.
        is_known: Whether the journal belongs to this folder and wasn't copied with it.
        alone: Whether this is an installation on one computer, where the desktop app may have a key.
    """

    marked_at: datetime | None
    sent: Journaled
    file: str | None
    now: datetime
    is_known: bool
    alone: bool


def look_into_past(
    folder: DataFolder, database: Database, now: datetime, journal: SendJournal | None = None, *, alone: bool
) -> Past:
    """Detect a restored database, or one marked as restored, and act on it. Blocking.

    Call this before publishing anything. By default uses the folder's journal. ``alone`` is for an
    installation on one computer, where the desktop app may have a key. Raises OSError or DatabaseError.
    """
    journal = journal or open_journal(folder.root)
    journal.rotate()
    marked_at, sent = folder.restored_at(), journal.read(now)
    file = marks.place_of_file(database, folder.database)
    # That journal isn't copied with the folder, so it is more reliable than the file's inode number.
    is_known = file is not None and outside(folder.root).exists()
    seen = _Seen(marked_at, sent, file, now, is_known, alone)
    checked_on = database.read_now(timeline)  # before the check: during it, another server may take over
    # Read-only first: most starts change nothing, and a damaged file shouldn't be written to.
    found = database.read_now(lambda rows: _nothing_new(rows, seen))
    if found is None:
        found = database.write_now(lambda rows: _look(rows, seen))
    if found.why:
        _log.warning(
            "the database was restored: posts that were due before aren't sent",
            why=found.why,
            calls_to_look_for=found.calls,
            keys_revoked=found.keys,
        )
    gone = departures(folder.root)
    returned = database.read_now(lambda rows: _returned(rows, gone)) if gone else []
    if returned:
        database.write_now(lambda rows: _let_go(rows, gone, now))
    if found.restored_at is not None and found.restored_at != marked_at:
        folder.keep_restored(found.restored_at)  # for programs that only check the folder
    check = JournalCheck(partial(look_into_failover, folder, journal), checked_on)
    return Past(journal, found.restored_at, found.calls, check)


def look_into_failover(folder: DataFolder, journal: SendJournal, now: datetime) -> Work[None]:
    """Return work that adds calls that a database lacks after a failover. Blocking. Raises OSError.

    Unlike a restored one, it lacks the last moments at most, so posts that are due are sent. A call may still
    be in progress in another process, so its attempt is added as it was when the call began.
    """
    gone, sent = departures(folder.root), journal.read(now)

    def work(rows: Connection) -> None:
        missing = _missing(rows, sent)
        _look_for(rows, missing, now, {"outcome": AttemptOutcome.PENDING.value})
        _let_go(rows, gone, now)
        if missing:
            _log.warning("the database server that took over lacked calls", calls_to_look_for=len(missing))

    return work


def _returned(rows: Connection, gone: Mapping[UUID, int]) -> list[UUID]:
    """Return the accounts in this older database that another service has by now."""
    here = select(accounts.c.id, accounts.c.moves).where(accounts.c.moved_at.is_(None))
    found = rows.execute(here.where(accounts.c.id.in_(gone)))
    return [row.id for row in found if row.moves < gone[row.id]]


def _let_go(rows: Connection, gone: Mapping[UUID, int], now: datetime) -> None:
    """Hand over again the accounts in this older database that another service has by now."""
    for account_id in _returned(rows, gone):
        moved = update(accounts).where(accounts.c.id == account_id)
        rows.execute(moved.values(moved_at=now, moves=gone[account_id]))
        _log.warning("the account moved to another service after this backup", account_id=str(account_id))


def restore(rows: Connection, now: datetime, *, alone: bool) -> int:
    """Mark the database as restored; return how many API keys were revoked.

    A copy contains keys that were revoked since, so all are revoked except the newest one of the desktop app.
    All browser sessions and sign-in links end too, because some had already ended.
    """
    marks.keep_restored(rows, now)
    for table in (sessions, sign_in_links):
        rows.execute(delete(table))
    return _revoke_keys(rows, now, keep_app=alone)


def _nothing_new(rows: Connection, seen: _Seen) -> _Found | None:
    """Return the known state if a full check would only confirm it."""
    before = marks.read_marks(rows)
    is_noted = seen.marked_at is None or seen.marked_at == before.restored_at
    is_here = before.place is not None and before.place == marks.find_place(rows, seen.file)
    if is_noted and is_here and not _unknown(rows, seen.sent.latest(_TAIL)):
        return _Found(before.restored_at)
    return None


def _look(rows: Connection, seen: _Seen) -> _Found:
    marks.lay_anchor(rows)
    before, place = marks.read_marks(rows), marks.find_place(rows, seen.file)
    missing = _missing(rows, seen.sent)
    lost = {"outcome": AttemptOutcome.UNKNOWN.value, "unknown_since": seen.now, "advice": SENT_BEFORE_RESTORE}
    _look_for(rows, missing, seen.now, lost)
    marks.keep_place(rows, place)
    found = _Found(max(filter(None, [seen.marked_at, before.restored_at]), default=None))
    if seen.marked_at is not None and (before.restored_at is None or seen.marked_at > before.restored_at):
        # An installation without marks may have been restored long ago, and its keys are in use.
        keys = restore(rows, seen.marked_at, alone=seen.alone) if before.place else 0
        marks.keep_restored(rows, seen.marked_at)
        found = _Found(seen.marked_at, "a backup was restored", keys=keys)
    if missing:
        marks.keep_restored(rows, seen.now)
        found = _Found(seen.now, "it is older than the journal of calls", len(missing), found.keys)
    elif not found.why and before.place not in {None, place} and not seen.is_known:
        marks.keep_restored(rows, seen.now)
        found = _Found(seen.now, "it is a copy, which may be older than the original")
    if found.why:
        # Positions that clients have, and numbers of transactions, are of another database.
        rows.execute(delete(changes))
    return found


def _missing(rows: Connection, sent: Journaled) -> list[Sent]:
    """Return the calls that the database lacks."""
    if not _unknown(rows, sent.latest(_TAIL)):
        return []
    return [call for group in _groups(sent.all()) for call in _unknown(rows, group)]


def _unknown(rows: Connection, sent: Sequence[Sent]) -> list[Sent]:
    ids = [call.attempt_id for call in sent]
    known = set(rows.scalars(select(attempts.c.id).where(attempts.c.id.in_(ids))))
    known |= marks.known_calls(rows, ids)
    return [call for call in sent if call.attempt_id not in known]


def _look_for(rows: Connection, missing: Sequence[Sent], now: datetime, state: Mapping[str, object]) -> None:
    """Add attempts, so that platforms are asked about these calls unless the post is gone or live."""
    for group in _groups(missing):
        wanted = select(posts.c.id, posts.c.account_id).where(
            posts.c.id.in_({call.post_id for call in group}), posts.c.status != PostStatus.POSTED.value
        )
        owners = dict(iter(rows.execute(wanted)))
        added = [{**_row(call, owners[call.post_id]), **state} for call in group if call.post_id in owners]
        if added:
            rows.execute(insert(attempts), added)
        marks.keep_known(rows, [call.attempt_id for call in group if call.post_id not in owners], now)


def _row(call: Sent, account_id: UUID) -> dict[str, object]:
    return {
        "id": call.attempt_id,
        "post_id": call.post_id,
        "account_id": account_id,
        "step": Step.PUBLISH.value,
        "started_at": call.at,
    }


def _revoke_keys(rows: Connection, now: datetime, *, keep_app: bool) -> int:
    revoked = update(api_keys).where(in_force(now)).values(revoked_at=now)
    if keep_app:
        newest = (
            select(
                api_keys.c.id,
                func.row_number()
                .over(partition_by=api_keys.c.account_id, order_by=api_keys.c.created_at.desc())
                .label("age"),
            )
            # A key created by another key isn't the app's, whatever its name.
            .where(in_force(now), api_keys.c.name == APP_KEY_NAME, api_keys.c.created_by.is_(None))
            .subquery()
        )
        revoked = revoked.where(api_keys.c.id.not_in(select(newest.c.id).where(newest.c.age == 1)))
    return rows.execute(revoked).rowcount


def _groups(sent: Sequence[Sent]) -> Iterator[Sequence[Sent]]:
    return (sent[at : at + _GROUP] for at in range(0, len(sent), _GROUP))
