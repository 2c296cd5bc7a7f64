"""Steps that can be undone and redone: what they change, what users call them, and their history."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

from app.language import tr, trn
from app.workspace.outbox.intention import Wanted

STEPS_MAX = 200


class Doing(Enum):
    """What a step does to its posts. The values are stored."""

    MOVE = "move"
    CANCEL = "cancel"
    PLAN = "plan"
    REPLACE = "replace"
    SCHEDULE_AGAIN = "schedule again"


@dataclass(frozen=True, slots=True)
class Label:
    """``Move 2 posts``. ``words``: the label stored by an earlier version, which stored nothing else."""

    doing: Doing | None
    number: int = 1
    words: str = ""

    def __str__(self) -> str:
        match self.doing:
            case Doing.MOVE:
                return trn("Move post", "Move {n} posts", self.number)
            case Doing.CANCEL:
                return trn("Cancel post", "Cancel {n} posts", self.number)
            case Doing.PLAN:
                return trn("Schedule post", "Schedule {n} posts", self.number)
            case Doing.REPLACE:
                return tr("Replace post")
            case Doing.SCHEDULE_AGAIN:
                return trn("Schedule post again", "Schedule {n} posts again", self.number)
        return self.words


@dataclass(frozen=True, slots=True)
class Edit:
    """What a step did to one post."""

    key: str
    before: Wanted
    after: Wanted


@dataclass(frozen=True, slots=True)
class Step:
    """Edits that belong together, and their label. ``made_at`` is a Unix time in ms."""

    id: int
    label: Label
    edits: tuple[Edit, ...]
    made_at: int = 0

    @property
    def keys(self) -> frozenset[str]:
        """Return the keys of its posts."""
        return frozenset(edit.key for edit in self.edits)

    def renamed(self, old: str, new: str) -> "Step":
        """Return the step with another key for a post. If both keys have edits, that of the old key stays."""
        if old == new or old not in self.keys:
            return self
        edits = (
            replace(edit, key=new if edit.key == old else edit.key) for edit in self.edits if edit.key != new
        )
        return replace(self, edits=tuple(edits))

    def goes_back(self, key: str, before: Wanted) -> bool:
        """Whether undoing the step gives a post this state."""
        return any((edit.key, edit.before) == (key, before) for edit in self.edits)


@dataclass(frozen=True, slots=True)
class Entry:
    """A step in the undo history; ``done`` is False while it is undone."""

    id: int
    label: Label
    made_at: int
    done: bool
    edits: tuple[Edit, ...]

    @property
    def keys(self) -> frozenset[str]:
        """The keys of its posts."""
        return frozenset(edit.key for edit in self.edits)


@dataclass(frozen=True, slots=True)
class HistoryChange:
    """Changes to store: steps, whether they are done, and the IDs of removed ones."""

    put: tuple[tuple[Step, bool], ...] = ()
    dropped: tuple[int, ...] = ()

    def __or__(self, later: "HistoryChange") -> "HistoryChange":
        """Return this change followed by another one."""
        put = {step.id: (step, done) for step, done in (*self.put, *later.put)}
        gone = dict.fromkeys((*self.dropped, *later.dropped))
        return HistoryChange(tuple(one for id_, one in put.items() if id_ not in gone), tuple(gone))


NO_CHANGE = HistoryChange()


class History:
    """Undo and redo. Every method returns the changes to store."""

    def __init__(self) -> None:
        self._done: list[Step] = []
        self._undone: list[Step] = []
        self._last_id = 0

    def load(self, steps: Iterable[tuple[Step, bool]]) -> None:
        """Load stored steps, in the order of their IDs."""
        kept = list(steps)
        self._done = [step for step, done in kept if done]
        self._undone = [step for step, done in reversed(kept) if not done]
        self._last_id = max((self._last_id, *(step.id for step, _ in kept)))

    def copy(self) -> "History":
        """Return a copy, to find out what a change will store before it's made."""
        other = History()
        other._done, other._undone, other._last_id = [*self._done], [*self._undone], self._last_id
        return other

    @property
    def undo_label(self) -> str | None:
        return str(self._done[-1].label) if self._done else None

    @property
    def redo_label(self) -> str | None:
        return str(self._undone[-1].label) if self._undone else None

    def entries(self) -> list[Entry]:
        """Return all steps, newest first: those that can be redone, then those that can be undone."""
        listed = [(step, False) for step in self._undone] + [(step, True) for step in reversed(self._done)]
        return [Entry(step.id, step.label, step.made_at, done, step.edits) for step, done in listed]

    def steps_of(self, keys: Collection[str]) -> HistoryChange:
        """Return all steps that change one of these posts, to store them again."""
        every = [*((step, True) for step in self._done), *((step, False) for step in self._undone)]
        return HistoryChange(put=tuple((step, done) for step, done in every if step.keys & set(keys)))

    def edits_of(self, *keys: str) -> Iterator[Edit]:
        """Return what done steps did to these posts, newest first; in a step, in the order of ``keys``."""
        for step in reversed(self._done):
            yield from (edit for key in keys for edit in step.edits if edit.key == key)

    def undone_posts(self) -> frozenset[str]:
        """Return the keys of posts whose scheduling was undone, as long as it can be redone."""
        steps = (step for step in self._undone if step.label.doing is Doing.PLAN)
        return frozenset(edit.key for step in steps for edit in step.edits)

    def add(self, label: Label, edits: Iterable[Edit], made_at: int) -> HistoryChange:
        """Add a step. Undone steps can no longer be redone."""
        self._last_id += 1
        step = Step(self._last_id, label, tuple(edits), made_at)
        dropped = [old.id for old in self._undone]
        self._undone.clear()
        self._done.append(step)
        dropped += [old.id for old in self._done[:-STEPS_MAX]]
        del self._done[:-STEPS_MAX]
        return HistoryChange(put=((step, True),), dropped=tuple(dropped))

    def replace_last(self, step: Step) -> HistoryChange:
        """Replace the newest step, for example by one with more posts."""
        self._done[-1] = step
        return HistoryChange(put=((step, True),))

    def last_done(self) -> Step | None:
        return self._done[-1] if self._done else None

    def last_undone(self) -> Step | None:
        return self._undone[-1] if self._undone else None

    def undo(self) -> HistoryChange:
        """Mark the newest step as undone."""
        step = self._done.pop()
        self._undone.append(step)
        return HistoryChange(put=((step, False),))

    def redo(self) -> HistoryChange:
        """Mark the step that was undone last as redone."""
        step = self._undone.pop()
        self._done.append(step)
        return HistoryChange(put=((step, True),))

    def forget(self, key: str, after: Wanted) -> HistoryChange:
        """Remove the newest edit of a post that led to ``after``, because it failed."""
        return self._amend(key, after, ())

    def give_up(self, key: str, wanted: Wanted) -> HistoryChange:
        """Remove the edit that ``wanted`` this; if that was an undo, the step stays done."""
        taken_back = [step for step in self._undone if step.goes_back(key, wanted)]
        if taken_back:
            is_whole = taken_back[-1] is self._undone[-1] and taken_back[-1].keys == {key}
            return self.redo() if is_whole else NO_CHANGE
        return self.forget(key, wanted)

    def rebase(self, key: str, after: Wanted, before: Wanted) -> HistoryChange:
        """Make undoing the newest edit of a post that led to ``after`` restore ``before``."""
        return self._amend(key, after, (Edit(key, before, after),))

    def rename(self, old: str, new: str) -> HistoryChange:
        """Give a post another key, in every step."""
        changed = []
        for steps, done in ((self._done, True), (self._undone, False)):
            for place, step in enumerate(steps):
                steps[place] = step.renamed(old, new)
                if new in steps[place].keys:  # all of them, in case an earlier change couldn't be stored
                    changed.append((steps[place], done))
        return HistoryChange(put=tuple(changed))

    def _amend(self, key: str, after: Wanted, better: tuple[Edit, ...]) -> HistoryChange:
        for index in range(len(self._done) - 1, -1, -1):
            step = self._done[index]
            edits = tuple(edit for edit in step.edits if (edit.key, edit.after) != (key, after))
            if len(edits) == len(step.edits):
                continue
            if not (edits or better):
                del self._done[index]
                return HistoryChange(dropped=(step.id,))
            self._done[index] = replace(step, edits=(*edits, *better))
            return HistoryChange(put=((self._done[index], True),))
        return NO_CHANGE

    def drop(self, step: Step) -> HistoryChange:
        """Remove a step that no longer does anything."""
        for steps in (self._done, self._undone):
            if step in steps:
                steps.remove(step)
        return HistoryChange(dropped=(step.id,))
