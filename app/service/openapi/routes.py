"""``GET /openapi.json``: the OpenAPI document, generated at the first request and then cached."""

import json
from collections.abc import Iterable
from functools import cache
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from app.contract.limits import API_PREFIX, COMPANION_PREFIX
from app.service.api.routing import Router
from app.service.openapi.document import describe

router = Router(include_in_schema=False)

API_VERSION: Final = "1"
_TITLES: Final = {API_PREFIX: "Kalends", COMPANION_PREFIX: "Kalends companion"}
_DESCRIPTIONS: Final = {
    API_PREFIX: "Schedule, publish and measure social posts. Every call needs an API key as a bearer token.",
    COMPANION_PREFIX: "What the Kalends app needs beyond the specification, with the same keys and errors.",
}


def description(routes: Iterable[BaseRoute], prefix: str) -> dict[str, Any]:
    """Return the OpenAPI document of the API or the companion API."""
    return describe(
        routes, prefix, title=_TITLES[prefix], version=API_VERSION, description=_DESCRIPTIONS[prefix]
    )


@cache
def _written(app: Starlette, prefix: str) -> bytes:
    return json.dumps(description(app.routes, prefix), ensure_ascii=False).encode()


@router.get("/openapi.json")
async def get_description(request: Request) -> Response:
    prefix = request.url.path.removesuffix("/openapi.json")
    return Response(_written(request.app, prefix), media_type="application/json")
