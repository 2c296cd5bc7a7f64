"""One step of one post. The rows say what comes next, so any engine can continue."""

import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from app.contract.companion import AttemptOutcome
from app.contract.enums import ConnectionPlatform
from app.database import Database
from app.platforms.base import Delivered, FailureKind, PlatformError
from app.service.monitoring.meter import Meter
from app.service.monitoring.traces import span
from app.service.publishing import advice, attempts, claims, endings, holds, live, outcome
from app.service.publishing.attempts import Beginning
from app.service.publishing.calls import Calls
from app.service.publishing.clock import Timekeeper
from app.service.publishing.departures import Departure, Gate, Gatherer, Withdrawn
from app.service.publishing.endings import Ending, hand_over
from app.service.publishing.failovers import Failovers
from app.service.publishing.history import Attempt, ClaimedPost, Event, Step, sources
from app.service.publishing.outcome import AttemptRuling, Found, Sight, Task
from app.service.publishing.pacing import Pacing, Slots
from app.service.publishing.pauses import Paused
from app.service.publishing.recent import Recent
from app.service.publishing.settings import PublishingSettings
from app.service.store.journal import SendJournal
from app.service.worker import until_written

_log = structlog.get_logger(__name__)

_CLOCK_SKEW: Final = timedelta(minutes=2)
"""Maximum difference between a platform's clock and ours."""

_CLOCK_WRONG: Final = timedelta(hours=26)
"""How far ahead the clock may have been when a call was recorded: a wrong time zone, and a day."""

_KNOWN_BEFORE: Final = timedelta(hours=1)
"""Adapters look back further for the same reason, so items published this much earlier count as known."""

_KEPT: Final = timedelta(hours=1)
"""How long this process remembers the time of a call or a look."""

_ASK_PAUSED_AGAIN: Final = timedelta(minutes=1)
"""Interval for looking for a paused post that would otherwise be sent again."""
_SOON: Final = timedelta(minutes=1)
"""How long an answer about a post in an inbox counts as news."""
_ENDING_LINGER: Final = timedelta(milliseconds=100)
_ENDING_LINGERS_MAX: Final = 10
"""How often writing outcomes is postponed while calls are due; nothing waits for it."""
_READY_AHEAD: Final = timedelta(milliseconds=200)
"""How long before its time a post is made ready: posts claimed together aren't all due together."""
_LOOK_AGAIN: Final = timedelta(milliseconds=250)
"""Interval for checking whether a preparer has finished with a due post."""


@dataclass(frozen=True, slots=True)
class Tools:
    """Everything that publications share.

    ``owner`` is the engine's id in the claims. ``on_answer`` is called when a post's call has ended and only
    its outcome is left to write.
    """

    owner: UUID
    database: Database
    calls: Calls
    slots: Slots
    pacing: Pacing
    time: Timekeeper
    settings: PublishingSettings
    failovers: Failovers
    journal: SendJournal | None = None
    roll: Callable[[], float] = random.random
    meter: Meter = Meter()  # noqa: RUF009  it has no state
    on_answer: Callable[[UUID], None] = lambda _post_id: None


@dataclass(frozen=True, slots=True)
class _Looks:
    """This process's looks for lost attempts, on the monotonic clock.

    Attributes:
        lost: Ids of the attempts.
        first: When the first look began.
        newest: When the latest look began.
        absent: When the first empty look ended; None without one.
    """

    lost: frozenset[UUID]
    first: timedelta
    newest: timedelta
    absent: timedelta | None = None


