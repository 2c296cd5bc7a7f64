"""Removing stored files: the row first, then the bytes, so that no row ever points at nothing."""

import asyncio
from uuid import UUID

import structlog
from sqlalchemy import Connection

from app.contract.media import MediaDeleteResult
from app.service.media import rows
from app.service.media.stores import MediaStore, Place

_log = structlog.get_logger(__name__)


def delete(connection: Connection, account_id: UUID, storage_path: str) -> MediaDeleteResult:
    """Removes the row of a file, or of an upload that has not ended, unless a pending post refers to it.

    Raises ApiError: 403 for a path outside the account, 404 when there is nothing at it.
    """
    rows.find_owned(connection, account_id, storage_path, lock=True)
    needed = rows.is_needed(connection, storage_path)
    if not needed:
        rows.remove(connection, storage_path)
    return MediaDeleteResult(storage_path=storage_path, deleted=not needed)


async def discard(store: MediaStore, storage_path: str) -> None:
    """Removes the bytes whose row is gone; what cannot be removed now is left to the next sweep."""
    try:
        await asyncio.to_thread(store.remove, Place(storage_path))
    except OSError as error:
        _log.warning("a file could not be removed yet", reason=error.strerror)
