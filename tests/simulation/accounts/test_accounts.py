"""Tokens, flows, limits and counts, simulated."""

from collections.abc import Iterator
from typing import Final

import pytest

from tests.simulation.accounts.planted import PLANTED, Plant
from tests.simulation.accounts.world import ROOM
from tests.simulation.faults import read_rates
from tests.simulation.suite import assert_found, assert_holds, assert_played_again, assert_reproducible, quiet

_SEED: Final = 1_098_549_669


@pytest.fixture(autouse=True)
def _silence() -> Iterator[None]:
    with quiet():
        yield


def test_accounts_end_only_when_platforms_end_them_and_calls_are_limited_and_counted() -> None:
    assert_holds(ROOM, 30, 1, seed=_SEED)  # three days, in one run


@pytest.mark.variation
def test_the_same_is_true_of_ten_days() -> None:
    assert_holds(ROOM, 100, seed=_SEED)


@pytest.mark.variation
def test_the_same_seed_gives_the_same_trace_also_on_a_busy_machine() -> None:
    assert_reproducible(ROOM, 3, 40)


@pytest.mark.variation
def test_played_faults_give_the_run_that_they_were_drawn_in() -> None:
    assert_played_again(ROOM, 2, 40)


@pytest.mark.parametrize(
    "plant",
    [
        pytest.param(plant, marks=() if nth == 0 else pytest.mark.variation, id=plant.__name__)
        for nth, plant in enumerate(PLANTED)
    ],
)
def test_a_planted_fault_is_found_within_2000_renewals(plant: Plant) -> None:
    rates, seed = PLANTED[plant]
    with plant():
        assert_found(ROOM, read_rates(rates, ROOM.rates), count=250, seed=seed)
