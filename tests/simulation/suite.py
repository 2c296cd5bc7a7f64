"""How the tests of every room play it."""

import logging
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any, Final, NoReturn

import pytest
import structlog

from tests.simulation.faults import Kind
from tests.simulation.reduce import Reduction, as_test
from tests.simulation.report import Report
from tests.simulation.room import Outcome, Room

SECONDS: Final = float(os.environ.get("KALENDS_SIMULATED_SECONDS", "2"))
"""How long the suite plays a room, in time of one core; the nightly run takes longer."""
REDUCED_S: Final = 60.0
"""How long the suite reduces a failure, in seconds."""

_WITHIN: Final = 2_000
"""Within how many things a planted fault must be found."""


def commit_seed() -> int:
    """The commit's seed, so that a failure comes again until it's fixed; elsewhere any."""
    git = shutil.which("git")
    if git is not None:
        asked = subprocess.run([git, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            return int(asked.stdout[:8], 16)
    return secrets.randbelow(10**9)


def _end(_logger: object, _method: str, event: MutableMapping[str, Any]) -> NoReturn:
    raise AssertionError(f"logged: {event}") from sys.exc_info()[1]


@contextmanager
def quiet() -> Iterator[None]:
    """Without the log: thousands of failures are on purpose. An error that nobody expected ends the run."""
    before = structlog.get_config()
    structlog.configure(
        processors=[_end], wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL)
    )
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
        structlog.configure(**before)


def assert_holds(room: Room[Any], count: int, seconds: float = SECONDS, *, seed: int | None = None) -> Report:
    """Play runs of so many things for a while; a failure comes with its least form.

    Args:
        room: What is played.
        count: How many things each run has.
        seconds: How long, in time of one core.
        seed: The first run's; new ones for each commit where None.
    """
    seed, report = commit_seed() if seed is None else seed, Report(room)
    print(f"seed {seed}")
    began = time.process_time()
    while time.process_time() - began < seconds:
        outcome = room.play(room.script(seed + report.runs, count))
        report.add(outcome)
        if outcome.breaches:
            pytest.fail(_explained(room, outcome, count))
    print(report.text())
    assert not report.unforeseen
    return report


def _explained(room: Room[Any], outcome: Outcome[Any], count: int) -> str:
    """The failure as a test that can be pasted, and how to reduce it further where time ran out."""
    reduction = Reduction(room, outcome, REDUCED_S)
    found = reduction.reduce()
    told = f"{found.breaches[0]}\n\n{as_test(found)}"
    if reduction.is_cut_short:
        command = f"python -m tests.simulation {room.name} --seed {outcome.script.seed} --runs 1"
        told += f"\nReduced for {REDUCED_S:.0f} s only. To go on: {command} --posts {count}"
    return told


def found_within(
    room: Room[Any],
    rates: Mapping[Kind, float] | None = None,
    *,
    count: int = 80,
    seed: int = 1,
    workers: int | None = None,
) -> tuple[int, str] | None:
    """Play runs of ``count`` until a rule is broken, at most 2,000 things. To be called with a fault planted.

    Returns how many things were played, and the rule; None if none was broken. ``workers`` is how many
    programs each run has; None: as many as its seed has.
    """
    played = 0
    while played < _WITHIN:
        script = room.script(seed + played // count, count, rates)
        outcome = room.play(script if workers is None else replace(script, workers=workers))
        played += count
        if outcome.breaches:
            return played, outcome.breaches[0].rule.value
    return None


def assert_found(
    room: Room[Any],
    rates: Mapping[Kind, float] | None = None,
    *,
    count: int = 80,
    seed: int = 1,
    workers: int | None = None,
) -> None:
    """Some rule is broken within 2,000 things, as in ``found_within``."""
    found = found_within(room, rates, count=count, seed=seed, workers=workers)
    assert found is not None, "the planted fault was not found"


def assert_played_again(room: Room[Any], seed: int, count: int) -> None:
    """The faults that were drawn, played from a list, give the same run."""
    drawn = room.play(room.script(seed, count))
    assert drawn.faults
    script = room.script(seed, count)
    again = type(script)(script.seed, script.wishes, script.rates, script.workers, drawn.faults)
    assert room.play(again).trace == drawn.trace


def assert_reproducible(room: Room[Any], seed: int, count: int, *, busy: bool = True) -> None:
    """The same seed gives the same trace in two processes, whatever their hashes and, if ``busy``, load."""
    command = [sys.executable, "-m", "tests.simulation", room.name]
    command += ["--seed", str(seed), "--runs", "1", "--posts", str(count), "--json"]

    def trace(salt: str) -> str:
        environment = os.environ | {"PYTHONHASHSEED": salt}
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        return done.stdout.rpartition('"trace": ')[2]

    alone = trace("1")
    with _busy_loops() if busy else nullcontext():
        assert trace("2") == alone


@contextmanager
def _busy_loops() -> Iterator[None]:
    """Two processes that leave little time to others."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
