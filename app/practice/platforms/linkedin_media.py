"""LinkedIn's endpoints for images and videos: announce, upload, wait."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.practice.faults import Operation
from app.practice.grants import Grant
from app.practice.platforms.base import Platform, PlatformError
from app.practice.uploads import TooLongError, Upload

_PART = 4 * 1024 * 1024
_VIDEO_SIZES = (75 * 1024, 500 * 1024 * 1024)
_MOST_PIXELS = 36_152_320
_KINDS = {"image": {"image/jpeg", "image/png", "image/gif"}, "video": {"video/mp4"}}
_ADDRESS_S = 86_400
_LONGEST_THUMBNAIL = 10 * 1024 * 1024
_LONGEST_IMAGE = 250 * 1024 * 1024

Refuse = Callable[[int, str, str], JSONResponse]
CheckAuthor = Callable[[Grant, str], None]


class LinkedInMedia:
    """``/rest/images``, ``/rest/videos`` and upload URLs.

    Args:
        platform: LinkedIn, for callers and faults.
        refuse: Makes a LinkedIn error from status, code and message.
        check_author: Raises PlatformError unless a caller can publish as an author.
        check_protocol: Raises PlatformError unless a call has the headers of the versioned gateway.
    """

    def __init__(
        self,
        platform: Platform,
        refuse: Refuse,
        check_author: CheckAuthor,
        check_protocol: Callable[[Request], None],
    ) -> None:
        self._platform = platform
        self._uploads = platform.desk.uploads
        self._refuse = refuse
        self._check_author = check_author
        self._check_protocol = check_protocol

    def add_routes(self, router: APIRouter) -> None:
        router.add_api_route("/rest/{kind}s", self.act, methods=["POST"])
        router.add_api_route("/rest/{kind}s/{urn}", self.asset, methods=["GET"])
        router.add_api_route("/dms-uploads/{key}", self.put_image, methods=["PUT"])
        router.add_api_route("/dms-uploads/{key}/{place:int}", self.put_part, methods=["PUT"])
        router.add_api_route("/dms-uploads/{key}/thumbnail/0", self.put_thumbnail, methods=["PUT"])

    async def act(self, request: Request, kind: str) -> Response:
        """Handle ``initializeUpload`` or ``finalizeUpload``."""
        self._check_protocol(request)
        grant = await self._platform.caller(request)
        action = request.query_params.get("action", "")
        if kind not in _KINDS or action not in {"initializeUpload", "finalizeUpload"}:
            raise PlatformError(self._refuse(404, "RESOURCE_NOT_FOUND", "No such action"))
        try:
            asked = json.loads(await request.body())[f"{action}Request"]
        except (ValueError, KeyError, TypeError, RecursionError):
            asked = None
        if not isinstance(asked, dict):
            raise PlatformError(self._refuse(400, "MISSING_FIELD", f"/{action}Request is required"))
        if action == "finalizeUpload":
            return await self._answer(grant, lambda: self._finalize(grant, asked))
        self._check_author(grant, str(asked.get("owner", "")))
        begin = self._begin_image if kind == "image" else self._begin_video
        base = str(request.url).split("/rest/")[0]
        return await self._answer(grant, lambda: begin(asked, base))

    async def asset(self, request: Request, kind: str, urn: str) -> Response:
        """Return the status of a file, only to apps with the vetted product."""
        del kind, urn
        self._check_protocol(request)
        await self._platform.caller(request)
        return self._platform.missing_scope("partnerApiImages.GET")

    async def put_image(self, request: Request, key: str) -> Response:
        """Receive an image; requires the token."""
        grant = await self._platform.caller(request)
        upload = await self._upload(key, "image")
        await self._receive(upload, 0, request, _LONGEST_IMAGE)

        def finish() -> Response:
            self._uploads.finish(upload)
            return Response(status_code=201)

        return await self._answer(grant, finish)

    async def put_part(self, request: Request, key: str, place: int) -> Response:
        """Receive a part of a video; the URL is the only authorization."""
        if "Authorization" in request.headers:
            raise PlatformError(self._refuse(400, "INVALID_REQUEST", "Only one auth mechanism allowed"))
        upload = await self._upload(key, "video")
        first = place * _PART
        size = min(_PART, upload.size - first)
        if size <= 0 or request.headers.get("content-length") != str(size):
            raise PlatformError(self._refuse(400, "INVALID_REQUEST", "The part has another length"))
        part = await self._receive(upload, place, request, size)
        return Response(status_code=200, headers={"ETag": f'"{part}"'})

    async def put_thumbnail(self, request: Request, key: str) -> Response:
        """Receive a video's thumbnail; the URL is the only authorization."""
        if "Authorization" in request.headers:
            raise PlatformError(self._refuse(400, "INVALID_REQUEST", "Only one auth mechanism allowed"))
        upload = await self._upload(key, "video")
        picture = b""
        async for piece in request.stream():
            picture += piece
            if len(picture) > _LONGEST_THUMBNAIL:
                raise PlatformError(self._refuse(413, "REQUEST_TOO_LARGE", "Too many bytes"))
        return await asyncio.to_thread(self._keep_thumbnail, upload, picture)

    def postable(self, author: str, urn: str) -> Upload:
        """Return a file of the author that can be posted now.

        Raises:
            PlatformError: It isn't the author's, or not ready.
        """
        kind, _, number = urn.removeprefix("urn:li:").partition(":")
        found = self._uploads.find("linkedin", int(number[1:])) if number[1:].isdigit() else None
        if kind not in _KINDS or found is None or (found.purpose, found.account) != (kind, author):
            code = "INVALID_VIDEO_ID" if kind == "video" else "INVALID_IMAGE_ID"
            raise PlatformError(self._refuse(400, code, f"{urn} is not a file of the author"))
        if not self._uploads.is_ready(found):
            message = f"Media asset {urn} is waiting upload or processing"
            raise PlatformError(self._refuse(400, "MEDIA_ASSET_WAITING_UPLOAD", message))
        is_large = found.width * found.height >= _MOST_PIXELS
        if found.kind not in _KINDS[kind] or is_large:
            raise PlatformError(
                self._refuse(400, "MEDIA_ASSET_PROCESSING_FAILED", f"{urn} failed to process")
            )
        return found

    async def _answer(self, grant: Grant, work: Callable[[], Response]) -> Response:
        return await self._platform.answer(Operation.UPLOAD, grant.identifier, work)

    async def _upload(self, key: str, kind: str) -> Upload:
        upload = await asyncio.to_thread(self._uploads.by_key, self._platform.name, key)
        is_over = upload is not None and self._uploads.age_s(upload) > _ADDRESS_S
        if upload is None or upload.purpose != kind or upload.sha256 is not None or is_over:
            raise PlatformError(self._refuse(400, "EXPIRED_UPLOAD_URL", "The upload address is not valid"))
        return upload

    async def _receive(self, upload: Upload, place: int, request: Request, longest: int) -> str:
        try:
            return (await self._uploads.receive(upload, place, request.stream(), longest)).md5
        except TooLongError:
            raise PlatformError(self._refuse(413, "REQUEST_TOO_LARGE", "Too many bytes")) from None

    def _keep_thumbnail(self, upload: Upload, picture: bytes) -> Response:
        sha256 = self._platform.desk.covers.keep(picture)
        if sha256 is None:
            return self._refuse(400, "INVALID_REQUEST", "A thumbnail is a JPEG or PNG")
        self._uploads.note(upload, sha256)
        return Response(status_code=201)

    def _begin_image(self, asked: dict[str, Any], base: str) -> Response:
        upload = self._uploads.open(self._platform.name, asked["owner"], purpose="image")
        value = {
            "uploadUrlExpiresAt": int((upload.created_at + _ADDRESS_S) * 1000),
            "uploadUrl": f"{base}/dms-uploads/{upload.key}",
            "image": urn_of(upload),
        }
        return JSONResponse({"value": value})

    def _begin_video(self, asked: dict[str, Any], base: str) -> Response:
        size = asked.get("fileSizeBytes")
        shortest, longest = _VIDEO_SIZES
        if not isinstance(size, int) or not shortest <= size <= longest:
            return self._refuse(400, "INVALID_VALUE_FOR_FIELD", f"fileSizeBytes is {shortest} to {longest}")
        upload = self._uploads.open(self._platform.name, asked["owner"], purpose="video", size=size)
        parts = [
            {
                "uploadUrl": f"{base}/dms-uploads/{upload.key}/{place}",
                "firstByte": first,
                "lastByte": min(first + _PART, size) - 1,
            }
            for place, first in enumerate(range(0, size, _PART))
        ]
        value = {
            "uploadUrlsExpireAt": int((upload.created_at + _ADDRESS_S) * 1000),
            "video": urn_of(upload),
            "uploadInstructions": parts,
            "uploadToken": "",
        }
        if asked.get("uploadThumbnail"):
            value["thumbnailUploadUrl"] = f"{base}/dms-uploads/{upload.key}/thumbnail/0"
        return JSONResponse({"value": value})

    def _finalize(self, grant: Grant, asked: dict[str, Any]) -> Response:
        number = str(asked.get("video", "")).rpartition(":")[2][1:]
        upload = self._uploads.find(self._platform.name, int(number)) if number.isdigit() else None
        if upload is None or upload.purpose != "video":
            return self._refuse(400, "INVALID_VIDEO_ID", "/video is not a video of the member")
        self._check_author(grant, upload.account)
        if upload.sha256 is None:
            tags = [part.md5 for part in self._uploads.parts(upload)]
            if asked.get("uploadedPartIds") != tags or self._uploads.received(upload) != upload.size:
                return self._refuse(
                    400, "INVALID_VALUE_FOR_FIELD", "/uploadedPartIds are not all parts in order"
                )
            self._uploads.finish(upload)
        return Response(status_code=200)


def urn_of(upload: Upload) -> str:
    """Return the URN of a file."""
    return f"urn:li:{upload.purpose}:C{upload.id}"
