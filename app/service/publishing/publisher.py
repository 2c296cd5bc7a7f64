"""One step in the journey of one post. What is next stands in the rows, so that any engine can go on."""

import random
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from uuid import UUID

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from app.database import Database, DatabaseError
from app.platforms.base import FailureKind, PlatformError
from app.service.publishing import attempts, claims, endings, holds, live, outcome
from app.service.publishing.attempts import Beginning
from app.service.publishing.calls import Calls, Slots
from app.service.publishing.clock import Timekeeper
from app.service.publishing.endings import Ending
from app.service.publishing.gathering import Gatherer
from app.service.publishing.history import Attempt, ClaimedPost, Step
from app.service.publishing.outcome import AttemptRuling, Found, Sight, Task
from app.service.publishing.pacing import Pacing
from app.service.publishing.settings import PublishingSettings

_log = structlog.get_logger(__name__)

_CLOCK_SKEW: Final = timedelta(minutes=2)
"""How much a platform's clock may differ from ours."""

_KNOWN_BEFORE: Final = timedelta(hours=1)
"""Adapters look back further, for the same reason: what was published by then is known all the same."""

_WRITE_AGAIN: Final = timedelta(seconds=1)
_BEGIN_AHEAD: Final = timedelta(milliseconds=40)
"""How long before its time an attempt is written down, so that posts of the same moment share a commit."""
_BEGINNING_LINGER: Final = timedelta(milliseconds=5)
_ENDING_LINGER: Final = timedelta(milliseconds=100)
_ENDING_LINGERS_MAX: Final = 10
"""How often an ending gives way to calls that are due; nobody waits for it."""
_LOOK_AGAIN: Final = timedelta(milliseconds=250)
"""How often it is looked whether a preparer is done with a post that is due."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What every journey shares; ``owner`` is the engine's name in the claims."""

    owner: UUID
    database: Database
    calls: Calls
    slots: Slots
    pacing: Pacing
    time: Timekeeper
    settings: PublishingSettings
    roll: Callable[[], float] = random.random


