"""YouTube's resumable uploads: a session, chunks in order, a video after the last byte; and thumbnails."""

import asyncio
import base64
import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.practice.faults import Operation
from app.practice.grants import Grant
from app.practice.ledger import Draft
from app.practice.platforms.base import Platform, PlatformError
from app.practice.quotas import Quota
from app.practice.uploads import TooLongError, TooShortError, Upload

_UNIT = 256 * 1024
_INSERTS = Quota("youtube inserts", 100, midnight="America/Los_Angeles", per_app=True)
_LONGEST_FILE = 274_877_906_944
_LARGEST_THUMBNAIL = 2 * 1024 * 1024
_THUMBNAILS = frozenset({"image/jpeg", "image/png", "application/octet-stream"})
_LONGEST_TITLE = 100
_LONGEST_DESCRIPTION = 5000
_RANGE = re.compile(r"bytes (?:(?P<first>\d{1,12})-(?P<last>\d{1,12})|\*)/(?P<size>\d{1,12})")

Refuse = Callable[[int, str, str], JSONResponse]


class YouTubeUpload:
    """``/upload/youtube/v3/videos`` and ``/upload/youtube/v3/thumbnails/set``.

    Args:
        platform: YouTube, for callers and faults.
        refuse: Makes a YouTube error from status, reason and message.
        scope: Scope required for uploads.
    """

    def __init__(self, platform: Platform, refuse: Refuse, scope: str) -> None:
        self._platform = platform
        self._desk = platform.desk
        self._refuse = refuse
        self._scope = scope

    def add_routes(self, router: APIRouter) -> None:
        router.add_api_route("/upload/youtube/v3/videos", self.begin, methods=["POST"])
        router.add_api_route("/upload/youtube/v3/videos", self.receive, methods=["PUT"])
        router.add_api_route("/upload/youtube/v3/thumbnails/set", self.set_thumbnail, methods=["POST"])

    async def begin(self, request: Request) -> Response:
        """Open a session and return its URL in the header ``Location``."""
        grant = await self._platform.caller(request, self._scope)
        if request.query_params.get("uploadType") != "resumable":
            raise PlatformError(self._refuse(400, "badRequest", "uploadType must be resumable"))
        size = request.headers.get("X-Upload-Content-Length", "")
        kind = request.headers.get("X-Upload-Content-Type", "application/octet-stream")
        if not (size.isascii() and size.isdigit() and 0 < int(size) <= _LONGEST_FILE):
            raise PlatformError(
                self._refuse(400, "mediaBodyRequired", "The request does not announce a file")
            )
        if not kind.startswith("video/") and kind != "application/octet-stream":
            raise PlatformError(self._refuse(400, "badContent", "Media type is not supported"))
        if not {"snippet", "status"} <= set(request.query_params.get("part", "").split(",")):
            raise PlatformError(
                self._refuse(400, "missingRequiredParameter", "part must name snippet,status")
            )
        about = self._read(await request.body())
        self._platform.spend(grant, _INSERTS)
        base = str(request.url).split("?")[0]

        def work() -> Response:
            upload = self._desk.uploads.open(
                self._platform.name,
                grant.identifier,
                purpose="video",
                size=int(size),
                content_type=kind,
                details=json.dumps(about),
            )
            return Response(headers={"Location": f"{base}?uploadType=resumable&upload_id={upload.key}"})

        return await self._platform.answer(Operation.UPLOAD, grant.identifier, work)

    async def receive(self, request: Request) -> Response:
        """Receive a chunk, or return the progress of the session."""
        grant = await self._platform.caller(request, self._scope)
        upload = await asyncio.to_thread(
            self._desk.uploads.by_key, self._platform.name, request.query_params.get("upload_id", "")
        )
        if upload is None or upload.account != grant.identifier:
            raise PlatformError(self._refuse(404, "notFound", "The upload session is not known"))
        asked = _RANGE.fullmatch(request.headers.get("Content-Range", ""))
        if asked is None or int(asked["size"]) != upload.size:
            raise PlatformError(self._refuse(400, "badRequest", "Invalid Content-Range"))
        if upload.sha256 is not None:
            return JSONResponse(_video(upload.details))
        there = await asyncio.to_thread(self._desk.uploads.received, upload)
        if asked["first"] is None:
            return _incomplete(there)
        first, last = int(asked["first"]), int(asked["last"])
        is_last = last + 1 == upload.size
        if first != there or not first <= last < upload.size or (not is_last and (last + 1 - first) % _UNIT):
            raise PlatformError(self._refuse(400, "badRequest", "Chunks are multiples of 256 KiB, in order"))
        return await self._take(request, grant, upload, first, last)

    async def set_thumbnail(self, request: Request) -> Response:
        """Set the thumbnail of a channel's video, sent as the whole body."""
        grant = await self._platform.caller(request, self._scope)
        if request.query_params.get("uploadType", "media") != "media":
            raise PlatformError(self._refuse(400, "badRequest", "uploadType must be media"))
        if request.headers.get("Content-Type") not in _THUMBNAILS:
            raise PlatformError(self._refuse(400, "badContent", "Media type is not supported"))
        picture = b""
        async for piece in request.stream():
            picture += piece
            if len(picture) > _LARGEST_THUMBNAIL:
                raise PlatformError(self._refuse(413, "uploadTooLarge", "Media is too large. Limit: 2097152"))
        video, base = request.query_params.get("videoId", ""), str(request.base_url)
        return await self._platform.answer(
            Operation.UPLOAD, grant.identifier, lambda: self._keep_thumbnail(grant, video, picture, base)
        )

    def _keep_thumbnail(self, grant: Grant, video: str, picture: bytes, base: str) -> Response:
        found = self._desk.ledger.find(self._platform.name, video)
        if found is None:
            return self._refuse(404, "videoNotFound", "The video cannot be found.")
        if found.account_identifier != grant.identifier:
            return self._refuse(403, "forbidden", "The thumbnail can't be set for the specified video.")
        sha256 = self._desk.covers.keep(picture)
        if sha256 is None:
            return self._refuse(400, "invalidImage", "The provided image content is invalid.")
        self._desk.covers.put(self._platform.name, video, sha256)
        shown = {"default": {"url": f"{base}files/{sha256}", "width": 120, "height": 90}}
        return JSONResponse({"kind": "youtube#thumbnailSetResponse", "etag": sha256, "items": [shown]})

    async def _take(self, request: Request, grant: Grant, upload: Upload, first: int, last: int) -> Response:
        size = last + 1 - first
        try:
            await self._desk.uploads.receive(upload, first, request.stream(), size, size)
        except (TooLongError, TooShortError):
            message = "The chunk has another length"
            raise PlatformError(self._refuse(400, "badRequest", message)) from None
        if last + 1 < upload.size:
            return await self._platform.answer(
                Operation.UPLOAD, grant.identifier, lambda: _incomplete(last + 1)
            )
        answer = await self._platform.answer(
            Operation.PUBLISH, grant.identifier, lambda: self._publish(grant, upload)
        )
        if answer.status_code >= 400:
            await asyncio.to_thread(self._desk.uploads.drop, upload, first)
        return answer

    def _publish(self, grant: Grant, upload: Upload) -> Response:
        about = json.loads(upload.details)
        complete = self._desk.uploads.finish(upload)
        draft = Draft(
            self._platform.name,
            grant.identifier,
            about["description"],
            title=about["title"],
            media_sha256=complete.sha256,
        )
        published = self._desk.ledger.accept(draft, _video_id, repeatable=True)
        self._desk.uploads.note(upload, published.content_id)
        self._desk.uploads.use(upload)
        return JSONResponse(_video(published.content_id))

    def _read(self, body: bytes) -> dict[str, str]:
        try:
            asked = json.loads(body)
            snippet, status = asked["snippet"], asked["status"]
            title, description = snippet["title"], snippet.get("description", "")
            privacy = status["privacyStatus"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise PlatformError(
                self._refuse(400, "invalidVideoMetadata", "The metadata is invalid")
            ) from None
        if (
            not isinstance(title, str)
            or not 0 < len(title.strip()) <= _LONGEST_TITLE
            or {"<", ">"} & set(title)
        ):
            raise PlatformError(self._refuse(400, "invalidTitle", "The video title is invalid or empty."))
        too_long = not isinstance(description, str) or len(description.encode()) > _LONGEST_DESCRIPTION
        if too_long or {"<", ">"} & set(description):
            raise PlatformError(self._refuse(400, "invalidDescription", "The video description is invalid."))
        if privacy not in {"public", "unlisted", "private"}:
            raise PlatformError(self._refuse(400, "invalidVideoMetadata", "privacyStatus is invalid"))
        return {"title": title, "description": description}


def _incomplete(there: int) -> Response:
    headers = {"Range": f"bytes=0-{there - 1}"} if there else {}
    return Response(status_code=308, headers=headers)


def _video(video_id: str) -> dict[str, Any]:
    status = {"uploadStatus": "uploaded", "privacyStatus": "public"}
    return {"kind": "youtube#video", "id": video_id, "status": status}


def _video_id(number: int) -> str:
    """Eleven letters, digits, dashes and underscores."""
    digest = hashlib.sha256(str(number).encode()).digest()
    return base64.urlsafe_b64encode(digest).decode()[:11]
