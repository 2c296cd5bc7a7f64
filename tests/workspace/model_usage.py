"""What the service in memory says of its usage: counters, limits, storage."""

from collections.abc import Mapping
from typing import Any

import httpx

from tests.workspace.model_service import ModelService


def count(service: ModelService, actions: Mapping[str, int], **more: Any) -> None:
    """Has the service tell these counters from now on; ``more`` are other fields of the usage."""
    service.tells_usage = True
    counters = {f"rest.{name}": number for name, number in actions.items()}
    service.subscription = {**service.subscription, "actions": counters, **more}


def store(service: ModelService, used: int, cap: int) -> None:
    """Has the service tell that so many bytes are stored, of so many."""
    storage = {"used_bytes": used, "cap_bytes": cap, "used_human": "", "cap_human": ""}
    service.tells_usage = True
    service.subscription = {**service.subscription, "storage": storage}


def limit(service: ModelService, limits: Mapping[str, tuple[int, int]]) -> None:
    """Has the companion tell limits a minute, and what is left of them."""

    def answer(request: httpx.Request) -> httpx.Response | None:
        if (request.method, request.url.path) != ("GET", "/companion/v1/quotas"):
            return None
        told = [
            {
                "action": f"rest.{name}",
                "limit": most,
                "remaining": left,
                "window_seconds": 60,
                "full_in_seconds": 1.5,
            }
            for name, (most, left) in limits.items()
        ]
        return httpx.Response(200, json={"data": told})

    service.offers = (*service.offers, "quotas")
    service.parts.append(answer)
