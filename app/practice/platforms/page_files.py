"""Photos, videos and Reels of a Page."""

import asyncio
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.practice.faults import Operation
from app.practice.grants import Grant
from app.practice.platforms.base import PlatformError
from app.practice.platforms.graph import PagesPlatform, error
from app.practice.uploads import TooLongError, Upload

_LONGEST = 10 * 1024 * 1024
_PHOTO_KINDS = frozenset({"image/jpeg", "image/png", "image/gif"})
_FIRST_PHOTO_ID = 122_100_000_000_000_000
_SUFFIX = ".jpg"
_REFUSED = "Invalid photo: it must be smaller than 10 MB and a JPEG, PNG or GIF file"

_CHUNK = 4 * 1024 * 1024
_LARGEST_THUMBNAIL = 10 * 1024 * 1024
_LONGEST_REEL = 1024**3
_FIRST_VIDEO_ID = 712_000_000_000_000
_VIDEO_KINDS = frozenset({"video/mp4", "video/quicktime"})

Publish = Callable[[str, dict[str, str], Upload], str]


class PagePhotos:
    """``/{page}/photos`` and the photos it returns."""

    def __init__(self, platform: PagesPlatform) -> None:
        self._platform = platform
        self._uploads = platform.desk.uploads

    def add_routes(self, router: APIRouter) -> None:
        router.add_api_route("/{page}/photos", self.create, methods=["POST"])

    async def create(self, request: Request, page: str) -> Response:
        """Store an unpublished photo."""
        grant = await self._platform.page_caller(request, page, "pages_manage_posts")
        async with request.form(max_files=1) as form:
            source = form.get("source")
            if isinstance(source, str) or source is None or form.get("published") != "false":
                raise PlatformError(error(100, "(#100) source and published=false are required"))
            upload = await asyncio.to_thread(
                lambda: self._uploads.open(self._platform.name, grant.identifier, purpose="photo")
            )
            try:
                await self._uploads.receive_file(upload, 0, source.file, _LONGEST)
            except TooLongError:
                raise PlatformError(error(100, _REFUSED, 1366046)) from None
        return await self._platform.answer(Operation.UPLOAD, grant.identifier, lambda: self._finish(upload))

    def find(self, account: str, photo_id: str) -> Upload | None:
        """Return a complete photo of an account."""
        number = int(photo_id) - _FIRST_PHOTO_ID if photo_id.isascii() and photo_id.isdigit() else 0
        found = self._uploads.find(self._platform.name, number) if 0 < number < 2**62 else None
        is_own = found is not None and found.account == account and found.purpose == "photo"
        return found if is_own and found is not None and found.sha256 else None

    def at_address(self, account: str, address: str) -> Upload | None:
        """Return the photo with one of our URLs."""
        key = address.rpartition("/")[2].removesuffix(_SUFFIX)
        found = self._uploads.by_key(self._platform.name, key)
        is_own = found is not None and found.account == account and found.purpose == "photo"
        return found if is_own and found is not None and found.sha256 else None

    def _finish(self, upload: Upload) -> Response:
        upload = self._uploads.finish(upload)
        if upload.kind not in _PHOTO_KINDS:
            return error(100, _REFUSED, 1366046)
        return JSONResponse({"id": photo_id(upload)})


def photo_id(upload: Upload) -> str:
    return str(_FIRST_PHOTO_ID + upload.id)


def photo_address(upload: Upload, base: str) -> str:
    """Return the URL of a photo. Its bytes aren't stored here."""
    return f"{base}/cdn/{upload.key}{_SUFFIX}"


