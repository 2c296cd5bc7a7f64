"""Mastodon's API on any number of servers: apps, OAuth 2, the account, statuses, media, limits."""

import asyncio
import hashlib
import secrets
from datetime import UTC, datetime
from typing import ClassVar

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.practice.consent import read_form
from app.practice.faults import FaultKind, Operation
from app.practice.grants import DeadTokenError, Grant, RefusedGrantError, TokenRules
from app.practice.identities import Identity
from app.practice.platforms.base import Platform, PlatformError
from app.practice.platforms.mastodon_posts import MastodonPosts, error
from app.practice.platforms.mastodon_servers import Server

_CENTURY_S = 100 * 365 * 86_400


class Mastodon(Platform):
    """Accounts have the same ID on every server. A server's name determines its software."""

    name: ClassVar = "mastodon"
    title: ClassVar = "Mastodon"
    scopes: ClassVar = {
        "read": "See everything in your account",
        "read:accounts": "See your profile",
        "read:statuses": "See your posts",
        "write": "Change everything in your account",
        "write:media": "Upload files",
        "write:statuses": "Publish posts in your name",
    }
    # Tokens end when they are revoked.
    rules: ClassVar = TokenRules(code_s=600, access_s=_CENTURY_S, refresh_s=None, bytes_of_token=32)
    unknown_scope: ClassVar = "invalid_scope"

    def router(self) -> APIRouter:
        router = APIRouter(prefix=f"/{self.name}")
        posts = MastodonPosts(self)
        router.add_api_route("/{server}/api/v1/apps", self.register, methods=["POST"])
        router.add_api_route("/{server}/oauth/authorize", self.authorize, methods=["GET"])
        router.add_api_route("/{server}/oauth/authorize", self.decide, methods=["POST"])
        router.add_api_route("/{server}/oauth/token", self.token, methods=["POST"])
        router.add_api_route("/{server}/oauth/revoke", self.revoke, methods=["POST"])
        router.add_api_route("/{server}/api/v1/instance", self.instance_1, methods=["GET"])
        router.add_api_route("/{server}/api/v2/instance", self.instance_2, methods=["GET"])
        router.add_api_route("/{server}/api/v1/accounts/verify_credentials", self.account, methods=["GET"])
        posts.add_routes(router)
        router.add_api_route("/{server}/@{account}/{status}", self.show_status, methods=["GET"])
        return router

    def identifier(self, identity: Identity) -> str:
        return identity.long_id

    async def register(self, request: Request) -> Response:
        """Register an app. Nothing is stored: the secret is derived from the ID."""
        form = await read_form(request)
        for name in ("client_name", "redirect_uris"):
            if not form.get(name):
                return error(422, f"Validation failed: {name} can't be blank")
        if not Server.of(request).knows_scopes(form.get("scopes", "read")):
            return error(422, "Validation failed: Scopes doesn't match configured on the server.")
        client_id = secrets.token_urlsafe(32)
        body = {
            "id": "1",
            "name": form["client_name"],
            "redirect_uri": form["redirect_uris"],
            "client_id": client_id,
            "client_secret": _secret_of(client_id),
        }
        return JSONResponse(body)

    async def token(self, request: Request) -> Response:
        """Exchange a code, or issue a token to the app itself."""
        form = await read_form(request)
        holder = await self.holder(form)
        return await self.answer(Operation.TOKEN, holder, lambda: self._token(form))

    async def revoke(self, request: Request) -> Response:
        """Revoke the grant of a token. Unknown tokens aren't an error."""
        form = await read_form(request)
        if not _is_app(form):
            return JSONResponse({"error": "unauthorized_client"}, 403)
        await asyncio.to_thread(self.desk.grants.revoke_token, self.name, form.get("token", ""))
        return JSONResponse({})

    async def instance_1(self, request: Request) -> Response:
        """Return the server's description of itself."""
        return JSONResponse(Server.of(request).document())

    async def instance_2(self, request: Request) -> Response:
        """Return the server's description of itself, on software with this version of the call."""
        server = Server.of(request)
        return JSONResponse(server.document()) if server.has_version_2 else error(404, "Record not found")

    async def account(self, request: Request) -> Response:
        """Return the token's account."""
        grant = await self.caller(request, "read:accounts")
        person = grant.identity
        shown = {
            "id": grant.identifier,
            "username": person.handle,
            "acct": person.handle,
            "display_name": person.display_name,
            "avatar": self.avatar(request, person),
            "followers_count": person.followers,
        }
        return JSONResponse(shown)

    def show_status(self, server: str, account: str, status: str) -> Response:
        """Show a status by its public URL."""
        del server, account
        return self.show(status)

    async def caller(self, request: Request, *scopes: str) -> Grant:
        """Return the grant of the bearer token. Broad scopes include the narrow ones."""
        grant = await super().caller(request)
        for scope in scopes:
            if not {scope, scope.partition(":")[0]} & grant.scope:
                raise PlatformError(self.missing_scope(scope))
        return grant

    def refusal(self, kind: FaultKind, operation: Operation) -> Response:
        if kind is FaultKind.ERROR_500:
            return error(500, "We're sorry, but something went wrong on our end.")
        if kind is FaultKind.RATE_LIMIT:
            settings = self.desk.settings
            response = error(429, "Too many requests")
            reset = datetime.fromtimestamp(settings.clock() + settings.rate_limit_window_s, UTC)
            response.headers["X-RateLimit-Reset"] = reset.isoformat()
            return response
        if kind is FaultKind.EXPIRED_TOKEN:
            return self.dead_token(DeadTokenError("expired"))
        if operation is Operation.TOKEN:
            return JSONResponse({"error": "invalid_client", "error_description": "Unknown client."}, 401)
        return error(422, "Validation failed: Text is not allowed here")

    def dead_token(self, error_: DeadTokenError) -> Response:
        return error(401, f"The access token {'was revoked' if error_.reason == 'revoked' else 'is invalid'}")

    def missing_scope(self, scope: str) -> Response:
        del scope
        return error(403, "This action is outside the authorized scopes")

    def _token(self, form: dict[str, str]) -> Response:
        if not _is_app(form):
            return JSONResponse({"error": "invalid_client", "error_description": "Unknown client."}, 401)
        if form.get("grant_type") == "client_credentials":
            token, scope = secrets.token_urlsafe(32), form.get("scope", "read")
        elif form.get("grant_type") == "authorization_code":
            try:
                issued = self.desk.grants.exchange(
                    self.rules,
                    form.get("code", ""),
                    form["client_id"],
                    form.get("redirect_uri", ""),
                    form.get("code_verifier", ""),
                )
            except RefusedGrantError:
                said = "The provided authorization grant is invalid, expired or revoked."
                return JSONResponse({"error": "invalid_grant", "error_description": said}, 400)
            token, scope = issued.access_token, " ".join(sorted(issued.scope))
        else:
            return JSONResponse({"error": "unsupported_grant_type"}, 400)
        created = int(self.desk.settings.clock())
        body = {"access_token": token, "token_type": "Bearer", "scope": scope, "created_at": created}
        return JSONResponse(body, headers={"Cache-Control": "no-store"})


def _secret_of(client_id: str) -> str:
    return hashlib.sha256(f"practice:{client_id}".encode()).hexdigest()


def _is_app(form: dict[str, str]) -> bool:
    return form.get("client_secret") == _secret_of(form.get("client_id", ""))
