"""Calls to Pinterest's API v5, its error responses, and uploading videos to its storage."""

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import AwareDatetime, BaseModel, Field

from app.platforms.base import Cause, Clock, FailureKind, PlatformError, Publication
from app.platforms.card import Hosts
from app.platforms.http import Answer, Body, Call, PlatformHttp
from app.platforms.publication import file_of, recall, remember, usable
from app.platforms.rest import RestApi, in_form, kind_of, no_address, retry_after, whole

# Words in error messages, the more specific ones first.
_WORDS: Final[Mapping[str, Cause]] = {
    "board": Cause.BOARD,
    "cover": Cause.FILE,
    "image": Cause.FILE,
    "video": Cause.FILE,
    "link": Cause.LINK,
    "title": Cause.TITLE,
    "description": Cause.TEXT,
}
PinterestId = Annotated[str, Field(pattern=r"^\d{1,25}$")]


class Refusal(BaseModel):
    """The body of every error response."""

    code: int | None = None
    message: str | None = None


class PinterestRest(RestApi):
    """Calls with an access token."""

    def __init__(self, http: PlatformHttp, hosts: Hosts) -> None:
        super().__init__(http, f"{hosts.api}/{hosts.version}", refused)
        self.hosts = hosts

    async def send_form(self, address: str, body: Body) -> None:
        """Upload a file to Pinterest's storage, which authenticates by the form's fields."""
        await self.ask(Call(method="POST", url=address, body=body))


def refused(answer: Answer) -> PlatformError:
    """Convert an error response."""
    refusal = answer.read(Refusal) or Refusal()
    message = refusal.message or f"Pinterest answered {answer.status}."
    code = f"http_{answer.status}" if refusal.code is None else str(refusal.code)
    kind, cause = _meaning(answer, message.lower())
    return PlatformError(
        kind, answer.words(code), answer.words(message), retry_after=_wait(answer), cause=cause
    )


def _meaning(answer: Answer, message: str) -> tuple[FailureKind, Cause | None]:
    """Interpret the message, because Pinterest's error numbers aren't documented."""
    if answer.status == 429 and "spam" in message:
        return FailureKind.QUOTA, Cause.SPAM  # a short wait doesn't help
    if answer.status == 403 and "trial access" in message:
        return FailureKind.PERMISSION, Cause.TRIAL
    if answer.status == 401 and "consumer type" in message:
        return FailureKind.PERMISSION, Cause.TRIAL  # not the account's token: the app itself isn't approved
    if answer.status == 400 and "unable to reach the url" in message:
        return FailureKind.TRANSIENT, Cause.FILE_ADDRESS
    kind = kind_of(answer)
    if kind is FailureKind.INVALID:
        return kind, next((cause for word, cause in _WORDS.items() if word in message), None)
    return kind, None


def _wait(answer: Answer) -> float | None:
    """Return the seconds until calls are accepted again, from the standard header or Pinterest's own."""
    reset = answer.headers.get("x-ratelimit-reset", "")
    if answer.status == 429 and reset.isascii() and reset.isdigit() and len(reset) < 8:
        return float(reset)
    return retry_after(answer)


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
