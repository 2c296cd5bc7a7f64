"""YouTube: videos of channels, over Data API v3 with Google's OAuth 2."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Final

from pydantic import BaseModel, Field

from app.contract.enums import ConnectionPlatform, PostingPlatform
from app.platforms.base import (
    AppCredentials,
    Cause,
    Clock,
    ContentMetrics,
    FailureKind,
    LookBack,
    LookBackOutcome,
    PlatformError,
    Profile,
    Publication,
    Published,
)
from app.platforms.card import Hosts
from app.platforms.http import Answer, Call, PlatformHttp, plain_words
from app.platforms.markup import unescaped
from app.platforms.oauth import CodeLogin, TokenEndpoint, consent_url, read_ending_grant, scopes_in
from app.platforms.page_messages import google_error
from app.platforms.publication import KEPT, pass_on_cover, require_publishable
from app.platforms.rest import RestApi, batched, kind_of, retry_after, web_address
from app.platforms.youtube.upload import YouTubeUpload

_K: Final = FailureKind
_TAG: Final = re.compile(r"</?[a-z][^<>]*>")
_MEANINGS: Final[Mapping[str, tuple[FailureKind, Cause | None]]] = {
    "quotaExceeded": (_K.QUOTA, Cause.APP_QUOTA),
    "dailyLimitExceeded": (_K.QUOTA, Cause.APP_QUOTA),
    "uploadLimitExceeded": (_K.QUOTA, None),
    "rateLimitExceeded": (_K.RATE_LIMITED, None),
    "userRateLimitExceeded": (_K.RATE_LIMITED, None),
    "insufficientPermissions": (_K.PERMISSION, Cause.SCOPE),
    "accessNotConfigured": (_K.PERMISSION, Cause.APP),
    # A 401 that no new token fixes: the account has no channel.
    "youtubeSignupRequired": (_K.PERMISSION, Cause.NO_CHANNEL),
    "channelClosed": (_K.PERMISSION, Cause.RESTRICTED),
    "channelSuspended": (_K.PERMISSION, Cause.RESTRICTED),
    "invalidTitle": (_K.INVALID, Cause.TITLE),
    "invalidDescription": (_K.INVALID, Cause.TEXT),
    "invalidTags": (_K.INVALID, Cause.TEXT),
    "invalidVideoMetadata": (_K.INVALID, Cause.TEXT),
    "invalidCategoryId": (_K.INVALID, Cause.PROGRAM),
    "mediaBodyRequired": (_K.INVALID, Cause.PROGRAM),
}
_FINDINGS: Final = {
    "duplicate": Cause.FILE_COPY,
    "length": Cause.FILE_LENGTH,
    "tooSmall": Cause.FILE_SIZE,
    "uploaderAccountClosed": Cause.RESTRICTED,
    "uploaderAccountSuspended": Cause.RESTRICTED,
}
_AGAINST_RULES: Final = frozenset({"claim", "copyright", "inappropriate", "legal", "termsOfUse", "trademark"})


class _Reason(BaseModel):
    reason: str = ""


class _Error(BaseModel):
    message: str = ""
    errors: list[_Reason] = []


class _Refusal(BaseModel):
    error: _Error


def refused(answer: Answer) -> PlatformError:
    """Convert an error response."""
    refusal = answer.read(_Refusal)
    reason = next((error.reason for error in refusal.error.errors if error.reason), "") if refusal else ""
    message = _plain(refusal.error.message if refusal else "") or f"YouTube answered {answer.status}."
    by_status = kind_of(answer)
    kind, cause = _MEANINGS.get(reason, (by_status, None))
    if by_status is FailureKind.AMBIGUOUS:
        kind = by_status  # whatever the reason, it may have been published
    return PlatformError(
        kind,
        answer.words(reason or f"http_{answer.status}"),
        answer.words(message),
        retry_after=retry_after(answer),
        cause=cause,
    )


def _plain(words: str) -> str:
    """Remove the links that Google puts into its messages."""
    return unescaped(_TAG.sub("", words))


def unusable(reason: str) -> PlatformError:
    """Return the error for a video that YouTube accepted but doesn't show, with its reason."""
    cause = Cause.POLICY if reason in _AGAINST_RULES else _FINDINGS.get(reason, Cause.FILE)
    return PlatformError(_K.INVALID, reason, f"YouTube doesn't show the video: {reason}.", cause=cause)


_NO_CHALLENGE: Final = "A" * 43
"""A code challenge for a consent that nobody gives."""
_SCOPE: Final = "https://www.googleapis.com/auth/"
_MOST_VIDEOS: Final = 50
_LOOKS: Final = 4
_FIRST_DAY: Final = "2005-02-14"  # YouTube's first day
_Count = Annotated[int, Field(ge=0)]  # sent as text


