"""Uploading videos to YouTube, in sessions whose progress can be queried.

The last byte of a session publishes; everything before it can be sent ahead of time.
"""

import re
from collections.abc import Callable
from typing import Annotated, Final

from pydantic import AwareDatetime, BaseModel, Field

from app.platforms.base import Clock, Departure, FailureKind, Media, PlatformError, Publication
from app.platforms.card import Hosts
from app.platforms.http import Answer, Body, Call, PlatformHttp, bearer
from app.platforms.publication import file_of, recall, remember, usable
from app.platforms.rest import part_of, unexpected

_UNIT: Final = 256 * 1024  # chunks are multiples of it, except the last
_CHUNK: Final = 32 * _UNIT
_LONGEST_TITLE: Final = 100
_RANGE: Final = re.compile(r"bytes=0-(\d{1,13})", re.ASCII)
_PEOPLE_AND_BLOGS: Final = "22"
_INCOMPLETE: Final = 308
_GONE: Final = frozenset({404, 410})


class _Session(BaseModel):
    """An upload. Its size is kept because the user may delete the file while the outcome is unknown."""

    address: str
    begun_at: AwareDatetime
    size: int | None = None


class _Video(BaseModel):
    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


class YouTubeUpload:
    """Resumable uploads.

    Args:
        http: Calls YouTube.
        hosts: YouTube's hosts.
        clock: Tells whether a session has expired.
        refused: Converts an error response.
    """

    def __init__(
        self, http: PlatformHttp, hosts: Hosts, clock: Clock, refused: Callable[[Answer], PlatformError]
    ) -> None:
        self._http = http
        self._hosts = hosts
        self._clock = clock
        self._refused = refused

    async def send_ahead(self, publication: Publication) -> str | None:
        """Send everything but a small last chunk; return the video's id if it is already complete."""
        media = file_of(publication)
        session = await recall(publication, "session", _Session)
        await publication.departure.depart()
        there = await self._ask_session(publication, session) if session else None
        if session is None or there is None:
            session, there = await self._begin(publication), 0
        while isinstance(there, int) and (left := media.size - there) > _UNIT:
            size = min(_CHUNK, (left - 1) // _UNIT * _UNIT)
            there = await self._send(publication, session, media, there, size)
        return there if isinstance(there, str) else None

    async def send_last(self, publication: Publication) -> str:
        """Send the rest, which publishes, and return the video's id; AMBIGUOUS if the response is lost."""
        if (done := await self.send_ahead(publication)) is not None:
            return done
        media = file_of(publication)
        session = await recall(publication, "session", _Session)
        there = await self._ask_session(publication, session) if session else None
        if session is None or there is None:
            raise PlatformError(FailureKind.TRANSIENT, "session", "YouTube has ended the upload session.")
        if isinstance(there, int) and there < media.size:
            there = await self._send(
                publication, session, media, there, media.size - there, publication.departure
            )
        if isinstance(there, str):
            return there
        if there >= media.size:
            message = "YouTube has the whole video, but hasn't published it yet."
            raise PlatformError(FailureKind.AMBIGUOUS, "unfinished", message)
        raise PlatformError(FailureKind.TRANSIENT, "incomplete", "YouTube didn't keep the whole file.")

    async def find(self, publication: Publication) -> str | int | None:
        """Return the video's id, or the number of uploaded bytes; None if it may be published or not.

        The session may no longer exist, or YouTube may be finishing it, as it has all bytes.
        """
        session = await recall(publication, "session", _Session)
        there = await self._ask_session(publication, session) if session else None
        is_whole = session is not None and isinstance(there, int) and there >= _size(publication, session)
        return None if is_whole else there

    async def set_thumbnail(self, video_id: str, token: str, picture: Body) -> None:
        """Set a picture as the cover instead of YouTube's choice. May be repeated."""
        call = Call(
            method="POST",
            url=f"{self._hosts.api}/upload/youtube/{self._hosts.version}/thumbnails/set",
            params={"uploadType": "media", "videoId": video_id},
            headers=bearer(token),
            body=picture,
            secrets=(token,),
        )
        answer = await self._http.send(call)
        if not answer.is_success:
            raise self._refused(answer)

    async def _begin(self, publication: Publication) -> _Session:
        media, token = file_of(publication), publication.access_token
        call = Call(
            method="POST",
            url=f"{self._hosts.api}/upload/youtube/{self._hosts.version}/videos",
            params={"uploadType": "resumable", "part": "snippet,status"},
            headers={
                **bearer(token),
                "X-Upload-Content-Type": media.content_type,
                "X-Upload-Content-Length": str(media.size),
            },
            json=_about(publication),
            secrets=(token,),
        )
        answer = await self._http.send(call)
        if not answer.is_success:
            raise self._refused(answer)
        address = answer.headers.get("location", "")
        if not self._hosts.takes_files(address):
            raise unexpected(answer, self._http.name)
        session = _Session(address=address, begun_at=self._clock(), size=media.size)
        await remember(publication, "session", session)
        return session

    async def _ask_session(self, publication: Publication, session: _Session) -> str | int | None:
        if not usable(session.begun_at, self._clock):
            return None
        headers = {
            **bearer(publication.access_token),
            "Content-Range": f"bytes */{_size(publication, session)}",
            "Content-Length": "0",
        }
        secrets = (publication.access_token,)
        return self._progress(
            await self._http.send(Call(method="PUT", url=session.address, headers=headers, secrets=secrets))
        )

    async def _send(
        self,
        publication: Publication,
        session: _Session,
        media: Media,
        first: int,
        size: int,
        creating: Departure | None = None,
    ) -> str | int:
        call = Call(
            method="PUT",
            url=session.address,
            headers={
                **bearer(publication.access_token),
                "Content-Range": f"bytes {first}-{first + size - 1}/{media.size}",
            },
            body=part_of(media, first, size),
            creating=creating,
            secrets=(publication.access_token,),
        )
        progress = self._progress(await self._http.send(call))
        if progress is None:
            raise PlatformError(FailureKind.TRANSIENT, "session", "YouTube has ended the upload session.")
        return progress

    def _progress(self, answer: Answer) -> str | int | None:
        """Return the id of a complete video, or the number of uploaded bytes; None for an unknown session."""
        if answer.is_success:
            video = answer.read(_Video)
            if video is None:
                raise unexpected(answer, self._http.name)
            return video.id
        if answer.status == _INCOMPLETE:
            kept = _RANGE.fullmatch(answer.headers.get("range", ""))
            return int(kept.group(1)) + 1 if kept else 0
        if answer.status in _GONE:
            return None
        raise self._refused(answer)


def _size(publication: Publication, session: _Session) -> int:
    return file_of(publication).size if session.size is None else session.size


def _about(publication: Publication) -> dict[str, object]:
    first_line = publication.text.strip().partition("\n")[0][:_LONGEST_TITLE].strip()
    return {
        "snippet": {
            "title": publication.title or first_line,
            "description": publication.text,
            "categoryId": _PEOPLE_AND_BLOGS,
        },
        "status": {"privacyStatus": "public", "selfDeclaredMadeForKids": False},
    }
