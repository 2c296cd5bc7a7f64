"""The time of a computer: every connected platform is asked, and nothing is sent until one has answered."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import insert
from structlog.testing import capture_logs

from app.contract.enums import ConnectionPlatform
from app.database import DiskFullError
from app.platforms.base import FailureKind, PlatformError, TimeSource
from app.service.clock import PlatformClock
from app.service.publishing.platform_time import PlatformTime, connected_sources
from app.service.store.tables import accounts, connections
from tests.leaping import leap, run_leaping
from tests.stores import service_store

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
MASTODON, BLUESKY = ConnectionPlatform("mastodon"), ConnectionPlatform("bluesky")
X, LINKEDIN = TimeSource(ConnectionPlatform.X), TimeSource(ConnectionPlatform.LINKEDIN)
WOOL = TimeSource(MASTODON, "wool.example")
NO_NETWORK = PlatformError(FailureKind.TRANSIENT, "unreachable", "no network")


class Computer:
    """A computer whose clock is ``ahead``, and the platforms that it can ask."""

    def __init__(self, *sources: TimeSource, ahead: timedelta = timedelta()) -> None:
        self.right = NOON
        self.ahead = ahead
        self.steady = 5.0
        self.sources: Sequence[TimeSource] = sources
        self.silent: set[TimeSource] = set()
        self.unreachable: set[TimeSource] = set()
        self.asked: list[TimeSource] = []
        self.was_asked = asyncio.Event()
        self.clock = PlatformClock(lambda: self.right + self.ahead, lambda: self.steady)
        self.time = Time(self)

    def pass_(self, length: timedelta) -> None:
        self.right += length
        self.steady += length.total_seconds()

    async def read(self) -> Sequence[TimeSource]:
        return self.sources

    async def ask(self, source: TimeSource) -> None:
        self.asked.append(source)
        self.was_asked.set()
        asked = self.steady
        await asyncio.sleep(0)
        if source in self.unreachable:
            raise NO_NETWORK
        if source in self.silent:
            await asyncio.Event().wait()
        self.clock.heard(source, self.right.replace(microsecond=0), asked)


class Time(PlatformTime):
    """Counts the computer's monotonic seconds."""

    def __init__(self, computer: Computer) -> None:
        super().__init__(computer.clock, computer.read, computer.ask)
        self._computer = computer

    def elapsed(self) -> timedelta:
        return timedelta(seconds=self._computer.steady)

    async def sleep(self, length: timedelta) -> None:
        self._computer.pass_(length)
        await asyncio.sleep(0)


async def test_every_connected_platform_is_asked_and_the_first_answer_counts() -> None:
    computer = Computer(X, LINKEDIN, WOOL, ahead=HOUR)
    computer.silent, computer.unreachable = {LINKEDIN}, {WOOL}
    assert not computer.time.is_certain
    assert await computer.time.check()
    assert set(computer.asked) == {X, LINKEDIN, WOOL}
    assert computer.time.now() == NOON


async def test_who_comes_meanwhile_waits_for_the_same_answers() -> None:
    computer = Computer(X, LINKEDIN)
    assert await asyncio.gather(*(computer.time.check() for _ in range(5))) == [True] * 5
    assert computer.asked == [X, LINKEDIN]


@pytest.mark.parametrize("jump", [HOUR, -HOUR, 8 * SECOND], ids=str)
async def test_after_a_jump_nothing_counts_as_certain_until_a_platform_has_answered(jump: timedelta) -> None:
    computer = Computer(X)
    await computer.time.check()
    computer.ahead, computer.unreachable = jump, {X}
    assert not computer.time.is_certain
    assert not await computer.time.check()
    computer.unreachable = set()
    assert await computer.time.check()
    assert computer.time.now() == min(NOON, NOON + jump)


