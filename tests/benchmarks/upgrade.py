"""An update of a server under load: programs of two versions run together while the database is migrated.

Two API processes and two workers of an earlier commit run on PostgreSQL while clients list and create posts.
Then the database is migrated, the processes are replaced one after the other, and the update is finished.
Like a reverse proxy, clients stop using an API process before it is stopped.
"""

import argparse
import contextlib
import json
import random
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import httpx

from app.contract.enums import PostingPlatform
from tests.benchmarks.killstorm.api import Api
from tests.benchmarks.killstorm.stage import connect_account
from tests.benchmarks.punctuality import programs
from tests.benchmarks.punctuality.arrivals import Arrivals
from tests.benchmarks.registry import Benchmark, Result, not_installed, step
from tests.benchmarks.samples import percentile
from tests.postgres import NoPostgresError, running_cluster

_SUMMARY: Final = "errors and late posts while a server is updated under load"
_ROOT: Final = Path(__file__).parents[2]
_MIGRATIONS: Final = "app/service/store/migrations"
_PEOPLE: Final = 12
_AHEAD_S: Final = 10
"""How far ahead posts are scheduled, in s."""
_DRAIN_S: Final = 1
"""Time between the last request to an API process and its end, in s."""
_LONGEST_S: Final = 60
_PAUSE_S: Final = 0.1
_READERS: Final = 3


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--from", dest="before", metavar="COMMIT", help="the old version (before the newest migration)"
    )
    parser.add_argument("--seconds", type=int, default=8, metavar="S", help="duration of each part (8)")
    parser.add_argument("--rate", type=float, default=5, metavar="N", help="new posts a second (5)")


def run(options: argparse.Namespace) -> Result:
    """Update an installation under load, and count what went wrong."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kalends-upgrade-")))
        practice = stack.enter_context(programs.practice(folder / "practice"))
        try:
            url = stack.enter_context(running_cluster()).create_database()
        except NoPostgresError as reason:
            sys.exit(f"This needs PostgreSQL: {reason}")
        config = folder / "service.toml"
        config.write_text("[server]\nmigrate_at_start = false\n")
        place = ["--config", str(config), "--database-url", url]
        old = _Version(_checked_out(options.before or _before_newest(), folder / "old"), place, practice)
        new = _Version(_ROOT, place, practice)
        load = _Load(options.rate)
        took = _Update(old, new, load, options.seconds).run()
        arrived = _wait(Arrivals(folder / "practice"), load.due)
    return _result(load, arrived, took)


def _result(load: "_Load", arrived: Sequence[tuple[str, int]], took: Mapping[str, float]) -> Result:
    times = Counter(text for text, _ in arrived)
    late = [at - load.due[text] for text, at in arrived if text in load.due]
    figures = {
        "errors": len(load.errors),
        "late_ms_max": max(late, default=0),
        "missing": len(load.due.keys() - times.keys()),
        "doubled": sum(count > 1 for count in times.values()),
    }
    for error, count in Counter(load.errors).most_common(10):
        print(f"{count} times: {error}", file=sys.stderr)
    besides = {"late_ms_p50": percentile(late or [0], 0.5), "late_ms_p99": percentile(late or [0], 0.99)}
    return Result(figures, {**besides, "posts": len(load.due), "answers": load.answers, **took})


def _before_newest() -> str:
    """Return the commit before the one that added the newest migration."""
    return _git("log", "-1", "--diff-filter=A", "--format=%H^", "--", _MIGRATIONS).decode().strip()


def _checked_out(commit: str, folder: Path) -> Path:
    folder.mkdir()
    subprocess.run(["tar", "-x"], cwd=folder, input=_git("archive", commit), check=True)
    return folder


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=_ROOT, capture_output=True, check=True).stdout


@dataclass(frozen=True)
class _Version:
    """A version of the program, and how to run it."""

    folder: Path
    place: Sequence[str]
    practice: programs.Program

    def command(self, *arguments: str, more: Sequence[str] = ()) -> dict[str, Any]:
        """Run a command and return its last line. ``more`` are its own options."""
        command = [sys.executable, "-m", "app.service", *arguments, *self.place, *more]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return answer

    def api(self) -> "_Process":
        ports = ["--port", "0", "--callback-port", "0"]
        return self._start("serve", *ports, "--rate-limit", "off", "--without-workers")

    def worker(self) -> "_Process":
        return self._start("worker")

    def _start(self, *arguments: str) -> "_Process":
        own = [*arguments, *self.place, "--practice-url", self.practice.base_url]
        stack = contextlib.ExitStack()
        command = [sys.executable, "-m", "app.service", *own]
        return _Process(stack.enter_context(programs.running(command, self.folder)), stack)


@dataclass(frozen=True)
class _Process:
    program: programs.Program
    _ends: contextlib.ExitStack

    def stop(self) -> None:
        """Ask it to end, and wait."""
        self._ends.close()


@dataclass
class _Load:
    """Clients that list and create posts; ``targets`` are the API processes that they may use."""

    rate: float
    targets: list[programs.Program] = field(default_factory=list)
    due: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    answers: int = 0
    connections: Sequence[Mapping[str, Any]] = ()
    _ended: threading.Event = field(default_factory=threading.Event)

    @contextlib.contextmanager
    def running(self, key: str) -> Iterator[None]:
        """Run the clients during the block."""
        clients = [self._create, *[self._list] * _READERS]
        threads = [threading.Thread(target=client, args=(_Client(self, key),)) for client in clients]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._ended.set()
            for thread in threads:
                thread.join()

    def _list(self, client: "_Client") -> None:
        while not self._ended.wait(_PAUSE_S):
            client.call("GET", random.choice(("/posts", "/content-history", "/connections")))  # noqa: S311

    def _create(self, client: "_Client") -> None:
        number = 0
        while not self._ended.wait(1 / self.rate):
            number += 1
            text, at = f"Update {number}", datetime.fromtimestamp(int(time.time()) + _AHEAD_S, UTC)
            connection = self.connections[number % len(self.connections)]
            body = {
                "platform": connection["platform"],
                "social_account_id": connection["id"],
                "post_type": "text",
                "description": text,
                "scheduled_at": at.isoformat(),
                "idempotency_key": text,
            }
            if client.call("POST", "/posts", json=body):
                self.due[text] = round(at.timestamp() * 1_000)


class _Client:
    """Sends requests and records errors."""

    def __init__(self, load: _Load, key: str) -> None:
        self._load = load
        self._key = key
        self._clients: dict[str, httpx.Client] = {}

    def call(self, method: str, path: str, **arguments: Any) -> bool:
        """Send a request; return whether it was successful."""
        target = random.choice(self._load.targets)  # noqa: S311
        try:
            answer = self._client(target).request(method, f"/api/v1{path}", **arguments)
            error = "" if answer.is_success else f"{answer.status_code} {_code(answer)}"
        except httpx.HTTPError as problem:
            error = repr(problem)
        self._load.answers += 1
        if error:
            self._load.errors.append(f"{method} {path}: {error}")
        return not error

    def _client(self, target: programs.Program) -> httpx.Client:
        if target.base_url not in self._clients:
            trust = ssl.create_default_context(cafile=target.ready["ca_file"])
            self._clients[target.base_url] = httpx.Client(
                base_url=target.base_url,
                verify=trust,
                headers={"Authorization": f"Bearer {self._key}"},
                trust_env=False,
                timeout=30,
            )
        return self._clients[target.base_url]


def _code(answer: httpx.Response) -> str:
    """Return the error code of a response, or the start of a response that isn't ours."""
    try:
        return str(answer.json()["error"]["code"])
    except (ValueError, LookupError, TypeError):
        return answer.text[:200]


