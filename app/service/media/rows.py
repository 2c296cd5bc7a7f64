"""SQL for media: find, reserve, store and delete files, and the storage left to an account."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid4

import structlog
from sqlalchemy import (
    Connection,
    Row,
    RowMapping,
    bindparam,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
    update,
)

from app.contract.enums import ErrorCode, PostStatus, PostType
from app.contract.media import MediaDeleteResult
from app.contract.media_kinds import MediaKind
from app.database import is_one_of
from app.database.dialects import upsert
from app.platforms.rules import MediaFacts
from app.service.accounts.accounts import FILE_BYTES_MAX, Plan, storage_cap
from app.service.api.responses import ApiError, not_found
from app.service.media.stores import MediaStore, Place, is_within, new_storage_path, shown_name
from app.service.store.tables import accounts, media, posts, swept_media

PENDING = (PostStatus.SCHEDULED.value, PostStatus.QUEUED.value, PostStatus.PROCESSING.value)
"""Statuses of posts that still need their file."""
REMOVED: Final = "removed"
"""State in ``swept_media``: a user deleted the file at this path."""
_FACTS = ("width", "height", "duration_ms", "video_codec", "audio_codec", "frame_rate")
HAS_FILE = posts.c.media_storage_path != literal_column("''")
"""The condition of the index on posts' paths, written so that databases use the index."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Stored:
    """Size and hash of a complete file."""

    size: int
    sha256: str


def reserve(
    connection: Connection,
    account_id: UUID,
    filename: str,
    kind: MediaKind,
    size: int,
    *,
    now: datetime,
    expires_at: datetime,
) -> str:
    """Reserve ``size`` bytes until the file is stored or the time is over; return its new path.

    Check the available storage first, with ``require_room``.
    """
    storage_path = new_storage_path(account_id, filename, kind)
    while connection.scalar(select(media.c.id).where(media.c.storage_path == storage_path)) is not None:
        storage_path = new_storage_path(account_id, filename, kind)
    connection.execute(
        insert(media).values(
            id=uuid4(),
            account_id=account_id,
            storage_path=storage_path,
            filename=shown_name(filename, kind),
            kind=kind.post_type.value,
            content_type=kind.content_type,
            size_bytes=size,
            created_at=now,
            expires_at=expires_at,
        )
    )
    return storage_path


def find(connection: Connection, storage_path: str, *, lock: bool = False) -> RowMapping | None:
    """Return a stored file or a reservation of any account.

    ``lock`` locks the row until the transaction ends, on databases with several writers.
    """
    if "\0" in storage_path:  # not a path of ours, and PostgreSQL rejects it
        return None
    found = connection.execute(_FIND_LOCKED if lock else _FIND, {"path": storage_path})
    return found.mappings().one_or_none()


_FIND: Final = select(media).where(media.c.storage_path == bindparam("path"))
_FIND_LOCKED: Final = _FIND.with_for_update()


def find_owned(
    connection: Connection, account_id: UUID, storage_path: str, *, lock: bool = False
) -> RowMapping:
    """Return a stored file or a reservation of an account.

    Raises ApiError: 403 for a path outside the account, 404 for an unknown one.
    """
    require_within(storage_path, account_id)
    row = find(connection, storage_path, lock=lock)
    if row is None:
        raise not_found("media file")
    return row


def find_stored(
    connection: Connection, account_id: UUID, storage_path: str, *, lock: bool = False
) -> RowMapping:
    """Return a stored file of an account. Raises ApiError like ``find_owned``; 404 for reservations too."""
    row = find_owned(connection, account_id, storage_path, lock=lock)
    if row["expires_at"] is not None:
        raise not_found("media file")
    return row


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A stored file: the type of post it is for, and its known properties."""

    kind: PostType
    facts: MediaFacts


def stored_file(connection: Connection, account_id: UUID, storage_path: str) -> StoredFile | None:
    """Return the file at a path; None if no upload has been completed.

    Locks the file for the transaction. Raises ApiError (403) for a path outside the account.
    """
    require_within(storage_path, account_id)
    row = find(connection, storage_path, lock=True)
    if row is None or row["expires_at"] is not None:
        return None
    known = {name: row[name] for name in _FACTS}
    facts = MediaFacts(row["content_type"], row["size_bytes"], **known)
    return StoredFile(PostType(row["kind"]), facts)


def require_within(storage_path: str, account_id: UUID) -> None:
    """Raise ApiError (403) for a path outside the account."""
    if not is_within(storage_path, account_id):
        raise ApiError(
            ErrorCode.FORBIDDEN,
            "The media path isn't one of this account's paths. Pass storage_path exactly as received.",
        )


def mark_stored(connection: Connection, place: Place, stored: Stored, now: datetime) -> None:
    """Turn a reservation into a stored file that hasn't been probed yet."""
    connection.execute(
        update(media)
        .where(media.c.storage_path == place.storage_path)
        .values(
            size_bytes=stored.size,
            sha256=stored.sha256,
            object_key=place.object_key,
            expires_at=None,
            missing_since=None,
            probe_after=now,
        )
    )


