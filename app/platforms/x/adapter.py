"""X: texts, pictures and videos, over API v2 with OAuth 2 and PKCE."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, TypeVar
from urllib.parse import quote

from pydantic import AwareDatetime, BaseModel, Field

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.platforms.base import (
    AppCredentials,
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
from app.platforms.http import PlatformHttp
from app.platforms.likeness import compare, shows_text
from app.platforms.markup import unescaped
from app.platforms.oauth import CodeLogin, Proof, TokenEndpoint, by_header, consent_url
from app.platforms.publication import KEPT, judge, require_publishable
from app.platforms.rest import RestApi, batched, web_address
from app.platforms.x.files import XFiles
from app.platforms.x.refusals import refused

_USER_FIELDS: Final = "profile_image_url,public_metrics,verified,name,username"
_SHOWN: Final = "created_at,edit_history_tweet_ids,entities,attachments"
# X's descriptions of 2026 call the parameter post.fields; earlier ones tweet.fields.
_FIELDS_PARAMETERS: Final = ("post.fields", "tweet.fields")
_OF_POST: Final = re.compile(r"/status/\d", re.ASCII)
_SHORT_LINK: Final = re.compile(r"https?://t\.co/\w+", re.ASCII)
_PAGE: Final = 100
_MOST_PAGES: Final = 10
_Id = Annotated[str, Field(pattern=r"^\d{1,20}$")]


class _Metrics(BaseModel):
    followers_count: int | None = None


class _User(BaseModel):
    id: _Id
    name: str | None = None
    username: str | None = None
    profile_image_url: str | None = None
    verified: bool | None = None
    public_metrics: _Metrics = _Metrics()


class _UserAnswer(BaseModel):
    data: _User


class _Created(BaseModel):
    id: _Id


class _CreatedAnswer(BaseModel):
    data: _Created


class _Url(BaseModel):
    url: str
    expanded_url: str | None = None
    media_key: str | None = None


class _Entities(BaseModel):
    urls: list[_Url] = []


class _Attachments(BaseModel):
    media_keys: list[str] = []


class _Post(BaseModel):
    id: _Id
    text: str
    created_at: AwareDatetime | None = None
    edit_history: Annotated[list[_Id], Field(alias="edit_history_tweet_ids")] = []
    entities: _Entities = _Entities()
    attachments: _Attachments = _Attachments()

    @property
    def versions(self) -> set[str]:
        """The ids under which the post was published: each edit gives it another one."""
        return {self.id, *self.edit_history}

    @property
    def is_whole(self) -> bool:
        """Whether all requested fields are there.

        X omits fields that would be empty, and silently those it doesn't know. A short link in the text tells
        the two apart: it needs an entity with its destination, and the link of a file needs the attachment.
        """
        links = {link.url: link for link in self.entities.urls}
        known = all(
            url in links and (links[url].expanded_url or self._is_of_file(links[url]))
            for url in _SHORT_LINK.findall(self.text)
        )
        has_file_link = any(link.media_key or self._is_of_file(link) for link in self.entities.urls)
        return self.created_at is not None and known and has_file_link == bool(self.attachments.media_keys)

    @property
    def has_own_file(self) -> bool:
        """Whether the post has a file. A link to another post's file also attaches it."""
        return any(map(self._is_of_file, self.entities.urls))

    @property
    def written(self) -> str:
        """The text as the user wrote it: HTML entities and short links expanded, the file's link removed."""
        text = unescaped(self.text)
        for link in self.entities.urls:
            text = text.replace(link.url, "" if self._is_of_file(link) else link.expanded_url or link.url)
        return text

    def is_of(self, publication: Publication, first: datetime) -> bool | None:
        """Whether this is the publication, sent at ``first`` or later; None if a field is missing."""
        if self.created_at is not None and self.created_at < first:
            return False
        if not self.is_whole:
            return None
        has_same_file = self.has_own_file == bool(publication.media)
        text = shows_text(self.written, publication.text)
        return compare(has_same_file, text, is_edited=len(self.edit_history) != 1)

    def _is_of_file(self, link: _Url) -> bool:
        address = link.expanded_url or ""
        if any(f"/status/{version}/" in address for version in self.versions):
            return True
        return bool(link.media_key) and _OF_POST.search(address) is None


class _Meta(BaseModel):
    result_count: int
    next_token: str | None = None


class _Timeline(BaseModel):
    data: list[_Post] = []
    meta: _Meta | None = None

    @property
    def shows_fields(self) -> bool:
        """Whether X accepted the parameter for fields: every post has a date."""
        return all(post.created_at is not None for post in self.data)


class _Counts(BaseModel):
    impression_count: int | None = None
    like_count: int | None = None
    reply_count: int | None = None
    # Called repost_count in the description, but retweet_count in the prose and many responses.
    retweet_count: int | None = None
    repost_count: int | None = None
    quote_count: int | None = None

    @property
    def shares(self) -> int | None:
        reposts = self.retweet_count if self.repost_count is None else self.repost_count
        counts = [count for count in (reposts, self.quote_count) if count is not None]
        return sum(counts) if counts else None


class _Counted(BaseModel):
    id: _Id
    public_metrics: _Counts | None = None


class _CountedAnswer(BaseModel):
    data: list[_Counted] = []

    @property
    def shows_fields(self) -> bool:
        """Whether X accepted the parameter for fields."""
        return all(post.public_metrics is not None for post in self.data)


P = TypeVar("P", _Timeline, _CountedAnswer)


