"""The benchmark of fairness, with a small backlog."""

import json
import subprocess
import sys

import pytest

from tests.stores import postgres_cluster


@pytest.mark.variation
def test_posts_arrive_once_and_lists_are_answered_during_a_backlog() -> None:
    postgres_cluster()  # skips the test if PostgreSQL is missing
    few = ["--backlog", "60", "--readers", "2", "--seconds", "2", "--json"]
    command = [sys.executable, "-m", "tests.benchmarks", "fairness", *few]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list(json.loads(done.stdout.splitlines()[-1])) == [
        "busy_late_ms_p50",
        "busy_late_ms_p99",
        "backlog_left",
        "busy_list_ms_p50",
        "busy_list_ms_p95",
    ]
