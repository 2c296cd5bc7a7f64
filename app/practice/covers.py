"""Cover images of published videos, for platforms that accept them as files."""

from app.practice.files import Files, KeptFile
from app.practice.kinds import kind_of
from app.practice.store import Store

_KINDS = frozenset({"image/jpeg", "image/png"})


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
