"""The content history of the service in memory."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import httpx

from app.contract.base import format_timestamp
from tests.workspace.model_service import ModelService

NEWEST = datetime(2026, 11, 21, 8, 30, tzinfo=UTC)


def record(
    number: int, text: str = "", *, apart: timedelta = timedelta(hours=1), **more: Any
) -> dict[str, Any]:
    """A piece of content; a greater number is older."""
    told = {
        "id": str(uuid5(NAMESPACE_URL, f"content-{number}")),
        "platform": "x",
        "content_id": f"18{number:017}",
        "scheduled_post_id": None,
        "title": None,
        "description": text or f"Text {number}",
        "media_url": None,
        "media_type": "text",
        "status": "published",
        "batch_id": None,
        "created_via": "rest",
        "created_at": format_timestamp(NEWEST - number * apart),
    }
    return told | more


def keep_history(
    service: ModelService, records: list[dict[str, Any]], fails: Callable[[str | None], bool] | None = None
) -> list[str | None]:
    """Has the service tell of ``records``; gives the list of cursors that it is asked with.

    ``fails``: whether the call with a cursor fails.
    """
    asked: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response | None:
        if (request.method, request.url.path) != ("GET", "/api/v1/content-history"):
            return None
        cursor = request.url.params.get("cursor")
        asked.append(cursor)
        if fails is not None and fails(cursor):
            error = {"code": "internal_error", "message": "broken"}
            return httpx.Response(500, json={"error": error, "request_id": "req-500"})
        return service._page(records, ("created_at", "id"), request, newest_first=True)

    service.parts.append(answer)
    return asked
