"""Files of publications: their contents by hash, their types, covers, and fetching them by URL."""

import hashlib
import os
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
from PIL import Image, UnidentifiedImageError

from app.practice.store import Store

_MAGIC = (
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"GIF8", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (4, b"ftypqt", "video/quicktime"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
)

_PIECE = 1024 * 1024
_LARGEST_KEPT = 256 * _PIECE

_KINDS = frozenset({"image/jpeg", "image/png"})

_TIMEOUT_S = 30
_PULLED_PIECE = 256 * 1024
_HERE = frozenset({"127.0.0.1", "::1", "localhost"})


def kind_of(start: bytes) -> str | None:
    """Return the media type of a file with these first bytes; None if unknown."""
    return next((kind for place, magic, kind in _MAGIC if start[place:].startswith(magic)), None)


def dimensions(path: Path) -> tuple[int, int]:
    """Return width and height of an image in pixels; zeros if it isn't one."""
    try:
        with Image.open(path) as picture:
            return picture.size
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError):
        return 0, 0


@dataclass(frozen=True)
class KeptFile:
    """A file to show; ``kind`` is its media type, detected from its bytes."""

    path: Path
    sha256: str
    kind: str

    @property
    def is_video(self) -> bool:
        return self.kind.startswith("video/")


class Files:
    """Files in a folder. Files over 256 MiB or of unknown types are hashed but not stored."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, pieces: Iterable[bytes]) -> str:
        """Store the joined chunks and return their hash."""
        digest, size, incoming = hashlib.sha256(), 0, self._incoming()
        with incoming.open("wb") as file:
            for piece in pieces:
                digest.update(piece)
                size += len(piece)
                if size <= _LARGEST_KEPT:
                    file.write(piece)
        if 0 < size <= _LARGEST_KEPT:
            incoming.replace(self._folder / digest.hexdigest())
        else:
            incoming.unlink()
        return digest.hexdigest()

    def find(self, sha256: str) -> KeptFile | None:
        """Return a stored image or video; None if it isn't stored."""
        if len(sha256) != 64 or not sha256.isalnum():
            return None
        path = self._folder / sha256
        try:
            with path.open("rb") as file:
                kind = kind_of(file.read(16))
        except FileNotFoundError:
            return None
        return None if kind is None else KeptFile(path, sha256, kind)

    def _incoming(self) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder / f"{os.urandom(12).hex()}.part"


def pieces_of(paths: Iterable[Path]) -> Iterator[bytes]:
    """Yield the bytes of files, one after the other."""
    for path in paths:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                yield piece


class Covers:
    """The covers of all platforms, by publication."""

    def __init__(self, store: Store, files: Files) -> None:
        self._store = store
        self._files = files

    def keep(self, picture: bytes) -> str | None:
        """Store an image and return its hash; None if it's neither JPEG nor PNG."""
        return self._files.keep([picture]) if kind_of(picture[:16]) in _KINDS else None

    def put(self, platform: str, content_id: str, sha256: str) -> None:
        """Set or replace the cover of a publication."""
        with self._store.transaction() as db:
            db.execute("INSERT OR REPLACE INTO covers VALUES (?, ?, ?)", (platform, content_id, sha256))

    def of(self, platform: str, content_id: str) -> KeptFile | None:
        """Return the cover of a publication."""
        rows = self._store.rows(
            "SELECT sha256 FROM covers WHERE platform = ? AND content_id = ?", platform, content_id
        )
        return self._files.find(rows[0]["sha256"]) if rows else None


class PullError(Exception):
    """A file couldn't be fetched, with a sentence that says why."""


class TooLargeError(PullError):
    """A file is larger than the platform accepts."""


@asynccontextmanager
async def pulled(address: str, *, longest: int, kind: str) -> AsyncIterator[AsyncIterator[bytes]]:
    """Yield the bytes at a URL, without following redirects.

    Certificates aren't verified: servers on this computer are trusted, and the authority of a service under
    test isn't known.

    Args:
        address: http or https URL on this computer.
        longest: Maximum size in bytes.
        kind: Required prefix of the Content-Type.

    Raises:
        PullError: At the first bytes, or during the download.
    """
    if urlsplit(address).hostname not in _HERE:
        raise PullError("The practice platforms fetch files from this computer alone.")
    timeout = aiohttp.ClientTimeout(total=_TIMEOUT_S)
    connector = aiohttp.TCPConnector(ssl=False)
    headers = {"User-Agent": "Kalends-Practice", "Accept-Encoding": "identity"}
    try:
        async with (
            aiohttp.ClientSession(connector=connector, timeout=timeout, headers=headers) as session,
            session.get(address, allow_redirects=False) as answer,
        ):
            if answer.status != 200:
                raise PullError(f"The address answered {answer.status}.")
            if not answer.content_type.startswith(kind):
                raise PullError(f"The address shows {answer.content_type}.")
            if (answer.content_length or 0) > longest:
                raise TooLargeError(f"The file is larger than {longest} bytes.")
            yield _limited(answer.content.iter_chunked(_PULLED_PIECE), longest)
    except (TimeoutError, aiohttp.ClientError, OSError, ValueError) as error:
        raise PullError(f"The address could not be fetched ({type(error).__name__}).") from error


async def _limited(chunks: AsyncIterator[bytes], longest: int) -> AsyncIterator[bytes]:
    received = 0
    async for chunk in chunks:
        received += len(chunk)
        if received > longest:
            raise TooLargeError(f"The file is larger than {longest} bytes.")
        yield chunk
