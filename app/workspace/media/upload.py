"""An upload of a file to the service, and its row in the workspace's file."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote_from_bytes, unquote_to_bytes
from uuid import uuid4

from sqlalchemy import Connection, RowMapping, delete, func, select, text, update
from sqlalchemy.dialects.sqlite import insert

from app.contract.enums import PostType
from app.media.protocol import ProbeResult
from app.workspace.clock import from_millis
from app.workspace.media.local_file import media_facts
from app.workspace.rules import MediaFacts
from app.workspace.store.tables import media, uploads
from app.workspace.time.wall import DAY_MS

FORGET_AFTER_MS: Final = 30 * DAY_MS
"""How long an upload that no draft needs is kept, in ms."""
_FORGET = text(
    "DELETE FROM uploads WHERE added_at < :before "
    "AND NOT EXISTS (SELECT 1 FROM drafts WHERE instr(drafts.content, uploads.id)) "
    "AND NOT EXISTS (SELECT 1 FROM settings WHERE name = 'composer' AND instr(value, uploads.id)) "
    "RETURNING id"
)


class UploadState(Enum):
    """The state of an upload."""

    WAITING = "waiting"  # for its turn, or the service
    SENDING = "sending"
    PAUSED = "paused"  # until the user continues it
    DONE = "done"
    FAILED = "failed"  # until the user retries


@dataclass(frozen=True, slots=True)
class Upload:
    """One upload.

    Attributes:
        id: Its local ID, stored in drafts.
        path: The file, read when its turn comes.
        name: Printable name for the user.
        post_type: The type of posts with this file.
        size: In bytes; with ``modified_ns``, the last change, it's what was announced to the service.
        added_at: In ms since 1970 UTC.
        width: Pixels, None if unknown; ``height`` likewise.
        sent: Bytes sent.
        speed: Bytes per second of this attempt; 0 while unknown.
        reason: Why it failed or waits, as a sentence; otherwise empty.
        asked_until: End of a delay that the service requested, in ms since 1970 UTC.
        storage_path: The file's storage path; only reserved until the state is ``DONE``.
        probed: The result of the probe; None if it wasn't probed, for example after a restart.
        fingerprint: Equal for files with equal content; empty if unknown.
    """

    id: str
    path: Path
    name: str
    post_type: PostType
    content_type: str
    size: int
    modified_ns: int
    added_at: int
    width: int | None = None
    height: int | None = None
    state: UploadState = UploadState.WAITING
    sent: int = 0
    speed: float = 0.0
    reason: str = ""
    storage_path: str = ""
    probed: ProbeResult | None = None
    fingerprint: str = ""
    asked_until: int | None = None

    @property
    def is_done(self) -> bool:
        return self.state is UploadState.DONE

    @property
    def is_failed(self) -> bool:
        return self.state is UploadState.FAILED

    @property
    def is_underway(self) -> bool:
        """Whether it's being sent, or will be automatically."""
        return self.state in (UploadState.WAITING, UploadState.SENDING)

    @property
    def is_put_off(self) -> bool:
        """Whether it failed or may not start yet, and will be tried automatically."""
        return self.state is UploadState.WAITING and bool(self.reason or self.asked_until)

    @property
    def share(self) -> float:
        """The fraction sent, from 0 to 1."""
        return 1.0 if self.is_done else min(1.0, self.sent / self.size)

    @property
    def seconds_left(self) -> float | None:
        """Remaining time in s; None while unknown."""
        return (self.size - self.sent) / self.speed if self.speed > 0 else None

    @property
    def facts(self) -> MediaFacts:
        """The facts that the platforms' rules need."""
        if self.probed is not None:
            return media_facts(self.probed, self.content_type, self.size)
        return MediaFacts(self.content_type, self.size, width=self.width, height=self.height)


def load_uploads(connection: Connection) -> list[Upload]:
    """Return every upload, in the order they were added."""
    rows = connection.execute(select(uploads).order_by(uploads.c.added_at, uploads.c.id)).mappings()
    return [_read(row) for row in rows]


def _read(row: RowMapping) -> Upload:
    return Upload(**dict(row) | _from_text(row["path"], row["post_type"], UploadState(row["state"])))


