"""What people wanted, saw, and were told: the record by which the end of a run is judged."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from app.contract.enums import PostStatus
from app.workspace.editing.draft import ComposerDraft
from app.workspace.posts.planned import PlannedPost

_MAY_ARRIVE_S: Final = 660.0
MARKER: Final = re.compile(r"Sim(\d{6})")


class State(NamedTuple):
    """What matters of a post: its time in milliseconds, and whether it is cancelled."""

    at: int
    cancelled: bool

    @classmethod
    def of(cls, post: PlannedPost) -> "State":
        return cls(post.at, post.status is PostStatus.CANCELLED)

    def same(self, other: "State") -> bool:
        """Whether both mean the same: of what is not published, the time says nothing."""
        return self.cancelled == other.cancelled and (self.cancelled or self.at == other.at)

    def __str__(self) -> str:
        return f"{'cancelled' if self.cancelled else 'scheduled'} at {self.at}"


@dataclass
class Meant:
    """What somebody wanted of a post in one app.

    Attributes:
        when: In seconds of the world.
        kept: It was on the disk, so that it outlives a death.
        excused: A message said that it was not done, or may not have been.
        taken_back: Undone before anything was sent, which isn't on the disk yet. If it never gets there, the
            wish is back.
        confirmed_at: When the app showed that the service has it, first.
        seen: When the other app showed that, first, after it was confirmed.
    """

    state: State
    when: float
    kept: bool = False
    excused: bool = False
    taken_back: bool = False
    confirmed_at: float | None = None
    seen: float | None = None


@dataclass
class Call:
    """A change that an app asked the service for. Times are seconds of the world.

    Attributes:
        sent_at: When it left the app.
        is_answered: The app got an answer that it can read.
        done_at: When the service was done with it, which may be long after the app gave it up.
        may_arrive_until: Until when the app expects it to be carried out: for ten minutes after a later call
            was answered, and a minute more to learn of it (``app/workspace/outbox/unanswered.py``).
    """

    state: State
    sent_at: float
    is_answered: bool = False
    done_at: float | None = None
    may_arrive_until: float = math.inf


@dataclass
class Typed:
    """Versions of a draft, oldest first, None for discarded. ``kept``: the index of the one on the disk."""

    versions: list[ComposerDraft | None] = field(default_factory=lambda: [None])
    kept: int = 0

    def possible(self) -> Sequence[ComposerDraft | None]:
        """What may be there after a death."""
        return self.versions[self.kept :]

    def found(self, there: ComposerDraft | None) -> None:
        """After a restart this is what there is."""
        self.versions, self.kept = [there], 0


@dataclass
class AppBook:
    """What happened in one app.

    Attributes:
        meant: By post, oldest first.
        steps: By id of a step that can be undone: of each post what was there before and after.
        composer: What is being written.
        shown: By post, what the app showed as the service's, and from when on.
        calls: By the service's id of a post, oldest first.
        emptied: When the app got a list without any posts, though the service has some.
    """

    meant: dict[int, list[Meant]] = field(default_factory=lambda: defaultdict(list))
    steps: dict[int, Mapping[int, tuple[State, State]]] = field(default_factory=dict)
    drafts: dict[int, Typed] = field(default_factory=lambda: defaultdict(Typed))
    composer: Typed = field(default_factory=Typed)
    shown: dict[int, list[tuple[float, State]]] = field(default_factory=lambda: defaultdict(list))
    calls: dict[str, list[Call]] = field(default_factory=lambda: defaultdict(list))
    emptied: list[float] = field(default_factory=list)

    def may_believe_empty(self, apart_s: float) -> bool:
        """Whether the app got such lists twice, at least that many seconds apart."""
        return bool(self.emptied) and self.emptied[-1] - self.emptied[0] >= apart_s

    def show(self, number: int, state: State, now: float) -> None:
        """The app shows this as what the service has."""
        if number not in self.shown or self.shown[number][-1][1] != state:
            self.shown[number].append((now, state))

    def send(self, service_id: str, state: State, now: float) -> Call:
        """The app asks the service for this."""
        call = Call(state, now)
        self.calls[service_id].append(call)
        return call

    def remember(self, service_id: str, begun: Mapping[State, int], now: float) -> None:
        """The app remembers this many calls for each state: at least as many as left it."""
        left = Counter(call.state for call in self.calls[service_id] if not call.is_answered)
        for state, count in begun.items():
            for _ in range(count - left[state]):
                self.send(service_id, state, now)

    def answer(self, service_id: str, answered: Call, now: float) -> None:
        """The answer to a call has come."""
        answered.is_answered = True
        for call in self.calls[service_id]:
            if not call.is_answered:
                call.may_arrive_until = min(call.may_arrive_until, now + _MAY_ARRIVE_S)

    def brought_back(self, number: int, service_id: str, others: Meant) -> Iterator[State]:
        """The states that this app may bring back over a wish from the other app.

        It can't help that when it receives the wish and the effect of its own late call as one change, or
        takes the wish for its own late call: ``docs/correctness.md``, "Two apps on one account".
        """
        for call in self.calls.get(service_id, ()):
            if call.is_answered:
                continue
            if call.done_at is not None and call.done_at > others.when:
                if not self._has_shown(number, others, call.done_at):
                    yield call.state
                    yield from self._shown_last(number, call.done_at)
            elif call.state.same(others.state) and call.sent_at < others.when <= call.may_arrive_until:
                yield from self._shown_last(number, others.when)

    def mistaken(self, number: int, service_id: str, other: "AppBook") -> Iterator[State]:
        """The states that this app may bring back over one that the other app has restored.

        It takes that call for its own late one, as it may take a wish: ``brought_back``.
        """
        last = max((meant.when for book in (self, other) for meant in book.meant.get(number, ())), default=0)
        for theirs in other.calls.get(service_id, ()):
            if theirs.done_at is None or theirs.sent_at < last:
                continue
            for call in self.calls.get(service_id, ()):
                is_expected = call.sent_at < theirs.done_at <= call.may_arrive_until
                if not call.is_answered and is_expected and call.state.same(theirs.state):
                    yield from self._shown_last(number, theirs.done_at)

    def _has_shown(self, number: int, others: Meant, until: float) -> bool:
        since = [state for at, state in self.shown.get(number, ()) if others.when <= at < until]
        return any(state.same(others.state) for state in (*since, *self._shown_last(number, others.when)))

    def _shown_last(self, number: int, until: float) -> Iterator[State]:
        shown = [state for at, state in self.shown.get(number, ()) if at <= until]
        yield from shown[-1:]

    def candidates(self, number: int) -> Iterator[Meant]:
        """The last wish, and the one before it where that may have been lost with a word, and so on."""
        for meant in reversed(self.meant[number]):
            yield meant
            if not (meant.excused or meant.taken_back):
                return

    def take_back(self, number: int) -> None:
        """The post is again as the service had it, before anything was sent: nobody wants anything of it."""
        several = self.meant[number]
        sure = [place for place, meant in enumerate(several, 1) if meant.confirmed_at is not None]
        after = sure[-1] if sure else 0
        # Those excused may have been done all the same.
        for meant in several[after:]:
            meant.taken_back = not meant.excused

    def keep(self) -> None:
        """Everything is on the disk: wishes as well as what was taken back."""
        for number, several in self.meant.items():
            self.meant[number] = left = [meant for meant in several if not meant.taken_back]
            for meant in left:
                meant.kept = True

    def find(self, number: int, there: State | None) -> None:
        """After a death this is what the app has of a post: wishes that weren't kept may be gone."""
        several = self.meant[number]
        for meant in several:
            meant.taken_back = meant.taken_back and not (there and there.same(meant.state))
        several[:] = [meant for meant in several if not meant.taken_back]
        while several and not several[-1].kept and not (there and there.same(several[-1].state)):
            several.pop()

    def rebase(self, number: int, after: State, before: State) -> None:
        """Taking back what led to a state gives another one from now on."""
        for step in sorted(self.steps, reverse=True):
            edits = self.steps[step]
            if number in edits and edits[number][1] == after:
                self.steps[step] = {**edits, number: (before, after)}
                return


def marker(number: int) -> str:
    """What a post is known by everywhere."""
    return f"Sim{number:06d}"


def number_of(text: str) -> int | None:
    """The post that a text belongs to."""
    found = MARKER.search(text)
    return int(found[1]) if found else None
