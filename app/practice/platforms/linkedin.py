"""LinkedIn's versioned API: OAuth, the member's profile, posts."""

import asyncio
import re
from typing import Any, ClassVar, Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from app.practice.consent import read_form
from app.practice.desk import Desk
from app.practice.faults import FaultKind, Operation
from app.practice.grants import DeadTokenError, Grant, Issued, RefusedGrantError, TokenRules
from app.practice.identities import Identity
from app.practice.ledger import Draft, DuplicateError
from app.practice.platforms.base import Platform, PlatformError
from app.practice.platforms.linkedin_media import LinkedInMedia
from app.practice.platforms.linkedin_organizations import (
    LinkedInOrganizations,
    number_of,
    organizations_of,
    shown_text,
)
from app.practice.quotas import Quota, UsedUpError

LONGEST_COMMENTARY = 3000
# The gateway rejects retired versions. Newer versions than today's are accepted.
OLDEST_VERSION = "202512"
_VERSION = re.compile(r"20\d\d(?:0[1-9]|1[0-2])")
_AUTHOR = re.compile(r"urn:li:(?:person|organization):[\w-]+")

# For apps without approval for more.
_CALLS = (
    Quota("linkedin member", 150, midnight="UTC"),
    Quota("linkedin app", 100_000, midnight="UTC", per_app=True),
)

_DEAD_TOKEN = {
    "unknown": (65600, "INVALID_ACCESS_TOKEN", "Invalid access token"),
    "revoked": (65601, "REVOKED_ACCESS_TOKEN", "The token used in the request has been revoked by the user"),
    "expired": (65602, "EXPIRED_ACCESS_TOKEN", "The token used in the request has expired"),
}
_BAD_CODE = (
    "Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code."
    " Or authorization code expired. Or external member binding exists"
)
_BAD_REFRESH = "The provided authorization grant or refresh token is invalid, expired or revoked"


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=to_camel)


class _Distribution(_Body):
    feed_distribution: Literal["MAIN_FEED", "NONE"]
    target_entities: list[Any] = []
    third_party_distribution_channels: list[Any] = []


class _Media(_Body):
    id: str
    title: str | None = None
    alt_text: str | None = Field(None, max_length=4086)


class _Content(_Body):
    media: _Media


class _Post(_Body):
    author: str
    commentary: str
    visibility: Literal["PUBLIC", "CONNECTIONS", "LOGGED_IN"]
    distribution: _Distribution
    lifecycle_state: Literal["PUBLISHED"]
    is_reshare_disabled_by_author: bool = False
    content: _Content | None = None


