"""SQL for TikTok choices: a post's own, its file's, and its account's.

A new post copies its file's choice, so a later change for the next post with that file doesn't affect it.
"""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Select, and_, select

from app.contract.enums import PostingPlatform
from app.contract.tiktok import TikTokChoice
from app.service.media.rows import PENDING
from app.service.store.tables import connections, media, posts

UNDECIDED_MAX: Final = 1_000

Kept = Mapping[str, Any] | None
"""A file's stored choices by connection id."""


def file_choice(rows: Connection, storage_path: str, connection_id: UUID) -> Any:
    """Return a file's stored choice for an account, or None."""
    kept = rows.scalar(select(media.c.tiktok).where(media.c.storage_path == storage_path))
    return (kept or {}).get(str(connection_id))


def choice_of_post(rows: Connection, post_id: UUID) -> TikTokChoice | None:
    """Return the choice a post is published with; None if it has none or doesn't exist."""
    row = rows.execute(_with_choices().where(posts.c.id == post_id)).first()
    return None if row is None else read_choice(_effective(row))


def undecided(rows: Connection, account_id: UUID) -> list[UUID]:
    """Pending TikTok posts without any choice, earliest first; at most ``UNDECIDED_MAX``."""
    found = rows.execute(
        _with_choices()
        .where(
            posts.c.account_id == account_id,
            posts.c.status.in_(PENDING),
            posts.c.tiktok.is_(None),
            connections.c.tiktok.is_(None),
        )
        .order_by(posts.c.scheduled_at, posts.c.id)
        .limit(UNDECIDED_MAX)
    )
    return [row.id for row in found if _effective(row) is None]


def _with_choices() -> Select[Any]:
    """Select TikTok posts with their own, their file's and their account's choice."""
    file = and_(media.c.storage_path == posts.c.media_storage_path, media.c.account_id == posts.c.account_id)
    return (
        select(
            posts.c.id,
            posts.c.connection_id,
            posts.c.tiktok.label("own"),
            media.c.tiktok.label("of_file"),
            connections.c.tiktok.label("of_account"),
        )
        .join(connections, connections.c.id == posts.c.connection_id)
        .outerjoin(media, file)
        .where(posts.c.platform == PostingPlatform.TIKTOK.value)
    )


def _effective(row: Any) -> Any:
    return row.own or (row.of_file or {}).get(str(row.connection_id)) or row.of_account


def read_choice(kept: Any) -> TikTokChoice | None:
    return None if kept is None else TikTokChoice.model_validate(kept)
