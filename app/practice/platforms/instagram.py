"""Instagram's Graph API with Facebook Login: accounts that belong to Pages."""

from typing import Any, ClassVar

from fastapi import APIRouter, Request

from app.practice.desk import Desk
from app.practice.identities import Identity
from app.practice.platforms.instagram_insights import InstagramInsights
from app.practice.platforms.instagram_media import InstagramMedia
from app.practice.platforms.page_photos import PagePhotos
from app.practice.platforms.pages import PagesPlatform


class Instagram(PagesPlatform):
    """A user's Studio has an Instagram account, the Journal has none."""

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
        InstagramInsights(self).add_routes(router)
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


def account_id(page: Identity) -> str:
    """Seventeen digits, like the IDs of professional accounts."""
    return str(17_841_400_000_000_000 + page.seed % 10**11)
