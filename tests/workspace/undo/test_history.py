"""The history in memory and what it has kept of itself are the same, whatever happens to it."""

from collections.abc import Callable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.workspace.outbox.intention import Wanted
from app.workspace.undo.history import NO_CHANGE, STEPS_MAX, History, HistoryChange
from app.workspace.undo.label import Doing, Label
from app.workspace.undo.step import Edit, Step

MOVED = Label(Doing.MOVE)
KEYS = st.sampled_from("abc")
WANTED = st.builds(Wanted, st.integers(0, 3), st.booleans())
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
