"""What a person wants of a post, until the service has confirmed it.

Not a list of commands but the wanted state: ten moves of a post while offline are one intention, a change of
mind replaces it, and what the service says in the meantime changes only what still has to be sent.
"""

from dataclasses import dataclass, replace

from app.contract.enums import PostStatus
from app.workspace.posts.planned import PlannedPost, SyncState

RESUMABLE = frozenset({PostStatus.CANCELLED, PostStatus.FAILED})


@dataclass(frozen=True, slots=True)
class Wanted:
    """A post's time in milliseconds, and whether it shall not be published."""

    at: int
    cancelled: bool


@dataclass(frozen=True, slots=True)
class Intention:
    """``version`` counts changes of mind, ``attempts`` calls that were begun.

    ``create_at`` is set once a create call was begun: the time in it. A repeat must carry the same, since the
    service refuses another content under one idempotency key.
    """

    key: str
    wanted: Wanted
    version: int = 1
    attempts: int = 0
    create_at: int | None = None

    def changed_to(self, wanted: Wanted) -> "Intention":
        return replace(self, wanted=wanted, version=self.version + 1)


def wanted_of(post: PlannedPost) -> Wanted:
    """What would be wanted of a post by somebody who is content with it."""
    return Wanted(post.at, post.status is PostStatus.CANCELLED)


def is_met(base: PlannedPost, wanted: Wanted) -> bool:
    """Whether the service's state of a post is what is wanted."""
    cancelled = base.status is PostStatus.CANCELLED
    return cancelled if wanted.cancelled else (base.at == wanted.at and not cancelled)


def shown(base: PlannedPost, intention: Intention | None, *, sending: bool) -> PlannedPost:
    """The post as the calendar shows it: the service's truth with what is wanted over it."""
    if intention is None:
        return base
    if intention.wanted.cancelled:
        status = PostStatus.CANCELLED
    else:
        status = PostStatus.SCHEDULED if base.status in RESUMABLE else base.status
    sync = SyncState.SENDING if sending else SyncState.WAITING
    return base._replace(at=intention.wanted.at, status=status, sync=sync)


def decide(
    base: PlannedPost, intention: Intention | None, wanted: Wanted, *, unsent: bool, sending: bool
) -> tuple[PlannedPost, Intention | None]:
    """What a new wish makes of a post: its base and the intention that is left, if any.

    A post of which the service cannot know (``unsent``, no call begun) is changed itself; cancelling it
    leaves nothing to send. Of a post that it has, an intention remains unless nothing has to be sent.
    """
    if unsent and (intention is None or intention.create_at is None):
        status = PostStatus.CANCELLED if wanted.cancelled else PostStatus.SCHEDULED
        base = base._replace(at=wanted.at, status=status, reason="")
        return base, None if wanted.cancelled else _new_or_changed(base.key, intention, wanted)
    begun = intention is not None and intention.attempts > 0
    if is_met(base, wanted) and not (sending or begun or unsent):
        return base, None
    return base, _new_or_changed(base.key, intention, wanted)


def _new_or_changed(key: str, intention: Intention | None, wanted: Wanted) -> Intention:
    return intention.changed_to(wanted) if intention else Intention(key, wanted)
