"""The companion API of another service, which works and can be bent."""

import itertools
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.hostile.wire import Asked, Reply, missing
from tests.hostile.world import Row, identity

OFFERS = ("events", "media", "attempts", "quotas", "deliveries")
_HEARTBEAT_S = 0.2


@dataclass(frozen=True, slots=True)
class Stream:
    """An event stream. ``pieces`` returns the bytes of the nth connection."""

    pieces: Callable[[int], Iterator[bytes]]
    headers: Mapping[str, str] = field(default_factory=dict)


def event(kind: str = "reset", data: Any = None, event_id: str = "1", end: str = "\n") -> bytes:
    """Return an event as sent over the network."""
    lines = f"id: {event_id}", f"event: {kind}", f"data: {json.dumps(data or {})}", "", ""
    return end.join(lines).encode()


def quiet() -> Iterator[bytes]:
    """Send nothing while a client is connected."""
    while True:
        yield b": quiet\n\n"
        time.sleep(_HEARTBEAT_S)


def calm(_turn: int) -> Iterator[bytes]:
    """Start a stream and send nothing more."""
    return itertools.chain([event()], quiet())


CALM = Stream(calm)


def answer(asked: Asked) -> Reply:
    """Return everything except the stream; ``path`` starts with ``companion``."""
    match asked.path[1:]:
        case []:
            return Reply(200, {"version": "1", "offers": OFFERS, "practice": False})
        case ["media"]:
            return Reply(
                200, {"data": [_file(asked, path) for path in asked.world.files], "next_cursor": None}
            )
        case ["posts", post_id, "attempts"]:
            return Reply(200, {"data": [_attempt(asked, post_id)]})
        case ["deliveries", delivery_id]:
            return Reply(200, _delivery(asked, delivery_id))
        case ["quotas"]:
            row = {"action": "rest.posts.create", "limit": 60, "remaining": 59, "window_seconds": 60}
            return Reply(200, {"data": [row | {"full_in_seconds": 1.0}]})
    return missing()


def _file(asked: Asked, path: str) -> Row:
    kind = "video" if path.endswith("mp4") else "image"
    told: Row = {"storage_path": path, "kind": kind, "content_type": f"{kind}/png", "size_bytes": 68}
    told |= {"width": 1, "height": 1, "duration_ms": None, "alt_text": None, "cover_ms": None}
    return told | {"created_at": asked.world.ago(days=1), "used_in": []}


def _attempt(asked: Asked, post_id: str) -> Row:
    told: Row = {
        "id": identity(f"attempt-{post_id}"),
        "post_id": post_id,
        "step": "publish",
        "outcome": "refused",
    }
    told |= {"started_at": asked.world.ago(hours=1), "finished_at": asked.world.ago(hours=1)}
    told |= {"platform_code": "190", "platform_message": "The platform refused this."}
    return told | {"advice": "Connect the account again.", "content_url": None}


def _delivery(asked: Asked, delivery_id: str) -> Row:
    told: Row = {
        "id": delivery_id,
        "subscription_id": identity("webhook-0"),
        "url": "https://receiver0.example/hook",
    }
    told |= {"request_headers": {"User-Agent": "Service-Webhook/1.0"}, "request_body": '{"event_id": "e"}'}
    told |= {"status_code": 200, "latency_ms": 12, "error_message": None}
    return told | {"created_at": asked.world.ago(hours=1)}