class Publisher:
    """Does the one thing that a claimed post needs now, and writes it down."""

    def __init__(self, tools: Tools) -> None:
        self._owner = tools.owner
        self._database = tools.database
        self._calls = tools.calls
        self._slots = tools.slots
        self._pacing = tools.pacing
        # Apart, so that uploads keep no post waiting that is ready.
        self._uploads = Slots(tools.settings)
        self._time = tools.time
        self._settings = tools.settings
        self._roll = tools.roll
        self._beginnings = Gatherer(
            tools.database, self._write_beginnings, partial(self._time.sleep, _BEGINNING_LINGER)
        )
        self._endings = Gatherer(tools.database, self._write_endings, self._give_way)
        self._held: dict[UUID, datetime] = {}
        self.closing = False

    async def close(self) -> None:
        """Lets go of writes under way, once nothing is carried any more."""
        await self._beginnings.close()
        await self._endings.close()

    async def carry(self, post: ClaimedPost) -> bool:
        """Does what the post needs; whether it may need more before long.

        Raises only what the database raises before anything was sent.
        """
        now = self._time.now()
        match outcome.next_task(post, now, self._settings):
            case Task.SEND:
                return not isinstance(await self._send(post), outcome.Posted)
            case Task.LOOK:
                await self._look(post)
            case Task.NOTE_LOSS:
                at = now + self._settings.settle_delay
                await self._database.write(lambda rows: endings.note_loss(rows, post, self._owner, now, at))
            case Task.MISS:
                await self._end_without_call(post, Step.SCHEDULE, outcome.missing())
            case Task.WAIT:
                await self._release(post, outcome.waiting_time(post, self._settings))
            case Task.REST:
                await self._release(post)
        return True

    async def _send(self, post: ClaimedPost) -> AttemptRuling | None:
        """Gets ready in the moment before the post is due, and sends it at its time.

        Gives what came of the call; None when there was none.
        """
        try:
            token = await self._calls.token(post)
        except PlatformError as error:
            await self._time.sleep_until(post.scheduled_at)
            await self._end_without_call(post, Step.AUTHORIZE, self._ruling(error, post))
            return None
        if post.media_storage_path and not await self._prepare(post, token):
            return None
        await self._time.sleep_until(post.scheduled_at - _BEGIN_AHEAD)
        async with self._slots.of(post.connection_id, late=self._is_late(post)):
            called_at = max(post.scheduled_at, self._time.now())
            if until := self._pacing.take(post.connection_id, post.platform, called_at):
                await self._release(post, until)
                return None
            attempt = await self._begin(post, called_at)
            if attempt is None:
                return None
            # No longer, should the clock be set back now that the attempt stands.
            await self._time.sleep_until(post.scheduled_at, _BEGIN_AHEAD)
            ruling = await self._publish(post, token, attempt)
        await self._end(post, attempt, ruling)
        return ruling

    def _is_late(self, post: ClaimedPost) -> bool:
        return self._time.now() - post.scheduled_at > self._settings.late_after

    async def _prepare(self, post: ClaimedPost, token: str) -> bool:
        """Brings the file there, or what is left of it; False when that failed, which is written down."""
        await self._take_preparation(post)
        try:
            async with self._uploads.of(post.connection_id):
                await self._calls.prepare(post, token)
        except PlatformError as error:
            await self._time.sleep_until(post.scheduled_at)
            await self._end_without_call(post, Step.PREPARE, self._ruling(error, post))
            return False
        return True

    async def _take_preparation(self, post: ClaimedPost) -> None:
        """Waits for whoever brings the file there already, here or elsewhere, and then goes on alone."""
        lease = self._settings.lease
        while not await self._database.write(
            lambda rows: holds.take(rows, post.id, self._owner, self._time.now(), lease)
        ):
            await self._time.sleep(_LOOK_AGAIN)

    async def _begin(self, post: ClaimedPost, called_at: datetime) -> Attempt | None:
        """Commits the attempt before the irreversible call; None when the post was taken back meanwhile."""
        attempt = attempts.new_attempt(outcome.step_of(post), called_at)
        begun = await self._beginnings.write(Beginning(post, attempt))
        return attempt if begun else None

    def _write_beginnings(self, rows: Connection, beginnings: Sequence[Beginning]) -> list[bool]:
        if self.closing:
            for beginning in beginnings:
                claims.release(rows, beginning.post.id, self._owner)
            return [False] * len(beginnings)
        now, settings = self._time.now(), self._settings
        begun = attempts.begin(
            rows,
            self._owner,
            beginnings,
            earliest=now - settings.grace,
            latest=now + _BEGIN_AHEAD,
            lease_until=now + _BEGIN_AHEAD + settings.lease,
        )
        return [beginning.post.id in begun for beginning in beginnings]

    def _write_endings(self, rows: Connection, ended: Sequence[Ending]) -> list[None]:
        endings.end(rows, self._owner, ended)
        return [None] * len(ended)

    async def _give_way(self) -> None:
        for _ in range(_ENDING_LINGERS_MAX):
            await self._time.sleep(_ENDING_LINGER)
            if not self._slots.busy:
                return

    async def _publish(self, post: ClaimedPost, token: str, attempt: Attempt) -> AttemptRuling:
        self._held[post.id] = attempt.started_at + self._settings.lease
        try:
            return outcome.Posted(await self._calls.publish(post, token, lambda: self._holds(post.id)))
        except PlatformError as error:
            return self._ruling(error, post)
        finally:
            del self._held[post.id]

    def renewed(self, post_ids: Collection[UUID], until: datetime) -> None:
        """Posts that are surely still ours until then."""
        self._held |= dict.fromkeys(self._held.keys() & post_ids, until)

    def _holds(self, post_id: UUID) -> bool:
        """Nobody else can have taken the post over for a lost one, however long this process stood still."""
        until = self._held.get(post_id)
        return until is not None and self._time.now() < until

    def _ruling(self, error: PlatformError, post: ClaimedPost) -> AttemptRuling:
        _log.info("not published", post_id=str(post.id), kind=error.kind.value, code=error.code)
        now = self._time.now()
        if error.kind is FailureKind.RATE_LIMITED:
            wait = timedelta(seconds=error.retry_after or 0)
            self._pacing.hold(post.connection_id, now, now + max(wait, self._settings.retry_first))
        return outcome.after_error(error, post, now, self._settings, self._roll)

    async def _end(self, post: ClaimedPost, attempt: Attempt, ruling: AttemptRuling) -> None:
        ending = Ending(post, attempt, ruling, self._time.now())
        await self._for_sure(lambda: self._endings.write(ending))

    async def _end_without_call(self, post: ClaimedPost, step: Step, ruling: AttemptRuling) -> None:
        now = self._time.now()
        ending = Ending(post, attempts.new_attempt(step, now), ruling, now)
        await self._database.write(lambda rows: endings.end_without_call(rows, self._owner, ending))

    async def _look(self, post: ClaimedPost) -> None:
        """Asks the platform what became of a call whose answer was lost."""
        async with self._slots.of(post.connection_id):
            seen = await self._see(post)
        now = self._time.now()
        window = self._calls.repeat_window(post)
        ruling = outcome.after_look(seen, post, now, self._settings, window)
        if isinstance(ruling, outcome.Repeat):
            await self._send(post)
        else:
            await self._for_sure(
                lambda: self._database.write(
                    lambda rows: endings.settle_look(rows, post, self._owner, ruling, now)
                )
            )

    async def _see(self, post: ClaimedPost) -> Found | Sight:
        since = post.first_sent - _CLOCK_SKEW
        known_since = since - _KNOWN_BEFORE
        known = await self._database.read(
            lambda rows: live.known_contents(rows, post.connection_id, known_since)
        )
        try:
            return await self._calls.look(post, since, known)
        except PlatformError as error:
            _log.info("the platform could not be asked", post_id=str(post.id), code=error.code)
            return Sight.UNKNOWABLE

    async def _release(self, post: ClaimedPost, until: datetime | None = None) -> None:
        await self._database.write(lambda rows: claims.release(rows, post.id, self._owner, until=until))

    async def _for_sure(self, write: Callable[[], Awaitable[None]]) -> None:
        """Writes what a platform has told, however often it takes: it may not be asked a second time."""
        while True:
            try:
                return await write()
            except (DatabaseError, SQLAlchemyError):
                _log.exception("an outcome could not be written; trying again")
                await self._time.sleep(_WRITE_AGAIN)