class LinkedIn(Platform):
    """Members, and their organizations for apps with the scopes of the vetted product."""

    name: ClassVar = "linkedin"
    title: ClassVar = "LinkedIn"
    scopes: ClassVar = {
        "openid": "Know who you are on LinkedIn",
        "profile": "See your name and picture",
        "email": "See your e-mail address",
        "w_member_social": "Publish posts in your name",
        "r_member_profileAnalytics": "See how many people follow you",
        "r_member_postAnalytics": "See how your posts do",
        "w_organization_social": "Publish posts in the name of your organizations",
        "r_organization_social": "See your organizations' posts and how they do",
        "rw_organization_admin": "See and manage your organizations",
    }
    rules: ClassVar = TokenRules(
        code_s=30 * 60, access_s=60 * 86_400, refresh_s=365 * 86_400, rotates=False, bytes_of_token=260
    )
    unknown_scope: ClassVar = "unauthorized_scope_error"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._organizations = LinkedInOrganizations(self, _error)
        self._media = LinkedInMedia(self, _error, self._check_author, _check_protocol)

    def router(self) -> APIRouter:
        router = APIRouter(prefix=f"/{self.name}")
        router.add_api_route("/oauth/v2/authorization", self.authorize, methods=["GET"])
        router.add_api_route("/oauth/v2/authorization", self.decide, methods=["POST"])
        router.add_api_route("/oauth/v2/accessToken", self.token, methods=["POST"])
        router.add_api_route("/oauth/v2/revoke", self.revoke, methods=["POST"])
        router.add_api_route("/v2/userinfo", self.userinfo, methods=["GET"])
        router.add_api_route("/rest/posts", self.create_post, methods=["POST"])
        router.add_api_route("/rest/posts", self.find_posts, methods=["GET"])
        router.add_api_route("/rest/memberFollowersCount", self.followers, methods=["GET"])
        self._organizations.add_routes(router)
        router.add_api_route("/feed/update/{content}/", self.show, methods=["GET"])
        self._media.add_routes(router)
        return router

    def identifier(self, identity: Identity) -> str:
        return f"urn:li:person:{identity.short_id}"

    async def token(self, request: Request) -> Response:
        """Exchange a code or a refresh token."""
        form = await read_form(request)
        for name in ("grant_type", "client_id", "client_secret"):
            if not form.get(name):
                return _oauth_error("invalid_request", f'A required parameter "{name}" is missing')
        holder = await self.holder(form)
        return await self.answer(Operation.TOKEN, holder, lambda: self._token(form))

    async def revoke(self, request: Request) -> Response:
        """Revoke a grant. Unknown tokens aren't an error."""
        form = await read_form(request)
        await asyncio.to_thread(self.desk.grants.revoke_token, self.name, form.get("token", ""))
        return Response(status_code=200)

    async def userinfo(self, request: Request) -> Response:
        """Return the member in OpenID Connect format."""
        grant = await self.caller(request, "openid", "profile")
        given, _, family = grant.identity.display_name.partition(" ")
        claims: dict[str, Any] = {
            "sub": grant.identity.short_id,
            "name": grant.identity.display_name,
            "given_name": given,
            "family_name": family,
            "picture": self.avatar(request, grant.identity),
            "locale": {"country": "US", "language": "en"},
        }
        if "email" in grant.scope:
            claims |= {"email": f"{grant.identity.handle}@practice.invalid", "email_verified": True}
        return JSONResponse(claims)

    async def create_post(self, request: Request) -> Response:
        """Publish a post. The ID is in the header ``x-restli-id``, and the body is empty."""
        grant = await self.rest_caller(request)
        body = await request.body()
        return await self.answer(Operation.PUBLISH, grant.identifier, lambda: self._publish(grant, body))

    async def find_posts(self, request: Request) -> Response:
        """Return an organization's posts. A member's can't be listed, because that scope is closed."""
        grant = await self.rest_caller(request)
        author = request.query_params.get("author", "")
        if author not in organizations_of(grant):
            return await self.answer(
                Operation.LOOK_BACK, grant.identifier, lambda: self.missing_scope("r_member_social")
            )
        return await self._organizations.posts(request, grant, author)

    async def followers(self, request: Request) -> Response:
        """Return the member's follower count."""
        grant = await self.rest_caller(request, "r_member_profileAnalytics")
        if request.query_params.get("q") != "me":
            raise PlatformError(_error(400, "ILLEGAL_ARGUMENT", "q must be me"))
        body = {"paging": {"start": 0, "count": 10, "links": []}, "elements": [_followers(grant.identity)]}
        return await self.answer(Operation.METRICS, grant.identifier, lambda: JSONResponse(body))

    async def caller(self, request: Request, *scopes: str) -> Grant:
        grant = await super().caller(request, *scopes)
        self.spend(grant, *_CALLS)
        return grant

    def used_up(self, error: UsedUpError) -> Response:
        return _throttled("APPLICATION" if error.quota.per_app else "MEMBER")

    def refusal(self, kind: FaultKind, operation: Operation) -> Response:
        if kind is FaultKind.ERROR_500:
            return _error(500, "INTERNAL_SERVER_ERROR", "Internal Server Error")
        if kind is FaultKind.RATE_LIMIT:
            return _throttled("MEMBER")
        if kind is FaultKind.EXPIRED_TOKEN:
            return self.dead_token(DeadTokenError("expired"))
        if operation is Operation.TOKEN:
            return _oauth_error("invalid_request", _BAD_CODE)
        return _error(400, "INVALID_VALUE_FOR_FIELD", "The practice platform was asked to refuse this call.")

    def dead_token(self, error: DeadTokenError) -> Response:
        number, code, message = _DEAD_TOKEN[error.reason]
        return _error(401, code, message, number)

    def missing_scope(self, scope: str) -> Response:
        return _error(403, "ACCESS_DENIED", f"Not enough permissions to access: {scope}", 100)

    async def rest_caller(self, request: Request, *scopes: str) -> Grant:
        """Return the grant of a call below ``/rest``. Raises PlatformError."""
        _check_protocol(request)
        return await self.caller(request, *scopes)

    def _token(self, form: dict[str, str]) -> Response:
        grants, client_id = self.desk.grants, form["client_id"]
        try:
            if form["grant_type"] == "authorization_code":
                code, redirect_uri = form.get("code", ""), form.get("redirect_uri", "")
                return _token_answer(grants.exchange(self.rules, code, client_id, redirect_uri))
            if form["grant_type"] == "refresh_token":
                return _token_answer(grants.refresh(self.rules, form.get("refresh_token", ""), client_id))
        except RefusedGrantError:
            if form["grant_type"] == "refresh_token":
                return _oauth_error("invalid_grant", _BAD_REFRESH)
            return _oauth_error("invalid_request", _BAD_CODE)
        return _oauth_error("unsupported_grant_type", "grant_type is not supported")

    def _publish(self, grant: Grant, body: bytes) -> Response:
        post = _read_post(body)
        text = shown_text(post.commentary)
        self._check_author(grant, post.author)
        _check_post(post, text)
        media = post.content.media if post.content else None
        file = self._media.postable(post.author, media.id) if media else None
        draft = Draft(
            self.name,
            post.author,
            text,
            title=media.title if media else None,
            media_sha256=file.sha256 if file else None,
        )
        kind = "share" if file is None else "ugcPost"
        try:
            published = self.desk.ledger.accept(draft, lambda number: f"urn:li:{kind}:{number}")
        except DuplicateError as error:
            return _duplicate(error.existing.content_id)
        if file is not None:
            self.desk.uploads.use(file, number_of(published.content_id))
        if file is not None and file.details:
            self.desk.covers.put(self.name, published.content_id, file.details)
        return Response(status_code=201, headers={"x-restli-id": published.content_id})

    def _check_author(self, grant: Grant, author: str) -> None:
        """Raise PlatformError unless the token's member can publish as the author."""
        if not _AUTHOR.fullmatch(author):
            message = "/author is not the URN of a person or organization"
            raise PlatformError(_error(400, "INVALID_URN_TYPE", message))
        is_member = author == grant.identifier
        scope = "w_member_social" if is_member else "w_organization_social"
        if scope not in grant.scope:
            raise PlatformError(self.missing_scope(scope))
        if not is_member and author not in organizations_of(grant):
            raise PlatformError(
                _error(403, "ACCESS_DENIED", "The author is not the member of the token", 100)
            )


