"""A whole service against Bluesky's own server, killed again and again while answers are lost.

Run ``pytest tests/platforms/bluesky/real_storm.py``; ``KALENDS_STORM=100,5`` makes it 100 posts and 5 kills.
It isn't part of the suite, because it downloads and compiles the server first. What counts in the end is the
account's repository on that server.
"""

import json
import os
import random
import ssl
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from tests.platforms.bluesky.forwarder import forwarded, new_account
from tests.platforms.bluesky.pds import running
from tests.workspace.programs import enrol

_POSTS, _KILLS = map(int, os.environ.get("KALENDS_STORM", "500,20").split(","))
_PATIENCE_S: Final = 900


@dataclass
class Weather:
    """Loses answers of calls that publish. The calls arrive."""

    chance: random.Random = field(default_factory=lambda: random.Random(21))  # noqa: S311  no secret
    lost: int = 0

    def loses(self) -> bool:
        is_lost = self.chance.random() < 0.3
        self.lost += is_lost
        return is_lost


class Killable:
    """A service that is killed and started again on the same data."""

    def __init__(self, folder: Path, practice_url: str) -> None:
        self._folder = folder
        self._arguments = ("serve", "--data", str(folder / "service"), "--practice-url", practice_url)
        (folder / "service").mkdir()
        _, self._key = enrol(folder / "service")
        self.start()

    def start(self) -> None:
        with (self._folder / "service.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "app.service", *self._arguments, "--exit-with-parent"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
            )
        assert self._process.stdout is not None
        ready = json.loads(self._process.stdout.readline())
        self.http = httpx.Client(
            base_url=f"{ready['base_url']}/companion/v1",
            headers={"Authorization": f"Bearer {self._key}"},
            verify=ssl.create_default_context(cafile=ready["ca_file"]),
            trust_env=False,
            timeout=60,
        )

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()
        self.http.close()

    def ask(self, method: str, path: str, **more: Any) -> Any:
        answer = self.http.request(method, path, **more)
        answer.raise_for_status()
        return answer.json()

    def listed(self, path: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor: dict[str, str] = {}
        while True:
            page = self.ask("GET", path, params={"limit": "100", **cursor})
            found += page["data"]
            if not page["next_cursor"]:
                return found
            cursor = {"cursor": page["next_cursor"]}


def texts_of(pds: str, did: str) -> Counter[str]:
    """The texts in an account's repository."""
    asked = {"repo": did, "collection": "app.bsky.feed.post", "limit": "100"}
    found: Counter[str] = Counter()
    while True:
        listed = f"{pds}/xrpc/com.atproto.repo.listRecords"
        page = httpx.get(listed, params=asked, trust_env=False, timeout=60).json()
        found.update(record["value"]["text"] for record in page["records"])
        if not page.get("cursor"):
            return found
        asked["cursor"] = page["cursor"]


def test_a_storm_doubles_nothing_and_loses_nothing(tmp_path: Path) -> None:
    weather, chance = Weather(), random.Random(5)  # noqa: S311  no secret
    with running() as servers, forwarded(servers, weather.loses) as practice_url:
        did, password = new_account(servers.pds)
        service = Killable(tmp_path, practice_url)
        try:
            login = {"platform": "bluesky", "handle": "robin.test", "app_password": password}
            place = service.ask("POST", "/places", json=login)
            kills = set(chance.sample(range(1, _POSTS), _KILLS))
            for number in range(_POSTS):
                body = {
                    "social_account_id": place["id"],
                    "platform": "bluesky",
                    "post_type": "text",
                    "description": f"Storm {number}",
                    "idempotency_key": f"storm-{number}",
                }
                service.ask("POST", "/places/posts", json=body)
                if number in kills:
                    time.sleep(chance.uniform(0, 0.5))
                    service.kill()
                    service.start()
            end = time.monotonic() + _PATIENCE_S
            while True:
                states = Counter(post["status"] for post in service.listed("/places/posts"))
                if not states.keys() & {"scheduled", "processing"}:
                    break
                assert time.monotonic() < end, states
                time.sleep(2)
        finally:
            service.kill()
        found = texts_of(servers.pds, did)
    print(f"{_POSTS} posts, {_KILLS} kills, {weather.lost} lost answers: {dict(states)}")
    assert weather.lost > 0
    assert states == {"posted": _POSTS}
    assert found == {f"Storm {number}": 1 for number in range(_POSTS)}
