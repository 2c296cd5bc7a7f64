"""Statuses and media files of the stand-in for Mastodon."""

import hashlib
import html
import json
import re
from datetime import datetime
from typing import Any, Literal

import regex  # type: ignore[import-untyped,unused-ignore]  # stubs are optional
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.datastructures import UploadFile

from app.practice.faults import Operation
from app.practice.grants import Grant
from app.practice.ledger import Draft, Publication, counts_of
from app.practice.platforms.base import Platform, PlatformError
from app.practice.platforms.mastodon_servers import Server
from app.practice.uploads import TooLongError, Upload

_LONGEST_FILE = 103_809_024
_LONGEST_DESCRIPTION = 1_500
_LARGEST_IMAGE = 16_777_216
_KEY_KEPT_S = 3600
_FILE_KEPT_S = 86_400
_PAGE = 20
_PAGE_MAX = 40
_LINK = re.compile(r"https?://\S+")
_MENTION = re.compile(r"(?<![\w/])(@\w+)@[\w.-]+\w")


class _Status(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    status: str = ""
    media_ids: list[str] = Field([], max_length=4)
    spoiler_text: str = ""
    sensitive: bool = False
    visibility: Literal["public", "unlisted", "private", "direct"] = "public"
    language: str = ""


class MastodonPosts:
    """Endpoints for statuses and media."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._desk = platform.desk

    def add_routes(self, router: APIRouter) -> None:
        router.add_api_route("/{server}/api/v2/media", self.upload, methods=["POST"])
        router.add_api_route("/{server}/api/v1/media/{media}", self.media, methods=["GET"])
        router.add_api_route("/{server}/api/v1/statuses", self.create, methods=["POST"])
        router.add_api_route("/{server}/api/v1/statuses/{status}", self.status, methods=["GET"])
        router.add_api_route("/{server}/api/v1/statuses/{status}/source", self.source, methods=["GET"])
        router.add_api_route("/{server}/api/v1/accounts/{account}/statuses", self.statuses, methods=["GET"])

    async def upload(self, request: Request) -> Response:
        """Receive a file. It's ready a moment later."""
        grant = await self._platform.caller(request, "write:media")
        async with request.form(max_files=1) as form:
            file, description = form.get("file"), str(form.get("description") or "")
            if not isinstance(file, UploadFile):
                return error(422, "Validation failed: File can't be blank")
            if len(description) > _LONGEST_DESCRIPTION:
                said = f"is too long (maximum is {_LONGEST_DESCRIPTION} characters)"
                return error(422, f"Validation failed: Description {said}")
            kept = self._desk.uploads.open(
                self._platform.name, grant.identifier, purpose="media", details=description
            )
            try:
                await self._desk.uploads.receive_file(kept, 0, file.file, _LONGEST_FILE)
            except TooLongError:
                return error(422, "Validation failed: File size must be less than 99 MB")
        return await self._platform.answer(Operation.UPLOAD, grant.identifier, lambda: self._finish(kept))

    async def media(self, request: Request, media: str) -> Response:
        """Return a file that isn't attached yet, with status 206 while it's processed."""
        grant = await self._platform.caller(request, "write:media")
        file = self._file(grant, media)
        if file is None or file.used:
            return error(404, "Record not found")
        return _attachment(file, is_ready=self._desk.uploads.is_ready(file), pending=206)

    async def create(self, request: Request) -> Response:
        """Publish a status, or return the one with the same idempotency key."""
        grant = await self._platform.caller(request, "write:statuses")
        body = await request.body()
        return await self._platform.answer(
            Operation.PUBLISH, grant.identifier, lambda: self._create(request, grant, body)
        )

    async def status(self, request: Request, status: str) -> Response:
        """Return a status."""
        grant = await self._platform.caller(request, "read:statuses")
        return await self._platform.answer(
            Operation.METRICS,
            grant.identifier,
            lambda: JSONResponse(self._shown(request, self._found(grant, status))),
        )

    async def source(self, request: Request, status: str) -> Response:
        """Return the source text of a status, on software with this call."""
        grant = await self._platform.caller(request, "read:statuses")
        found = self._found(grant, status)
        if not Server.of(request).has_source:
            return error(404, "Record not found")
        body = {"id": found.content_id, "text": found.text, "spoiler_text": found.title or ""}
        return JSONResponse(body)

    async def statuses(self, request: Request, account: str) -> Response:
        """Return an account's statuses, newest first, below ``max_id``."""
        grant = await self._platform.caller(request, "read:statuses")
        if account != grant.identifier:
            return error(404, "Record not found")
        asked = request.query_params
        limit = min(int(asked.get("limit", _PAGE)), _PAGE_MAX)

        def work() -> Response:
            below = 2**63 - 1
            if before := asked.get("max_id"):
                below = self._desk.ledger.number(self._found(grant, before))
            page = self._desk.ledger.of_account(
                self._platform.name, account, since="", below=below, limit=limit
            )
            return JSONResponse([self._shown(request, one) for one in page])

        return await self._platform.answer(Operation.LOOK_BACK, grant.identifier, work)

    def _shown(self, request: Request, one: Publication) -> dict[str, Any]:
        """Return a publication as a status."""
        counts = counts_of(one, self._desk.settings.clock())
        person = self._platform.person_of(one.account_identifier)
        handle = person.handle if person else one.account_identifier
        base = str(request.base_url).rstrip("/")
        url = f"{base}/{self._platform.name}/{request.path_params['server']}/@{handle}/{one.content_id}"
        return {
            "id": one.content_id,
            "created_at": one.received_at,
            "url": url,
            "uri": url,
            "content": "<p>" + html.escape(one.text).replace("\n", "<br />") + "</p>",
            "spoiler_text": one.title or "",
            "application": {"name": "Kalends", "website": None},
            "favourites_count": counts.likes,
            "replies_count": counts.comments,
            "reblogs_count": counts.shares,
        }

    def _finish(self, kept: Upload) -> Response:
        file = self._desk.uploads.finish(kept)
        is_image = (file.kind or "").startswith("image/")
        if not is_image and not (file.kind or "").startswith("video/"):
            return error(422, "Validation failed: File content type is invalid")
        if is_image and file.size > _LARGEST_IMAGE:
            return error(422, "Validation failed: File size must be less than 16 MB")
        return _attachment(file, is_ready=self._desk.uploads.is_ready(file), pending=202)

    def _create(self, request: Request, grant: Grant, body: bytes) -> Response:
        server, asked = Server.of(request), _read(body)
        if not asked.status.strip() and not asked.media_ids:
            return error(422, "Validation failed: Text can't be blank")
        if _length(asked, server) > server.text_max:
            return error(422, f"Validation failed: Text character limit of {server.text_max} exceeded")
        key = request.headers.get("Idempotency-Key", "") if server.keeps_keys else ""
        earlier, content_id = self._with_key(grant, key)
        if earlier is not None:
            return JSONResponse(self._shown(request, earlier))
        files = [self._attached(grant, media) for media in asked.media_ids]
        shown = [asked.visibility if asked.visibility != "public" else "", asked.language]
        text, warning = asked.status, asked.spoiler_text
        if not text.strip():  # like on Mastodon, a warning without a text becomes the text
            text, warning = warning, ""
        draft = Draft(
            self._platform.name,
            grant.identifier,
            text,
            title=warning or None,
            media_sha256=",".join(file.sha256 or "" for file in files) or None,
            labels=", ".join(filter(None, [*shown, *(file.details for file in files)])),
        )
        one = self._desk.ledger.accept(draft, lambda number: content_id or str(number), repeatable=True)
        for file in files:
            self._desk.uploads.use(file)
        return JSONResponse(self._shown(request, one))

    def _with_key(self, grant: Grant, key: str) -> tuple[Publication | None, str]:
        """Return the status with an idempotency key, or the ID that the key gives a new one."""
        turn = 0
        while key:
            digest = hashlib.sha256(f"{grant.identifier}:{key}:{turn}".encode()).digest()
            content_id = str(10**17 + int.from_bytes(digest[:8]) % 10**17)
            found = self._desk.ledger.find(self._platform.name, content_id)
            if found is None:
                return None, content_id
            if self._desk.settings.clock() - _seconds(found) < _KEY_KEPT_S:
                return found, ""
            turn += 1
        return None, ""

    def _attached(self, grant: Grant, media: str) -> Upload:
        file = self._file(grant, media)
        if file is None or file.used or self._desk.uploads.age_s(file) > _FILE_KEPT_S:
            raise PlatformError(error(422, f"Media {media} not found or already attached to another post"))
        if not self._desk.uploads.is_ready(file):
            said = "Cannot attach files that have not finished processing. Try again in a moment!"
            raise PlatformError(error(422, said))
        return file

    def _file(self, grant: Grant, media: str) -> Upload | None:
        number = int(media) if media.isdecimal() and len(media) < 18 else 0
        found = self._desk.uploads.find(self._platform.name, number)
        return found if found is not None and found.account == grant.identifier and found.sha256 else None

    def _found(self, grant: Grant, status: str) -> Publication:
        found = self._desk.ledger.find(self._platform.name, status)
        if found is None or found.account_identifier != grant.identifier:
            raise PlatformError(error(404, "Record not found"))
        return found


def _attachment(file: Upload, *, is_ready: bool, pending: int) -> Response:
    shown: dict[str, Any] = {
        "id": str(file.id),
        "type": (file.kind or "unknown").partition("/")[0],
        "url": f"https://practice.invalid/files/{file.sha256}" if is_ready else None,
        "description": file.details or None,
    }
    return JSONResponse(shown, 200 if is_ready else pending)


def _read(body: bytes) -> _Status:
    try:
        return _Status.model_validate(json.loads(body))
    except ValidationError as problem:
        first = problem.errors(include_input=False, include_url=False, include_context=False)[0]
        reason = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    except (ValueError, RecursionError):
        reason = "The body isn't JSON"
    raise PlatformError(error(422, f"Validation failed: {reason}"))


def _length(asked: _Status, server: Server) -> int:
    text = _MENTION.sub(r"\1", _LINK.sub("x" * server.link_length, asked.status))
    return len(regex.findall(r"\X", asked.spoiler_text + text))


def _seconds(one: Publication) -> float:
    return datetime.fromisoformat(one.received_at).timestamp()


def error(status: int, message: str) -> Response:
    """Return an error in Mastodon's format."""
    return JSONResponse({"error": message}, status)
