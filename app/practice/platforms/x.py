"""X's API v2: OAuth 2 with PKCE, the user, posts, the user's own timeline."""

import asyncio
import math
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from app.practice.consent import AuthorizationRequest, InvalidRequestError, read_form
from app.practice.desk import Desk
from app.practice.faults import FaultKind, Operation
from app.practice.grants import DeadTokenError, Grant, Issued, RefusedGrantError, TokenRules
from app.practice.identities import Identity
from app.practice.ledger import Draft, DuplicateError
from app.practice.platforms.base import Platform, PlatformError, basic_client
from app.practice.platforms.x_media import XMedia
from app.practice.platforms.x_posts import (
    LONGEST_TEXT,
    NOTHING,
    POST_FIELDS,
    USER_FIELDS,
    Asked,
    cashtags,
    shown_post,
    weighted_length,
)
from app.practice.quotas import Quota, UsedUpError
from app.practice.settings import timestamp

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
_LONGEST_STATE = 500
_LONGEST_BODY = 100_000
_POSTS = Quota("x user", 100, window_s=15 * 60)
_POSTS_OF_APP = Quota("x app", 10_000, per_app=True)
_MOST_IDS = 100
_HIGHEST_NUMBER = 2**63 - 1
_TOO_LONG = (
    "Your Tweet text is too long. For more information on how Twitter determines text length see"
    " https://github.com/twitter/twitter-text."
)
_INVALID_REQUEST = "https://api.twitter.com/2/problems/invalid-request"

_Model = TypeVar("_Model", bound=BaseModel)


def _listed(value: object) -> object:
    return value.split(",") if isinstance(value, str) else value


_Names = Annotated[frozenset[str], BeforeValidator(_listed)]


class _Query(BaseModel):
    """Query of a timeline; ``tweet.fields`` is the older name of ``post.fields``."""

    model_config = ConfigDict(extra="forbid")

    max_results: int = Field(10, ge=5, le=100)
    start_time: AwareDatetime = datetime.fromtimestamp(0, UTC)
    pagination_token: int = Field(_HIGHEST_NUMBER, ge=0, le=_HIGHEST_NUMBER)
    post_fields: _Names = Field(frozenset(), alias="post.fields")
    tweet_fields: _Names = Field(frozenset(), alias="tweet.fields")


