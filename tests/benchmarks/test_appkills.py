"""The short form of the storm over the app, and the figures of keeping up."""

import json
import subprocess
import sys

import pytest


def figures_of(*options: str) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.benchmarks", *options, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_no_accepted_write_is_lost_or_doubled_by_kills() -> None:
    figures = figures_of("appkills", "--kills", "8", "--seed", "7")
    assert list(figures) == ["kills", "accepted", "lost", "doubled"]
    assert figures["accepted"] > 0
    assert (figures["lost"], figures["doubled"]) == (0, 0)


def test_an_idle_workspace_asks_for_nothing_and_lists_in_large_pages() -> None:
    figures = figures_of("sync", "--posts", "1200")
    assert list(figures) == ["first_requests", "first_s", "idle_requests", "live_change_ms_p50"]
    assert figures["first_requests"] <= 10
    assert figures["idle_requests"] == 0
    assert figures["live_change_ms_p50"] > 0
