"""The log of published content."""

from uuid import UUID

from app.contract.base import Known, Link, Omittable, ResponseModel, Timestamp, Word, Words
from app.contract.enums import ConnectionPlatform, CreatedVia, PostType
from app.contract.pagination import PageQuery


class ContentRecord(ResponseModel):
    """One published item."""

    id: UUID
    platform: ConnectionPlatform
    content_id: Word
    scheduled_post_id: Word | None
    title: Word | None
    description: Words | None
    media_url: Link | None
    media_type: PostType | None
    status: Word | None
    batch_id: Word | None
    created_via: CreatedVia
    created_at: Timestamp


class ContentHistoryQuery(PageQuery):
    """Filters for the content history."""

    platform: Omittable[Known[ConnectionPlatform]] = None
