"""Rows of uploads, and how finished uploads become known files."""

import os
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote_from_bytes, unquote_to_bytes
from uuid import uuid4

from sqlalchemy import Connection, RowMapping, delete, select, text, update
from sqlalchemy.dialects.sqlite import insert

from app.contract.enums import PostType
from app.workspace.clock import from_millis
from app.workspace.media.upload import Upload, UploadState
from app.workspace.store.tables import media, uploads
from app.workspace.time.wall import DAY_MS

FORGET_AFTER_MS: Final = 30 * DAY_MS
"""How long an upload that no draft needs is kept, in ms."""

_FORGET = text(
    "DELETE FROM uploads WHERE added_at < :before "
    "AND NOT EXISTS (SELECT 1 FROM drafts WHERE instr(drafts.content, uploads.id)) "
    "AND NOT EXISTS (SELECT 1 FROM settings WHERE name = 'composer' AND instr(value, uploads.id))"
)


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


def forget_old(connection: Connection, now: int) -> None:
    """Delete old uploads."""
    connection.execute(_FORGET, {"before": now - FORGET_AFTER_MS})


def _row(upload: Upload) -> dict[str, Any]:
    state = UploadState.WAITING if upload.state is UploadState.SENDING else upload.state
    row = {name: getattr(upload, name) for name in uploads.c.keys()}  # noqa: SIM118  no dict
    return row | {"path": _text(upload.path), "post_type": upload.post_type.value, "state": state.value}


def _text(path: Path) -> str:
    """Return a path as text: file names are bytes and not always Unicode."""
    return quote_from_bytes(os.fsencode(path))


def _path(kept: str) -> Path:
    return Path(os.fsdecode(unquote_to_bytes(kept)))
