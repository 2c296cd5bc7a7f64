"""Faults planted in the product, to see that the simulation finds them."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Any, Final
from unittest.mock import patch

from sqlalchemy import Connection, delete

from app.service.media import rows, sweep
from app.service.media.files import LocalMediaStore
from app.service.media.intake import Uploads
from app.service.media.sweep import Sweeper
from app.service.store.tables import media

Plant = Callable[[], AbstractContextManager[object]]


def quota_not_asked() -> AbstractContextManager[object]:
    """Whatever is asked for is reserved."""
    return patch.object(rows, "require_room", lambda *_: None)


def need_not_asked() -> AbstractContextManager[object]:
    """A file is deleted although a post needs it."""
    return patch.object(rows, "is_needed", lambda *_: False)


def missing_rows_removed() -> AbstractContextManager[object]:
    """The sweep removes rows whose files it doesn't see, rather than wait for them."""

    def note_missing(connection: Connection, paths: set[str], now: object) -> int:
        del now
        return connection.execute(delete(media).where(media.c.storage_path.in_(paths))).rowcount

    return patch.object(sweep, "_note_missing", note_missing)


def empty_store_believed() -> AbstractContextManager[object]:
    """The sweep takes a store that isn't mounted for one from which every file was removed."""

    def forget_all(self: Sweeper) -> int:
        stored = media.c.expires_at.is_(None)
        return self._database.write_now(lambda rows: rows.execute(delete(media).where(stored)).rowcount)

    return patch.object(Sweeper, "_warn_of_absence", forget_all)


def other_bytes_taken() -> AbstractContextManager[object]:
    """A link that has its file takes any bytes again."""

    async def compare(_self: Uploads, chunks: Any, *_: object) -> None:
        async for _chunk in chunks:
            pass

    return patch.object(Uploads, "_compare", compare)


def reservations_kept() -> AbstractContextManager[object]:
    """Nothing tidies up after uploads that never came."""
    return patch.object(sweep, "_tidy", lambda *_args, **_more: None)


def parts_left() -> AbstractContextManager[object]:
    """What died in the middle of an upload stays."""
    return patch.object(LocalMediaStore, "clear_parts", lambda *_: 0)


def quarantine_without_end() -> AbstractContextManager[object]:
    """What was set aside is never removed."""
    return patch.object(LocalMediaStore, "purge", lambda *_: None)


def failed_imports_removed() -> AbstractContextManager[object]:
    """An import that seems to have failed is removed, also when it was stored."""
    return patch.object(rows, "give_up", rows.remove)


_USUAL: Final = "all=2"
PLANTED: Final[Mapping[Plant, str]] = MappingProxyType(
    {
        quota_not_asked: _USUAL,
        need_not_asked: _USUAL,
        missing_rows_removed: _USUAL,
        empty_store_believed: _USUAL,
        other_bytes_taken: _USUAL,
        reservations_kept: _USUAL,
        parts_left: "all=2,die_before_call=0.01",
        quarantine_without_end: "all=2,disk_full=0.1",
        failed_imports_removed: "all=2,lost_commit=0.05",
    }
)
"""With the rates at which each is looked for; it is found within 2,000 files."""
