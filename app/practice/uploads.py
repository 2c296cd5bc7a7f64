"""Uploaded files, whole or in parts: stored until complete, then hashed."""

import asyncio
import hashlib
import secrets
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import BinaryIO

from app.practice.files import Files, dimensions, kind_of, pieces_of
from app.practice.settings import Settings
from app.practice.store import Store

_PIECE = 1024 * 1024


class TooLongError(Exception):
    """More bytes arrived than announced or allowed."""


class TooShortError(Exception):
    """Fewer bytes arrived than announced."""


@dataclass(frozen=True)
class Upload:
    """An incomplete or complete file.

    Attributes:
        key: A secret in URLs.
        account: The platform's ID of the uploader.
        purpose: Announced purpose, such as ``tweet_image``.
        size: Announced size in bytes; the actual size once complete.
        details: Any data of the platform.
        created_at: Seconds since 1970.
        sha256: Hash of all bytes; None until complete.
        kind: Media type, detected from the bytes; None if unknown.
        ready_at: When processing ends, in seconds since 1970; None until complete.
        used: Whether it has been published: the publication's number if noted, else 1.
    """

    id: int
    key: str
    platform: str
    account: str
    purpose: str
    size: int
    content_type: str
    details: str
    created_at: float
    sha256: str | None
    kind: str | None
    width: int
    height: int
    ready_at: float | None
    used: int


@dataclass(frozen=True)
class Part:
    """A part of a file; ``place`` is its number or first byte, depending on the platform."""

    place: int
    size: int
    md5: str


