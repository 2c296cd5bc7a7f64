"""Files on their way to a server."""

import re
from typing import Final

from pydantic import AwareDatetime, BaseModel

from app.contract.enums import PostingPlatform
from app.platforms.base import Clock, Publication
from app.platforms.http import PlatformHttp
from app.platforms.mastodon.statuses import Id
from app.platforms.publication import alt_text_of, file_of, recall, remember, usable
from app.platforms.rest import RestApi, in_form, unexpected, whole

_PROCESSING: Final = 206
_ACCEPTED: Final = 202
_NO_SUCH_CALL: Final = frozenset({404, 405})
_KIND: Final = re.compile(r"[a-z0-9]{1,10}")


class _Attachment(BaseModel):
    id: Id
    url: str | None = None


class _Uploaded(BaseModel):
    """A file that is on the server; ``is_ready`` once it's processed.

    ``alt_text`` is None if it wasn't noted. If it has changed, the file must be uploaded again.
    """

    id: Id
    at: AwareDatetime
    is_ready: bool = False
    alt_text: str | None = None


class MastodonFiles:
    """Uploads to one server."""

    def __init__(self, first: RestApi, second: RestApi, clock: Clock) -> None:
        """``first`` and ``second`` are the versions of the server's API."""
        self._first = first
        self._second = second
        self._clock = clock

    async def upload(self, publication: Publication, token: str) -> str:
        """Upload the publication's file unless it's there, wait until it's processed, and return its ID."""
        known = await recall(publication, "file", _Uploaded)
        is_usable = (
            known is not None
            and usable(known.at, self._clock)
            and known.alt_text in {None, _alt_text(publication)}
        )
        there = known if known and is_usable else await self._sent(publication, token)
        if not there.is_ready:
            await publication.departure.depart()
            await self._http.until(lambda: self._is_processed(there.id, token))
            await remember(publication, "file", there.model_copy(update={"is_ready": True}))
        return there.id

    @property
    def _http(self) -> PlatformHttp:
        return self._first.http

    async def _sent(self, publication: Publication, token: str) -> _Uploaded:
        await publication.departure.depart()
        media = file_of(publication)
        described = _alt_text(publication)
        fields = {"description": described} if described else {}
        kind = _KIND.match(media.content_type.rpartition("/")[2])
        body = in_form(fields, "file", f"file.{kind[0] if kind else 'bin'}", whole(media))
        answer = await self._second.ask(self._second.call("POST", "media", token, body=body))
        attachment = answer.read(_Attachment)
        if attachment is None:
            raise unexpected(answer, self._http.name)
        is_ready = answer.status != _ACCEPTED and attachment.url is not None
        sent = _Uploaded(id=attachment.id, at=self._clock(), is_ready=is_ready, alt_text=described)
        await remember(publication, "file", sent)
        return sent

    async def _is_processed(self, media_id: str, token: str) -> bool | None:
        """Return True once the file is processed, None while it isn't."""
        call = self._first.call("GET", f"media/{media_id}", token)
        answer = await self._http.send(call)
        if answer.status == _PROCESSING:
            return None
        if answer.is_success or answer.status in _NO_SUCH_CALL:
            return True  # Pixelfed has no such call; a file that is gone is refused with the status
        raise self._first.refused(answer)


def _alt_text(publication: Publication) -> str:
    """Return the file's alt text; empty if it has none."""
    return alt_text_of(PostingPlatform("mastodon"), publication) or ""
