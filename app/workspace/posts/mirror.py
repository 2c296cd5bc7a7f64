"""All posts in memory: the service's state with unconfirmed changes applied."""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final
from uuid import UUID

from app.workspace.outbox.intention import Intention, Wanted, is_in_conflict, shown, wanted_of
from app.workspace.outbox.unanswered import Unanswered
from app.workspace.posts.planned import PlannedPost, Timeline

_SETTLES_S = 10.0
_TOUCHED_MAX: Final = 50_000
"""Number of posts whose last change is remembered. No call lasts for as long as more of them change."""


class Mirror:
    """Updates ``timeline`` with the bases of all posts and their intentions.

    ``unsent`` are posts without a service ID, ``conflicts`` those changed both here and elsewhere.
    ``generation`` counts changes that the service confirmed or reported, to recognise answers that were
    requested before one. ``doubtful`` are posts to request, because it's unknown which of two answers is
    newer. ``foretold`` are posts that unanswered create calls may have made, as reported by a list or the
    stream, by service ID; None if removed. They aren't shown until it's clear that others made them.
    """

    def __init__(
        self, timeline: Timeline | None = None, *, steady: Callable[[], float] = time.monotonic
    ) -> None:
        """``steady`` is a monotonic clock, in s."""
        self.timeline = timeline or Timeline()
        self.intentions: dict[str, Intention] = {}
        self.unsent: set[str] = set()
        self.conflicts: set[str] = set()
        self.sending: set[str] = set()
        self.doubtful: dict[str, None] = {}
        self.foretold: dict[str, PlannedPost | None] = {}
        self.generation = 0
        self._bases: dict[
            str, PlannedPost
        ] = {}  # of posts with an intention; other posts are only in the timeline
        self._steady = steady
        self._ids: dict[str, str] = {}  # key to service ID, if they differ
        self._keys: dict[str, str] = {}  # service ID to key
        self._touched: dict[str, int] = {}
        self._confirmed: dict[str, float] = {}
        self._unanswered: dict[str, Unanswered] = {}

    def want(self, intentions: Iterable[Intention]) -> None:
        """Show unconfirmed changes over posts."""
        self.put_all((base, wish) for wish in intentions if (base := self.base(wish.key)))

    def base(self, key: str) -> PlannedPost | None:
        """Return the service's state of a post, or an unsent post as scheduled."""
        return self._bases.get(key) or self.timeline.get(key)

    def put(self, base: PlannedPost, intention: Intention | None) -> None:
        """Store a post."""
        self.put_all([(base, intention)])

    def put_all(self, changes: Iterable[tuple[PlannedPost, Intention | None]]) -> None:
        """Store several posts, and update the timeline once."""
        visible = []
        for base, intention in changes:
            self.conflicts.discard(base.key)
            if intention is None:
                self._bases.pop(base.key, None)
                self.intentions.pop(base.key, None)
            else:
                self._bases[base.key] = base
                self.intentions[base.key] = intention
                if is_in_conflict(base, intention):
                    self.conflicts.add(base.key)
            visible.append(shown(base, intention, sending=base.key in self.sending))
        self.timeline.apply(visible)

    def is_fresh(self, key: str) -> bool:
        """Whether a new post has never been sent."""
        wish = self.intentions.get(key)
        begun = wish is not None and wish.create_at is not None
        return key in self.unsent and key not in self.sending and not begun

    def is_held(self, key: str) -> bool:
        """Whether the change of a post waits until another post is created."""
        wish = self.intentions.get(key)
        return wish is not None and wish.after in self.unsent and wish.after in self.intentions

    def is_void(self, wish: Intention) -> bool:
        """Whether the change should follow a new post that was never created."""
        unmade = wish.after in self.unsent and wish.after not in self.intentions
        return bool(wish.after) and (unmade or wish.after not in self.timeline)

    def set_sending(self, key: str, *, sending: bool) -> None:
        """Set whether a change of a post is being sent."""
        (self.sending.add if sending else self.sending.discard)(key)
        if base := self.base(key):
            self.put(base, self.intentions.get(key))

    def remove(self, keys: Iterable[str]) -> None:
        """Remove posts."""
        gone = [key for key in keys if key in self.timeline]
        self.timeline.apply((), gone)
        for key in gone:
            self._bases.pop(key, None)
            self.intentions.pop(key, None)
            self.unsent.discard(key)
            self.conflicts.discard(key)
            self._unanswered.pop(key, None)
            if service_id := self._ids.pop(key, None):
                self._keys.pop(service_id, None)

    def service_id(self, key: str) -> UUID | None:
        """Return the service's ID of a post."""
        return None if key in self.unsent else UUID(self._ids.get(key, key))

    def key_of(self, service_id: UUID) -> str:
        """Return the key under which a post of the service is, or would be, stored here."""
        return self._keys.get(str(service_id), str(service_id))

    def is_planned_here(self, key: str) -> bool:
        """Whether a post was scheduled here, so that its key is older than the service's ID."""
        return key in self.unsent or key in self._ids

    def identify(self, key: str, service_id: str | None) -> None:
        """Set the service's ID of a post; None if it has none yet."""
        if service_id is None:
            self.unsent.add(key)
            if known := self._ids.pop(key, None):
                self._keys.pop(known, None)
            return
        self.unsent.discard(key)
        if service_id != key:
            self._ids[key] = service_id
            self._keys[service_id] = key

    def being_created(self) -> list[PlannedPost]:
        """Return the posts with an unanswered create call."""
        wishes = (wish for key in self.unsent if (wish := self.intentions.get(key)) is not None)
        return [base for wish in wishes if wish.create_at is not None and (base := self.base(wish.key))]

    def foretell(self, told: Mapping[str, PlannedPost | None]) -> None:
        """Note reports of a list or the stream about posts that unanswered create calls may have made."""
        if self.being_created():
            self.foretold.update(told)
        else:
            for service_id in told:
                self.foretold.pop(service_id, None)

    def touch(self, key: str) -> None:
        """Note that the service confirmed or reported a change of this post now."""
        self.generation += 1
        self._touched.pop(key, None)  # it comes last again
        self._touched[key] = self.generation
        if len(self._touched) > _TOUCHED_MAX:
            del self._touched[next(iter(self._touched))]

    def confirm(self, key: str) -> None:
        """Note that the service confirmed the wanted state of this post."""
        self.touch(key)
        now = self._steady()
        self._confirmed = {one: at for one, at in self._confirmed.items() if now - at < _SETTLES_S}
        self._confirmed[key] = now

    def await_late(self, unanswered: Iterable[Unanswered]) -> None:
        """Remember unanswered calls; forget posts without any."""
        for one in unanswered:
            self._unanswered[one.key] = one
            if not one.calls:
                del self._unanswered[one.key]

    def unanswered(self, key: str, wanted: Wanted) -> Unanswered:
        """Return the unanswered calls of a post, before ``wanted`` is confirmed."""
        return self._unanswered.get(key, Unanswered(key, wanted))

    def remember_sent(self, wish: Intention, there: PlannedPost, now: int) -> Unanswered:
        """Remember the calls of an intention that is dropped; return what to store on disk."""
        left = self.late_after(wish, there, now)
        self.await_late([left])
        return left

    def late_after(self, wish: Intention, there: PlannedPost, now: int) -> Unanswered:
        """Return the calls that may still be carried out once an intention is dropped."""
        has = wanted_of(there)
        earlier = (one for one in wish.sent if not one.same(has))
        return self.unanswered(wish.key, has).confirmed(has, earlier, now)

    def late(self, key: str) -> tuple[Wanted, ...]:
        """Return the states that late calls of ours may still bring about."""
        known = self._unanswered.get(key)
        return tuple(call.wanted for call in known.calls) if known else ()

    def forget_late(self, now: int) -> list[Unanswered]:
        """Forget calls that can't arrive any more, as all changes until ``now`` are known.

        Return what changed.
        """
        before = self._unanswered.values()
        changed = [left for one in before if (left := one.heard(now)) != one]
        self.await_late(changed)
        return changed

    def wanted_again(
        self, before: PlannedPost, there: PlannedPost, now: int
    ) -> tuple[Intention, Unanswered] | None:
        """Return what has to be sent again if ``there`` is the late result of a call that was given up.

        The other value are the calls that are left.
        """
        known = self._unanswered.get(there.key)
        left = known.overtook(wanted_of(before), wanted_of(there), now) if known else None
        if left is None:
            return None
        late = tuple(call.wanted for call in left.calls)
        return Intention(there.key, left.wanted, seen=wanted_of(there), sent=late), left

    def is_settling(self, key: str) -> bool:
        """Whether a change was confirmed so recently that older news may still arrive."""
        return self._steady() - self._confirmed.get(key, -_SETTLES_S) < _SETTLES_S

    def is_older(self, key: str, generation: int) -> bool:
        """Whether an answer requested at ``generation`` may miss a later change of this post."""
        return key in self.sending or self.has_changed(key, generation)

    def has_changed(self, key: str, generation: int) -> bool:
        """Whether the service confirmed or reported a change of this post since ``generation``."""
        return self._touched.get(key, 0) > generation
