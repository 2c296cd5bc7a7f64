"""The calls about files, as the service in memory answers them."""

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx

from app.contract.base import format_timestamp
from app.contract.media_kinds import sniffed

if TYPE_CHECKING:
    from tests.workspace.model_service import ModelService

BASE_URL = "https://service.example"
_NEEDING = ("scheduled", "queued", "processing")


def answer_media(service: "ModelService", method: str, path: str, body: bytes) -> httpx.Response | None:
    """The answer for a file at ``path``; None for what is not there."""
    if method == "POST" and path == "attach-from-url":
        return attach(service, json.loads(body)["url"])
    if service.files.get(path) is None and method != "DELETE":
        return None
    if method == "GET":
        url = f"{BASE_URL}/view/{quote(path)}"
        return httpx.Response(200, json={"view_url": url, "expires_in_seconds": 300})
    return remove(service, path)


def remove(service: "ModelService", path: str) -> httpx.Response | None:
    """Removes a file that no post needs which is not out yet."""
    posts = service.posts.values()
    needed = any(post["media_storage_path"] == path and post["status"] in _NEEDING for post in posts)
    if path not in service.files and not needed:
        return None
    if not needed:
        del service.files[path]
    return httpx.Response(200, json={"storage_path": path, "deleted": not needed})


def attach(service: "ModelService", url: str) -> httpx.Response:
    """Fetches what ``service.web`` has at an address."""
    content = service.web.get(url)
    if content is None:
        issue = {"field": "url", "message": "nothing was found at this address", "type": "unreachable"}
        error = {"code": "validation_error", "message": "The request is not valid.", "details": [issue]}
        return httpx.Response(400, json={"error": error, "request_id": "req-400"})
    path = f"me/{url.rpartition('/')[2]}"
    service.files[path] = content
    stored = {"success": True, "storage_path": path, "content_type": type_of(content)}
    return httpx.Response(200, json=stored | {"size_bytes": len(content)})


def usage(service: "ModelService") -> httpx.Response:
    """What files take, and ``service.room``."""
    used = sum(len(content) for content in service.files.values() if content)
    storage = {"used_bytes": used, "cap_bytes": service.room, "used_human": "", "cap_human": ""}
    answer: dict[str, Any] = {"plan": "local", "status": "active", "current_period_end": None}
    answer |= {"period": "month", "actions": {}, "storage": storage}
    return httpx.Response(200, json=answer | service.subscription)


def listed(service: "ModelService") -> httpx.Response:
    """All stored files on one page."""
    files = [told(service, path, content) for path, content in service.files.items() if content]
    return httpx.Response(200, json={"data": files, "next_cursor": None})


def told(service: "ModelService", path: str, content: bytes) -> dict[str, Any]:
    """A file as the list has it."""
    content_type = type_of(content)
    return {
        "storage_path": path,
        "kind": content_type.partition("/")[0],
        "content_type": content_type,
        "size_bytes": len(content),
        "width": None,
        "height": None,
        "duration_ms": 42_000 if content_type.startswith("video") else None,
        "alt_text": None,
        "cover_ms": None,
        "created_at": format_timestamp(datetime(2026, 11, 20, tzinfo=UTC)),
        "used_in": [],
        **service.described.get(path, {}),
    }


def type_of(content: bytes) -> str:
    """By its first bytes; a JPEG where they say nothing."""
    kind = sniffed(content[:8192])
    return kind.content_type if kind else "image/jpeg"