def _from_text(path: str, post_type: str, state: UploadState) -> dict[str, Any]:
    found = {"path": _path(path), "post_type": PostType(post_type), "state": state}
    return found | ({"reason": ""} if state is UploadState.WAITING else {})


def put_uploads(connection: Connection, changed: list[Upload]) -> None:
    """Write new or changed uploads. Their progress isn't stored, because a restart starts them over."""
    put = insert(uploads)
    values = {name: put.excluded[name] for name in uploads.c.keys() if name != "id"}  # noqa: SIM118  no dict
    connection.execute(
        put.on_conflict_do_update(index_elements=["id"], set_=values), [_row(upload) for upload in changed]
    )


def stored_upload(connection: Connection, storage_path: str, now: int) -> Upload | None:
    """Return the upload by which a draft names a stored file, creating it if needed; None if unknown."""
    done = uploads.c.storage_path == storage_path, uploads.c.state == UploadState.DONE.value
    if row := connection.execute(select(uploads).where(*done).limit(1)).mappings().one_or_none():
        return _read(row)
    file = connection.execute(select(media).where(media.c.storage_path == storage_path)).one_or_none()
    if file is None or not file.content_type:
        return None
    upload = Upload(
        id=str(uuid4()),
        path=Path(),
        name=file.name,
        post_type=PostType(file.kind),
        content_type=file.content_type,
        size=file.size_bytes or 0,
        modified_ns=0,
        added_at=now,
        width=file.width,
        height=file.height,
        state=UploadState.DONE,
        storage_path=storage_path,
    )
    put_uploads(connection, [upload])
    return upload


def change_upload(connection: Connection, upload_id: str, changed: Mapping[str, Any]) -> bool:
    """Write these attributes of an upload, except its progress; return False if it's done or removed."""
    there = uploads.c.id == upload_id, uploads.c.state != UploadState.DONE.value
    return connection.execute(update(uploads).where(*there).values(_columns(changed))).rowcount > 0


def move_to_front(connection: Connection, upload_id: str) -> int | None:
    """Move an upload to the front of the queue; return its new time, or None if it stays where it is."""
    first = connection.scalar(select(func.min(uploads.c.added_at)).where(uploads.c.id != upload_id))
    if first is None:
        return None
    moved = update(uploads).where(uploads.c.id == upload_id).values(added_at=first - 1)
    return first - 1 if connection.execute(moved).rowcount else None


def remove_upload(connection: Connection, upload_id: str) -> None:
    connection.execute(delete(uploads).where(uploads.c.id == upload_id))


def finish_upload(connection: Connection, upload: Upload, now: int) -> None:
    """Mark a file as stored, and add it to the known files."""
    connection.execute(
        update(uploads)
        .where(uploads.c.id == upload.id)
        .values(state=UploadState.DONE.value, storage_path=upload.storage_path, reason="")
    )
    known = insert(media).values(
        storage_path=upload.storage_path,
        name=upload.name,
        kind=upload.post_type.value,
        content_type=upload.content_type,
        size_bytes=upload.size,
        width=upload.width,
        height=upload.height,
        created_at=from_millis(now),
    )
    connection.execute(known.on_conflict_do_nothing())


def forget_old(connection: Connection, now: int) -> list[str]:
    """Delete old uploads; return their IDs."""
    return list(connection.execute(_FORGET, {"before": now - FORGET_AFTER_MS}).scalars())


def _row(upload: Upload) -> dict[str, Any]:
    return _columns({name: getattr(upload, name) for name in uploads.c.keys()})  # noqa: SIM118  no dict


def _columns(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _stored(value) for name, value in attributes.items() if name in uploads.c}


def _stored(value: object) -> object:
    if value is UploadState.SENDING:
        value = UploadState.WAITING  # a restart starts it over
    if isinstance(value, Enum):
        return value.value
    return _text(value) if isinstance(value, Path) else value


def _text(path: Path) -> str:
    """Return a path as text: file names are bytes and not always Unicode."""
    return quote_from_bytes(os.fsencode(path))


def _path(kept: str) -> Path:
    return Path(os.fsdecode(unquote_to_bytes(kept)))
