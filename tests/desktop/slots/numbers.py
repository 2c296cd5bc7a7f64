"""Numbers by which Tuesday noon is the best time of an account."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from app.contract.base import format_timestamp
from tests.workspace.model_history import keep_history, record
from tests.workspace.model_metrics import keep_metrics, metric
from tests.workspace.model_service import ModelService

ZONE = ZoneInfo("Asia/Kathmandu")
"""It has no clock changes."""
TUESDAY, NOON = 1, 12 * 60


class Numbers:
    """What the service tells of posts on Tuesdays at noon and on Thursdays, a pair for each week."""

    def __init__(self, service: ModelService, account: str, *, weeks: int, views: int = 300) -> None:
        self.service, self.account = service, account
        self.records: list[dict[str, Any]] = []
        self.samples: list[dict[str, Any]] = []
        self.is_broken = False
        keep_history(service, self.records)
        self.asked = keep_metrics(service, self.samples, lambda _cursor: self.is_broken)
        today = datetime.now(ZONE)
        tuesday = today - timedelta(days=(today.weekday() - TUESDAY) % 7 + 14)
        for week in range(weeks):
            at = tuesday.replace(hour=12, minute=4) - timedelta(weeks=week)
            self.publish(at, views)
            self.publish(at + timedelta(days=2), views // 3)

    def publish(self, at: datetime, views: int) -> None:
        key = UUID(self.service.add_post(self.account, int(at.timestamp() * 1_000), status="posted"))
        moment = format_timestamp(at.astimezone(UTC))
        self.service.posts[key]["posted_at"] = moment
        told = record(len(self.records), scheduled_post_id=str(key), created_at=moment)
        self.records.append(told)
        self.samples.append(metric(told["content_id"], at.astimezone(UTC).date() + timedelta(days=6), views))
