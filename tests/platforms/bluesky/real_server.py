"""The adapter against Bluesky's own server. Run ``pytest tests/platforms/bluesky/real_server.py``.

It isn't part of the suite, because it downloads and compiles the server first.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

import httpx
import pytest

from app.contract.enums import PostType
from app.platforms.base import (
    AppCredentials,
    Cause,
    FailureKind,
    LookBackOutcome,
    PlatformError,
    Profile,
    Publication,
    Published,
    TokenGrant,
)
from app.platforms.bluesky.adapter import Bluesky
from app.platforms.bluesky.card import BLUESKY
from app.platforms.http import PlatformHttp
from app.platforms.wire import LostError, Network, Reply, Request, Timeouts
from tests.platforms.bluesky.pds import Addresses, running
from tests.platforms.world import picture

T = TypeVar("T")
_POSTS = "app.bsky.feed.post"


class Losing:
    """A network that may lose the answers of calls that publish. The calls arrive."""

    def __init__(self, *, loses: bool) -> None:
        self._network = Network(Timeouts())
        self._loses = loses

    async def exchange(self, request: Request) -> Reply:
        reply = await self._network.exchange(request)
        if request.url.endswith("putRecord") and self._loses:
            raise LostError("lost by the test")
        return reply

    async def aclose(self) -> None:
        await self._network.aclose()


@dataclass(frozen=True)
class Server:
    """The server, and one account on it."""

    servers: Addresses
    http: httpx.Client
    handle: str
    password: str
    grant: TokenGrant
    profile: Profile

    def post(self, text: str, **more: Any) -> Publication:
        plain = Publication(
            account_identifier=self.profile.account_identifier,
            username=self.handle,
            access_token=self.grant.access_token,
            post_type=PostType.TEXT,
            title=None,
            text=text,
        )
        return replace(plain, **more)

    def run(self, work: Callable[[Bluesky], Awaitable[T]]) -> T:
        return run(self.servers, work)

    def fail(self, work: Callable[[Bluesky], Awaitable[Any]], *, loses: bool = False) -> PlatformError:
        with pytest.raises(PlatformError) as caught:
            run(self.servers, work, loses=loses)
        return caught.value

    def records(self) -> list[dict[str, Any]]:
        """Every post in the account's repository."""
        found: list[dict[str, Any]] = []
        asked = {"repo": self.profile.account_identifier, "collection": _POSTS, "limit": "100"}
        while True:
            page = self.http.get("/xrpc/com.atproto.repo.listRecords", params=asked).json()
            found += page["records"]
            if not page.get("cursor"):
                return found
            asked["cursor"] = page["cursor"]

    def record_of(self, published: Published) -> dict[str, Any]:
        [value] = [one["value"] for one in self.records() if one["uri"] == published.content_id]
        assert isinstance(value, dict)
        return value


def run(servers: Addresses, work: Callable[[Bluesky], Awaitable[T]], *, loses: bool = False) -> T:
    async def main() -> T:
        wire = Losing(loses=loses)
        http = PlatformHttp(wire, "Bluesky", Timeouts())
        try:
            hosts = BLUESKY.hosts._replace(api=servers.pds, directory=servers.plc)
            return await work(Bluesky(http, hosts, lambda: datetime.now(UTC)))
        finally:
            await wire.aclose()

    return asyncio.run(main())


@pytest.fixture(scope="module")
def servers() -> Iterator[Addresses]:
    with running() as found:
        yield found


@pytest.fixture(scope="module")
def server(servers: Addresses) -> Iterator[Server]:
    with httpx.Client(base_url=servers.pds, trust_env=False, timeout=60) as http:
        yield _account(servers, http, "robin.test")


def _account(servers: Addresses, http: httpx.Client, handle: str) -> Server:
    new = {"email": f"{handle}@example.com", "handle": handle, "password": "the real password"}
    created = http.post("/xrpc/com.atproto.server.createAccount", json=new)
    assert created.status_code == 200, created.text
    owner = {"Authorization": f"Bearer {created.json()['accessJwt']}"}
    made = http.post("/xrpc/com.atproto.server.createAppPassword", json={"name": "Kalends"}, headers=owner)
    password = made.json()["password"]
    grant = run(servers, lambda adapter: adapter.sign_in(handle, password))
    [profile] = run(servers, lambda adapter: adapter.profiles(grant.access_token))
    return Server(servers, http, handle, password, grant, profile)


def test_an_app_password_connects_an_account(server: Server) -> None:
    assert server.profile.username == "robin.test"
    assert server.profile.account_identifier.startswith("did:plc:")
    assert server.grant.expires_at is not None
    assert server.grant.expires_at > datetime.now(UTC)
    error = server.fail(lambda adapter: adapter.sign_in(server.handle, "aaaa-bbbb-cccc-dddd"))
    assert error.kind is FailureKind.INVALID


