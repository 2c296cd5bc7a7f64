"""Data of the other service: made-up accounts, posts of every status, metrics, webhooks and files."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

PLATFORMS = ("linkedin", "tiktok", "pinterest", "instagram", "youtube", "x", "facebook")
STATUSES = ("scheduled", "queued", "processing", "posted", "failed", "cancelled")
KEY = "stp_rest_" + "5e" * 32
OWNER = "0c9d7f3e-0000-4000-8000-00000000abcd"
Row = dict[str, Any]


def identity(name: str) -> str:
    """Return a UUID for a name, the same in every run."""
    return str(uuid5(NAMESPACE_URL, f"hostile/{name}"))


def instant(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass
class World:
    """The data of one account. ``page`` is the maximum page size."""

    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    page: int = 10
    connections: list[Row] = field(default_factory=list)
    posts: list[Row] = field(default_factory=list)
    history: list[Row] = field(default_factory=list)
    metrics: list[Row] = field(default_factory=list)
    webhooks: list[Row] = field(default_factory=list)
    deliveries: dict[str, list[Row]] = field(default_factory=dict)
    boards: list[Row] = field(default_factory=list)
    files: dict[str, bytes | None] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    usage: Row = field(default_factory=dict)
    serial: int = 0

    def ago(self, **delta: float) -> str:
        """Return a time before now; negative numbers are in the future."""
        return instant(self.now - timedelta(**delta))

    def next(self, kind: str) -> str:
        """Return a new ID."""
        self.serial += 1
        return identity(f"{kind}-{self.serial}")

    def state(self, told: list[Row]) -> Row:
        """Return what the app should show once it has everything, with these posts."""
        counted = {"connections": self.connections, "history": self.history, "webhooks": self.webhooks}
        counted |= {"metrics": self.metrics}
        posts = {str(post["id"]).lower(): [post["scheduled_at"], post["status"]] for post in told}
        things = {name: {str(row.get("id")).lower() for row in rows} for name, rows in counted.items()}
        files = {str(post.get("media_storage_path") or "") for post in told} - {""}
        return {"posts": posts, "files": len(files)} | {name: len(ids) for name, ids in things.items()}

    def add_post(self, platform: str, status: str, hours: float, kind: str = "", **more: Any) -> Row:
        """Add a post ``hours`` from now."""
        number = len(self.posts)
        kind = kind or {"youtube": "video", "instagram": "image", "pinterest": "image"}.get(platform, "text")
        path = "" if kind == "text" else f"{OWNER}/file-{number}.{'mp4' if kind == 'video' else 'png'}"
        post = {
            "id": self.next("post"),
            "status": status,
            "platform": platform,
            "post_type": kind,
            "title": f"Title {number}" if platform in ("youtube", "pinterest") else None,
            "description": f"Post {number} for {platform}, {status}.",
            "scheduled_at": self.ago(hours=-hours),
            "posted_at": self.ago(hours=-hours) if status == "posted" else None,
            "social_account_id": identity(platform),
            "media_storage_path": path,
            "batch_id": "batch-1" if number % 5 == 0 else None,
            "created_at": self.ago(days=20, seconds=-self.serial),
        }
        post |= more
        self.posts.append(post)
        if path:
            self.files[path] = b""
        return post


def usual() -> World:
    """Return a world with at least one of everything."""
    world = World()
    world.connections = [
        _connection(world, number, one) for number, one in enumerate((*PLATFORMS, "threads"))
    ]
    for number, platform in enumerate(PLATFORMS):
        world.add_post(platform, STATUSES[3 + number % 3], -2 - 5 * number)
        world.add_post(platform, "scheduled", 3 + 4 * number)
    world.add_post("x", "queued", 1)
    world.add_post("linkedin", "processing", 2)
    world.add_post("facebook", "cancelled", 30)
    published = [post for post in world.posts if post["status"] == "posted"]
    world.history = [_content(world, number, post) for number, post in enumerate(published)]
    world.history += [_content(world, 100 + number) for number in range(9)]
    world.metrics = [
        _metric(world, day, platform)
        for day in range(4)
        for platform in PLATFORMS[:4]
        if platform != "tiktok"
    ]
    world.boards = [_board(number) for number in range(7)]
    for number in range(2):
        _add_webhook(world, number)
    world.usage = _usage(world)
    return world


def _connection(world: World, number: int, platform: str) -> Row:
    return {
        "id": identity(platform),
        "platform": platform,
        "account_identifier": f"{platform}-{number}",
        "display_name": f"Studio {number}",
        "username": f"studio{number}",
        "avatar_url": None,
        "is_verified": number % 2 == 0,
        "follower_count": 1_000 * number,
        "is_available": platform != "facebook",
        "token_expires_at": world.ago(days=-2) if platform == "tiktok" else None,
        "created_at": world.ago(days=90 - number),
    }


def _content(world: World, number: int, post: Row | None = None) -> Row:
    platform = post["platform"] if post else ("threads", "x", "linkedin")[number % 3]
    return {
        "id": identity(f"content-{number}"),
        "platform": platform,
        "content_id": f"platform-{number}",
        "scheduled_post_id": post["id"] if post else None,
        "title": None,
        "description": f"Content {number}",
        "media_url": None,
        "media_type": post["post_type"] if post else "text",
        "status": "published",
        "batch_id": None,
        "created_via": ("rest", "mcp", "x402", "web")[number % 4],
        "created_at": world.ago(hours=number + 1),
    }


def _metric(world: World, day: int, platform: str) -> Row:
    return {
        "id": identity(f"metric-{platform}-{day}"),
        "platform": platform,
        "content_id": "platform-0",
        "metric_date": (world.now - timedelta(days=day)).date().isoformat(),
        "views": 500 - 90 * day,
        "likes": 40,
        "comments": 7,
        "shares": 3,
        "subscribers": 1_200,
        "created_at": world.ago(days=day),
    }


def _board(number: int) -> Row:
    told = {"id": f"board-{number}", "name": f"Board {number}", "description": None}
    return told | {"privacy": "SECRET" if number == 3 else "PUBLIC", "pin_count": 11 * number}


def _add_webhook(world: World, number: int) -> None:
    webhook: Row = {
        "id": identity(f"webhook-{number}"),
        "url": f"https://receiver{number}.example/hook",
        "events": ["post.published", "post.failed"],
        "active": number == 0,
        "failure_count": 10 * number,
        "last_delivery_at": world.ago(hours=1),
        "last_disabled_at": world.ago(hours=1) if number else None,
        "created_at": world.ago(days=9 + number),
        "updated_at": world.ago(days=1),
    }
    world.webhooks.append(webhook)
    world.deliveries[webhook["id"]] = [_delivery(world, number, turn) for turn in range(14)]


def _delivery(world: World, number: int, turn: int) -> Row:
    moment, failed = world.ago(hours=1 + turn), turn % 4 == 1
    return {
        "id": identity(f"delivery-{number}-{turn}"),
        "event_type": "post.failed" if failed else "post.published",
        "event_id": f"event-{turn}",
        "status_code": None if turn == 5 else 500 if failed else 200,
        "attempt": 1 + turn % 3,
        "latency_ms": None if turn == 5 else 71.5,
        "delivered_at": None if failed else moment,
        "failed_at": moment if failed else None,
        "error_message": "The endpoint responded with 500." if failed else None,
        "created_at": moment,
    }


def _usage(world: World) -> Row:
    return {
        "plan": "Studio",
        "status": "active",
        "current_period_end": world.ago(days=-12),
        "period": "month",
        "actions": {"rest.posts.create": 41, "rest.media.upload_url": 12, "rest.posts.list": 4_100},
        "storage": {
            "used_bytes": 3 * 10**9,
            "cap_bytes": 10**10,
            "used_human": "3.0 GB",
            "cap_human": "10.0 GB",
        },
    }
