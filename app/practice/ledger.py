"""Every accepted publication, in order, and its metrics."""

import hashlib
import math
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime

from app.practice.settings import Settings, timestamp
from app.practice.store import Store

# As X counts: milliseconds since this moment, shifted left by 22 bits.
_ID_EPOCH_MS = 1_288_834_974_657
_HIGHEST_NUMBER = 2**63 - 1

_HOUR_S = 3600.0


@dataclass(frozen=True)
class Draft:
    """A publication that isn't accepted yet.

    Attributes:
        labels: What the platform shows with it, such as its visibility; "" for nothing.
    """

    platform: str
    account_identifier: str
    text: str
    title: str | None = None
    link: str | None = None
    board_id: str | None = None
    media_sha256: str | None = None
    labels: str = ""


@dataclass(frozen=True, kw_only=True)
class Publication(Draft):
    """An entry of the ledger; times are ISO 8601 in UTC with milliseconds.

    Attributes:
        edited_at: When its author last edited it; "" if never.
        earlier_ids: Its ids before the edits, oldest first, separated by spaces.
    """

    content_id: str
    received_at: str
    edited_at: str = ""
    earlier_ids: str = ""

    def document(self) -> dict[str, str | None]:
        """Return the entry as in ``GET /ledger``."""
        return {
            "platform": self.platform,
            "account_identifier": self.account_identifier,
            "content_id": self.content_id,
            "text": self.text,
            "title": self.title,
            "link": self.link,
            "board_id": self.board_id,
            "media_sha256": self.media_sha256,
            "labels": self.labels,
            "received_at": self.received_at,
        }


class DuplicateError(Exception):
    """The account recently published the same content, as ``existing``."""

    def __init__(self, existing: Publication) -> None:
        super().__init__(existing.content_id)
        self.existing = existing


class Ledger:
    """The publications of all platforms, in one table."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings

    def accept(
        self, draft: Draft, content_id: Callable[[int], str], *, repeatable: bool = False
    ) -> Publication:
        """Store a publication permanently with its ID.

        Args:
            draft: The publication.
            content_id: Makes the platform's ID from a unique, increasing number.
            repeatable: The platform accepts duplicates.

        Raises:
            DuplicateError: The account published the same content within the duplicate window.
        """
        now = self._settings.clock()
        with self._store.transaction() as db:
            existing = _recent_twin(db, draft, timestamp(now - self._settings.duplicate_window_s))
            if existing is not None and not repeatable:
                raise DuplicateError(existing)
            number = _next_number(db, now)
            publication = Publication(
                **asdict(draft), content_id=content_id(number), received_at=timestamp(now)
            )
            db.execute(
                "INSERT INTO ledger (number, platform, account_identifier, content_id, text, title, link,"
                " board_id, media_sha256, labels, received_at) VALUES (:number, :platform,"
                " :account_identifier, :content_id, :text, :title, :link, :board_id, :media_sha256, :labels,"
                " :received_at)",
                {"number": number, **publication.document()},
            )
        return publication

    def edit(self, platform: str, content_id: str, changes: Mapping[str, str], *, renames: bool) -> bool:
        """Change the text, title or board of a publication, as its author; return whether there is one.

        Args:
            platform: Name of the platform.
            content_id: Its ID.
            changes: The new values of its columns.
            renames: Whether the platform gives an edited publication another ID.
        """
        now = self._settings.clock()
        with self._store.transaction() as db:
            row = db.execute(
                "SELECT * FROM ledger WHERE content_id = ? AND platform = ?", (content_id, platform)
            ).fetchone()
            if row is None:
                return False
            edited = replace(_publication(row), **changes, edited_at=timestamp(now))
            if renames:
                earlier = f"{edited.earlier_ids} {content_id}".strip()
                edited = replace(edited, content_id=str(_next_number(db, now)), earlier_ids=earlier)
            db.execute(
                "UPDATE ledger SET text = :text, title = :title, board_id = :board_id,"
                " content_id = :content_id, edited_at = :edited_at, earlier_ids = :earlier_ids"
                " WHERE number = :number",
                {**asdict(edited), "number": row["number"]},
            )
        return True

    def all(self) -> list[Publication]:
        """Return every publication, oldest first."""
        rows = self._store.rows("SELECT * FROM ledger ORDER BY number")
        return [_publication(row) for row in rows]

    def latest(
        self, limit: int, *, platform: str = "", identifier: str = "", below: int | None = None
    ) -> list[Publication]:
        """Return the newest publications, newest first; empty names match all."""
        rows = self._store.rows(
            "SELECT * FROM ledger WHERE ?1 IN (platform, '') AND ?2 IN (account_identifier, '')"
            " AND number < ?3 ORDER BY number DESC LIMIT ?4",
            platform,
            identifier,
            _HIGHEST_NUMBER if below is None else min(below, _HIGHEST_NUMBER),
            limit,
        )
        return [_publication(row) for row in rows]

    def number(self, publication: Publication) -> int:
        """Return the number of a publication in the ledger."""
        rows = self._store.rows("SELECT number FROM ledger WHERE content_id = ?", publication.content_id)
        return int(rows[0][0])

    def of_account(
        self, platform: str, identifier: str, *, since: str, below: int, limit: int
    ) -> list[Publication]:
        """Return an account's publications that lists already show, newest first.

        Args:
            platform: Name of the platform.
            identifier: The platform's ID of the account.
            since: Earliest ``received_at``, ISO 8601 as in the ledger.
            below: Only publications with a lower number.
            limit: Maximum number.
        """
        rows = self._store.rows(
            "SELECT * FROM ledger WHERE platform = ? AND account_identifier = ?"
            " AND received_at >= ? AND received_at <= ? AND number < ? ORDER BY number DESC LIMIT ?",
            platform,
            identifier,
            since,
            self._shown_until(),
            below,
            limit,
        )
        return [_publication(row) for row in rows]

    def _shown_until(self) -> str:
        lag_s = self._settings.list_lag_s
        return timestamp(self._settings.clock() - lag_s) if lag_s else "~"

    def find(self, platform: str, content_id: str) -> Publication | None:
        """Return the publication with an ID, or None."""
        rows = self._store.rows(
            "SELECT * FROM ledger WHERE content_id = ? AND platform = ?", content_id, platform
        )
        return _publication(rows[0]) if rows else None

    def count(self, platform: str, identifier: str) -> int:
        """Return the number of an account's publications."""
        rows = self._store.rows(
            "SELECT count(*) FROM ledger WHERE platform = ? AND account_identifier = ?", platform, identifier
        )
        return int(rows[0][0])

    def total(self) -> int:
        """Return the number of all publications."""
        return int(self._store.rows("SELECT count(*) FROM ledger")[0][0])