def test_tokens_are_renewed_and_an_access_token_renews_nothing(server: Server) -> None:
    refresh = server.grant.refresh_token or ""
    renewed = server.run(lambda adapter: adapter.refresh(AppCredentials(""), refresh))
    assert server.run(lambda adapter: adapter.profiles(renewed.access_token)) == [server.profile]
    wrong = server.grant.access_token
    assert server.fail(lambda adapter: adapter.refresh(AppCredentials(""), wrong)).kind is (
        FailureKind.AUTH_EXPIRED
    )
    assert server.fail(lambda adapter: adapter.profiles("e30.e30.c2ln")).kind is FailureKind.AUTH_EXPIRED


def test_a_text_is_stored_with_its_facets(server: Server) -> None:
    other = _account(server.servers, server.http, "linen.test")
    text = "Grüße 👩\u200d💻 @linen.test @nobody.test https://example.com/a?b=1&c=2 #wool"
    published = server.run(lambda adapter: adapter.publish(server.post(text)))
    record = server.record_of(published)
    assert record["text"] == text
    parts = [
        (text.encode()[one["index"]["byteStart"] : one["index"]["byteEnd"]].decode(), one["features"])
        for one in record["facets"]
    ]
    facet = "app.bsky.richtext.facet"
    assert parts == [
        ("@linen.test", [{"$type": f"{facet}#mention", "did": other.profile.account_identifier}]),
        (
            "https://example.com/a?b=1&c=2",
            [{"$type": f"{facet}#link", "uri": "https://example.com/a?b=1&c=2"}],
        ),
        ("#wool", [{"$type": f"{facet}#tag", "tag": "wool"}]),
    ]


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_an_image_is_stored_with_its_description_and_shape(server: Server, kind: str) -> None:
    media = picture(kind, alt_text="Two skeins")
    post = server.post(f"A {kind}", post_type=PostType.IMAGE, media=media)
    published = server.run(lambda adapter: adapter.publish(post))
    embed = server.record_of(published)["embed"]
    assert embed["$type"] == "app.bsky.embed.images"
    [image] = embed["images"]
    assert (image["alt"], image["aspectRatio"]) == ("Two skeins", {"width": 640, "height": 480})
    asked = {"did": server.profile.account_identifier, "cid": image["image"]["ref"]["$link"]}
    blob = server.http.get("/xrpc/com.atproto.sync.getBlob", params=asked)
    assert len(blob.content) == media.size == image["image"]["size"]


def test_a_second_call_is_refused_and_names_the_first(server: Server) -> None:
    post = server.post("Once")
    published = server.run(lambda adapter: adapter.publish(post))
    error = server.fail(lambda adapter: adapter.publish(post))
    assert (error.kind, error.existing) == (FailureKind.DUPLICATE, published)
    assert len([one for one in server.records() if one["value"]["text"] == "Once"]) == 1


def test_a_lost_answer_is_found_and_a_deleted_post_is_absent(server: Server) -> None:
    post = server.post("Lost")

    def look() -> LookBackOutcome:
        now = datetime.now(UTC)
        return server.run(lambda adapter: adapter.look_back(post, since=now, known=())).outcome

    assert look() is LookBackOutcome.ABSENT
    assert server.fail(lambda adapter: adapter.publish(post), loses=True).kind is FailureKind.AMBIGUOUS
    assert look() is LookBackOutcome.FOUND
    [uri] = [one["uri"] for one in server.records() if one["value"]["text"] == "Lost"]
    gone = {"repo": server.profile.account_identifier, "collection": _POSTS, "rkey": uri.split("/")[-1]}
    owner = {"Authorization": f"Bearer {server.grant.access_token}"}
    answer = server.http.post("/xrpc/com.atproto.repo.deleteRecord", json=gone, headers=owner)
    assert answer.status_code == 200, answer.text
    assert look() is LookBackOutcome.ABSENT


@pytest.mark.parametrize(
    ("text", "is_taken"),
    [
        ("👩\u200d💻" * 272, True),  # 2,992 bytes
        ("a" * 300, True),
        ("a" * 301, False),
        ("👩\u200d💻" * 273, False),  # 3,003 bytes
    ],
)
def test_the_limits_of_a_text_are_those_of_the_card(server: Server, text: str, is_taken: bool) -> None:
    post = server.post(text)
    if is_taken:
        server.run(lambda adapter: adapter.publish(post))
        return
    error = server.fail(lambda adapter: adapter.publish(post))
    assert (error.kind, error.cause) == (FailureKind.INVALID, Cause.TEXT_LENGTH)


def test_an_image_that_is_too_large_is_refused(server: Server) -> None:
    media = picture("PNG", 1000, 800)
    assert media.size > 2_000_000
    post = server.post("Large", post_type=PostType.IMAGE, media=media)
    error = server.fail(lambda adapter: adapter.publish(post))
    assert error.kind is FailureKind.INVALID
