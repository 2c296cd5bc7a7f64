"""LinkedIn: posts of members and organizations, over the versioned Posts API.

A member's post can't be looked up (the scope for it is closed), but LinkedIn refuses the same content for
about ten minutes and names the first post.
"""

import re
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, Field

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
from app.platforms.http import Call, PlatformHttp, bearer
from app.platforms.likeness import compare, shows_text
from app.platforms.linkedin.files import LinkedInFiles
from app.platforms.linkedin.organizations import (
    MOST_OF_ORGANIZATION,
    ORGANIZATION,
    LinkedInCounts,
    LinkedInOrganizations,
)
from app.platforms.linkedin.rest import CONTENT_URN, LinkedInRest
from app.platforms.oauth import CodeLogin, TokenEndpoint, consent_url, required_secret, scopes_in
from app.platforms.publication import KEPT, alt_text_of, judge, require_publishable
from app.platforms.rest import unexpected, web_address

# Unescaped, some characters begin hashtags, mentions and templates, and an open parenthesis silently ends
# the text.
_RESERVED: Final = r"\\|{}@\[\]()<>#*_~"
_TO_ESCAPE: Final = re.compile(rf"[{_RESERVED}]")
# LinkedIn may escape more than we do, and return a hashtag as a template.
_ESCAPED: Final = re.compile(r"\\([^\w\s]|_)|\{hashtag\|\\?#\|([^{}|]+)\}")


def escape(text: str) -> str:
    """Return the commentary that displays exactly this text."""
    return _TO_ESCAPE.sub(r"\\\g<0>", text)


def unescape(commentary: str) -> str:
    """Return the text that one of our commentaries displays."""
    return _ESCAPED.sub(lambda found: found[1] or f"#{found[2]}", commentary)


_AUTHOR: Final = re.compile(r"urn:li:(person|organization):[\w-]+", re.ASCII)
_FILES: Final = frozenset({"urn:li:image", "urn:li:video"})
_PAGE: Final = 100
_PROCESSED_MS: Final = 10_000
"""How long LinkedIn may modify a new post itself; nobody edits a post so soon."""


class _Person(BaseModel):
    sub: str = Field(pattern=r"^[A-Za-z0-9_-]+$")
    name: str | None = None
    picture: str | None = None


class _Followers(BaseModel):
    member_followers_count: int = Field(alias="memberFollowersCount", ge=0)


class _FollowersAnswer(BaseModel):
    elements: list[_Followers] = Field(min_length=1)


class _Inspected(BaseModel):
    active: bool
    status: str | None = None
    scope: str | None = None


class _Media(BaseModel):
    id: str | None = None


class _Content(BaseModel):
    media: _Media | None = None


class _State(BaseModel):
    is_edited: bool | None = Field(default=None, alias="isEditedByAuthor")


class _Post(BaseModel):
    """A post. LinkedIn omits the content of text posts."""

    id: str
    commentary: str | None = None
    created_at: int = Field(alias="createdAt")  # ms since 1970
    modified_at: int | None = Field(default=None, alias="lastModifiedAt")
    state: _State = Field(default=_State(), alias="lifecycleStateInfo")
    content: _Content | None = None

    def is_of(self, publication: Publication, file: str | None) -> bool | None:
        """Whether this is the publication, whose file has the URN ``file``; None if it can't be told.

        Authors can edit the text, but not the file.
        """
        text = None if self.commentary is None else shows_text(unescape(self.commentary), publication.text)
        shown = self.content.media.id if self.content and self.content.media else None
        if publication.post_type is PostType.TEXT:
            has_none = True if self.content is None else None
            return False if shown is not None else compare(text, has_none, is_edited=self._is_edited)
        if shown is None or file is None:
            return compare(text, None, is_edited=self._is_edited)
        return _is_same_file(shown, file)

    @property
    def _is_edited(self) -> bool | None:
        if self.state.is_edited is not None or self.modified_at is None:
            return self.state.is_edited
        return self.modified_at - self.created_at > _PROCESSED_MS


