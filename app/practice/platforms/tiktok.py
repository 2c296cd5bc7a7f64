"""TikTok's API v2: Login Kit for desktop apps, the user, video metrics."""

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from app.practice.consent import AuthorizationRequest, InvalidRequestError, Wording, read_form
from app.practice.desk import Desk
from app.practice.faults import FaultKind, Operation
from app.practice.grants import DeadTokenError, Grant, Issued, RefusedGrantError, TokenRules
from app.practice.identities import Identity
from app.practice.ledger import counts_of
from app.practice.platforms.base import Platform, PlatformError
from app.practice.platforms.tiktok_post import TikTokPost
from app.practice.quotas import UsedUpError

_HEX_DIGEST = re.compile(r"[0-9a-f]{64}")
_MOST_VIDEOS = 20
# Scope required for each field of a user.
_USER_FIELDS: Mapping[str, str] = {
    "open_id": "user.info.basic",
    "union_id": "user.info.basic",
    "avatar_url": "user.info.basic",
    "display_name": "user.info.basic",
    "username": "user.info.profile",
    "is_verified": "user.info.profile",
    "bio_description": "user.info.profile",
    "follower_count": "user.info.stats",
    "following_count": "user.info.stats",
    "likes_count": "user.info.stats",
    "video_count": "user.info.stats",
}
_VIDEO_FIELDS = frozenset(
    {"id", "title", "share_url", "create_time", "view_count", "like_count", "comment_count", "share_count"}
)


