"""Instagram's containers: created, filled, published once, and the resulting items with their metrics."""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Protocol

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.practice.consent import read_form
from app.practice.desk import Desk
from app.practice.faults import Operation
from app.practice.files import PullError, pulled
from app.practice.grants import Grant
from app.practice.ledger import Draft, Publication, counts_of
from app.practice.platforms.base import Platform, PlatformError
from app.practice.platforms.graph import asked_fields, error
from app.practice.platforms.page_files import PagePhotos, photo_address
from app.practice.quotas import Quota
from app.practice.uploads import TooLongError, TooShortError, Upload

_METRICS = frozenset({"views", "reach", "likes", "comments", "shares", "saved", "total_interactions"})

# Meta's documentation says both 50 and 100.
_POSTS = Quota("instagram posts", 50)
_LONGEST_CAPTION = 2200
_MOST_HASHTAGS, _MOST_MENTIONS = 30, 20
_LONGEST_ALT_TEXT = 1000
_LONGEST_PHOTO = 8 * 1024 * 1024
_LONGEST_REEL = 300 * 1024 * 1024
_NARROWEST, _WIDEST = 4 / 5, 1.91
_EXPIRED_S = 86_400
_FIRST_CONTAINER = 17_900_000_000_000_000
_HIGHEST_NUMBER = 2**63 - 1


class InstagramInsights:
    """``/{media}/insights``; ``prefix`` is the prefix of scope names."""

    def __init__(self, platform: Platform, prefix: str = "instagram") -> None:
        self._platform = platform
        self._scope = f"{prefix}_manage_insights"

    def add_routes(self, router: APIRouter) -> None:
        router.add_api_route("/{media}/insights", self.insights, methods=["GET"])

    async def insights(self, request: Request, media: str) -> Response:
        """Return the metrics of an item."""
        grant = await self._platform.caller(request, self._scope)
        metrics = [name for name in request.query_params.get("metric", "").split(",") if name]
        if not metrics or not _METRICS.issuperset(metrics):
            raise PlatformError(error(100, "(#100) metric must be one of the following values: views, reach"))
        found = await asyncio.to_thread(self._find, grant, media)
        counts = counts_of(found, self._platform.desk.settings.clock())
        values = {
            "views": counts.views,
            "reach": counts.views * 4 // 5,
            "likes": counts.likes,
            "comments": counts.comments,
            "shares": counts.shares,
            "saved": counts.shares // 2,
            "total_interactions": counts.likes + counts.comments + counts.shares,
        }
        data = [
            {
                "name": name,
                "period": "lifetime",
                "values": [{"value": values[name]}],
                "id": f"{media}/insights/{name}/lifetime",
            }
            for name in metrics
        ]
        answer = JSONResponse({"data": data})
        return await self._platform.answer(Operation.METRICS, grant.identifier, lambda: answer)

    def _find(self, grant: Grant, media: str) -> Publication:
        found = self._platform.desk.ledger.find(self._platform.name, media)
        if found is None or found.account_identifier != grant.identifier:
            message = f"Unsupported get request. Object with ID '{media}' does not exist"
            raise PlatformError(error(100, message, 33))
        return found


class AccountPlatform(Protocol):
    """Instagram with one of its two logins."""

    @property
    def name(self) -> str: ...

    @property
    def desk(self) -> Desk: ...

    async def caller(self, request: Request, *scopes: str) -> Grant: ...

    async def page_caller(self, request: Request, account: str, *scopes: str) -> Grant: ...

    def check_quota(self, grant: Grant, *quotas: Quota) -> None: ...

    async def answer(
        self, operation: Operation, account: str | None, work: Callable[[], Response]
    ) -> Response: ...


