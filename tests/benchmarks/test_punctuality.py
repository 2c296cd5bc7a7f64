"""The benchmark of punctuality with a few posts and without the peer."""

import json
import subprocess
import sys

import pytest

KEYS = [
    "late_ms_p50",
    "late_ms_p99",
    "drain_per_s",
    "peer_late_ms_p50",
    "peer_late_ms_p99",
    "peer_drain_per_s",
    "procrastinate_late_ms_p50",
    "procrastinate_late_ms_p99",
    "procrastinate_drain_per_s",
]


@pytest.mark.variation
def test_punctuality_prints_one_line_of_figures_last_and_nothing_goes_out_early() -> None:
    few = [
        "--far",
        "200",
        "--due",
        "40",
        "--overdue",
        "60",
        "--accounts",
        "6",
        "--rounds",
        "1",
        "--idle",
        "0.2",
    ]
    command = [sys.executable, "-m", "tests.benchmarks", "punctuality", *few, "--no-peer", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    *table, line = done.stdout.splitlines()
    figures = json.loads(line)

    assert list(figures) == KEYS
    assert figures["late_ms_p50"] <= figures["late_ms_p99"]
    assert figures["drain_per_s"] > 0
    assert ["early", "0.00"] in [row.split() for row in table]
