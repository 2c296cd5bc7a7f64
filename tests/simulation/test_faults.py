"""Rates of faults, and the reduction of failures."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import pytest

from tests.simulation.faults import RATES, Fault, Kind, read_rates
from tests.simulation.reduce import Reduction, least, written
from tests.simulation.room import Breach, Outcome, Room, Script


class _Rule(StrEnum):
    BROKEN = "broken"


@dataclass(frozen=True)
class _Wish:
    number: int


def _play(script: Script[_Wish]) -> Outcome[_Wish]:
    """Break the rule wherever the third wish is."""
    outcome = Outcome(script)
    outcome.breaches += [Breach(_Rule.BROKEN, 3, "") for one in script.wishes if one.number == 3]
    return outcome


def _draw(_seed: int, count: int) -> Sequence[_Wish]:
    return [_Wish(number) for number in range(count)]


_ROOM = Room("small", "wishes", figures=(), branches=(), draw=_draw, play=_play)


def test_the_least_list_is_found_among_many() -> None:
    assert list(least(range(100), lambda left: {3, 77} <= set(left))) == [3, 77]


def test_rates_are_read() -> None:
    assert read_rates("cut_after=0.5") == {Kind.CUT_AFTER: 0.5}
    assert read_rates("all=0,die") == dict.fromkeys(RATES, 0.0) | {Kind.DIE: RATES[Kind.DIE]}
    assert read_rates("all=2", {Kind.DIE: 0.1}) == {Kind.DIE: 0.2}


def test_a_fault_has_a_size() -> None:
    assert Fault(1, Kind.SLOW, 0.5).between(10, 20) == 15


def test_faults_are_written_as_python() -> None:
    assert written((Fault(1, Kind.SLOW, 0.5),)) == "(Fault(1, Kind.SLOW, 0.5), )"


def test_a_failure_is_reduced_until_nothing_can_be_left_out() -> None:
    reduction = Reduction(_ROOM, _play(_ROOM.script(1, 20)))
    assert reduction.reduce().script.wishes == [_Wish(3)]
    assert not reduction.is_cut_short


@pytest.mark.parametrize("limit", [{"seconds": 0}, {"runs": 0}])
def test_a_reduction_without_time_or_runs_gives_the_failure_itself(limit: dict[str, int]) -> None:
    outcome = _play(_ROOM.script(1, 20))
    reduction = Reduction(_ROOM, outcome, **limit)
    assert reduction.reduce() is outcome
    assert reduction.is_cut_short
