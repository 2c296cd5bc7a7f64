"""Facebook's Graph API: Pages, their posts and metrics."""

import asyncio
import json
from datetime import UTC, datetime
from typing import Any, ClassVar

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.practice.consent import read_form
from app.practice.desk import Desk
from app.practice.faults import Operation
from app.practice.grants import Grant
from app.practice.identities import Identity
from app.practice.ledger import Draft, DuplicateError, Publication, counts_of
from app.practice.platforms.base import PlatformError
from app.practice.platforms.graph import PagesPlatform, asked_fields, error, page_of
from app.practice.platforms.own_login import chosen_fields
from app.practice.platforms.page_files import PagePhotos, PageVideos, photo_id, video_id
from app.practice.settings import timestamp
from app.practice.uploads import Upload

LONGEST_MESSAGE = 63_206
_HIGHEST_NUMBER = 2**63 - 1
_MOST_POSTS = 100
_MOST_PHOTOS = 10
_POST_FIELDS = frozenset(
    {
        "id",
        "message",
        "created_time",
        "updated_time",
        "permalink_url",
        "status_type",
        "attachments",
        "shares",
        "comments",
        "reactions",
    }
)
# The other impression metrics were removed in June 2026.
_METRICS = frozenset({"post_media_view", "post_total_media_view_unique", "post_clicks"})


