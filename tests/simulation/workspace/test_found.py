"""What earlier runs found, as short as it can be."""

from tests.simulation.faults import Fault, Kind
from tests.simulation.room import Script
from tests.simulation.suite import quiet
from tests.simulation.workspace.plan import Edit, Verb
from tests.simulation.workspace.world import play


def test_what_one_app_restores_may_look_like_a_late_call_of_the_other() -> None:
    """Both apps wait for a call: the first one's arrives late, and undoing that looks like the second one's.

    Neither can know better, and both end with the same state.
    """
    wishes = [
        Edit(0, 2.0, 1, Verb.PLAN, (0,), 100),
        Edit(1, 30.0, 0, Verb.MOVE, (0,), 200),
        Edit(2, 32.0, 1, Verb.RESTART),
        Edit(3, 45.0, 1, Verb.MOVE, (0,), 300),
        Edit(4, 90.0, 1, Verb.TYPE),
    ]
    faults = [Fault(10, Kind.LATE_ARRIVAL, 0.4), Fault(16, Kind.CUT_BEFORE, 0.01)]
    with quiet():
        outcome = play(Script(1, wishes, played=faults))
    assert outcome.faults == faults
    assert outcome.breaches == []
