"""The benchmark of lists with few rows."""

import json
import subprocess
import sys

import pytest

from tests.stores import postgres_cluster


@pytest.mark.variation
def test_lists_prints_every_combination_and_one_line_of_figures_last() -> None:
    postgres_cluster()  # skips the test if PostgreSQL is missing
    few = ["--posts", "2000", "--calls", "1", "--streams", "12", "--changes", "2000"]
    command = [sys.executable, "-m", "tests.benchmarks", "lists", *few, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *table, line = done.stdout.splitlines()

    assert list(json.loads(line)) == ["worst_p99_ms", "streams_cost_percent"]
    for path, combinations in (
        ("/api/v1/posts", 27),
        ("/companion/v1/posts", 2),
        ("/api/v1/content-history", 4),
        ("/api/v1/connections", 6),
        ("/api/v1/analytics", 27),
    ):
        assert sum(f"  {path}" in row and ", p99" in row for row in table) == combinations