class InstagramMedia:
    """``/{account}/media``, ``/{account}/media_publish``, containers and items.

    Args:
        platform: Instagram with one of its two logins.
        photos: The unpublished photos of Pages; None without Pages.
        prefix: Prefix of scope names.
    """

    def __init__(
        self, platform: AccountPlatform, photos: PagePhotos | None, prefix: str = "instagram"
    ) -> None:
        self._platform = platform
        self._photos = photos
        self._desk = platform.desk
        self._basic, self._content = f"{prefix}_basic", f"{prefix}_content_publish"

    def add_routes(self, router: APIRouter) -> None:
        router.add_api_route("/{account}/media", self.create, methods=["POST"])
        router.add_api_route("/{account}/media", self.listed, methods=["GET"])
        router.add_api_route("/{account}/media_publish", self.publish, methods=["POST"])
        router.add_api_route("/ig-api-upload/{key}", self.receive, methods=["POST"])
        router.add_api_route("/{node}", self.node, methods=["GET"])
        if self._photos is not None:
            router.add_api_route("/{node}", self.delete, methods=["DELETE"])

    async def create(self, request: Request, account: str) -> Response:
        """Create a container for an image to fetch, or for a Reel to upload."""
        grant = await self._platform.page_caller(request, account, self._content)
        form = await read_form(request)
        caption = form.get("caption", "")
        if len(caption) > _LONGEST_CAPTION:
            raise PlatformError(error(36004, "The caption was too long", 2207010))
        if caption.count("#") > _MOST_HASHTAGS or caption.count("@") > _MOST_MENTIONS:
            raise PlatformError(error(100, "The caption holds too many hashtags or mentions", 2207040))
        if len(form.get("alt_text", "")) > _LONGEST_ALT_TEXT:
            raise PlatformError(error(100, "(#100) Param alt_text is too long"))
        base = str(request.url).split("?")[0].rsplit("/", 2)[0]
        photo = None if form.get("media_type") == "REELS" else await self._photo(grant, form)
        return await self._platform.answer(
            Operation.UPLOAD, grant.identifier, lambda: self._create(grant, form, base, photo)
        )

    async def receive(self, request: Request, key: str) -> Response:
        """Receive the bytes of a Reel; the token is in an OAuth header."""
        grant = await self._platform.caller(request, self._content)
        upload = await asyncio.to_thread(self._desk.uploads.by_key, self._platform.name, key)
        if upload is None or upload.account != grant.identifier or upload.sha256 is not None:
            raise PlatformError(error(100, "Unknown upload"))
        if not request.headers.get("Authorization", "").startswith("OAuth "):
            raise PlatformError(error(190, "The token must come in the scheme OAuth"))
        size, offset = request.headers.get("file_size", ""), request.headers.get("offset", "")
        if offset != "0" or not (size.isascii() and size.isdigit() and 0 < int(size) <= _LONGEST_REEL):
            raise PlatformError(error(100, "offset and file_size are not valid"))
        try:
            await self._desk.uploads.receive(upload, 0, request.stream(), int(size), int(size))
        except (TooLongError, TooShortError):
            raise PlatformError(error(100, "The file has not the bytes of file_size")) from None

        def finish() -> Response:
            self._desk.uploads.finish(upload)
            return JSONResponse({"success": True})

        return await self._platform.answer(Operation.UPLOAD, grant.identifier, finish)

    async def publish(self, request: Request, account: str) -> Response:
        """Publish a container, once."""
        grant = await self._platform.page_caller(request, account, self._content)
        number = (await read_form(request)).get("creation_id", "")
        return await self._platform.answer(
            Operation.PUBLISH, grant.identifier, lambda: self._publish(grant, number)
        )

    async def listed(self, request: Request, account: str) -> Response:
        """Return the account's items, newest first."""
        grant = await self._platform.page_caller(request, account, self._basic)
        limit = request.query_params.get("limit", "25")
        count = min(int(limit), 100) if limit.isascii() and limit.isdigit() and len(limit) < 6 else 25
        fields = {"id", *asked_fields(request)}

        def work() -> Response:
            found = self._desk.ledger.of_account(
                self._platform.name, grant.identifier, since="", below=_HIGHEST_NUMBER, limit=count
            )
            base = str(request.base_url)
            return JSONResponse({"data": [_item(publication, fields, base) for publication in found]})

        return await self._platform.answer(Operation.LOOK_BACK, grant.identifier, work)

    async def node(self, request: Request, node: str) -> Response:
        """Return a container, an unpublished photo of the Page, or an item."""
        grant = await self._platform.caller(request, self._basic)
        fields = {"id", *asked_fields(request)}
        return await asyncio.to_thread(self._node, grant, node, fields, request)

    async def delete(self, request: Request, node: str) -> Response:
        """Delete an unpublished photo of the Page."""
        grant = await self._platform.caller(request, "pages_manage_posts")
        photo = await asyncio.to_thread(self._photos.find, grant.identifier, node) if self._photos else None
        if photo is None:
            raise PlatformError(_missing(node))
        await asyncio.to_thread(self._desk.uploads.note, photo, "deleted")
        return JSONResponse({"success": True})

    async def _photo(self, grant: Grant, form: dict[str, str]) -> Upload | None:
        """Return the image at a URL: our own copy of a Page's photo, or fetched like Meta does."""
        address = form.get("image_url", "")
        if self._photos is not None:
            photo = await asyncio.to_thread(self._photos.at_address, grant.identifier, address)
            if photo is not None:
                return None if photo.details == "deleted" else photo
        uploads = self._desk.uploads
        try:
            async with pulled(address, longest=2 * _LONGEST_PHOTO, kind="image/") as chunks:
                upload = await asyncio.to_thread(
                    lambda: uploads.open(self._platform.name, grant.identifier, purpose="pulled")
                )
                await uploads.receive(upload, 0, chunks, 2 * _LONGEST_PHOTO)
        except PullError:
            return None
        return await asyncio.to_thread(uploads.finish, upload)

    def _create(self, grant: Grant, form: dict[str, str], base: str, photo: Upload | None) -> Response:
        about = {"caption": form.get("caption", "")}
        if form.get("media_type") == "REELS":
            if form.get("upload_type") != "resumable":
                return error(9004, "The media could not be fetched from this URI", 2207052)
            upload = self._open(grant, "reel", about)
            uri = f"{base}/ig-api-upload/{upload.key}"
            return JSONResponse({"id": _container_id(upload), "uri": uri})
        if photo is None:
            return error(9004, "The media could not be fetched from this URI", 2207052)
        if problem := _photo_problem(photo):
            return problem
        return JSONResponse({"id": _container_id(self._open(grant, "image", {**about, "photo": photo.id}))})

    def _open(self, grant: Grant, purpose: str, about: dict[str, Any]) -> Upload:
        return self._desk.uploads.open(
            self._platform.name, grant.identifier, purpose=purpose, details=json.dumps(about)
        )

    def _publish(self, grant: Grant, number: str) -> Response:
        container = self._container(grant, number)
        if container is None:
            return _missing(number)
        state = self._state(container)
        if state == "IN_PROGRESS":
            return error(9007, "Media ID is not available: the media is not ready for publishing", 2207027)
        if state != "FINISHED":
            return error(100, f"The container is {state}", 2207008)
        self._platform.check_quota(grant, _POSTS)
        about = json.loads(container.details)
        draft = Draft(
            self._platform.name, grant.identifier, about["caption"], media_sha256=self._digest(container)
        )
        published = self._desk.ledger.accept(draft, _item_id, repeatable=True)
        self._desk.uploads.use(container)
        self._desk.quotas.count(_POSTS, grant.identifier)
        return JSONResponse({"id": published.content_id})

    def _node(self, grant: Grant, node: str, fields: set[str], request: Request) -> Response:
        container = self._container(grant, node)
        if container is not None:
            return JSONResponse({"id": node, "status_code": self._state(container), "status": "Practice"})
        photo = self._photos.find(grant.identifier, node) if self._photos else None
        if photo is not None and photo.details != "deleted":
            address = photo_address(photo, str(request.url).split("?")[0])
            return JSONResponse({"id": node, "images": [{"source": address}]})
        item = self._desk.ledger.find(self._platform.name, node)
        if item is None or item.account_identifier != grant.identifier:
            return _missing(node)
        return JSONResponse(_item(item, fields, str(request.base_url)))

    def _container(self, grant: Grant, number: str) -> Upload | None:
        place = int(number) - _FIRST_CONTAINER if number.isascii() and number.isdigit() else 0
        found = self._desk.uploads.find(self._platform.name, place) if 0 < place < 2**62 else None
        is_own = found is not None and found.account == grant.identifier
        return found if is_own and found is not None and found.purpose in {"reel", "image"} else None

    def _state(self, container: Upload) -> str:
        if container.used:
            return "PUBLISHED"
        if self._desk.uploads.age_s(container) > _EXPIRED_S:
            return "EXPIRED"
        if container.purpose == "image":
            return "FINISHED"
        if container.sha256 is None or not self._desk.uploads.is_ready(container):
            return "IN_PROGRESS"
        return "FINISHED" if container.kind in {"video/mp4", "video/quicktime"} else "ERROR"

    def _digest(self, container: Upload) -> str | None:
        if container.purpose == "reel":
            return container.sha256
        photo = self._desk.uploads.find(self._platform.name, json.loads(container.details)["photo"])
        return photo.sha256 if photo else None


