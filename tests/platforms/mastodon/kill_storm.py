"""A service that is killed again and again, and a network that loses answers, against a server of others.

Run ``MASTODON_TOOLS=PYTHON pytest tests/platforms/mastodon/kill_storm.py``; see ``real_client.py``.
``MASTODON_STORM=500,20`` sets the number of posts and of kills.
"""

import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final

import httpx

from tests.benchmarks.killstorm.api import Api
from tests.benchmarks.killstorm.fleet import SETTINGS
from tests.benchmarks.killstorm.programs import Program, command
from tests.platforms.mastodon.real_client import allow, needs_tools, read_back, serving
from tests.ports import free_port

_POSTS, _KILLS = map(int, os.environ.get("MASTODON_STORM", "60,4").split(","))
_NAMES: Final = ("ada", "kim", "lin", "moe", "noa")
"""Each can publish 300 posts in three hours."""
_LOST_BEFORE, _LOST_AFTER = 0.05, 0.2
_PATIENCE_S: Final = 1_800.0
_PLACES: Final = "/companion/v1/places"
_HOP: Final = frozenset({"connection", "content-length", "transfer-encoding", "host", "date", "server"})

pytestmark = needs_tools


class _Proxy(ThreadingHTTPServer):
    def handle_error(self, *_: Any) -> None:
        """A caller was killed."""


@contextmanager
def _losing(server: str, lost: Counter[str]) -> Iterator[str]:
    """Pass calls on to a server; of those that publish, lose requests and answers by chance."""
    chance = random.Random(21)  # noqa: S311  chance, no secret
    onward = httpx.Client(base_url=server, trust_env=False, timeout=60)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            publishes = self.command == "POST" and self.path.endswith("/api/v1/statuses")
            roll = chance.random() if publishes else 1.0
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            if roll < _LOST_BEFORE:
                self._lose("requests")
                return
            headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP}
            answer = onward.request(self.command, self.path, headers=headers, content=body)
            if roll < _LOST_BEFORE + _LOST_AFTER:
                self._lose("answers")
                return
            self.send_response(answer.status_code)
            for name, value in answer.headers.multi_items():
                if name not in _HOP | {"content-encoding"}:
                    self.send_header(name, value)
            self.send_header("content-length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        do_POST = do_DELETE = do_GET  # noqa: N815

        def _lose(self, what: str) -> None:
            lost[what] += 1
            self.close_connection = True

        def log_message(self, *_: Any) -> None:
            """Quietly."""

    with _Proxy(("127.0.0.1", 0), Handler) as proxy, onward:
        Thread(target=proxy.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{proxy.server_address[1]}"
        finally:
            proxy.shutdown()


def _service(folder: Path) -> tuple[Program, str]:
    """A service with an account, and the account's key."""
    folder.mkdir(mode=0o700)
    lines = [f"{name} = {value}" for name, value in SETTINGS.items()]
    (folder / "service.toml").write_text("\n".join(["[publishing]", *lines, ""]), "utf-8")
    place = ["--data", str(folder)]
    account = command("account", "create", *place, "--name", "Robin Marsh")["account_id"]
    key = command("key", "create", *place, "--account", account)["key"]
    ports = ["--port", str(free_port()), "--callback-port", str(free_port())]
    options = [*place, *ports, "--rate-limit", "off", "--allow-private-network"]
    return Program(["app.service", "serve", *options], folder.with_suffix(".log")), key


def test_kills_and_lost_answers_double_nothing_and_lose_nothing(tmp_path: Path) -> None:
    program, key = _service(tmp_path / "service")
    lost, chance = Counter[str](), random.Random(3)  # noqa: S311  chance, no secret
    with serving(tmp_path, _NAMES) as server, _losing(server, lost) as address:
        program.start()
        try:
            ready = program.wait_until_ready()
            api = Api(ready["base_url"], ready["ca_file"], key)
            for name in _NAMES:
                body = {"platform": "mastodon", "server": address}
                allow(address, api.answer("POST", f"{_PLACES}/initiate", json=body)["connect_url"], name)
            ids = {one["username"].partition("@")[0]: one["id"] for one in api.pages(_PLACES)}
            with ThreadPoolExecutor(4) as people:
                created = [people.submit(_create, api, ids, number) for number in range(_POSTS)]
                for _ in range(_KILLS):
                    time.sleep(chance.uniform(0.2, 3))
                    program.kill()
                    program.start()
                    program.wait_until_ready()
                posts = [one.result() for one in created]
            ended = _wait(api, posts)
            api.close()
        finally:
            program.kill()
        there = Counter(one["text"] for name in _NAMES for one in read_back(server, f"{name}_token"))
    print(f"{_POSTS} posts, {program.kills - 1} kills, {dict(lost)} lost")
    assert [post["description"] for post in posts if there[post["description"]] > 1] == []
    assert [post["description"] for post in posts if there[post["description"]] < 1] == []
    assert there.total() == _POSTS
    assert ended == {"posted": _POSTS}
    assert lost["answers"] > _POSTS / 20


def _create(api: Api, ids: dict[str, str], number: int) -> dict[str, Any]:
    body = {
        "social_account_id": ids[_NAMES[number % len(_NAMES)]],
        "platform": "mastodon",
        "post_type": "text",
        "description": f"Storm {number}",
        "idempotency_key": f"storm-{number}",
    }
    return api.answer("POST", f"{_PLACES}/posts", json=body)


def _wait(api: Api, posts: list[dict[str, Any]]) -> Counter[str]:
    """How the posts ended."""
    end = time.monotonic() + _PATIENCE_S
    wanted = {post["id"] for post in posts}
    while True:
        states = Counter(one["status"] for one in api.pages(f"{_PLACES}/posts") if one["id"] in wanted)
        if states["posted"] + states["failed"] == len(posts):
            return states
        assert time.monotonic() < end, states
        time.sleep(1)
