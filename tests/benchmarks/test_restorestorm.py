"""A short storm of programs: an older copy is put back without a word, and nothing is published twice.

On both stores, and with many seeds, the same is tried without programs in ``tests/service/publishing``.
"""

import json
import subprocess
import sys

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGKILL")
def test_a_copy_that_is_put_back_publishes_nothing_twice() -> None:
    options = ["--posts", "12", "--rounds", "1", "--seconds", "3", "--seed", "3"]
    command = [sys.executable, "-m", "tests.benchmarks", "restorestorm", *options, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    assert figures == {"posts": 12, "doubled": 0, "missing": 0, "unknown": 0}, done.stdout
