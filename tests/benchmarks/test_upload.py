"""The benchmark of uploads with a small file."""

import json
import shutil
import subprocess
import sys

import pytest


@pytest.mark.skipif(shutil.which("curl") is None, reason="the measurement is against curl")
def test_upload_prints_one_line_of_figures_last() -> None:
    command = [sys.executable, "-m", "tests.benchmarks", "upload", "--mib", "2", "--rounds", "1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout.splitlines()[-1])

    assert {"service_ratio", "service_growth_mb"} <= figures.keys()
    assert figures["service_ratio"] > 0
    assert 0 <= figures["service_growth_mb"] < 60
