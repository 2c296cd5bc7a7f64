"""Facebook: posts of Pages, over the Graph API. Only Pages can publish."""

import json
import re
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Annotated, ClassVar, Final, Literal, TypeVar
from urllib.parse import quote

from pydantic import AwareDatetime, BaseModel, Field

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.platforms.base import (
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
from app.platforms.facebook.files import FacebookFiles, Uploaded
from app.platforms.http import PlatformHttp
from app.platforms.likeness import compare, has_link, shows_text
from app.platforms.meta.graph import Graph
from app.platforms.meta.logins import Listing, Page, PageLogin
from app.platforms.publication import KEPT, judge, recall, require_publishable
from app.platforms.rest import web_address

_PAGE_FIELDS: Final = (
    "id,name,username,access_token,tasks,picture.type(large),followers_count,verification_status"
)
_LISTED: Final = "id,message,created_time,updated_time,status_type,attachments{media_type,type,target}"
_COUNT_FIELDS: Final = "shares,comments.limit(0).summary(true),reactions.limit(0).summary(true)"
_VIDEO_COUNT_FIELDS: Final = "views,comments.limit(0).summary(true),likes.limit(0).summary(true)"
_VIEWS: Final = "post_media_view"
_VERIFIED: Final = frozenset({"blue_verified", "gray_verified"})
_ID: Final = re.compile(r"\d+(?:_\d+)?", re.ASCII)
_PHOTOS: Final = frozenset({"photo", "album"})
_FILES: Final = _PHOTOS | {"video"}
_FILES_ADDED: Final = frozenset({"added_photos", "added_video"})
_MENTION: Final = re.compile(r"@\[[^\[\]]*\]")
_PROCESSED: Final = timedelta(seconds=10)
"""How long Facebook may update a new post itself; nobody edits a post so soon."""
_POSTS: Final = 100
_UPLOADING: Final = frozenset({"not_started", "in_progress"})
_UNPROCESSED: Final = "video_status"
"""Code of the error for a video that Facebook rejected."""
M = TypeVar("M", bound=BaseModel)
PostId = Annotated[str, Field(pattern=r"^\d+_\d+$")]
_POST: Final = re.compile(r"(?:\d{1,25}_)?\d{1,25}", re.ASCII)
"""A post's ID. For the posts of videos, Facebook often leaves out the part with the Page's ID."""


class _PictureData(BaseModel):
    url: str | None = None


class _Picture(BaseModel):
    data: _PictureData = _PictureData()


class _Page(Page):
    username: str | None = None
    picture: _Picture = _Picture()
    followers_count: int | None = None
    verification_status: str | None = None


class _Created(BaseModel):
    id: PostId


class _Finished(BaseModel):
    success: Literal[True]
    post_id: str | None = None


class _Phase(BaseModel):
    status: str = ""


class _Status(BaseModel):
    video_status: str = ""
    uploading_phase: _Phase = _Phase()
    publishing_phase: _Phase = _Phase()

    @property
    def is_unfinished(self) -> bool:
        """Whether the upload was surely never finished. A finished video is processed before publishing."""
        is_uploading = self.uploading_phase.status in _UPLOADING or self.video_status == "upload_complete"
        return is_uploading and self.publishing_phase.status == "not_started"


class _Video(BaseModel):
    status: _Status = _Status()
    post_id: str | None = None


class _Target(BaseModel):
    id: str | None = None


class _Attachment(BaseModel):
    media_type: str | None = None
    type: str | None = None
    target: _Target = _Target()

    @property
    def is_file(self) -> bool:
        """Whether this is a file of the post, and not the preview of a link, such as video_share_youtube."""
        return self.media_type in _FILES and "share" not in (self.type or "")


class _Attachments(BaseModel):
    data: list[_Attachment]


class _Post(BaseModel):
    """A post. Facebook omits an absent message and absent attachments."""

    id: str
    message: str | None = None
    created_time: AwareDatetime
    updated_time: AwareDatetime | None = None
    status_type: str | None = None
    attachments: _Attachments | None = None

    def is_of(self, publication: Publication, photo: Uploaded | None) -> bool | None:
        """Whether this is the publication, by its picture, or else by its text; None if unclear."""
        attached = self.attachments.data if self.attachments else []
        text = None if self.message is None else shows_text(self.message, publication.text, _MENTION)
        if photo is not None:
            if any(one.target.id == photo.id for one in attached):
                return True
            is_elsewhere = attached and all(_is_shown(one) for one in attached)
            return compare(text, False if is_elsewhere else None, is_edited=self._is_edited)
        is_text = publication.post_type is PostType.TEXT
        file = self._has_no_file(publication, attached) if is_text else None
        return compare(text, file, is_edited=self._is_edited)

    def _has_no_file(self, publication: Publication, attached: Sequence[_Attachment]) -> bool | None:
        """Whether this is a text post; None if unclear, since links also become pictures and videos."""
        if self.status_type in _FILES_ADDED or any(one.is_file for one in attached):
            return None if has_link(publication.text) else False
        # Missing attachments were either omitted or never existed; only the type of the post can tell.
        is_unclear = self.status_type is None or any(one.media_type is None for one in attached)
        return None if is_unclear else True

    @property
    def _is_edited(self) -> bool | None:
        """Whether the post may have been edited. Comments also update it."""
        return None if self.updated_time is None else self.updated_time - self.created_time > _PROCESSED


def _is_shown(one: _Attachment) -> bool:
    """Whether Facebook shows enough of an attachment to compare it with a given picture."""
    return one.target.id is not None or not (one.media_type is None or one.media_type in _PHOTOS)


class _Paging(BaseModel):
    next: str | None = None


class _Posts(BaseModel):
    data: list[_Post]
    paging: _Paging = _Paging()


class _Summary(BaseModel):
    total_count: int | None = None


class _Summed(BaseModel):
    summary: _Summary = _Summary()


class _Shares(BaseModel):
    count: int = 0


class _Counted(BaseModel):
    shares: _Shares = _Shares()  # omitted by Facebook instead of 0
    comments: _Summed = _Summed()
    reactions: _Summed = _Summed()


class _CountedVideo(BaseModel):
    views: int | None = None
    comments: _Summed = _Summed()
    likes: _Summed = _Summed()


class _Value(BaseModel):
    value: int | None = None


class _Insight(BaseModel):
    values: list[_Value] = []


class _Insights(BaseModel):
    data: list[_Insight]


class Facebook(PageLogin):
    """The adapter for Facebook. Calls for a Page use the Page's own token."""

    platform: Final = ConnectionPlatform.FACEBOOK
    # Facebook refuses copies without naming the original.
    repeat_window: Final = None
    keeps: Final = KEPT
    scopes: ClassVar = (
        "pages_show_list",
        "pages_manage_posts",
        "pages_read_engagement",
        "read_insights",
        "business_management",
    )

    async def profiles(self, access_token: str) -> list[Profile]:
        """Return the Pages the user can publish to, each with its own token."""
        pages = await self._pages(access_token, _PAGE_FIELDS, Listing[_Page])
        return [_profile(page) for page in pages if page.grant is not None]

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        super().__init__(http, hosts, clock)
        self._files = FacebookFiles(self._graph, Graph(http, hosts, hosts.videos), clock)

    async def prepare(self, publication: Publication) -> None:
        await self._file(publication)

    async def publish(self, publication: Publication) -> Published:
        """Publish a text or picture to the feed, or a video as a Reel if it has the format of one.

        Sets a video's cover after publishing it.
        """
        uploaded = await self._file(publication)
        if uploaded is None or uploaded.kind == "photo":
            form = {"message": publication.text} if publication.text else {}
            if uploaded is not None:
                form["attached_media"] = json.dumps([{"media_fbid": uploaded.id}])
            created = await self._create(self._graph, publication, "feed", form, _Created)
            return self._published(created.id)
        finished = await self._finish(publication, uploaded)
        post = _in_full(publication, finished.post_id) or await self._post_of(publication, uploaded)
        await self._files.set_cover(publication, uploaded.id)
        return self._published(post or uploaded.id)

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        """Find a Page's post by its picture or text, the oldest if there are several; a video by its id."""
        uploaded = await recall(publication, "file", Uploaded)
        if uploaded is not None and uploaded.kind != "photo":
            return await self._look_at(publication, uploaded)
        first = self._graph.http.their_clock.since(since)
        params = {
            "fields": _LISTED,
            "limit": str(_POSTS),
            "since": str(int(first.timestamp())),
        }
        path = f"{_page(publication)}/published_posts"
        page = await self._graph.get(path, publication.access_token, _Posts, params)
        earliest = first - timedelta(seconds=1)
        page.data.reverse()  # oldest first, including posts of the same second
        found = (
            (self._published(post.id), post.is_of(publication, uploaded))
            for post in sorted(page.data, key=lambda post: post.created_time)
            if post.created_time >= earliest and post.id not in known
        )
        is_read = len(page.data) < _POSTS and page.paging.next is None
        return judge(found, read_all=is_read, by_steps=publication.post_type is not PostType.TEXT)

    def counted_at_once(self, account_identifier: str) -> int:
        del account_identifier
        return 1

    async def metrics(
        self, access_token: str, account_identifier: str, content_ids: Collection[str]
    ) -> Sequence[ContentMetrics]:
        """Return the metrics of each item, omitting deleted ones."""
        del account_identifier
        found: list[ContentMetrics] = []
        for content_id in filter(_ID.fullmatch, content_ids):
            try:
                found.append(await self._counted(access_token, content_id))
            except PlatformError as error:
                if error.kind is not FailureKind.INVALID:
                    raise
        return found

    async def _file(self, publication: Publication) -> Uploaded | None:
        require_publishable(PostingPlatform.FACEBOOK, publication.post_type)
        match publication.post_type:
            case PostType.IMAGE:
                return await self._files.photo(publication, _page(publication))
            case PostType.VIDEO:
                return await self._files.video(publication, _page(publication))
        return None

    async def _finish(self, publication: Publication, uploaded: Uploaded) -> _Finished:
        form = {"upload_phase": "finish", "description": publication.text}
        if publication.title:
            form["title"] = publication.title
        if uploaded.kind == "reel":
            form |= {"video_id": uploaded.id, "video_state": "PUBLISHED"}
            return await self._create(self._graph, publication, "video_reels", form, _Finished)
        form["upload_session_id"] = uploaded.session
        return await self._create(self._files.videos, publication, "videos", form, _Finished)

    async def _create(
        self, graph: Graph, publication: Publication, edge: str, form: dict[str, str], model: type[M]
    ) -> M:
        path, token = f"{_page(publication)}/{edge}", publication.access_token
        return await graph.post(path, token, model, form=form, creating=publication.departure)

    async def _post_of(self, publication: Publication, uploaded: Uploaded) -> str | None:
        """Return the post that shows a video, once it is processed; None if that takes too long.

        The video is already finished, so it isn't sent again if this fails.
        """

        async def shown() -> str | None:
            return _in_full(publication, (await self._video(publication, uploaded)).post_id)

        try:
            return await self._graph.http.until(shown)
        except PlatformError as error:
            # Any other refusal says that the post can't be read, not that there is none.
            if error.code == _UNPROCESSED:
                raise
            return None

    async def _look_at(self, publication: Publication, uploaded: Uploaded) -> LookBack:
        video = await self._video(publication, uploaded)
        if video.status.publishing_phase.status == "complete":
            await self._files.set_cover(publication, uploaded.id)  # setting the cover may have failed too
            post = _in_full(publication, video.post_id) or uploaded.id
            return LookBack(LookBackOutcome.FOUND, self._published(post))
        is_unsent = video.status.is_unfinished
        return LookBack(LookBackOutcome.UNSENT if is_unsent else LookBackOutcome.UNKNOWABLE)

    async def _video(self, publication: Publication, uploaded: Uploaded) -> _Video:
        params = {"fields": "status,post_id"}
        video = await self._graph.get(uploaded.id, publication.access_token, _Video, params)
        if video.status.video_status == "error":
            message = "Facebook couldn't process the video."
            raise PlatformError(FailureKind.INVALID, _UNPROCESSED, message, cause=Cause.FILE)
        return video

    def _published(self, content_id: str) -> Published:
        return Published(content_id, f"{self._hosts.seen_at}/{content_id}")

    async def _counted(self, token: str, content_id: str) -> ContentMetrics:
        """Return a post's metrics. Videos whose post id wasn't known when published need a different call."""
        if "_" not in content_id:
            return await self._counted_video(token, content_id)
        counted = await self._graph.get(content_id, token, _Counted, {"fields": _COUNT_FIELDS})
        return ContentMetrics(
            content_id=content_id,
            views=await self._views(token, content_id),
            likes=counted.reactions.summary.total_count,
            comments=counted.comments.summary.total_count,
            shares=counted.shares.count,
        )

    async def _counted_video(self, token: str, video_id: str) -> ContentMetrics:
        counted = await self._graph.get(video_id, token, _CountedVideo, {"fields": _VIDEO_COUNT_FIELDS})
        return ContentMetrics(
            content_id=video_id,
            views=counted.views,
            likes=counted.likes.summary.total_count,
            comments=counted.comments.summary.total_count,
            shares=None,
        )

    async def _views(self, token: str, content_id: str) -> int | None:
        """Return the number of views, if Facebook reports it: small Pages don't get it."""
        path, params = f"{content_id}/insights", {"metric": _VIEWS}
        try:
            insights = (await self._graph.get(path, token, _Insights, params)).data
        except PlatformError as error:
            if error.kind not in {FailureKind.INVALID, FailureKind.PERMISSION}:
                raise
            return None
        return insights[0].values[0].value if insights and insights[0].values else None


def _in_full(publication: Publication, post_id: str | None) -> str | None:
    """Return the ID of a post with the Page's, as calls about it need it; None if there is none."""
    if post_id is None or _POST.fullmatch(post_id) is None:
        return None
    return post_id if "_" in post_id else f"{publication.account_identifier}_{post_id}"


def _page(publication: Publication) -> str:
    return quote(publication.account_identifier, safe="")


def _profile(page: _Page) -> Profile:
    return Profile(
        account_identifier=page.id,
        display_name=page.name,
        username=page.username,
        avatar_url=web_address(page.picture.data.url),
        is_verified=page.verification_status in _VERIFIED if page.verification_status else None,
        follower_count=page.followers_count,
        grant=page.grant,
    )