def _photo_problem(photo: Upload) -> Response | None:
    if photo.kind != "image/jpeg":
        return error(36001, "The image format is not supported; it should be JPEG", 2207005)
    if photo.size > _LONGEST_PHOTO:
        return error(36000, "The image is too large to download; it should be less than 8 MiB", 2207004)
    if not _NARROWEST <= photo.width / max(photo.height, 1) <= _WIDEST:
        return error(36003, "The aspect ratio is not supported; it should be 4:5 to 1.91:1", 2207009)
    return None


def _missing(node: str) -> Response:
    return error(100, f"Unsupported request. Object with ID '{node}' does not exist", 33)


def _container_id(upload: Upload) -> str:
    return str(_FIRST_CONTAINER + upload.id)


def _item_id(number: int) -> str:
    return str(18_000_000_000_000_000 + number % 10**15)


def _item(publication: Publication, fields: set[str], base: str) -> dict[str, Any]:
    moment = datetime.fromisoformat(publication.received_at).astimezone(UTC)
    item = {
        "id": publication.content_id,
        "caption": publication.text,
        "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%S+0000"),
        "permalink": f"{base}published/instagram/{publication.content_id}",
    }
    if not publication.text:
        del item["caption"]
    return {name: value for name, value in item.items() if name in fields}
