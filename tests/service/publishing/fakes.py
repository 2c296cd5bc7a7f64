"""Stand-ins for what is outside: platforms that remember what they published, tokens, and faster time."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum, auto
from typing import Any
from uuid import UUID

import pytest

from app.contract.enums import ConnectionPlatform
from app.platforms.base import (
    Delivered,
    FailureKind,
    LookBack,
    LookBackOutcome,
    PlatformError,
    Publication,
    Published,
)
from app.service.publishing.clock import Timekeeper
from tests.service.publishing import own_time

SPEED = 50
LONGEST_NAP = timedelta(seconds=4)
"""By this time's clock, or the real second would be most of a minute."""


class FastTime(Timekeeper):
    """Time that runs many times as fast as that of the loop in which it was made, and may start anywhere."""

    def __init__(self, speed: int = SPEED) -> None:
        self._speed = speed
        self._start = datetime.now(UTC)
        self._seconds = own_time.clock()
        self._began = self._stood = self._seconds()
        self._stands = False
        self.offset = timedelta()
        self.unmeasured = timedelta()
        """How much later it may be, as after a suspend that a clock hasn't noticed yet."""

    def now(self) -> datetime:
        moment = self._start + self.elapsed() + self.offset
        return moment.replace(microsecond=moment.microsecond // 1000 * 1000)

    def latest(self) -> datetime:
        return self.now() + self.unmeasured

    def elapsed(self) -> timedelta:
        there = self._stood if self._stands else self._seconds()
        return timedelta(seconds=there - self._began) * self._speed

    @contextmanager
    def standing(self) -> Iterator[None]:
        """Nothing becomes due inside the block, however long the machine takes for it; sleeps go on."""
        self._stood, self._stands = self._seconds(), True
        try:
            yield
        finally:
            self._began += self._seconds() - self._stood
            self._stands = False

    async def sleep(self, length: timedelta) -> None:
        await asyncio.sleep(length.total_seconds() / self._speed)

    async def wait(self, event: asyncio.Event, longest: timedelta, *, nap: timedelta | None = None) -> None:
        nap = LONGEST_NAP if nap is None else nap
        await super().wait(event, min(longest, nap) / self._speed)


def _item(number: int) -> Published:
    """What the platform calls its entries."""
    return Published(f"item-{number}", f"https://social.example/item-{number}")


class Fate(Enum):
    """What becomes of a publishing call."""

    ACCEPTED = auto()
    LOST_AFTER = auto()  # published, and the answer is lost
    LOST_BEFORE = auto()  # the request is lost, which looks the same
    BUSY = auto()
    SLOW_DOWN = auto()
    REFUSED = auto()
    TOKEN_DEAD = auto()
    GARBLED = auto()  # published, and the adapter stumbles over the answer
    KILLED_BEFORE = auto()  # our program dies before the platform has it
    KILLED_AFTER = auto()  # our program dies when the platform has it


@dataclass
class FakePlatform:
    """A platform as an adapter shows it, remembering every publication as ``(account, text)``.

    ``looks``: published items can be listed. ``refuses_for``: how long an identical copy is refused.
    """

    platform: ConnectionPlatform
    looks: bool = True
    repeat_window: timedelta | None = None
    keeps: timedelta = timedelta(hours=20)
    refuses_for: timedelta = timedelta()
    names_original: bool = True
    fates: list[Fate] = field(default_factory=list)
    look_failures: int = 0
    hides: int = 0  # that many looks do not show what is there
    ledger: list[tuple[str, str]] = field(default_factory=list)
    accepted_at: list[datetime] = field(default_factory=list)
    time: Timekeeper = field(default_factory=Timekeeper)
    ours: Timekeeper | None = None  # the clock of whoever asks, where the platform has another one
    calls: int = 0
    look_count: int = 0
    at_once: int = 0
    most_at_once: int = 0
    killed: asyncio.Event = field(default_factory=asyncio.Event)
    during: Callable[[], Any] | None = None
    preparing: Callable[[Publication], Awaitable[None]] | None = None

    async def publish(self, publication: Publication) -> Published:
        await publication.departure.depart()
        self.calls += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return await self._answer(publication, self.fates.pop(0) if self.fates else Fate.ACCEPTED)
        finally:
            self.at_once -= 1

    async def _answer(self, publication: Publication, fate: Fate) -> Published:
        await asyncio.sleep(0)
        if self.during is not None:
            await self.during()
        if not publication.departure.holds():
            raise PlatformError(FailureKind.TRANSIENT, "stood_still", "nothing was sent")
        if publication.access_token == "dead":
            raise PlatformError(FailureKind.AUTH_EXPIRED, "401", "token expired")
        match fate:
            case Fate.LOST_BEFORE:
                raise PlatformError(FailureKind.AMBIGUOUS, "timeout", "no response")
            case Fate.BUSY:
                raise PlatformError(FailureKind.TRANSIENT, "503", "try later")
            case Fate.SLOW_DOWN:
                raise PlatformError(FailureKind.RATE_LIMITED, "429", "slow down", retry_after=3)
            case Fate.REFUSED:
                raise PlatformError(FailureKind.INVALID, "400", "text is not nice")
            case Fate.TOKEN_DEAD:
                raise PlatformError(FailureKind.AUTH_EXPIRED, "401", "token expired")
            case Fate.KILLED_BEFORE:
                await self._die()
        number = self._accept(publication)
        match fate:
            case Fate.LOST_AFTER:
                raise PlatformError(FailureKind.AMBIGUOUS, "timeout", "no response")
            case Fate.GARBLED:
                raise KeyError("id")
            case Fate.KILLED_AFTER:
                await self._die()
        return _item(number)

    def _accept(self, publication: Publication) -> int:
        entry = (publication.account_identifier, publication.text)
        now = self.time.now()
        for number, earlier in enumerate(self.ledger):
            if earlier == entry and now < self.accepted_at[number] + self.refuses_for:
                original = _item(number) if self.names_original else None
                raise PlatformError(FailureKind.DUPLICATE, "duplicate", "already there", existing=original)
        self.ledger.append(entry)
        self.accepted_at.append(now)
        return len(self.ledger) - 1

    async def _die(self) -> None:
        self.killed.set()
        await asyncio.Event().wait()

    async def look_back(
        self,
        publication: Publication,
        *,
        since: datetime,
        known: Collection[str],
    ) -> LookBack:
        self.look_count += 1
        if self.look_failures:
            self.look_failures -= 1
            raise PlatformError(FailureKind.TRANSIENT, "503", "try later")
        if not self.looks:
            return LookBack(LookBackOutcome.UNKNOWABLE)
        if self.hides:
            self.hides -= 1
            return LookBack(LookBackOutcome.ABSENT)
        if self.ours is not None:
            since -= max(self.ours.now() - self.time.now(), timedelta())  # as adapters do
        wanted = (publication.account_identifier, publication.text)
        for number, entry in enumerate(self.ledger):
            is_new = self.accepted_at[number] >= since
            if entry == wanted and is_new and f"item-{number}" not in known:
                return LookBack(LookBackOutcome.FOUND, _item(number))
        return LookBack(LookBackOutcome.ABSENT)

    def authorization_url(self, *_: Any, **__: Any) -> str:
        raise NotImplementedError

    async def exchange_code(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def refresh(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def profiles(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    def counted_at_once(self, *_: Any, **__: Any) -> int:
        raise NotImplementedError

    async def metrics(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def prepare(self, publication: Publication) -> None:
        if self.preparing is not None:
            await self.preparing(publication)


def listing() -> FakePlatform:
    """Like X: its items can be listed; a copy is refused without naming the first."""
    return FakePlatform(ConnectionPlatform.X, refuses_for=timedelta(minutes=10), names_original=False)


def refusing() -> FakePlatform:
    """Like LinkedIn: nothing can be listed; a copy is refused, naming the first, for ten minutes."""
    return FakePlatform(
        ConnectionPlatform.LINKEDIN,
        looks=False,
        repeat_window=timedelta(minutes=10),
        refuses_for=timedelta(minutes=10),
    )


BOTH = pytest.mark.parametrize("platform", [listing, refusing])
"""A test of every kind of platform."""


class InboxPlatform(FakePlatform):
    """Like TikTok: what is sent to an inbox is published when its user has published it there.

    ``published``: the numbers of those in the ledger. ``failures``: what questions about them raise.
    """

    def __init__(self) -> None:
        super().__init__(ConnectionPlatform.TIKTOK)
        self.published: set[int] = set()
        self.failures: list[PlatformError] = []
        self.questions = 0

    async def publish(self, publication: Publication) -> Any:
        item = await super().publish(publication)
        return Delivered() if publication.to_inbox else item

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        seen = await super().look_back(publication, since=since, known=known)
        waits = publication.to_inbox and seen.item not in {_item(number) for number in self.published}
        return LookBack(LookBackOutcome.DELIVERED) if seen.item and waits else seen

    async def follow(self, publication: Publication) -> Published | None:
        self.questions += 1
        if self.failures:
            raise self.failures.pop(0)
        number = self.ledger.index((publication.account_identifier, publication.text))
        return _item(number) if number in self.published else None


class FakeTokens:
    """Tokens that work, until told otherwise."""

    def __init__(self) -> None:
        self.current = "good"
        self.next: str | PlatformError = "fresh"
        self.failures: list[PlatformError] = []
        self.ends: list[str] = []
        self.when_forgotten: list[PlatformError] = []
        """What the next calls fail with once cached tokens were dropped."""

    async def access_token(self, connection_id: UUID) -> str:  # noqa: ARG002
        if self.failures:
            raise self.failures.pop(0)
        return self.current

    def forget(self, *connection_ids: UUID) -> None:
        del connection_ids
        self.failures += self.when_forgotten

    async def ended(self, connection_id: UUID, token: str) -> None:  # noqa: ARG002
        self.ends.append(token)
        raise PlatformError(FailureKind.TRANSIENT, "refused_account", "refused at the moment", retry_after=1)

    async def refused(self, connection_id: UUID, token: str) -> str:  # noqa: ARG002
        if isinstance(self.next, PlatformError):
            raise self.next
        self.current = self.next
        return self.current


class UploadingPlatform(FakePlatform):
    """Like TikTok: a publication is asked for by the upload that was noted of it."""

    async def prepare(self, publication: Publication) -> None:
        await publication.steps.put("upload", publication.text)

    async def publish(self, publication: Publication) -> Published:
        await self.prepare(publication)
        return await super().publish(publication)

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        if await publication.steps.get("upload") is None:
            return LookBack(LookBackOutcome.UNSENT)
        return await super().look_back(publication, since=since, known=known)
