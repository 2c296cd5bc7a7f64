"""Instagram as the Graph API answers by way of Facebook Login: accounts that belong to Pages."""

from typing import Any, ClassVar

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response

from app.practice.counts import counts_of
from app.practice.desk import Desk
from app.practice.faults import Operation
from app.practice.grants import Grant
from app.practice.identities import Identity
from app.practice.ledger import Publication
from app.practice.platforms.base import PlatformError
from app.practice.platforms.graph import error
from app.practice.platforms.instagram_media import InstagramMedia
from app.practice.platforms.page_photos import PagePhotos
from app.practice.platforms.pages import PagesPlatform

_METRICS = frozenset({"views", "reach", "likes", "comments", "shares", "saved", "total_interactions"})


class Instagram(PagesPlatform):
    """The Studio of a person has an account here, the Journal has none."""

    name: ClassVar = "instagram"
    title: ClassVar = "Instagram"
    scopes: ClassVar = {
        "instagram_basic": "See your Instagram account",
        "instagram_content_publish": "Publish on Instagram in your name",
        "instagram_manage_insights": "See how your posts do",
        "pages_show_list": "See which Pages you have",
        "pages_read_engagement": "See the posts of your Pages",
        "pages_manage_posts": "Publish posts for your Pages",
        "business_management": "See the Pages of your business",
    }

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._photos = PagePhotos(self)
        self._media = InstagramMedia(self, self._photos)

    def router(self) -> APIRouter:
        router = super().router()
        self._photos.add_routes(router)
        router.add_api_route("/{media}/insights", self.insights, methods=["GET"])
        self._media.add_routes(router)
        return router

    def account_of_page(self, page: Identity) -> str | None:
        return account_id(page) if page.account.endswith("-studio") else None

    def page_fields(self, request: Request, page: Identity) -> dict[str, Any]:
        account = self.account_of_page(page)
        if account is None:
            return {}
        return {
            "instagram_business_account": {
                "id": account,
                "username": page.handle,
                "name": page.display_name,
                "profile_picture_url": self.avatar(request, page),
                "followers_count": page.followers,
            }
        }

    async def insights(self, request: Request, media: str) -> Response:
        """How an item does."""
        grant = await self.caller(request, "instagram_manage_insights")
        metrics = [name for name in request.query_params.get("metric", "").split(",") if name]
        if not metrics or not _METRICS.issuperset(metrics):
            raise PlatformError(error(100, "(#100) metric must be one of the following values: views, reach"))
        found = await run_in_threadpool(self._find, grant, media)
        counts = counts_of(found, self.desk.settings.clock())
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
        return await self.answer(Operation.METRICS, grant.identifier, lambda: JSONResponse({"data": data}))

    def _find(self, grant: Grant, media: str) -> Publication:
        found = self.desk.ledger.find(self.name, media)
        if found is None or found.account_identifier != grant.identifier:
            message = f"Unsupported get request. Object with ID '{media}' does not exist"
            raise PlatformError(error(100, message, 33))
        return found


def account_id(page: Identity) -> str:
    """Seventeen digits, as the ids of professional accounts are."""
    return str(17_841_400_000_000_000 + page.seed % 10**11)