class Publisher:
    """Does what a claimed post needs next, and records the outcome."""

    def __init__(self, tools: Tools) -> None:
        self._owner = tools.owner
        self._database = tools.database
        self._calls = tools.calls
        self._slots = tools.slots
        self._pacing = tools.pacing
        # Separate, so that uploads never delay posts that are ready.
        self._uploads = Slots(tools.settings)
        self._time = tools.time
        self._settings = tools.settings
        self._roll = tools.roll
        self._meter = tools.meter
        self._on_answer = tools.on_answer
        self._failovers = tools.failovers
        self._looks: Recent[UUID, _Looks] = Recent(_KEPT)
        self._begun: Recent[UUID, timedelta] = Recent(_KEPT)
        """When this process began attempts, on the monotonic clock."""
        self.gate = Gate(
            tools.owner,
            tools.database,
            tools.slots,
            tools.pacing,
            tools.time,
            tools.settings,
            tools.calls.mark_of,
            tools.failovers,
            tools.journal,
        )
        self.paused = Paused()
        """What is paused, as far as this process knows. The gate asks the database."""
        self._endings = Gatherer(
            tools.database.write_beside, claims.lock, self._write_endings, self._give_way
        )

    async def close(self) -> None:
        """Cancel writes in progress. Call this once no post is being processed."""
        await self.gate.close()
        await self._endings.close()

    async def carry(self, post: ClaimedPost) -> bool:
        """Do what the post needs next; return whether it may soon need more.

        Raises database errors, but only if nothing was sent.
        """
        now = await self._time.settled()
        if post.is_by_hand:
            await self._hand_over(post, now)
            return True
        match outcome.next_task(post, now, self._settings):
            case Task.SEND:
                return not isinstance(await self._send(post), outcome.Posted)
            case Task.FOLLOW if post.in_inbox:
                await self._follow(post, post.in_inbox, now)
            case Task.LOOK:
                await self._look(post)
            case Task.NOTE_LOSS:
                at = now + self._settings.settle_delay
                await self._database.write(lambda rows: endings.note_loss(rows, post, self._owner, now, at))
            case Task.MISS:
                await self._end_without_call(post, Step.SCHEDULE, outcome.missing(post, self._settings))
            case Task.WAIT:
                await self._release(post, outcome.waiting_time(post, self._settings))
            case Task.REST:
                await self._release(post)
        return True

    async def _hand_over(self, post: ClaimedPost, now: datetime) -> None:
        """Ask the user to publish the post at its time, or give up after the limit."""
        until = post.scheduled_at + self._settings.hand_over_limit
        if post.status not in sources(Event.BEGIN):
            await self._release(post)
        elif now >= until:
            why = advice.not_finished(post.platform, was_handed_over=post.is_handed_over)
            await self._end_without_call(post, Step.HAND_OVER, outcome.Failed(why))
        elif post.is_handed_over:
            await self._release(post, until)
        elif await self._has_access(post):
            due = await self._time.certainly(post.scheduled_at)
            await self._database.write(lambda rows: hand_over(rows, post, self._owner, due, until))

    async def _has_access(self, post: ClaimedPost) -> bool:
        """Whether the post's account is connected. If it isn't, record why the user wasn't asked.

        For single posts by hand, no access is needed.
        """
        if post.is_set_to_by_hand:
            return True
        try:
            await self._calls.token(post)
        except PlatformError as error:
            await self._fail_unsent(post, Step.AUTHORIZE, error)
            return False
        return True

    async def _follow(self, post: ClaimedPost, attempt: Attempt, now: datetime) -> None:
        """Find out whether the user has published a post from their inbox, or give up after the limit.

        ``attempt`` put it there. If the platform can't be asked at the limit, the wait goes on for the grace.
        Only a question that was asked after the limit and answered soon ends it. An answer may arrive hours
        later, for example on a computer that slept, and the user may have published the post since.
        """
        began = self._time.elapsed()
        failed: outcome.Failed | None = None
        over = outcome.Failed(advice.left_in_inbox(post.platform))
        until = attempt.started_at + self._settings.hand_over_limit
        try:
            item = await self._calls.follow(post)
        except PlatformError as error:
            item = None
            if error.kind in {FailureKind.INVALID, FailureKind.PERMISSION}:
                failed = outcome.Failed(advice.explain(error, post.platform))
            over = outcome.Failed(advice.may_be_live(None, post.platform), AttemptOutcome.UNKNOWN)
            until += self._settings.grace
        asked, now = now, max(now, self._time.now())
        if item is not None:
            await self._until_written(
                lambda: self._database.write(
                    lambda rows: endings.finish_inbox(rows, post, attempt, item, now)
                )
            )
            self._meter.note_end(post.platform, is_published=True)
            return
        if failed is None and asked >= until and self._is_soon(asked, began):
            failed = over
        if failed is None:
            again = outcome.next_follow(attempt.started_at, now, self._settings)
            await self._release(post, min(again, max(now, until)))
        else:
            await self._end_without_call(post, Step.HAND_OVER, failed)

    def _is_soon(self, asked: datetime, began: timedelta) -> bool:
        """Whether both clocks say that a question was asked just now; ``began`` is by the monotonic one.

        A suspend may stop the monotonic clock. If the other one was set back meanwhile, it proves nothing.
        """
        return abs(self._time.latest() - asked) < _SOON and self._time.elapsed() - began < _SOON

    async def _send(self, post: ClaimedPost) -> AttemptRuling | None:
        """Get ready just before the post is due, and send it at its time.

        Returns the outcome of the call, or None if none was made.
        """
        try:
            token = await self._calls.token(post)
        except PlatformError as error:
            await self._fail_unsent(post, Step.AUTHORIZE, error)
            return None
        if post.media_storage_path and not await self._prepare(post, token):
            return None
        await self._time.sleep_until(post.scheduled_at - _READY_AHEAD)
        before = self._time.elapsed()
        try:
            with self.gate.departure(post) as departure:
                ended = await self._publish(post, token, departure)
            if departure.attempt is not None:
                self._note_begun(departure.attempt, before)
            return await self._end_call(post, departure.attempt, ended)
        finally:
            self._failovers.end(post.id)

    async def _end_call(
        self, post: ClaimedPost, attempt: Attempt | None, ended: AttemptRuling | Withdrawn
    ) -> AttemptRuling | None:
        """Record how a publication ended, and return the outcome of its call, or None if none was made."""
        if isinstance(ended, Withdrawn):
            await self._withdraw(post, ended)
            return None
        if attempt is None:
            await self._time.certainly(post.scheduled_at)
            await self._end_without_call(post, outcome.step_of(post), ended)
            return None
        await self._end(post, attempt, ended)
        return ended

    async def _publish(
        self, post: ClaimedPost, token: str, departure: Departure
    ) -> AttemptRuling | Withdrawn:
        try:
            with span("publish", "client", platform=post.platform.value, post_id=str(post.id)):
                item = await self._calls.publish(post, token, departure)
            if isinstance(item, Delivered):
                return outcome.InInbox(self._time.now() + self._settings.follow_first)
            return outcome.Posted(item)
        except PlatformError as error:
            return await self._ruling(error, post)
        except Withdrawn as withdrawn:
            return withdrawn

    async def _withdraw(self, post: ClaimedPost, withdrawn: Withdrawn) -> None:
        if withdrawn.doubtful:
            doubtful = withdrawn.doubtful
            await until_written(
                lambda: self._database.write(
                    lambda rows: endings.call_off(rows, post, self._owner, doubtful, self._time.now())
                ),
                "an attempt that made no call could not be closed",
                sleep=self._time.sleep,
                post_id=str(post.id),
            )
        if withdrawn.problem:
            raise withdrawn.problem
        if withdrawn.until:
            await self._release(post, withdrawn.until)
        else:
            self._calls.forget_token(post)

    async def _prepare(self, post: ClaimedPost, token: str) -> bool:
        """Upload the rest of the file; False after a failure, which is recorded."""
        await self._take_preparation(post)
        try:
            async with self._uploads.of(post.connection_id):
                with span("prepare", "client", platform=post.platform.value, post_id=str(post.id)):
                    await self._calls.prepare(post, token)
        except PlatformError as error:
            await self._fail_unsent(post, Step.PREPARE, error)
            return False
        return True

    async def _take_preparation(self, post: ClaimedPost) -> None:
        """Wait until no other worker is uploading the file, then take over its preparation."""
        lease = self._settings.lease
        while not await self._database.write(
            lambda rows: holds.take(rows, post.id, self._owner, self._time.now(), lease)
        ):
            await self._time.sleep(_LOOK_AGAIN)

    def _write_endings(self, rows: Connection, ended: Sequence[Ending]) -> list[None]:
        self._failovers.add_missing(rows, [Beginning(one.post, one.attempt) for one in ended])
        endings.end(rows, self._owner, ended)
        return [None] * len(ended)

    async def _give_way(self) -> None:
        for _ in range(_ENDING_LINGERS_MAX):
            await self._time.sleep(_ENDING_LINGER)
            if not self._slots.busy:
                return

    async def _ruling(self, error: PlatformError, post: ClaimedPost) -> AttemptRuling:
        _log.info("not published", post_id=str(post.id), kind=error.kind.value, code=error.code)
        now = await self._time.settled()
        if error.kind is FailureKind.RATE_LIMITED:
            wait = timedelta(seconds=error.retry_after or 0)
            self._pacing.hold(post.connection_id, now, now + max(wait, self._settings.retry_first))
        return outcome.after_error(error, post, now, self._settings, self._roll)

    async def _end(self, post: ClaimedPost, attempt: Attempt, ruling: AttemptRuling) -> None:
        ending = Ending(post, attempt, ruling, self._time.now())
        self._on_answer(post.id)
        await self._until_written(lambda: self._endings.write(ending))
        self._meter.note_start(post.platform, attempt.started_at - post.scheduled_at)
        self._note_ruling(post, ruling)

    async def _fail_unsent(self, post: ClaimedPost, step: Step, error: PlatformError) -> None:
        """Record, when the post is due, why it wasn't sent; only once while its account is disconnected."""
        await self._time.certainly(post.scheduled_at)
        ruling = await self._ruling(error, post)
        if isinstance(ruling, outcome.Waiting) and post.waits_for_access:
            await self._release(post, ruling.at)
        else:
            await self._end_without_call(post, step, ruling)

    async def _end_without_call(self, post: ClaimedPost, step: Step, ruling: AttemptRuling) -> None:
        now = self._time.now()
        ending = Ending(post, attempts.new_attempt(step, now), ruling, now)
        if await self._database.write(lambda rows: endings.end_without_call(rows, self._owner, ending)):
            self._note_ruling(post, ruling)

    async def _look(self, post: ClaimedPost) -> None:
        """Find out on the platform whether a call with a lost response published."""
        async with self._slots.of(post.connection_id):
            looks = self._begin_look(post)
            seen = await self._see(post)
        if seen is Sight.ABSENT and looks.absent is None:
            absent = self._time.elapsed()
            self._looks.put(post.id, replace(looks, absent=absent), absent)
        now = await self._time.settled()
        window = await self._calls.repeat_window(post)
        absent_for = None if looks.absent is None else looks.newest - looks.absent
        looked_for = looks.newest - looks.first
        older = self._older(post, now)
        if outcome.waits_for_access(seen, post, now, self._settings, window):
            self._looks.drop(post.id)  # count the time from the first look after reconnecting
        ruling = outcome.after_look(seen, post, now, self._settings, window, absent_for, looked_for, older)
        if isinstance(ruling, outcome.Repeat) and self.paused.covers(post.connection_id):
            await self._release(post, now + _ASK_PAUSED_AGAIN)
        elif isinstance(ruling, outcome.Repeat):
            await self._send(post)
        else:
            await self._until_written(
                lambda: self._database.write(
                    lambda rows: endings.settle_look(rows, post, self._owner, ruling, now)
                )
            )
            if isinstance(ruling, Found | outcome.Failed):
                self._meter.note_end(post.platform, is_published=isinstance(ruling, Found))

    def _note_ruling(self, post: ClaimedPost, ruling: AttemptRuling) -> None:
        self._meter.note_attempt(post.platform, outcome.of_attempt(ruling))
        if isinstance(ruling, outcome.Posted | outcome.Adopted | outcome.Failed):
            self._meter.note_end(post.platform, is_published=not isinstance(ruling, outcome.Failed))

    def _note_begun(self, attempt: Attempt, at: timedelta) -> None:
        self._begun.put(attempt.id, at, at)

    def _older(self, post: ClaimedPost, now: datetime) -> timedelta:
        """Return how much earlier than recorded the oldest lost call may have been made."""
        begun = self._begun.get(post.open_attempts[0].id)
        if begun is None:  # the computer's clock may have stopped while it was off
            return self._time.behind(ConnectionPlatform(post.platform))
        return max(self._time.elapsed() - begun - (now - post.first_sent), timedelta())

    def _begin_look(self, post: ClaimedPost) -> _Looks:
        """Record a look that begins now, and return the looks for the post's lost attempts."""
        now, lost = self._time.elapsed(), frozenset(attempt.id for attempt in post.open_attempts)
        before = self._looks.get(post.id)
        looks = replace(before, newest=now) if before and before.lost == lost else _Looks(lost, now, now)
        self._looks.put(post.id, looks, now)
        return looks

    async def _see(self, post: ClaimedPost) -> outcome.Proof:
        since = post.first_sent - _CLOCK_SKEW
        earlier = since - _CLOCK_WRONG
        known = await self._database.read(
            lambda rows: live.known_contents(rows, post.connection_id, earlier - _KNOWN_BEFORE)
        )
        try:
            seen = outcome.proven(await self._calls.look(post, since, known), post, self._settings)
            if seen is Sight.ABSENT and isinstance(await self._calls.look(post, earlier, known), Found):
                # A copy, or the post itself, sent while the clock was ahead: they can't be told apart.
                return Sight.UNKNOWABLE
        except PlatformError as error:
            _log.info("a look on the platform failed", post_id=str(post.id), code=error.code)
            is_expired = error.kind is FailureKind.AUTH_EXPIRED
            return Sight.DISCONNECTED if is_expired else Sight.UNKNOWABLE
        return seen

    async def _release(self, post: ClaimedPost, until: datetime | None = None) -> None:
        await self._database.write(lambda rows: claims.release(rows, post.id, self._owner, until=until))

    async def _until_written(self, write: Callable[[], Awaitable[None]]) -> None:
        """Retry a write until it succeeds: the platform's answer can't be requested again.

        Gives up if the account was deleted meanwhile. An attempt that remains is looked into again.
        """

        async def write_unless_deleted() -> None:
            try:
                await write()
            except IntegrityError:
                _log.exception("an outcome could not be written")

        await until_written(write_unless_deleted, "an outcome could not be written", sleep=self._time.sleep)