class TikTok(Platform):
    """One user per grant."""

    name: ClassVar = "tiktok"
    title: ClassVar = "TikTok"
    scopes: ClassVar = {
        "user.info.basic": "See your name and picture",
        "user.info.profile": "See your profile",
        "user.info.stats": "See how many people follow you",
        "video.publish": "Publish videos in your name",
        "video.upload": "Send videos to your drafts",
        "video.list": "See your public videos",
    }
    rules: ClassVar = TokenRules(
        code_s=600, access_s=86_400, refresh_s=365 * 86_400, renews=True, challenge="hex"
    )
    unknown_scope: ClassVar = "invalid_scope"
    wording: ClassVar = Wording(client="client_key", separator=",")

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._post = TikTokPost(self, _error, _ok)

    def router(self) -> APIRouter:
        router = APIRouter(prefix=f"/{self.name}")
        self._post.add_routes(router)
        router.add_api_route("/@{author}", self.show_all, methods=["GET"])
        router.add_api_route("/@{author}/video/{content}", self.show_video, methods=["GET"])
        router.add_api_route("/@{author}/photo/{content}", self.show_video, methods=["GET"])
        router.add_api_route("/v2/auth/authorize/", self.authorize, methods=["GET"])
        router.add_api_route("/v2/auth/authorize/", self.decide, methods=["POST"])
        router.add_api_route("/v2/oauth/token/", self.token, methods=["POST"])
        router.add_api_route("/v2/user/info/", self.user_info, methods=["GET"])
        router.add_api_route("/v2/video/query/", self.query_videos, methods=["POST"])
        return router

    def identifier(self, identity: Identity) -> str:
        return f"-000{identity.short_id}{identity.seed:024x}"

    def check_authorization(self, asked: AuthorizationRequest) -> None:
        if asked["code_challenge_method"] != "S256" or not _HEX_DIGEST.fullmatch(asked["code_challenge"]):
            raise InvalidRequestError(
                "code_challenge (64 hexadecimal digits) with code_challenge_method S256 is required."
            )
        if not asked["state"]:
            raise InvalidRequestError("state is required.")

    def show_all(self, author: str) -> Response:
        """Show a user's publications, including those without a public ID."""
        del author
        return RedirectResponse(f"/published/{self.name}", 303)

    def show_video(self, author: str, content: str) -> Response:
        """Show a video; any author name is accepted."""
        del author
        return self.show(content)

    async def token(self, request: Request) -> Response:
        """Exchange a code or a refresh token."""
        form = await read_form(request)
        for name in ("client_key", "client_secret", "grant_type"):
            if not form.get(name):
                return _oauth_error("invalid_request", f"{name} is missing.")
        if form["grant_type"] == "client_credentials":
            body = {"access_token": "clt.practice", "expires_in": 7200, "token_type": "Bearer"}
            return JSONResponse(body)
        holder = await self.holder(form)
        return await self.answer(Operation.TOKEN, holder, lambda: self._token(form))

    async def user_info(self, request: Request) -> Response:
        """Return the token's user. A field without its scope fails the call."""
        grant = await self.caller(request, "user.info.basic")
        fields = _fields(request, frozenset(_USER_FIELDS))
        for field in fields:
            if _USER_FIELDS[field] not in grant.scope:
                raise PlatformError(_error(400, "scope_permission_missed", f"{field} needs another scope."))
        person = grant.identity
        count = await asyncio.to_thread(self.desk.ledger.count, self.name, grant.identifier)
        user: dict[str, Any] = {
            "open_id": grant.identifier,
            "union_id": f"u{grant.identifier}",
            "avatar_url": self.avatar(request, person),
            "display_name": person.display_name,
            "username": person.handle,
            "is_verified": False,
            "bio_description": "A practice account.",
            "follower_count": person.followers,
            "following_count": 0,
            "likes_count": person.followers * 3,
            "video_count": count,
        }
        return _ok({"user": {name: user[name] for name in fields}})

    async def query_videos(self, request: Request) -> Response:
        """Return the metrics of public videos, without IDs of other users."""
        grant = await self.caller(request, "video.list")
        fields = _fields(request, _VIDEO_FIELDS)
        ids = _wanted_ids(await request.body())
        return await self.answer(
            Operation.METRICS, grant.identifier, lambda: _ok(self._videos(grant, ids, fields))
        )

    def refusal(self, kind: FaultKind, operation: Operation) -> Response:
        if kind is FaultKind.ERROR_500:
            return _error(500, "internal_error", "Something went wrong. Try again later.")
        if kind is FaultKind.RATE_LIMIT:
            return _error(429, "rate_limit_exceeded", "The API rate limit was exceeded.")
        if kind is FaultKind.EXPIRED_TOKEN:
            return self.dead_token(DeadTokenError("expired"))
        if operation is Operation.TOKEN:
            return _oauth_error("invalid_grant", "Authorization code is expired.")
        return _error(400, "invalid_params", "The practice platform was asked to refuse this call.")

    def used_up(self, error: UsedUpError) -> Response:  # noqa: ARG002  # there is one quota
        message = "The daily post cap from the API is reached for the current user."
        return _error(403, "spam_risk_too_many_posts", message)

    def dead_token(self, error: DeadTokenError) -> Response:  # noqa: ARG002  # TikTok has one response
        message = "The access token is invalid or not found in the request."
        return _error(401, "access_token_invalid", message)

    def missing_scope(self, scope: str) -> Response:
        return _error(401, "scope_not_authorized", f"The user did not authorize the scope {scope}.")

    def _token(self, form: dict[str, str]) -> Response:
        grants, client_key = self.desk.grants, form["client_key"]
        try:
            if form["grant_type"] == "authorization_code":
                proof = (form.get("redirect_uri", ""), form.get("code_verifier", ""))
                issued = grants.exchange(self.rules, form.get("code", ""), client_key, *proof)
            elif form["grant_type"] == "refresh_token":
                issued = grants.refresh(self.rules, form.get("refresh_token", ""), client_key)
            else:
                return _oauth_error("unsupported_grant_type", "Grant type is not supported.")
        except RefusedGrantError:
            return _oauth_error("invalid_grant", "The code or refresh token is invalid or expired.")
        return self._token_answer(issued)

    def _token_answer(self, issued: Issued) -> Response:
        body = {
            "access_token": issued.access_token,
            "expires_in": issued.expires_in,
            "open_id": self.desk.grants.holder(issued.access_token),
            "refresh_token": issued.refresh_token,
            "refresh_expires_in": issued.refresh_expires_in,
            "scope": ",".join(sorted(issued.scope)),
            "token_type": "Bearer",
        }
        return JSONResponse(body, headers={"Cache-Control": "no-store"})

    def _videos(self, grant: Grant, ids: list[str], fields: list[str]) -> dict[str, Any]:
        now = self.desk.settings.clock()
        found = [self.desk.ledger.find(self.name, video_id) for video_id in ids]
        videos = []
        for publication in found:
            if publication is None or publication.account_identifier != grant.identifier:
                continue
            counts = counts_of(publication, now)
            video = {
                "id": publication.content_id,
                "title": publication.text,
                "share_url": f"https://www.tiktok.com/@{grant.identity.handle}/video/{publication.content_id}",
                "view_count": counts.views,
                "like_count": counts.likes,
                "comment_count": counts.comments,
                "share_count": counts.shares,
            }
            videos.append({name: video[name] for name in fields if name in video})
        return {"videos": videos, "cursor": 0, "has_more": False}


def _fields(request: Request, known: frozenset[str]) -> list[str]:
    fields = [name for name in request.query_params.get("fields", "").split(",") if name]
    if not fields or not known.issuperset(fields):
        raise PlatformError(_error(400, "invalid_params", "The query parameter fields is not valid."))
    return fields


def _wanted_ids(body: bytes) -> list[str]:
    try:
        ids = json.loads(body)["filters"]["video_ids"]
    except (ValueError, KeyError, TypeError, RecursionError):
        ids = None
    if not isinstance(ids, list) or not 0 < len(ids) <= _MOST_VIDEOS:
        raise PlatformError(_error(400, "invalid_params", f"video_ids holds 1 to {_MOST_VIDEOS} ids."))
    return [str(video_id) for video_id in ids]


def _ok(data: Mapping[str, Any]) -> Response:
    return JSONResponse({"data": data, "error": {"code": "ok", "message": "", "log_id": "practice"}})


def _error(status: int, code: str, message: str) -> JSONResponse:
    return JSONResponse(
        {"data": {}, "error": {"code": code, "message": message, "log_id": "practice"}}, status
    )


def _oauth_error(error: str, description: str) -> JSONResponse:
    return JSONResponse({"error": error, "error_description": description, "log_id": "practice"}, 400)
