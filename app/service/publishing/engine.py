"""The loop that claims due posts and publishes them."""

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

import structlog
from sqlalchemy import Connection, Delete, Table, bindparam, delete, literal, select, update

from app.contract.companion import AttemptOutcome
from app.contract.enums import ConnectionPlatform, PostStatus
from app.database import Database, is_one_of
from app.platforms.adapters import Adapter
from app.platforms.advice import DELETED, INTERRUPTED
from app.service.accounts.moves import is_here
from app.service.connections.platforms import Tokens
from app.service.monitoring.meter import Meter
from app.service.publishing.attachments import Attachments
from app.service.publishing.calls import Calls
from app.service.publishing.claims import (
    Claim,
    Request,
    claim,
    first_moment,
    look,
    read_posts,
    release_all,
    release_others,
    renew,
)
from app.service.publishing.clock import Timekeeper
from app.service.publishing.failovers import Failovers, JournalCheck
from app.service.publishing.history import ClaimedPost, Event, sources
from app.service.publishing.jumps import SetBacks
from app.service.publishing.pacing import Pacing, Slots
from app.service.publishing.pauses import Paused, read_paused
from app.service.publishing.publisher import Publisher, Tools
from app.service.publishing.settings import PublishingSettings
from app.service.store.journal import SendJournal
from app.service.store.tables import (
    attempts,
    posts,
    preparations,
    publication_steps,
    removed_posts,
)
from app.service.worker import ClaimingWorker

_TAKE_OVER: Final = (
    update(posts).where(posts.c.claimed_by.is_not(None)).values(claimed_by=None, claimed_until=None),
    update(attempts)
    .where(attempts.c.finished_at.is_(None), attempts.c.unknown_since.is_(None))
    .values(outcome=AttemptOutcome.UNKNOWN.value, unknown_since=bindparam("now"), advice=INTERRUPTED),
)
_CLOSE_ORPHANS: Final = (
    update(attempts)
    .where(attempts.c.finished_at.is_(None), attempts.c.unknown_since.is_not(None))
    .where(
        *(
            ~select(kept.c.id).where(kept.c.id == attempts.c.post_id).exists()
            for kept in (posts, removed_posts)
        )
    )
    .values(finished_at=bindparam("now"), advice=DELETED)
)


def take_over(connection: Connection, now: datetime) -> None:
    """Release every claim and mark calls in progress as lost. Only for the single owner of a data folder."""
    release_everything, lose_calls = _TAKE_OVER
    connection.execute(release_everything)
    connection.execute(lose_calls, {"now": now})


def close_orphans(connection: Connection, now: datetime) -> None:
    """Close attempts with an unknown outcome whose post and its text are deleted."""
    connection.execute(_CLOSE_ORPHANS, {"now": now})


def _ended(steps: Table) -> Delete:
    """Return the statement that deletes what is stored of posts that have ended."""
    on_its_way = select(posts.c.id).where(
        posts.c.id == steps.c.post_id, is_one_of(posts.c.status, sources(Event.BEGIN))
    )
    unresolved = select(attempts.c.id).where(
        attempts.c.post_id == steps.c.post_id, attempts.c.finished_at.is_(None)
    )
    return delete(steps).where(~on_its_way.exists(), ~unresolved.exists())


_FORGET_STEPS: Final = tuple(map(_ended, (publication_steps, preparations)))


def forget_steps(connection: Connection) -> None:
    """Delete the stored steps of posts that have ended.

    Keeps those of deleted posts with a lost response, because looks on the platform need them.
    """
    for statement in _FORGET_STEPS:
        connection.execute(statement)


