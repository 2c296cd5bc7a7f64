"""Pinterest's boards, and its Pins: base64 images, videos through its storage."""

import asyncio
import base64
import binascii
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field, ValidationError

from app.practice.faults import Operation
from app.practice.files import kind_of
from app.practice.grants import Grant
from app.practice.identities import ACCOUNTS, Identity
from app.practice.ledger import Draft, Publication, counts_of
from app.practice.platforms.base import Platform, PlatformError
from app.practice.uploads import TooLongError, Upload

_BOARDS = (
    ("Before and after", "Rooms, desks and gardens, twice each.", "PUBLIC"),
    ("Kitchen notes", "What worked, with the amounts.", "PUBLIC"),
    ("Studio", "", "PUBLIC"),
    ("Small spaces", "Ideas for less than thirty square metres.", "PUBLIC"),
    ("Paper and print", "Letterpress, risograph, bindings.", "PUBLIC"),
    ("Trails", "Walks that can be done in a day.", "PROTECTED"),
    ("Drafts", "Not for others yet.", "SECRET"),
)
# One built-in user has more boards than fit on a page of any usual size.
_COLLECTOR = ACCOUNTS[1]
_SEASONS = ("Spring", "Summer", "Autumn", "Winter")
_COLLECTED = tuple(
    (f"{season} {year}", f"What was seen in the {season.lower()} of {year}.", "PUBLIC")
    for year in range(2026, 2008, -1)
    for season in _SEASONS
)

_LONGEST_IMAGE = 20 * 1024 * 1024
_LONGEST_BODY = _LONGEST_IMAGE * 4 // 3 + 64 * 1024
_LONGEST_VIDEO = 2 * 1024**3
_VIDEO_KINDS = frozenset({"video/mp4", "video/quicktime"})
_COUNTED_BACK = timedelta(days=90)
_FIRST_MEDIA = 5_200_000_000_000_000_000
_HIGHEST_NUMBER = 2**63 - 1
_DIGITS = re.compile(r"\d{1,19}")
_METRICS = frozenset(
    {"IMPRESSION", "OUTBOUND_CLICK", "PIN_CLICK", "SAVE", "SAVE_RATE", "TOTAL_COMMENTS", "TOTAL_REACTIONS"}
)

_Number = Annotated[str, Field(pattern=r"^\d+$")]
Refuse = Callable[[int, int, str], JSONResponse]


@dataclass(frozen=True)
class Board:
    """A board; ``privacy`` is PUBLIC, PROTECTED or SECRET."""

    id: str
    name: str
    description: str
    privacy: str
    pin_count: int


def boards_of(person: Identity) -> list[Board]:
    """Return the user's boards, newest first."""
    return [
        Board(
            str(10**17 + (person.seed + place) % 10**17),
            name,
            description,
            privacy,
            3 + (person.seed >> place) % 90,
        )
        for place, (name, description, privacy) in enumerate(_named(person))
    ]


def _named(person: Identity) -> tuple[tuple[str, str, str], ...]:
    return _BOARDS + (_COLLECTED if person.account == _COLLECTOR else ())


class _Image(BaseModel):
    source_type: Literal["image_base64"]
    content_type: Literal["image/jpeg", "image/png"]
    data: str = Field(pattern=r"^[a-zA-Z0-9+/=]+$")


class _Video(BaseModel):
    source_type: Literal["video_id"]
    media_id: _Number
    cover_image_key_frame_time: int | None = Field(None, ge=0)
    cover_image_url: str | None = None
    cover_image_data: str | None = None

    @property
    def has_cover(self) -> bool:
        covers = (self.cover_image_key_frame_time, self.cover_image_url, self.cover_image_data)
        return any(cover is not None for cover in covers)


class _Pin(BaseModel):
    board_id: _Number
    title: str | None = Field(None, max_length=100)
    description: str | None = Field(None, max_length=800)
    alt_text: str | None = Field(None, max_length=500)
    link: str | None = Field(None, max_length=2048)
    media_source: Annotated[_Image | _Video, Field(discriminator="source_type")]


