"""All posts in memory: as the service has them, with unconfirmed changes shown over them."""

import time
from collections.abc import Callable, Iterable, Mapping
from uuid import UUID

from app.workspace.outbox.intention import Intention, Wanted, is_in_conflict, shown, wanted_of
from app.workspace.outbox.unanswered import Unanswered
from app.workspace.posts.planned import PlannedPost, Timeline

_SETTLES_S = 10.0


class Mirror:
    """Keeps ``timeline`` showing each post's base with its intention over it.

    ``unsent`` are the posts that the service has given no id, ``conflicts`` those that somebody else changed
    while something was wanted of them here. ``generation`` counts confirmed changes, so
    that an answer that was on its way before one is known to be old. ``doubtful`` are posts whose state has
    to be requested, because nobody can tell which of two answers is newer. ``foretold`` is what a list or the
    stream said of posts that unanswered create calls may have made, by service ID; None for removed posts.
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
        self._bases: dict[str, PlannedPost] = {}  # of posts with an intention; of others the timeline's is it
        self._steady = steady
        self._ids: dict[str, str] = {}  # key to service id, where they differ
        self._keys: dict[str, str] = {}  # and back
        self._touched: dict[str, int] = {}
        self._confirmed: dict[str, float] = {}
        self._unanswered: dict[str, Unanswered] = {}

    def want(self, intentions: Iterable[Intention]) -> None:
        """Show unconfirmed changes over posts."""
        self.put_all((base, wish) for wish in intentions if (base := self.base(wish.key)))

    def base(self, key: str) -> PlannedPost | None:
        """Return the post as the service has it, or an unsent post as planned."""
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
        """Whether a new post has not been sent at all."""
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
        """Whether a post was planned here, so that its key is older than the service's ID."""
        return key in self.unsent or key in self._ids

    def identify(self, key: str, service_id: str | None) -> None:
        """Says which id the service gave to a post; None for none yet."""
        if service_id is None:
            self.unsent.add(key)
            if known := self._ids.pop(key, None):
                self._keys.pop(known, None)
            return
        self.unsent.discard(key)
        if service_id != key:
            self._ids[key] = service_id
            self._keys[service_id] = key

    def foretell(self, told: Mapping[str, PlannedPost | None]) -> None:
        """Note what a list or the stream said of posts that unanswered create calls may have made."""
        wishes = (self.intentions.get(key) for key in self.unsent)
        if any(wish is not None and wish.create_at is not None for wish in wishes):
            self.foretold.update(told)
        else:
            self.foretold.clear()

    def touch(self, key: str) -> None:
        """Notes that the service confirmed a change of this post now."""
        self.generation += 1
        self._touched[key] = self.generation

    def confirm(self, key: str) -> None:
        """Notes that the service confirmed what was wanted of this post."""
        self.touch(key)
        now = self._steady()
        self._confirmed = {one: at for one, at in self._confirmed.items() if now - at < _SETTLES_S}
        self._confirmed[key] = now

    def await_late(self, unanswered: Iterable[Unanswered]) -> None:
        """Remembers calls without an answer; of what has none, nothing is remembered any more."""
        for one in unanswered:
            self._unanswered[one.key] = one
            if not one.calls:
                del self._unanswered[one.key]

    def unanswered(self, key: str, wanted: Wanted) -> Unanswered:
        """The calls of a post without an answer, before ``wanted`` is confirmed."""
        return self._unanswered.get(key, Unanswered(key, wanted))

    def remember_sent(self, wish: Intention, there: PlannedPost, now: int) -> Unanswered:
        """Remember the calls for a wish that is given up; gives what is left for the disk."""
        has = wanted_of(there)
        left = self.unanswered(wish.key, has).confirmed(
            has, (one for one in wish.sent if not one.same(has)), now
        )
        self.await_late([left])
        return left

    def late(self, key: str) -> tuple[Wanted, ...]:
        """What calls of ours may still make of a post."""
        known = self._unanswered.get(key)
        return tuple(call.wanted for call in known.calls) if known else ()

    def forget_late(self, now: int) -> list[Unanswered]:
        """Forgets calls that are over, since the service was heard until ``now``; gives what has changed."""
        before = self._unanswered.values()
        changed = [left for one in before if (left := one.heard(now)) != one]
        self.await_late(changed)
        return changed

    def overtaken(self, before: PlannedPost, there: PlannedPost, now: int) -> Unanswered | None:
        """The calls that are left, if ``there`` is what an earlier call of ours has done too late."""
        known = self._unanswered.get(there.key)
        return known.overtook(wanted_of(before), wanted_of(there), now) if known else None

    def wanted_again(self, before: PlannedPost, there: PlannedPost, now: int) -> Intention | None:
        """What has to be sent again, since a call that was given up was carried out after it."""
        left = self.overtaken(before, there, now)
        if left is None:
            return None
        self.await_late([left])
        late = tuple(call.wanted for call in left.calls)
        return Intention(there.key, left.wanted, seen=wanted_of(there), sent=late)

    def is_settling(self, key: str) -> bool:
        """Whether what was wanted was confirmed so lately that older news may still be on their way."""
        return self._steady() - self._confirmed.get(key, -_SETTLES_S) < _SETTLES_S

    def is_older(self, key: str, generation: int) -> bool:
        """Whether what was asked at ``generation`` may miss a later change of this post."""
        return key in self.sending or self._touched.get(key, 0) > generation