async def test_it_is_asked_again_and_again_but_for_two_minutes_at_most() -> None:
    computer = Computer(X)
    computer.unreachable = {X}
    began = computer.steady
    await computer.time.settled()
    assert 2 * MINUTE <= timedelta(seconds=computer.steady - began) < 2 * MINUTE + 2 * SECOND
    assert len(computer.asked) > 60
    # Even then each post asks first: there may be a network now.
    count = len(computer.asked)
    assert await computer.time.check()
    assert len(computer.asked) == count + 1


async def test_without_anybody_to_ask_the_computer_counts_at_once() -> None:
    computer = Computer(ahead=HOUR)
    assert await computer.time.check()
    assert computer.time.is_certain
    computer.sources = [X]
    assert await computer.time.check()
    assert computer.time.now() == NOON


async def test_a_server_proves_the_time_only_where_no_platform_can() -> None:
    alone, both = Computer(WOOL, ahead=HOUR), Computer(WOOL, X, ahead=HOUR)
    both.unreachable = {X}
    assert await alone.time.check()
    assert alone.time.now() == NOON
    assert not await both.time.check()
    assert both.time.now() == NOON, "it holds the clock back, though"


async def test_it_is_asked_again_after_a_while_without_waiting() -> None:
    computer = Computer(X)
    await computer.time.check()
    computer.pass_(9 * MINUTE)
    await computer.time.check()
    assert len(computer.asked) == 1
    computer.pass_(2 * MINUTE)
    computer.silent = {X}
    assert await computer.time.check()
    await asyncio.sleep(0)
    assert len(computer.asked) == 2


def test_a_platform_that_says_nothing_is_given_up() -> None:
    computer = Computer(X)
    computer.silent = {X}

    async def scene() -> None:
        check = asyncio.create_task(computer.time.check())
        await computer.was_asked.wait()
        leap(9)
        await asyncio.sleep(0.01)
        assert not check.done()
        leap(2)
        assert not await check

    run_leaping(scene())


@pytest.mark.logs_error("the connected platforms could not be read")
async def test_a_full_disk_ends_no_check() -> None:
    computer = Computer(X)
    real: Callable[[], Awaitable[Sequence[TimeSource]]] = computer.read

    async def failing() -> Sequence[TimeSource]:
        raise DiskFullError("The disk is full.")

    computer.time._read_sources = failing
    assert not await computer.time.check()
    computer.time._read_sources = real
    assert await computer.time.check()


def test_who_can_be_asked_is_read_from_the_accounts(tmp_path: Path) -> None:
    database, account_id = service_store(tmp_path, "sqlite"), uuid4()
    rows = [
        (ConnectionPlatform.X, "1", True),
        (ConnectionPlatform.X, "2", True),
        (ConnectionPlatform.LINKEDIN, "urn:li:person:1", False),
        (BLUESKY, "did:plc:1", True),
        (MASTODON, "17@wool.example", True),
        (MASTODON, "18@wool.example", True),
        (MASTODON, "17@yarn.example", True),
        (ConnectionPlatform("x-by-hand"), "robin", True),
    ]
    added = [
        {
            "id": uuid4(),
            "account_id": account_id,
            "platform": platform.value,
            "account_identifier": identifier,
            "is_available": is_available,
            "access_token": b"sealed",
            "created_at": NOON,
        }
        for platform, identifier, is_available in rows
    ]
    owner = {"id": account_id, "name": "A", "plan": "local", "status": "active", "created_at": NOON}
    database.write_now(lambda rows: rows.execute(insert(accounts).values(owner)))
    database.write_now(lambda rows: rows.execute(insert(connections), added))
    found = database.read_now(connected_sources)
    database.close()
    assert found == [TimeSource(BLUESKY), WOOL, TimeSource(MASTODON, "yarn.example"), X]


async def test_a_source_without_an_answer_is_logged_once() -> None:
    computer = Computer(X)
    computer.unreachable = {X}
    with capture_logs() as logs:
        for _ in range(3):
            await computer.time.check()
        computer.unreachable = set()
        await computer.time.check()
        computer.ahead, computer.unreachable = HOUR, {X}
        await computer.time.check()
    assert [line["event"] for line in logs] == ["no answer with the time"] * 2
