"""Media as rows: finding, keeping and removing them, and how much an account may store."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid4

import structlog
from sqlalchemy import Connection, Row, RowMapping, delete, func, insert, literal_column, or_, select, update

from app.contract.enums import ErrorCode, PostStatus, PostType
from app.contract.media import MediaDeleteResult
from app.contract.media_kinds import MediaKind
from app.database.upserts import upsert
from app.platforms.rules import MediaFacts
from app.service.accounts.accounts import FILE_BYTES_MAX, Plan, storage_cap
from app.service.api.errors import ApiError, not_found
from app.service.media.names import is_within, new_storage_path, shown_name
from app.service.media.stores import MediaStore, Place
from app.service.store.tables import accounts, media, posts, swept_media

PENDING = (PostStatus.SCHEDULED.value, PostStatus.QUEUED.value, PostStatus.PROCESSING.value)
"""Posts that still need their file."""
REMOVED: Final = "removed"
"""In ``swept_media``: a person removed the file at this path."""
_FACTS = ("width", "height", "duration_ms", "video_codec", "audio_codec", "frame_rate")
HAS_FILE = posts.c.media_storage_path != literal_column("''")
"""Says what the index over the paths of posts holds, in the words that let databases use it."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Stored:
    """What is known of bytes that have arrived whole."""

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
    """Keeps ``size`` bytes free for a file until it is stored or the time is over; gives its new path.

    Whether there is room is asked before (``require_room``).
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
    """A stored file or a reservation, whoever owns it.

    ``lock`` keeps it as it is until a write transaction ends, on databases with several writers.
    """
    if "\0" in storage_path:  # no path of ours, and more than some databases can be asked for
        return None
    statement = select(media).where(media.c.storage_path == storage_path)
    return connection.execute(statement.with_for_update() if lock else statement).mappings().one_or_none()


def find_owned(
    connection: Connection, account_id: UUID, storage_path: str, *, lock: bool = False
) -> RowMapping:
    """A stored file or a reservation of an account.

    Raises ApiError: 403 for a path outside the account, 404 when there is nothing at it.
    """
    require_within(storage_path, account_id)
    row = find(connection, storage_path, lock=lock)
    if row is None:
        raise not_found("media file")
    return row


def find_stored(
    connection: Connection, account_id: UUID, storage_path: str, *, lock: bool = False
) -> RowMapping:
    """A stored file of an account. Raises ApiError like ``find_owned``, 404 also before the upload."""
    row = find_owned(connection, account_id, storage_path, lock=lock)
    if row["expires_at"] is not None:
        raise not_found("media file")
    return row


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A stored file: the kind of posts that it is for, and what is known of it by now."""

    kind: PostType
    facts: MediaFacts


def stored_file(connection: Connection, account_id: UUID, storage_path: str) -> StoredFile | None:
    """The file of a path; None where no upload has ended.

    The file stays as long as the transaction lasts. Raises ApiError (403) for a path outside the account.
    """
    require_within(storage_path, account_id)
    row = find(connection, storage_path, lock=True)
    if row is None or row["expires_at"] is not None:
        return None
    known = {name: row[name] for name in _FACTS}
    facts = MediaFacts(row["content_type"], row["size_bytes"], **known)
    return StoredFile(PostType(row["kind"]), facts)


def require_within(storage_path: str, account_id: UUID) -> None:
    """Raises ApiError (403) for a path outside the account."""
    if not is_within(storage_path, account_id):
        raise ApiError(
            ErrorCode.FORBIDDEN,
            "The media path isn't one of this account's paths. Pass storage_path exactly as received.",
        )


def mark_stored(connection: Connection, place: Place, stored: Stored, now: datetime) -> None:
    """Turns a reservation into a stored file that nobody has looked into yet."""
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
    """Changes how much a reservation holds."""
    connection.execute(
        update(media)
        .where(media.c.storage_path == storage_path, media.c.expires_at.is_not(None))
        .values(size_bytes=size)
    )


