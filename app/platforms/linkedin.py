"""LinkedIn: texts of members and organizations, over the versioned Posts API.

A post of a member cannot be looked up (the scope for it is closed), but LinkedIn refuses the same content
within about ten minutes and names the first post.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import quote

from pydantic import BaseModel, Field

from app.contract.enums import ConnectionPlatform, PostingPlatform
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
    TokenGrant,
)
from app.platforms.hosts import Hosts
from app.platforms.http import Answer, Call, PlatformHttp, bearer
from app.platforms.little_text import escape, unescape
from app.platforms.oauth import consent_url, read_grant, required_secret
from app.platforms.publishable import require_publishable
from app.platforms.refusals import kind_of, retry_after, unexpected
from app.platforms.sameness import CLOCK_SKEW, same_text
from app.platforms.web import web_address

_AUTHOR: Final = re.compile(r"urn:li:(person|organization):[\w-]+", re.ASCII)
_CONTENT: Final = re.compile(r"urn:li:(?:share|ugcPost):\w+", re.ASCII)
_PAGE: Final = 100


class _Person(BaseModel):
    sub: str = Field(pattern=r"^[A-Za-z0-9_-]+$")
    name: str | None = None
    picture: str | None = None


class _Followers(BaseModel):
    member_followers_count: int = Field(alias="memberFollowersCount", ge=0)


class _FollowersAnswer(BaseModel):
    elements: list[_Followers] = Field(min_length=1)


class _Post(BaseModel):
    id: str
    commentary: str = ""
    created_at: int = Field(alias="createdAt")  # milliseconds since 1970


class _Posts(BaseModel):
    elements: list[_Post]


class _Refusal(BaseModel):
    message: str | None = None
    code: str | int | None = None
    service_error_code: int | None = Field(default=None, alias="serviceErrorCode")


class LinkedIn:
    """The adapter for LinkedIn."""

    platform: Final = ConnectionPlatform.LINKEDIN
    # What every app gets; analytics belong to a product that an app has to be admitted to.
    scopes: Final = ("openid", "profile", "w_member_social")
    # LinkedIn keeps it up for about ten minutes.
    repeat_window: Final = timedelta(minutes=8)

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        self._http = http
        self._hosts = hosts
        self._clock = clock

    def authorization_url(
        self, credentials: AppCredentials, *, redirect_uri: str, state: str, code_challenge: str
    ) -> str:
        """Where a browser asks for consent. LinkedIn takes no code challenge from web apps."""
        del code_challenge
        return consent_url(
            f"{self._hosts.consent}/oauth/v2/authorization",
            response_type="code",
            client_id=credentials.client_id,
            redirect_uri=redirect_uri,
            state=state,
            scope=" ".join(self.scopes),
        )

    async def exchange_code(
        self, credentials: AppCredentials, *, redirect_uri: str, code: str, code_verifier: str
    ) -> TokenGrant:
        del code_verifier
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect_uri}
        return await self._token(credentials, form, code)

    async def refresh(self, credentials: AppCredentials, refresh_token: str) -> TokenGrant:
        form = {"grant_type": "refresh_token", "refresh_token": refresh_token}
        return await self._token(credentials, form, refresh_token)

    async def profiles(self, access_token: str) -> list[Profile]:
        """The member of the token."""
        call = Call(
            method="GET",
            url=f"{self._hosts.api}/v2/userinfo",
            headers=bearer(access_token),
            secrets=(access_token,),
        )
        answer = await self._ask(call)
        person = answer.read(_Person)
        if person is None:
            raise unexpected(answer, self._http.name)
        profile = Profile(
            account_identifier=f"urn:li:person:{person.sub}",
            display_name=person.name,
            avatar_url=web_address(person.picture),
            follower_count=await self._followers(access_token),
        )
        return [profile]

    async def prepare(self, publication: Publication) -> None:
        require_publishable(PostingPlatform.LINKEDIN, publication.post_type)

    async def publish(self, publication: Publication) -> Published:
        require_publishable(PostingPlatform.LINKEDIN, publication.post_type)
        if _AUTHOR.fullmatch(publication.account_identifier) is None:
            raise PlatformError(
                FailureKind.INVALID, "author", "The account is no member or organization of LinkedIn."
            )
        body = _post_body(publication.account_identifier, publication.text)
        token = publication.access_token
        answer = await self._ask(self._rest("POST", "posts", token, json=body, creating=True))
        content_id = answer.headers.get("x-restli-id", "")
        if _CONTENT.fullmatch(content_id) is None:
            raise unexpected(answer, self._http.name)
        return Published(content_id, f"{self._hosts.consent}/feed/update/{quote(content_id)}/")

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        """Finds a post of an organization by its text; of a member nothing can be known."""
        author = publication.account_identifier
        if not author.startswith("urn:li:organization:"):
            return LookBack(LookBackOutcome.UNKNOWABLE)
        params = {"q": "author", "author": author, "count": str(_PAGE), "sortBy": "CREATED"}
        call = self._rest("GET", "posts", publication.access_token, params=params, method_name="FINDER")
        try:
            answer = await self._ask(call)
        except PlatformError as error:
            if error.kind is FailureKind.PERMISSION:
                return LookBack(LookBackOutcome.UNKNOWABLE)
            raise
        posts = answer.read(_Posts)
        if posts is None:
            raise unexpected(answer, self._http.name)
        return _find(posts.elements, publication.text, since - CLOCK_SKEW, known)

    async def metrics(self, access_token: str, content_ids: Collection[str]) -> Sequence[ContentMetrics]:
        """Nothing: the numbers of posts are shown to apps of the vetted analytics product alone."""
        del access_token, content_ids
        return []

    async def _token(self, credentials: AppCredentials, form: Mapping[str, str], grant: str) -> TokenGrant:
        secret = required_secret(credentials, self._http.name)
        call = Call(
            method="POST",
            url=f"{self._hosts.issuer}/oauth/v2/accessToken",
            form={**form, "client_id": credentials.client_id, "client_secret": secret},
            secrets=(grant, secret),
        )
        return read_grant(await self._http.send(call), self._http.name, self._clock())

    async def _followers(self, token: str) -> int | None:
        """The number of followers, where the app may see it; it is not worth failing for."""
        try:
            answer = await self._ask(self._rest("GET", "memberFollowersCount", token, params={"q": "me"}))
        except PlatformError:
            return None
        followers = answer.read(_FollowersAnswer)
        return None if followers is None else followers.elements[0].member_followers_count

    def _rest(
        self,
        method: str,
        path: str,
        token: str,
        *,
        params: Mapping[str, str] | None = None,
        json: Mapping[str, object] | None = None,
        creating: bool = False,
        method_name: str | None = None,
    ) -> Call:
        headers = bearer(token) | {
            "LinkedIn-Version": self._hosts.version,
            "X-Restli-Protocol-Version": "2.0.0",
        }
        if method_name is not None:
            headers["X-RestLi-Method"] = method_name
        return Call(
            method=method,
            url=f"{self._hosts.api}/rest/{path}",
            params=params or {},
            headers=headers,
            json=json,
            creating=creating,
            secrets=(token,),
        )

    async def _ask(self, call: Call) -> Answer:
        answer = await self._http.send(call)
        if not answer.is_success:
            raise _refused(answer)
        return answer


def _post_body(author: str, text: str) -> dict[str, object]:
    return {
        "author": author,
        "commentary": escape(text),
        "visibility": "PUBLIC",
        "distribution": {
            "feedDistribution": "MAIN_FEED",
            "targetEntities": [],
            "thirdPartyDistributionChannels": [],
        },
        "lifecycleState": "PUBLISHED",
        "isReshareDisabledByAuthor": False,
    }


def _find(posts: list[_Post], text: str, since: datetime, known: Collection[str]) -> LookBack:
    """The oldest of the posts that is the text; ``posts`` are a page, newest first."""
    first = since.timestamp() * 1000
    recent = [post for post in posts if post.created_at >= first]
    for post in reversed(recent):
        if post.id not in known and same_text(unescape(post.commentary), text):
            return LookBack(LookBackOutcome.FOUND, post.id)
    read_all = len(recent) < len(posts) or len(posts) < _PAGE
    return LookBack(LookBackOutcome.ABSENT if read_all else LookBackOutcome.UNKNOWABLE)


def _refused(answer: Answer) -> PlatformError:
    refusal = answer.read(_Refusal) or _Refusal()
    message = refusal.message or f"LinkedIn answered {answer.status}."
    code = refusal.code or refusal.service_error_code or f"http_{answer.status}"
    kind, existing = kind_of(answer), None
    if answer.status in {400, 409, 422} and "duplicate" in message.lower():
        kind, named = FailureKind.DUPLICATE, _CONTENT.search(message)
        existing = named.group() if named else None
    elif answer.status == 409:
        kind = FailureKind.TRANSIENT  # a write conflict: refused, and worth another try
    elif answer.status == 426:
        kind = FailureKind.PERMISSION  # the version of the API has been sunset
    return PlatformError(
        kind,
        answer.words(str(code)),
        answer.words(message),
        retry_after=retry_after(answer),
        existing_content_id=existing,
    )
