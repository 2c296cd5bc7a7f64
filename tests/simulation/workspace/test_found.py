"""What earlier runs found, as short as it can be."""

import pytest

from tests.simulation.faults import Fault, Kind
from tests.simulation.room import Script
from tests.simulation.suite import quiet
from tests.simulation.workspace.plan import Edit, Verb
from tests.simulation.workspace.world import ROOM, play


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


def test_a_replacement_whose_undo_cannot_be_saved_stays() -> None:
    """Both happen in one moment, and only the first is written: a message says so, and the post is replaced.

    The user took the replacement back, but it's wanted again (seed 300377).
    """
    wishes = [
        Edit(0, 2.0, 0, Verb.PLAN, (0,), 100),
        Edit(1, 30.0, 0, Verb.OFFLINE),
        Edit(2, 31.0, 0, Verb.REPLACE, (0, 1), 200),
        Edit(3, 31.0, 0, Verb.UNDO),
        Edit(4, 90.0, 0, Verb.ONLINE),
    ]
    # Which write of the run is the undo's depends on how many the app makes before it: once it was the 36th.
    with quiet():
        for nth in sorted(range(20, 100), key=lambda number: abs(number - 36)):
            outcome = play(Script(1, wishes, played=[Fault(nth, Kind.DISK_FULL, 0.5)]))
            assert outcome.breaches == []
            if outcome.endings == {"cancelled": 1, "scheduled": 1}:
                return
    pytest.fail("The full disk never met the undo.")


def test_a_failed_cancellation_and_a_move_taken_back_leave_the_post_planned() -> None:
    """The message about the cancellation came before the service had the post (seed 2136568398)."""
    wishes = [
        Edit(0, 2.0, 0, Verb.OFFLINE),
        Edit(1, 3.0, 0, Verb.PLAN, (0,), 100),
        Edit(2, 20.0, 0, Verb.CANCEL, (0,)),
        Edit(3, 30.0, 0, Verb.ONLINE),
        Edit(4, 60.0, 0, Verb.MOVE, (0,), 200),
        Edit(5, 60.0, 0, Verb.UNDO),
    ]
    # Once the 36th write of the run was that of the cancellation.
    with quiet():
        for nth in range(20, 60):
            outcome = play(Script(1, wishes, played=[Fault(nth, Kind.DISK_FULL, 0.5)]))
            assert outcome.breaches == []
            assert outcome.endings == {"scheduled": 1}


def test_seed_300377() -> None:
    with quiet():
        assert ROOM.play(ROOM.script(300377, 80)).breaches == []
