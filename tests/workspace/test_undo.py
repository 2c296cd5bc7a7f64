"""Undo and redo: the history in memory equals what is stored of it."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import PostStatus
from app.language import use
from app.workspace.outbox.intention import Wanted
from app.workspace.undo import NO_CHANGE, STEPS_MAX, Doing, Edit, History, HistoryChange, Label, Step
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import Opened, new_post, opened, settled, until

MOVED = Label(Doing.MOVE)
KEYS = st.sampled_from("abc")
WANTED = st.builds(Wanted, st.integers(0, 3), st.booleans())


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> ModelService:
    return ModelService(clock)


def times(workspace: Opened) -> dict[str, int]:
    return {post.key: post.at for post in workspace.posts}


async def test_a_group_moves_and_comes_back_in_one_step_also_after_a_restart(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    first, second = (service.add_post(account, START + n * HOUR) for n in (1, 2))
    before, after = ({first: START + n * HOUR, second: START + (n + 1) * HOUR} for n in (1, 4))
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 2)
        workspace.move(after)
        assert workspace.undo_label == "Move 2 posts"
        await settled(workspace)
    async with opened(tmp_path, service) as workspace:
        workspace.undo()
        assert times(workspace) == before
        assert (workspace.undo_label, workspace.redo_label) == (None, "Move 2 posts")
        await settled(workspace)
    async with opened(tmp_path, service) as workspace:
        workspace.redo()
        await settled(workspace)
        assert times(workspace) == after


@pytest.mark.parametrize("several", [False, True])
async def test_what_kept_steps_are_called_follows_the_language(
    tmp_path: Path, service: ModelService, *, several: bool
) -> None:
    async def story() -> None:
        account = service.add_account()
        keys = [service.add_post(account, START + n * HOUR) for n in (1, 2)][: 1 + several]
        async with opened(tmp_path, service) as workspace:
            await workspace.refresh()
            workspace.move(dict.fromkeys(keys, START + 9 * HOUR))
            workspace.plan([new_post(account, key=key) for key in "ab"[: 1 + several]])
            workspace.cancel(keys)
            await settled(workspace)
        use("de")
        async with opened(tmp_path, service) as workspace:
            found = [str(entry.label) for entry in workspace.history]
        many = ["2 Beiträge streichen", "2 Beiträge planen", "2 Beiträge verschieben"]
        assert found == (many if several else ["Beitrag streichen", "Beitrag planen", "Beitrag verschieben"])

    try:
        await story()
    finally:
        use("en")


@pytest.mark.parametrize(
    ("doing", "one", "several"),
    [
        (Doing.MOVE, "Move post", "Move 2 posts"),
        (Doing.CANCEL, "Cancel post", "Cancel 2 posts"),
        (Doing.PLAN, "Schedule post", "Schedule 2 posts"),
        (Doing.REPLACE, "Replace post", "Replace post"),
        (Doing.SCHEDULE_AGAIN, "Schedule post again", "Schedule 2 posts again"),
    ],
)
def test_each_kind_of_step_has_a_label(doing: Doing, one: str, several: str) -> None:
    assert (str(Label(doing)), str(Label(doing, 2))) == (one, several)


def test_steps_in_databases_keep_their_names() -> None:
    """A step by another name could not be read, and with it the whole workspace."""
    assert [one.value for one in Doing] == ["move", "cancel", "plan", "replace", "schedule again"]


async def test_a_step_of_an_earlier_version_is_called_as_it_was(
    tmp_path: Path, service: ModelService
) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        workspace.move({key: START + 2 * HOUR})
        await settled(workspace)
    with closing(sqlite3.connect(tmp_path / "workspace.db")) as file, file:
        file.execute("UPDATE undo_steps SET doing = '', label = 'Beitrag verschieben'")
    async with opened(tmp_path, service) as workspace:
        assert workspace.undo_label == "Beitrag verschieben"
        workspace.undo()
        assert workspace.redo_label == "Beitrag verschieben"
        await settled(workspace)


async def test_a_cancelled_post_is_resumed_on_the_service(tmp_path: Path, service: ModelService) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        workspace.cancel([key])
        await settled(workspace)
        assert [post["status"] for post in service.posts.values()] == ["cancelled"]
        workspace.undo()
        await settled(workspace)
    assert [post["status"] for post in service.posts.values()] == ["scheduled"]


async def test_planning_is_taken_back_by_cancelling(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        workspace.plan([new_post(account, "one"), new_post(account, "two")])
        assert workspace.undo_label == "Schedule 2 posts"
        await settled(workspace)
        workspace.undo()
        await settled(workspace)
        assert {post.status for post in workspace.posts} == {PostStatus.CANCELLED}


async def test_an_undo_into_the_past_says_why_it_is_refused(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
    key = service.add_post(service.add_account(), START + HOUR, "Late")
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        workspace.move({key: START + 5 * HOUR})
        await settled(workspace)
        clock.now = START + 2 * HOUR
        workspace.undo()
        assert times(workspace) == {key: START + 5 * HOUR}
        assert [message.text for message in workspace.said] == [
            "Couldn't undo “Move post”. “Late”: That time has passed."
        ]
        assert workspace.undo_label is None


async def test_an_undo_that_the_service_refuses_leaves_what_was_done(
    tmp_path: Path, service: ModelService
) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        for hours in (2, 3):
            workspace.move({key: START + hours * HOUR})
            await settled(workspace)
        service.faults.append(("PATCH", "refuse"))
        workspace.undo()
        await settled(workspace)
        assert workspace.posts.all()[0].at == START + 3 * HOUR
        assert [entry.done for entry in workspace.history] == [True, True]
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        for hours in (2, 1):
            workspace.undo()
            await settled(workspace)
            assert workspace.posts.all()[0].at == START + hours * HOUR


async def test_what_cannot_be_moved_stays_and_the_rest_moves(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
    account = service.add_account()
    good = service.add_post(account, START + HOUR)
    busy = service.add_post(account, START + HOUR, "Busy", status="processing")
    async with opened(tmp_path, service) as workspace:
        await until(lambda: len(workspace.posts) == 2)
        workspace.move({good: START + 2 * HOUR, busy: START + 2 * HOUR})
        assert times(workspace) == {good: START + 2 * HOUR, busy: START + HOUR}
        assert [message.text for message in workspace.said] == [
            "Couldn't move 1 of 2 posts. “Busy”: It's being published right now."
        ]
        assert workspace.refusal(good, clock.now) == "That time has passed."
        assert workspace.refusal("nowhere", clock.now + HOUR) == "This post no longer exists."


EDITS = st.lists(
    st.builds(Edit, KEYS, WANTED, WANTED), min_size=1, max_size=4, unique_by=lambda edit: edit.key
)


def at(hours: int) -> Wanted:
    return Wanted(hours, cancelled=False)


def edit(key: str, before: int, after: int) -> Edit:
    return Edit(key, at(before), at(after))


class Kept:
    """A history with what is on the disk of it, as the store keeps it."""

    def __init__(self) -> None:
        self.history = History()
        self.rows: dict[int, tuple[Step, bool]] = {}

    def keep(self, change: HistoryChange) -> None:
        self.rows |= {step.id: (step, done) for step, done in change.put}
        for step_id in change.dropped:
            self.rows.pop(step_id, None)

    def add(self, *edits: Edit) -> Step:
        self.keep(self.history.add(Label(Doing.MOVE, len(edits)), edits, 0))
        step = self.history.last_done()
        assert step is not None
        return step

    def again(self) -> History:
        """The history after the next start."""
        loaded = History()
        loaded.load([self.rows[step_id] for step_id in sorted(self.rows)])
        return loaded

    def check(self) -> None:
        again = self.again()
        assert again.entries() == self.history.entries()
        assert again.last_done() == self.history.last_done()
        assert again.last_undone() == self.history.last_undone()


@given(st.data())
def test_the_next_start_finds_the_history_as_it_was(data: st.DataObject) -> None:
    kept = Kept()

    def add() -> HistoryChange:
        return kept.history.add(MOVED, data.draw(EDITS), 0)

    def back() -> HistoryChange:
        return kept.history.undo() if kept.history.last_done() else NO_CHANGE

    def on() -> HistoryChange:
        return kept.history.redo() if kept.history.last_undone() else NO_CHANGE

    def drop() -> HistoryChange:
        steps = [step for step in (kept.history.last_done(), kept.history.last_undone()) if step]
        return kept.history.drop(data.draw(st.sampled_from(steps))) if steps else NO_CHANGE

    def forget() -> HistoryChange:
        return kept.history.forget(data.draw(KEYS), data.draw(WANTED))

    def give_up() -> HistoryChange:
        return kept.history.give_up(data.draw(KEYS), data.draw(WANTED))

    def rebase() -> HistoryChange:
        return kept.history.rebase(data.draw(KEYS), data.draw(WANTED), data.draw(WANTED))

    def rename() -> HistoryChange:
        return kept.history.rename(data.draw(KEYS), data.draw(KEYS))

    def replace_last() -> HistoryChange:
        last = kept.history.last_done()
        return kept.history.replace_last(replace(last, edits=tuple(data.draw(EDITS)))) if last else NO_CHANGE

    doings: list[Callable[[], HistoryChange]] = [
        add, back, on, drop, forget, give_up, rebase, rename, replace_last,
    ]  # fmt: skip
    for doing in data.draw(st.lists(st.sampled_from([add, add, *doings]), max_size=30)):
        kept.keep(doing())
        kept.check()


def test_a_post_has_another_key_in_every_step() -> None:
    kept = Kept()
    kept.add(edit("new", 0, 1))
    kept.add(edit("old", 1, 2), edit("other", 5, 6))
    kept.add(edit("new", 1, 3), edit("old", 2, 4))
    kept.keep(kept.history.undo())
    kept.keep(kept.history.rename("old", "new"))
    kept.check()
    undone = kept.history.last_undone()
    assert undone is not None
    assert undone.edits == (edit("new", 2, 4),)
    last = kept.history.last_done()
    assert last is not None
    assert last.edits == (edit("new", 1, 2), edit("other", 5, 6))


def test_a_change_of_keys_that_could_not_be_kept_is_kept_later() -> None:
    kept = Kept()
    kept.add(edit("old", 1, 2))
    kept.history.rename("old", "new")
    kept.keep(kept.history.rename("old", "new"))
    kept.check()


def test_only_so_many_steps_are_kept_the_newest() -> None:
    kept = Kept()
    for number in range(STEPS_MAX + 3):
        kept.add(edit(str(number), 0, 1))
    kept.check()
    entries = kept.again().entries()
    assert len(entries) == STEPS_MAX
    assert entries[0].keys == {str(STEPS_MAX + 2)}
    assert entries[-1].keys == {"3"}


def test_a_step_that_is_given_up_in_part_stays_for_the_rest_after_a_restart() -> None:
    kept = Kept()
    kept.add(edit("a", 0, 1), edit("b", 0, 1))
    kept.keep(kept.history.forget("a", at(1)))
    again = kept.again().last_done()
    assert again is not None
    assert again.edits == (edit("b", 0, 1),)


def test_the_list_says_which_steps_are_done() -> None:
    kept = Kept()
    for key in ("a", "b", "c"):
        kept.add(edit(key, 0, 1))
    kept.keep(kept.history.undo())
    for history in (kept.history, kept.again()):
        listed = [("".join(entry.keys), entry.done) for entry in history.entries()]
        assert listed == [("c", False), ("b", True), ("a", True)]


def test_what_a_step_of_one_post_goes_back_to_may_change_and_it_stays() -> None:
    """After a conflict, Undo leads to what the service had meanwhile."""
    kept = Kept()
    kept.add(edit("a", 0, 1))
    kept.keep(kept.history.rebase("a", at(1), at(5)))
    again = kept.again().last_done()
    assert again is not None
    assert again.edits == (edit("a", 5, 1),)
    kept.check()


def test_a_step_that_is_given_up_whole_is_gone_after_a_restart() -> None:
    kept = Kept()
    kept.add(edit("a", 0, 1))
    kept.keep(kept.history.give_up("a", at(1)))
    assert kept.again().entries() == []
    assert kept.history.undo_label is None


def test_giving_an_older_step_up_leaves_the_newer_one_of_another_post() -> None:
    kept = Kept()
    kept.add(edit("a", 0, 1))
    newer = kept.add(edit("b", 0, 1))
    kept.keep(kept.history.give_up("a", at(1)))
    assert kept.history.last_done() == newer
    assert [entry.keys for entry in kept.history.entries()] == [{"b"}]
    kept.check()


def test_of_two_steps_of_one_post_the_one_is_given_up_that_led_there() -> None:
    kept = Kept()
    kept.add(edit("a", 0, 1))
    newer = kept.add(edit("a", 1, 2))
    kept.keep(kept.history.forget("a", at(1)))
    assert [entry.id for entry in kept.history.entries()] == [newer.id]
    kept.keep(kept.history.forget("a", at(7)))
    assert [entry.id for entry in kept.history.entries()] == [newer.id]


def test_the_newest_step_that_led_there_is_meant() -> None:
    kept = Kept()
    older = kept.add(edit("a", 0, 1))
    kept.add(edit("a", 2, 1))
    kept.keep(kept.history.forget("a", at(1)))
    assert [entry.id for entry in kept.history.entries()] == [older.id]


def test_a_step_whose_undoing_is_refused_is_done() -> None:
    kept = Kept()
    step = kept.add(edit("a", 0, 1))
    kept.keep(kept.history.undo())
    kept.keep(kept.history.give_up("a", at(0)))
    assert kept.history.last_done() == step
    assert kept.history.redo_label is None
    kept.check()


def test_another_post_whose_change_is_refused_leaves_an_undone_step_undone() -> None:
    kept = Kept()
    other = kept.add(edit("b", 0, 1))
    step = kept.add(edit("a", 0, 1))
    kept.keep(kept.history.undo())
    kept.keep(kept.history.give_up("b", at(1)))
    assert kept.history.last_undone() == step
    assert kept.history.last_done() is None
    assert other.id not in kept.rows
    kept.check()


def test_undoing_a_group_that_is_refused_for_one_post_stays_undone_for_the_others() -> None:
    kept = Kept()
    step = kept.add(edit("a", 0, 1), edit("b", 0, 1))
    kept.keep(kept.history.undo())
    kept.keep(kept.history.give_up("a", at(0)))
    assert kept.history.last_undone() == step
    assert kept.history.last_done() is None
    kept.check()


def test_undoing_a_group_that_is_refused_for_one_post_keeps_the_older_step_that_led_there() -> None:
    kept = Kept()
    older = kept.add(edit("a", 5, 0))
    step = kept.add(edit("a", 0, 1), edit("b", 3, 1))
    kept.keep(kept.history.undo())
    kept.keep(kept.history.give_up("a", at(0)))
    assert (kept.history.last_done(), kept.history.last_undone()) == (older, step)
    kept.check()


def test_only_the_step_undone_last_can_come_back_by_a_refusal() -> None:
    kept = Kept()
    kept.add(edit("a", 0, 1))
    kept.add(edit("a", 1, 2))
    kept.keep(kept.history.undo())
    kept.keep(kept.history.undo())
    kept.keep(kept.history.give_up("a", at(1)))  # what undoing the second step wanted
    assert [entry.done for entry in kept.history.entries()] == [False, False]
    kept.check()


def test_rebasing_changes_what_undo_gives_back_and_nothing_else() -> None:
    kept = Kept()
    kept.add(edit("a", 0, 1), edit("b", 0, 1))
    kept.keep(kept.history.rebase("a", at(1), at(5)))
    step = kept.again().last_done()
    assert step is not None
    assert set(step.edits) == {edit("a", 5, 1), edit("b", 0, 1)}
    kept.check()


def test_after_a_new_step_nothing_can_be_done_again() -> None:
    kept = Kept()

    def labels() -> tuple[str | None, str | None]:
        return kept.history.undo_label, kept.history.redo_label

    assert labels() == (None, None)
    kept.add(edit("a", 0, 1))
    kept.keep(kept.history.undo())
    assert labels() == (None, "Move post")
    kept.add(edit("b", 0, 1))
    assert labels() == ("Move post", None)
    kept.check()


def test_steps_are_numbered_on_after_a_restart_also_when_the_newest_is_undone() -> None:
    kept = Kept()
    kept.add(edit("a", 0, 1))
    second = kept.add(edit("a", 1, 2))
    kept.keep(kept.history.undo())
    kept.history = kept.again()
    assert kept.add(edit("a", 1, 3)).id > second.id
    kept.check()


def test_two_changes_together_say_what_both_leave() -> None:
    first, second = Step(1, MOVED, (edit("a", 0, 1),)), Step(2, MOVED, (edit("b", 0, 1),))
    better = replace(first, edits=(edit("a", 5, 1),))
    together = HistoryChange(put=((first, True), (second, True))) | HistoryChange(
        put=((better, False),), dropped=(2,)
    )
    assert together.put == ((better, False),)
    assert together.dropped == (2,)
    gone = HistoryChange(dropped=(1,)) | HistoryChange(dropped=(1, 3))
    assert gone.dropped == (1, 3)
