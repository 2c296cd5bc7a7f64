"""Reads what isn't in memory: a post's texts, and the facts of its file."""

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import Connection, Row, select

from app.contract.enums import PostingPlatform, PostType
from app.platforms.rules import MediaFacts, check
from app.workspace.store.tables import media, posts
from app.workspace.warnings.checks import Contents

PIECE: Final = 250
"""Number of posts to read and check in one go, so that the window gets its turn in between."""

_COLUMNS = (
    posts.c.key,
    posts.c.platform,
    posts.c.post_type,
    posts.c.title,
    posts.c.description,
    posts.c.media_storage_path,
    posts.c.board_id,
    media.c.storage_path,
    media.c.content_type,
    media.c.size_bytes,
    media.c.width,
    media.c.height,
    media.c.duration_ms,
)


def read_contents(connection: Connection, keys: Collection[str]) -> dict[str, Contents]:
    """Return the contents of at most ``PIECE`` posts, as far as they're stored."""
    whole = posts.outerjoin(media, media.c.storage_path == posts.c.media_storage_path)
    rows = connection.execute(select(*_COLUMNS).select_from(whole).where(posts.c.key.in_(keys)))
    return {row.key: _contents(row) for row in rows}


def _contents(row: Row[*tuple[Any, ...]]) -> Contents:
    path, text, title = row.media_storage_path, row.description or "", row.title or ""
    issues = check(
        platform=PostingPlatform(row.platform),
        post_type=PostType(row.post_type),
        title=title,
        text=text,
        has_media=bool(path),
        media=_facts(row),
        board_id=row.board_id,
    )
    is_blank = not (text.strip() or title.strip())
    return Contents(
        same=0 if is_blank else hash((title, text, path)),
        issues=tuple(issues),
        has_lost_file=bool(path) and row.storage_path is None,
    )


def _facts(row: Row[*tuple[Any, ...]]) -> MediaFacts | None:
    """The facts of the file; None if only its name is known."""
    if row.content_type is None or row.size_bytes is None:
        return None
    return MediaFacts(
        content_type=row.content_type,
        size=row.size_bytes,
        width=row.width,
        height=row.height,
        duration_ms=row.duration_ms,
    )
