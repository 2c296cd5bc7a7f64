"""Metrics of all published content."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from app.contract.base import Count, Day, Known, Line, Omittable, ResponseModel, Timestamp, Word
from app.contract.enums import PostingPlatform
from app.contract.limits import ANALYTICS_DAYS_DEFAULT, ANALYTICS_DAYS_MAX
from app.contract.pagination import PageQuery


class Metric(ResponseModel):
    """One sample of the counts of a published item."""

    id: UUID
    platform: PostingPlatform
    content_id: Word | None
    metric_date: Day
    views: Count
    likes: Count
    comments: Count
    shares: Count
    subscribers: Count
    created_at: Timestamp


class AnalyticsQuery(PageQuery):
    """Filters for samples by platform, content and age. Pages are ordered by metric date."""

    platform: Omittable[Known[PostingPlatform]] = None
    content_id: Omittable[Line] = None
    days: Annotated[int, Field(ge=1, le=ANALYTICS_DAYS_MAX)] = ANALYTICS_DAYS_DEFAULT
