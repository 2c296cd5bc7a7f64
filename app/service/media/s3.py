"""The media store in a bucket of S3 or a compatible storage.

Each upload becomes a separate object below its storage path, and the row names the valid one. So nothing is
ever overwritten, and keeping a file needs no request. Uploads pass through the service, which compares every
byte with what was announced. Views are links to the bucket.

The storage's address comes from the operator, not from users, so it isn't restricted like those of webhooks.
"""

import hashlib
import queue
import secrets
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import date, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import quote

import obstore

from app.service.media.buckets import Bucket, storage_errors
from app.service.media.stores import PART_LIFETIME, Chunks, Place

_PART: Final = 16 * 1024 * 1024
"""Size of a part, in bytes; an object can have 10,000 parts."""
_PARTS_AT_ONCE: Final = 2
_WAITING: Final = 4
"""Maximum number of pieces of an upload waiting to be sent."""
_CHUNK: Final = 1024 * 1024
_QUARANTINE: Final = ".strays"
_LENT_WHOLE: Final = 64 * 1024 * 1024
_LENT_END: Final = 32 * 1024 * 1024


class S3MediaStore:
    """Stores objects as ``{storage path}/{8 hex}`` in the bucket's folder."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    def begin(self, storage_path: str) -> "IncomingObject":
        return IncomingObject(self._bucket, Place(storage_path, f"{storage_path}/{secrets.token_hex(4)}"))

    def file(self, place: Place) -> None:
        """Return None: files in a bucket have no local path."""

    @asynccontextmanager
    async def open_at(self, place: Place, first: int, size: int | None = None) -> AsyncIterator[Chunks]:
        wanted: obstore.GetOptions = {"range": {"offset": first} if size is None else (first, first + size)}
        with storage_errors():
            found = await obstore.get_async(self._bucket.objects, _key(place), options=wanted)
        yield _pieces(found)

    @contextmanager
    def lent(self, place: Place) -> Iterator[Path]:
        """Lend a copy. For large files only the beginning and the end, which contain a video's metadata."""
        with tempfile.TemporaryDirectory(prefix="kalends-") as folder, storage_errors():
            path = Path(folder) / "file"
            size = obstore.head(self._bucket.objects, _key(place))["size"]
            with path.open("wb") as file:
                for first, end in _ends(size):
                    file.seek(first)
                    found = obstore.get(self._bucket.objects, _key(place), options={"range": (first, end)})
                    for chunk in found.stream(_CHUNK):
                        file.write(chunk)
            yield path

    def link(self, place: Place, content_type: str, lifetime: timedelta, name: str = "") -> str:
        called = quote(name or PurePosixPath(place.storage_path).name)
        return self._bucket.link(_key(place), content_type, f"inline; filename*=utf-8''{called}", lifetime)

    def remove(self, place: Place) -> None:
        with storage_errors():
            if place.object_key is not None:
                obstore.delete(self._bucket.objects, place.object_key)
                return
            below = [found["path"] for found in self._listed(f"{place.storage_path}/")]
            if below:
                obstore.delete(self._bucket.objects, below)

    def held(self, now: datetime) -> Iterator[tuple[Place, bool]]:
        """Objects are settled after a day. Their row is written just after the object."""
        with storage_errors():
            for found in self._listed():
                place = _place_of(found["path"])
                if place is not None:
                    yield place, now - found["last_modified"] > PART_LIFETIME

    def missing(self, places: Sequence[Place]) -> list[Place]:
        return [place for place in places if place.object_key is not None and not self._is_there(place)]

    def set_aside(self, place: Place, now: datetime) -> None:
        """Mark the object with an empty one named after the day. Moving it would copy it."""
        with storage_errors():
            obstore.put(self._bucket.objects, _note(place, now.date()), b"")

    def in_quarantine(self) -> Iterator[tuple[Place, date]]:
        with storage_errors():
            for found in self._listed(f"{_QUARANTINE}/"):
                noted = _noted(found["path"])
                if noted is not None:
                    yield noted

    def take_back(self, place: Place) -> bool:
        notes = [_note(noted, day) for noted, day in self.in_quarantine() if noted == place]
        if notes:
            with storage_errors():
                obstore.delete(self._bucket.objects, notes)
        return bool(notes)

    def purge(self, place: Place, day: date) -> None:
        with storage_errors():
            obstore.delete(self._bucket.objects, [_key(place), _note(place, day)])

    def clear_parts(self, now: datetime) -> int:
        """Nothing to do: a lifecycle rule of the bucket deletes parts of unfinished uploads."""
        del now
        return 0

    def _listed(self, prefix: str | None = None) -> "Iterator[obstore.ObjectMeta]":
        for group in obstore.list(self._bucket.objects, prefix):
            yield from group

    def _is_there(self, place: Place) -> bool:
        try:
            with storage_errors():
                obstore.head(self._bucket.objects, _key(place))
        except FileNotFoundError:
            return False
        return True