class PinterestPins:
    """Creates and shows Pins.

    Args:
        platform: Pinterest, for callers and faults.
        refuse: Makes a Pinterest error from status, code and message.
    """

    def __init__(self, platform: Platform, refuse: Refuse) -> None:
        self._platform = platform
        self._desk = platform.desk
        self._refuse = refuse

    def add_routes(self, router: APIRouter) -> None:
        router.add_api_route("/v5/pins", self.create, methods=["POST"])
        router.add_api_route("/v5/pins", self.owned, methods=["GET"])
        router.add_api_route("/v5/pins/{pin}/analytics", self.analytics, methods=["GET"])
        router.add_api_route("/v5/boards/{board}/pins", self.listed, methods=["GET"])
        router.add_api_route("/v5/media", self.register, methods=["POST"])
        router.add_api_route("/v5/media/{media}", self.media, methods=["GET"])
        router.add_api_route("/s3/{key}/", self.store, methods=["POST"])

    async def create(self, request: Request) -> Response:
        """Publish a Pin."""
        scopes = ("boards:read", "boards:write", "pins:read", "pins:write")
        grant = await self._platform.caller(request, *scopes)
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > _LONGEST_BODY:
                raise PlatformError(self._refuse(413, 1, "Request entity too large"))
        return await self._platform.answer(
            Operation.PUBLISH, grant.identifier, lambda: self._create(grant, bytes(body))
        )

    async def listed(self, request: Request, board: str) -> Response:
        """Return a board's Pins, newest first."""
        grant = await self._platform.caller(request, "boards:read", "pins:read")

        def boards() -> set[str]:
            self._check_board(grant, board, "pins:read_secret")
            return {board}

        return await self._pages(request, grant, boards)

    async def owned(self, request: Request) -> Response:
        """Return the user's Pins on all boards, newest first. Those of some boards must be asked for."""
        grant = await self._platform.caller(request, "boards:read", "pins:read")
        privacies = {"PUBLIC"}
        privacies |= {"PROTECTED"} if request.query_params.get("include_protected_pins") == "true" else set()
        privacies |= {"SECRET"} if "pins:read_secret" in grant.scope else set()
        boards = {board.id for board in boards_of(grant.identity) if board.privacy in privacies}
        return await self._pages(request, grant, lambda: boards)

    async def _pages(self, request: Request, grant: Grant, boards: Callable[[], set[str]]) -> Response:
        size, bookmark = request.query_params.get("page_size", "25"), request.query_params.get("bookmark", "")
        if not _DIGITS.fullmatch(size) or not 1 <= int(size) <= 250:
            raise PlatformError(self._refuse(400, 1, "page_size must be 1 to 250"))
        below = int(bookmark) if _DIGITS.fullmatch(bookmark) else _HIGHEST_NUMBER
        return await self._platform.answer(
            Operation.LOOK_BACK, grant.identifier, lambda: self._listed(grant, boards(), int(size), below)
        )

    async def analytics(self, request: Request, pin: str) -> Response:
        """Return the metrics of a Pin."""
        grant = await self._platform.caller(request, "boards:read", "pins:read")
        metrics = [name for name in request.query_params.get("metric_types", "").split(",") if name]
        try:
            first = date.fromisoformat(request.query_params.get("start_date", ""))
            last = date.fromisoformat(request.query_params.get("end_date", ""))
        except ValueError:
            first, last = date.max, date.min
        earliest = datetime.fromtimestamp(self._desk.settings.clock(), UTC).date() - _COUNTED_BACK
        if not metrics or not _METRICS.issuperset(metrics) or not earliest <= first <= last:
            raise PlatformError(self._refuse(400, 400, "Invalid pins analytics parameters."))
        return await self._platform.answer(
            Operation.METRICS, grant.identifier, lambda: self._analytics(grant, pin, metrics)
        )

    async def register(self, request: Request) -> Response:
        """Register a video and return the form for uploading it to the storage."""
        grant = await self._platform.caller(request, "pins:read", "pins:write")
        if (await request.body()).replace(b" ", b"") != b'{"media_type":"video"}':
            raise PlatformError(self._refuse(400, 1, "media_type must be video"))
        base = str(request.url).split("/v5/")[0]
        return await self._platform.answer(
            Operation.UPLOAD, grant.identifier, lambda: self._register(grant, base)
        )

    async def media(self, request: Request, media: str) -> Response:
        """Return the processing status of a video."""
        grant = await self._platform.caller(request, "pins:read", "pins:write")
        upload = await asyncio.to_thread(self._video, grant, media)
        return JSONResponse({"media_id": media, "media_type": "video", "status": self._status(upload)})

    async def store(self, request: Request, key: str) -> Response:
        """Receive a file as the last field of a signed form."""
        if "Authorization" in request.headers:
            return Response("<Error><Code>InvalidArgument</Code></Error>", 400, media_type="application/xml")
        upload = await asyncio.to_thread(self._desk.uploads.by_key, self._platform.name, key)
        async with request.form(max_files=1) as form:
            fields = {name: value for name, value in form.items() if isinstance(value, str)}
            file = form.get("file")
            # The storage ignores form fields after the file.
            is_last = list(form.keys())[-1:] == ["file"]
            is_signed = upload is not None and is_last and fields == _form_of(upload)
            if upload is None or not is_signed or isinstance(file, str) or file is None:
                return Response("<Error><Code>AccessDenied</Code></Error>", 403, media_type="application/xml")
            try:
                await self._desk.uploads.receive_file(upload, 0, file.file, _LONGEST_VIDEO)
            except TooLongError:
                return Response("<Error><Code>EntityTooLarge</Code></Error>", 400)
            open_upload = upload

        def finish() -> Response:
            self._desk.uploads.finish(open_upload)
            return Response(status_code=204)

        return await self._platform.answer(Operation.UPLOAD, open_upload.account, finish)

    def _register(self, grant: Grant, base: str) -> Response:
        upload = self._desk.uploads.open(self._platform.name, grant.identifier, purpose="video")
        body = {
            "media_id": str(_FIRST_MEDIA + upload.id),
            "media_type": "video",
            "upload_url": f"{base}/s3/{upload.key}/",
            "upload_parameters": _form_of(upload),
        }
        return JSONResponse(body, 201)

    def _video(self, grant: Grant, media: str) -> Upload:
        number = int(media) - _FIRST_MEDIA if _DIGITS.fullmatch(media) else 0
        found = self._desk.uploads.find(self._platform.name, number) if 0 < number < 2**62 else None
        if found is None or found.account != grant.identifier:
            raise PlatformError(self._refuse(404, 4, "Media not found."))
        return found

    def _status(self, upload: Upload) -> str:
        if upload.sha256 is None:
            return "registered"
        if not self._desk.uploads.is_ready(upload):
            return "processing"
        return "succeeded" if upload.kind in _VIDEO_KINDS else "failed"

    def _create(self, grant: Grant, body: bytes) -> Response:
        pin = self._read(body)
        self._check_board(grant, pin.board_id, "pins:write_secret")
        source = pin.media_source
        digest = self._picture(source) if isinstance(source, _Image) else self._clip(grant, source)
        draft = Draft(
            self._platform.name,
            grant.identifier,
            pin.description or "",
            title=pin.title,
            link=pin.link,
            board_id=pin.board_id,
            media_sha256=digest,
        )
        return JSONResponse(_shown(self._desk.ledger.accept(draft, str, repeatable=True)), 201)

    def _check_board(self, grant: Grant, board_id: str, scope: str) -> None:
        """Raise PlatformError if the board isn't the caller's, or is secret."""
        board = next((own for own in boards_of(grant.identity) if own.id == board_id), None)
        if board is None or (board.privacy == "SECRET" and scope not in grant.scope):
            raise PlatformError(self._refuse(404, 40, "Board not found."))

    def _read(self, body: bytes) -> _Pin:
        try:
            return _Pin.model_validate_json(body)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PlatformError(self._refuse(400, 1, f"Invalid request: {where}: {first['msg']}"))

    def _picture(self, image: _Image) -> str:
        try:
            content = base64.b64decode(image.data, validate=True)
        except binascii.Error:
            raise PlatformError(self._refuse(400, 1, "Invalid request: data is not base64")) from None
        if len(content) > _LONGEST_IMAGE or kind_of(content[:16]) != image.content_type:
            raise PlatformError(self._refuse(400, 235, "Sorry, we could not read this image."))
        return self._desk.files.keep([content])

    def _clip(self, grant: Grant, video: _Video) -> str:
        upload = self._video(grant, video.media_id)
        if self._status(upload) != "succeeded" or upload.sha256 is None:
            raise PlatformError(self._refuse(400, 1, "The video is not ready."))
        if not video.has_cover:
            raise PlatformError(self._refuse(400, 1, "A cover image is required for a video pin."))
        return upload.sha256

    def _listed(self, grant: Grant, boards: set[str], size: int, below: int) -> Response:
        found = self._desk.ledger.of_account(
            self._platform.name, grant.identifier, since="", below=below, limit=size + 1
        )
        here = found[:size]
        items = [_shown(publication) for publication in here if publication.board_id in boards]
        return JSONResponse({"items": items, "bookmark": here[-1].content_id if len(found) > size else None})

    def _analytics(self, grant: Grant, pin: str, metrics: list[str]) -> Response:
        found = self._desk.ledger.find(self._platform.name, pin)
        if found is None or found.account_identifier != grant.identifier:
            return self._refuse(404, 404, "Pin not found.")
        counts = counts_of(found, self._desk.settings.clock())
        values = {
            "IMPRESSION": counts.views,
            "TOTAL_REACTIONS": counts.likes,
            "TOTAL_COMMENTS": counts.comments,
            "SAVE": counts.shares,
        }
        lifetime = {name: values.get(name, 0) for name in metrics}
        summary = {name: value for name, value in lifetime.items() if not name.startswith("TOTAL_")}
        return JSONResponse(
            {"all": {"daily_metrics": [], "lifetime_metrics": lifetime, "summary_metrics": summary}}
        )


def _form_of(upload: Upload) -> dict[str, str]:
    return {
        "key": f"uploads/practice:video:{upload.id}",
        "policy": base64.b64encode(upload.key.encode()).decode(),
        "x-amz-algorithm": "AWS4-HMAC-SHA256",
        "x-amz-signature": hashlib.sha256(upload.key.encode()).hexdigest(),
    }


def _shown(publication: Publication) -> dict[str, Any]:
    return {
        "id": publication.content_id,
        "board_id": publication.board_id,
        "title": publication.title,
        "description": publication.text or None,
        "link": publication.link,
        "created_at": publication.received_at[:19],
        "is_owner": True,
    }
