"""A whole service against a server of others, read back with a client of others.

Run ``MASTODON_TOOLS=PYTHON pytest tests/platforms/mastodon/real_client.py``, where ``PYTHON`` is an
interpreter of an environment with the packages ``mastodon_mock`` and ``Mastodon.py``. It isn't part of the
suite, because Kalends depends on neither.
"""

import json
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import httpx
import pytest

from app.network import Way
from app.platforms.registry import build_adapters
from app.platforms.wire import LostError, Network, Reply, Request, Timeouts, UnsentError
from app.service.outbound import OutboundPolicy
from app.service.outbound.servers import ServerGuard
from app.service.publishing.settings import PublishingSettings
from app.service.settings import RunOptions, Settings
from tests.platforms.world import picture
from tests.service.publishing.endtoend.stage import wait_for, working
from tests.service.running import Caller, in_hours, run_service

_TOOLS: Final = os.environ.get("MASTODON_TOOLS", sys.executable)
_NEEDED: Final = "import mastodon, mastodon_mock"
_POSTS: Final = 60
_READER: Final = """
import json, sys
from mastodon import Mastodon
url, token = sys.argv[1:]
client = Mastodon(api_base_url=url, access_token=token, version_check_mode="none")
me, page, found = client.me(), None, []
page = client.account_statuses(me.id, limit=40)
while page:
    for one in page:
        source = client.status_source(one.id)
        found.append({
            "id": str(one.id), "text": source.text, "warning": source.spoiler_text, "language": one.language,
            "visibility": one.visibility, "sensitive": one.sensitive, "url": one.url,
            "files": [[file.type, file.description] for file in one.media_attachments],
            "application": one.application.name if one.application else None,
        })
    page = client.fetch_next(page)
print(json.dumps(found))
"""

needs_tools = pytest.mark.skipif(
    subprocess.run([_TOOLS, "-c", _NEEDED], capture_output=True, check=False).returncode != 0,
    reason=f"{_TOOLS} has no mastodon_mock or Mastodon.py; name another interpreter as MASTODON_TOOLS",
)
pytestmark = needs_tools


class Weather:
    """A network that loses requests and answers of calls that publish, by chance."""

    def __init__(self) -> None:
        self._network = Network(Timeouts(), Way(), ServerGuard(OutboundPolicy(allow_private=True)))
        self._chance = random.Random(21)  # noqa: S311  chance, no secret
        self.lost = 0
        self.is_bad = False

    async def exchange(self, request: Request) -> Reply:
        roll = self._chance.random() if self.is_bad and request.url.endswith("/statuses") else 1.0
        if roll < 0.1:
            raise UnsentError("dropped by the test")
        reply = await self._network.exchange(request)
        if roll < 0.4:
            self.lost += 1
            raise LostError("lost by the test")
        return reply

    async def aclose(self) -> None:
        await self._network.aclose()


@dataclass(frozen=True)
class World:
    """The server, a service, and a caller of it."""

    server: str
    caller: Caller
    weather: Weather

    @property
    def base(self) -> str:
        return f"{self.caller.service.base_url}/companion/v1"

    def connected(self, name: str) -> dict[str, Any]:
        """An account that is connected on the server's own page."""
        body = {"platform": "mastodon", "server": self.server}
        begun = self.caller.http.post(f"{self.base}/places/initiate", json=body)
        assert begun.status_code == 201, begun.text
        allow(self.server, begun.json()["connect_url"], name)
        places = self.caller.http.get(f"{self.base}/places").json()["data"]
        return next(one for one in places if one["username"].startswith(f"{name}@"))

    def create(self, place: dict[str, Any], **changes: Any) -> dict[str, Any]:
        body = {
            "social_account_id": place["id"],
            "platform": "mastodon",
            "post_type": "text",
            "description": f"Wool {uuid4().hex}",
            **changes,
        }
        answer = self.caller.http.post(f"{self.base}/places/posts", json=body)
        assert answer.status_code == 201, answer.text
        created: dict[str, Any] = answer.json()
        return created

    def ended(self, post: dict[str, Any]) -> dict[str, Any]:
        def asked() -> dict[str, Any]:
            found: dict[str, Any] = self.caller.http.get(f"{self.base}/places/posts/{post['id']}").json()
            return found

        return wait_for(asked, lambda one: one["status"] in {"posted", "failed"})

    def stored(self, content: bytes) -> str:
        asked = {"filename": "wool.jpg", "content_type": "image/jpeg", "size_bytes": len(content)}
        given = self.caller.http.post("/media/upload-url", json=asked).json()
        with httpx.Client(verify=self.caller.service.trust, trust_env=False) as person:
            person.put(given["upload_url"], content=content).raise_for_status()
        path = str(given["storage_path"])
        described = {"alt_text": "Two skeins of wool"}
        assert self.caller.http.patch(f"{self.base}/media/{path}", json=described).status_code == 200
        return path

    def read_back(self, token: str) -> list[dict[str, Any]]:
        """What ``Mastodon.py`` shows of an account, newest first."""
        return read_back(self.server, token)


def allow(server: str, connect_url: str, name: str) -> None:
    """Allow access to an account on the server's own page."""
    asked = httpx.URL(connect_url)
    with httpx.Client(follow_redirects=True, trust_env=False, timeout=60) as browser:
        assert browser.get(asked).status_code == 200
        fields = {key: asked.params[key] for key in ("redirect_uri", "client_id", "scope", "state")}
        page = browser.post(f"{server}/oauth/authorize", data={**fields, "username": name})
    assert "is connected." in page.text, page.text


