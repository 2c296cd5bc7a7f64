"""Short versions of the storms on the app and its composer, and the figures of syncing."""

import json
import subprocess
import sys

import pytest

from tests.benchmarks.appkills.frozen import Lives


@pytest.mark.parametrize(
    ("due", "published", "counted"),
    [
        (5.0, 6.0, 1.0),  # nothing was killed
        (9.0, 14.0, 2.0),  # no window for a second, then a start of two seconds
        (12.0, 14.0, 1.0),
        (10.5, 12.5, 0.0),
        (19.0, 22.0, 2.0),  # a start of the service was killed after a second
        (5.0, 30.0, 21.0),
    ],
)
def test_lateness_counts_while_something_ran_that_had_been_up_long_enough(
    due: float, published: float, counted: float
) -> None:
    lives = Lives(start_s=2.0)
    lives.window_started(0.0)
    lives.window_ended(10.0)
    lives.window_started(11.0)
    lives.start_ended(20.0, 21.0)
    assert lives.counted(due, published) == counted


def figures_of(*options: str) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.benchmarks", *options, "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


@pytest.mark.variation
@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_what_is_written_is_never_garbled_or_doubled_by_an_end() -> None:
    figures = figures_of("composerkills", "--ends", "2", "--seed", "4")
    assert list(figures) == ["ends", "late", "wrong", "lost_ms_p50", "lost_ms_max"]
    assert figures["wrong"] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_no_accepted_write_is_lost_or_doubled_by_kills() -> None:
    figures = figures_of("appkills", "--kills", "2", "--seed", "7")
    assert list(figures) == ["kills", "accepted", "lost", "doubled"]
    assert figures["accepted"] > 0
    assert (figures["lost"], figures["doubled"]) == (0, 0)


def test_an_idle_workspace_asks_for_nothing_and_lists_in_large_pages() -> None:
    figures = figures_of("sync", "--posts", "1200")
    assert list(figures) == ["first_requests", "first_s", "idle_requests", "live_change_ms_p50"]
    assert figures["first_requests"] <= 10
    assert figures["idle_requests"] == 0
    assert figures["live_change_ms_p50"] > 0
