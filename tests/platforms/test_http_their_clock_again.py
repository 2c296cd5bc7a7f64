"""Which answers are heard, and from whom."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from app.contract.enums import ConnectionPlatform
from app.platforms.base import PlatformError, TimeSource
from app.platforms.http import Call, PlatformHttp
from app.platforms.registry import build_adapters
from app.platforms.wire import Reply, Request, Timeouts

DATE = "Mon, 02 Mar 2026 09:22:15 GMT"
THEN = datetime(2026, 3, 2, 9, 22, 15, tzinfo=UTC)
BLUESKY, MASTODON = ConnectionPlatform("bluesky"), ConnectionPlatform("mastodon")


class Answering:
    """A network in which everybody gives the same answer."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers
        self.asked: list[tuple[str, str]] = []

    async def exchange(self, request: Request) -> Reply:
        self.asked.append((request.method, request.url))
        return Reply(401, self._headers, b"")

    async def aclose(self) -> None:
        """There is nothing to close."""


async def heard_by_http(headers: Mapping[str, str], count: int = 1) -> list[datetime]:
    heard: list[datetime] = []
    http = PlatformHttp(
        Answering(headers), "X", Timeouts(), heard=lambda _url, theirs, _at: heard.append(theirs)
    )
    for _ in range(count):
        await http.send(Call(method="HEAD", url="https://api.example/"))
    return heard


async def test_every_answer_is_heard_also_within_one_second() -> None:
    """They are two proofs: the clock may have been set between them."""
    assert await heard_by_http({"date": DATE}, 2) == [THEN, THEN]


@pytest.mark.parametrize("date", ["Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT"])
async def test_a_time_that_no_clock_shows_is_not_heard(date: str) -> None:
    assert await heard_by_http({"date": date}) == []


async def test_a_cache_tells_nothing() -> None:
    """It repeats the time at which it got the answer."""
    assert await heard_by_http({"date": DATE, "age": "170"}) == []


@pytest.mark.parametrize(
    ("source", "address"),
    [
        (TimeSource(ConnectionPlatform.X), "https://api.x.com/"),
        (TimeSource(ConnectionPlatform.LINKEDIN), "https://api.linkedin.com/"),
        (TimeSource(BLUESKY), "https://bsky.social/"),
        (
            TimeSource(MASTODON, "wool.example"),
            "https://wool.example/api/v1/accounts/verify_credentials",
        ),
    ],
)
async def test_who_is_asked_for_the_time_is_heard(source: TimeSource, address: str) -> None:
    heard: list[TimeSource] = []
    wire = Answering({"date": DATE})
    adapters = build_adapters(wire=wire, heard=lambda who, _theirs, _asked: heard.append(who))
    await adapters.ask_time(source)
    assert wire.asked == [("HEAD", address)]
    assert heard == [source]


@pytest.mark.parametrize("server", ["pds.example", "bsky.social.example"])
async def test_a_server_of_bluesky_that_is_not_its_own_is_heard_under_its_name(server: str) -> None:
    heard: list[TimeSource] = []
    adapter = build_adapters(
        wire=Answering({"date": DATE}), heard=lambda who, _theirs, _asked: heard.append(who)
    )[BLUESKY]
    with pytest.raises(PlatformError):
        await adapter.profiles(json.dumps({"pds": f"https://{server}", "token": "secret"}))
    assert heard == [TimeSource(BLUESKY, server)]
