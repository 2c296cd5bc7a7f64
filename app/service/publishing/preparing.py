"""Uploads ahead of time, so that a post with a slow upload is published when it is due.

A file is uploaded half an hour before its post is due, earlier the larger it is, but never so early that the
platform might discard it before then. Progress is stored as steps of the post (``attachments``), and the
publisher continues from there when the post is due. A failure ahead of time is recorded as an attempt and
retried now and then; the publisher makes the last try.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final
from uuid import UUID, uuid4

import structlog
from sqlalchemy import Connection

from app.contract.companion import AttemptOutcome
from app.contract.enums import ConnectionPlatform, PostingPlatform
from app.database import Database
from app.platforms.adapters import Adapter
from app.platforms.base import FailureKind, PlatformError
from app.service.connections.platforms import Tokens
from app.service.publishing import advice, attempts, holds
from app.service.publishing.attachments import Attachments
from app.service.publishing.attempts import Beginning
from app.service.publishing.calls import Calls
from app.service.publishing.clock import Timekeeper
from app.service.publishing.history import ClaimedPost, Step
from app.service.publishing.holds import Wish
from app.service.publishing.settings import PublishingSettings
from app.service.worker import ClaimingWorker

_log = structlog.get_logger(__name__)

_LEFT_TO_PUBLISHER: Final = timedelta(seconds=10)
"""Posts due within this are prepared by the publisher."""
_SHARE: Final = 0.75
"""Share of the time a platform keeps a file that may pass before the post is due."""
_PASSING: Final = frozenset(
    {
        FailureKind.AUTH_EXPIRED,  # the account may be reconnected in time
        FailureKind.QUOTA,
        FailureKind.RATE_LIMITED,
        FailureKind.TRANSIENT,
        FailureKind.AMBIGUOUS,
    }
)


class Preparer(ClaimingWorker[ClaimedPost]):
    """Uploads files ahead of time. Several preparers and engines may share one database.

    Args:
        database: The database with the posts.
        tokens: Provides access tokens.
        adapters: One for each platform that supports publishing.
        attachments: Provides the files of posts.
        clock: Wall time and sleep.
        settings: Durations and limits.
        exclusive: Whether no other process uses this database, so that holds found at start are abandoned.
        roll: Returns a random number in [0, 1), for jitter.
    """

    every = timedelta(seconds=5)
    trouble = "posts to prepare could not be read; trying again"
    broken = "a post could not be prepared"
    named = "post_id"

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
        roll: Callable[[], float] = random.random,
    ) -> None:
        self._settings = settings or PublishingSettings()
        # Without a grace period: the next process continues an upload where this one stopped.
        super().__init__(grace=timedelta(), renew_every=self._settings.lease / 3)
        self._owner = uuid4()
        self._database = database
        self._calls = Calls(tokens, adapters, attachments.held_by(self._owner), self._settings)
        self._adapters = adapters
        self._time = clock or Timekeeper()
        self._has_dead_holds = exclusive
        self._roll = roll
        self._resting: dict[UUID, datetime] = {}
        """Rate-limited connections, and until when."""

    async def _release_claims(self) -> None:
        ids = list(self._carried)
        await self._database.write(lambda rows: [holds.release(rows, one, self._owner) for one in ids])

    async def _release_others(self, carried: frozenset[UUID]) -> None:
        await self._database.write(lambda rows: holds.release_others(rows, self._owner, carried))

    async def _round(self) -> None:
        if self._has_dead_holds:
            await self._database.write(holds.release_all)
            self._has_dead_holds = False
        await self._release_uncarried()
        room = self._settings.preparations - len(self._carried)
        if room <= 0 or not await self._waiting(self._wish(room)):
            return
        # Only now, because without a network each check calls every platform.
        if not await self._time.check():
            return
        wish = self._wish(room)
        ids = await self._waiting(wish)
        if not ids or self._stopping:
            return
        wish = replace(wish, now=self._time.now())
        for post in await self._claimed(self._database.write(lambda rows: holds.hold(rows, wish, ids))):
            self._set_off(post.id, post)

    async def _waiting(self, wish: Wish) -> list[UUID]:
        return await self._database.read(lambda rows: holds.waiting(rows, wish))

    async def _rest(self, longest: timedelta) -> None:
        await self._time.wait(self._wake, longest, nap=longest)  # after a suspend, it's only later by this

    async def _sleep(self, length: timedelta) -> None:
        await self._time.sleep(length)

    def _elapsed(self) -> timedelta:
        return self._time.elapsed()

    @cached_property
    def _earliest(self) -> dict[PostingPlatform, timedelta]:
        return {
            platform: self._adapters[ConnectionPlatform(platform)].keeps * _SHARE
            for platform in PostingPlatform
            if ConnectionPlatform(platform) in self._adapters
        }

    def _wish(self, room: int) -> Wish:
        now = self._time.now()
        self._resting = {account: until for account, until in self._resting.items() if until > now}
        return Wish(
            owner=self._owner,
            now=now,
            lease=self._settings.lease,
            limit=room,
            earliest=self._earliest,
            lead=self._settings.prepare_lead,
            rate=self._settings.prepare_rate,
            not_after=now + _LEFT_TO_PUBLISHER,
            busy={*self._resting, *(post.connection_id for post, _ in self._carried.values())},
        )

    async def _carry(self, post: ClaimedPost) -> bool:
        begun_at = self._time.now()
        try:
            await self._calls.prepare(post, await self._calls.token(post))
        except PlatformError as error:
            await self._fail(post, begun_at, error)
        else:
            changes = {"settled_at": begun_at, "tries": 0, "next_at": None}
            await self._database.write(lambda rows: holds.release(rows, post.id, self._owner, **changes))
        return True

    async def _fail(self, post: ClaimedPost, begun_at: datetime, error: PlatformError) -> None:
        _log.info("not prepared", post_id=str(post.id), kind=error.kind.value, code=error.code)
        if error.kind is FailureKind.RATE_LIMITED:
            wait = timedelta(seconds=error.retry_after or 0)
            self._resting[post.connection_id] = self._time.now() + max(wait, self._settings.prepare_again)
        await self._database.write(lambda rows: self._note(rows, post, begun_at, error))

    def _note(self, rows: Connection, post: ClaimedPost, begun_at: datetime, error: PlatformError) -> None:
        """Record a failure and when to retry, unless the hold was lost meanwhile."""
        now, tries = self._time.now(), holds.tries(rows, post.id) + 1
        is_passing = error.kind in _PASSING
        is_over = not is_passing or tries >= self._settings.prepare_tries
        wait = max(self._backoff(tries), timedelta(seconds=error.retry_after or 0))
        wait = min(wait, self._settings.retry_span)  # later moments count as written by a wrong clock
        changes = {"tries": tries, "next_at": now + wait, "settled_at": begun_at if is_over else None}
        if not holds.release(rows, post.id, self._owner, **changes):
            return
        attempt = attempts.new_attempt(Step.PREPARE, begun_at)
        outcome = AttemptOutcome.TRANSIENT if is_passing else AttemptOutcome.REFUSED
        attempts.write(rows, [Beginning(post, attempt)])
        attempts.close(rows, [attempt], outcome, advice.ahead(error, post.platform), now)

    def _backoff(self, tries: int) -> timedelta:
        doubled: timedelta = self._settings.prepare_again * 2 ** min(tries - 1, 16)
        return min(doubled, self._settings.prepare_longest) * (1 + self._roll()) / 2

    async def _renew(self) -> None:
        """Renew the holds of uploads in progress; cancel uploads no longer needed or taken over."""
        ids = frozenset(self._carried)
        if not ids:
            return
        now, lease = self._time.now(), self._settings.lease
        far = max(self._earliest.values(), default=timedelta())
        kept = await self._database.write(lambda rows: holds.renew(rows, self._owner, ids, now, lease, far))
        for post_id in ids - kept:
            if post_id in self._carried:
                self._carried[post_id][1].cancel()
