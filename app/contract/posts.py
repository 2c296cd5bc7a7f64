"""Posts: creating, listing, rescheduling and deleting them."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import BeforeValidator, Field

from app.contract.base import (
    Address,
    Count,
    Cut,
    Day,
    DescribedAs,
    Few,
    IsHttpUrl,
    Known,
    Line,
    Omittable,
    RequestModel,
    RequestTime,
    ResponseModel,
    Sentence,
    Text,
    Timestamp,
    Word,
    Words,
)
from app.contract.enums import DeleteAction, ErrorCode, PostingPlatform, PostStatus, PostType
from app.contract.errors import ValidationDetails
from app.contract.limits import (
    BATCH_ID_MAX,
    BULK_POSTS_MAX,
    DESCRIPTION_MAX,
    IDEMPOTENCY_KEY_MAX,
    PINTEREST_BOARD_MAX,
    PINTEREST_LINK_MAX,
    TITLE_MAX,
)
from app.contract.pagination import PageQuery

StoragePath = Annotated[Address, BeforeValidator(lambda path: "" if path is None else path)]
"""Path of a stored file; empty for none, which some services send as null."""


class Post(ResponseModel):
    """A post (PostDTO)."""

    id: UUID
    status: PostStatus
    platform: PostingPlatform
    post_type: PostType
    title: Word | None
    description: Words | None
    scheduled_at: Timestamp
    posted_at: Timestamp | None
    social_account_id: UUID
    media_storage_path: StoragePath
    batch_id: Word | None
    created_at: Timestamp


class CreatePost(RequestModel):
    """Request to create a post. Without ``scheduled_at``, it's published immediately."""

    social_account_id: UUID
    platform: Known[PostingPlatform]
    post_type: Known[PostType]
    description: Annotated[Text, Field(max_length=DESCRIPTION_MAX)] | None
    title: Omittable[Annotated[Text, Field(max_length=TITLE_MAX)]] = None
    media_storage_path: Omittable[Line] = None
    scheduled_at: Omittable[RequestTime] = None
    idempotency_key: Omittable[Annotated[Line, Field(min_length=1, max_length=IDEMPOTENCY_KEY_MAX)]] = None
    batch_id: Omittable[Annotated[Line, Field(max_length=BATCH_ID_MAX)]] = None
    pinterest_board_id: Omittable[Annotated[Line, Field(max_length=PINTEREST_BOARD_MAX)]] = None
    pinterest_board_name: Omittable[Annotated[Text, Field(max_length=PINTEREST_BOARD_MAX)]] = None
    pinterest_link: Omittable[Annotated[str, IsHttpUrl(PINTEREST_LINK_MAX)]] = None


class ReschedulePost(RequestModel):
    """Request to reschedule a post."""

    scheduled_at: RequestTime


class PostListQuery(PageQuery):
    """Filters for posts."""

    status: Omittable[Known[PostStatus]] = None
    platform: Omittable[Known[PostingPlatform]] = None
    batch_id: Omittable[Line] = None


class DeletePostQuery(RequestModel):
    """Whether to keep the row as ``cancelled`` or to remove it."""

    hard: bool = False


class BatchDetails(ResponseModel):
    """How many posts of a batch are left: neither cancelled nor deleted."""

    batch_id: Word
    remaining: Count


class PostDeleteResult(ResponseModel):
    """Result of deleting a post. ``details`` is null if it isn't in a batch."""

    id: UUID
    action: DeleteAction
    details: Annotated[dict[str, Any], Cut(1_000), DescribedAs(BatchDetails)] | None


class BulkCreatePosts(RequestModel):
    """1 to 30 posts to create. Each is validated separately: rejected items don't affect the others."""

    posts: Annotated[
        list[Annotated[dict[str, Any], DescribedAs(CreatePost, or_any=True)]],
        Field(min_length=1, max_length=BULK_POSTS_MAX),
    ]


class RejectedPost(ResponseModel):
    """A rejected item of a bulk call, with its index and the reason."""

    index: Count
    code: ErrorCode
    message: Sentence
    details: ValidationDetails


class BulkCreateResult(ResponseModel):
    """Result of each item of a bulk call. The fields of a rejected item differ between services."""

    success: bool
    batch_id: UUID
    total: Count
    inserted: Count
    duplicates: Count
    rejected: Few[Annotated[dict[str, Any], DescribedAs(RejectedPost)]]
    posts: Few[Post]


class PostMetric(ResponseModel):
    """Metrics of one post on one day."""

    metric_date: Day
    views: Count
    likes: Count
    comments: Count
    shares: Count
    subscribers: Count


class PostAnalytics(ResponseModel):
    """Daily metrics of a published post."""

    post_id: UUID
    content_id: Word
    metrics: Few[PostMetric]