class IncomingObject:
    """An upload: a small file is sent at its end, a large one in parts as it arrives."""

    def __init__(self, bucket: Bucket, place: Place) -> None:
        self.size = 0
        self._bucket = bucket
        self._place = place
        self._digest = hashlib.sha256()
        self._waiting = bytearray()
        self._sending: _Sending | None = None
        self._is_there = False
        self._is_kept = False

    def write(self, chunk: bytes | bytearray) -> None:
        self._digest.update(chunk)
        self.size += len(chunk)
        if self._sending is not None:
            self._sending.put(bytes(chunk))
            return
        self._waiting += chunk
        if len(self._waiting) >= _PART:
            self._sending = _Sending(self._bucket, _key(self._place))
            self._sending.put(bytes(self._waiting))
            self._waiting.clear()

    def finish(self) -> str:
        self._is_there = True  # or may be, if the response is lost
        if self._sending is not None:
            self._sending.end()
        else:
            with storage_errors():
                obstore.put(self._bucket.objects, _key(self._place), bytes(self._waiting))
        return self._digest.hexdigest()

    def keep(self, storage_path: str) -> Place:
        """Nothing left to do but naming the object in a row."""
        if storage_path != self._place.storage_path:
            raise ValueError("an object must stay below its upload's path")
        self._is_kept = True
        return self._place

    def abandon(self) -> None:
        if self._is_kept:
            return
        if self._sending is not None:
            self._sending.abort()
            # Again, for what is left if a response was lost. If that fails too, the bucket's rule deletes it.
            with suppress(OSError):
                self._bucket.abort_parts(_key(self._place))
        if self._is_there:
            with storage_errors():
                obstore.delete(self._bucket.objects, _key(self._place))


class _AbortedError(Exception):
    """The upload was aborted."""


class _Sending:
    """A thread that uploads parts, and deletes them if it is aborted."""

    def __init__(self, bucket: Bucket, key: str) -> None:
        self._pieces: queue.Queue[bytes | _AbortedError | None] = queue.Queue(_WAITING)
        self._error: OSError | None = None
        self._thread = threading.Thread(
            target=self._send, args=(bucket, key), name="media parts", daemon=True
        )
        self._thread.start()

    def put(self, piece: bytes | None) -> None:
        """Send a piece. Raises OSError if the storage doesn't accept it."""
        self._hand_over(piece)
        self._check()

    def end(self) -> None:
        """Return once the object is complete. Raises OSError."""
        self.put(None)
        self._thread.join()
        self._check()

    def abort(self) -> None:
        self._hand_over(_AbortedError())
        self._thread.join()

    def _hand_over(self, piece: bytes | _AbortedError | None) -> None:
        """Wait for room in the queue while the thread is alive."""
        while self._thread.is_alive():
            try:
                self._pieces.put(piece, timeout=1)
            except queue.Full:
                continue
            return

    def _check(self) -> None:
        if self._error is not None:
            raise self._error

    def _send(self, bucket: Bucket, key: str) -> None:
        try:
            with storage_errors():
                obstore.put(
                    bucket.objects,
                    key,
                    self._taken(),
                    use_multipart=True,
                    chunk_size=_PART,
                    max_concurrency=_PARTS_AT_ONCE,
                )
        except _AbortedError:
            pass
        except OSError as error:
            self._error = error

    def _taken(self) -> Iterator[bytes]:
        while (piece := self._pieces.get()) is not None:
            if isinstance(piece, _AbortedError):
                raise piece
            yield piece


def _key(place: Place) -> str:
    """Return the object key. Raises FileNotFoundError for a file stored before there was a bucket."""
    if place.object_key is None:
        raise FileNotFoundError(place.storage_path)
    return place.object_key


def _place_of(key: str) -> Place | None:
    """Parse an object key; None if it isn't one of ours."""
    path, slash, name = key.rpartition("/")
    is_ours = slash and path.count("/") == 1 and name and not path.startswith(f"{_QUARANTINE}/")
    return Place(path, key) if is_ours else None


def _note(place: Place, day: date) -> str:
    return f"{_QUARANTINE}/{day.isoformat()}/{_key(place)}"


def _noted(key: str) -> tuple[Place, date] | None:
    """Parse the key of a note; None if it isn't one of ours."""
    day, _, of = key.removeprefix(f"{_QUARANTINE}/").partition("/")
    place = _place_of(of)
    try:
        noted = None if place is None else (place, date.fromisoformat(day))
    except ValueError:
        return None
    return noted if noted is not None and _note(*noted) == key else None


def _ends(size: int) -> Iterator[tuple[int, int]]:
    if size <= _LENT_WHOLE:
        if size:
            yield 0, size
        return
    yield 0, _LENT_END
    yield size - _LENT_END, size


async def _pieces(found: "obstore.GetResult") -> Chunks:
    with storage_errors():
        async for chunk in found.stream(_CHUNK):
            yield bytes(chunk)