def _is_same_file(shown: str, file: str) -> bool | None:
    """Whether two URNs name the same file; None for other types, as a file can have several URNs."""
    kind, _, number = shown.rpartition(":")
    if number == file.rpartition(":")[2]:
        return True
    return False if kind in _FILES else None


class _Link(BaseModel):
    rel: str = ""


class _Paging(BaseModel):
    links: list[_Link] = []


class _Posts(BaseModel):
    elements: list[_Post]
    paging: _Paging = _Paging()

    @property
    def is_last(self) -> bool:
        """Whether no page follows. Pages may have fewer posts than requested."""
        return len(self.elements) < _PAGE and all(link.rel != "next" for link in self.paging.links)


class LinkedIn(CodeLogin):
    """The adapter for LinkedIn."""

    platform: Final = ConnectionPlatform.LINKEDIN
    # The scopes of every app. Organizations and analytics need a product that LinkedIn must approve.
    scopes: Final = ("openid", "profile", "w_member_social")
    # LinkedIn refuses copies for about ten minutes.
    repeat_window: Final = timedelta(minutes=8)
    keeps: Final = KEPT
    takes_verifier = False

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        self._http = http
        self._hosts = hosts
        self._tokens = TokenEndpoint(http, f"{hosts.issuer}/oauth/{hosts.login_version}/accessToken", clock)
        self._rest = LinkedInRest(http, hosts)
        self._files = LinkedInFiles(self._rest, clock)
        self._organizations = LinkedInOrganizations(self._rest)
        self._counts = LinkedInCounts(self._rest)

    def authorization_url(
        self, credentials: AppCredentials, *, redirect_uri: str, state: str, code_challenge: str
    ) -> str:
        """Return the URL of the consent page. LinkedIn accepts no code challenge from web apps."""
        del code_challenge
        return consent_url(
            f"{self._hosts.consent}/oauth/{self._hosts.login_version}/authorization",
            response_type="code",
            client_id=credentials.client_id,
            redirect_uri=redirect_uri,
            state=state,
            scope=" ".join((*self.scopes, *credentials.more_scopes)),
        )

    async def profiles(self, access_token: str) -> list[Profile]:
        """Return the token's member, and the organizations the member can publish to."""
        call = Call(
            method="GET",
            url=f"{self._hosts.api}/{self._hosts.login_version}/userinfo",
            headers=bearer(access_token),
            secrets=(access_token,),
        )
        answer = await self._rest.ask(call)
        person = answer.read(_Person)
        if person is None:
            raise unexpected(answer, self._http.name)
        profile = Profile(
            account_identifier=f"urn:li:person:{person.sub}",
            display_name=person.name,
            avatar_url=web_address(person.picture),
            follower_count=await self._followers(access_token),
        )
        return [profile, *await self._organizations.profiles(access_token)]

    async def granted(self, credentials: AppCredentials, access_token: str) -> frozenset[str] | None:
        """Ask LinkedIn's token inspector, which also notices products that were removed from the app."""
        secret = required_secret(credentials, self._http.name)
        call = Call(
            method="POST",
            url=f"{self._hosts.issuer}/oauth/{self._hosts.login_version}/introspectToken",
            form={"client_id": credentials.client_id, "client_secret": secret, "token": access_token},
            secrets=(secret, access_token),
        )
        answer = await self._rest.ask(call)
        found = answer.read(_Inspected)
        if found is None:
            raise unexpected(answer, self._http.name)
        if not found.active:
            message = f"LinkedIn says that this access is {found.status or 'no longer active'}."
            raise PlatformError(FailureKind.AUTH_EXPIRED, found.status or "inactive", message)
        return scopes_in(found.scope)

    async def prepare(self, publication: Publication) -> None:
        await self._file(publication)

    async def publish(self, publication: Publication) -> Published:
        body = _post_body(publication, await self._file(publication))
        token = publication.access_token
        call = self._rest.call("POST", "posts", token, json=body, creating=publication.departure)
        answer = await self._rest.ask(call)
        content_id = answer.headers.get("x-restli-id", "")
        if CONTENT_URN.fullmatch(content_id) is None:
            raise unexpected(answer, self._http.name)
        return self._rest.published(content_id)

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        """Find an organization's post by its file or text. A member's posts are UNKNOWABLE."""
        author = publication.account_identifier
        if not ORGANIZATION.fullmatch(author):
            return LookBack(LookBackOutcome.UNKNOWABLE)
        params = {"q": "author", "author": author, "count": str(_PAGE), "sortBy": "CREATED"}
        call = self._rest.call("GET", "posts", publication.access_token, params=params, method_name="FINDER")
        try:
            answer = await self._rest.ask(call)
        except PlatformError as error:
            if error.kind is FailureKind.PERMISSION:
                return LookBack(LookBackOutcome.UNKNOWABLE)
            raise
        posts = answer.read(_Posts)
        if posts is None:
            raise unexpected(answer, self._http.name)
        first = self._http.their_clock.since(since).timestamp() * 1000
        file = await self._files.brought(publication)
        recent = [one for one in posts.elements if one.created_at >= first]
        found = (
            (self._rest.published(post.id), post.is_of(publication, file))
            for post in reversed(recent)
            if post.id not in known
        )
        is_read = len(recent) < len(posts.elements) or posts.is_last
        return judge(found, read_all=is_read, by_steps=publication.post_type is not PostType.TEXT)

    async def followers(self, access_token: str, account_identifier: str) -> int | None:
        """Return an account's followers, without the calls for each organization of the member."""
        if ORGANIZATION.fullmatch(account_identifier):
            return await self._organizations.followers(access_token, account_identifier)
        return await self._followers(access_token)

    def counted_at_once(self, account_identifier: str) -> int:
        """Members' posts need one call each."""
        return MOST_OF_ORGANIZATION if ORGANIZATION.fullmatch(account_identifier) else 1

    async def metrics(
        self, access_token: str, account_identifier: str, content_ids: Collection[str]
    ) -> Sequence[ContentMetrics]:
        """Return the metrics of posts, which LinkedIn only shows to apps approved for analytics."""
        if ORGANIZATION.fullmatch(account_identifier):
            return await self._counts.of_organization(access_token, account_identifier, content_ids)
        return await self._counts.of_member(access_token, content_ids)

    async def _file(self, publication: Publication) -> str | None:
        """Return the URN of the publication's file, uploading it if necessary."""
        require_publishable(PostingPlatform.LINKEDIN, publication.post_type)
        if _AUTHOR.fullmatch(publication.account_identifier) is None:
            raise PlatformError(
                FailureKind.INVALID, "author", "The account isn't a member or organization on LinkedIn."
            )
        match publication.post_type:
            case PostType.IMAGE:
                return await self._files.image(publication)
            case PostType.VIDEO:
                return await self._files.video(publication)
        return None

    async def _followers(self, token: str) -> int | None:
        """Return the number of followers, if the app can see it. Failing isn't worth it."""
        try:
            answer = await self._rest.ask(
                self._rest.call("GET", "memberFollowersCount", token, params={"q": "me"})
            )
        except PlatformError:
            return None
        followers = answer.read(_FollowersAnswer)
        return None if followers is None else followers.elements[0].member_followers_count


def _post_body(publication: Publication, file: str | None) -> dict[str, object]:
    body: dict[str, object] = {
        "author": publication.account_identifier,
        "commentary": escape(publication.text),
        "visibility": "PUBLIC",
        "distribution": {
            "feedDistribution": "MAIN_FEED",
            "targetEntities": [],
            "thirdPartyDistributionChannels": [],
        },
        "lifecycleState": "PUBLISHED",
        "isReshareDisabledByAuthor": False,
    }
    if file is not None:
        media = {"id": file}
        if publication.post_type is PostType.VIDEO and publication.title:
            media["title"] = publication.title
        if alt_text := alt_text_of(PostingPlatform.LINKEDIN, publication):
            media["altText"] = alt_text
        body["content"] = {"media": media}
    return body
