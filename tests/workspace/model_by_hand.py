"""Posts that the user publishes by hand, in the service in memory."""

import json
from typing import TYPE_CHECKING, Any

import httpx

from app.contract.base import format_timestamp
from app.workspace.clock import from_millis

if TYPE_CHECKING:
    from tests.workspace.model_service import ModelService

OFFER = "by_hand"
"""What the companion calls single posts of connected accounts that are published by hand."""


def waits(post: dict[str, Any]) -> bool:
    """Whether the user was asked to publish a post."""
    is_by_hand = post.get("by_hand") or post["platform"].endswith("-by-hand")
    return bool(post["status"] == "processing" and is_by_hand)


def report(service: "ModelService", post: dict[str, Any], request: httpx.Request) -> httpx.Response:
    """Take the user's report that a post is published, or take it back."""
    if request.method == "DELETE":
        post |= {"status": "processing", "posted_at": None}
        service.effects.append(f"taken back {post['id']}")
        return httpx.Response(200, json=post)
    if post["status"] not in ("processing", "failed"):
        error = {"code": "validation_error", "message": "This post was published already."}
        return httpx.Response(400, json={"error": error, "request_id": "req-400"})
    post |= {"status": "posted", "posted_at": format_timestamp(from_millis(service.clock()))}
    url = json.loads(request.content).get("url", "")
    service.effects.append(f"finished {post['description']} {url}".strip())
    return httpx.Response(200, json=post)


def switch(service: "ModelService", post: dict[str, Any], request: httpx.Request) -> httpx.Response:
    """Let the user publish a scheduled post, or the service again; pins need a board for that."""
    by_hand = json.loads(request.content)["by_hand"]
    if post["status"] != "scheduled" or (post["platform"] == "pinterest" and not by_hand):
        error = {"code": "validation_error", "message": "Pins need a board."}
        return httpx.Response(400, json={"error": error, "request_id": "req-400"})
    post["by_hand"] = by_hand
    service.effects.append(f"{'by hand' if by_hand else 'published'} {post['description']}")
    return httpx.Response(200, json=post)