def resize(connection: Connection, storage_path: str, size: int) -> None:
    """Change the size of a reservation."""
    connection.execute(
        update(media)
        .where(media.c.storage_path == storage_path, media.c.expires_at.is_not(None))
        .values(size_bytes=size)
    )


def extend(connection: Connection, storage_path: str, until: datetime) -> None:
    """Change the expiry of a reservation."""
    reserved = media.c.storage_path == storage_path, media.c.expires_at.is_not(None)
    connection.execute(update(media).where(*reserved).values(expires_at=until))


def describe(connection: Connection, storage_path: str, columns: Mapping[str, Any]) -> Row[tuple[Any, ...]]:
    """Update the described columns of a file and return its row."""
    changed = update(media).where(media.c.storage_path == storage_path).values(**columns)
    return connection.execute(changed.returning(media)).one()


def remove(connection: Connection, storage_path: str) -> None:
    """Delete the row, and record this, so that the next sweep deletes the file if the caller can't."""
    connection.execute(delete(media).where(media.c.storage_path == storage_path))
    removed = {"path": storage_path, "state": REMOVED, "since": None}
    noted = upsert(connection, swept_media).values(removed)
    connection.execute(noted.on_conflict_do_update(index_elements=["path"], set_=removed))


def give_up(connection: Connection, storage_path: str) -> None:
    """Delete a reservation. A stored file stays, because it may be in use already."""
    row = find(connection, storage_path, lock=True)
    if row is not None and row["sha256"] is None:
        remove(connection, storage_path)


def is_needed(connection: Connection, storage_path: str) -> bool:
    """Whether a pending post uses the file."""
    return _is_used(connection, storage_path, pending_only=True)


def release(connection: Connection, storage_path: str) -> bool:
    """Delete the row of a file that no post uses; return whether the file may be deleted too."""
    if not storage_path:
        return False
    find(connection, storage_path, lock=True)  # waits for a post being created with it
    if _is_used(connection, storage_path, pending_only=False):
        return False
    remove(connection, storage_path)
    return True


def _is_used(connection: Connection, storage_path: str, *, pending_only: bool) -> bool:
    using = select(posts.c.id).where(posts.c.media_storage_path == storage_path, HAS_FILE)
    if pending_only:
        using = using.where(is_one_of(posts.c.status, PENDING))
    return connection.scalar(using.limit(1)) is not None


def stored_bytes(connection: Connection, account_id: UUID) -> int:
    """Return the total size of an account's stored files, in bytes."""
    return _sum(connection, account_id)


def require_room(connection: Connection, account_id: UUID, size: int, now: datetime) -> None:
    """Raise ApiError (403) if the account can't store ``size`` more bytes.

    Call this in the same write transaction as the reservation.
    """
    if size > room(connection, account_id, now):
        raise ApiError(
            ErrorCode.FORBIDDEN,
            "There isn't enough storage left for this file. Delete files you no longer need.",
        )


def room(connection: Connection, account_id: UUID, now: datetime) -> int:
    """Bytes the account may still store, after subtracting open reservations; never negative."""
    account = connection.execute(
        select(accounts.c.plan, accounts.c.storage_cap_bytes)
        .where(accounts.c.id == account_id)
        .with_for_update(key_share=True)  # so that two processes don't both get the last free bytes
    ).one()
    taken = _sum(connection, account_id, reserved_at=now)
    return max(0, storage_cap(account.plan, account.storage_cap_bytes) - taken)


def file_bytes_max(connection: Connection, account_id: UUID) -> int:
    """Return the maximum size of one file for the account, in bytes."""
    account = connection.execute(select(accounts.c.plan).where(accounts.c.id == account_id)).one()
    return FILE_BYTES_MAX[Plan(account.plan)]


def _sum(connection: Connection, account_id: UUID, reserved_at: datetime | None = None) -> int:
    stored = media.c.expires_at.is_(None)
    counted = stored if reserved_at is None else or_(stored, media.c.expires_at > reserved_at)
    total = connection.scalar(
        select(func.coalesce(func.sum(media.c.size_bytes), 0)).where(
            media.c.account_id == account_id, counted
        )
    )
    return int(total or 0)


def delete_owned(connection: Connection, account_id: UUID, storage_path: str) -> MediaDeleteResult:
    """Delete a file or an unfinished upload, unless a pending post uses it.

    Raises ApiError: 403 for a path outside the account, 404 for an unknown one.
    """
    find_owned(connection, account_id, storage_path, lock=True)
    needed = is_needed(connection, storage_path)
    if not needed:
        remove(connection, storage_path)
    return MediaDeleteResult(storage_path=storage_path, deleted=not needed)


async def discard(store: MediaStore, storage_path: str) -> None:
    """Delete a file whose row is gone. If that fails, the next sweep does it."""
    try:
        await asyncio.to_thread(store.remove, Place(storage_path))
    except OSError as error:
        _log.warning("a file could not be deleted yet", reason=error.strerror)
