"""The benchmark of limits, for a moment."""

import json
import subprocess
import sys

import pytest

from tests.stores import postgres_cluster


@pytest.mark.variation
def test_scale_prints_one_line_of_figures_last() -> None:
    postgres_cluster()  # skips the test if PostgreSQL is missing
    few = ["--posts", "200", "--writers", "2", "--seconds", "0.2"]
    command = [sys.executable, "-m", "tests.benchmarks", "scale", *few, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    assert figures["commits_per_s"] > 0
    assert figures["posts_bytes_with_indexes"] > figures["posts_bytes"] > 0