def _publication(row: sqlite3.Row) -> Publication:
    return Publication(**{field.name: row[field.name] for field in fields(Publication)})


def _next_number(db: sqlite3.Connection, now_s: float) -> int:
    """Return a number that follows the clock, and increases even if the clock is set back."""
    highest = db.execute("SELECT coalesce(max(number), 0) FROM ledger").fetchone()[0]
    return max((int(now_s * 1000) - _ID_EPOCH_MS) << 22, int(highest) + 1)


def _recent_twin(db: sqlite3.Connection, draft: Draft, since: str) -> Publication | None:
    row = db.execute(
        "SELECT * FROM ledger WHERE platform = ? AND account_identifier = ? AND received_at >= ?"
        " AND text = ? AND title IS ? AND media_sha256 IS ? ORDER BY number DESC LIMIT 1",
        (draft.platform, draft.account_identifier, since, draft.text, draft.title, draft.media_sha256),
    ).fetchone()
    return None if row is None else _publication(row)


@dataclass(frozen=True)
class Counts:
    """Current metrics of a publication."""

    views: int
    likes: int
    comments: int
    shares: int


def counts_of(publication: Publication, now_s: float) -> Counts:
    """Return the metrics at ``now_s`` (seconds since 1970), derived from ID and age; they never decrease."""
    seed = hashlib.sha256(publication.content_id.encode()).digest()
    age_s = max(0.0, now_s - datetime.fromisoformat(publication.received_at).timestamp())
    # Nearly all views happen within one to two days.
    reached = 1 - math.exp(-age_s / (_HOUR_S * (8 + seed[0] % 16)))
    views = (120 + int.from_bytes(seed[1:3]) % 6000) * reached
    return Counts(
        views=int(views),
        likes=int(views * (20 + seed[3] % 60) / 1000),
        comments=int(views * (2 + seed[4] % 8) / 1000),
        shares=int(views * (1 + seed[5] % 7) / 1000),
    )
