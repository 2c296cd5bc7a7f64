"""A post as the engine carries it, and what was tried for it before."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from app.contract.companion import AttemptOutcome
from app.contract.enums import CreatedVia, PostingPlatform, PostStatus, PostType
from app.service.publishing.states import Event, sources


class Step(StrEnum):
    """What an attempt row stands for."""

    SCHEDULE = "schedule"  # waiting for the time; such a row tells that it was missed
    AUTHORIZE = "authorize"  # getting a token
    PREPARE = "prepare"  # bringing the file there, which nobody sees yet
    PUBLISH = "publish"
    REPEAT = "repeat"  # the same call again, where the platform would refuse a second copy


@dataclass(frozen=True, slots=True)
class Attempt:
    """One row of ``attempts``, as far as decisions need it."""

    id: UUID
    step: str
    outcome: AttemptOutcome
    started_at: datetime
    finished_at: datetime | None
    unknown_since: datetime | None

    @property
    def is_open(self) -> bool:
        """Nobody knows yet whether it published."""
        return self.finished_at is None

    @property
    def was_lost(self) -> bool:
        """Its answer never came, whatever was concluded later."""
        return self.is_open or self.unknown_since is not None


@dataclass(frozen=True, slots=True)
class ClaimedPost:
    """A post that this engine holds, with its account and its attempts, oldest first."""

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
    attempts: tuple[Attempt, ...] = ()

    @property
    def open_attempts(self) -> tuple[Attempt, ...]:
        return tuple(attempt for attempt in self.attempts if attempt.is_open)

    @property
    def lost_attempts(self) -> tuple[Attempt, ...]:
        return tuple(attempt for attempt in self.attempts if attempt.was_lost)

    @property
    def first_sent(self) -> datetime:
        """When the oldest attempt began whose outcome is still unknown; there must be one."""
        return self.open_attempts[0].started_at

    @property
    def repeats(self) -> int:
        """How many repeats of the oldest open attempt lost their answers, too."""
        return sum(
            attempt.step == Step.REPEAT and attempt.was_lost
            for attempt in self.attempts
            if attempt.started_at >= self.first_sent
        )

    @property
    def is_contested(self) -> bool:
        """The platform refused a copy of what a look does not show: it may be there all the same."""
        return any(
            attempt.outcome is AttemptOutcome.REFUSED and attempt.started_at >= self.first_sent
            for attempt in self.attempts
        )

    def was_lost_by(self, moment: datetime | None) -> bool:
        """Whether an outcome has been unknown since ``moment``, or longer; None is never."""
        unknown = (attempt.unknown_since for attempt in self.open_attempts)
        return moment is not None and any(since is not None and since <= moment for since in unknown)

    @property
    def waits_for_access(self) -> bool:
        """The last thing that is known is that its account had to be connected again."""
        newest = self.attempts[-1] if self.attempts else None
        return newest is not None and (newest.step, newest.outcome) == (
            Step.AUTHORIZE,
            AttemptOutcome.REFUSED,
        )

    def tries(self, early: timedelta) -> int:
        """Attempts for the present plan: begun at most ``early`` before its time."""
        return len(self._tried(early))

    def first_try(self, now: datetime, early: timedelta) -> datetime:
        """When the present plan was first tried; ``now`` when it was not tried before."""
        return min((attempt.started_at for attempt in self._tried(early)), default=now)

    def _tried(self, early: timedelta) -> list[Attempt]:
        """Attempts for the present plan since its account was last found to need a new consent."""
        tried = [one for one in self.attempts if one.started_at >= self.scheduled_at - early]
        waits = [number for number, one in enumerate(tried, 1) if one.outcome is AttemptOutcome.REFUSED]
        return tried[max(waits, default=0) :]

    def may_send(self, now: datetime) -> bool:
        """Whether its plan asks for sending it now."""
        return self.status in sources(Event.BEGIN) and self.scheduled_at <= now
