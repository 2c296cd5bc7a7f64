"""Photos uploaded to a Page, to be published later or passed on to Instagram."""

import asyncio

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.practice.faults import Operation
from app.practice.platforms.base import PlatformError
from app.practice.platforms.graph import error
from app.practice.platforms.pages import PagesPlatform
from app.practice.uploads import TooLongError, Upload

_LONGEST = 10 * 1024 * 1024
_KINDS = frozenset({"image/jpeg", "image/png", "image/gif"})
_FIRST_ID = 122_100_000_000_000_000
_SUFFIX = ".jpg"
_REFUSED = "Invalid photo: it must be smaller than 10 MB and a JPEG, PNG or GIF file"


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
        number = int(photo_id) - _FIRST_ID if photo_id.isascii() and photo_id.isdigit() else 0
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
        if upload.kind not in _KINDS:
            return error(100, _REFUSED, 1366046)
        return JSONResponse({"id": photo_id(upload)})


def photo_id(upload: Upload) -> str:
    return str(_FIRST_ID + upload.id)


def photo_address(upload: Upload, base: str) -> str:
    """Return the URL of a photo. Its bytes aren't stored here."""
    return f"{base}/cdn/{upload.key}{_SUFFIX}"
