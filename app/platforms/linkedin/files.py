"""Uploading pictures and videos to LinkedIn."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar
from urllib.parse import quote

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from app.contract.enums import PostingPlatform
from app.platforms.base import Cause, Clock, FailureKind, Media, PlatformError, Publication
from app.platforms.http import Answer, Body, Call, bearer, plain_words
from app.platforms.linkedin.rest import EXPIRED_ADDRESS, LinkedInRest
from app.platforms.publication import cover_of, file_of, pass_on_cover, recall, remember, usable
from app.platforms.rest import no_address, part_of, unexpected, whole

_Urn = Annotated[str, Field(pattern=r"^urn:li:(image|video|digitalmediaAsset):[A-Za-z0-9_-]+$")]
# How many first delays to wait after the last byte if the status can't be read; pictures are faster.
_GRACE = {"images": 5, "videos": 10}
M = TypeVar("M", bound=BaseModel)


class _ImageTarget(BaseModel):
    image: _Urn
    upload_url: str = Field(alias="uploadUrl")


class _ImageAnswer(BaseModel):
    value: _ImageTarget


class _Instruction(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    address: str = Field(alias="uploadUrl")
    first: int = Field(alias="firstByte", ge=0)
    last: int = Field(alias="lastByte", ge=0)


class _VideoTarget(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    video: _Urn
    token: str = Field(default="", alias="uploadToken")
    parts: list[_Instruction] = Field(alias="uploadInstructions", min_length=1)
    thumbnail_address: str = Field(default="", alias="thumbnailUploadUrl")


class _VideoAnswer(BaseModel):
    value: _VideoTarget


class _Session(BaseModel):
    """An upload in progress, with LinkedIn's instructions. ``cover_ms`` is the cover it was started with."""

    target: _VideoTarget
    begun_at: AwareDatetime
    cover_ms: int | None = None


class _Sent(BaseModel):
    """The ETags that LinkedIn returned for the uploaded parts, in order."""

    tags: list[str] = []


class _Uploaded(BaseModel):
    urn: str
    at: AwareDatetime
    settled: bool = False


class _Asset(BaseModel):
    status: str
    reason: str | None = Field(default=None, alias="processingFailureReason")


