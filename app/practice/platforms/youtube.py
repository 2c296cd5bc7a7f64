"""YouTube's Data API v3 with Google's OAuth 2: the channel, video metrics."""

import asyncio
import re
from typing import Any, ClassVar

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.practice.consent import AuthorizationRequest, InvalidRequestError, read_form
from app.practice.desk import Desk
from app.practice.faults import FaultKind, Operation
from app.practice.grants import DeadTokenError, Issued, RefusedGrantError, TokenRules
from app.practice.identities import Identity
from app.practice.ledger import counts_of
from app.practice.platforms.base import Platform, PlatformError
from app.practice.platforms.youtube_upload import YouTubeUpload
from app.practice.quotas import Quota, UsedUpError

_SCOPE = "https://www.googleapis.com/auth/"
# Not a Google scope: marks requests for offline access.
_OFFLINE = "offline"
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
_CHANNEL_PARTS = frozenset({"id", "snippet", "statistics", "contentDetails", "status"})
_VIDEO_PARTS = frozenset({"id", "snippet", "statistics", "status", "processingDetails"})
_MOST_VIDEOS = 50
# A list costs one unit.
_UNITS = Quota("youtube units", 10_000, midnight="America/Los_Angeles", per_app=True)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_REPORTED = frozenset({"views", "likes", "comments", "shares"})
_MOST_REPORTED = 500
_REPORTED_LATE_S = 2 * 86_400


