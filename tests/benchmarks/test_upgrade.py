"""The benchmark of updates, briefly: two versions run together, and nothing fails."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]


def _has_history() -> bool:
    shallow = ["git", "rev-parse", "--is-shallow-repository"]
    if shutil.which("git") is None:
        return False
    return subprocess.run(shallow, cwd=_ROOT, capture_output=True, text=True, check=False).stdout == "false\n"


@pytest.mark.variation
@pytest.mark.skipif(not _has_history(), reason="needs git and the history of the checkout")
def test_nothing_fails_or_is_doubled_while_a_server_is_updated() -> None:
    command = [sys.executable, "-m", "tests.benchmarks", "upgrade", "--seconds", "1", "--json"]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
    if "This needs PostgreSQL" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])

    assert {name: figures[name] for name in ("errors", "missing", "doubled")} == {
        "errors": 0,
        "missing": 0,
        "doubled": 0,
    }
