"""A claimed post and its earlier attempts, and the transitions of its status."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, StrEnum, auto
from types import MappingProxyType
from typing import Final
from uuid import UUID

from app.contract.companion import BY_USER_STEP, AttemptOutcome
from app.contract.enums import CreatedVia, PostingPlatform, PostStatus, PostType
from app.platforms.by_hand import BY_HAND_KEYS


# scheduled --DUE--> queued --BEGIN--> processing --PUBLISH--> posted
#                                          --FAIL-----> failed
#
# A post to publish immediately is stored as ``queued``. Cancelling and rescheduling belong to the posts'
# routes. A post in ``processing`` can be cancelled, but PUBLISH overrides that: a live post is ``posted``.
class Event(Enum):
    """An event in a post's publication."""

    DUE = auto()  # it is due and was claimed
    BEGIN = auto()  # an attempt is about to call the platform
    PUBLISH = auto()  # the platform has published it
    FAIL = auto()  # it won't be published


_WAITING = frozenset({PostStatus.SCHEDULED, PostStatus.QUEUED, PostStatus.PROCESSING})

NO_CALL: Final = "not_stored"
"""Code of an attempt that made no call, because it wasn't certain that it was stored."""

_MOVES: Final[Mapping[Event, tuple[frozenset[PostStatus], PostStatus]]] = MappingProxyType(
    {
        Event.DUE: (frozenset({PostStatus.SCHEDULED}), PostStatus.QUEUED),
        Event.BEGIN: (_WAITING, PostStatus.PROCESSING),
        Event.PUBLISH: (frozenset(PostStatus), PostStatus.POSTED),
        Event.FAIL: (_WAITING, PostStatus.FAILED),
    }
)


def sources(event: Event) -> frozenset[PostStatus]:
    """Return the statuses in which ``event`` can happen."""
    return _MOVES[event][0]


def target(event: Event) -> PostStatus:
    """Return the status that ``event`` leads to."""
    return _MOVES[event][1]


class Step(StrEnum):
    """The step of publishing that an attempt row is about."""

    SCHEDULE = "schedule"  # waiting for the time; such a row means that it was missed
    AUTHORIZE = "authorize"  # getting a token
    PREPARE = "prepare"  # uploading the file, still invisible to others
    PUBLISH = "publish"
    HAND_OVER = BY_USER_STEP  # asking the user to publish, or putting it into their inbox
    REPEAT = "repeat"  # the same call again, on platforms that refuse a second copy


@dataclass(frozen=True, slots=True)
class Attempt:
    """The columns of one row of ``attempts`` that decisions need."""

    id: UUID
    step: str
    outcome: AttemptOutcome
    started_at: datetime
    finished_at: datetime | None
    unknown_since: datetime | None
    code: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether its outcome is unknown."""
        return self.finished_at is None

    @property
    def was_lost(self) -> bool:
        """Whether its response was lost, even if the outcome was found out later."""
        return self.is_open or self.unknown_since is not None


@dataclass(frozen=True, slots=True)
class ClaimedPost:
    """A post claimed by this engine, with its account and its attempts, oldest first."""

    id: UUID
    account_id: UUID
    connection_id: UUID
    platform: PostingPlatform
    post_type: PostType
    status: PostStatus
    title: str | None
    description: str | None
    scheduled_at: datetime
    batch_id: str | None
    created_via: CreatedVia
    account_identifier: str
    username: str | None
    media_storage_path: str = ""
    board_id: str | None = None
    board_name: str | None = None
    link: str | None = None
    is_set_to_by_hand: bool = False
    attempts: tuple[Attempt, ...] = ()

    @property
    def open_attempts(self) -> tuple[Attempt, ...]:
        return tuple(attempt for attempt in self.attempts if attempt.is_open)

    @property
    def lost_attempts(self) -> tuple[Attempt, ...]:
        return tuple(attempt for attempt in self.attempts if attempt.was_lost)

    @property
    def first_sent(self) -> datetime:
        """When the oldest open attempt began. Requires one."""
        return self.open_attempts[0].started_at

    @property
    def repeats(self) -> int:
        """Number of repeats since the oldest open attempt whose responses were lost too."""
        return sum(
            attempt.step == Step.REPEAT and attempt.was_lost
            for attempt in self.attempts
            if attempt.started_at >= self.first_sent
        )

    @property
    def is_contested(self) -> bool:
        """Whether the platform refused a copy but no look finds the first post: it may be live."""
        return any(
            attempt.outcome is AttemptOutcome.REFUSED and attempt.started_at >= self.first_sent
            for attempt in self.attempts
        )

    @property
    def has_only_copies_open(self) -> bool:
        """Whether the open attempts repeat a call that turned out to have published.

        Repeats are only sent while the platform refuses a copy, so they published nothing.
        """
        published = (one.started_at for one in self.attempts if one.outcome is AttemptOutcome.PUBLISHED)
        first = min(published, default=None)
        return first is not None and all(
            one.step == Step.REPEAT and one.started_at > first for one in self.open_attempts
        )

    def was_lost_by(self, moment: datetime | None) -> bool:
        """Whether an outcome has been unknown since ``moment`` or longer; False for None."""
        unknown = (attempt.unknown_since for attempt in self.open_attempts)
        return moment is not None and any(since is not None and since <= moment for since in unknown)

    @property
    def waits_for_access(self) -> bool:
        """Whether the latest attempt failed because the account must be reconnected."""
        newest = self.attempts[-1] if self.attempts else None
        return newest is not None and (newest.step, newest.outcome) == (
            Step.AUTHORIZE,
            AttemptOutcome.REFUSED,
        )

    @property
    def is_by_hand(self) -> bool:
        """Whether the user publishes it: all posts of such an account, and others on request."""
        return self.is_set_to_by_hand or self.platform in BY_HAND_KEYS

    @property
    def is_handed_over(self) -> bool:
        """Whether the user was asked to publish it by hand, for its current time."""
        return any(
            attempt.step == Step.HAND_OVER and attempt.started_at >= self.scheduled_at
            for attempt in self.attempts
        )

    @property
    def in_inbox(self) -> Attempt | None:
        """The attempt that put it into the user's inbox on the platform, where it still is."""
        found = (one for one in self.attempts if one.outcome is AttemptOutcome.IN_INBOX)
        return next(found, None)

    def tries(self, early: timedelta) -> int:
        """Return the number of attempts for the current schedule, from ``early`` before its time on."""
        return len(self._tried(early))

    def first_try(self, now: datetime, early: timedelta) -> datetime:
        """Return when the first attempt for the current schedule began; ``now`` without one."""
        return min((attempt.started_at for attempt in self._tried(early)), default=now)

    def _tried(self, early: timedelta) -> list[Attempt]:
        """Attempts for the current schedule since the account last had to be reconnected."""
        began = self.scheduled_at - early
        tried = [one for one in self.attempts if one.started_at >= began and one.code != NO_CALL]
        waits = [number for number, one in enumerate(tried, 1) if one.outcome is AttemptOutcome.REFUSED]
        return tried[max(waits, default=0) :]

    def may_send(self, now: datetime) -> bool:
        """Whether it is due and may be sent."""
        return self.status in sources(Event.BEGIN) and self.scheduled_at <= now
