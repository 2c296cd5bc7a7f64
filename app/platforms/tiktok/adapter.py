"""TikTok: videos and photos, over API v2 with Login Kit for desktop programs."""

import base64
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Final
from urllib.parse import quote

from pydantic import BaseModel, Field

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.contract.tiktok import TikTokCreator
from app.platforms.base import (
    AppCredentials,
    Cause,
    Clock,
    ContentMetrics,
    Delivered,
    Departure,
    FailureKind,
    LookBack,
    LookBackOutcome,
    PlatformError,
    Profile,
    Publication,
    Published,
)
from app.platforms.card import Hosts
from app.platforms.http import Answer, Call, PlatformHttp, bearer, plain_words
from app.platforms.oauth import CodeLogin, Proof, TokenEndpoint, consent_url, required_secret
from app.platforms.publication import require_publishable
from app.platforms.rest import batched, kind_of, retry_after, unexpected, web_address
from app.platforms.tiktok.photos import TikTokPhotos
from app.platforms.tiktok.upload import (
    FAILED,
    IN_INBOX,
    OVER,
    PUBLISHED,
    USABLE,
    Status,
    TikTokUpload,
)

_MINUTE: Final = 60.0
_FINAL: Final = frozenset({FailureKind.INVALID, FailureKind.PERMISSION})
_K: Final = FailureKind
_Meaning = tuple[FailureKind, Cause | None]
_REFUSALS: Final[Mapping[str, _Meaning]] = {
    "access_token_invalid": (_K.AUTH_EXPIRED, None),
    "auth_removed": (_K.AUTH_EXPIRED, None),
    "scope_not_authorized": (_K.PERMISSION, Cause.SCOPE),
    "scope_permission_missed": (_K.PERMISSION, Cause.SCOPE),
    "rate_limit_exceeded": (_K.RATE_LIMITED, None),
    "spam_risk_too_many_posts": (_K.QUOTA, None),
    "spam_risk_too_many_pending_share": (_K.QUOTA, Cause.INBOX_FULL),
    "reached_active_user_cap": (_K.QUOTA, Cause.APP_QUOTA),
    "spam_risk_user_banned_from_posting": (_K.PERMISSION, Cause.RESTRICTED),
    "spam_risk": (_K.PERMISSION, Cause.SPAM),
    "spam_risk_text": (_K.PERMISSION, Cause.SPAM),
    "unaudited_client_can_only_post_to_private_accounts": (_K.PERMISSION, Cause.APP_UNREVIEWED),
    "privacy_level_option_mismatch": (_K.PERMISSION, Cause.PRIVACY),
    "url_ownership_unverified": (_K.PERMISSION, Cause.FILE_ADDRESS),
    "invalid_param": (_K.INVALID, None),
    "invalid_params": (_K.INVALID, None),
    "app_version_check_failed": (_K.INVALID, Cause.PROGRAM),
}
"""Codes with which TikTok refuses a request before doing anything."""
_FAILURES: Final[Mapping[str, _Meaning]] = {
    **_REFUSALS,
    "file_format_check_failed": (_K.INVALID, Cause.FILE),
    "duration_check_failed": (_K.INVALID, Cause.FILE_LENGTH),
    "frame_rate_check_failed": (_K.INVALID, Cause.FILE_SHAPE),
    "picture_size_check_failed": (_K.INVALID, Cause.FILE_SHAPE),
    "video_pull_failed": (_K.TRANSIENT, Cause.FILE_ADDRESS),
    "photo_pull_failed": (_K.TRANSIENT, Cause.FILE_ADDRESS),
    "publish_cancelled": (_K.INVALID, Cause.CALLED_OFF),
    "internal": (_K.TRANSIENT, None),
}
"""Those, and the reasons why a post failed later."""


class _Error(BaseModel):
    code: str
    message: str = ""


class Refusal(BaseModel):
    """Part of every response of the API; the code is ``ok`` after a success."""

    error: _Error


def refused(answer: Answer, refusal: Refusal | None) -> PlatformError:
    """Convert an error response, which may have a success status."""
    code = refusal.error.code if refusal else f"http_{answer.status}"
    message = (refusal.error.message if refusal else "") or f"TikTok answered {answer.status}: {code}."
    by_status = FailureKind.INVALID if answer.is_success else kind_of(answer)
    kind, cause = _FAILURES.get(code, (by_status, None))
    is_refusal = code in _REFUSALS or not (answer.is_success or code.startswith("internal"))
    is_unsure = by_status is FailureKind.AMBIGUOUS or not is_refusal
    if is_unsure and answer.call.creating is not None:
        kind = FailureKind.AMBIGUOUS  # it may have been published
    wait = retry_after(answer)
    if kind is FailureKind.RATE_LIMITED and wait is None:
        wait = _MINUTE  # its windows last a minute, and it sends no time
    return PlatformError(kind, answer.words(code), answer.words(message), retry_after=wait, cause=cause)


def failed(fail_reason: str | None) -> PlatformError:
    """Return the error for a post that failed on TikTok, without being published."""
    reason = plain_words(fail_reason or "failed")
    kind, cause = _FAILURES.get(reason, (FailureKind.INVALID, Cause.FILE))
    return PlatformError(kind, reason, f"TikTok couldn't publish it: {reason}.", cause=cause)


