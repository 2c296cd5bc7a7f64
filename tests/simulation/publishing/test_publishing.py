"""Publishing, simulated: a new seed for each commit, printed with everything that a failure needs."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from app.contract.enums import PostingPlatform, PostType
from tests.simulation.faults import Fault, Kind, read_rates
from tests.simulation.publishing.ground import DIRECT_ACCOUNTS, PICTURE, inbox_video
from tests.simulation.publishing.invariants import Rule
from tests.simulation.publishing.plan import Wish, draw
from tests.simulation.publishing.planted import (
    FOUND_SOON,
    PLANTED,
    SHARED,
    Plant,
    missing_field_taken_for_no,
)
from tests.simulation.publishing.world import ROOM, play
from tests.simulation.reduce import Reduction, as_test
from tests.simulation.room import Script
from tests.simulation.suite import assert_found, assert_holds, assert_played_again, assert_reproducible, quiet


@pytest.fixture(autouse=True)
def _silence() -> Iterator[None]:
    with quiet():
        yield


def test_nothing_is_doubled_lost_early_or_misreported() -> None:
    assert_holds(ROOM, 150)


@pytest.mark.parametrize("busy", [False, pytest.param(True, marks=pytest.mark.variation)])
def test_the_same_seed_gives_the_same_trace_also_on_a_busy_machine(busy: bool) -> None:
    assert_reproducible(ROOM, 3, 25, busy=busy)


def test_played_faults_give_the_run_that_they_were_drawn_in() -> None:
    assert_played_again(ROOM, 5, 15)


def test_without_faults_every_post_goes_out_on_time() -> None:
    outcome = play(Script(4, [wish for wish in draw(4, 60) if not wish.is_to_inbox], {}))
    assert outcome.breaches == []
    assert outcome.figures["unknown"] == outcome.figures["failed"] == 0
    assert sorted(outcome.late)[len(outcome.late) // 2] < 1
    assert max(outcome.late) < 60  # a file planned at the last moment, while its platform works on it


def test_users_publish_by_hand_put_off_skip_undo_and_report_late() -> None:
    wishes = [wish for wish in draw(21, 1_200) if wish.is_by_hand]
    assert {wish.platform.is_known for wish in wishes} == {True, False}
    outcome = play(Script(21, wishes, {}))
    assert outcome.breaches == []
    assert outcome.endings["never done by hand"] > 0
    assert set(outcome.branches) >= {
        "attempt pending > handed_over",
        "attempt handed_over > published",
        "attempt published > handed_over",
        "processing > scheduled",
        "posted > processing",
        "processing > failed",
        "failed > posted",
    }


def test_a_wait_that_outlasts_a_suspend_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    wish = Wish(1, PostingPlatform.X, 0, created_s=1, due_s=80)
    script = Script(5, [wish], {}, played=[Fault(5, Kind.SUSPEND, 0.6)])
    assert play(script).breaches == []
    monkeypatch.setattr("app.service.publishing.clock._LONGEST_NAP", timedelta(days=1))
    assert [breach.rule for breach in play(script).breaches] == [Rule.DAWDLED]


def test_nothing_is_doubled_when_an_older_copy_of_the_store_comes_back() -> None:
    rates = read_rates("all,old_copy=0.03,old_copy_told=0.02")
    outcome = play(Script(13, draw(13, 120), rates))
    assert {fault.kind for fault in outcome.faults} >= {Kind.OLD_COPY, Kind.OLD_COPY_TOLD}
    assert outcome.breaches == []


def test_nothing_is_doubled_when_upload_steps_are_lost() -> None:
    rates = read_rates("cut_after=0.2,steps_lost=0.3")
    outcome = play(Script(13, draw(13, 60), rates))
    assert Kind.STEPS_LOST in {fault.kind for fault in outcome.faults}
    assert outcome.figures["unknown"] > 0
    assert outcome.breaches == []


def test_a_call_may_be_under_way_while_an_older_copy_of_the_store_comes_back() -> None:
    """Its attempt is in no store when it arrives. The journal has it, so it's looked for and not repeated."""
    wishes = [Wish(number, PostingPlatform.X, 0, created_s=1, due_s=82.25 + number) for number in (0, 20)]
    outcome = play(Script(5, wishes, {}, played=[Fault(20, Kind.OLD_COPY, 0.7)]))
    assert outcome.breaches == []
    assert outcome.branches["attempt lost > published"] == 1
    assert outcome.endings == {"posted": 2}