class Facebook(PagesPlatform):
    """Pages only: users can't publish."""

    name: ClassVar = "facebook"
    title: ClassVar = "Facebook"
    scopes: ClassVar = {
        "public_profile": "See your name and picture",
        "pages_show_list": "See which Pages you have",
        "pages_manage_posts": "Publish posts for your Pages",
        "pages_read_engagement": "See the posts of your Pages",
        "pages_manage_engagement": "Comment for your Pages",
        "read_insights": "See how the posts of your Pages do",
        "business_management": "See the Pages of your business",
    }

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._photos = PagePhotos(self)
        self._videos = PageVideos(self, self._publish_video)

    def router(self) -> APIRouter:
        router = super().router()
        self._photos.add_routes(router)
        self._videos.add_routes(router)
        router.add_api_route("/{page}/feed", self.create_post, methods=["POST"])
        router.add_api_route("/{page}/published_posts", self.published_posts, methods=["GET"])
        router.add_api_route("/{post}/insights", self.insights, methods=["GET"])
        router.add_api_route("/{post}", self.post, methods=["GET"])
        return router

    def page_fields(self, request: Request, page: Identity) -> dict[str, Any]:
        return {
            "username": page.handle,
            "picture": {"data": {"url": self.avatar(request, page), "is_silhouette": False}},
            "followers_count": page.followers,
            "fan_count": page.followers,
            "verification_status": "not_verified",
            "link": f"https://www.facebook.com/{page.handle}",
        }

    async def create_post(self, request: Request, page: str) -> Response:
        """Publish a text, optionally with a link."""
        grant = await self.page_caller(request, page, "pages_manage_posts")
        form = await read_form(request)
        return await self.answer(
            Operation.PUBLISH, grant.identifier, lambda: self._publish(grant.identifier, form)
        )

    async def published_posts(self, request: Request, page: str) -> Response:
        """Return the Page's posts, newest first."""
        grant = await self.page_caller(request, page, "pages_read_engagement")
        fields = _known(asked_fields(request))
        limit, since = _number(request, "limit", 25), _number(request, "since", 0)
        return await self.answer(
            Operation.LOOK_BACK, grant.identifier, lambda: self._posts(grant, fields, limit, since)
        )

    async def post(self, request: Request, post: str) -> Response:
        """Return a post, a video, or the token's Page, with the requested fields."""
        grant = await self.caller(request, "pages_read_engagement")
        page = page_of(grant, post) if grant.is_page and post == grant.identifier else None
        if page is not None:
            return chosen_fields(
                request, {"id": post, "name": page.display_name, **self.page_fields(request, page)}
            )
        video = await asyncio.to_thread(self._videos.find, grant.identifier, post)
        if video is not None:
            described = self._videos.described
            return await self.answer(
                Operation.LOOK_BACK, grant.identifier, lambda: JSONResponse(described(video))
            )
        fields = _known(asked_fields(request))
        found = await asyncio.to_thread(self._find, grant, post)
        return await self.answer(
            Operation.METRICS, grant.identifier, lambda: JSONResponse(self._shown(found, fields))
        )

    async def insights(self, request: Request, post: str) -> Response:
        """Return the views of a post. One unknown metric fails the call."""
        grant = await self.caller(request, "read_insights")
        metrics = [name for name in request.query_params.get("metric", "").split(",") if name]
        if not metrics or not _METRICS.issuperset(metrics):
            raise PlatformError(error(100, "(#100) The value must be a valid insights metric"))
        found = await asyncio.to_thread(self._find, grant, post)
        views = counts_of(found, self.desk.settings.clock()).views
        data = [
            {
                "name": name,
                "period": "lifetime",
                "values": [{"value": views}],
                "id": f"{post}/insights/{name}",
            }
            for name in metrics
        ]
        return await self.answer(Operation.METRICS, grant.identifier, lambda: JSONResponse({"data": data}))

    def _publish(self, page: str, form: dict[str, str]) -> Response:
        message, link = form.get("message", ""), form.get("link")
        attached = _attached(form.get("attached_media", "[]"))
        if len(attached) > _MOST_PHOTOS:
            raise PlatformError(error(100, f"(#100) attached_media holds {_MOST_PHOTOS} photos at most"))
        photos = [self._photo(page, photo) for photo in attached]
        if not message.strip() and not link and not photos:
            raise PlatformError(error(100, "(#100) Missing message or attachment"))
        digest = ",".join(photo.sha256 or "" for photo in photos) or None
        post = self._accept(Draft(self.name, page, message, link=link, media_sha256=digest))
        for photo in photos:
            self.desk.uploads.note(photo, post)
        return JSONResponse({"id": post})

    def _publish_video(self, page: str, form: dict[str, str], upload: Upload) -> str:
        return self._accept(
            Draft(
                self.name,
                page,
                form.get("description", ""),
                title=form.get("title"),
                media_sha256=upload.sha256,
            )
        )

    def _accept(self, draft: Draft) -> str:
        if len(draft.text) > LONGEST_MESSAGE:
            raise PlatformError(error(100, "(#100) The message is too long"))
        try:
            return self.desk.ledger.accept(
                draft, lambda number: f"{draft.account_identifier}_{number}"
            ).content_id
        except DuplicateError:
            raise PlatformError(error(506, "Duplicate status message")) from None

    def _photo(self, page: str, photo: str) -> Upload:
        found = self._photos.find(page, photo)
        if found is None:
            raise PlatformError(error(100, f"(#100) Cannot attach the photo {photo}"))
        return found

    def _posts(self, grant: Grant, fields: set[str], limit: int, since: int) -> Response:
        found = self.desk.ledger.of_account(
            self.name,
            grant.identifier,
            since=timestamp(since),
            below=_HIGHEST_NUMBER,
            limit=min(limit, _MOST_POSTS),
        )
        return JSONResponse({"data": [self._shown(publication, fields) for publication in found]})

    def _attachments(self, publication: Publication) -> list[dict[str, Any]]:
        files = self.desk.uploads.with_details(self.name, publication.content_id)
        return [
            {"media_type": "photo", "target": {"id": photo_id(file)}}
            if file.purpose == "photo"
            else {"media_type": "video", "target": {"id": video_id(file)}}
            for file in files
        ]

    def _find(self, grant: Grant, post: str) -> Publication:
        found = self.desk.ledger.find(self.name, post)
        if found is None or found.account_identifier != grant.identifier:
            message = f"Unsupported get request. Object with ID '{post}' does not exist"
            raise PlatformError(error(100, message, 33))
        return found

    def _shown(self, publication: Publication, fields: set[str]) -> dict[str, Any]:
        counts = counts_of(publication, self.desk.settings.clock())
        shown: dict[str, Any] = {
            "id": publication.content_id,
            "message": publication.text,
            "created_time": _graph_time(publication.received_at),
            "updated_time": _graph_time(publication.edited_at or publication.received_at),
            "permalink_url": f"https://www.facebook.com/{publication.content_id}",
            "comments": {"data": [], "summary": {"order": "ranked", "total_count": counts.comments}},
            "reactions": {"data": [], "summary": {"total_count": counts.likes, "viewer_reaction": "NONE"}},
        }
        shown["status_type"] = "mobile_status_update"
        if publication.media_sha256:
            attached = self._attachments(publication)
            shown["attachments"] = {"data": attached}
            is_video = any(one["media_type"] == "video" for one in attached)
            shown["status_type"] = "added_video" if is_video else "added_photos"
        # Facebook omits empty fields.
        if counts.shares:
            shown["shares"] = {"count": counts.shares}
        if not publication.text:
            del shown["message"]
        return {name: value for name, value in shown.items() if name in {"id", *fields}}


def _attached(text: str) -> list[str]:
    """Return the IDs in ``attached_media``, a list of ``{"media_fbid": id}``."""
    try:
        return [str(entry["media_fbid"]) for entry in json.loads(text)]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise PlatformError(error(100, "(#100) attached_media must be a list of media_fbid")) from None


def _known(fields: set[str]) -> set[str]:
    if unknown := sorted(fields - _POST_FIELDS):
        raise PlatformError(error(100, f"(#100) Tried accessing nonexisting field ({unknown[0]})"))
    return fields


def _number(request: Request, name: str, default: int) -> int:
    value = request.query_params.get(name, str(default))
    if not (value.isascii() and value.isdigit() and len(value) < 12):
        raise PlatformError(error(100, f"(#100) Param {name} must be a positive number"))
    return int(value)


def _graph_time(moment: str) -> str:
    return datetime.fromisoformat(moment).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S+0000")
