"""The measured installation with one account and many posts, and the two servers."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final
from uuid import UUID, uuid4

import httpx

from app.contract.enums import KeyScope
from app.service.accounts.accounts import Plan, create_account, create_key
from app.service.api.cursors import Cursors, Position
from app.service.clock import system_clock
from app.service.posts.routes import POSTS
from app.service.store.folder import DataFolder
from app.service.store.tables import posts
from tests.benchmarks.samples import milliseconds
from tests.benchmarks.service.load import NUMBER, Load
from tests.benchmarks.service.seed import EVERY, seed

_PAGE: Final = 20
_QUERIES: Final = 2_000
_DEPTHS: Final = 2_000
_ROOT: Final = Path(__file__).parents[3]


@dataclass(frozen=True)
class Server:
    """A server under load, and how to call it."""

    base_url: str
    ca_file: str
    key: str

    def per_second(self, requests: list[str], connections: int, seconds: float, status: str) -> float:
        """Return responses per second, all of which must have the status."""
        load = Load(self.base_url, self.ca_file, connections, seconds, requests, uuid4().hex)
        with _program("-m", "tests.benchmarks.service.load") as generator:
            told = _told(generator, asdict(load))
        if set(told["statuses"]) != {status} or told["lost"]:
            raise RuntimeError(f"The server answered {told}, not {status} alone.")
        return float(told["per_s"])

    def request(self, method: str, path: str, body: str = "") -> str:
        """Return a complete request; ``NUMBER`` in a body has the length of its replacement."""
        length = len(body) + body.count(NUMBER) * (len(f"{uuid4().hex}-{0:09}") - len(NUMBER))
        head = [
            f"{method} /api/v1{path} HTTP/1.1",
            "Host: 127.0.0.1",
            f"Authorization: Bearer {self.key}",
        ]
        if body:
            head += ["Content-Type: application/json", f"Content-Length: {length}"]
        return "\r\n".join([*head, "", body])

    def answer(self, method: str, path: str, body: str = "") -> str:
        """Return the body of one response."""
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        with httpx.Client(base_url=f"{self.base_url}/api/v1", verify=self.ca_file, trust_env=False) as http:
            return http.request(method, path, headers=headers, content=body).raise_for_status().text


class World:
    """A data folder with one account."""

    def __init__(self, folder: Path, count: int) -> None:
        """Store ``count`` posts."""
        self._folder = DataFolder(folder)
        self._folder.make()
        now = system_clock()
        with closing(self._folder.open_database()) as database:
            self._account_id = database.write_now(
                lambda rows: create_account(rows, "Benchmark", Plan.LOCAL, now)
            )
            self._key = database.write_now(
                lambda rows: create_key(rows, self._account_id, KeyScope.API_FULL, None, now)
            )[1]
        self._connection_id = uuid4()
        self._newest = seed(self._folder.database, self._account_id, self._connection_id, count)
        self._count = count

    def query_milliseconds(self) -> list[float]:
        """Return the durations of queries for many pages at any depth, in ms."""
        page = POSTS.statement((), is_first=False)
        places = [
            {"account_id": self._account_id, "after_at": at.at, "after_id": at.id, "most": _PAGE + 1}
            for at in self._places(min(_QUERIES, self._count))
        ]
        with closing(self._folder.open_database()) as database:

            def query(place: dict[str, Any]) -> None:
                database.read_now(lambda opened: opened.execute(page, place).all())

            return [milliseconds(partial(query, place)) for place in places]

    def list_requests(self, server: Server, path: str = "/posts") -> list[str]:
        """Return requests for the first page and pages at any depth."""
        cursors = Cursors(self._folder.cursor_key.read_bytes())
        first = server.request("GET", f"{path}?limit={_PAGE}")
        deep = [cursors.write(posts.name, at) for at in self._places(min(_DEPTHS, self._count))]
        return [
            request
            for cursor in deep
            for request in (first, server.request("GET", f"{path}?limit={_PAGE}&cursor={cursor}"))
        ]

    def create_requests(self, server: Server, path: str = "/posts") -> list[str]:
        """Return a request that creates a post, each time with its own idempotency key."""
        return [server.request("POST", path, self.create_body())]

    def create_body(self, idempotency_key: str = f"key-{NUMBER}") -> str:
        body = {
            "social_account_id": str(self._connection_id),
            "platform": "linkedin",
            "post_type": "text",
            "description": "New colours from the dye pot, and where to find us this Saturday. #linen",
            "scheduled_at": "2036-11-25T09:30:00+01:00",
            "idempotency_key": idempotency_key,
        }
        return json.dumps(body)

    @contextmanager
    def serving(self) -> Iterator[Server]:
        """Run the program as users do, but without rate limits."""
        options = ("--data", str(self._folder.root), "--callback-port", "0", "--rate-limit", "off")
        with _program("-m", "app.service", "serve", *options) as service:
            ready = _told(service)
            yield Server(ready["base_url"], ready["ca_file"], self._key)

    @contextmanager
    def echoing(self, service: Server) -> Iterator[Server]:
        """Run the baseline with the same certificate and real bodies of the service."""
        order = {
            "certificate": str(self._folder.tls / "server.pem"),
            "key": str(self._folder.tls / "server.key"),
            "page": service.answer("GET", f"/posts?limit={_PAGE}"),
            "created": service.answer("POST", "/posts", self.create_body("first")),
        }
        with _program("-m", "tests.benchmarks.service.echo") as echo:
            yield Server(_told(echo, order)["base_url"], service.ca_file, service.key)

    def _places(self, count: int) -> list[Position]:
        """Return constant positions in the list at any depth."""
        random = Random(count)  # noqa: S311  sample data
        return [
            Position(self._newest - random.randrange(self._count) * EVERY, UUID(int=random.getrandbits(128)))
            for _ in range(count)
        ]


@contextmanager
def _program(*arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """Run a Python program of ours during the block."""
    with subprocess.Popen(
        [sys.executable, *arguments],
        cwd=_ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as program:
        try:
            yield program
        finally:
            program.kill()


def _told(program: "subprocess.Popen[str]", order: dict[str, Any] | None = None) -> dict[str, Any]:
    """Send a line to a program, and return the line of JSON it prints."""
    assert program.stdin is not None
    assert program.stdout is not None
    if order is not None:
        program.stdin.write(json.dumps(order) + "\n")
        program.stdin.flush()
    line = program.stdout.readline()
    if not line:
        raise RuntimeError("A program ended without an answer.")
    answer: dict[str, Any] = json.loads(line)
    return answer