class _Thumbnail(BaseModel):
    url: str | None = None


class _Snippet(BaseModel):
    title: str | None = None
    custom_url: str | None = Field(default=None, alias="customUrl")
    thumbnails: dict[str, _Thumbnail] = {}


class _Statistics(BaseModel):
    subscriber_count: _Count | None = Field(default=None, alias="subscriberCount")
    is_hidden: bool = Field(default=False, alias="hiddenSubscriberCount")


class _Channel(BaseModel):
    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    snippet: _Snippet = _Snippet()
    statistics: _Statistics = _Statistics()


class _Channels(BaseModel):
    items: list[_Channel] = []


class _Counts(BaseModel):
    view_count: _Count | None = Field(default=None, alias="viewCount")
    like_count: _Count | None = Field(default=None, alias="likeCount")
    comment_count: _Count | None = Field(default=None, alias="commentCount")


class _Counted(BaseModel):
    id: str
    statistics: _Counts = _Counts()


class _CountedAnswer(BaseModel):
    items: list[_Counted] = []


class _TokenInfo(BaseModel):
    scope: str | None = None


class _Status(BaseModel):
    upload_status: str = Field(default="processed", alias="uploadStatus")
    failure_reason: str | None = Field(default=None, alias="failureReason")
    rejection_reason: str | None = Field(default=None, alias="rejectionReason")
    privacy_status: str | None = Field(default=None, alias="privacyStatus")


class _Checked(BaseModel):
    status: _Status = _Status()


class _CheckedAnswer(BaseModel):
    items: list[_Checked] = []


class _Report(BaseModel):
    rows: list[tuple[str, int]] = []