class _Media(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    media_ids: list[str] = Field(min_length=1, max_length=4)


class _Post(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    text: str
    media: _Media | None = None
    reply_settings: Literal["following", "mentionedUsers", "subscribers", "verified"] | None = None
    made_with_ai: bool = False
    paid_partnership: bool = False


class X(Platform):
    """One user per grant, who only sees their own posts."""

    name: ClassVar = "x"
    title: ClassVar = "X"
    renames_edited: ClassVar = True
    scopes: ClassVar = {
        "users.read": "See your profile",
        "tweet.read": "See your posts",
        "tweet.write": "Publish posts in your name",
        "media.write": "Upload pictures and videos",
        "offline.access": "Stay connected when you are away",
    }
    rules: ClassVar = TokenRules(
        code_s=30, access_s=7200, refresh_s=180 * 86_400, rotates=True, refresh_scope="offline.access"
    )
    unknown_scope: ClassVar = "invalid_scope"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._media = XMedia(self, _invalid)

    def router(self) -> APIRouter:
        router = APIRouter(prefix=f"/{self.name}")
        self._media.add_routes(router)
        router.add_api_route("/i/oauth2/authorize", self.authorize, methods=["GET"])
        router.add_api_route("/i/oauth2/authorize", self.decide, methods=["POST"])
        router.add_api_route("/2/oauth2/token", self.token, methods=["POST"])
        router.add_api_route("/2/oauth2/revoke", self.revoke, methods=["POST"])
        router.add_api_route("/2/users/me", self.me, methods=["GET"])
        router.add_api_route("/2/tweets", self.create_post, methods=["POST"])
        router.add_api_route("/2/tweets", self.posts, methods=["GET"])
        router.add_api_route("/2/users/{user_id}/tweets", self.timeline, methods=["GET"])
        router.add_api_route("/i/web/status/{content}", self.show, methods=["GET"])
        router.add_api_route("/{author}/status/{content}", self.show_post, methods=["GET"])
        return router

    def identifier(self, identity: Identity) -> str:
        return identity.long_id

    def check_authorization(self, asked: AuthorizationRequest) -> None:
        if asked["code_challenge_method"] != "S256" or not _CHALLENGE.fullmatch(asked["code_challenge"]):
            raise InvalidRequestError("code_challenge with code_challenge_method S256 is required.")
        if not 0 < len(asked["state"]) <= _LONGEST_STATE:
            raise InvalidRequestError(f"state is required, {_LONGEST_STATE} characters at most.")

    def show_post(self, author: str, content: str) -> Response:
        """Show a post; any author name is accepted."""
        del author
        return self.show(content)

    async def token(self, request: Request) -> Response:
        """Exchange a code or a refresh token; each works once."""
        form = await read_form(request)
        client_id = _client_id(request, form)
        if not client_id:
            return _oauth_error("unauthorized_client", "Missing valid authorization header", 401)
        holder = await self.holder(form)
        return await self.answer(Operation.TOKEN, holder, lambda: self._token(form, client_id))

    async def revoke(self, request: Request) -> Response:
        """Revoke a grant. Unknown tokens aren't an error."""
        form = await read_form(request)
        if not _client_id(request, form):
            return _oauth_error("unauthorized_client", "Missing valid authorization header", 401)
        await asyncio.to_thread(self.desk.grants.revoke_token, self.name, form.get("token", ""))
        return JSONResponse({"revoked": True})

    async def me(self, request: Request) -> Response:
        """Return the token's user."""
        grant = await self.caller(request, "users.read", "tweet.read")
        fields = set(filter(None, request.query_params.get("user.fields", "").split(",")))
        if unknown := sorted(fields - USER_FIELDS):
            raise PlatformError(
                _invalid(f"The `user.fields` query parameter value [{unknown[0]}] is unknown")
            )
        person = grant.identity
        count = await asyncio.to_thread(self.desk.ledger.count, self.name, grant.identifier)
        profile: dict[str, Any] = {
            "profile_image_url": self.avatar(request, person),
            "verified": False,
            "verified_type": "none",
            "public_metrics": {
                "followers_count": person.followers,
                "following_count": 0,
                "tweet_count": count,
                "listed_count": 0,
            },
        }
        user = {"id": grant.identifier, "name": person.display_name, "username": person.handle}
        return JSONResponse({"data": user | {key: profile[key] for key in profile.keys() & fields}})

    async def create_post(self, request: Request) -> Response:
        """Publish text, images or a video."""
        grant = await self.caller(request, "tweet.write", "tweet.read", "users.read")
        self.spend(grant, _POSTS, _POSTS_OF_APP)
        body = await request.body()
        return await self.answer(Operation.PUBLISH, grant.identifier, lambda: self._publish(grant, body))

    async def timeline(self, request: Request, user_id: str) -> Response:
        """Return a user's posts, newest first."""
        grant = await self.caller(request, "tweet.read", "users.read")
        query = _read(lambda: _Query.model_validate(dict(request.query_params)))
        asked = _asked(query.post_fields, query.tweet_fields)
        return await self.answer(
            Operation.LOOK_BACK, grant.identifier, lambda: self._timeline(user_id, query, asked)
        )

    async def posts(self, request: Request) -> Response:
        """Return up to 100 posts by ID; unknown IDs are listed in ``errors``."""
        grant = await self.caller(request, "tweet.read", "users.read")
        ids = [post_id for post_id in request.query_params.get("ids", "").split(",") if post_id]
        if not 0 < len(ids) <= _MOST_IDS:
            raise PlatformError(_invalid(f"The `ids` query parameter holds 1 to {_MOST_IDS} ids"))
        current, older = (
            frozenset(filter(None, request.query_params.get(name, "").split(",")))
            for name in ("post.fields", "tweet.fields")
        )
        asked = _asked(current, older)
        return await self.answer(Operation.METRICS, grant.identifier, lambda: self._posts(ids, asked))

    def refusal(self, kind: FaultKind, operation: Operation) -> Response:
        if kind is FaultKind.ERROR_500:
            return _problem(500, "Internal Server Error", "Something is broken.")
        if kind is FaultKind.RATE_LIMIT:
            settings = self.desk.settings
            return _rate_limited(_POSTS, settings.clock() + settings.rate_limit_window_s)
        if kind is FaultKind.EXPIRED_TOKEN:
            return self.dead_token(DeadTokenError("expired"))
        if operation is Operation.TOKEN:
            return _oauth_error("invalid_request", "Value passed for the token was invalid.")
        return _problem(403, "Forbidden", "You are not permitted to perform this action.")

    def used_up(self, error: UsedUpError) -> Response:
        return _rate_limited(error.quota, error.resets_at)

    def dead_token(self, error: DeadTokenError) -> Response:  # noqa: ARG002  # X has one response
        return _problem(401, "Unauthorized", "Unauthorized")

    def missing_scope(self, scope: str) -> Response:
        return _problem(403, "Forbidden", f"The token lacks the scope {scope}.")

    def _token(self, form: dict[str, str], client_id: str) -> Response:
        grants, kind = self.desk.grants, form.get("grant_type")
        try:
            if kind == "authorization_code":
                proof = (form.get("redirect_uri", ""), form.get("code_verifier", ""))
                return _token_answer(grants.exchange(self.rules, form.get("code", ""), client_id, *proof))
            if kind == "refresh_token":
                return _token_answer(grants.refresh(self.rules, form.get("refresh_token", ""), client_id))
        except RefusedGrantError as error:
            if error.revoked:
                return _oauth_error("invalid_grant", "The refresh token was revoked.")
            what = "token" if kind == "refresh_token" else "authorization code"
            return _oauth_error("invalid_request", f"Value passed for the {what} was invalid.")
        return _oauth_error("unsupported_grant_type", "The grant type is not supported.")

    def _publish(self, grant: Grant, body: bytes) -> Response:
        if len(body) > _LONGEST_BODY:
            raise PlatformError(_too_long())
        post = _read(lambda: _Post.model_validate_json(body))
        files = [
            self._media.postable(grant, media_id) for media_id in (post.media.media_ids if post.media else [])
        ]
        if len(files) > 1 and any(file.purpose != "tweet_image" for file in files):
            raise PlatformError(_invalid("A post holds up to four pictures, or one GIF, or one video."))
        _check_text(post.text, has_media=bool(files))
        digest = ",".join(file.sha256 or "" for file in files) or None
        try:
            draft = Draft(self.name, grant.identifier, post.text, media_sha256=digest)
            published = self.desk.ledger.accept(draft, str)
        except DuplicateError:
            reason = "You are not allowed to create a Tweet with duplicate content."
            return _problem(403, "Forbidden", reason)
        return JSONResponse({"data": shown_post(published, NOTHING, self.desk.settings.clock())}, 201)

    def _posts(self, ids: list[str], asked: Asked) -> Response:
        found = {post_id: self.desk.ledger.find(self.name, post_id) for post_id in ids}
        now = self.desk.settings.clock()
        body: dict[str, Any] = {"data": [shown_post(post, asked, now) for post in found.values() if post]}
        missing = [post_id for post_id, post in found.items() if post is None]
        if missing:
            reason = "Could not find tweet with ids: [{}]."
            body["errors"] = [
                {"title": "Not Found Error", "detail": reason.format(post_id), "value": post_id}
                for post_id in missing
            ]
        return JSONResponse(body if body["data"] else {"errors": body["errors"]})

    def _timeline(self, user_id: str, query: _Query, asked: Asked) -> Response:
        if self.desk.grants.account_of(self.name, user_id) is None:
            reason = f"Could not find user with id: [{user_id}]."
            return JSONResponse({"errors": [{"title": "Not Found Error", "detail": reason}]})
        posts = self.desk.ledger.of_account(
            self.name,
            user_id,
            since=timestamp(query.start_time.timestamp()),
            below=query.pagination_token,
            limit=query.max_results + 1,
        )
        here = posts[: query.max_results]
        if not here:
            return JSONResponse({"meta": {"result_count": 0}})
        now = self.desk.settings.clock()
        shown = [shown_post(post, asked, now) for post in here]
        meta = {
            "result_count": len(here),
            "newest_id": here[0].content_id,
            "oldest_id": here[-1].content_id,
        }
        if len(posts) > len(here):
            meta["next_token"] = here[-1].content_id
        return JSONResponse(
            {
                "data": shown,
                "meta": meta,
            }
        )


def _read(parse: Callable[[], _Model]) -> _Model:
    """Parse a model, or return X's 400 with the first error."""
    try:
        return parse()
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        reason = (
            f"$.{field}: is not defined in the schema and the schema does not allow additional properties"
        )
        raise PlatformError(_invalid(reason))
    raise PlatformError(_invalid(f"$.{field}: {first['msg']}"))


def _check_text(text: str, *, has_media: bool) -> None:
    if not text.strip() and not has_media:
        raise PlatformError(_invalid("The text must not be empty."))
    if weighted_length(text) > LONGEST_TEXT:
        raise PlatformError(_too_long())
    if cashtags(text) > 1:
        raise PlatformError(_problem(403, "Forbidden", "A post may hold one cashtag at most."))


def _asked(current: frozenset[str], older: frozenset[str]) -> Asked:
    """Return the requested fields; ``post.fields`` takes precedence."""
    for name, fields in (("post.fields", current), ("tweet.fields", older)):
        if unknown := sorted(fields - POST_FIELDS):
            raise PlatformError(_invalid(f"The `{name}` query parameter value [{unknown[0]}] is unknown"))
    return Asked(current | older, is_current=bool(current))


def _client_id(request: Request, form: dict[str, str]) -> str:
    """Return the confidential client in the Basic header, or the public client in the form."""
    if "Authorization" not in request.headers:
        return form.get("client_id", "")
    name, secret = basic_client(request)
    return name if secret else ""


def _token_answer(issued: Issued) -> Response:
    body: dict[str, Any] = {
        "token_type": "bearer",
        "expires_in": issued.expires_in,
        "access_token": issued.access_token,
        "scope": " ".join(sorted(issued.scope)),
    }
    if issued.refresh_token is not None:
        body["refresh_token"] = issued.refresh_token
    return JSONResponse(body, headers={"Cache-Control": "no-store"})


def _problem(status: int, title: str, detail: str, **more: object) -> JSONResponse:
    body: dict[str, Any] = {"title": title, "detail": detail, "type": "about:blank", "status": status, **more}
    return JSONResponse(body, status, media_type="application/problem+json")


def _invalid(message: str) -> JSONResponse:
    detail = "One or more parameters to your request was invalid."
    return _problem(400, "Invalid Request", detail, type=_INVALID_REQUEST, errors=[{"message": message}])


def _rate_limited(quota: Quota, resets_at: float) -> Response:
    response = _problem(429, "Too Many Requests", "Too Many Requests")
    response.headers["x-rate-limit-limit"] = str(quota.limit)
    response.headers["x-rate-limit-remaining"] = "0"
    response.headers["x-rate-limit-reset"] = str(math.ceil(resets_at))
    return response


def _too_long() -> JSONResponse:
    return _problem(400, "Invalid Request", _TOO_LONG, type=_INVALID_REQUEST, errors=[{"message": _TOO_LONG}])


def _oauth_error(error: str, description: str, status: int = 400) -> JSONResponse:
    return JSONResponse({"error": error, "error_description": description}, status)
