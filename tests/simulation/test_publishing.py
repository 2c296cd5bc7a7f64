"""Publishing, simulated: a new seed for each commit, printed with everything that a failure needs."""

import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import structlog

from tests.simulation.__main__ import script
from tests.simulation.faults import RATES, Fault, Kind, read_rates
from tests.simulation.planted import PLANTED, Plant
from tests.simulation.publishing.invariants import Rule
from tests.simulation.publishing.plan import draw
from tests.simulation.publishing.world import Script, play
from tests.simulation.reduce import Reduction, as_test, least
from tests.simulation.report import Report

SECONDS = float(os.environ.get("KALENDS_SIMULATED_SECONDS", "15"))
"""How long the short form plays, in time of one core."""

_SEED_OF_PLANTED = 1


def _seed() -> int:
    """Return the commit's seed, so that a failure comes again until it's mended; elsewhere any."""
    git = shutil.which("git")
    if git is not None:
        asked = subprocess.run([git, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            return int(asked.stdout[:8], 16)
    return secrets.randbelow(10**9)


@contextmanager
def _quiet() -> Iterator[None]:
    """Thousands of failures are on purpose; nobody wants to read of them."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    try:
        yield
    finally:
        structlog.configure(**before)


@pytest.fixture(autouse=True)
def _silence() -> Iterator[None]:
    with _quiet():
        yield


def test_nothing_is_doubled_lost_early_or_misreported() -> None:
    seed, report = _seed(), Report()
    print(f"seed {seed}")
    began = time.process_time()
    while time.process_time() - began < SECONDS:
        outcome = play(script(seed + report.outcomes, 150))
        report.add(outcome)
        if outcome.breaches:
            found = Reduction(outcome).reduce()
            pytest.fail(f"{found.breaches[0]}\n\n{as_test(found)}")
    print(report.text())
    assert not report.unforeseen


def test_the_same_seed_gives_the_same_trace_whatever_hashes_are() -> None:
    command = [sys.executable, "-m", "tests.simulation", "publishing"]
    command += ["--seed", "3", "--runs", "1", "--posts", "25", "--json"]
    traces = {
        subprocess.run(
            command, env=os.environ | {"PYTHONHASHSEED": salt}, check=True, capture_output=True, text=True
        ).stdout.rpartition('"trace": ')[2]
        for salt in ("1", "2")
    }
    assert len(traces) == 1


def test_played_faults_give_the_run_that_they_were_drawn_in() -> None:
    drawn = play(Script(5, draw(5, 40)))
    assert drawn.faults
    assert play(Script(5, draw(5, 40), played=drawn.faults)).trace == drawn.trace


def test_without_faults_every_post_goes_out_on_time() -> None:
    outcome = play(Script(4, draw(4, 60), {}))
    assert outcome.breaches == []
    assert not any(verdict.is_unknown or verdict.status == "failed" for verdict in outcome.verdicts)
    assert max(outcome.late) < 1


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_a_planted_fault_is_found_within_2000_posts(plant: Plant) -> None:
    rates, seed, posts = read_rates(PLANTED[plant]), _SEED_OF_PLANTED, 80
    with plant():
        for number in range(2_000 // posts):
            if play(script(seed + number, posts, rates)).breaches:
                return
    pytest.fail(f"{plant.__name__} was not found")


def test_a_failure_is_reduced_to_what_it_needs() -> None:
    plant = next(one for one in PLANTED if one.__name__ == "lost_answer_retried")
    with plant():
        outcome = play(Script(2, draw(2, 60), {Kind.CUT_AFTER: 0.2, Kind.SLOW: 0.2}))
        assert Rule.DOUBLED in {one.rule for one in outcome.breaches}
        reduced = Reduction(outcome).reduce()
    assert [fault.kind for fault in reduced.faults] == [Kind.CUT_AFTER]
    assert len(reduced.script.wishes) == 1
    assert "Kind.CUT_AFTER" in as_test(reduced)


def test_the_least_list_is_found_among_many() -> None:
    assert list(least(range(100), lambda left: {3, 77} <= set(left))) == [3, 77]


def test_rates_are_read() -> None:
    assert read_rates("cut_after=0.5") == {Kind.CUT_AFTER: 0.5}
    assert read_rates("all=0,die") == dict.fromkeys(RATES, 0.0) | {Kind.DIE: RATES[Kind.DIE]}
    assert Fault(1, Kind.SLOW, 0.5).between(10, 20) == 15
