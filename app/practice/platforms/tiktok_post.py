"""TikTok's Content Posting API: announce a video, upload its chunks, query its status; and photos."""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.practice.faults import Operation
from app.practice.grants import Grant
from app.practice.ledger import Draft
from app.practice.platforms.base import Platform, PlatformError
from app.practice.platforms.tiktok_inbox import Inbox, inbox_details, is_for_inbox
from app.practice.platforms.tiktok_photos import (
    POSTS,
    PURPOSE,
    Photos,
    choice_problem,
    creator_info,
    labels_of,
)
from app.practice.uploads import TooLongError, TooShortError, Upload

_MIB = 1024 * 1024
_SMALLEST_CHUNK, _LARGEST_CHUNK, _LARGEST_LAST = 5 * _MIB, 64 * _MIB, 128 * _MIB
_MOST_CHUNKS = 1000
_LONGEST_VIDEO = 4 * 1024**3
_LONGEST_TITLE = 2200  # UTF-16 units
_ADDRESS_S = 3600
_KINDS = {"video/mp4", "video/quicktime", "video/webm"}
_RANGE = re.compile(r"bytes (\d{1,12})-(\d{1,12})/(\d{1,12})")

Refuse = Callable[[int, str, str], JSONResponse]
Accept = Callable[[Mapping[str, Any]], Response]


