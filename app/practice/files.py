"""Contents of complete files by hash, for pages that show publications."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from app.practice.kinds import kind_of

_PIECE = 1024 * 1024
_LARGEST_KEPT = 256 * _PIECE


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
