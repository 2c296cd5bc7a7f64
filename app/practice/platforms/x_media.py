"""X's media endpoints: whole images, segmented videos, and processing."""

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

_MIB = 1024 * 1024
_LONGEST_SEGMENT = 5 * _MIB
_MOST_SEGMENTS = 1000
_USABLE_S = 86_400
_LONGEST_ALT_TEXT = 1000
# Maximum bytes and accepted types of each category.
_CATEGORIES = {
    "tweet_image": (5 * _MIB, {"image/jpeg", "image/png", "image/webp"}),
    "tweet_gif": (15 * _MIB, {"image/gif"}),
    "tweet_video": (512 * _MIB, {"video/mp4", "video/quicktime"}),
}

Refuse = Callable[[str], JSONResponse]


class XMedia:
    """Endpoints below ``/2/media``.

    Args:
        platform: X, for callers and faults.
        refuse: Makes X's response to an invalid parameter.
    """

    def __init__(self, platform: Platform, refuse: Refuse) -> None:
        self._platform = platform
        self._uploads = platform.desk.uploads
        self._refuse = refuse

    def add_routes(self, router: APIRouter) -> None:
        router.add_api_route("/2/media/upload", self.whole, methods=["POST"])
        router.add_api_route("/2/media/upload", self.status, methods=["GET"])
        router.add_api_route("/2/media/metadata", self.describe, methods=["POST"])
        router.add_api_route("/2/media/upload/initialize", self.initialize, methods=["POST"])
        router.add_api_route("/2/media/upload/{media_id}/append", self.append, methods=["POST"])
        router.add_api_route("/2/media/upload/{media_id}/finalize", self.finalize, methods=["POST"])

    async def whole(self, request: Request) -> Response:
        """Receive a whole image."""
        grant = await self._platform.caller(request, "media.write")
        async with request.form(max_files=1) as form:
            media, category = form.get("media"), form.get("media_category")
            if isinstance(media, str) or media is None or category != "tweet_image":
                raise PlatformError(self._refuse("media and media_category tweet_image are required"))
            upload = await asyncio.to_thread(
                self._open, grant, category, media.size or 0, media.content_type or ""
            )
            await self._receive(upload, 0, media.file, _CATEGORIES[category][0])
        return await self._platform.answer(Operation.UPLOAD, grant.identifier, lambda: self._finish(upload))

    async def initialize(self, request: Request) -> Response:
        """Announce a segmented file."""
        grant = await self._platform.caller(request, "media.write")
        try:
            asked = json.loads(await request.body())
            category, size, kind = asked["media_category"], asked["total_bytes"], asked["media_type"]
            longest, kinds = _CATEGORIES[category]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise PlatformError(
                self._refuse("media_type, total_bytes and media_category are required")
            ) from None
        if not isinstance(size, int) or not 0 < size <= longest or kind not in kinds:
            raise PlatformError(self._refuse(f"{category} takes {sorted(kinds)} of {longest} bytes at most"))

        def begin() -> Response:
            upload = self._open(grant, category, size, kind)
            return JSONResponse({"data": {"id": _media_id(upload), "expires_after_secs": _USABLE_S}})

        return await self._platform.answer(Operation.UPLOAD, grant.identifier, begin)

    async def append(self, request: Request, media_id: str) -> Response:
        """Receive a segment."""
        grant = await self._platform.caller(request, "media.write")
        upload = await asyncio.to_thread(self.find, grant, media_id)
        if upload.sha256 is not None:
            raise PlatformError(self._refuse("The media has been finalized."))
        async with request.form(max_files=1) as form:
            media, index = form.get("media"), str(form.get("segment_index", ""))
            if isinstance(media, str) or media is None:
                raise PlatformError(self._refuse("media is required"))
            if not (index.isascii() and index.isdigit() and int(index) < _MOST_SEGMENTS):
                raise PlatformError(self._refuse("segment_index is a number from 0 to 999"))
            await self._receive(upload, int(index), media.file, _LONGEST_SEGMENT)
        answer = {"data": {"expires_at": int(upload.created_at) + _USABLE_S}}
        return await self._platform.answer(Operation.UPLOAD, grant.identifier, lambda: JSONResponse(answer))

    async def finalize(self, request: Request, media_id: str) -> Response:
        """Complete a file after its last segment."""
        grant = await self._platform.caller(request, "media.write")
        upload = await asyncio.to_thread(self.find, grant, media_id)
        return await self._platform.answer(Operation.UPLOAD, grant.identifier, lambda: self._finish(upload))

    async def status(self, request: Request) -> Response:
        """Return whether a file can be posted."""
        grant = await self._platform.caller(request, "media.write")
        if request.query_params.get("command") != "STATUS":
            raise PlatformError(self._refuse("command must be STATUS"))
        upload = await asyncio.to_thread(self.find, grant, request.query_params.get("media_id", ""))
        return JSONResponse({"data": self._described(upload)})

    async def describe(self, request: Request) -> Response:
        """Set an image's alt text."""
        grant = await self._platform.caller(request, "media.write")
        try:
            asked = json.loads(await request.body())
            media_id, text = asked["id"], asked["metadata"]["alt_text"]["text"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise PlatformError(self._refuse("id and metadata.alt_text.text are required")) from None
        if not isinstance(text, str) or not 0 < len(text) <= _LONGEST_ALT_TEXT:
            raise PlatformError(self._refuse(f"alt_text has 1 to {_LONGEST_ALT_TEXT} characters"))
        upload = await asyncio.to_thread(self.find, grant, str(media_id))
        if upload.purpose == "tweet_video":
            raise PlatformError(self._refuse("alt_text is for pictures"))
        answer = {"data": {"id": media_id, "associated_metadata": {"alt_text": {"text": text}}}}
        return await self._platform.answer(Operation.UPLOAD, grant.identifier, lambda: JSONResponse(answer))

    def find(self, grant: Grant, media_id: str) -> Upload:
        """Return a file of the caller.

        Raises:
            PlatformError: The caller has no such file, or no longer.
        """
        number = int(media_id) - _FIRST_ID if media_id.isascii() and media_id.isdigit() else 0
        found = self._uploads.find(self._platform.name, number) if 0 < number < 2**62 else None
        if found is None or found.account != grant.identifier or self._uploads.age_s(found) > _USABLE_S:
            raise PlatformError(self._refuse("Your media IDs are invalid."))
        return found

    def postable(self, grant: Grant, media_id: str) -> Upload:
        """Return a file of the caller that can be posted now. Raises like ``find``."""
        upload = self.find(grant, media_id)
        if self._described(upload).get("processing_info", {"state": "succeeded"})["state"] != "succeeded":
            raise PlatformError(self._refuse("Your media IDs are invalid."))
        if upload.sha256 is None:
            raise PlatformError(self._refuse("Your media IDs are invalid."))
        return upload

    async def _receive(self, upload: Upload, place: int, file: Any, longest: int) -> None:
        try:
            await self._uploads.receive_file(upload, place, file, longest)
        except TooLongError:
            raise PlatformError(self._refuse(f"The file or segment has more than {longest} bytes")) from None

    def _open(self, grant: Grant, category: str, size: int, kind: str) -> Upload:
        return self._uploads.open(
            self._platform.name, grant.identifier, purpose=category, size=size, content_type=kind
        )

    def _finish(self, upload: Upload) -> Response:
        if upload.sha256 is None:
            places = [part.place for part in self._uploads.parts(upload)]
            if places != list(range(len(places))) or self._uploads.received(upload) != upload.size:
                raise PlatformError(self._refuse("Segments do not add up to the announced total_bytes."))
            upload = self._uploads.finish(upload)
        return JSONResponse({"data": self._described(upload)})

    def _described(self, upload: Upload) -> dict[str, Any]:
        described: dict[str, Any] = {
            "id": _media_id(upload),
            "media_key": f"{3 if upload.purpose == 'tweet_image' else 7}_{_media_id(upload)}",
            "size": upload.size,
            "expires_after_secs": _USABLE_S,
        }
        if upload.sha256 is None:
            return described
        if upload.kind not in _CATEGORIES[upload.purpose][1]:
            problem = {"code": 1, "name": "InvalidMedia", "message": "Unsupported file format"}
            return described | {"processing_info": {"state": "failed", "error": problem}}
        if upload.purpose == "tweet_image":
            return described
        if self._uploads.is_ready(upload):
            return described | {"processing_info": {"state": "succeeded", "progress_percent": 100}}
        return described | {"processing_info": {"state": "in_progress", "check_after_secs": 1}}


_FIRST_ID = 1_900_000_000_000_000_000


def _media_id(upload: Upload) -> str:
    return str(_FIRST_ID + upload.id)
