"""What there is to warn of."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from app.workspace.posts.planned import PlannedPost


class WarningKind(Enum):
    """Why a planned post will not go out, or may look wrong."""

    NO_ACCOUNT = "no account"  # it is no longer connected
    ACCESS_ENDED = "access ended"
    ACCESS_ENDS = "access ends"  # before the post's time
    NO_FILE = "no file"  # none was chosen, or the service no longer keeps it
    NO_BOARD = "no board"
    NO_AUDIENCE = "no audience"  # nobody chose who can see it on TikTok
    RULE = "rule"  # a rule of the platform
    DAY_FULL = "day full"  # the platform takes no more posts that day
    NO_ROOM = "no room"  # for files that wait to be uploaded
    TOO_LATE = "too late"  # its turn to be sent to the service comes after its time
    SUBSCRIPTION = "subscription"  # of the service, which may have ended by then
    SAME_TEXT = "same text"  # of another post of the account
    TOO_CLOSE = "too close"  # to another post of the account
    USUALLY_OFF = "usually off"  # this computer, from which it goes out
    ASLEEP = "asleep"  # posts go out from this computer, which may sleep

    @property
    def fails(self) -> bool:
        """Whether the platform or the service will refuse the post."""
        return self not in _MAY_BE_MEANT

    @property
    def is_of_account(self) -> bool:
        """Whether all posts of an account have it, and one thing helps them all."""
        return self in _OF_ACCOUNT

    @property
    def is_of_plan(self) -> bool:
        """Whether it is about the plan as a whole rather than about one post."""
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
    """One thing about one post, which goes out at ``at`` (milliseconds since 1970 UTC).

    ``key`` is empty for what concerns the whole plan; ``at`` is then the first post's time. ``other`` is the
    key of the post that comes before, where two are too much alike. ``message`` is the rule, as a sentence.
    Files that wait need ``needs`` bytes, and ``free`` are left.
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
    """A warning about one post."""
    return PlanWarning(kind, post.key, post.at, post.account_key, other, message)


@dataclass(frozen=True, slots=True)
class PlanWarnings:
    """All warnings at one moment: what fails first, each in the order of time.

    ``aside`` counts those that somebody has looked at and put aside; they are not listed.
    """

    listed: tuple[PlanWarning, ...] = ()
    aside: int = 0
    by_key: Mapping[str, tuple[PlanWarning, ...]] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, found: Iterable[PlanWarning], aside: int = 0) -> "PlanWarnings":
        """Puts warnings in order."""
        listed = tuple(sorted(found, key=lambda one: (not one.kind.fails, one.at, one.key, one.kind.value)))
        by_key: dict[str, tuple[PlanWarning, ...]] = {}
        for one in listed:
            if one.key:
                by_key[one.key] = (*by_key.get(one.key, ()), one)
        return cls(listed, aside, by_key)

    def about(self, key: str) -> tuple[PlanWarning, ...]:
        """Those of one post."""
        return self.by_key.get(key, ())

    def failing(self) -> frozenset[str]:
        """The keys of the posts that will fail."""
        return frozenset(one.key for one in self.listed if one.key and one.kind.fails)
