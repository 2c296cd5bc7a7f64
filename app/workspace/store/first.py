"""What a calendar shows first, read with plain SQL, because importing SQLAlchemy takes longer than that."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from sys import intern
from typing import Any, Final, NamedTuple, TypeVar

from app.contract.enums import ConnectionPlatform, OpenEnum, PostingPlatform, PostStatus, PostType
from app.workspace.accounts.account import Account
from app.workspace.outbox.intention import Intention, Wanted
from app.workspace.posts.planned import PlannedPost, draft_of
from app.workspace.slots.slots import Slot

PIECE: Final = 2_000
Execute = Callable[..., Any]
"""Takes SQL and its parameters and returns rows: of sqlite3, or SQLAlchemy's `exec_driver_sql`."""

_MIGRATIONS: Final = Path(__file__).parent / "migrations"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)

Value = TypeVar("Value", bound=OpenEnum)


class _Values(dict[str, Value]):
    """The values of an enum by their words; unknown words are added, so that all their rows share a value."""

    def __init__(self, kind: type[Value]) -> None:
        super().__init__({each.value: each for each in kind})
        self._kind = kind

    def __missing__(self, word: str) -> Value:
        self[word] = value = self._kind(word)
        return value


_PLATFORMS: Final = _Values(PostingPlatform)
_TYPES: Final = _Values(PostType)
_STATUSES: Final = _Values(PostStatus)


class Identity(NamedTuple):
    """A post's key, its ID at the service (None before it has one), and its idempotency key."""

    key: str
    service_id: str | None
    idempotency_key: str | None


@dataclass(slots=True)
class FirstRows:
    """The rows that are read first, without the texts of posts.

    ``service_ids`` lists posts whose ID isn't their key, None for no ID; ``planned`` the idempotency key and
    the key of each post planned in this app; ``accounts`` say whether they're still listed.
    """

    posts: list[PlannedPost] = field(default_factory=list)
    service_ids: list[tuple[str, str | None]] = field(default_factory=list)
    planned: list[tuple[str, str]] = field(default_factory=list)
    intentions: list[Intention] = field(default_factory=list)
    accounts: list[tuple[Account, bool]] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)

    def read_posts(self, execute: Execute, after: int) -> int | None:
        """Read two thousand posts after a row; return the row of the last one, None at the end.

        In row order, which takes two thirds of the time of key order.
        """
        piece = post_piece(execute, after)
        for _, post, identity in piece:
            self.posts.append(post)
            if identity.service_id != identity.key:
                self.service_ids.append((identity.key, identity.service_id))
            if identity.idempotency_key:
                self.planned.append((identity.idempotency_key, identity.key))
        return piece[-1][0] if len(piece) == PIECE else None

    def read_rest(self, execute: Execute) -> None:
        """Read everything except posts."""
        self.intentions = list(intentions(execute))
        self.accounts = accounts(execute)
        self.slots = slots(execute)


def read_first(file: Path) -> FirstRows | None:
    """Read a workspace's file; None if it can't be read as it is. Blocking.

    The file isn't changed: opening the workspace migrates it and checks it for damage.
    """
    found = FirstRows()
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as rows:
            if not _is_current(rows.execute):
                return None
            rows.execute("BEGIN")
            after: int | None = 0
            while after is not None:
                after = found.read_posts(rows.execute, after)
            found.read_rest(rows.execute)
    except (sqlite3.Error, LookupError, ValueError, TypeError):
        return None
    return found


def _is_current(execute: Execute) -> bool:
    (version,) = execute("SELECT version_num FROM alembic_version").fetchone()
    newest = max(path.name.partition("_")[0] for path in _MIGRATIONS.glob("[0-9]*_*.py"))
    return bool(version == newest)


def post_piece(execute: Execute, after: int) -> list[tuple[int, PlannedPost, Identity]]:
    """Return the next posts with their rows, in row order, without their texts."""
    found = execute(
        "SELECT rowid, key, service_id, idempotency_key, at, account_key, platform, post_type, status,"
        " headline, reason, may_be_live, posted_at, batch_id, media_storage_path, by_hand"
        " FROM posts WHERE rowid > ? ORDER BY rowid LIMIT ?",
        (after, PIECE),
    )
    return [(row, *_planned(*values)) for row, *values in found]


def _planned(
    key: str,
    service_id: str | None,
    idempotency_key: str | None,
    at: int,
    account_key: str,
    platform: str,
    post_type: str,
    status: str,
    headline: str,
    reason: str,
    may_be_live: int,
    posted_at: int | None,
    batch_id: str | None,
    media: str,
    by_hand: int,
) -> tuple[PlannedPost, Identity]:
    post = PlannedPost(
        key=key,
        at=at,
        account_key=intern(account_key),  # few accounts have all the posts
        platform=_PLATFORMS[platform],
        post_type=_TYPES[post_type],
        status=_STATUSES[status],
        headline=headline,
        reason=reason,
        may_be_live=bool(may_be_live),
        published=posted_at is not None,
        batch_id=intern(batch_id) if batch_id else None,
        media=media,
        draft=intern(draft_of(idempotency_key, account_key)),
        by_hand=bool(by_hand),
    )
    return post, Identity(key, service_id, idempotency_key)


def intentions(execute: Execute) -> Iterator[Intention]:
    """Return every intention."""
    found = execute(
        "SELECT key, at, cancelled, version, attempts, create_at, seen_at, seen_cancelled, sent, after"
        " FROM outbox"
    )
    for key, at, cancelled, version, attempts, create_at, seen_at, seen_cancelled, sent, after in found:
        yield Intention(
            key,
            Wanted(at, bool(cancelled)),
            version,
            attempts,
            create_at,
            None if seen_at is None else Wanted(seen_at, bool(seen_cancelled)),
            tuple(Wanted(at, cancelled) for at, cancelled in json.loads(sent)),
            after,
        )


def accounts(execute: Execute) -> list[tuple[Account, bool]]:
    """Return every account that was ever listed, with whether it still is."""
    found = execute(
        "SELECT key, platform, name, handle, identifier, avatar_url, followers, is_verified, is_available,"
        " token_expires_at, connected_at, color_index, practice, server_limits, sign_in_by, listed"
        " FROM accounts"
    )
    return [
        (
            Account(
                key=key,
                platform=ConnectionPlatform(platform),
                is_verified=None if is_verified is None else bool(is_verified),
                is_available=bool(is_available),
                token_expires_at=_time(expires),
                connected_at=_EPOCH + connected * _MILLISECOND,
                color_index=color,
                practice=bool(practice),
                server_limits=limits,
                sign_in_by=_time(sign_in),
                **dict(zip(("name", "handle", "identifier", "avatar_url", "followers"), words, strict=True)),
            ),
            bool(listed),
        )
        for (
            key,
            platform,
            *words,
            is_verified,
            is_available,
            expires,
            connected,
            color,
            practice,
            limits,
            sign_in,
            listed,
        ) in found
    ]


def slots(execute: Execute) -> list[Slot]:
    """Return every weekly posting time."""
    return [Slot(*row) for row in execute("SELECT account_key, weekday, minute FROM slots")]


def _time(millis: Any) -> datetime | None:
    return None if millis is None else _EPOCH + millis * _MILLISECOND
