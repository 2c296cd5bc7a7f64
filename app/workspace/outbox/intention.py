"""What the user wants of a post, until the service has confirmed it.

It's the wanted state, not a list of commands. Ten moves of a post while offline are one intention, a later
change replaces it, and news from the service only change what still has to be sent.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.contract.enums import PostStatus
from app.workspace.posts.planned import PlannedPost, SyncState

RESUMABLE = frozenset({PostStatus.CANCELLED, PostStatus.FAILED})
SENT_MAX = 8
"""Maximum number of unanswered calls remembered for a post."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A post's time, as a Unix time in ms, and whether it's cancelled."""

    at: int
    cancelled: bool

    def same(self, other: "Wanted") -> bool:
        """Whether both mean the same. The time of a cancelled post doesn't matter.

        A service may store whole seconds.
        """
        same_time = self.at // 1_000 == other.at // 1_000
        return self.cancelled == other.cancelled and (self.cancelled or same_time)


@dataclass(frozen=True, slots=True)
class Intention:
    """The unconfirmed change of a post.

    ``version`` counts the user's changes, ``attempts`` the calls that began. ``create_at`` is the time in the
    create call, once one began. A repeated call must contain the same, because the service refuses different
    content with the same idempotency key. ``seen`` is the service's state when the change was made; None if
    it had no such post. ``sent`` is the wanted state of each call that may still be carried out, oldest
    first. ``after`` is the key of a new post that replaces this one; nothing is sent until the service has
    it, or the user cancels it.
    """

    key: str
    wanted: Wanted
    version: int = 1
    attempts: int = 0
    create_at: int | None = None
    seen: Wanted | None = None
    sent: tuple[Wanted, ...] = ()
    after: str = ""

    def changed_to(self, wanted: Wanted, seen: Wanted | None) -> "Intention":
        return replace(self, wanted=wanted, version=self.version + 1, seen=seen, after="")

    def begun(self) -> "Intention":
        """Return the intention with one more call."""
        return replace(self, attempts=self.attempts + 1, sent=newest((*self.sent, self.wanted)))

    def answered(self, wanted: Wanted) -> "Intention":
        """Forget the last call for ``wanted``: it was answered or never sent, so it can't arrive later."""
        places = [place for place, one in enumerate(self.sent) if one.same(wanted)]
        if not places:
            return self
        return replace(self, sent=(*self.sent[: places[-1]], *self.sent[places[-1] + 1 :]))


def newest(sent: Sequence[Wanted]) -> tuple[Wanted, ...]:
    """Return the last ``SENT_MAX`` calls. Repeated calls are dropped first, so every state is kept."""
    left = list(sent)
    while len(left) > SENT_MAX:
        del left[next((place for place, one in enumerate(left) if one in left[place + 1 :]), 0)]
    return tuple(left)


def wanted_of(post: PlannedPost) -> Wanted:
    """Return the intention that leaves a post unchanged."""
    return Wanted(post.at, post.status is PostStatus.CANCELLED)


def is_met(base: PlannedPost, wanted: Wanted) -> bool:
    """Whether the service's state of a post is the wanted one."""
    return wanted_of(base).same(wanted)


def is_in_conflict(base: PlannedPost, intention: Intention) -> bool:
    """Whether the post was changed elsewhere after this change was made.

    Our own calls whose responses were lost don't count.
    """
    there = wanted_of(base)
    if intention.seen is None or base.published or is_met(base, intention.wanted):
        return False
    return not any(there.same(known) for known in (intention.seen, *intention.sent))


def shown(base: PlannedPost, intention: Intention | None, *, sending: bool) -> PlannedPost:
    """Return the post as shown in the calendar: the service's state with the intention applied."""
    if intention is None:
        return base
    if intention.wanted.cancelled:
        status = PostStatus.CANCELLED
    else:
        is_resumed = base.status in RESUMABLE or base.waits_for_user
        status = PostStatus.SCHEDULED if is_resumed else base.status
    if is_in_conflict(base, intention):
        sync = SyncState.CONFLICT
    else:
        sync = SyncState.SENDING if sending else SyncState.WAITING
    return base._replace(at=intention.wanted.at, status=status, sync=sync)


def decide(
    base: PlannedPost,
    intention: Intention | None,
    wanted: Wanted,
    *,
    unsent: bool,
    sending: bool,
    late: tuple[Wanted, ...] = (),
) -> tuple[PlannedPost, Intention | None]:
    """Apply a new intention to a post; return its base and the intention that is left, if any.

    A post that the service can't know yet (``unsent``, no call began) is changed directly; cancelling it
    leaves nothing to send. Otherwise the intention remains, unless nothing has to be sent. Changes that
    ``late`` calls from here may still make don't count as made elsewhere.
    """
    if unsent and (intention is None or intention.create_at is None):
        status = PostStatus.CANCELLED if wanted.cancelled else PostStatus.SCHEDULED
        base = base._replace(at=wanted.at, status=status, reason="")
        return base, None if wanted.cancelled else _new_or_changed(base.key, intention, wanted, None, ())
    begun = intention is not None and intention.attempts > 0
    if is_met(base, wanted) and not (sending or begun or unsent):
        return base, None
    return base, _new_or_changed(base.key, intention, wanted, None if unsent else wanted_of(base), late)


def spared(base: PlannedPost, wish: Intention, *, unsent: bool) -> Intention | None:
    """Return what is still wanted of a post whose replacement won't be created.

    That's the previous intention: to create it, to move it, or nothing.
    """
    wanted = Wanted(wish.wanted.at, cancelled=False)
    if not unsent and (base.published or base.status in RESUMABLE or is_met(base, wanted)):
        return None
    return wish.changed_to(wanted, wish.seen)


def _new_or_changed(
    key: str, intention: Intention | None, wanted: Wanted, seen: Wanted | None, late: tuple[Wanted, ...]
) -> Intention:
    return intention.changed_to(wanted, seen) if intention else Intention(key, wanted, seen=seen, sent=late)