@dataclass
class _Update:
    """The steps that docs/operating.md describes."""

    old: _Version
    new: _Version
    load: _Load
    seconds: int

    def run(self) -> dict[str, float]:
        """Return the seconds that ``migrate`` took."""
        self.old.command("migrate")
        account = self.old.command("account", "create", more=("--plan", "local", "--name", "Robin Marsh"))[
            "account_id"
        ]
        key = self.old.command("key", "create", more=("--account", account))["key"]
        apis, workers = [self.old.api() for _ in range(2)], [self.old.worker() for _ in range(2)]
        self.load.targets[:] = [api.program for api in apis]
        try:
            with step("connecting accounts"):
                self.load.connections = _connect(apis[0].program, key)
            with self.load.running(key):
                took = self._update(apis, workers)
            time.sleep(_AHEAD_S + 3)
        finally:
            for process in (*apis, *workers):
                process.stop()
        return took

    def _update(self, apis: list[_Process], workers: list[_Process]) -> dict[str, float]:
        took = {}
        with step("the old version alone"):
            time.sleep(self.seconds)
        with step("migrating"):
            took["migrate_s"] = _timed(lambda: self.new.command("migrate"))
            time.sleep(self.seconds)
        for number in range(len(workers)):
            with step(f"replacing worker {number + 1}"):
                before, workers[number] = workers[number], self.new.worker()
                before.stop()
                time.sleep(self.seconds)
        for number in range(len(apis)):
            with step(f"replacing API process {number + 1}"):
                before, apis[number] = apis[number], self.new.api()
                self.load.targets[number] = apis[number].program
                time.sleep(_DRAIN_S)
                before.stop()
                time.sleep(self.seconds)
        with step("finishing the update"):
            took["finish_s"] = _timed(lambda: self.new.command("migrate", more=("--finish",)))
            time.sleep(self.seconds)
        return took


def _timed(work: Any) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


def _connect(api: programs.Program, key: str) -> Sequence[Mapping[str, Any]]:
    """Connect accounts of several platforms and return them."""
    calls = Api(api.base_url, api.ready["ca_file"], key)
    platforms = PostingPlatform.X, PostingPlatform.LINKEDIN
    with httpx.Client(trust_env=False, follow_redirects=True, verify=False, timeout=30) as browser:  # noqa: S501  loopback
        for number in range(_PEOPLE):
            connect_account(calls, browser, platforms[number % len(platforms)], f"person-{number}")
    try:
        return list(calls.pages("/connections"))
    finally:
        calls.close()


def _wait(arrivals: Arrivals, due: Mapping[str, int]) -> Sequence[tuple[str, int]]:
    """Return the received posts and when they arrived, once all of them have, or after a minute."""
    end = time.monotonic() + _LONGEST_S
    while len(found := arrivals.received("Update")) < len(due) and time.monotonic() < end:
        time.sleep(_PAUSE_S)
    return found


def missing(_options: argparse.Namespace) -> Iterator[str]:
    return not_installed("the old version", ("git", "tar"))


BENCHMARK: Final = Benchmark("upgrade", _SUMMARY, add_options, run, missing)
