"""Companion networks of the service in memory: a service of their own, at the addresses of places."""

from dataclasses import dataclass, field

import httpx

from tests.workspace.model_service import ModelService

_PREFIX = "/companion/v1/places"


@dataclass
class ModelPlaces(ModelService):
    """A service for accounts and posts on Bluesky."""

    page_max: int = 5
    asked: list[str] = field(default_factory=list)

    def add_bluesky_post(self, account: str, at: int, text: str) -> str:
        body = {"social_account_id": account, "platform": "bluesky", "description": text}
        return str(self._store(body, at, "scheduled")["id"])


def keep_places(service: ModelService) -> ModelPlaces:
    """Has a service offer places; gives them."""
    places = ModelPlaces(service.clock)

    def answer(request: httpx.Request) -> httpx.Response | None:
        path = request.url.path
        if not path.startswith(_PREFIX):
            return None
        places.asked.append(path)
        inside = path.removeprefix(_PREFIX) or "/connections"
        moved = httpx.Request(
            request.method,
            request.url.copy_with(path=f"/api/v1{inside}"),
            headers=request.headers,
            content=request.content,
        )
        return places.answer(moved)

    service.parts.append(answer)
    service.offers = [*service.offers, "places"]
    return places
