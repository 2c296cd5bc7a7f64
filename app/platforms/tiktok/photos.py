"""Photos on TikTok, which fetches them from our public address.

A single call publishes (Direct Post), or puts the photo into the user's inbox. If its response is lost,
TikTok has no list to find the photo in.
"""

from typing import Final

from pydantic import BaseModel

from app.platforms.base import FailureKind, PlatformError, Publication
from app.platforms.http import PlatformHttp
from app.platforms.publication import address_of, recall, remember
from app.platforms.rest import unexpected
from app.platforms.tiktok.upload import Post, PublishId, Status, TikTokUpload

_LONGEST_TITLE: Final = 90  # in UTF-16 units


class _Announced(BaseModel):
    """A photo announced to TikTok; ``publish_id`` is missing until it has responded."""

    publish_id: str | None = None


class _Accepted(BaseModel):
    publish_id: PublishId


class _AcceptedAnswer(BaseModel):
    data: _Accepted


class TikTokPhotos:
    """Photos, published or sent to the user's inbox.

    Args:
        http: Calls TikTok.
        uploads: Returns the creator's options and the status of posts.
        post: Calls TikTok's API.
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
        """Check that TikTok would accept the photo; nothing can be sent ahead of time."""
        await address_of(publication)
        if not publication.to_inbox:
            await self._uploads.post_info(publication)

    async def send_last(self, publication: Publication) -> str:
        """Announce the photo to TikTok, which publishes it; return its publish id."""
        announced = await recall(publication, "photo", _Announced)
        if announced is not None and announced.publish_id:
            return announced.publish_id
        address = await address_of(publication)
        asked = await self._asked(publication, address)
        await remember(publication, "photo", _Announced())
        token, departure = publication.access_token, publication.departure
        try:
            answer = await self._post("post/publish/content/init", token, asked, departure)
        except PlatformError as error:
            # Otherwise, another process may have announced it again.
            if error.kind is not FailureKind.AMBIGUOUS and departure.holds():
                await self.forget(publication)
            raise
        accepted = answer.read(_AcceptedAnswer)
        if accepted is None:
            raise unexpected(answer, self._http.name)
        await remember(publication, "photo", _Announced(publish_id=accepted.data.publish_id))
        return accepted.data.publish_id

    async def is_unanswered(self, publication: Publication) -> bool:
        """Whether the photo was announced and the response was lost."""
        announced = await recall(publication, "photo", _Announced)
        return announced is not None and announced.publish_id is None

    async def publish_id(self, publication: Publication) -> str | None:
        announced = await recall(publication, "photo", _Announced)
        return announced.publish_id if announced else None

    async def status(self, publication: Publication) -> Status | None:
        """Return TikTok's status; None if the photo wasn't announced, or the response was lost."""
        publish_id = await self.publish_id(publication)
        return await self._uploads.ask(publish_id, publication.access_token) if publish_id else None

    async def forget(self, publication: Publication) -> None:
        """Make the next attempt start over, because TikTok failed to process this one."""
        await publication.steps.put("photo", "")

    async def _asked(self, publication: Publication, address: str) -> dict[str, object]:
        to_inbox = publication.to_inbox
        post = {} if to_inbox else await self._uploads.post_info(publication)
        await publication.departure.depart()
        if publication.title:
            post["title"] = _cut(publication.title)
        if publication.text:
            post["description"] = publication.text
        return {
            "post_info": post,
            "source_info": {"source": "PULL_FROM_URL", "photo_images": [address], "photo_cover_index": 0},
            "post_mode": "MEDIA_UPLOAD" if to_inbox else "DIRECT_POST",
            "media_type": "PHOTO",
        }


def _cut(title: str) -> str:
    """Return the beginning of a title that TikTok accepts, in whole characters."""
    units = title.encode("utf-16-le", "surrogatepass")[: 2 * _LONGEST_TITLE]
    return units.decode("utf-16-le", "ignore")
