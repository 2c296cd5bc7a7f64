"""Numbers of what the studio published: enough for best times of some accounts, too few or none of others."""

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.gallery.samples import ZONE, this_monday
from tests.gallery.service import StudioService, at
from tests.workspace.model_history import keep_history, record
from tests.workspace.model_metrics import keep_metrics, metric

_WEEKS = 8
# platform, weekday from Monday, time, views after a week, likes after a week, weeks
_POSTED = (
    ("instagram", 1, "12:15", 1_420, 96, _WEEKS),
    ("instagram", 3, "18:30", 2_260, 180, _WEEKS),
    ("instagram", 5, "11:00", 1_180, 60, _WEEKS),
    ("linkedin", 0, "09:00", 640, 31, 3),
    ("linkedin", 2, "09:00", 610, 28, 3),
    ("x", 4, "08:00", 0, 0, 6),
    ("pinterest", 2, "17:00", 300, 12, 6),
    ("pinterest", 6, "20:15", 300, 9, 6),
    ("facebook", 2, "15:00", 420, 22, 7),
    ("facebook", 5, "10:00", 180, 9, 7),
    ("tiktok", 1, "18:30", 14_200, 900, 6),
    ("tiktok", 4, "19:00", 31_600, 2_100, 6),
    ("tiktok", 6, "17:00", 9_800, 610, 6),
)


def tell_numbers(service: StudioService, *, fails: bool = False) -> None:
    """Has the service tell of two months of posts and what was counted of them; ``fails``: not just now."""
    records: list[dict[str, Any]] = []
    samples: list[dict[str, Any]] = []
    for platform, weekday, clock, views, likes, weeks in _POSTED:
        for week in range(2, 2 + weeks):
            moment = at(this_monday() - 7 * week + weekday, clock, ZONE)
            post = service.plan(moment, platform, f"{platform} {week}")
            published = datetime.fromtimestamp(moment / 1_000, UTC)
            told = record(
                len(records),
                platform=platform,
                scheduled_post_id=str(post),
                created_at=published.isoformat().replace("+00:00", "Z"),
            )
            records.append(told)
            for age in range(1, 10):
                counts = {"views": views * min(age, 7) // 7, "likes": likes * min(age, 7) // 7}
                day = published.date() + timedelta(days=age)
                samples.append(metric(told["content_id"], day, platform=platform, **counts))
    keep_history(service, records)
    keep_metrics(service, samples, lambda _cursor: fails)