class TikTokPost:
    """Endpoints below ``/v2/post/publish``.

    Args:
        platform: TikTok, for callers and faults.
        refuse: Makes a TikTok error from status, code and message.
        accept: Makes a TikTok response from data.
    """

    def __init__(self, platform: Platform, refuse: Refuse, accept: Accept) -> None:
        self._platform = platform
        self._desk = platform.desk
        self._refuse = refuse
        self._accept = accept
        self._inbox = Inbox(platform.desk, platform.name)
        self._photos = Photos(platform.desk, platform.name)

    def add_routes(self, router: APIRouter) -> None:
        base = "/v2/post/publish"
        router.add_api_route(f"{base}/creator_info/query/", self.creator, methods=["POST"])
        router.add_api_route(f"{base}/video/init/", self.begin, methods=["POST"])
        router.add_api_route(f"{base}/inbox/video/init/", self.begin_for_inbox, methods=["POST"])
        router.add_api_route("/inbox", self._inbox.show, methods=["GET"])
        router.add_api_route("/inbox/{number}", self._inbox.decide, methods=["POST"])
        router.add_api_route(f"{base}/content/init/", self.begin_photo, methods=["POST"])
        router.add_api_route(f"{base}/status/fetch/", self.status, methods=["POST"])
        router.add_api_route("/video/{key}", self.receive, methods=["PUT"])

    async def creator(self, request: Request) -> Response:
        """Return what the account can currently do."""
        grant = await self._platform.caller(request, "video.publish")
        self._platform.check_quota(grant, POSTS)
        data = creator_info(grant.identity)
        return await self._platform.answer(Operation.UPLOAD, grant.identifier, lambda: self._accept(data))

    async def begin(self, request: Request) -> Response:
        """Announce a video with its size and chunks."""
        grant = await self._platform.caller(request, "video.publish")
        self._platform.check_quota(grant, POSTS)
        asked = await self._body(request)
        post, source = asked.get("post_info"), asked.get("source_info")
        if not isinstance(post, dict) or not isinstance(source, dict):
            raise PlatformError(self._invalid("post_info and source_info are required."))
        title = post.get("title", "")
        if not isinstance(title, str) or len(title.encode("utf-16-le")) // 2 > _LONGEST_TITLE:
            raise PlatformError(self._invalid("The title is longer than 2200 UTF-16 units."))
        if problem := choice_problem(post, grant.identity):
            raise PlatformError(self._refuse(*problem))
        size = self._checked_size(source)
        details = {"post": post, "chunk": source["chunk_size"], "count": source["total_chunk_count"]}
        return await self._announce(request, grant, size, json.dumps(details))

    async def begin_for_inbox(self, request: Request) -> Response:
        """Announce a video for the user's inbox, without what only the user decides there."""
        grant = await self._platform.caller(request, "video.upload")
        asked = await self._body(request)
        source = asked.get("source_info")
        if not isinstance(source, dict) or asked.keys() - {"source_info"}:
            raise PlatformError(self._invalid("source_info is required, and nothing else is taken."))
        size = self._checked_size(source)
        self._check_room(grant)
        details = {"chunk": source["chunk_size"], "count": source["total_chunk_count"]}
        return await self._announce(request, grant, size, inbox_details(details))

    def _check_room(self, grant: Grant) -> None:
        if self._inbox.is_full(grant.identifier):
            message = "There may be at most 5 pending shares within any 24-hour period."
            raise PlatformError(self._refuse(403, "spam_risk_too_many_pending_share", message))

    async def _announce(self, request: Request, grant: Grant, size: int, details: str) -> Response:
        base = str(request.url).split("/v2/")[0]

        def work() -> Response:
            upload = self._desk.uploads.open(
                self._platform.name, grant.identifier, purpose="video", size=size, details=details
            )
            return self._accept(
                {"publish_id": _publish_id(upload), "upload_url": f"{base}/video/{upload.key}"}
            )

        return await self._platform.answer(Operation.UPLOAD, grant.identifier, work)

    async def begin_photo(self, request: Request) -> Response:
        """Announce a photo by URL. It's published after being fetched."""
        asked = await self._body(request)
        is_for_inbox = asked.get("post_mode") == "MEDIA_UPLOAD"
        grant = await self._platform.caller(request, "video.upload" if is_for_inbox else "video.publish")
        if is_for_inbox:
            self._check_room(grant)
        else:
            self._platform.check_quota(grant, POSTS)
        if problem := self._photos.problem(asked, grant.identity):
            raise PlatformError(self._refuse(*problem))
        announced: list[Upload] = []

        def work() -> Response:
            announced.append(self._photos.announce(grant.identifier, asked))
            return self._accept({"publish_id": _publish_id(announced[0])})

        answer = await self._platform.answer(Operation.PUBLISH, grant.identifier, work)
        for upload in announced:
            self._photos.fetch(upload)
        return answer

    async def receive(self, request: Request, key: str) -> Response:
        """Receive a chunk. Returns 206, or 201 for the last one."""
        upload = await asyncio.to_thread(self._desk.uploads.by_key, self._platform.name, key)
        if upload is None or self._desk.uploads.age_s(upload) > _ADDRESS_S or upload.sha256 is not None:
            return Response(status_code=403)
        asked = _RANGE.fullmatch(request.headers.get("Content-Range", ""))
        if asked is None or request.headers.get("Content-Type") not in _KINDS:
            return Response(status_code=400)
        first, last, size = (int(number) for number in asked.groups())
        plan = json.loads(upload.details)
        there = await asyncio.to_thread(self._desk.uploads.received, upload)
        is_last = there // plan["chunk"] == plan["count"] - 1
        end = upload.size if is_last else there + plan["chunk"]
        if (first, last + 1, size) != (there, end, upload.size):
            return Response(status_code=416)
        try:
            await self._desk.uploads.receive(upload, first, request.stream(), end - first, end - first)
        except (TooLongError, TooShortError):
            return Response(status_code=400)
        operation = Operation.PUBLISH if is_last else Operation.UPLOAD
        answer = await self._platform.answer(
            operation, upload.account, lambda: self._finish(upload) if is_last else Response(status_code=206)
        )
        if answer.status_code >= 400:
            await asyncio.to_thread(self._desk.uploads.drop, upload, first)
        return answer

    async def status(self, request: Request) -> Response:
        """Return the status of a video or photo."""
        grant = await self._platform.caller(request)
        if not {"video.publish", "video.upload"} & grant.scope:
            raise PlatformError(self._platform.missing_scope("video.publish"))
        publish_id = str((await self._body(request)).get("publish_id", ""))
        announced = await asyncio.to_thread(self._find, grant, publish_id)
        if announced is not None and announced.purpose == PURPOSE:
            self._photos.fetch(announced)
        return await self._platform.answer(
            Operation.LOOK_BACK, grant.identifier, lambda: self._status(grant, publish_id)
        )

    async def _body(self, request: Request) -> dict[str, Any]:
        try:
            asked = json.loads(await request.body())
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict):
            raise PlatformError(self._invalid("The request body is not a JSON object."))
        return asked

    def _checked_size(self, source: Mapping[str, Any]) -> int:
        """Return the announced size if the chunks follow TikTok's rules."""
        size, chunk, count = (
            _number(source.get(name)) for name in ("video_size", "chunk_size", "total_chunk_count")
        )
        if source.get("source") != "FILE_UPLOAD" or not (size and chunk and count):
            raise PlatformError(self._invalid("source_info needs FILE_UPLOAD and its three numbers."))
        is_whole = chunk == size and count == 1 and size <= _LARGEST_CHUNK
        is_split = (
            _SMALLEST_CHUNK <= chunk <= _LARGEST_CHUNK
            and 1 <= count <= _MOST_CHUNKS
            and count == size // chunk
            and size - (count - 1) * chunk <= _LARGEST_LAST
        )
        if not 0 < size <= _LONGEST_VIDEO or not (is_whole or is_split):
            raise PlatformError(self._invalid("The chunks do not keep the rules for video_size."))
        return size

    def _finish(self, upload: Upload) -> Response:
        complete = self._desk.uploads.finish(upload)
        if complete.kind in _KINDS and not is_for_inbox(upload):
            post = json.loads(upload.details)["post"]
            draft = Draft(
                self._platform.name,
                upload.account,
                post.get("title", ""),
                media_sha256=complete.sha256,
                labels=labels_of(post),
            )
            published = self._desk.ledger.accept(draft, str, repeatable=True)
            self._desk.quotas.count(POSTS, upload.account)
            is_public = post["privacy_level"] == "PUBLIC_TO_EVERYONE"
            self._desk.uploads.note(upload, json.dumps({"id": published.content_id if is_public else None}))
        self._desk.uploads.use(upload)
        return Response(status_code=201)

    def _status(self, grant: Grant, publish_id: str) -> Response:
        found = self._find(grant, publish_id)
        if found is None:
            return self._refuse(400, "invalid_publish_id", "The publish_id is not known.")
        if found.purpose == PURPOSE:
            return self._accept(self._photos.state(found))
        if found.sha256 is None:
            return self._accept(
                {"status": "PROCESSING_UPLOAD", "uploaded_bytes": self._desk.uploads.received(found)}
            )
        if found.kind not in _KINDS:
            return self._accept({"status": "FAILED", "fail_reason": "file_format_check_failed"})
        if not self._desk.uploads.is_ready(found):
            return self._accept({"status": "PROCESSING_UPLOAD", "uploaded_bytes": found.size})
        return self._accept(self._inbox.state(found))

    def _find(self, grant: Grant, publish_id: str) -> Upload | None:
        number = publish_id.removeprefix(_PREFIX)
        found = self._desk.uploads.find(self._platform.name, int(number)) if number.isdigit() else None
        return found if found is not None and found.account == grant.identifier else None

    def _invalid(self, message: str) -> JSONResponse:
        return self._refuse(400, "invalid_params", message)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


_PREFIX = "v_pub_file~v2-1."


def _publish_id(upload: Upload) -> str:
    return f"{_PREFIX}{upload.id}"
