"""Instagram's Graph API with either login: Facebook's, for Pages, and Instagram's own."""

import asyncio
from typing import Any, ClassVar

from fastapi import APIRouter, Request
from fastapi.responses import Response
from fastapi.routing import APIRoute

from app.practice.desk import Desk
from app.practice.grants import Issued, TokenRules
from app.practice.identities import Identity
from app.practice.platforms.graph import PagesPlatform
from app.practice.platforms.instagram_media import InstagramInsights, InstagramMedia
from app.practice.platforms.own_login import OwnLogin, chosen_fields
from app.practice.platforms.page_files import PagePhotos

_PREFIX = "instagram_business"


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
        router.add_api_route("/{node}", self.node, methods=["GET"])
        self._media.add_routes(router)
        return router

    async def node(self, request: Request, node: str) -> Response:
        """Return the account of a Page's token, or anything else that belongs to it."""
        grant = await self.caller(request, "instagram_basic")
        is_account = grant.is_page and node == grant.identifier
        page = await asyncio.to_thread(self.person_of, node) if is_account else None
        if page is None:
            return await self._media.node(request, node)
        return chosen_fields(request, self.page_fields(request, page)["instagram_business_account"])

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


class InstagramLogin(OwnLogin):
    """One account per grant. Its publications are ordinary Instagram items."""

    name: ClassVar = "instagram"
    title: ClassVar = "Instagram"
    scopes: ClassVar = {
        "instagram_business_basic": "See your Instagram account",
        "instagram_business_content_publish": "Publish on Instagram in your name",
        "instagram_business_manage_insights": "See how your posts do",
    }
    rules: ClassVar = TokenRules(code_s=3600, access_s=3600, refresh_s=None, bytes_of_token=140)
    exchange_grant: ClassVar = "ig_exchange_token"
    refresh_grant: ClassVar = "ig_refresh_token"

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/instagram-login")
        self.add_login(router)
        versioned = APIRouter(prefix="/{version}")
        versioned.add_api_route("/me", self.me, methods=["GET"])
        InstagramInsights(self, _PREFIX).add_routes(versioned)
        InstagramMedia(self, None, _PREFIX).add_routes(versioned)
        for route in versioned.routes:
            if isinstance(route, APIRoute):
                router.add_api_route(route.path, route.endpoint, methods=sorted(route.methods or ()))
        return router

    def identifier(self, identity: Identity) -> str:
        return str(17_841_400_000_000_000 + identity.seed % 10**11)

    async def me(self, request: Request) -> Response:
        """Return the token's account."""
        grant = await self.caller(request, "instagram_business_basic")
        person = grant.identity
        user: dict[str, Any] = {
            "id": str(10**16 + person.seed % 10**15),
            "user_id": grant.identifier,
            "username": person.handle,
            "name": person.display_name,
            "account_type": "BUSINESS",
            "profile_picture_url": self.avatar(request, person),
            "followers_count": person.followers,
            "media_count": await asyncio.to_thread(self.desk.ledger.count, self.name, grant.identifier),
        }
        return chosen_fields(request, user)

    def granted(self, issued: Issued) -> dict[str, Any]:
        return {**super().granted(issued), "permissions": ",".join(sorted(issued.scope))}
