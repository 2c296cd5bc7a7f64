"""Bluesky: texts and images, over AT Protocol with an app password."""

import base64
import binascii
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Final
from urllib.parse import quote, urlencode

from pydantic import BaseModel, Field, ValidationError

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.platforms.adapters import SignInFault
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
from app.platforms.bluesky.files import KEPT, BlueskyFiles
from app.platforms.bluesky.keys import record_key
from app.platforms.bluesky.refusals import refused
from app.platforms.bluesky.text import Facet, Feature, find_facets
from app.platforms.card import Hosts
from app.platforms.http import Call, PlatformHttp, bearer
from app.platforms.oauth import Token
from app.platforms.publication import require_publishable
from app.platforms.rest import RestApi, batched, unexpected, web_address

_POSTS: Final = "app.bsky.feed.post"
_PAGE: Final = 25
_MENTIONS_MAX: Final = 20
"""How many handles of a text are looked up; each takes a call at the time of the post."""
_POST_ADDRESS: Final = re.compile(rf"at://(did:[a-z]+:[\w.:%-]+)/{re.escape(_POSTS)}/(\w+)", re.ASCII)
_APP_PASSWORD: Final = re.compile(r"[a-z0-9]{4}(?:-[a-z0-9]{4}){3}")
"""Any other password would open the whole account, so it isn't sent."""
_DEFAULT_DOMAIN: Final = "bsky.social"
_UNSEEN: Final = re.compile(r"[\s\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+")
"""Bluesky puts such characters around handles, and they're copied along."""
_Did = Annotated[str, Field(pattern=r"^did:[a-z]+:[A-Za-z0-9._:%-]{1,500}$")]


class _Session(BaseModel):
    access: Annotated[Token, Field(alias="accessJwt")]
    refresh: Annotated[Token, Field(alias="refreshJwt")]


class _Expiry(BaseModel):
    exp: Annotated[int, Field(ge=0, le=10**11)]


class _Account(BaseModel):
    did: _Did
    handle: str


class _Verification(BaseModel):
    status: Annotated[str, Field(alias="verifiedStatus")] = ""


class _Profile(BaseModel):
    name: Annotated[str | None, Field(alias="displayName")] = None
    avatar: str | None = None
    followers: Annotated[int | None, Field(alias="followersCount")] = None
    verification: _Verification | None = None


class _Resolved(BaseModel):
    did: _Did


class _Record(BaseModel):
    uri: str


class _Counted(BaseModel):
    uri: str
    likes: Annotated[int | None, Field(alias="likeCount")] = None
    replies: Annotated[int | None, Field(alias="replyCount")] = None
    reposts: Annotated[int | None, Field(alias="repostCount")] = None
    quotes: Annotated[int | None, Field(alias="quoteCount")] = None


class _CountedAnswer(BaseModel):
    posts: list[_Counted]


