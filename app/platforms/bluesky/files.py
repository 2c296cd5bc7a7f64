"""Images and videos on their way to Bluesky."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from pydantic import AwareDatetime, BaseModel

from app.contract.enums import PostingPlatform, PostType
from app.platforms.base import Chunks, Clock, Publication
from app.platforms.bluesky.blobs import KEPT, Blob
from app.platforms.bluesky.calls import PdsApi
from app.platforms.bluesky.video import VideoService
from app.platforms.http import Body
from app.platforms.publication import alt_text_of, file_of, recall, remember
from app.platforms.rest import whole

_VIDEO_ALT_MAX: Final = 1_000
"""Lexicon app.bsky.embed.video; that of images allows more."""


class _UploadAnswer(BaseModel):
    blob: Blob


class _Uploaded(BaseModel):
    """A file that is there."""

    blob: Blob
    at: AwareDatetime


class BlueskyFiles:
    """Uploads; ``clock`` tells when a file is too old."""

    def __init__(self, api: PdsApi, videos: VideoService, clock: Clock) -> None:
        self._api = api
        self._videos = videos
        self._clock = clock

    async def embed(self, publication: Publication) -> dict[str, object]:
        """Return what a record says of the publication's file, which is uploaded if it isn't yet."""
        media, alt = file_of(publication), alt_text_of(PostingPlatform("bluesky"), publication) or ""
        blob = (await self._uploaded(publication)).model_dump(by_alias=True)
        ratio: dict[str, object] = {}
        if media.width and media.height:
            ratio = {"aspectRatio": {"width": media.width, "height": media.height}}
        if publication.post_type is PostType.VIDEO:
            return {"$type": "app.bsky.embed.video", "video": blob, "alt": alt[:_VIDEO_ALT_MAX], **ratio}
        return {"$type": "app.bsky.embed.images", "images": [{"alt": alt, "image": blob, **ratio}]}

    async def upload_bytes(self, content: bytes, content_type: str) -> Blob:
        """Upload a small file."""

        @asynccontextmanager
        async def opened() -> AsyncIterator[Chunks]:
            async def chunks() -> Chunks:
                yield content

            yield chunks()

        body = Body(content_type, len(content), opened)
        return (await self._api.post("com.atproto.repo.uploadBlob", _UploadAnswer, body=body)).blob

    async def upload(self, publication: Publication) -> None:
        """Upload the publication's file, unless it's there."""
        await self._uploaded(publication)

    async def _uploaded(self, publication: Publication) -> Blob:
        known = await recall(publication, "file", _Uploaded)
        if known is not None and self._clock() - known.at < KEPT:
            return known.blob
        await publication.departure.depart()
        blob = await self._videos.upload(publication) if publication.post_type is PostType.VIDEO else None
        if blob is None:
            body = whole(file_of(publication))
            blob = (await self._api.post("com.atproto.repo.uploadBlob", _UploadAnswer, body=body)).blob
        await remember(publication, "file", _Uploaded(blob=blob, at=self._clock()))
        return blob
