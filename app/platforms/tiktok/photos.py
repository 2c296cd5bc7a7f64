"""Photos on their way to TikTok (Direct Post): TikTok fetches them from an address that it is given.

One call publishes. TikTok shows no list in which a photo could be found whose announcement got no answer.
"""

from typing import Final

from pydantic import BaseModel

from app.platforms.base import FailureKind, PlatformError, Publication
from app.platforms.http import PlatformHttp
from app.platforms.refusals import unexpected
from app.platforms.steps import address_of, recall, remember
from app.platforms.tiktok.upload import Post, PublishId, Status, TikTokUpload

_LONGEST_TITLE: Final = 90


class _Announced(BaseModel):
    """A photo that TikTok was told of; ``publish_id`` is missing until it has answered."""

    publish_id: str | None = None


class _Accepted(BaseModel):
    publish_id: PublishId


class _AcceptedAnswer(BaseModel):
    data: _Accepted


class TikTokPhotos:
    """Direct Post with photos.

    Args:
        http: The way to TikTok.
        uploads: Knows the account and the progress of what it was told of.
        post: The way to TikTok's API.
    """

    def __init__(
        self,
        http: PlatformHttp,
        uploads: TikTokUpload,
        post: Post,
    ) -> None:
        self._http = http
        self._uploads = uploads
        self._post = post

    async def send_ahead(self, publication: Publication) -> None:
        """Makes sure that TikTok would take it; nothing can be sent before its time."""
        await address_of(publication)
        await self._uploads.post_info(publication)

    async def send_last(self, publication: Publication) -> str:
        """Tells TikTok of the photo, which publishes it; gives the id to ask with."""
        told = await recall(publication, "photo", _Announced)
        if told is not None and told.publish_id:
            return told.publish_id
        address = await address_of(publication)
        asked = await self._asked(publication, address)
        await remember(publication, "photo", _Announced())
        try:
            token, departure = publication.access_token, publication.departure
            answer = await self._post("post/publish/content/init", token, asked, departure)
        except PlatformError as error:
            if error.kind is not FailureKind.AMBIGUOUS:
                await self.forget(publication)
            raise
        accepted = answer.read(_AcceptedAnswer)
        if accepted is None:
            raise unexpected(answer, self._http.name)
        await remember(publication, "photo", _Announced(publish_id=accepted.data.publish_id))
        return accepted.data.publish_id

    async def is_unanswered(self, publication: Publication) -> bool:
        """Whether TikTok was told and nobody knows what it answered."""
        told = await recall(publication, "photo", _Announced)
        return told is not None and told.publish_id is None

    async def publish_id(self, publication: Publication) -> str | None:
        told = await recall(publication, "photo", _Announced)
        return told.publish_id if told else None

    async def status(self, publication: Publication) -> Status | None:
        """How far TikTok is; None when it was never told, or did not answer."""
        publish_id = await self.publish_id(publication)
        return await self._uploads.ask(publish_id, publication.access_token) if publish_id else None

    async def forget(self, publication: Publication) -> None:
        """Lets the next try begin anew, since TikTok has given this one up."""
        await publication.steps.put("photo", "")

    async def _asked(self, publication: Publication, address: str) -> dict[str, object]:
        post = await self._uploads.post_info(publication)
        if publication.title:
            post["title"] = publication.title[:_LONGEST_TITLE]
        if publication.text:
            post["description"] = publication.text
        return {
            "post_info": post,
            "source_info": {"source": "PULL_FROM_URL", "photo_images": [address], "photo_cover_index": 0},
            "post_mode": "DIRECT_POST",
            "media_type": "PHOTO",
        }
