"""Warnings and their kinds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from app.workspace.posts.planned import PlannedPost


class WarningKind(Enum):
    """Why a planned post will fail, or may look wrong."""

    NO_ACCOUNT = "no account"  # it is no longer connected
    ACCESS_ENDED = "access ended"
    ACCESS_ENDS = "access ends"  # before the post's time
    NO_FILE = "no file"  # none was chosen, or the service no longer has it
    NO_BOARD = "no board"
    NO_AUDIENCE = "no audience"  # it isn't chosen who can see it on TikTok
    RULE = "rule"  # a rule of the platform
    DAY_FULL = "day full"  # the platform accepts no more posts that day
    NO_ROOM = "no room"  # for files waiting to be uploaded
    TOO_LATE = "too late"  # it will be sent to the service after its time
    SUBSCRIPTION = "subscription"  # of the service, which may have ended by then
    SAME_TEXT = "same text"  # of another post of the account
    TOO_CLOSE = "too close"  # to another post of the account
    USUALLY_OFF = "usually off"  # this computer, which publishes it
    ASLEEP = "asleep"  # this computer publishes posts, and may sleep

    @property
    def fails(self) -> bool:
        """Whether the platform or the service will refuse the post."""
        return self not in _MAY_BE_MEANT

    @property
    def is_of_account(self) -> bool:
        """Whether it affects all posts of an account, and one action fixes them all."""
        return self in _OF_ACCOUNT

    @property
    def is_of_plan(self) -> bool:
        """Whether it's about the whole plan instead of one post."""
        return self in _OF_PLAN


_MAY_BE_MEANT = frozenset(
    {
        WarningKind.SAME_TEXT,
        WarningKind.TOO_CLOSE,
        WarningKind.SUBSCRIPTION,
        WarningKind.USUALLY_OFF,
        WarningKind.ASLEEP,
    }
)
_OF_PLAN = frozenset({WarningKind.NO_ROOM, WarningKind.ASLEEP})
_OF_ACCOUNT = frozenset({WarningKind.NO_ACCOUNT, WarningKind.ACCESS_ENDED, WarningKind.ACCESS_ENDS})


class PlanWarning(NamedTuple):
    """A warning about one post, to be published at ``at`` (ms since 1970 UTC).

    ``key`` is empty for the whole plan; ``at`` is then the first post's time. ``other`` is the key of the
    earlier of two similar posts. ``message`` is the rule, as a sentence. Waiting files need ``needs`` bytes,
    and ``free`` are left.
    """

    kind: WarningKind
    key: str
    at: int
    account_key: str = ""
    other: str = ""
    message: str = ""
    needs: int = 0
    free: int = 0


def about(post: PlannedPost, kind: WarningKind, *, other: str = "", message: str = "") -> PlanWarning:
    """Return a warning about one post."""
    return PlanWarning(kind, post.key, post.at, post.account_key, other, message)


@dataclass(frozen=True, slots=True)
class PlanWarnings:
    """All warnings at one moment: failures first, then the others, each sorted by time.

    ``aside`` is the number of dismissed warnings, which aren't listed.
    """

    listed: tuple[PlanWarning, ...] = ()
    aside: int = 0
    by_key: Mapping[str, tuple[PlanWarning, ...]] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, found: Iterable[PlanWarning], aside: int = 0) -> "PlanWarnings":
        """Sort warnings."""
        listed = tuple(sorted(found, key=lambda one: (not one.kind.fails, one.at, one.key, one.kind.value)))
        by_key: dict[str, tuple[PlanWarning, ...]] = {}
        for one in listed:
            if one.key:
                by_key[one.key] = (*by_key.get(one.key, ()), one)
        return cls(listed, aside, by_key)

    def about(self, key: str) -> tuple[PlanWarning, ...]:
        """Return the warnings about one post."""
        return self.by_key.get(key, ())

    def failing(self) -> frozenset[str]:
        """Return the keys of the posts that will fail."""
        return frozenset(one.key for one in self.listed if one.key and one.kind.fails)