# If the call published, its item belongs in the content history, and finding it on the platform takes the
# post's text. So the text is kept until the outcome is known, for this purpose only.
_UNRESOLVED: Final = (
    select(attempts.c.id)
    .where(attempts.c.post_id == removed_posts.c.id, attempts.c.finished_at.is_(None))
    .exists()
)
_UNTIL: Final = bindparam("until", type_=removed_posts.c.claimed_until.type)
_free_ids: Final = (
    select(removed_posts.c.id)
    .where(_UNRESOLVED, is_here(removed_posts.c.account_id))
    .where(
        removed_posts.c.claimed_until.is_(None)
        # A claim that expires after ``until`` dates from before the clock was set back.
        | ~removed_posts.c.claimed_until.between(bindparam("now"), _UNTIL)
    )
    .where(removed_posts.c.id.not_in(bindparam("carried", expanding=True, type_=removed_posts.c.id.type)))
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True)
    .cte("found")  # so that PostgreSQL runs it once
)
_CLAIM_REMOVED: Final = (
    update(removed_posts)
    .where(removed_posts.c.id.in_(select(_free_ids.c.id)))
    .values(claimed_until=_UNTIL)
    .returning(*removed_posts.c, literal(PostStatus.CANCELLED.value).label("status"))
)
_FORGET_REMOVED: Final = delete(removed_posts).where(~_UNRESOLVED, is_here(removed_posts.c.account_id))


def claim_removed(
    connection: Connection, now: datetime, until: datetime, *, carried: Collection[UUID], most: int
) -> Sequence[ClaimedPost]:
    """Claim removed posts to look for on the platform; no other engine looks before ``until``.

    They count as cancelled and are never sent again. Skips those in ``carried``.
    """
    wanted = {"now": now, "until": until, "carried": list(carried), "most": most}
    return read_posts(connection, connection.execute(_CLAIM_REMOVED, wanted).all())


def forget_removed(connection: Connection) -> None:
    """Delete removed posts whose outcomes are all known."""
    connection.execute(_FORGET_REMOVED)


_log = structlog.get_logger(__name__)

_LOOK_ANYWAY: Final = timedelta(seconds=10)
"""Longest time without a query while nothing has changed and nothing is due."""
_NEAR: Final = timedelta(minutes=1)
"""How long before posts are due an uncertain time is checked in every round."""
_NOTHING_SEEN: Final[tuple[int | None, timedelta]] = (None, timedelta())
"""The database's version before the last look for posts, and its time on the monotonic clock."""
_BREATH: Final = timedelta(milliseconds=50)
"""Pause between two claims, so that posts accumulate: a claim of many takes as long as of one."""
_HANDS_PER_CALL: Final = 4
"""Maximum number of posts in progress per account, for each call it may make simultaneously."""


