"""Uploading videos to TikTok: announced with their properties, sent in chunks, then checked.

The last chunk publishes (Direct Post), or puts the video into the user's inbox. All others can be sent ahead
of time.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Final, Protocol, TypeVar

from pydantic import AwareDatetime, BaseModel, Field

from app.contract.enums import PostingPlatform
from app.contract.tiktok import TikTokChoice, TikTokCreator, TikTokPrivacy
from app.platforms.base import Cause, Clock, Departure, FailureKind, Media, PlatformError, Publication
from app.platforms.card import Hosts
from app.platforms.http import Answer, Call, PlatformHttp
from app.platforms.publication import cover_of, file_of, recall, remember
from app.platforms.rest import kind_of, part_of, unexpected
from app.platforms.rules.tiktok import PRIVACY, UNDECIDED, choice_issues, post_info

M = TypeVar("M", bound=BaseModel)

_MIB: Final = 1024 * 1024
_CHUNK: Final = 5 * _MIB  # the minimum, so that little is left for the last one
# The upload URL is valid for an hour.
USABLE: Final = timedelta(minutes=50)
# 401, 403: the URL has expired, or all bytes are there. 416: the chunk is already there.
_NOT_WANTED: Final = ("http_401", "http_403", "http_416")
_MOST_OPTIONS: Final = 100

PUBLISHED: Final = "PUBLISH_COMPLETE"
IN_INBOX: Final = "SEND_TO_USER_INBOX"
FAILED: Final = "FAILED"
OVER: Final = frozenset({PUBLISHED, IN_INBOX, FAILED})
"""Statuses after which nothing is left to do for TikTok."""


class _Creator(BaseModel):
    """The account's current options, and those that it has disabled for all its posts."""

    creator_nickname: str | None = None
    creator_username: str | None = None
    privacy_level_options: Annotated[list[str], Field(max_length=_MOST_OPTIONS)]
    max_video_post_duration_sec: Annotated[int, Field(ge=0)] | None = None
    comment_disabled: bool = False
    duet_disabled: bool = False
    stitch_disabled: bool = False


class _CreatorAnswer(BaseModel):
    data: _Creator


PublishId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.~-]{1,128}$")]


class _Target(BaseModel):
    publish_id: PublishId
    upload_url: str


class _TargetAnswer(BaseModel):
    data: _Target


class _Session(BaseModel):
    """An announced video; ``sent`` of its ``count`` chunks are uploaded."""

    target: _Target
    begun_at: AwareDatetime
    chunk_size: int
    count: int
    sent: int = 0
    cover_ms: int | None = None
    choice: TikTokChoice | None = None
    to_inbox: bool = False


class Status(BaseModel):
    """TikTok's status of a post: one of ``OVER``, or a step of processing.

    ``post_ids`` are known once a public video has been checked.
    """

    status: str
    fail_reason: str | None = None
    uploaded_bytes: int | None = None
    # TikTok's spelling.
    post_ids: list[int] = Field(default=[], alias="publicaly_available_post_id")

    @property
    def post_id(self) -> str | None:
        return str(self.post_ids[0]) if self.post_ids else None


class _StatusAnswer(BaseModel):
    data: Status


class Post(Protocol):
    """Sends a JSON body to a path with a token. Raises PlatformError for an error response."""

    async def __call__(
        self, path: str, token: str, body: Mapping[str, object], creating: Departure | None = None
    ) -> Answer: ...


