"""Rates of faults, and the reduction of lists."""

from tests.simulation.faults import RATES, Fault, Kind, read_rates
from tests.simulation.reduce import least, written


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