def test_a_pin_listed_without_its_date_is_not_taken_for_another_one() -> None:
    """Its list lacks the date for two minutes. Pinterest, unlike X and Facebook, doesn't refuse a copy."""
    pin = Wish(1, PostingPlatform.PINTEREST, 0, 1, 60, PostType.IMAGE, PICTURE)
    later = Wish(2, PostingPlatform.X, 0, created_s=1, due_s=150)
    faults = [Fault(23, Kind.CUT_AFTER, 0.5), Fault(28, Kind.WITHHELD_FIELD, 0.2)]
    script = Script(5, [pin, later], {}, played=faults)
    outcome = play(script)
    assert outcome.breaches == []
    assert outcome.faults == faults
    assert outcome.branches["attempt lost > published"] == 1
    with missing_field_taken_for_no():
        assert play(script).breaches[0].rule is Rule.DOUBLED


def test_what_its_user_deletes_from_the_inbox_is_not_sent_again_after_a_lost_answer() -> None:
    place = 1, PostingPlatform.TIKTOK, DIRECT_ACCOUNTS
    video = Wish(*place, 1, 30, PostType.VIDEO, inbox_video(1), finishes_s=0.5, discards=True)
    later = Wish(2, PostingPlatform.X, 0, created_s=1, due_s=40)
    outcome = play(Script(4, [video, later], {}, played=[Fault(12, Kind.CUT_AFTER, 0.5)]))
    assert outcome.breaches == []
    assert outcome.branches["attempt pending > lost"] == 1
    assert outcome.endings == {"left in an inbox": 1, "posted": 1}


def test_users_publish_from_their_inboxes_before_and_after_the_limit_delete_there_or_do_nothing() -> None:
    wishes = [wish for wish in draw(21, 1_500) if wish.is_to_inbox]
    outcome = play(Script(21, wishes, {}))
    assert outcome.breaches == []
    assert outcome.endings["posted"] > 0
    assert outcome.endings["left in an inbox"] > 0
    assert set(outcome.branches) >= {"attempt pending > in_inbox", "attempt in_inbox > published"}


def test_what_arrives_after_it_was_proved_absent_is_looked_for_again_when_a_copy_is_refused() -> None:
    rates = read_rates("late_arrival=0.3")
    outcome = play(Script(49, draw(49, 80), rates))
    assert outcome.breaches == []
    assert outcome.branches["attempt transient > lost"] == 1


@pytest.mark.variation
def test_seed_2274092778() -> None:
    """A worker that had stood still found the post, and ended the claim of another one that was looking."""
    assert ROOM.play(ROOM.script(2274092778, 400)).breaches == []


@pytest.mark.variation
def test_seed_568092400() -> None:
    """The clock was set back while posts were written that waited until its former time."""
    assert ROOM.play(ROOM.script(568092400, 400)).breaches == []


@pytest.mark.parametrize(
    "plant",
    [
        pytest.param(plant, marks=() if plant in FOUND_SOON else pytest.mark.variation, id=plant.__name__)
        for plant in PLANTED
    ],
)
def test_a_planted_fault_is_found_within_2000_posts(plant: Plant) -> None:
    with plant():
        assert_found(ROOM, read_rates(PLANTED[plant]), workers=3 if plant in SHARED else None)


def test_every_planted_fault_is_in_the_documentation() -> None:
    page = (Path(__file__).parents[3] / "docs" / "correctness.md").read_text("utf-8")
    listed = re.findall(r"^\| .* \(`(\w+)`\)", page, re.MULTILINE)
    assert sorted(listed) == sorted(plant.__name__ for plant in PLANTED)
    always = re.findall(r"^\| .* \(`(\w+)`\) \\\*", page, re.MULTILINE)
    assert sorted(always) == sorted(plant.__name__ for plant in FOUND_SOON)


def test_a_failure_is_reduced_to_what_it_needs() -> None:
    plant = next(one for one in PLANTED if one.__name__ == "lost_answer_retried")
    with plant():
        outcome = play(Script(28, draw(28, 8), {Kind.CUT_AFTER: 0.4, Kind.SLOW: 0.2}))
        assert Rule.DOUBLED in {one.rule for one in outcome.breaches}
        reduced = Reduction(ROOM, outcome).reduce()
    assert [fault.kind for fault in reduced.faults] == [Kind.CUT_AFTER]
    assert len(reduced.script.wishes) == 1
    assert "Kind.CUT_AFTER" in as_test(reduced)