class Uploads:
    """The uploads of all platforms."""

    def __init__(self, store: Store, settings: Settings, files: Files) -> None:
        self._store = store
        self._settings = settings
        self._files = files
        self._folder = settings.data / "uploads"

    def open(
        self,
        platform: str,
        account: str,
        *,
        purpose: str,
        size: int = 0,
        content_type: str = "",
        details: str = "",
    ) -> Upload:
        """Announce a file."""
        key = secrets.token_urlsafe(24)
        with self._store.transaction() as db:
            created = db.execute(
                "INSERT INTO uploads (key, platform, account, purpose, size, content_type, details,"
                " created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (key, platform, account, purpose, size, content_type, details, self._settings.clock()),
            )
        return self._existing(created.lastrowid or 0)

    def find(self, platform: str, number: int) -> Upload | None:
        """Return an upload by number."""
        return self._first("SELECT * FROM uploads WHERE platform = ? AND id = ?", platform, number)

    def by_key(self, platform: str, key: str) -> Upload | None:
        """Return an upload by the secret in its URL."""
        return self._first("SELECT * FROM uploads WHERE platform = ? AND key = ?", platform, key)

    def with_details(self, platform: str, details: str) -> list[Upload]:
        """Return uploads with these details."""
        rows = self._store.rows(
            "SELECT id FROM uploads WHERE platform = ? AND details = ? ORDER BY id", platform, details
        )
        return [self._existing(row["id"]) for row in rows]

    def used(self, platform: str) -> list[Upload]:
        """Return the uploads that are marked as published, in order."""
        rows = self._store.rows(
            "SELECT id FROM uploads WHERE platform = ? AND used > 0 ORDER BY id", platform
        )
        return [self._existing(row["id"]) for row in rows]

    def used_in(self, platform: str, number: int) -> Upload | None:
        """Return the upload shown in a publication, by its number."""
        return self._first("SELECT * FROM uploads WHERE platform = ? AND used = ?", platform, number)

    def parts(self, upload: Upload) -> list[Part]:
        """Return the received parts, in order."""
        rows = self._store.rows(
            "SELECT place, size, md5 FROM upload_parts WHERE upload = ? ORDER BY place", upload.id
        )
        return [Part(**row) for row in rows]

    def received(self, upload: Upload) -> int:
        """Return the number of received bytes."""
        return sum(part.size for part in self.parts(upload))

    async def receive(
        self, upload: Upload, place: int, chunks: AsyncIterator[bytes], longest: int, shortest: int = 0
    ) -> Part:
        """Store a part, replacing an earlier one.

        Raises:
            TooLongError: It has more than ``longest`` bytes.
            TooShortError: It has fewer than ``shortest``.
        """
        path = self._path(upload, place)
        digest, size = hashlib.md5(usedforsecurity=False), 0
        with path.open("wb") as file:
            async for chunk in chunks:
                size += len(chunk)
                if size > longest:
                    raise TooLongError
                digest.update(chunk)
                await asyncio.to_thread(file.write, chunk)
        if size < shortest:
            raise TooShortError
        return await asyncio.to_thread(self._keep, upload, Part(place, size, digest.hexdigest()))

    async def receive_file(self, upload: Upload, place: int, file: BinaryIO, longest: int) -> Part:
        """Store a part from a form, like ``receive``."""

        async def chunks() -> AsyncIterator[bytes]:
            while chunk := await asyncio.to_thread(file.read, _PIECE):
                yield chunk

        return await self.receive(upload, place, chunks(), longest)

    def drop(self, upload: Upload, place: int) -> None:
        """Drop a rejected part."""
        with self._store.transaction() as db:
            db.execute("DELETE FROM upload_parts WHERE upload = ? AND place = ?", (upload.id, place))

    def finish(self, upload: Upload) -> Upload:
        """Join the parts, which starts the platform's processing."""
        parts = self.parts(upload)
        paths = [self._path(upload, part.place) for part in parts]
        sha256 = self._files.keep(pieces_of(paths))
        kind = kind_of(next(pieces_of(paths), b"")[:16])
        width, height = dimensions(paths[0]) if len(paths) == 1 else (0, 0)
        ready_at = self._settings.clock() + self._settings.processing_s
        size = sum(part.size for part in parts)
        with self._store.transaction() as db:
            db.execute(
                "UPDATE uploads SET sha256 = ?, kind = ?, width = ?, height = ?, ready_at = ?, size = ?"
                " WHERE id = ?",
                (sha256, kind, width, height, ready_at, size, upload.id),
            )
        shutil.rmtree(self._folder / str(upload.id), ignore_errors=True)
        return self._existing(upload.id)

    def note(self, upload: Upload, details: str) -> None:
        """Store details of an upload."""
        with self._store.transaction() as db:
            db.execute("UPDATE uploads SET details = ? WHERE id = ?", (details, upload.id))

    def use(self, upload: Upload, number: int = 1) -> None:
        """Mark it as published, with the publication's number if needed."""
        with self._store.transaction() as db:
            db.execute("UPDATE uploads SET used = ? WHERE id = ?", (number, upload.id))

    def is_ready(self, upload: Upload) -> bool:
        """Whether the platform has processed a complete file."""
        return upload.ready_at is not None and upload.ready_at <= self._settings.clock()

    def age_s(self, upload: Upload) -> float:
        return self._settings.clock() - upload.created_at

    def _keep(self, upload: Upload, part: Part) -> Part:
        with self._store.transaction() as db:
            db.execute(
                "INSERT OR REPLACE INTO upload_parts (upload, place, size, md5) VALUES (?, ?, ?, ?)",
                (upload.id, part.place, part.size, part.md5),
            )
        return part

    def _path(self, upload: Upload, place: int) -> Path:
        folder = self._folder / str(upload.id)
        folder.mkdir(parents=True, exist_ok=True)
        return folder / str(place)

    def _existing(self, number: int) -> Upload:
        upload = self._first("SELECT * FROM uploads WHERE id = ?", number)
        if upload is None:
            raise LookupError(number)
        return upload

    def _first(self, query: str, *values: object) -> Upload | None:
        rows = self._store.rows(query, *values)
        return Upload(**{field.name: rows[0][field.name] for field in fields(Upload)}) if rows else None
