"""The service during slow imports: fewer of them, for a short time."""

import json
import subprocess
import sys


def test_the_service_publishes_and_answers_while_60_imports_drip() -> None:
    few = ["--imports", "60", "--seconds", "3", "--json"]
    command = [sys.executable, "-m", "tests.benchmarks", "dripping", *few]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr  # every call was answered, and every post arrived once
    figures = json.loads(done.stdout.splitlines()[-1])
    assert list(figures) == [
        "dripping_api_ms_p50",
        "dripping_api_ms_max",
        "dripping_late_ms_p50",
        "dripping_late_ms_max",
        "under_way",
        "refused",
        "open_files_more",
    ]
    assert figures["under_way"] == 32
    assert figures["refused"] == 60 - 32