class X(CodeLogin):
    """The adapter for X."""

    platform: Final = ConnectionPlatform.X
    scopes: Final = ("tweet.read", "tweet.write", "users.read", "media.write", "offline.access")
    # X refuses copies without naming the original.
    repeat_window: Final = None
    keeps: Final = KEPT

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        self._hosts = hosts
        self._tokens = TokenEndpoint(http, f"{hosts.issuer}/{hosts.version}/oauth2/token", clock, _prove)
        self._rest = RestApi(http, f"{hosts.api}/{hosts.version}", lambda answer: refused(answer, clock()))
        self._files = XFiles(self._rest, clock)

    def authorization_url(
        self, credentials: AppCredentials, *, redirect_uri: str, state: str, code_challenge: str
    ) -> str:
        return consent_url(
            f"{self._hosts.consent}/i/oauth2/authorize",
            response_type="code",
            client_id=credentials.client_id,
            redirect_uri=redirect_uri,
            scope=" ".join(self.scopes),
            state=state,
            code_challenge=code_challenge,
            code_challenge_method="S256",
        )

    async def profiles(self, access_token: str) -> list[Profile]:
        """Return the user of the token."""
        params = {"user.fields": _USER_FIELDS}
        user = (await self._rest.get("users/me", access_token, _UserAnswer, params)).data
        profile = Profile(
            account_identifier=user.id,
            display_name=user.name,
            username=user.username,
            avatar_url=web_address(user.profile_image_url),
            is_verified=user.verified,
            follower_count=user.public_metrics.followers_count,
        )
        return [profile]

    async def prepare(self, publication: Publication) -> None:
        require_publishable(PostingPlatform.X, publication.post_type)
        if publication.post_type is not PostType.TEXT:
            await self._files.id_of(publication)

    async def publish(self, publication: Publication) -> Published:
        require_publishable(PostingPlatform.X, publication.post_type)
        body: dict[str, object] = {"text": publication.text}
        if publication.post_type is not PostType.TEXT:
            body["media"] = {"media_ids": [await self._files.id_of(publication)]}
        token = publication.access_token
        departure = publication.departure
        created = await self._rest.post("tweets", token, _CreatedAnswer, json=body, creating=departure)
        return self._published(publication, created.data.id)

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        """Find a post in the user's timeline by its text, the oldest if there are several.

        ABSENT only if the timeline was read back to ``since`` and has all requested fields.
        """
        first = self._rest.http.their_clock.since(since.astimezone(UTC))
        posts = await self._timeline(publication, first)
        if posts is None:
            return LookBack(LookBackOutcome.UNKNOWABLE)
        earliest = first - timedelta(seconds=1)
        found = (
            (self._published(publication, post.id), post.is_of(publication, earliest))
            for post in reversed(posts)
            if post.versions.isdisjoint(known)
        )
        return judge(found, read_all=True)

    def counted_at_once(self, account_identifier: str) -> int:
        del account_identifier
        return _PAGE

    async def metrics(
        self, access_token: str, account_identifier: str, content_ids: Collection[str]
    ) -> Sequence[ContentMetrics]:
        """Return public metrics, omitting deleted posts."""
        del account_identifier
        found: list[ContentMetrics] = []
        for ids in batched(content_ids, _PAGE):
            asked = {"ids": ",".join(ids)}
            page = await self._posts("tweets", access_token, _CountedAnswer, asked, "public_metrics")
            found += map(_metrics, page.data)
        return found

    def _published(self, publication: Publication, content_id: str) -> Published:
        author = quote(publication.username) if publication.username else "i/web"
        return Published(content_id, f"{self._hosts.seen_at}/{author}/status/{content_id}")

    async def _timeline(self, publication: Publication, first: datetime) -> list[_Post] | None:
        """Return the user's posts since ``first``, newest first; None if not all could be read."""
        posts: list[_Post] = []
        params = {
            "max_results": str(_PAGE),
            "start_time": first.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        path = f"users/{quote(publication.account_identifier, safe='')}/tweets"
        for _ in range(_MOST_PAGES):
            page = await self._posts(path, publication.access_token, _Timeline, params, _SHOWN)
            if page.meta is None or page.meta.result_count != len(page.data):
                return None  # a response with nothing but errors
            posts += page.data
            if page.meta.next_token is None:
                # A full page without a link to the next may have lost it.
                return posts if len(page.data) < _PAGE else None
            params["pagination_token"] = page.meta.next_token
        return None

    async def _posts(
        self, path: str, token: str, model: type[P], params: Mapping[str, str], fields: str
    ) -> P:
        """Return posts with the given fields, by X's current name for the parameter or the older one."""
        current, older = ({**params, name: fields} for name in _FIELDS_PARAMETERS)
        try:
            page = await self._rest.get(path, token, model, current)
        except PlatformError as error:
            if error.kind is not FailureKind.INVALID:
                raise
        else:
            if page.shows_fields:
                return page
        return await self._rest.get(path, token, model, older)


def _prove(credentials: AppCredentials, name: str) -> Proof:
    """Authenticate. Public clients don't have a secret, and send their ID in the form."""
    if not credentials.client_secret:
        return Proof({"client_id": credentials.client_id})
    return by_header(credentials, name)


def _metrics(post: _Counted) -> ContentMetrics:
    counts = post.public_metrics or _Counts()
    return ContentMetrics(
        content_id=post.id,
        views=counts.impression_count,
        likes=counts.like_count,
        comments=counts.reply_count,
        shares=counts.shares,
    )