class YouTube(CodeLogin):
    """The adapter for YouTube. A token is for one channel, which the user chooses at the consent."""

    platform: Final = ConnectionPlatform.YOUTUBE
    # After a lost response, the upload session is checked.
    repeat_window: Final = None
    keeps: Final = KEPT
    scopes: Final = (
        f"{_SCOPE}youtube.upload",
        f"{_SCOPE}youtube.readonly",
        f"{_SCOPE}yt-analytics.readonly",
    )

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        self._hosts = hosts
        self._clock = clock
        self._tokens = TokenEndpoint(http, f"{hosts.issuer}/token", clock, read=read_ending_grant)
        self._rest = RestApi(http, f"{hosts.api}/youtube/{hosts.version}", refused)
        self._reports = RestApi(http, f"{hosts.reports}/{hosts.reports_version}", refused)
        self._upload = YouTubeUpload(http, hosts, clock, refused)

    def authorization_url(
        self, credentials: AppCredentials, *, redirect_uri: str, state: str, code_challenge: str
    ) -> str:
        """Return the URL of the consent page. Google only returns a refresh token after explicit consent."""
        return consent_url(
            f"{self._hosts.consent}/o/oauth2/{self._hosts.login_version}/auth",
            client_id=credentials.client_id,
            redirect_uri=redirect_uri,
            response_type="code",
            scope=" ".join(self.scopes),
            access_type="offline",
            prompt="consent",
            state=state,
            code_challenge=code_challenge,
            code_challenge_method="S256",
        )

    async def returns_to(self, credentials: AppCredentials, redirect_uri: str) -> bool | None:
        """Open the consent page without signing in: Google checks the address before anything else.

        As seen in 2026: it redirects to its sign-in, or to a page whose address has the error.
        """
        page = self.authorization_url(
            credentials, redirect_uri=redirect_uri, state="check", code_challenge=_NO_CHALLENGE
        )
        answer = await self._rest.http.send(Call(method="GET", url=page))
        address = answer.headers.get("location", "")
        if "redirect_uri_mismatch" in google_error(address):
            return False
        return True if address.startswith(f"{self._hosts.consent}/v3/signin/") else None

    async def profiles(self, access_token: str) -> list[Profile]:
        """Return the channel of the token; none if the account has no channel."""
        params = {"part": "snippet,statistics", "mine": "true"}
        channels = (await self._rest.get("channels", access_token, _Channels, params)).items
        return [_profile(channel) for channel in channels]

    async def granted(self, credentials: AppCredentials, access_token: str) -> frozenset[str] | None:
        """Ask Google which boxes of its consent page were ticked."""
        del credentials
        call = Call(
            method="GET",
            url=f"{self._hosts.issuer}/tokeninfo",
            params={"access_token": access_token},
            secrets=(access_token,),
        )
        return scopes_in((await self._rest.fetch(call, _TokenInfo)).scope)

    async def is_locked(self, access_token: str, content_id: str) -> bool | None:
        """Look whether Google made a video private that was uploaded as public."""
        params = {"part": "status", "id": content_id}
        videos = (await self._rest.get("videos", access_token, _CheckedAnswer, params)).items
        return videos[0].status.privacy_status == "private" if videos else None

    async def prepare(self, publication: Publication) -> None:
        require_publishable(PostingPlatform.YOUTUBE, publication.post_type)
        await self._upload.send_ahead(publication)

    async def publish(self, publication: Publication) -> Published:
        """Publish a public video, with its last byte, and then set its cover."""
        require_publishable(PostingPlatform.YOUTUBE, publication.post_type)
        video_id = await self._upload.send_last(publication)
        await self._check(publication, video_id)
        await self._set_cover(publication, video_id)
        return self._published(video_id)

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        """Check the upload session, which belongs to this publication only.

        It isn't known whether the cover arrived, so it is sent again.
        """
        del since, known
        there = await self._upload.find(publication)
        if isinstance(there, str):
            await self._set_cover(publication, there)
            return LookBack(LookBackOutcome.FOUND, self._published(there))
        return LookBack(LookBackOutcome.UNKNOWABLE if there is None else LookBackOutcome.UNSENT)

    def counted_at_once(self, account_identifier: str) -> int:
        del account_identifier
        return _MOST_VIDEOS

    async def metrics(
        self, access_token: str, account_identifier: str, content_ids: Collection[str]
    ) -> Sequence[ContentMetrics]:
        """Return current views, likes and comments, and shares from another API, two days late."""
        del account_identifier
        found: list[ContentMetrics] = []
        for ids in batched(content_ids, _MOST_VIDEOS):
            params = {"part": "statistics", "id": ",".join(ids)}
            videos = (await self._rest.get("videos", access_token, _CountedAnswer, params)).items
            shares = await self._shares(access_token, [video.id for video in videos])
            found += [_metrics(video, shares.get(video.id)) for video in videos]
        return found

    def _published(self, video_id: str) -> Published:
        return Published(video_id, f"{self._hosts.seen_at}/watch?v={video_id}")

    async def _set_cover(self, publication: Publication, video_id: str) -> None:
        send = partial(self._upload.set_thumbnail, video_id, publication.access_token)
        await pass_on_cover(PostingPlatform.YOUTUBE, publication, send)

    async def _check(self, publication: Publication, video_id: str) -> None:
        """Check a few times for problems that YouTube finds quickly, such as a duplicate file.

        The video is uploaded, so it isn't sent again if a status call fails.
        """
        looks = iter(range(_LOOKS))

        async def settled() -> _Status | None:
            params = {"part": "status", "id": video_id}
            found = await self._rest.get("videos", publication.access_token, _CheckedAnswer, params)
            status = found.items[0].status if found.items else _Status()
            return status if status.upload_status != "uploaded" or next(looks, None) is None else None

        try:
            status = await self._rest.http.until(settled)
        except PlatformError:
            return
        if status.upload_status in {"failed", "rejected"}:
            reason = status.rejection_reason or status.failure_reason or status.upload_status
            raise unusable(plain_words(reason))

    async def _shares(self, token: str, video_ids: Sequence[str]) -> dict[str, int]:
        """Return the number of shares by id; empty if the user didn't grant access to them."""
        if not video_ids:
            return {}
        params = {
            "ids": "channel==MINE",
            "startDate": _FIRST_DAY,
            "endDate": self._clock().date().isoformat(),
            "metrics": "shares",
            "dimensions": "video",
            "filters": f"video=={','.join(video_ids)}",
            "sort": "-shares",
            "maxResults": str(_MOST_VIDEOS),
        }
        try:
            return dict((await self._reports.get("reports", token, _Report, params)).rows)
        except PlatformError as error:
            if error.kind is FailureKind.AUTH_EXPIRED:
                raise
            return {}


def _profile(channel: _Channel) -> Profile:
    snippet, statistics = channel.snippet, channel.statistics
    picture = next(
        (snippet.thumbnails[size] for size in ("medium", "default") if size in snippet.thumbnails), None
    )
    return Profile(
        account_identifier=channel.id,
        display_name=snippet.title,
        username=snippet.custom_url.removeprefix("@") if snippet.custom_url else None,
        avatar_url=web_address(picture.url) if picture else None,
        follower_count=None if statistics.is_hidden else statistics.subscriber_count,
    )


def _metrics(video: _Counted, shares: int | None) -> ContentMetrics:
    counts = video.statistics
    return ContentMetrics(
        content_id=video.id,
        views=counts.view_count,
        likes=counts.like_count,
        comments=counts.comment_count,
        shares=shares,
    )