class Bluesky:
    """The adapter for Bluesky."""

    platform: Final = ConnectionPlatform("bluesky")
    repeat_window: Final = None
    keeps: Final = KEPT

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        self._http = http
        self._hosts = hosts
        self._clock = clock
        self._rest = RestApi(http, f"{hosts.api}/xrpc", lambda answer: refused(answer, clock()))
        self._files = BlueskyFiles(self._rest, clock)

    async def sign_in(self, handle: str, app_password: str) -> TokenGrant:
        """Return the tokens of a new session. The password is used once and not stored."""
        password, identifier = app_password.strip(), _full_handle(handle)
        if not _APP_PASSWORD.fullmatch(password):
            raise _not_an_app_password()
        call = Call(
            method="POST",
            url=self._rest.address("com.atproto.server.createSession"),
            json={"identifier": identifier, "password": password},
            secrets=(password,),
        )
        try:
            return await self._session(call)
        except PlatformError as error:
            if error.code == "AuthFactorTokenRequired":  # Bluesky asks for a code by email
                raise _not_an_app_password() from None
            if error.kind is not FailureKind.AUTH_EXPIRED:
                raise
        if await self._is_unknown(identifier):  # the refusal doesn't say which of the two is wrong
            message = f"Bluesky doesn't know the handle {identifier}."
            raise PlatformError(FailureKind.INVALID, SignInFault.HANDLE, message)
        message = "Bluesky doesn't accept this app password for this handle."
        raise PlatformError(FailureKind.INVALID, SignInFault.REFUSED, message)

    async def refresh(self, credentials: AppCredentials, refresh_token: str) -> TokenGrant:
        """Return new tokens. The former refresh token soon stops working."""
        del credentials
        call = Call(
            method="POST",
            url=self._rest.address("com.atproto.server.refreshSession"),
            headers=bearer(refresh_token),
            secrets=(refresh_token,),
        )
        return await self._session(call)

    async def sign_out(self, grant: TokenGrant) -> None:
        """End the session. Bluesky identifies it by the refresh token."""
        if grant.refresh_token is None:
            return
        call = Call(
            method="POST",
            url=self._rest.address("com.atproto.server.deleteSession"),
            headers=bearer(grant.refresh_token),
            secrets=(grant.refresh_token,),
        )
        try:
            await self._rest.ask(call)
        except PlatformError as error:
            if error.kind is not FailureKind.AUTH_EXPIRED:
                raise

    async def profiles(self, access_token: str) -> list[Profile]:
        """Return the account of the token."""
        account = await self._rest.get("com.atproto.server.getSession", access_token, _Account)
        profile = await self._profile(access_token, account.did)
        verification = profile.verification
        return [
            Profile(
                account_identifier=account.did,
                display_name=profile.name or account.handle,
                username=account.handle,
                avatar_url=web_address(profile.avatar),
                is_verified=None if verification is None else verification.status == "valid",
                follower_count=profile.followers,
            )
        ]

    async def prepare(self, publication: Publication) -> None:
        require_publishable(PostingPlatform("bluesky"), publication.post_type)
        if publication.post_type is not PostType.TEXT:
            await self._files.upload(publication)

    async def publish(self, publication: Publication) -> Published:
        """Store the post's record under its key, unless the key is taken.

        Raises PlatformError (DUPLICATE) with the existing post if an earlier attempt has published it.
        """
        require_publishable(PostingPlatform("bluesky"), publication.post_type)
        record: dict[str, object] = {"$type": _POSTS, "text": publication.text}
        if publication.post_type is not PostType.TEXT:
            record["embed"] = await self._files.embed(publication)
        await publication.departure.depart()
        if facets := await self._facets(publication):
            record["facets"] = facets
        record["createdAt"] = self._clock().astimezone(UTC).isoformat(timespec="milliseconds")
        key = record_key(publication.post_id)
        body = {
            "repo": publication.account_identifier,
            "collection": _POSTS,
            "rkey": key,
            "record": record,
            "swapRecord": None,  # the key must be free
        }
        token, departure = publication.access_token, publication.departure
        try:
            await self._rest.post("com.atproto.repo.putRecord", token, _Record, json=body, creating=departure)
        except PlatformError as error:
            if error.kind is FailureKind.DUPLICATE:
                error.existing = self._published(publication)
            raise
        return self._published(publication)

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        """Look for a record under the post's key."""
        del since
        wanted = self._published(publication)
        asked = {
            "repo": publication.account_identifier,
            "collection": _POSTS,
            "rkey": record_key(publication.post_id),
        }
        try:
            found = await self._rest.get(
                "com.atproto.repo.getRecord", publication.access_token, _Record, asked
            )
        except PlatformError as error:
            if error.kind is FailureKind.INVALID and error.code == "RecordNotFound":
                return LookBack(LookBackOutcome.ABSENT)
            raise
        if found.uri != wanted.content_id or found.uri in known:
            return LookBack(LookBackOutcome.UNKNOWABLE)
        return LookBack(LookBackOutcome.FOUND, wanted)

    def counted_at_once(self, account_identifier: str) -> int:
        del account_identifier
        return _PAGE

    async def metrics(
        self, access_token: str, account_identifier: str, content_ids: Collection[str]
    ) -> Sequence[ContentMetrics]:
        """Return likes, replies, reposts and quotes. Bluesky doesn't count views."""
        del account_identifier
        found: list[ContentMetrics] = []
        for uris in batched(filter(_POST_ADDRESS.fullmatch, content_ids), _PAGE):
            query = urlencode([("uris", uri) for uri in uris])
            page = await self._rest.get(f"app.bsky.feed.getPosts?{query}", access_token, _CountedAnswer)
            found += map(_metrics, page.posts)
        return found

    async def _session(self, call: Call) -> TokenGrant:
        answer = await self._rest.ask(call)
        session = answer.read(_Session)
        if session is None:
            raise unexpected(answer, self._http.name)
        return TokenGrant(session.access, session.refresh, _expiry(session.access))

    async def _profile(self, token: str, did: str) -> _Profile:
        """Return the public profile. It comes from another server than the posts, which may be down."""
        try:
            return await self._rest.get("app.bsky.actor.getProfile", token, _Profile, {"actor": did})
        except PlatformError as error:
            if error.kind is FailureKind.AUTH_EXPIRED:
                raise
            return _Profile()

    async def _facets(self, publication: Publication) -> list[Mapping[str, object]]:
        """Return the facets of the text, by position. Mentions of unknown handles stay plain text."""
        found = find_facets(publication.text)
        handles = dict.fromkeys(one.value for one in found if one.feature is Feature.MENTION)
        known: dict[str, str] = {}
        for handle in list(handles)[:_MENTIONS_MAX]:
            if did := await self._did_of(publication.access_token, handle):
                known[handle] = did
        shown = [one for one in found if one.feature is not Feature.MENTION or one.value in known]
        return [_facet(one, known) for one in sorted(shown, key=lambda one: one.start)]

    async def _is_unknown(self, identifier: str) -> bool:
        if identifier.startswith("did:"):
            return False
        try:
            await self._resolved(identifier, None)
        except PlatformError as error:
            return error.kind is FailureKind.INVALID
        return False

    async def _did_of(self, token: str, handle: str) -> str | None:
        try:
            return await self._resolved(handle, token)
        except PlatformError as error:
            if error.kind in {FailureKind.AUTH_EXPIRED, FailureKind.RATE_LIMITED}:
                raise
            return None

    async def _resolved(self, handle: str, token: str | None) -> str:
        """Return the DID of a handle. The call works without a token too."""
        call = Call(
            method="GET",
            url=self._rest.address("com.atproto.identity.resolveHandle"),
            params={"handle": handle},
            headers={} if token is None else bearer(token),
            secrets=() if token is None else (token,),
        )
        return (await self._rest.fetch(call, _Resolved)).did

    def _published(self, publication: Publication) -> Published:
        did, key = publication.account_identifier, record_key(publication.post_id)
        author = quote(publication.username or did, safe=":")
        return Published(f"at://{did}/{_POSTS}/{key}", f"{self._hosts.seen_at}/profile/{author}/post/{key}")


