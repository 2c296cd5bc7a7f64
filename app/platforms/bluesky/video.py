"""Videos on their way to Bluesky, through the network's video service.

The service converts a video and stores the result on the account's server, with a token that allows nothing
else. It can't reach a server on this computer, which then takes the file itself.
Source: docs.bsky.app/docs/tutorials/video, as of 2026-11.
"""

from datetime import timedelta
from typing import Annotated, Final
from urllib.parse import quote, urlsplit

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from app.platforms.base import Cause, Clock, FailureKind, PlatformError, Publication
from app.platforms.bluesky.blobs import KEPT, Blob
from app.platforms.bluesky.calls import PdsApi
from app.platforms.bluesky.discovery import Directory
from app.platforms.bluesky.refusals import refused
from app.platforms.card import Hosts
from app.platforms.http import Answer, Call, PlatformHttp, bearer
from app.platforms.oauth import Token
from app.platforms.publication import file_of, recall, remember
from app.platforms.rest import unexpected, whole

_TOKEN_LASTS: Final = timedelta(minutes=30)
_FAILED: Final = "JOB_STATE_FAILED"
_KNOWN_ALREADY: Final = 409
"""Status for a file that the service has from an earlier upload; the response names that job."""
_UNNAMED: Final = "the service doesn't say why"


class _ServiceToken(BaseModel):
    token: Token


class _Job(BaseModel):
    """A video that the service has; ``blob`` once it's on the account's server."""

    id: Annotated[str, Field(alias="jobId", min_length=1, max_length=200)]
    state: Annotated[str, Field(max_length=100)] = ""
    blob: Blob | None = None
    error: str | None = None
    message: str | None = None


class _JobAnswer(BaseModel):
    job: Annotated[_Job, Field(alias="jobStatus")]


class _Sent(BaseModel):
    """The job of a publication's video."""

    model_config = ConfigDict(extra="forbid")

    job_id: str
    at: AwareDatetime


class VideoService:
    """Uploads of one account."""

    def __init__(
        self, api: PdsApi, http: PlatformHttp, hosts: Hosts, directory: Directory, clock: Clock
    ) -> None:
        self._api = api
        self._http = http
        self._hosts = hosts
        self._directory = directory
        self._clock = clock

    async def upload(self, publication: Publication) -> Blob | None:
        """Upload the video unless it's there, wait until it's converted, and return it.

        Returns None if the service can't reach the account's server. Raises PlatformError: INVALID if the
        video can't be converted, TRANSIENT if that takes too long; try again later.
        """
        sent = await recall(publication, "video", _Sent)
        if sent is None or self._clock() - sent.at >= KEPT:
            pds = await self._directory.pds_of(publication.account_identifier)
            if not self._can_reach(pds):
                return None
            sent = await self._sent(publication, pds)
        job_id = sent.job_id
        return await self._http.until(lambda: self._converted(job_id))

    def _can_reach(self, pds: str) -> bool:
        own, service = urlsplit(pds), urlsplit(self._hosts.videos)
        return own.scheme == "https" or own.hostname == service.hostname

    async def _sent(self, publication: Publication, pds: str) -> _Sent:
        token = await self._token(pds)
        call = Call(
            method="POST",
            url=f"{self._hosts.videos}/xrpc/app.bsky.video.uploadVideo",
            params={"did": publication.account_identifier, "name": f"{publication.post_id}.mp4"},
            headers=bearer(token),
            body=whole(file_of(publication)),
            secrets=(token,),
        )
        answer = await self._http.send(call)
        job = _job(answer)
        if job is None or not (answer.is_success or answer.status == _KNOWN_ALREADY):
            raise refused(answer, self._clock()) if not answer.is_success else unexpected(answer, "Bluesky")
        sent = _Sent(job_id=job.id, at=self._clock())
        await remember(publication, "video", sent)
        return sent

    async def _token(self, pds: str) -> str:
        """Return a token with which the service can store a file on the account's server."""
        asked = {
            "aud": f"did:web:{quote(urlsplit(pds).netloc, safe='')}",
            "lxm": "com.atproto.repo.uploadBlob",
            "exp": str(int((self._clock() + _TOKEN_LASTS).timestamp())),
        }
        return (await self._api.get("com.atproto.server.getServiceAuth", _ServiceToken, asked)).token

    async def _converted(self, job_id: str) -> Blob | None:
        """Return the stored video; None while it's being converted."""
        url = f"{self._hosts.videos}/xrpc/app.bsky.video.getJobStatus"
        answer = await self._http.send(Call(method="GET", url=url, params={"jobId": job_id}))
        if not answer.is_success:
            raise refused(answer, self._clock())
        job = _job(answer)
        if job is None:
            raise unexpected(answer, "Bluesky")
        if job.blob is None and job.state == _FAILED:
            code = answer.words(job.error or "video_failed")
            why = answer.words(job.message or job.error or _UNNAMED)
            message = f"Bluesky can't use the video: {why}"
            raise PlatformError(FailureKind.INVALID, code, message, cause=Cause.FILE)
        return job.blob


def _job(answer: Answer) -> _Job | None:
    """Read a job. Uploads answer without the field that the lexicon puts around it."""
    wrapped = answer.read(_JobAnswer)
    return wrapped.job if wrapped else answer.read(_Job)
