"""Threads' Graph API: OAuth, long-lived tokens, the user."""

from typing import Any, ClassVar

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.practice.grants import TokenRules
from app.practice.identities import Identity
from app.practice.platforms.graph import DAY_S, LONG_S
from app.practice.platforms.own_login import OwnLogin, chosen_fields


class Threads(OwnLogin):
    """One user per grant. Publishing isn't supported."""

    name: ClassVar = "threads"
    title: ClassVar = "Threads"
    scopes: ClassVar = {
        "threads_basic": "See your profile",
        "threads_content_publish": "Publish in your name",
        "threads_manage_insights": "See how your posts do",
    }
    rules: ClassVar = TokenRules(code_s=3600, access_s=3600, refresh_s=None, bytes_of_token=120)
    publishes: ClassVar = False
    exchange_grant: ClassVar = "th_exchange_token"
    refresh_grant: ClassVar = "th_refresh_token"

    def router(self) -> APIRouter:
        router = APIRouter(prefix=f"/{self.name}")
        self.add_login(router)
        router.add_api_route("/v1.0/me", self.me, methods=["GET"])
        return router

    def identifier(self, identity: Identity) -> str:
        return str(10**16 + identity.seed % (9 * 10**16))

    async def me(self, request: Request) -> Response:
        """Return the token's user."""
        grant = await self.caller(request, "threads_basic")
        person = grant.identity
        user: dict[str, Any] = {
            "id": grant.identifier,
            "username": person.handle,
            "name": person.display_name,
            "is_verified": False,
            "threads_profile_picture_url": self.avatar(request, person),
            "threads_biography": "A practice account.",
        }
        return chosen_fields(request, user)

    def refresh_problem(self, token: str) -> str | None:
        left = self.desk.grants.seconds_left(token)
        if left is None or self.rules.access_s < left <= LONG_S - DAY_S:
            return None
        return "Only a long-lived token that is 24 hours old or older can be refreshed."