def _not_an_app_password() -> PlatformError:
    message = "This isn't an app password. Create one in Bluesky's settings."
    return PlatformError(FailureKind.INVALID, SignInFault.FORM, message)


def _full_handle(written: str) -> str:
    """Return a handle without ``@``, and with Bluesky's own domain if it has none."""
    handle = _UNSEEN.sub("", written).removeprefix("@").lower()
    return handle if "." in handle or ":" in handle else f"{handle}.{_DEFAULT_DOMAIN}"


def _facet(facet: Facet, dids: Mapping[str, str]) -> Mapping[str, object]:
    name = {"mention": "did", "link": "uri", "tag": "tag"}[facet.feature.value]
    value = dids[facet.value] if facet.feature is Feature.MENTION else facet.value
    return {
        "index": {"byteStart": facet.start, "byteEnd": facet.end},
        "features": [{"$type": f"app.bsky.richtext.facet#{facet.feature.value}", name: value}],
    }


def _expiry(token: str) -> datetime | None:
    """Return when a token expires; None if it can't be read."""
    try:
        middle = token.split(".")[1]
        content = base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4))
        return datetime.fromtimestamp(_Expiry.model_validate_json(content).exp, UTC)
    except (IndexError, binascii.Error, ValidationError, OverflowError, OSError, ValueError):
        return None


def _metrics(post: _Counted) -> ContentMetrics:
    shared = [count for count in (post.reposts, post.quotes) if count is not None]
    return ContentMetrics(
        content_id=post.uri,
        views=None,
        likes=post.likes,
        comments=post.replies,
        shares=sum(shared) if shared else None,
    )
