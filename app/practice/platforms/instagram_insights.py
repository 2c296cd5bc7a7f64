"""Metrics of Instagram items."""

import asyncio

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.practice.counts import counts_of
from app.practice.faults import Operation
from app.practice.grants import Grant
from app.practice.ledger import Publication
from app.practice.platforms.base import Platform, PlatformError
from app.practice.platforms.graph import error

_METRICS = frozenset({"views", "reach", "likes", "comments", "shares", "saved", "total_interactions"})


class InstagramInsights:
    """``/{media}/insights``; ``prefix`` is the prefix of scope names."""

    def __init__(self, platform: Platform, prefix: str = "instagram") -> None:
        self._platform = platform
        self._scope = f"{prefix}_manage_insights"

    def add_routes(self, router: APIRouter) -> None:
        router.add_api_route("/{media}/insights", self.insights, methods=["GET"])

    async def insights(self, request: Request, media: str) -> Response:
        """Return the metrics of an item."""
        grant = await self._platform.caller(request, self._scope)
        metrics = [name for name in request.query_params.get("metric", "").split(",") if name]
        if not metrics or not _METRICS.issuperset(metrics):
            raise PlatformError(error(100, "(#100) metric must be one of the following values: views, reach"))
        found = await asyncio.to_thread(self._find, grant, media)
        counts = counts_of(found, self._platform.desk.settings.clock())
        values = {
            "views": counts.views,
            "reach": counts.views * 4 // 5,
            "likes": counts.likes,
            "comments": counts.comments,
            "shares": counts.shares,
            "saved": counts.shares // 2,
            "total_interactions": counts.likes + counts.comments + counts.shares,
        }
        data = [
            {
                "name": name,
                "period": "lifetime",
                "values": [{"value": values[name]}],
                "id": f"{media}/insights/{name}/lifetime",
            }
            for name in metrics
        ]
        answer = JSONResponse({"data": data})
        return await self._platform.answer(Operation.METRICS, grant.identifier, lambda: answer)

    def _find(self, grant: Grant, media: str) -> Publication:
        found = self._platform.desk.ledger.find(self._platform.name, media)
        if found is None or found.account_identifier != grant.identifier:
            message = f"Unsupported get request. Object with ID '{media}' does not exist"
            raise PlatformError(error(100, message, 33))
        return found
