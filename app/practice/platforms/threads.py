"""Threads' Graph API: OAuth, long-lived tokens, the user."""

import asyncio
from typing import Any, ClassVar

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.practice.consent import Wording, read_form
from app.practice.faults import Operation
from app.practice.grants import DeadTokenError, Issued, RefusedGrantError, TokenRules
from app.practice.identities import Identity
from app.practice.platforms.base import PlatformError
from app.practice.platforms.graph import GraphPlatform, bad_code, error

_DAY_S = 86_400
_LONG_S = 60 * _DAY_S
_GRANTS = {"access_token": "th_exchange_token", "refresh_access_token": "th_refresh_token"}


class Threads(GraphPlatform):
    """One user per grant. Publishing isn't supported."""

    name: ClassVar = "threads"
    title: ClassVar = "Threads"
    scopes: ClassVar = {
        "threads_basic": "See your profile",
        "threads_content_publish": "Publish in your name",
        "threads_manage_insights": "See how your posts do",
    }
    rules: ClassVar = TokenRules(code_s=3600, access_s=3600, refresh_s=None, bytes_of_token=120)
    unknown_scope: ClassVar = "invalid_scope"
    wording: ClassVar = Wording(separator=",")
    publishes: ClassVar = False

    def router(self) -> APIRouter:
        router = APIRouter(prefix=f"/{self.name}")
        router.add_api_route("/oauth/authorize", self.authorize, methods=["GET"])
        router.add_api_route("/oauth/authorize", self.decide, methods=["POST"])
        router.add_api_route("/oauth/access_token", self.token, methods=["POST"])
        router.add_api_route("/access_token", self.prolong, methods=["GET"])
        router.add_api_route("/refresh_access_token", self.prolong, methods=["GET"])
        router.add_api_route("/v1.0/me", self.me, methods=["GET"])
        return router

    def identifier(self, identity: Identity) -> str:
        return str(10**16 + identity.seed % (9 * 10**16))

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
        is_renewal = path != "access_token"
        return await self.answer(Operation.TOKEN, holder, lambda: self._prolong(token, is_renewal=is_renewal))

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
        body = {"access_token": issued.access_token, "user_id": self.desk.grants.holder(issued.access_token)}
        return JSONResponse(body, headers={"Cache-Control": "no-store"})

    def _prolong(self, token: str, *, is_renewal: bool) -> Response:
        left = self.desk.grants.seconds_left(token)
        is_long = left is not None and left > self.rules.access_s
        if is_renewal and left is not None and (not is_long or left > _LONG_S - _DAY_S):
            return error(100, "Only a long-lived token that is 24 hours old or older can be refreshed.")
        try:
            issued = self.desk.grants.prolong(self.rules, self.name, token, _LONG_S)
        except DeadTokenError as dead:
            return self.dead_token(dead)
        return _long_lived(issued)


def _long_lived(issued: Issued) -> Response:
    body = {"access_token": issued.access_token, "token_type": "bearer", "expires_in": issued.expires_in}
    return JSONResponse(body, headers={"Cache-Control": "no-store"})
