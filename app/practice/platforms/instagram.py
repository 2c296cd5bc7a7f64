"""Instagram's Graph API with either login: Facebook's, for Pages, and Instagram's own."""

import asyncio
from typing import Any, ClassVar

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute

from app.practice.consent import Wording, read_form
from app.practice.desk import Desk
from app.practice.faults import Operation
from app.practice.grants import DeadTokenError, Grant, Issued, RefusedGrantError, TokenRules
from app.practice.identities import Identity
from app.practice.platforms.base import PlatformError
from app.practice.platforms.graph import GraphPlatform, PagesPlatform, bad_code, error
from app.practice.platforms.instagram_media import InstagramInsights, InstagramMedia
from app.practice.platforms.page_files import PagePhotos

_LONG_S = 60 * 86_400
_PREFIX = "instagram_business"
_GRANTS = {"access_token": "ig_exchange_token", "refresh_access_token": "ig_refresh_token"}


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


class InstagramLogin(GraphPlatform):
    """One account per grant. Its publications are ordinary Instagram items."""

    name: ClassVar = "instagram"
    title: ClassVar = "Instagram"
    scopes: ClassVar = {
        "instagram_business_basic": "See your Instagram account",
        "instagram_business_content_publish": "Publish on Instagram in your name",
        "instagram_business_manage_insights": "See how your posts do",
    }
    rules: ClassVar = TokenRules(code_s=3600, access_s=3600, refresh_s=None, bytes_of_token=140)
    unknown_scope: ClassVar = "invalid_scope"
    wording: ClassVar = Wording(separator=",")

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/instagram-login")
        router.add_api_route("/oauth/authorize", self.authorize, methods=["GET"])
        router.add_api_route("/oauth/authorize", self.decide, methods=["POST"])
        router.add_api_route("/oauth/access_token", self.token, methods=["POST"])
        router.add_api_route("/access_token", self.prolong, methods=["GET"])
        router.add_api_route("/refresh_access_token", self.prolong, methods=["GET"])
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

    async def page_caller(self, request: Request, account: str, *scopes: str) -> Grant:
        """Return the grant of a call for an account, which has its own token."""
        grant = await self.caller(request, *scopes)
        if account not in {"me", grant.identifier}:
            message = f"Unsupported request. Object with ID '{account}' does not exist or cannot be loaded"
            raise PlatformError(error(100, message, 33))
        return grant

    async def token(self, request: Request) -> Response:
        """Exchange a code for a token that's valid for an hour."""
        form = await read_form(request)
        for name in ("client_id", "client_secret", "code", "redirect_uri"):
            if not form.get(name):
                return error(100, f"Missing {name} parameter.")
        if form.get("grant_type") != "authorization_code":
            return error(100, "Invalid grant_type parameter.")
        holder = await self.holder(form)
        return await self.answer(Operation.TOKEN, holder, lambda: self._exchange(form))

    async def prolong(self, request: Request) -> Response:
        """Exchange a valid token for one that's valid for 60 days."""
        path = request.url.path.rpartition("/")[2]
        if request.query_params.get("grant_type") != _GRANTS[path]:
            return error(100, "Invalid grant_type parameter.")
        if path == "access_token" and not request.query_params.get("client_secret"):
            return error(100, "Missing client_secret parameter.")
        token = self.bearer(request)
        holder = await asyncio.to_thread(self.desk.grants.holder, token)
        return await self.answer(Operation.TOKEN, holder, lambda: self._prolong(token))

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
        fields = {"id", *filter(None, request.query_params.get("fields", "").split(","))}
        if unknown := sorted(fields - user.keys()):
            raise PlatformError(error(100, f"Tried accessing nonexisting field ({unknown[0]})"))
        return JSONResponse({key: value for key, value in user.items() if key in fields})

    def _exchange(self, form: dict[str, str]) -> Response:
        try:
            issued = self.desk.grants.exchange(
                self.rules, form["code"], form["client_id"], form["redirect_uri"]
            )
        except RefusedGrantError:
            return bad_code()
        holder = self.desk.grants.holder(issued.access_token)
        permissions = ",".join(sorted(issued.scope))
        body = {"access_token": issued.access_token, "user_id": holder, "permissions": permissions}
        return JSONResponse(body, headers={"Cache-Control": "no-store"})

    def _prolong(self, token: str) -> Response:
        try:
            issued = self.desk.grants.prolong(self.rules, self.name, token, _LONG_S)
        except DeadTokenError as dead:
            return self.dead_token(dead)
        return _long_lived(issued)


def _long_lived(issued: Issued) -> Response:
    body = {"access_token": issued.access_token, "token_type": "bearer", "expires_in": issued.expires_in}
    return JSONResponse(body, headers={"Cache-Control": "no-store"})
