"""A short storm, and the verdicts on failed storms."""

import contextlib
import json
import os
import socket
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import pytest

from app.contract.enums import PostingPlatform
from tests.benchmarks.killstorm.clocks import Clocks
from tests.benchmarks.killstorm.network import Cut, Network
from tests.benchmarks.killstorm.plan import ACCOUNTS, Plan, Post
from tests.benchmarks.killstorm.stage import Account, File, Stage
from tests.benchmarks.killstorm.verdict import Observation, Verdict, judge

_NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
_HOUR = timedelta(hours=1)
REFUSALS = ["--refusals", "2", "--renewals", "1"]
SHIFTS = ["--shifts"]
VARIATION = pytest.mark.variation
NOTHING = {"posts": 30, "doubled": 0, "missing": 0, "early": 0, "after_removal": 0, "unknown": 0}


def storm(*options: str) -> dict[str, float]:
    """Run a short storm without deviations and return its figures."""
    command = [sys.executable, "-m", "tests.benchmarks", "killstorm", *options, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "There is no PostgreSQL" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    assert "\n0 deviations\n" in done.stdout, done.stdout
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    assert {figures[name] for name in ("doubled", "missing", "early", "after_removal")} == {0}, done.stdout
    return figures


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGKILL")
def test_a_server_loses_nothing_while_its_database_restarts_and_its_network_is_cut() -> None:
    server = ["--store", "postgresql", "--apis", "2", "--bucket", "--kill-every", "4"]
    outages = ["--cuts", "1", "--cut-seconds", "2", "--restarts", "1"]
    figures = storm("--posts", "20", "--kills", "0", "--seconds", "8", "--seed", "3", *server, *outages)
    assert figures["posts"] == 20
    assert figures["outages"] == 2


@VARIATION
@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGKILL")
def test_a_short_storm_ends_with_everything_published_once() -> None:
    figures = storm("--posts", "60", "--kills", "4", "--seconds", "12", "--seed", "3")
    assert figures["posts"] == 60
    assert figures["kills"] == 4
    assert figures["unknown"] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGKILL")
@pytest.mark.parametrize(
    ("store", "struck_by"),
    [
        pytest.param("sqlite", REFUSALS, id="refusals and renewals-sqlite", marks=VARIATION),
        pytest.param("postgresql", REFUSALS, id="refusals and renewals-postgresql", marks=VARIATION),
        pytest.param("sqlite", SHIFTS, id="wrong clocks-sqlite", marks=VARIATION),
        pytest.param("postgresql", SHIFTS, id="wrong clocks-postgresql", marks=VARIATION),
    ],
)
def test_a_short_storm_of_another_kind_publishes_nothing_twice_or_early(
    store: str, struck_by: list[str]
) -> None:
    figures = storm(
        "--posts", "30", "--kills", "1", "--seconds", "6", "--seed", "5", "--store", store, *struck_by
    )
    assert figures["posts"] == 30
    assert figures["kills"] >= 1
    assert (figures["wrong_clocks"] > 0) == ("--shifts" in struck_by)


def test_a_program_can_have_a_clock_that_is_wrong_and_is_set(tmp_path: Path) -> None:
    (tmp_path / "service_time.py").write_text(
        "from app.service.clock import system_clock\nprint(system_clock().isoformat())\n"
    )
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    told = []
    for clock in (["3600", "3600", "0"], ["3600", "-3600", "0"], ["-3600", "0", "1000"]):
        command = [sys.executable, "-m", "tests.benchmarks.killstorm.shifted", *clock, "service_time"]
        env = {**os.environ, "PYTHONPATH": paths}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
        told.append(round((datetime.fromisoformat(done.stdout.strip()) - datetime.now(UTC)) / _HOUR))
    assert told == [1, -1, -1]


def test_clocks_are_drawn_wrong_until_they_are_set_right() -> None:
    clocks = Clocks(Random(1))  # noqa: S311
    drawn = [clocks.draw() for _ in range(50)]
    assert {clock.first for clock in drawn} == {clock.then for clock in drawn} == {-3600, 0, 3600}
    assert clocks.wrong == sum(not clock.is_right for clock in drawn)
    clocks.set_right()
    assert clocks.draw().is_right
    assert Clocks().draw().is_right


def test_a_plan_holds_every_platform_and_is_the_same_for_the_same_seed() -> None:
    plan = Plan.drawn(120, 60, 7)
    assert plan == Plan.drawn(120, 60, 7)
    assert {post.platform for post in plan.posts} == set(PostingPlatform)
    assert len({post.text for post in plan.posts}) == 120
    assert {change.change for change in Plan.drawn(1_000, 400, 7).changes} == {
        "move",
        "cancel",
        "resume",
        "delete",
    }


class Server:
    """Returns and records everything it receives."""

    def __init__(self, folder: Path) -> None:
        self.received: list[bytes] = []
        received = self.received

        class Echo(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                with contextlib.suppress(OSError):
                    while piece := self.request.recv(1_000):
                        received.append(piece)
                        self.request.sendall(piece)

        self.path = folder / "socket"
        self._server = socketserver.ThreadingUnixStreamServer(str(self.path), Echo, bind_and_activate=False)
        self._server.request_queue_size = 100
        self._server.server_bind()
        self._server.server_activate()

    @contextlib.contextmanager
    def running(self) -> Iterator[Network]:
        """Serve behind a network."""
        thread = threading.Thread(target=self._server.serve_forever)
        thread.start()
        try:
            with Network(self.path, Random(1)).running() as network:  # noqa: S311  not for security
                yield network
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()


def answer(client: socket.socket) -> bytes:
    """Return the next answer; empty if the connection is broken."""
    try:
        return client.recv(1_000)
    except ConnectionError:
        return b""


def connected(network: Network, sent: bytes) -> socket.socket:
    """Return a new connection over which something was sent."""
    client = socket.create_connection(("127.0.0.1", network.port), timeout=30)
    client.sendall(sent)
    return client


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such sockets")
def test_a_cut_that_refuses_breaks_connections_until_it_ends(tmp_path: Path) -> None:
    with Server(tmp_path).running() as network, contextlib.ExitStack() as stack:
        before = stack.enter_context(connected(network, b"before"))
        assert answer(before) == b"before"
        network.cut(Cut.REFUSED)
        assert answer(before) == b""
        with pytest.raises(ConnectionError):
            connected(network, b"during")
        network.restore()
        assert answer(stack.enter_context(connected(network, b"after"))) == b"after"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such sockets")
def test_a_silent_cut_delays_or_loses_what_is_sent(tmp_path: Path) -> None:
    server = Server(tmp_path)
    with server.running() as network, contextlib.ExitStack() as stack:
        sent = [b"client %d" % number for number in range(12)]
        clients = [stack.enter_context(connected(network, b"hello")) for _ in sent]
        assert {answer(client) for client in clients} == {b"hello"}
        network.cut(Cut.SILENT)
        for client, piece in zip(clients, sent, strict=True):
            client.sendall(piece)
        late = stack.enter_context(connected(network, b"late"))
        late.settimeout(0.2)
        with pytest.raises(TimeoutError):
            answer(late)
        assert set(server.received) == {b"hello"}

        network.restore()
        late.settimeout(30)
        assert answer(late) == b"late"
        is_answered = [bool(answer(client)) for client in clients]
        expected = {(True, True), (False, True), (False, False)}
        end = time.monotonic() + 30
        while time.monotonic() < end:
            arrived = [piece in server.received for piece in sent]
            if set(zip(is_answered, arrived, strict=True)) == expected:
                return
            time.sleep(0.05)
        pytest.fail(f"{is_answered} were answered, and {arrived} arrived")


class Seen:
    """The observation after a perfect storm, for tests to spoil."""

    def __init__(self) -> None:
        self.plan = Plan.drawn(30, 20, 1)
        accounts = {
            platform: [Account(f"{platform}-{n}", f"person-{n}", "board") for n in range(ACCOUNTS)]
            for platform in PostingPlatform
        }
        names = {post.file for post in self.plan.posts if post.file}
        self.stage = Stage(accounts, {name: File(name, f"hash of {name}") for name in names})
        for post in self.plan.posts:
            post.id, post.due = str(uuid4()), _NOW
        self.ledger = [self.entry(post) for post in self.plan.posts]
        self.rows = {post.id: self.row("posted") for post in self.plan.posts}
        self.attempts = {post.id: [self.attempt("published")] for post in self.plan.posts}
        self.history: list[dict[str, Any]] = [{"scheduled_post_id": post.id} for post in self.plan.posts]

    @property
    def post(self) -> Post:
        """A LinkedIn post, the first of the plan."""
        return self.plan.posts[0]

    @property
    def other(self) -> Post:
        """A post on a platform that can be queried."""
        return next(post for post in self.plan.posts if post.platform is PostingPlatform.X)

    def entry(self, post: Post) -> dict[str, Any]:
        account = self.stage.accounts[post.platform][post.account]
        return {
            "platform": post.platform.value,
            "account_identifier": account.identifier,
            "text": post.text,
            "title": post.title,
            "link": post.link,
            "board_id": account.board_id,
            "media_sha256": self.stage.files[post.file].sha256 if post.file else None,
            "received_at": _NOW.isoformat(),
        }

    def row(self, status: str) -> dict[str, Any]:
        published = _NOW.isoformat() if status == "posted" else None
        return {"status": status, "posted_at": published, "scheduled_at": _NOW.isoformat()}

    def attempt(self, outcome: str) -> dict[str, Any]:
        words = {"platform_code": None, "platform_message": None}
        return {"step": "publish", "outcome": outcome, "started_at": _NOW.isoformat(), **words}

    def lose(self, post: Post, status: str, outcome: str) -> None:
        """Remove all traces of the post, with the service reporting that."""
        self.ledger = [entry for entry in self.ledger if entry["text"] != post.text]
        self.history = [record for record in self.history if record["scheduled_post_id"] != post.id]
        self.rows[post.id] = self.row(status)
        self.attempts[post.id] = [self.attempt(outcome)]

    def judged(self) -> Verdict:
        seen = Observation(self.stage, self.ledger, self.rows, self.history, self.attempts)
        return judge(self.plan, seen, [])


def test_a_good_storm_has_no_deviations() -> None:
    verdict = Seen().judged()
    assert verdict.deviations == []
    assert verdict.figures == NOTHING


def doubled(seen: Seen) -> None:
    seen.ledger.append(seen.entry(seen.post))


def missing(seen: Seen) -> None:
    seen.lose(seen.post, "failed", "refused")


def early(seen: Seen) -> None:
    seen.post.due = _NOW + timedelta(seconds=5)
    seen.rows[seen.post.id]["scheduled_at"] = seen.post.due.isoformat()


def published_after_its_end(seen: Seen) -> None:
    seen.post.removed_at = _NOW - timedelta(seconds=5)


def after_removal(seen: Seen) -> None:
    post = seen.post
    post.removed_at = _NOW + timedelta(seconds=2)
    for row in (*seen.ledger, *seen.attempts[post.id]):
        row["received_at"] = row["started_at"] = (_NOW + timedelta(seconds=4)).isoformat()


def after_deletion(seen: Seen) -> None:
    post = seen.post
    post.removed_at = _NOW + timedelta(seconds=2)
    seen.ledger[0]["received_at"] = (_NOW + timedelta(minutes=1)).isoformat()
    del seen.rows[post.id]
    seen.attempts[post.id] = []


def unknown_without_need(seen: Seen) -> None:
    seen.lose(seen.other, "failed", "unknown")


@pytest.mark.parametrize(
    ("spoil", "name"),
    [
        (doubled, "doubled"),
        (missing, "missing"),
        (early, "early"),
        (published_after_its_end, "after_removal"),
        (after_removal, "after_removal"),
        (after_deletion, "after_removal"),
        (unknown_without_need, "unknown"),
    ],
)
def test_what_went_wrong_is_counted(spoil: Callable[[Seen], None], name: str) -> None:
    seen = Seen()
    spoil(seen)
    verdict = seen.judged()
    assert verdict.figures == {**NOTHING, name: 1}
    assert verdict.deviations


def test_an_unknown_outcome_where_nobody_may_ask_is_counted_and_no_deviation() -> None:
    seen = Seen()
    post = next(post for post in seen.plan.posts if post.platform is PostingPlatform.LINKEDIN)
    seen.lose(post, "failed", "unknown")
    verdict = seen.judged()
    assert verdict.figures == {**NOTHING, "unknown": 1}
    assert verdict.deviations == []


def moved_elsewhere(seen: Seen) -> None:
    seen.rows[seen.post.id]["scheduled_at"] = (_NOW - timedelta(seconds=5)).isoformat()


def another_status(seen: Seen) -> None:
    seen.rows[seen.post.id] = seen.row("failed")


def two_records(seen: Seen) -> None:
    seen.history.append(seen.history[0])


def no_record(seen: Seen) -> None:
    del seen.history[0]


def another_file(seen: Seen) -> None:
    seen.ledger[0]["media_sha256"] = "another"


def a_stranger(seen: Seen) -> None:
    seen.ledger.append({**seen.ledger[0], "text": "Nobody wrote this"})


def a_second_publishing_attempt(seen: Seen) -> None:
    seen.attempts[seen.post.id].append(seen.attempt("published"))


@pytest.mark.parametrize(
    "spoil",
    [
        moved_elsewhere,
        another_status,
        two_records,
        no_record,
        another_file,
        a_stranger,
        a_second_publishing_attempt,
    ],
)
def test_what_does_not_agree_is_told(spoil: Callable[[Seen], None]) -> None:
    seen = Seen()
    spoil(seen)
    verdict = seen.judged()
    assert verdict.figures == NOTHING
    assert verdict.deviations
