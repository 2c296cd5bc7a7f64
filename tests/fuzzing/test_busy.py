"""Short version of the searches for input that blocks an event loop."""

import re
import subprocess
import sys

import pytest

from tests.architecture.sources import ROOT
from tests.fuzzing.busy.__main__ import RUNS

_LAST = re.compile(r"worst \d+\.\d ms of \d+, -?(\d+)\.\d MB added of 100")
_COUNTS = {"requests": 40, "platforms": 40, "answers": 3}


@pytest.mark.parametrize("name", RUNS)
def test_whatever_is_sent_is_answered_and_adds_little_memory(name: str) -> None:
    command = [sys.executable, "-m", "tests.fuzzing.busy", name, "--seed", "7", "--count", str(_COUNTS[name])]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    told = _LAST.fullmatch(done.stdout.splitlines()[-1] if done.stdout else "")
    assert told, done.stderr  # only the command judges times, on a dedicated machine
    assert int(told[1]) < 100