class YouTube(Platform):
    """One channel per grant."""

    name: ClassVar = "youtube"
    title: ClassVar = "YouTube"
    scopes: ClassVar = {
        f"{_SCOPE}youtube.readonly": "See your channel and its videos",
        f"{_SCOPE}youtube.upload": "Upload videos to your channel",
        f"{_SCOPE}yt-analytics.readonly": "See how your videos do",
    }
    rules: ClassVar = TokenRules(code_s=600, access_s=3599, refresh_s=180 * 86_400, refresh_scope=_OFFLINE)
    unknown_scope: ClassVar = "invalid_scope"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._upload = YouTubeUpload(self, _error, f"{_SCOPE}youtube.upload")

    def router(self) -> APIRouter:
        router = APIRouter(prefix=f"/{self.name}")
        self._upload.add_routes(router)
        router.add_api_route("/watch", self.watch, methods=["GET"])
        router.add_api_route("/o/oauth2/v2/auth", self.authorize, methods=["GET"])
        router.add_api_route("/o/oauth2/v2/auth", self.decide, methods=["POST"])
        router.add_api_route("/token", self.token, methods=["POST"])
        router.add_api_route("/youtube/v3/channels", self.channels, methods=["GET"])
        router.add_api_route("/youtube/v3/videos", self.videos, methods=["GET"])
        router.add_api_route("/v2/reports", self.reports, methods=["GET"])
        return router

    def identifier(self, identity: Identity) -> str:
        return f"UC{identity.short_id}{identity.seed % 16**12:012x}"

    def check_authorization(self, asked: AuthorizationRequest) -> None:
        challenge, method = asked["code_challenge"], asked["code_challenge_method"]
        if challenge and (method != "S256" or not _CHALLENGE.fullmatch(challenge)):
            raise InvalidRequestError("code_challenge needs the method S256 and 43 characters.")

    def granted_scope(self, asked: AuthorizationRequest) -> frozenset[str]:
        """Add the right to a refresh token, for the first consent or if requested."""
        is_offline = asked["access_type"] == "offline"
        identifier = self.identifier(asked.identity)
        is_new = asked["prompt"] == "consent" or not self.desk.grants.has_grant(
            self.name, identifier, asked.client
        )
        return asked.scope | ({_OFFLINE} if is_offline and is_new else set())

    def watch(self, request: Request) -> Response:
        """Show a video by the ID in the query."""
        return self.show(request.query_params.get("v", ""))

    async def token(self, request: Request) -> Response:
        """Exchange a code or a refresh token."""
        form = await read_form(request)
        if not form.get("client_id") or not form.get("client_secret"):
            return _oauth_error("invalid_client", "The OAuth client was not found.", 401)
        holder = await self.holder(form)
        return await self.answer(Operation.TOKEN, holder, lambda: self._token(form))

    async def channels(self, request: Request) -> Response:
        """Return the token's channel."""
        grant = await self.caller(request, f"{_SCOPE}youtube.readonly")
        self.spend(grant, _UNITS)
        parts = _parts(request, _CHANNEL_PARTS)
        if request.query_params.get("mine") != "true":
            raise PlatformError(_error(400, "missingRequiredParameter", "No filter selected."))
        person = grant.identity
        count = await asyncio.to_thread(self.desk.ledger.count, self.name, grant.identifier)
        picture = self.avatar(request, person)
        channel: dict[str, Any] = {
            "snippet": {
                "title": person.display_name,
                "description": "A practice channel.",
                "customUrl": f"@{person.handle}",
                "thumbnails": {size: {"url": picture} for size in ("default", "medium", "high")},
            },
            "statistics": {
                "viewCount": str(person.followers * 20),
                "subscriberCount": str(person.followers),
                "hiddenSubscriberCount": False,
                "videoCount": str(count),
            },
            "contentDetails": {"relatedPlaylists": {"likes": "LL", "uploads": f"UU{grant.identifier[2:]}"}},
            "status": {"privacyStatus": "public"},
        }
        item = {"kind": "youtube#channel", "id": grant.identifier}
        item |= {part: channel[part] for part in parts if part in channel}
        return JSONResponse({"kind": "youtube#channelListResponse", "items": [item]})

    async def videos(self, request: Request) -> Response:
        """Return videos by ID, without unknown ones."""
        grant = await self.caller(request, f"{_SCOPE}youtube.readonly")
        self.spend(grant, _UNITS)
        parts = _parts(request, _VIDEO_PARTS)
        ids = [video_id for video_id in request.query_params.get("id", "").split(",") if video_id]
        if not 0 < len(ids) <= _MOST_VIDEOS:
            raise PlatformError(_error(400, "invalidFilters", "No filter selected, or too many ids."))
        return await self.answer(Operation.METRICS, grant.identifier, lambda: self._videos(ids, parts))

    async def reports(self, request: Request) -> Response:
        """Return video metrics from the Analytics API, without the last two days."""
        grant = await self.caller(request, f"{_SCOPE}yt-analytics.readonly")
        query = request.query_params
        metrics = query.get("metrics", "").split(",")
        is_whole = all(_DAY.fullmatch(query.get(name, "")) for name in ("startDate", "endDate"))
        if query.get("ids") != "channel==MINE" or not is_whole or not _REPORTED.issuperset(metrics):
            raise PlatformError(_error(400, "invalid", "The query is not supported."))
        videos = query.get("filters", "").removeprefix("video==").split(",")
        if query.get("dimensions") != "video" or len(videos) > _MOST_REPORTED:
            raise PlatformError(_error(400, "invalid", "The query is not supported."))
        return await self.answer(Operation.METRICS, grant.identifier, lambda: self._report(videos, metrics))

    def refusal(self, kind: FaultKind, operation: Operation) -> Response:
        if kind is FaultKind.ERROR_500:
            return _error(500, "backendError", "Backend Error")
        if kind is FaultKind.RATE_LIMIT:
            return _error(403, "rateLimitExceeded", "The request cannot be completed: rate limit exceeded.")
        if kind is FaultKind.EXPIRED_TOKEN:
            return self.dead_token(DeadTokenError("expired"))
        if operation is Operation.TOKEN:
            return _oauth_error("invalid_grant", "Bad Request")
        return _error(400, "badRequest", "The practice platform was asked to refuse this call.")

    def used_up(self, error: UsedUpError) -> Response:  # noqa: ARG002  # Google has one response
        reason = (
            "The request cannot be completed because you have exceeded your"
            ' <a href="/youtube/v3/getting-started#quota">quota</a>.'
        )
        return _error(403, "quotaExceeded", reason)

    def dead_token(self, error: DeadTokenError) -> Response:  # noqa: ARG002  # Google has one response
        return _error(401, "authError", "Invalid Credentials")

    def missing_scope(self, scope: str) -> Response:
        return _error(403, "insufficientPermissions", f"Request had insufficient scopes; {scope} is needed.")

    def _token(self, form: dict[str, str]) -> Response:
        grants, client_id = self.desk.grants, form["client_id"]
        try:
            if form.get("grant_type") == "authorization_code":
                proof = (form.get("redirect_uri", ""), form.get("code_verifier", ""))
                return _token_answer(grants.exchange(self.rules, form.get("code", ""), client_id, *proof))
            if form.get("grant_type") == "refresh_token":
                issued = grants.refresh(self.rules, form.get("refresh_token", ""), client_id)
                return _token_answer(issued, with_refresh_token=False)
        except RefusedGrantError:
            return _oauth_error("invalid_grant", "Token has been expired or revoked.")
        return _oauth_error("unsupported_grant_type", "Invalid grant_type.")

    def _report(self, videos: list[str], metrics: list[str]) -> Response:
        found = {video: self.desk.ledger.find(self.name, video) for video in videos}
        now = self.desk.settings.clock() - _REPORTED_LATE_S
        counted = {video: counts_of(one, now) for video, one in found.items() if one is not None}
        rows = [[video, *(getattr(one, name) for name in metrics)] for video, one in counted.items()]
        headers = [
            {"name": "video", "columnType": "DIMENSION", "dataType": "STRING"},
            *({"name": name, "columnType": "METRIC", "dataType": "INTEGER"} for name in metrics),
        ]
        return JSONResponse({"kind": "youtubeAnalytics#resultTable", "columnHeaders": headers, "rows": rows})

    def _videos(self, ids: list[str], parts: set[str]) -> Response:
        now = self.desk.settings.clock()
        items = []
        for video_id in ids:
            publication = self.desk.ledger.find(self.name, video_id)
            if publication is None:
                continue
            counts = counts_of(publication, now)
            video = {
                "statistics": {
                    "viewCount": str(counts.views),
                    "likeCount": str(counts.likes),
                    "favoriteCount": "0",
                    "commentCount": str(counts.comments),
                },
                "status": {"uploadStatus": "processed", "privacyStatus": "public", "madeForKids": False},
            }
            item: dict[str, Any] = {"kind": "youtube#video", "id": video_id}
            items.append(item | {part: video[part] for part in parts if part in video})
        return JSONResponse({"kind": "youtube#videoListResponse", "items": items})


def _parts(request: Request, known: frozenset[str]) -> set[str]:
    parts = {part for part in request.query_params.get("part", "").split(",") if part}
    if not parts or not parts <= known:
        raise PlatformError(_error(400, "unknownPart", "The part parameter is missing or not known."))
    return parts


def _token_answer(issued: Issued, *, with_refresh_token: bool = True) -> Response:
    body: dict[str, Any] = {
        "access_token": issued.access_token,
        "expires_in": issued.expires_in,
        "scope": " ".join(sorted(issued.scope - {_OFFLINE})),
        "token_type": "Bearer",
    }
    if with_refresh_token and issued.refresh_token is not None:
        body["refresh_token"] = issued.refresh_token
    return JSONResponse(body, headers={"Cache-Control": "no-store"})


def _error(status: int, reason: str, message: str) -> JSONResponse:
    details = [{"message": message, "domain": "youtube.practice", "reason": reason}]
    return JSONResponse({"error": {"code": status, "message": message, "errors": details}}, status)


def _oauth_error(error: str, description: str, status: int = 400) -> JSONResponse:
    return JSONResponse({"error": error, "error_description": description}, status)
