"""Media, simulated: files that are kept, found and forgotten."""

from collections.abc import Iterator

import pytest

from tests.simulation.faults import Fault, Kind, read_rates
from tests.simulation.loop import SimulatedLoop, simulate
from tests.simulation.media.plan import How, Verb, Wish
from tests.simulation.media.planted import PLANTED, Plant
from tests.simulation.media.threads import BlockedLoopError, ThreadedLoop, pause
from tests.simulation.media.world import ROOM, play
from tests.simulation.room import Script
from tests.simulation.suite import assert_found, assert_holds, assert_played_again, assert_reproducible, quiet


@pytest.fixture(autouse=True)
def _silence() -> Iterator[None]:
    with quiet():
        yield


def test_no_file_in_use_disappears_and_no_other_stays() -> None:
    assert_holds(ROOM, 30)


@pytest.mark.variation
def test_the_same_seed_gives_the_same_trace_also_on_a_busy_machine() -> None:
    assert_reproducible(ROOM, 3, 15)


def test_played_faults_give_the_run_that_they_were_drawn_in() -> None:
    assert_played_again(ROOM, 2, 15)


@pytest.mark.parametrize("verb", [Verb.UPLOAD, Verb.IMPORT])
def test_without_faults_a_whole_file_is_kept(verb: Verb) -> None:
    wishes = [Wish(number, 10 * number + 1, verb, 0, 4_000) for number in range(4)]
    outcome = play(Script(1, wishes, {}))
    assert outcome.breaches == []
    assert outcome.endings == {"kept": 4, "unconfirmed": 0, "strays": 0, "removed": 0}


@pytest.mark.parametrize("how", [How.CUT, How.NEVER, How.SHORT, How.WRONG])
def test_nothing_stays_of_what_never_came_whole(how: How) -> None:
    outcome = play(Script(1, [Wish(1, 1, Verb.UPLOAD, 0, 4_000, how)], {}))
    assert outcome.breaches == []
    assert set(outcome.endings.values()) == {0}


def test_a_file_comes_back_after_weeks_without_it() -> None:
    wishes = [
        *(Wish(number, number + 1, Verb.UPLOAD, 0, 4_000) for number in range(6)),
        Wish(6, 20, Verb.HIDE, 0),
        *(Wish(7 + day, 30 + 100_000 * day, Verb.WAIT, 0, 26) for day in range(4)),
    ]
    outcome = play(Script(1, wishes, {}))
    assert outcome.breaches == []
    assert outcome.endings["kept"] == 6


def test_a_file_without_a_row_goes_once_others_have_left_the_quarantine() -> None:
    wishes = [
        *(Wish(number, number + 1, Verb.UPLOAD, 0, 4_000) for number in (0, 2, 4, 6)),
        Wish(7, 20, Verb.COPY, 0),
        Wish(8, 25, Verb.UPLOAD, 0, 4_000),
        Wish(9, 40, Verb.RESTORE, 1),
        Wish(10, 60, Verb.WAIT, 0, 26),
        Wish(11, 100_000, Verb.COPY, 0),
        Wish(12, 100_005, Verb.UPLOAD, 0, 4_000),
        Wish(13, 100_020, Verb.RESTORE, 1),
    ]
    outcome = play(Script(1, wishes, {}))
    assert outcome.breaches == []
    assert outcome.endings == {"kept": 4, "unconfirmed": 0, "strays": 0, "removed": 0}


def test_a_post_that_is_cancelled_after_a_restore_by_a_request_from_before_needs_no_file() -> None:
    wishes = [
        Wish(0, 1, Verb.UPLOAD, 0, 4_000),
        Wish(1, 20, Verb.PLAN, 0),
        Wish(2, 30, Verb.COPY, 0),
        Wish(3, 40, Verb.WAIT, 0, 1),
        Wish(4, 50, Verb.CANCEL, 0),
        Wish(5, 60, Verb.RESTORE, 1),
        Wish(6, 5_000, Verb.DELETE, 0),
    ]
    outcome = play(Script(1, wishes, {}))
    assert outcome.breaches == []
    assert outcome.endings["removed"] == 1


def test_a_post_that_is_cancelled_before_it_is_confirmed_needs_no_file() -> None:
    wishes = [
        Wish(0, 1, Verb.UPLOAD, 0, 4_000),
        Wish(1, 20, Verb.PLAN, 0),
        Wish(2, 21, Verb.CANCEL, 0),
        Wish(3, 60, Verb.DELETE, 0),
    ]
    for nth in range(1, 14):  # one of these writes creates the post
        outcome = play(Script(1, wishes, played=[Fault(nth, Kind.DIE_AFTER_WRITE, 0.5)]))
        assert outcome.breaches == []
        assert outcome.endings["removed"] == 1


def test_a_file_is_removed_by_the_second_of_two_requests_when_its_post_is_cancelled_between_them() -> None:
    wishes = [
        Wish(0, 1, Verb.UPLOAD, 0, 4_000),
        Wish(1, 20, Verb.PLAN, 0),
        Wish(2, 30, Verb.WAIT, 0, 1),
        Wish(3, 40, Verb.DELETE, 0),
        Wish(4, 41, Verb.DELETE, 0),
        Wish(5, 3_631, Verb.CANCEL, 0),
    ]
    removed = 0
    for nth in range(1, 14):  # two of these writes are the requests: one of them is repeated
        outcome = play(Script(1, wishes, played=[Fault(nth, Kind.READ_ONLY, 0.5)]))
        assert outcome.breaches == []
        removed += outcome.endings["removed"]
    assert removed


def test_work_that_waits_on_the_event_loop_ends_the_run() -> None:
    async def story(_: SimulatedLoop) -> None:
        pause(1)

    with pytest.raises(BlockedLoopError):
        simulate(story, ThreadedLoop)


@pytest.mark.parametrize(
    "plant",
    [
        pytest.param(plant, marks=() if nth == 0 else pytest.mark.variation, id=plant.__name__)
        for nth, plant in enumerate(PLANTED)
    ],
)
def test_a_planted_fault_is_found_within_2000_files(plant: Plant) -> None:
    with plant():
        assert_found(ROOM, read_rates(PLANTED[plant], ROOM.rates), count=40)