def _check_protocol(request: Request) -> None:
    """Check the headers required below ``/rest``."""
    version = request.headers.get("LinkedIn-Version", "")
    if not version:
        reason = "A version must be present. Please specify a version by adding the LinkedIn-Version header."
        raise PlatformError(_error(400, "VERSION_MISSING", reason))
    if not _VERSION.fullmatch(version) or version < OLDEST_VERSION:
        raise PlatformError(_error(426, "NONEXISTENT_VERSION", f"Requested version {version} is not active"))
    if request.headers.get("X-Restli-Protocol-Version") != "2.0.0":
        reason = "X-Restli-Protocol-Version must be 2.0.0"
        raise PlatformError(_error(400, "ILLEGAL_ARGUMENT", reason))


def _read_post(body: bytes) -> _Post:
    try:
        return _Post.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    field = "/" + "/".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        raise PlatformError(_error(400, "MISSING_FIELD", f"{field} is required"))
    if first["type"] == "extra_forbidden":
        reason = f"ERROR :: {field} :: unrecognized field found but not allowed"
        raise PlatformError(_error(422, "UNPROCESSABLE_ENTITY", reason))
    raise PlatformError(_error(400, "INVALID_VALUE_FOR_FIELD", f"{field}: {first['msg']}"))


def _check_post(post: _Post, text: str) -> None:
    if not text.strip() and post.content is None:
        raise PlatformError(_error(400, "INVALID_VALUE_BLANK_FIELD", "/commentary must not be blank"))
    if len(text) > LONGEST_COMMENTARY:
        reason = f"/commentary has {len(text)} characters, the maximum is {LONGEST_COMMENTARY}"
        raise PlatformError(_error(400, "FIELD_LENGTH_TOO_LONG", reason))


def _duplicate(existing: str) -> Response:
    body = {
        "status": 422,
        "code": "DUPLICATE_POST",
        "message": f"Content is a duplicate of {existing}",
        "errorDetailType": "com.linkedin.common.error.BadRequest",
        "errorDetails": {
            "inputErrors": [
                {"description": "Duplicate post is detected", "input": {}, "code": "DUPLICATE_POST"}
            ]
        },
    }
    return JSONResponse(body, 422)


def _token_answer(issued: Issued) -> Response:
    body = {
        "access_token": issued.access_token,
        "expires_in": issued.expires_in,
        "refresh_token": issued.refresh_token,
        "refresh_token_expires_in": issued.refresh_expires_in,
        "scope": ",".join(sorted(issued.scope)),
        "token_type": "Bearer",
    }
    return JSONResponse(body, headers={"Cache-Control": "no-store"})


def _followers(identity: Identity) -> dict[str, int]:
    return {"memberFollowersCount": identity.followers}


def _error(status: int, code: str, message: str, number: int | None = None) -> JSONResponse:
    body: dict[str, Any] = {"status": status, "code": code, "message": message}
    if number is not None:
        body["serviceErrorCode"] = number
    return JSONResponse(body, status)


def _throttled(whose: str) -> JSONResponse:
    reason = f"Resource level throttle {whose} DAY limit for calls to this resource is reached."
    return _error(429, "TOO_MANY_REQUESTS", reason, 101)


def _oauth_error(error: str, description: str) -> JSONResponse:
    return JSONResponse({"error": error, "error_description": description}, 400)
