"""The log of what was published."""

from uuid import UUID

from app.contract.base import Known, Omittable, ResponseModel, Timestamp
from app.contract.enums import ConnectionPlatform, CreatedVia, PostType
from app.contract.pagination import PageQuery


class ContentRecord(ResponseModel):
    """One piece of published content."""

    id: UUID
    platform: ConnectionPlatform
    content_id: str
    scheduled_post_id: str | None
    title: str | None
    description: str | None
    media_url: str | None
    media_type: PostType | None
    status: str | None
    batch_id: str | None
    created_via: CreatedVia
    created_at: Timestamp


class ContentHistoryQuery(PageQuery):
    """The filter of the content history."""

    platform: Omittable[Known[ConnectionPlatform]] = None
