"""Pictures that stand for published videos, where a program sends them as files of their own."""

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
        """Keep a picture; gives its hash, and None for what is neither JPEG nor PNG."""
        return self._files.keep([picture]) if kind_of(picture[:16]) in _KINDS else None

    def put(self, platform: str, content_id: str, sha256: str) -> None:
        """Let a picture stand for a publication, in place of the one before."""
        with self._store.transaction() as db:
            db.execute("INSERT OR REPLACE INTO covers VALUES (?, ?, ?)", (platform, content_id, sha256))

    def of(self, platform: str, content_id: str) -> KeptFile | None:
        """The picture that stands for a publication."""
        rows = self._store.rows(
            "SELECT sha256 FROM covers WHERE platform = ? AND content_id = ?", platform, content_id
        )
        return self._files.find(rows[0]["sha256"]) if rows else None
