"""The gate between getting ready and calling the platform.

A publication runs up to its first call ahead of time and waits there: for its turn, until its attempt is
written down, and until it is due. What is left to do then is to send.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import partial
from types import TracebackType
from typing import Final, Self
from uuid import UUID

from sqlalchemy import Connection

from app.database import Database
from app.service.publishing import attempts, claims, outcome
from app.service.publishing.attempts import Beginning
from app.service.publishing.clock import Timekeeper
from app.service.publishing.gathering import Gatherer
from app.service.publishing.history import Attempt, ClaimedPost
from app.service.publishing.pacing import Pacing
from app.service.publishing.settings import PublishingSettings
from app.service.publishing.slots import Slots, Turn
from app.service.store.journal import SendJournal, Sent

_AHEAD: Final = timedelta(milliseconds=40)
"""How long before its time an attempt is written down, so that posts of the same moment share a commit."""
_LINGER: Final = timedelta(milliseconds=5)


class Withdrawn(BaseException):
    """The post does not go out now, and the work for it ends where it waits.

    No ordinary exception: whatever adapters catch, this must end them.

    Attributes:
        until: When the post may be taken again; None: it was taken back, and is let go already.
        problem: What kept the attempt from being written down; None where nothing did.
    """

    def __init__(self, until: datetime | None = None, problem: Exception | None = None) -> None:
        super().__init__(until, problem)
        self.until = until
        self.problem = problem


class Gate:
    """Lets publications depart, each at its time. ``closing``: none any more."""

    def __init__(
        self,
        owner: UUID,
        database: Database,
        slots: Slots,
        pacing: Pacing,
        time: Timekeeper,
        settings: PublishingSettings,
        journal: SendJournal | None = None,
    ) -> None:
        self._owner = owner
        self._journal = journal
        self._slots = slots
        self._pacing = pacing
        self._time = time
        self._settings = settings
        self._beginnings = Gatherer(database, self._write, partial(time.sleep, _LINGER))
        self._departed: dict[UUID, Departure] = {}
        self.closing = False

    def departure(self, post: ClaimedPost) -> "Departure":
        """The departure of one publication, to be entered around it."""
        return Departure(self, post)

    def renewed(self, post_ids: Collection[UUID], until: datetime) -> None:
        """Posts that are surely still ours until then."""
        for post_id in self._departed.keys() & post_ids:
            self._departed[post_id].held_until = until

    async def close(self) -> None:
        """Lets go of the write under way, once nothing is published any more."""
        await self._beginnings.close()

    async def turn(self, post: ClaimedPost) -> Turn:
        """A turn to be waited for, a moment before the post is due."""
        await self._time.sleep_until(post.scheduled_at - _AHEAD)
        late = self._time.now() - post.scheduled_at > self._settings.late_after
        return self._slots.of(post.connection_id, late=late)

    async def begin(self, departure: "Departure", post: ClaimedPost) -> Attempt:
        """Commits the attempt, then notes it in the journal. Raises Withdrawn."""
        now = self._time.now()
        if self._time.problem:
            raise Withdrawn(now)
        called_at = max(post.scheduled_at, now)
        if until := self._pacing.take(post.connection_id, post.platform, called_at):
            raise Withdrawn(until)
        attempt = attempts.new_attempt(outcome.step_of(post), called_at)
        try:
            has_begun = await self._beginnings.write(Beginning(post, attempt))
        except Exception as error:  # noqa: BLE001  whoever carries the post hears of it
            raise Withdrawn(problem=error) from None
        if not has_begun:
            raise Withdrawn
        if self._journal is not None:
            await self._journal.note(Sent(attempt.id, post.id, attempt.started_at))
        self._departed[post.id] = departure
        departure.held_until = attempt.started_at + self._settings.lease
        return attempt

    async def until_due(self, post: ClaimedPost) -> None:
        """No longer than it takes, should the clock be set back now that the attempt stands."""
        await self._time.sleep_until(post.scheduled_at, _AHEAD)

    def is_before(self, moment: datetime) -> bool:
        """Whether it is surely not yet ``moment``."""
        return self._time.latest() < moment

    def forget(self, post: ClaimedPost) -> None:
        """Its publication has ended."""
        self._departed.pop(post.id, None)

    def _write(self, rows: Connection, beginnings: Sequence[Beginning]) -> list[bool]:
        if self.closing:
            for beginning in beginnings:
                claims.release(rows, beginning.post.id, self._owner)
            return [False] * len(beginnings)
        now, settings = self._time.now(), self._settings
        begun = attempts.begin(
            rows,
            self._owner,
            beginnings,
            earliest=settings.earliest(now),
            latest=now + _AHEAD,
            lease_until=now + _AHEAD + settings.lease,
        )
        return [beginning.post.id in begun for beginning in beginnings]


class Departure:
    """The departure of one publication, which its calls wait for.

    Attributes:
        attempt: What was written down before the calls began; None while nothing was.
        held_until: Until when the post is surely ours, however long this process stood still.
    """

    def __init__(self, gate: Gate, post: ClaimedPost) -> None:
        self._gate = gate
        self._post = post
        self._turn: Turn | None = None
        self.attempt: Attempt | None = None
        self.held_until = post.scheduled_at

    @property
    def has_departed(self) -> bool:
        return self.attempt is not None

    async def depart(self) -> None:
        """Waits for the turn and the time of the post, and commits its attempt between. Raises Withdrawn."""
        if self.has_departed:
            return
        self._turn = await self._gate.turn(self._post)
        await self._turn.begin()
        self.attempt = await self._gate.begin(self, self._post)
        await self._gate.until_due(self._post)

    def holds(self) -> bool:
        return self.has_departed and self._gate.is_before(self.held_until)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._gate.forget(self._post)
        if self._turn is not None:
            self._turn.end()