class PublishingEngine(ClaimingWorker[ClaimedPost]):
    """Publishes due posts. The rows of ``posts`` are the queue; several engines may share a database.

    Args:
        database: The database with the posts.
        tokens: Provides access tokens.
        adapters: One for each platform that supports publishing.
        attachments: Provides the files of posts.
        clock: Wall time and sleep.
        settings: Durations and limits.
        exclusive: Whether no other engine uses this database, so that claims found at start are abandoned.
        journal: Records calls outside the database before they begin.
        check: Compares the database with the journal after a failover.
        roll: Returns a random number in [0, 1), for jitter.
        meter: Counts attempts and their outcomes.
    """

    every = timedelta(seconds=1)
    trouble = "the posts could not be read; trying again"
    broken = "a post could not be processed"
    named = "post_id"
    _has_recovered = False
    _more_waits = False
    _next_at: datetime | None = None
    _seen = _NOTHING_SEEN
    _checked_at: timedelta | None = None
    """When the time was last checked, on the monotonic clock."""

    def __init__(
        self,
        database: Database,
        tokens: Tokens,
        adapters: Mapping[ConnectionPlatform, Adapter],
        attachments: Attachments,
        *,
        clock: Timekeeper | None = None,
        settings: PublishingSettings | None = None,
        exclusive: bool = True,
        journal: SendJournal | None = None,
        check: JournalCheck | None = None,
        roll: Callable[[], float] = random.random,
        meter: Meter | None = None,
    ) -> None:
        self._settings = settings or PublishingSettings()
        super().__init__(grace=self._settings.stop_grace, renew_every=self._settings.lease / 3)
        self._owner = uuid4()
        self._database = database
        self._time = clock or Timekeeper()
        self._exclusive = exclusive
        self._set_backs = SetBacks(database, self._time, self._settings)
        self._answered: set[UUID] = set()  # posts whose outcomes are being written
        self._pacing = Pacing()
        self._failovers = failovers = Failovers(self._owner, database, self._time, self._settings, check)
        tools = Tools(
            owner=self._owner,
            database=database,
            calls=Calls(tokens, adapters, attachments, self._settings, self._owner, failovers.add_call),
            slots=Slots(self._settings),
            pacing=self._pacing,
            time=self._time,
            settings=self._settings,
            failovers=failovers,
            journal=journal,
            roll=roll,
            meter=meter or Meter(),
            on_answer=self._note_answer,
        )
        self._publisher = Publisher(tools)

    async def stop(self) -> None:
        """Stop claiming, wait briefly for calls in progress, and release the rest."""
        self._publisher.gate.closing = True
        await super().stop()

    def is_quiet(self, span: timedelta) -> bool:
        """Whether nothing is being published, and nothing will be for ``span``."""
        is_near = self._next_at is not None and self._next_at - self._time.now() < span
        return not self._carried and not is_near

    async def _release_claims(self) -> None:
        await self._cut_off()  # no call may begin without its claim
        await self._database.write(lambda rows: release_all(rows, self._owner))

    async def _release_others(self, carried: frozenset[UUID]) -> None:
        await self._database.write(lambda rows: release_others(rows, self._owner, carried))

    async def _close(self) -> None:
        await self._publisher.close()

    async def _round(self) -> timedelta | None:
        if self._was_woken:
            self._seen = _NOTHING_SEEN
        # Before all else, because other processes wait only so long for what this one knows.
        pause = await self._failovers.pause()
        if self._time.problem:  # the clock with the problem reports it
            return None
        # First, because posts to publish immediately get their time from this clock. Not in every idle round:
        # without a network, each check calls every platform.
        is_idle = self._has_recovered and self._time.is_certain and not self._may_find_more()
        if not is_idle and not await self._is_time_certain():
            return None
        if not self._has_recovered:
            await self._recover()
            self._has_recovered = True
        if await self._set_backs.look():
            await self._renew()
        if await self._release_uncarried():
            self._seen = _NOTHING_SEEN
        if pause:
            return pause
        if self._may_find_more():
            self._seen = _NOTHING_SEEN
            version = self._database.version()  # before the query: changes during it count as new
            self._next_at = await self._claim()
            self._seen = version, self._time.elapsed()
        if self._next_at is None:
            return None
        rest = self._next_at - self._time.now()  # the next post is claimed a little before it is due
        return min(rest, self.every) if self._releases else rest

    async def _rest(self, longest: timedelta) -> None:
        began = self._time.elapsed()
        await self._time.wait(self._wake, longest)
        await self._time.sleep(max(_BREATH - (self._time.elapsed() - began), timedelta()))

    async def _sleep(self, length: timedelta) -> None:
        await self._time.sleep(length)

    def _elapsed(self) -> timedelta:
        return self._time.elapsed()

    def _may_find_more(self) -> bool:
        """Whether anything changed or became due since the last query; always true if other engines exist."""
        version, looked_at = self._seen
        return (
            not self._exclusive
            or version is None
            or version != self._database.version()
            or (self._next_at is not None and self._next_at <= self._time.now())
            or self._time.elapsed() - looked_at >= _LOOK_ANYWAY
        )

    async def _is_time_certain(self) -> bool:
        """Check the time: seldom if it isn't certain, but nothing is due either."""
        now = self._time.elapsed()
        is_early = self._checked_at is not None and now - self._checked_at < _LOOK_ANYWAY
        if is_early and not (self._time.is_certain or self._was_woken or await self._is_any_near()):
            return False
        self._checked_at = now
        return await self._time.check()

    async def _is_any_near(self) -> bool:
        """Whether something is due, or will be within a minute."""
        first = await self._database.read_remembered(first_moment, first_moment)
        return first is not None and first - self._time.now() < _NEAR

    async def _recover(self) -> None:
        now = self._time.now()
        if self._exclusive:
            await self._database.write(lambda rows: take_over(rows, now))
        await self._set_backs.sweep()
        await self._database.write(lambda rows: close_orphans(rows, now))
        await self._database.write(forget_steps)

    async def _claim(self) -> datetime | None:
        """Start on due posts; return when to query again."""
        request = self._request()
        is_allowed, outlook = await self._database.read(
            lambda rows: (self._failovers.allows(rows), look(rows, request))
        )
        if not is_allowed:
            return request.now
        paused = Paused()
        if outlook.has_pauses:
            paused = await self._database.read_remembered("paused", read_paused)
        if paused != self._publisher.paused:
            self._publisher.paused = paused
            request = self._request()  # accounts that are paused count as busy
        if paused.everything or not outlook.has_any:
            self._more_waits = False
            return None if paused.everything else outlook.next_at
        taken = await self._claimed(self._database.write(lambda rows: self._claim_allowed(rows, request)))
        for post in taken.posts:
            self._set_off(post.id, post)
        late = sum(post.scheduled_at < request.late_before for post in taken.posts)
        is_full = late >= request.late_limit or len(taken.posts) - late >= request.limit
        self._more_waits = is_full or bool(request.busy or request.late_busy)
        moments = [*self._pacing.held(self._time.now()).values(), *filter(None, [taken.next_at])]
        return request.now if is_full else min(moments, default=None)

    def _claim_allowed(self, rows: Connection, request: Request) -> Claim:
        return claim(rows, request) if self._failovers.allows(rows) else Claim((), request.now)

    def _request(self) -> Request:
        now, settings = self._time.now(), self._settings
        late_before = now - settings.late_after
        # Outcomes are written together, so waiting for them takes longer than many calls.
        carried = [post for post, _ in self._carried.values() if post.id not in self._answered]
        late = [post for post in carried if post.scheduled_at < late_before]
        punctual = [post for post in carried if post.scheduled_at >= late_before]
        room = settings.in_flight - len(self._carried)
        # One of an account's calls is reserved for punctual posts.
        few = max(1, settings.calls_per_connection - 1)
        return Request(
            owner=self._owner,
            now=now,
            leases_over=self._set_backs.leases_over(now),
            horizon=now + settings.claim_ahead,
            lease_until=now + settings.lease,
            limit=min(room, settings.batch),
            carried=frozenset(self._carried),
            busy=self._busy(punctual, settings.calls_per_connection * _HANDS_PER_CALL, now),
            late_before=late_before,
            late_limit=min(room, settings.late_in_flight - len(late)),
            late_busy=self._busy(late, few, now),
        )

    def _busy(self, carried: Iterable[ClaimedPost], enough: int, now: datetime) -> frozenset[UUID]:
        """Return connections that are rate limited, paused, or have enough posts in progress."""
        counts = Counter(post.connection_id for post in carried)
        full = {one for one, count in counts.items() if count >= enough}
        return frozenset(self._pacing.held(now)) | self._publisher.paused.connections | full

    async def _carry(self, post: ClaimedPost) -> bool:
        try:
            return await self._publisher.carry(post) or self._more_waits
        finally:
            self._answered.discard(post.id)

    def _note_answer(self, post_id: UUID) -> None:
        self._answered.add(post_id)
        if self._more_waits:
            self._wake.set()

    async def _renew(self) -> None:
        await self._set_backs.sweep()
        now = self._time.now()
        lease_until = now + self._settings.lease
        ids = frozenset(self._carried)
        held = await self._database.write(lambda rows: renew(rows, self._owner, ids, lease_until))
        self._publisher.gate.renewed(held, lease_until)
        await self._look_into_removed(now, lease_until)
        await self._database.write(lambda rows: close_orphans(rows, now))
        await self._database.write(forget_steps)

    async def _look_into_removed(self, now: datetime, until: datetime) -> None:
        """Find out whether calls of deleted posts published something."""
        carried, most = frozenset(self._carried), self._settings.batch
        taken = await self._database.write(
            lambda rows: claim_removed(rows, now, until, carried=carried, most=most)
        )
        for post in taken:
            self._set_off(post.id, post)
        await self._database.write(forget_removed)
