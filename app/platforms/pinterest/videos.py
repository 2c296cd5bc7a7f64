"""Uploading videos to Pinterest's storage, with a form that Pinterest provides."""

from pydantic import AwareDatetime, BaseModel

from app.platforms.base import Cause, Clock, FailureKind, PlatformError, Publication
from app.platforms.bodies import in_form, whole
from app.platforms.pinterest.rest import PinterestId, PinterestRest
from app.platforms.publication import file_of, recall, remember, usable
from app.platforms.responses import no_address


class _Registered(BaseModel):
    media_id: PinterestId
    upload_url: str
    upload_parameters: dict[str, str]


class _Session(BaseModel):
    """A registered upload; ``sent`` once all bytes are uploaded."""

    target: _Registered
    begun_at: AwareDatetime
    sent: bool = False


class _Status(BaseModel):
    status: str


class PinterestVideos:
    """The media endpoints."""

    def __init__(self, rest: PinterestRest, clock: Clock) -> None:
        self._rest = rest
        self._clock = clock

    async def id_of(self, publication: Publication) -> str:
        """Upload the publication's video, wait until it is processed, and return its id."""
        session = await recall(publication, "session", _Session)
        await publication.departure.depart()
        if session is None or not usable(session.begun_at, self._clock):
            session = await self._begin(publication)
        if not session.sent:
            session = await self._send(publication, session)
        media_id = session.target.media_id
        await self._rest.http.until(lambda: self._processed(media_id, publication.access_token))
        return media_id

    async def _begin(self, publication: Publication) -> _Session:
        asked = {"media_type": "video"}
        target = await self._rest.post("media", publication.access_token, _Registered, json=asked)
        session = _Session(target=target, begun_at=self._clock())
        await remember(publication, "session", session)
        return session

    async def _send(self, publication: Publication, session: _Session) -> _Session:
        target = session.target
        if not self._rest.hosts.takes_files(target.upload_url):
            raise no_address(self._rest.http.name)
        body = in_form(target.upload_parameters, "file", "video", whole(file_of(publication)))
        try:
            await self._rest.send_form(target.upload_url, body)
        except PlatformError as error:
            if error.kind is not FailureKind.PERMISSION:
                raise
            # The form has expired or lacks a field, so another one is needed.
            await publication.steps.put("session", "")
            raise PlatformError(FailureKind.TRANSIENT, error.code, error.message) from None
        session = session.model_copy(update={"sent": True})
        await remember(publication, "session", session)
        return session

    async def _processed(self, media_id: str, token: str) -> bool | None:
        status = (await self._rest.get(f"media/{media_id}", token, _Status)).status
        if status == "failed":
            message = "Pinterest couldn't process the video."
            raise PlatformError(FailureKind.INVALID, status, message, cause=Cause.FILE)
        return True if status == "succeeded" else None