def _ended(error: PlatformError) -> PlatformError:
    """Return the error of a post that failed in the inbox, where nothing is tried again."""
    kind = error.kind if error.kind in _FINAL else FailureKind.INVALID
    return PlatformError(kind, error.code, error.message, cause=error.cause)


_FIELDS: Final = "open_id,avatar_url,display_name,username,is_verified,follower_count"
_COUNTS: Final = "id,view_count,like_count,comment_count,share_count"
_MOST_VIDEOS: Final = 20


class _User(BaseModel):
    open_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,128}$")]
    avatar_url: str | None = None
    display_name: str | None = None
    username: str | None = None
    is_verified: bool | None = None
    follower_count: int | None = None


class _UserData(BaseModel):
    user: _User


class _UserAnswer(BaseModel):
    data: _UserData


class _Video(BaseModel):
    id: str
    view_count: int | None = None
    like_count: int | None = None
    comment_count: int | None = None
    share_count: int | None = None


class _VideoData(BaseModel):
    videos: list[_Video] = []


class _VideoAnswer(BaseModel):
    data: _VideoData


class TikTok(CodeLogin):
    """The adapter for TikTok."""

    platform: Final = ConnectionPlatform.TIKTOK
    # After a lost response, the upload's status is checked.
    repeat_window: Final = None
    keeps: Final = USABLE
    pulled: Final = frozenset({PostType.IMAGE})
    scopes: Final = (
        "user.info.basic",
        "user.info.profile",
        "user.info.stats",
        "video.publish",
        "video.upload",
        "video.list",
    )

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        self._http = http
        self._hosts = hosts
        self._tokens = TokenEndpoint(http, f"{hosts.issuer}/{hosts.version}/oauth/token/", clock, _prove)
        self._videos = TikTokUpload(http, hosts, clock, self._post)
        self._photos = TikTokPhotos(http, self._videos, self._post)

    def authorization_url(
        self, credentials: AppCredentials, *, redirect_uri: str, state: str, code_challenge: str
    ) -> str:
        """Return the URL of the consent page. TikTok expects the challenge in hexadecimal."""
        digest = base64.urlsafe_b64decode(code_challenge + "=" * (-len(code_challenge) % 4))
        return consent_url(
            f"{self._hosts.consent}/{self._hosts.version}/auth/authorize/",
            client_key=credentials.client_id,
            response_type="code",
            scope=",".join(one for one in self.scopes if one not in credentials.without_scopes),
            redirect_uri=redirect_uri,
            state=state,
            code_challenge=digest.hex(),
            code_challenge_method="S256",
        )

    async def check_app(self, credentials: AppCredentials) -> None:
        """Request a token of the app."""
        await self._tokens.ask(credentials, {"grant_type": "client_credentials"})

    async def profiles(self, access_token: str) -> list[Profile]:
        """Return the user of the token."""
        call = self._call("GET", "user/info", access_token, params={"fields": _FIELDS})
        answer = await self._ask(call)
        found = answer.read(_UserAnswer)
        if found is None:
            raise unexpected(answer, self._http.name)
        user = found.data.user
        profile = Profile(
            account_identifier=user.open_id,
            display_name=user.display_name,
            username=user.username,
            avatar_url=web_address(user.avatar_url),
            is_verified=user.is_verified,
            follower_count=user.follower_count,
        )
        return [profile]

    async def creator(self, access_token: str) -> TikTokCreator:
        """Return TikTok's current options for the account."""
        return await self._videos.creator(access_token)

    async def prepare(self, publication: Publication) -> None:
        require_publishable(PostingPlatform.TIKTOK, publication.post_type)
        await self._way(publication).send_ahead(publication)

    async def publish(self, publication: Publication) -> Published | Delivered:
        """Publish a post: a video with its last chunk, a photo with its announcement.

        The public id is known once TikTok has checked the post. Posts only their owner can see keep the
        upload's id. In the inbox, TikTok may still be processing a post.
        """
        require_publishable(PostingPlatform.TIKTOK, publication.post_type)
        publish_id = await self._way(publication).send_last(publication)
        # Before the wait: if that takes long, another process may end the post and clear its notes.
        to_inbox = await self._videos.is_to_inbox(publication)
        await publication.departure.depart()
        status = await self._checked(publication, publish_id)
        if status is None:
            return Delivered() if to_inbox else self._published(publication, publish_id, None)
        if status.status == IN_INBOX:
            return Delivered()
        return self._published(publication, publish_id, status.post_id)

    async def follow(self, publication: Publication) -> Published | None:
        """Return what the user has published from their inbox; None while it's there."""
        way = self._way(publication)
        try:
            publish_id, status = await way.publish_id(publication), await way.status(publication)
        except PlatformError as error:
            if error.kind in _FINAL:  # a refused question says nothing about the post
                raise PlatformError(FailureKind.TRANSIENT, error.code, error.message) from error
            raise
        if publish_id is None or status is None:
            raise PlatformError(FailureKind.TRANSIENT, "no_upload", "The ID of the upload is lost.")
        if status.status == FAILED:
            raise _ended(failed(status.fail_reason))
        return (
            self._published(publication, publish_id, status.post_id) if status.status == PUBLISHED else None
        )

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        """Ask for the upload's status, which belongs to this publication only."""
        del since, known
        way = self._way(publication)
        publish_id, status = await way.publish_id(publication), await way.status(publication)
        if publish_id is None or status is None:
            is_unanswered = await way.is_unanswered(publication)
            return LookBack(LookBackOutcome.UNKNOWABLE if is_unanswered else LookBackOutcome.UNSENT)
        if status.status == PUBLISHED:
            return LookBack(LookBackOutcome.FOUND, self._published(publication, publish_id, status.post_id))
        if status.status == IN_INBOX:
            return LookBack(LookBackOutcome.DELIVERED)
        if status.status == FAILED:
            if failed(status.fail_reason).cause is Cause.CALLED_OFF:  # by its user, so it had arrived
                return LookBack(LookBackOutcome.DELIVERED)
            await way.forget(publication)
            return LookBack(LookBackOutcome.UNSENT)
        there, media = status.uploaded_bytes, publication.media
        is_partial = there is not None and media is not None and there < media.size
        return LookBack(LookBackOutcome.UNSENT if is_partial else LookBackOutcome.UNKNOWABLE)

    def counted_at_once(self, account_identifier: str) -> int:
        del account_identifier
        return _MOST_VIDEOS

    async def metrics(
        self, access_token: str, account_identifier: str, content_ids: Collection[str]
    ) -> Sequence[ContentMetrics]:
        """Return the metrics of public videos. Private ones don't have an ID on TikTok."""
        del account_identifier
        found: list[ContentMetrics] = []
        public = [content_id for content_id in content_ids if content_id.isascii() and content_id.isdigit()]
        for ids in batched(public, _MOST_VIDEOS):
            body = {"filters": {"video_ids": ids}}
            call = self._call("POST", "video/query", access_token, params={"fields": _COUNTS}, json=body)
            answer = await self._ask(call)
            page = answer.read(_VideoAnswer)
            if page is None:
                raise unexpected(answer, self._http.name)
            found += map(_metrics, page.data.videos)
        return found

    async def _checked(self, publication: Publication, publish_id: str) -> Status | None:
        """Return the status once TikTok has checked the post; None if that takes too long.

        All bytes of a video are uploaded, so they aren't sent again if a status call fails. A photo
        may not have been fetched yet: its outcome is AMBIGUOUS.
        """

        async def checked() -> Status | None:
            status = await self._videos.ask(publish_id, publication.access_token)
            return status if status.status in OVER else None

        try:
            status = await self._http.until(checked)
        except PlatformError as error:
            if publication.post_type is PostType.VIDEO:
                return None
            raise PlatformError(FailureKind.AMBIGUOUS, error.code, error.message) from None
        if status.status == FAILED:
            if publication.departure.holds():  # otherwise, another process may have announced it again
                await self._way(publication).forget(publication)
            raise failed(status.fail_reason)
        return status

    def _published(self, publication: Publication, publish_id: str, post_id: str | None) -> Published:
        """Return a published post; without a public id, its URL is at best its author's page."""
        author = f"{self._hosts.seen_at}/@{quote(publication.username)}" if publication.username else None
        kind = "video" if publication.post_type is PostType.VIDEO else "photo"
        url = f"{author}/{kind}/{post_id}" if author and post_id else author
        return Published(post_id or publish_id, url)

    def _way(self, publication: Publication) -> TikTokUpload | TikTokPhotos:
        return self._photos if publication.post_type is PostType.IMAGE else self._videos

    async def _post(
        self, path: str, token: str, body: Mapping[str, object], creating: Departure | None = None
    ) -> Answer:
        return await self._ask(self._call("POST", path, token, json=body, creating=creating))

    def _call(
        self,
        method: str,
        path: str,
        token: str,
        *,
        params: Mapping[str, str] | None = None,
        json: Mapping[str, object] | None = None,
        creating: Departure | None = None,
    ) -> Call:
        return Call(
            method=method,
            url=f"{self._hosts.api}/{self._hosts.version}/{path}/",
            params=params or {},
            headers=bearer(token),
            json=json,
            creating=creating,
            secrets=(token,),
        )

    async def _ask(self, call: Call) -> Answer:
        answer = await self._http.send(call)
        refusal = answer.read(Refusal)
        if not answer.is_success or (refusal is not None and refusal.error.code != "ok"):
            raise refused(answer, refusal)
        return answer


def _prove(credentials: AppCredentials, name: str) -> Proof:
    """Authenticate by form, where TikTok calls the id a key."""
    secret = required_secret(credentials, name)
    return Proof({"client_key": credentials.client_id, "client_secret": secret}, secrets=(secret,))


def _metrics(video: _Video) -> ContentMetrics:
    return ContentMetrics(
        content_id=video.id,
        views=video.view_count,
        likes=video.like_count,
        comments=video.comment_count,
        shares=video.share_count,
    )