class TikTokUpload:
    """Videos, published or sent to the user's inbox.

    Args:
        http: Calls TikTok.
        hosts: TikTok's hosts.
        clock: Tells whether an upload URL has expired.
        post: Calls TikTok's API.
    """

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock, post: Post) -> None:
        self._http = http
        self._hosts = hosts
        self._clock = clock
        self._post = post

    async def send_ahead(self, publication: Publication) -> None:
        """Send every chunk but the last."""
        session = await self._session(publication)
        await self._send_until(publication, session, session.count - 1)

    async def send_last(self, publication: Publication) -> str:
        """Send the remaining chunks, of which the last publishes; return the publish id."""
        session = await self._session(publication)
        await self._send_until(publication, session, session.count)
        return session.target.publish_id

    async def _send_until(self, publication: Publication, session: _Session, end: int) -> None:
        media = file_of(publication)
        if session.sent < end:
            await publication.departure.depart()
        while session.sent < end:
            try:
                await self._send(publication, session, media)
                session.sent += 1
            except PlatformError as error:
                if error.code not in _NOT_WANTED or not await self._catch_up(publication, session):
                    raise
            await remember(publication, "session", session)

    async def _catch_up(self, publication: Publication, session: _Session) -> bool:
        """Skip chunks that TikTok already has, after a response or our own steps were lost.

        Otherwise, steps from an older database would announce a live video again.
        """
        try:
            status = await self.status(publication)
        except PlatformError:
            return False
        if status is None:
            return False
        there = status.uploaded_bytes or 0
        is_whole = status.status in {PUBLISHED, IN_INBOX} or there >= file_of(publication).size
        chunks = session.count if is_whole else min(there // session.chunk_size, session.count - 1)
        is_behind = session.sent < chunks
        session.sent = max(session.sent, chunks)
        return is_behind

    async def status(self, publication: Publication) -> Status | None:
        """Return TikTok's status of the publication; None if it wasn't announced."""
        session = await recall(publication, "session", _Session)
        if session is None:
            return None
        return await self.ask(session.target.publish_id, publication.access_token)

    async def ask(self, publish_id: str, token: str) -> Status:
        """Return TikTok's status of a publish id."""
        answer = await self._post("post/publish/status/fetch", token, {"publish_id": publish_id})
        return self._read(answer, _StatusAnswer).data

    async def is_unanswered(self, publication: Publication) -> bool:
        """Return False: an announcement without a response publishes nothing."""
        del publication
        return False

    async def is_to_inbox(self, publication: Publication) -> bool:
        """Whether the video was announced for the user's inbox."""
        session = await recall(publication, "session", _Session)
        return session is not None and session.to_inbox

    async def publish_id(self, publication: Publication) -> str | None:
        """Return the upload's id, which a video only its owner can see keeps."""
        session = await recall(publication, "session", _Session)
        return session.target.publish_id if session else None

    async def forget(self, publication: Publication) -> None:
        """Make the next attempt start over, because TikTok failed to process this one."""
        await publication.steps.put("session", "")

    async def _session(self, publication: Publication) -> _Session:
        session = await recall(publication, "session", _Session)
        cover = cover_of(PostingPlatform.TIKTOK, publication)
        if session is not None and self._serves(session, publication):
            return session
        media, token = file_of(publication), publication.access_token
        asked = {} if publication.to_inbox else {"post_info": await self._video_info(publication, cover)}
        await publication.departure.depart()
        chunk_size = media.size if media.size < 2 * _CHUNK else _CHUNK
        count = media.size // chunk_size
        asked["source_info"] = {
            "source": "FILE_UPLOAD",
            "video_size": media.size,
            "chunk_size": chunk_size,
            "total_chunk_count": count,
        }
        path = "post/publish/inbox/video/init" if publication.to_inbox else "post/publish/video/init"
        answer = await self._post(path, token, asked)
        target = self._read(answer, _TargetAnswer).data
        if not self._hosts.takes_files(target.upload_url):
            raise unexpected(answer, self._http.name)
        session = _Session(
            target=target,
            begun_at=self._clock(),
            chunk_size=chunk_size,
            count=count,
            cover_ms=cover,
            choice=publication.tiktok,
            to_inbox=publication.to_inbox,
        )
        await remember(publication, "session", session)
        return session

    async def _video_info(self, publication: Publication, cover: int | None) -> dict[str, object]:
        info = {"title": publication.text, **await self.post_info(publication)}
        if cover is not None:
            info["video_cover_timestamp_ms"] = cover
        return info

    def _serves(self, session: _Session, publication: Publication) -> bool:
        """Whether an announced video can be continued; a complete one is published as it is."""
        wanted = cover_of(PostingPlatform.TIKTOK, publication), publication.tiktok
        is_same = (session.cover_ms, session.choice) == wanted or publication.to_inbox
        is_same = is_same and session.to_inbox == publication.to_inbox
        return session.sent == session.count or (is_same and self._clock() - session.begun_at < USABLE)

    async def creator(self, token: str) -> TikTokCreator:
        """Return TikTok's current options for the token's account."""
        answer = await self._post("post/publish/creator_info/query", token, {})
        options = self._read(answer, _CreatorAnswer).data
        return TikTokCreator(
            nickname=options.creator_nickname,
            username=options.creator_username,
            privacy_levels=[TikTokPrivacy(level) for level in dict.fromkeys(options.privacy_level_options)],
            comments_disabled=options.comment_disabled,
            duet_disabled=options.duet_disabled,
            stitch_disabled=options.stitch_disabled,
            max_video_seconds=options.max_video_post_duration_sec,
        )

    async def post_info(self, publication: Publication) -> dict[str, object]:
        """Return the fields for the creator's choice, after requesting the current options.

        Raises PlatformError (INVALID), before sending anything, without a choice or for one TikTok would
        refuse.
        """
        media, choice = file_of(publication), publication.tiktok
        if choice is None:
            raise PlatformError(FailureKind.INVALID, "no_choice", UNDECIDED, cause=Cause.UNDECIDED)
        await publication.departure.depart()
        creator = await self.creator(publication.access_token)
        for issue in choice_issues(choice, creator, publication.post_type, media.duration_ms):
            cause = Cause.PRIVACY if issue.field == PRIVACY else Cause.FILE_LENGTH
            raise PlatformError(FailureKind.INVALID, issue.type, issue.message, cause=cause)
        return post_info(choice, creator, publication.post_type)

    async def _send(self, publication: Publication, session: _Session, media: Media) -> None:
        first = session.sent * session.chunk_size
        is_last = session.sent == session.count - 1
        size = media.size - first if is_last else session.chunk_size
        call = Call(
            method="PUT",
            url=session.target.upload_url,
            headers={"Content-Range": f"bytes {first}-{first + size - 1}/{media.size}"},
            body=part_of(media, first, size),
            creating=publication.departure if is_last else None,
        )
        answer = await self._http.send(call)
        if not answer.is_success:
            # Parts are sent without a token, so a 401 is about the address.
            kind = FailureKind.TRANSIENT if answer.status in {401, 403, 416} else kind_of(answer)
            message = f"TikTok answered {answer.status} to a part of the video."
            raise PlatformError(kind, f"http_{answer.status}", message, cause=Cause.PROGRAM)

    def _read(self, answer: Answer, model: type[M]) -> M:
        found = answer.read(model)
        if found is None:
            raise unexpected(answer, self._http.name)
        return found
