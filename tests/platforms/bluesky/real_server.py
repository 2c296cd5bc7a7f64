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
from app.contract.places import PlaceOptions
from app.platforms.adapters import PushedRequest
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
    WebContent,
)
from app.platforms.bluesky.adapter import Bluesky
from app.platforms.bluesky.card import BLUESKY
from app.platforms.http import PlatformHttp
from app.platforms.wire import LostError, Network, Reply, Request, Timeouts
from tests.platforms.bluesky.pds import Addresses, running
from tests.platforms.bluesky.real_consent import callback
from tests.platforms.world import picture, video
from tests.real_browser import chromium

T = TypeVar("T")
_POSTS = "app.bsky.feed.post"
_PASSWORD = "the real password"


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
    new = {"email": f"{handle}@example.com", "handle": handle, "password": _PASSWORD}
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


@pytest.fixture(scope="module")
def consented(servers: Addresses, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An account that was allowed on the server's own pages, in Chromium."""
    if missing := chromium.missing():
        pytest.skip(f"needs {missing}")
    with httpx.Client(base_url=servers.pds, trust_env=False, timeout=60) as http, callback() as back:
        known = _account(servers, http, "otto.test")

        async def push(adapter: Bluesky) -> PushedRequest:
            return await adapter.push("otto.test", redirect_uri=back.url, state="the state")

        asked = run(servers, push)
        answer = back.allow(asked.url, _PASSWORD, tmp_path_factory.mktemp("browser"))
        assert answer["state"] == "the state"

        async def redeem(adapter: Bluesky) -> TokenGrant:
            return await adapter.redeem(asked.server, asked.secret, redirect_uri=back.url, answer=answer)

        grant = run(servers, redeem)
        [profile] = run(servers, lambda adapter: adapter.profiles(grant.access_token))
        assert profile == known.profile
        yield replace(known, grant=grant)


def test_an_account_that_was_allowed_in_the_browser_is_published_to(consented: Server) -> None:
    media = picture("JPEG", alt_text="Two skeins")
    posts = (
        consented.post("Allowed #wool", options=PlaceOptions(language="en")),
        consented.post("With an image", post_type=PostType.IMAGE, media=media),
    )

    async def publish(adapter: Bluesky) -> list[Published]:
        return [await adapter.publish(post) for post in posts]

    texts = [consented.record_of(published) for published in consented.run(publish)]
    assert [record["text"] for record in texts] == ["Allowed #wool", "With an image"]
    assert texts[0]["langs"] == ["en"]
    assert texts[1]["embed"]["images"][0]["image"]["size"] == media.size
    now = datetime.now(UTC)
    seen = consented.run(lambda adapter: adapter.look_back(posts[0], since=now, known=()))
    assert seen.outcome is LookBackOutcome.FOUND
    again = consented.fail(lambda adapter: adapter.publish(posts[0]))
    assert again.kind is FailureKind.DUPLICATE


def test_a_session_of_the_browser_is_renewed_and_ended(consented: Server) -> None:
    assert consented.grant.ends_at is not None
    refresh = consented.grant.refresh_token or ""
    renewed = consented.run(lambda adapter: adapter.refresh(AppCredentials(""), refresh))
    assert renewed.ends_at == consented.grant.ends_at
    assert consented.run(lambda adapter: adapter.profiles(renewed.access_token)) == [consented.profile]
    consented.run(lambda adapter: adapter.sign_out(renewed))
    ended = consented.fail(lambda adapter: adapter.refresh(AppCredentials(""), renewed.refresh_token or ""))
    assert ended.kind is FailureKind.AUTH_EXPIRED


def test_a_link_gets_a_card(server: Server) -> None:
    about = b"<meta property=og:description content=Soft><meta property=og:image content=/a.jpg>"
    page = b"<title>Wool</title>" + about
    picture_ = picture("JPEG", 100, 50)

    async def fetch(url: str, bytes_max: int) -> WebContent | None:
        assert bytes_max
        if url.endswith(".jpg"):
            async with picture_.open(0) as chunks:
                return WebContent(url, "image/jpeg", b"".join([chunk async for chunk in chunks]))
        return WebContent(url, "text/html", page)

    post = server.post("See https://linen.example/coat", fetch=fetch)
    embed = server.record_of(server.run(lambda adapter: adapter.publish(post)))["embed"]
    assert embed["$type"] == "app.bsky.embed.external"
    external = embed["external"]
    assert (external["uri"], external["title"], external["description"]) == (
        "https://linen.example/coat",
        "Wool",
        "Soft",
    )
    assert external["thumb"]["size"] == picture_.size


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


def test_a_video_is_stored_with_its_description_and_shape(server: Server) -> None:
    media = video(alt_text="Winding a skein")
    post = server.post("A video", post_type=PostType.VIDEO, media=media)
    embed = server.record_of(server.run(lambda adapter: adapter.publish(post)))["embed"]
    assert embed["$type"] == "app.bsky.embed.video"
    assert (embed["alt"], embed["aspectRatio"]) == ("Winding a skein", {"width": 1280, "height": 720})
    assert (embed["video"]["mimeType"], embed["video"]["size"]) == ("video/mp4", media.size)


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
