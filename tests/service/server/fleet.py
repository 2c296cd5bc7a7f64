"""A server install as people run one: programs on one PostgreSQL, and the practice platforms."""

import json
import signal
import ssl
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import httpx
import psutil
from sqlalchemy import Connection

from app.contract.base import format_timestamp
from app.contract.enums import KeyScope
from app.database import Database
from app.database.postgresql import postgresql_engine, postgresql_url
from app.service.accounts.accounts import Plan, create_account, create_key
from app.service.clock import system_clock
from app.service.store.folder import MIGRATIONS
from tests.platforms.world import program
from tests.postgres import Cluster, running_cluster
from tests.service.connections.consenting import allow
from tests.service.programs import ROOT, SERVICE
from tests.service.webhooks.receivers import Receiver
from tests.stores import postgres_cluster

WORKERS: Final = 3
LEASE_S: Final = 3
_PATIENCE_S: Final = 60
_SETTINGS: Final = f"""
[publishing]
lease = {LEASE_S}
settle_delay = 0.5
confirm_absence = 1
look_longest = 2
[server]
folder = "state"
"""


@dataclass
class Program:
    """A program that was started."""

    process: subprocess.Popen[str]

    @cached_property
    def ready(self) -> dict[str, Any]:
        """Its ready line, for which it waits."""
        assert self.process.stdout is not None
        line: dict[str, Any] = json.loads(self.process.stdout.readline())
        return line

    def kill(self) -> None:
        """As a crash: nothing is tidied up. What it started itself goes along, as the system would see to."""
        for child in psutil.Process(self.process.pid).children(recursive=True):
            child.kill()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(_PATIENCE_S)

    def end(self) -> int:
        self.process.terminate()
        return self.process.wait(_PATIENCE_S)


@dataclass
class Fleet:
    """One installation: an API, three workers, an account, and an X account that it posts to.

    ``place`` and ``options`` start more programs of it.
    """

    cluster: Cluster
    url: str
    place: tuple[str, ...]
    options: tuple[str, ...]
    stack: ExitStack
    log: Path
    api: Program
    workers: list[Program]
    practice: httpx.Client
    receiver: Receiver
    http: httpx.Client
    connection_id: str = ""

    def logged_errors(self) -> list[str]:
        """What the programs have logged as errors so far."""
        lines = [json.loads(line) for line in self.log.read_text("utf-8").splitlines()]
        return [line["event"] for line in lines if line["level"] in {"error", "critical"}]

    def connect(self, trust: ssl.SSLContext) -> None:
        begun = self.http.post("/connections/initiate", json={"platform": "x"}).json()
        with httpx.Client(verify=trust, trust_env=False, follow_redirects=True) as person:
            assert "is connected." in allow(person, begun["connect_url"]).text
        self.connection_id = self.http.get("/connections").json()["data"][0]["id"]

    def plan(self, count: int, within: timedelta, *, first_in: timedelta) -> set[str]:
        """Posts with texts of their own, spread over a while; gives the texts."""
        begin, texts = datetime.now(UTC) + first_in, [f"{uuid4()}" for _ in range(count)]
        posts = [
            {
                "social_account_id": self.connection_id,
                "platform": "x",
                "post_type": "text",
                "description": text,
                "scheduled_at": format_timestamp(begin + within * number / count),
            }
            for number, text in enumerate(texts)
        ]
        made = self.http.post("/posts/bulk", json={"posts": posts}).json()
        assert made["inserted"] == count, made
        return set(texts)

    def start(self, command: str, *options: str) -> Program:
        """Starts another program of the installation."""
        return started(self.stack, self.log, command, *self.place, *self.options, *options)

    def published(self, texts: set[str]) -> Counter[str]:
        """How often the platform has taken each of the texts."""
        entries = self.practice.get("/ledger").json()["data"]
        return Counter(entry["text"] for entry in entries if entry["text"] in texts)

    def statuses(self, texts: set[str]) -> Counter[str]:
        posts: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            page = self.http.get("/posts", params={"limit": 100, **({"cursor": cursor} if cursor else {})})
            posts += page.json()["data"]
            cursor = page.json()["next_cursor"]
            if cursor is None:
                return Counter(post["status"] for post in posts if post["description"] in texts)


def until(holds: Callable[[], bool], what: str) -> None:
    """Waits for what must come true."""
    end = time.monotonic() + _PATIENCE_S
    while not holds():
        assert time.monotonic() < end, f"it never came true that {what}"
        time.sleep(0.1)


def started(stack: ExitStack, log: Path, command: str, *options: str) -> Program:
    with log.open("a", encoding="utf-8") as stderr:
        process = stack.enter_context(
            subprocess.Popen(
                [*SERVICE, command, *options],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
            )
        )
    stack.callback(process.kill)
    return Program(process)


@contextmanager
def running(folder: Path) -> Iterator[Fleet]:
    """Starts everything, and kills it at the end."""
    postgres_cluster()  # skips where there is none
    with ExitStack() as stack:
        config = folder / "service.toml"
        config.write_text(_SETTINGS, encoding="utf-8")
        cluster = stack.enter_context(running_cluster(durable=False))
        url = cluster.create_database(MIGRATIONS)
        place = ("--config", str(config), "--database-url", url)
        practice_url = stack.enter_context(program(folder / "practice"))
        receiver = stack.enter_context(Receiver(folder / "receiver").running())
        trusting = ("--allow-private-network", "--extra-ca", str(receiver.authority))
        options = ("--practice-url", practice_url, *trusting)
        log = folder / "programs.log"
        api = started(stack, log, "serve", "--without-workers", *place, *options)
        workers = [
            started(stack, log, "worker", *place, *options, "--admin-port", "0") for _ in range(WORKERS)
        ]
        trust = ssl.create_default_context(cafile=api.ready["ca_file"])
        http = stack.enter_context(
            httpx.Client(
                base_url=f"{api.ready['base_url']}/api/v1",
                headers={"Authorization": f"Bearer {new_key(url)}"},
                verify=trust,
                trust_env=False,
                timeout=30,
            )
        )
        practice = stack.enter_context(httpx.Client(base_url=practice_url, trust_env=False, timeout=30))
        fleet = Fleet(cluster, url, place, options, stack, log, api, workers, practice, receiver, http)
        fleet.connect(trust)
        assert all(worker.ready["event"] == "ready" for worker in workers)
        yield fleet


def new_key(url: str) -> str:
    """A key to a new account in a database."""
    now = system_clock()

    def work(rows: Connection) -> str:
        owner = create_account(rows, "Ines Duarte", Plan.LOCAL, now)
        return create_key(rows, owner, KeyScope.API_FULL, None, now)[1]

    with closing(Database(postgresql_engine(postgresql_url(url)), "The database")) as database:
        return database.write_now(work)
