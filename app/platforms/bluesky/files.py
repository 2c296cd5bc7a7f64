"""Images on their way to Bluesky."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from app.contract.enums import PostingPlatform
from app.platforms.base import Chunks, Clock, Publication
from app.platforms.bluesky.calls import PdsApi
from app.platforms.http import Body
from app.platforms.publication import alt_text_of, file_of, recall, remember
from app.platforms.rest import whole

KEPT: Final = timedelta(minutes=50)
"""How long an uploaded file is counted on. Servers keep one that no post uses for an hour at least."""


class _Ref(BaseModel):
    model_config = ConfigDict(validate_by_name=True)

    link: Annotated[str, Field(alias="$link", pattern=r"^[a-z0-9]{8,128}$")]


class Blob(BaseModel):
    """A file as a record names it."""

    model_config = ConfigDict(validate_by_name=True)

    type: Annotated[Literal["blob"], Field(alias="$type")]
    ref: _Ref
    mime_type: Annotated[str, Field(alias="mimeType", max_length=100)]
    size: Annotated[int, Field(ge=0)]


class _UploadAnswer(BaseModel):
    blob: Blob


class _Uploaded(BaseModel):
    """A file that is there."""

    blob: Blob
    at: AwareDatetime


class BlueskyFiles:
    """Uploads; ``clock`` tells when a file is too old."""

    def __init__(self, api: PdsApi, clock: Clock) -> None:
        self._api = api
        self._clock = clock

    async def embed(self, publication: Publication) -> dict[str, object]:
        """Return what a record says of the publication's image, which is uploaded if it isn't yet."""
        media = file_of(publication)
        image: dict[str, object] = {
            "alt": alt_text_of(PostingPlatform("bluesky"), publication) or "",
            "image": (await self._uploaded(publication)).model_dump(by_alias=True),
        }
        if media.width and media.height:
            image["aspectRatio"] = {"width": media.width, "height": media.height}
        return {"$type": "app.bsky.embed.images", "images": [image]}

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
        """Upload the publication's image, unless it's there."""
        await self._uploaded(publication)

    async def _uploaded(self, publication: Publication) -> Blob:
        known = await recall(publication, "file", _Uploaded)
        if known is not None and self._clock() - known.at < KEPT:
            return known.blob
        await publication.departure.depart()
        body = whole(file_of(publication))
        answer = await self._api.post("com.atproto.repo.uploadBlob", _UploadAnswer, body=body)
        await remember(publication, "file", _Uploaded(blob=answer.blob, at=self._clock()))
        return answer.blob
