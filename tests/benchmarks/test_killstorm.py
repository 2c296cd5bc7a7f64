"""A short storm, and the verdicts on failed storms."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import pytest

from app.contract.enums import PostingPlatform
from tests.benchmarks.killstorm.clocks import Clocks
from tests.benchmarks.killstorm.plan import ACCOUNTS, Plan, Post
from tests.benchmarks.killstorm.stage import Account, File, Stage
from tests.benchmarks.killstorm.verdict import Observation, Verdict, judge

_NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
_HOUR = timedelta(hours=1)
REFUSALS = ["--refusals", "2", "--renewals", "1"]
SHIFTS = ["--shifts"]
VARIATION = pytest.mark.variation
NOTHING = {"posts": 30, "doubled": 0, "missing": 0, "early": 0, "unknown": 0}


def storm(*options: str) -> dict[str, float]:
    """Run a short storm without deviations and return its figures."""
    command = [sys.executable, "-m", "tests.benchmarks", "killstorm", *options, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "There is no PostgreSQL" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    assert "\n0 deviations\n" in done.stdout, done.stdout
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    assert {figures[name] for name in ("doubled", "missing", "early")} == {0}, done.stdout
    return figures


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
        pytest.param("postgresql", SHIFTS, id="wrong clocks-postgresql"),
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


def unknown_without_need(seen: Seen) -> None:
    seen.lose(seen.other, "failed", "unknown")


@pytest.mark.parametrize(
    ("spoil", "name"),
    [(doubled, "doubled"), (missing, "missing"), (early, "early"), (unknown_without_need, "unknown")],
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


def published_after_its_end(seen: Seen) -> None:
    seen.post.removed_at = _NOW - timedelta(seconds=5)


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
        published_after_its_end,
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
