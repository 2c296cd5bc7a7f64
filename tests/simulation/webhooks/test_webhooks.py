"""Webhooks, simulated: a new seed for each commit, printed with everything that a failure needs."""

from collections.abc import Iterator

import pytest

from tests.simulation.faults import read_rates
from tests.simulation.room import Script
from tests.simulation.suite import assert_found, assert_holds, assert_played_again, assert_reproducible, quiet
from tests.simulation.webhooks.plan import Mode, Verb, Wish, draw
from tests.simulation.webhooks.planted import FOUND_SOON, PLANTED, Plant
from tests.simulation.webhooks.world import ROOM, play


@pytest.fixture(autouse=True)
def _silence() -> Iterator[None]:
    with quiet():
        yield


def test_no_event_is_lost_and_the_log_tells_the_truth() -> None:
    assert_holds(ROOM, 100)


@pytest.mark.variation
def test_the_same_seed_gives_the_same_trace_also_on_a_busy_machine() -> None:
    assert_reproducible(ROOM, 3, 25)


def test_played_faults_give_the_run_that_they_were_drawn_in() -> None:
    assert_played_again(ROOM, 5, 25)


def test_without_faults_receivers_that_listen_get_everything_at_once() -> None:
    wishes = [Wish(number, number / 3, Verb.HAPPEN, number, number) for number in range(60)]
    outcome = play(Script(4, wishes, {}))
    assert outcome.breaches == []
    assert set(outcome.endings) == {"delivered"}
    assert max(outcome.late) < 1


def test_receivers_with_troubles_delay_nobody_else() -> None:
    outcome = play(Script(4, draw(4, 100), {}))
    assert outcome.breaches == []


@pytest.mark.parametrize("mode", [Mode.HANGS, Mode.REFUSES])
def test_a_receiver_that_fails_is_switched_off(mode: Mode) -> None:
    wishes = [Wish(number, number / 3, Verb.HAPPEN, 0, 0) for number in range(12)]
    outcome = play(Script(1, [*wishes, Wish(12, 0, Verb.BEHAVE, 0, 0, mode)], {}))
    assert outcome.breaches == []
    assert outcome.branches["subscription disabled"] == 1


@pytest.mark.parametrize(
    "plant",
    [
        pytest.param(plant, marks=() if plant in FOUND_SOON else pytest.mark.variation, id=plant.__name__)
        for plant in PLANTED
    ],
)
def test_a_planted_fault_is_found_within_2000_events(plant: Plant) -> None:
    with plant():
        assert_found(ROOM, read_rates(PLANTED[plant], ROOM.rates))
