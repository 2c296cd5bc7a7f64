"""A mirror with samples of many items per platform for every day."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from sqlalchemy import Connection, insert

from app.contract.enums import ConnectionPlatform, PostingPlatform
from app.workspace.analytics.analytics import SETTING
from app.workspace.store.tables import content, metrics, posts, settings
from app.workspace.workspace import Workspace

_PIECE = 5_000
_POSTING = frozenset(platform.value for platform in PostingPlatform)


async def fill(workspace: Workspace, days: int, items: int) -> int:
    """Write the rows as a sync would, and return the number of samples."""
    now = datetime.now(UTC).replace(microsecond=0)
    platforms = [platform.value for platform in ConnectionPlatform]
    core = workspace._core
    await core.write(lambda rows: _publish(rows, platforms, items, days, now))
    count, piece = 0, []
    for sample in _samples(platforms, items, days, now):
        piece.append(sample)
        count += 1
        if len(piece) == _PIECE:
            full, piece = piece, []
            await core.write(lambda rows, full=full: rows.execute(insert(metrics), full))  # type: ignore[misc]
    if piece:
        await core.write(lambda rows: rows.execute(insert(metrics), piece))
    asked = f'{{"at": {round(now.timestamp() * 1_000)}, "ground": {{}}}}'
    await core.write(lambda rows: rows.execute(insert(settings).values(name=SETTING, value=asked)))
    return count


def _publish(rows: Connection, platforms: list[str], items: int, days: int, now: datetime) -> None:
    """Publish every item before the first sample, so that each has a sample for every day."""
    records, planned = [], []
    for platform in platforms:
        for number in range(items):
            key = str(uuid5(NAMESPACE_URL, f"{platform} {number}"))
            at = now - timedelta(days=days - 1 - number % 7, hours=number % 24)
            text = f"Post {number} on {platform}"
            records.append(
                {
                    "id": key,
                    "platform": platform,
                    "content_id": f"{platform}-{number:06}-0123456789",
                    "scheduled_post_id": key,
                    "title": text,
                    "created_via": "rest",
                    "created_at": at,
                }
            )
            if platform in _POSTING:  # of the others there is content, but never a post
                planned.append(_post(key, platform, number, at))
    rows.execute(insert(posts), planned)
    rows.execute(insert(content), records)


def _post(key: str, platform: str, number: int, at: datetime) -> dict[str, Any]:
    return {
        "key": key,
        "service_id": key,
        "account_key": str(uuid5(NAMESPACE_URL, f"{platform} account {number % 2}")),
        "platform": platform,
        "post_type": "text",
        "status": "posted",
        "headline": "",
        "at": round(at.timestamp() * 1_000),
        "posted_at": at,
        "media_storage_path": "",
        "created_at": at,
        "reason": "",
        "may_be_live": False,
        "immediate": False,
    }


def _samples(platforms: list[str], items: int, days: int, now: datetime) -> Iterator[dict[str, Any]]:
    for age in reversed(range(days)):
        day: date = (now - timedelta(days=age)).date()
        for platform in platforms:
            for number in range(items):
                views = (days - age) * (number % 97 + 1) * 3
                yield {
                    "id": str(uuid5(NAMESPACE_URL, f"{platform} {number} {age}")),
                    "platform": platform,
                    "content_id": f"{platform}-{number:06}-0123456789",
                    "metric_date": day.isoformat(),
                    "views": views,
                    "likes": views // 20,
                    "comments": views // 200,
                    "shares": 0 if platform == "youtube" else views // 90,
                    "subscribers": 1_000 + (days - age) * 3,
                    "created_at": datetime(day.year, day.month, day.day, number % 6, 10, tzinfo=UTC),
                }


def size_mb(folder: Path) -> float:
    """Return the mirror's size on disk, in MiB."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 2**20