def extend(connection: Connection, storage_path: str, until: datetime) -> None:
    """Changes how long a reservation holds."""
    reserved = media.c.storage_path == storage_path, media.c.expires_at.is_not(None)
    connection.execute(update(media).where(*reserved).values(expires_at=until))


def describe(connection: Connection, storage_path: str, told: Mapping[str, Any]) -> Row[tuple[Any, ...]]:
    """Keeps what was told of a file, by column; gives its row."""
    changed = update(media).where(media.c.storage_path == storage_path).values(**told)
    return connection.execute(changed.returning(media)).one()


def remove(connection: Connection, storage_path: str) -> None:
    """Removes the row, and remembers that, so that the next sweep removes what the caller can't."""
    connection.execute(delete(media).where(media.c.storage_path == storage_path))
    removed = {"path": storage_path, "state": REMOVED, "since": None}
    noted = upsert(connection, swept_media).values(removed)
    connection.execute(noted.on_conflict_do_update(index_elements=["path"], set_=removed))


def give_up(connection: Connection, storage_path: str) -> None:
    """Removes a reservation. A file that is stored stays: somebody may have seen it and use it by now."""
    row = find(connection, storage_path, lock=True)
    if row is not None and row["sha256"] is None:
        remove(connection, storage_path)


def is_needed(connection: Connection, storage_path: str) -> bool:
    """Whether a pending post refers to the file."""
    return _is_used(connection, storage_path, pending_only=True)


def release(connection: Connection, storage_path: str) -> bool:
    """Removes the row of a file that no post refers to any more; says whether the file may go too."""
    if not storage_path:
        return False
    find(connection, storage_path, lock=True)  # a post that is just being created with it is seen, too
    if _is_used(connection, storage_path, pending_only=False):
        return False
    remove(connection, storage_path)
    return True


def _is_used(connection: Connection, storage_path: str, *, pending_only: bool) -> bool:
    using = select(posts.c.id).where(posts.c.media_storage_path == storage_path, HAS_FILE)
    if pending_only:
        using = using.where(posts.c.status.in_(PENDING))
    return connection.scalar(using.limit(1)) is not None


def stored_bytes(connection: Connection, account_id: UUID) -> int:
    """Bytes of the files that are there."""
    return _sum(connection, account_id)


def require_room(connection: Connection, account_id: UUID, size: int, now: datetime) -> None:
    """Raises ApiError (403) when ``size`` more bytes would be more than the account may store.

    A check and the reservation after it belong in one write transaction.
    """
    if size > room(connection, account_id, now):
        raise ApiError(
            ErrorCode.FORBIDDEN,
            "There is not enough storage left for this file. Remove files that are no longer needed.",
        )


def room(connection: Connection, account_id: UUID, now: datetime) -> int:
    """Bytes that the account may still store, open reservations taken off; never below zero."""
    account = connection.execute(
        select(accounts.c.plan, accounts.c.storage_cap_bytes)
        .where(accounts.c.id == account_id)
        .with_for_update(key_share=True)  # two processes do not both see the last free bytes
    ).one()
    taken = _sum(connection, account_id, reserved_at=now)
    return max(0, storage_cap(account.plan, account.storage_cap_bytes) - taken)


def file_bytes_max(connection: Connection, account_id: UUID) -> int:
    """How large one file of the account may be."""
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
    """Removes the row of a file, or of an upload that has not ended, unless a pending post refers to it.

    Raises ApiError: 403 for a path outside the account, 404 when there is nothing at it.
    """
    find_owned(connection, account_id, storage_path, lock=True)
    needed = is_needed(connection, storage_path)
    if not needed:
        remove(connection, storage_path)
    return MediaDeleteResult(storage_path=storage_path, deleted=not needed)


async def discard(store: MediaStore, storage_path: str) -> None:
    """Removes the bytes whose row is gone; what cannot be removed now is left to the next sweep."""
    try:
        await asyncio.to_thread(store.remove, Place(storage_path))
    except OSError as error:
        _log.warning("a file could not be removed yet", reason=error.strerror)
