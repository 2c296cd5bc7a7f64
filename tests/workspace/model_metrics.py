"""The metrics of the service in memory."""

from collections.abc import Callable
from datetime import date
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import httpx

from tests.workspace.model_service import ModelService


def metric(content_id: str, day: date, views: int = 0, **more: Any) -> dict[str, Any]:
    """A sample; there is one of each content and day."""
    told = {
        "id": str(uuid5(NAMESPACE_URL, f"{content_id} {day}")),
        "platform": "x",
        "content_id": content_id,
        "metric_date": day.isoformat(),
        "views": views,
        "likes": 0,
        "comments": 0,
        "shares": 0,
        "subscribers": 250,
        "created_at": f"{day}T12:00:00Z",
    }
    return told | more


def keep_metrics(
    service: ModelService, samples: list[dict[str, Any]], fails: Callable[[str | None], bool] | None = None
) -> list[str | None]:
    """Has the service tell of ``samples``; gives the list of cursors that it is asked with.

    ``fails``: whether the call with a cursor fails.
    """
    asked: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response | None:
        if (request.method, request.url.path) != ("GET", "/api/v1/analytics"):
            return None
        cursor = request.url.params.get("cursor")
        asked.append(cursor)
        if fails is not None and fails(cursor):
            error = {"code": "internal_error", "message": "broken"}
            return httpx.Response(500, json={"error": error, "request_id": "req-500"})
        return service._page(samples, ("metric_date", "id"), request, newest_first=True)

    service.parts.append(answer)
    return asked
