"""Short storms with programs: an older copy is restored, and nothing is published twice.

``tests/service/publishing`` covers both stores and many seeds without programs.
"""

import json
import subprocess
import sys

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGKILL")
@pytest.mark.parametrize(
    ("told", "store"),
    [
        ("never", "sqlite"),
        pytest.param("always", "postgresql", marks=pytest.mark.variation),
        pytest.param("never", "postgresql", marks=pytest.mark.variation),
        pytest.param("always", "sqlite", marks=pytest.mark.variation),
    ],
)
def test_a_copy_that_is_put_back_publishes_nothing_twice(store: str, told: str) -> None:
    """With and without the restore command."""
    options = ["--posts", "12", "--rounds", "1", "--seconds", "3", "--seed", "3", "--told", told]
    options += ["--store", store]
    command = [sys.executable, "-m", "tests.benchmarks", "restorestorm", *options, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "There is no PostgreSQL" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    assert figures.pop("unknown") <= 12  # only the platforms know the outcome of earlier posts
    assert figures == {"posts": 12, "put_back": 1, "doubled": 0, "missing": 0, "early": 0}, done.stdout