def read_back(server: str, token: str) -> list[dict[str, Any]]:
    """What ``Mastodon.py`` shows of the account of a token, newest first."""
    read = subprocess.run([_TOOLS, "-c", _READER, server, token], capture_output=True, text=True, check=False)
    assert read.returncode == 0, read.stderr
    found: list[dict[str, Any]] = json.loads(read.stdout)
    return found


@contextmanager
def serving(folder: Path, names: Sequence[str] = ("ada", "kim")) -> Iterator[str]:
    """Run the server with accounts of these names, each with the token ``NAME_token``."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = folder / "mock.toml"
    accounts = "".join(
        f'[[seed.accounts]]\nusername = "{name}"\naccess_token = "{name}_token"\n' for name in names
    )
    config.write_text(f'[database]\npath = "{folder / "mock.sqlite3"}"\n{accounts}', "utf-8")
    command = [_TOOLS, "-m", "mastodon_mock", "serve", "--config", str(config), "--port", str(port)]
    server = f"http://127.0.0.1:{port}"
    with subprocess.Popen([*command, "--log-level", "error"], cwd=folder) as process:
        try:
            while True:
                try:
                    httpx.get(f"{server}/api/v2/instance", trust_env=False).raise_for_status()
                    break
                except httpx.TransportError:
                    assert process.poll() is None, "the server didn't start"
                    time.sleep(0.2)
            yield server
        finally:
            process.kill()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    weather = Weather()
    adapters = build_adapters(wire=weather)
    run = RunOptions(allow_private_network=True)
    publishing = PublishingSettings(
        refused_for=timedelta(seconds=3),
        settle_delay=timedelta(milliseconds=200),
        confirm_absence=timedelta(seconds=1),
    )
    with (
        serving(tmp_path_factory.mktemp("server")) as server,
        run_service(
            tmp_path_factory.mktemp("service"), adapters, run, Settings(publishing=publishing)
        ) as service,
        working(service),
    ):
        yield World(server, service.new_caller(), weather)
        service.forget_callers()
        service.await_(adapters.close)


def test_what_is_published_is_read_back(world: World) -> None:
    place = world.connected("ada")
    options = {"content_warning": "Wool ahead", "visibility": "unlisted", "language": "de"}
    text = world.create(
        place, description="Grüße an @kim und https://example.com/a?b=c #wool", options=options
    )
    media = picture()
    path = world.stored(_content(media))
    image = world.create(place, post_type="image", media_storage_path=path, description="An image")
    for post in (text, image):
        assert world.ended(post)["status"] == "posted"
    shown = {one["text"]: one for one in world.read_back("ada_token")}
    written = shown[text["description"]]
    assert (written["warning"], written["visibility"]) == ("Wool ahead", "unlisted")
    assert (written["language"], written["sensitive"]) == ("de", True)
    assert shown["An image"]["files"] == [["image", "Two skeins of wool"]]
    history = world.caller.http.get(f"{world.base}/places/content-history").json()["data"]
    ids = {one["scheduled_post_id"]: one["content_id"].partition("@")[0] for one in history}
    assert ids[text["id"]] == written["id"]
    limits = world.caller.http.get(f"{world.base}/places/{place['id']}/limits").json()
    assert (limits["text_max"], limits["video_frame_rate_max"]) == (500, 60)


def test_a_storm_doubles_nothing_and_loses_nothing(world: World) -> None:
    place = world.connected("kim")
    world.weather.is_bad = True
    try:
        posts = [world.create(place, description=f"Storm {number}") for number in range(_POSTS)]
        ended = [world.ended(post)["status"] for post in posts]
    finally:
        world.weather.is_bad = False
    assert ended == ["posted"] * _POSTS
    assert world.weather.lost > _POSTS / 10
    shown = [one["text"] for one in world.read_back("kim_token")]
    assert sorted(shown) == sorted(post["description"] for post in posts)


def test_too_many_calls_are_waited_out(world: World) -> None:
    place = world.connected("ada")
    rule = {
        "match": {"methods": ["POST"], "path": "/api/v1/statuses"},
        "effect": {"type": "ratelimit", "headers": {"Retry-After": "1"}},
        "count": 1,
    }
    httpx.post(f"{world.server}/api/v1/_mock/faults", json=rule, trust_env=False).raise_for_status()
    post = world.create(place)
    assert world.ended(post)["status"] == "posted"
    shown = [one["text"] for one in world.read_back("ada_token")]
    assert shown.count(post["description"]) == 1


def test_a_revoked_token_ends_the_account(world: World) -> None:
    place = world.connected("ada")
    later = world.create(place, scheduled_at=in_hours(5))
    assert world.caller.http.delete(f"{world.base}/places/{place['id']}").status_code == 200
    again = world.connected("ada")
    assert again["id"] == place["id"]
    assert world.caller.http.get(f"{world.base}/places/posts/{later['id']}").json()["status"] == "scheduled"


def _content(media: Any) -> bytes:
    import asyncio

    async def read() -> bytes:
        async with media.open(0) as chunks:
            return b"".join([chunk async for chunk in chunks])

    return asyncio.run(read())