class LinkedInFiles:
    """The endpoints for pictures and videos."""

    def __init__(self, rest: LinkedInRest, clock: Clock) -> None:
        self._rest = rest
        self._clock = clock

    async def image(self, publication: Publication) -> str:
        """Upload the publication's picture and return its URN."""
        return await self._uploaded("images", publication, self._send_image)

    async def video(self, publication: Publication) -> str:
        """Upload the publication's video and return its URN."""
        return await self._uploaded("videos", publication, self._resume_video)

    async def brought(self, publication: Publication) -> str | None:
        """Return the URN of the publication's uploaded file, if any."""
        uploaded = await recall(publication, "file", _Uploaded)
        return uploaded.urn if uploaded else None

    async def _uploaded(
        self, kind: str, publication: Publication, send: Callable[[Publication], Awaitable[str]]
    ) -> str:
        uploaded = await recall(publication, "file", _Uploaded)
        if uploaded is None or not usable(uploaded.at, self._clock):
            await publication.departure.depart()
            uploaded = _Uploaded(urn=await send(publication), at=self._clock())
            await remember(publication, "file", uploaded)
        if not uploaded.settled:
            await publication.departure.depart()
            await self._settle(kind, uploaded, publication.access_token)
            await remember(publication, "file", uploaded.model_copy(update={"settled": True}))
        return uploaded.urn

    async def _send_image(self, publication: Publication) -> str:
        media, token = file_of(publication), publication.access_token
        asked = {"owner": publication.account_identifier}
        answer = await self._begin("images", {"initializeUploadRequest": asked}, token)
        target = self._read(answer, _ImageAnswer).value
        await self._rest.ask(self._put(target.upload_url, media, 0, media.size, token))
        return target.image

    async def _resume_video(self, publication: Publication) -> str:
        """Continue the upload in progress, or start over if LinkedIn no longer accepts it."""
        session = await recall(publication, "session", _Session)
        is_same = session is not None and session.cover_ms == _cover(publication)
        if session is not None and is_same and usable(session.begun_at, self._clock):
            try:
                return await self._send_video(publication, session.target)
            except PlatformError as error:
                if error.kind is not FailureKind.INVALID and error.code != EXPIRED_ADDRESS:
                    raise
        return await self._send_video(publication, await self._begin_video(publication))

    async def _begin_video(self, publication: Publication) -> _VideoTarget:
        """Start an upload and send its cover; if the cover is refused, start another one without.

        An upload that was only started stays invisible.
        """
        begun: list[_VideoTarget] = []

        async def send(picture: Body) -> None:
            target = await self._announce_video(publication, with_thumbnail=True)
            await self._put_thumbnail(target.thumbnail_address, picture)
            begun.append(target)

        if not await pass_on_cover(PostingPlatform.LINKEDIN, publication, send):
            begun = [await self._announce_video(publication, with_thumbnail=False)]
        [target] = begun
        session = _Session(target=target, begun_at=self._clock(), cover_ms=_cover(publication))
        await remember(publication, "sent", _Sent())
        await remember(publication, "session", session)
        return target

    async def _announce_video(self, publication: Publication, *, with_thumbnail: bool) -> _VideoTarget:
        media = file_of(publication)
        asked = {
            "owner": publication.account_identifier,
            "fileSizeBytes": media.size,
            "uploadCaptions": False,
            "uploadThumbnail": with_thumbnail,
        }
        answer = await self._begin("videos", {"initializeUploadRequest": asked}, publication.access_token)
        target = self._read(answer, _VideoAnswer).value
        if any(part.last < part.first or part.last >= media.size for part in target.parts):
            raise unexpected(answer, self._rest.http.name)
        return target

    async def _put_thumbnail(self, address: str, picture: Body) -> None:
        """Send the cover. Its URL is a secret in itself, like those of the parts."""
        if not self._rest.hosts.takes_files(address):
            raise no_address(self._rest.http.name)
        headers = {"Content-Type": "application/octet-stream", "media-type-family": "STILLIMAGE"}
        await self._rest.ask(Call(method="PUT", url=address, headers=headers, body=picture))

    async def _send_video(self, publication: Publication, target: _VideoTarget) -> str:
        media, token = file_of(publication), publication.access_token
        sent = await recall(publication, "sent", _Sent) or _Sent()
        for part in target.parts[len(sent.tags) :]:
            # These URLs are secrets in themselves, so the parts are sent without a token.
            call = self._put(part.address, media, part.first, part.last + 1 - part.first, None)
            answer = await self._send_part(call)
            sent.tags.append(answer.headers.get("etag", "").strip('"'))
            await remember(publication, "sent", sent)
        asked = {"video": target.video, "uploadToken": target.token, "uploadedPartIds": sent.tags}
        params = {"action": "finalizeUpload"}
        body = {"finalizeUploadRequest": asked}
        await self._rest.ask(self._rest.call("POST", "videos", token, params=params, json=body))
        return target.video

    async def _send_part(self, call: Call) -> Answer:
        """Send a part without a token, so that a refusal is about its address and not about the account."""
        try:
            return await self._rest.ask(call)
        except PlatformError as error:
            if error.kind in {FailureKind.AUTH_EXPIRED, FailureKind.PERMISSION}:
                raise PlatformError(FailureKind.TRANSIENT, EXPIRED_ADDRESS, error.message) from error
            raise

    async def _begin(self, kind: str, body: dict[str, object], token: str) -> Answer:
        params = {"action": "initializeUpload"}
        return await self._rest.ask(self._rest.call("POST", kind, token, params=params, json=body))

    def _put(self, address: str, media: Media, first: int, size: int, token: str | None) -> Call:
        if not self._rest.hosts.takes_files(address):
            raise no_address(self._rest.http.name)
        return Call(
            method="PUT",
            url=address,
            headers=bearer(token) if token else {},
            body=part_of(media, first, size, "application/octet-stream") if not token else whole(media),
            secrets=(token,) if token else (),
        )

    async def _settle(self, kind: str, uploaded: _Uploaded, token: str) -> None:
        """Wait until LinkedIn has processed the file, if the app may read its status.

        Apps that LinkedIn hasn't approved may not, so they only wait briefly. A post that comes too early is
        certainly refused, and retried.
        """
        try:
            await self._rest.http.until(lambda: self._available(kind, uploaded.urn, token))
        except PlatformError as error:
            if error.kind is not FailureKind.PERMISSION:
                raise
            passed = (self._clock() - uploaded.at).total_seconds()
            await asyncio.sleep(_GRACE[kind] * self._rest.http.timeouts.first_look - max(passed, 0.0))

    async def _available(self, kind: str, urn: str, token: str) -> bool | None:
        answer = await self._rest.ask(self._rest.call("GET", f"{kind}/{quote(urn, safe='')}", token))
        asset = self._read(answer, _Asset)
        if asset.status == "PROCESSING_FAILED":
            message = asset.reason or "LinkedIn couldn't process the file."
            raise PlatformError(FailureKind.INVALID, asset.status, plain_words(message), cause=Cause.FILE)
        return True if asset.status == "AVAILABLE" else None

    def _read(self, answer: Answer, model: type[M]) -> M:
        found = answer.read(model)
        if found is None:
            raise unexpected(answer, self._rest.http.name)
        return found


def _cover(publication: Publication) -> int | None:
    return cover_of(PostingPlatform.LINKEDIN, publication)
