"""Two apps and the API, simulated."""

from collections.abc import Iterator

import pytest

from tests.simulation.faults import read_rates
from tests.simulation.suite import assert_found, assert_holds, assert_played_again, assert_reproducible, quiet
from tests.simulation.workspace.planted import FOUND_SOON, PLANTED, Plant
from tests.simulation.workspace.world import ROOM


@pytest.fixture(autouse=True)
def _silence() -> Iterator[None]:
    with quiet():
        yield


def test_both_apps_converge_and_nothing_that_was_wanted_or_typed_is_lost() -> None:
    assert_holds(ROOM, 80, seed=1)


@pytest.mark.variation
def test_the_same_seed_gives_the_same_trace_also_on_a_busy_machine() -> None:
    assert_reproducible(ROOM, 3, 40)


@pytest.mark.variation
def test_played_faults_give_the_run_that_they_were_drawn_in() -> None:
    assert_played_again(ROOM, 5, 40)


def test_without_faults_everybody_agrees_within_seconds() -> None:
    outcome = ROOM.play(ROOM.script(4, 60, {}))
    assert outcome.breaches == []
    assert max(outcome.late) < 60


@pytest.mark.parametrize(
    "plant",
    [
        pytest.param(plant, marks=() if plant in FOUND_SOON else pytest.mark.variation, id=plant.__name__)
        for plant in PLANTED
    ],
)
def test_a_planted_fault_is_found_within_2000_edits(plant: Plant) -> None:
    with plant():
        assert_found(ROOM, read_rates(PLANTED[plant], ROOM.rates))
