"""``GET /openapi.json``: the description, made at the first request and then kept."""

import json
from functools import cache
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import Response

from app.contract.limits import API_PREFIX, COMPANION_PREFIX
from app.service.openapi.document import describe

router = APIRouter(include_in_schema=False)

API_VERSION: Final = "1"
_TITLES: Final = {API_PREFIX: "Kalends", COMPANION_PREFIX: "Kalends companion"}
_DESCRIPTIONS: Final = {
    API_PREFIX: "Plan, publish and measure social posts. Every call carries an API key as a bearer token.",
    COMPANION_PREFIX: "What the Kalends app uses beyond the specification, with the same keys and errors.",
}


def description(app: FastAPI, prefix: str) -> dict[str, Any]:
    """The document of the API or of the companion."""
    return describe(
        app, prefix, title=_TITLES[prefix], version=API_VERSION, description=_DESCRIPTIONS[prefix]
    )


@cache
def _written(app: FastAPI, prefix: str) -> bytes:
    return json.dumps(description(app, prefix), ensure_ascii=False).encode()


@router.get("/openapi.json")
async def get_description(request: Request) -> Response:
    prefix = request.url.path.removesuffix("/openapi.json")
    return Response(_written(request.app, prefix), media_type="application/json")