class PageVideos:
    """``/{page}/videos``, ``/{page}/video_reels`` and ``/{video}/thumbnails``.

    Args:
        platform: Provides callers and faults.
        publish: Stores a publication, by Page and form, and returns its ID.
    """

    def __init__(self, platform: PagesPlatform, publish: Publish) -> None:
        self._platform = platform
        self._uploads = platform.desk.uploads
        self._publish = publish

    def add_routes(self, router: APIRouter) -> None:
        router.add_api_route("/{page}/videos", self.video, methods=["POST"])
        router.add_api_route("/{page}/video_reels", self.reel, methods=["POST"])
        router.add_api_route("/{video}/thumbnails", self.set_thumbnail, methods=["POST"])
        router.add_api_route("/video-upload/{key}", self.receive, methods=["POST"])

    async def video(self, request: Request, page: str) -> Response:
        """Handle the three phases of an ordinary video."""
        grant = await self._platform.page_caller(request, page, "pages_manage_posts")
        async with request.form(max_files=1) as form:
            fields = {name: value for name, value in form.items() if isinstance(value, str)}
            phase = fields.get("upload_phase")
            if phase == "start":
                size = _number(fields.get("file_size"))
                return await self._answer(Operation.UPLOAD, grant, lambda: self._start_video(grant, size))
            upload = await asyncio.to_thread(
                self._session, grant, fields.get("upload_session_id", ""), "video"
            )
            if phase == "transfer":
                chunk = form.get("video_file_chunk")
                if isinstance(chunk, str) or chunk is None:
                    raise PlatformError(error(100, "(#100) video_file_chunk is required"))
                first = _number(fields.get("start_offset"))
                await self._transfer(upload, first, chunk.file)
                return await self._kept(grant, upload, first, lambda: self._offsets(upload))
        if phase != "finish":
            raise PlatformError(error(100, "(#100) upload_phase must be start, transfer or finish"))
        return await self._answer(Operation.PUBLISH, grant, lambda: self._finish(grant, upload, fields))

    async def reel(self, request: Request, page: str) -> Response:
        """Handle the first and last phase of a Reel. Its bytes go to another URL."""
        grant = await self._platform.page_caller(request, page, "pages_manage_posts")
        async with request.form(max_files=0) as form:
            fields = {name: value for name, value in form.items() if isinstance(value, str)}
        if fields.get("upload_phase") == "start":
            return await self._answer(Operation.UPLOAD, grant, lambda: self._start_reel(grant, request))
        if fields.get("upload_phase") != "finish" or fields.get("video_state") != "PUBLISHED":
            raise PlatformError(error(100, "(#100) upload_phase finish needs video_state PUBLISHED"))
        upload = await asyncio.to_thread(self._session, grant, fields.get("video_id", ""), "reel")
        return await self._answer(Operation.PUBLISH, grant, lambda: self._finish(grant, upload, fields))

    async def receive(self, request: Request, key: str) -> Response:
        """Receive the bytes of a Reel from an offset; the token is in an OAuth header."""
        grant = await self._platform.caller(request)
        upload = await asyncio.to_thread(self._uploads.by_key, self._platform.name, key)
        if upload is None or upload.account != grant.identifier:
            raise PlatformError(error(100, "Unknown upload"))
        if not request.headers.get("Authorization", "").startswith("OAuth "):
            raise PlatformError(error(190, "The token must come in the scheme OAuth"))
        first, size = _number(request.headers.get("offset")), _number(request.headers.get("file_size"))
        there = await asyncio.to_thread(self._uploads.received, upload)
        if first != there or not 0 < size <= _LONGEST_REEL:
            raise PlatformError(error(100, "The offset is not where the upload ended"))
        try:
            await self._uploads.receive(upload, first, request.stream(), size - first)
        except TooLongError:
            raise PlatformError(error(100, "More bytes than file_size")) from None
        return await self._kept(
            grant, upload, first, lambda: JSONResponse({"success": self._complete(upload, size)})
        )

    async def set_thumbnail(self, request: Request, video: str) -> Response:
        """Set the thumbnail of a Page's video, which becomes its cover if preferred."""
        grant = await self._platform.caller(request, "pages_manage_posts")
        upload = await asyncio.to_thread(self.find, grant.identifier, video)
        if upload is None:
            message = f"Unsupported post request. Object with ID '{video}' does not exist"
            raise PlatformError(error(100, message, 33))
        async with request.form(max_files=1) as form:
            source = form.get("source")
            if isinstance(source, str) or source is None:
                raise PlatformError(error(100, "(#100) source is required"))
            picture = await source.read(_LARGEST_THUMBNAIL + 1)
            is_preferred = form.get("is_preferred") == "true"
        if len(picture) > _LARGEST_THUMBNAIL:
            raise PlatformError(error(100, "(#100) The thumbnail is too large"))
        return await self._answer(
            Operation.UPLOAD, grant, lambda: self._keep_thumbnail(upload, picture, is_preferred=is_preferred)
        )

    def find(self, account: str, video_id: str) -> Upload | None:
        """Return an account's video by ID, complete or not."""
        number = int(video_id) - _FIRST_VIDEO_ID if video_id.isascii() and video_id.isdigit() else 0
        found = self._uploads.find(self._platform.name, number) if 0 < number < 2**62 else None
        return found if found is not None and found.account == account and found.purpose != "photo" else None

    def described(self, upload: Upload) -> dict[str, Any]:
        """Return a video as in ``GET /{video-id}``."""
        is_broken = upload.sha256 is not None and upload.kind not in _VIDEO_KINDS
        is_live = bool(upload.used) and self._uploads.is_ready(upload)
        is_unfinished = upload.sha256 is not None and not upload.used
        post_id = upload.details.rpartition("_")[2]  # without the Page's, as Facebook sends it
        video_status = "ready" if is_live else "upload_complete" if is_unfinished else "processing"
        return {
            "id": video_id(upload),
            "status": {
                "video_status": "error" if is_broken else video_status,
                "uploading_phase": {
                    "status": "in_progress" if upload.sha256 is None else "complete",
                    "bytes_transferred": upload.size if upload.sha256 else self._uploads.received(upload),
                },
                "processing_phase": {"status": "complete" if is_live else "in_progress"},
                "publishing_phase": {"status": "complete" if is_live else "not_started"},
            },
        } | ({"post_id": post_id} if is_live else {})

    def _keep_thumbnail(self, upload: Upload, picture: bytes, *, is_preferred: bool) -> Response:
        covers = self._platform.desk.covers
        sha256 = covers.keep(picture)
        if sha256 is None:
            return error(100, "(#100) The thumbnail must be a JPEG or PNG")
        if is_preferred and upload.used:
            covers.put(self._platform.name, upload.details, sha256)
        return JSONResponse({"success": True})

    async def _answer(self, operation: Operation, grant: Grant, work: Callable[[], Response]) -> Response:
        return await self._platform.answer(operation, grant.identifier, work)

    async def _kept(self, grant: Grant, upload: Upload, first: int, work: Callable[[], Response]) -> Response:
        """Return the response to a chunk, and drop the chunk if it was rejected."""
        answer = await self._answer(Operation.UPLOAD, grant, work)
        if answer.status_code >= 400:
            await asyncio.to_thread(self._uploads.drop, upload, first)
        return answer

    async def _transfer(self, upload: Upload, first: int, file: Any) -> None:
        there = await asyncio.to_thread(self._uploads.received, upload)
        if first != there:
            raise PlatformError(error(100, "(#100) start_offset is not where the upload ended", 1363037))
        try:
            await self._uploads.receive_file(upload, first, file, min(_CHUNK, upload.size - there))
        except TooLongError:
            raise PlatformError(error(100, "(#100) The chunk is too long")) from None

    def _start_video(self, grant: Grant, size: int) -> Response:
        if size == 0:
            return error(100, "(#100) file_size is required")
        upload = self._uploads.open(self._platform.name, grant.identifier, purpose="video", size=size)
        ids = {"upload_session_id": video_id(upload), "video_id": video_id(upload)}
        return JSONResponse({**ids, "start_offset": "0", "end_offset": str(min(size, _CHUNK))})

    def _start_reel(self, grant: Grant, request: Request) -> Response:
        upload = self._uploads.open(self._platform.name, grant.identifier, purpose="reel")
        base = str(request.url).split("?")[0].rsplit("/", 2)[0]
        return JSONResponse({"video_id": video_id(upload), "upload_url": f"{base}/video-upload/{upload.key}"})

    def _session(self, grant: Grant, number: str, purpose: str) -> Upload:
        found = self.find(grant.identifier, number)
        if found is None or found.purpose != purpose:
            raise PlatformError(error(100, "(#100) Unknown upload session or video", 1363036))
        return found

    def _offsets(self, upload: Upload) -> Response:
        there = self._uploads.received(upload)
        end = min(upload.size, there + _CHUNK)
        return JSONResponse({"start_offset": str(there), "end_offset": str(end)})

    def _complete(self, upload: Upload, size: int) -> bool:
        if self._uploads.received(upload) == size:
            self._uploads.finish(upload)
        return True

    def _finish(self, grant: Grant, upload: Upload, fields: dict[str, str]) -> Response:
        if upload.sha256 is None and upload.size and self._uploads.received(upload) == upload.size:
            upload = self._uploads.finish(upload)
        if upload.sha256 is None:
            return error(100, "(#100) The upload is not complete", 1363030)
        if upload.kind not in _VIDEO_KINDS:
            return error(352, "The video file you selected is in a format that we don't support.", 1363024)
        if not upload.used:
            post = self._publish(grant.identifier, fields, upload)
            self._uploads.note(upload, post)
            self._uploads.use(upload)
        return JSONResponse({"success": True})


def video_id(upload: Upload) -> str:
    return str(_FIRST_VIDEO_ID + upload.id)


def _number(value: str | None) -> int:
    if value is None or not (value.isascii() and value.isdigit() and len(value) < 14):
        raise PlatformError(error(100, "(#100) A size or offset is missing"))
    return int(value)
