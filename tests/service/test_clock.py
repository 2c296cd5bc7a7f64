"""Clocks: of a shared database, whatever the machines show, and held back if ahead of the platforms'."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text
from structlog.testing import capture_logs

from app.contract.enums import ConnectionPlatform
from app.database import Database
from app.platforms.base import TimeSource
from app.service.clock import TOLERATED, DatabaseClock, PlatformClock
from tests.service.running import MovingClock, run_service
from tests.stores import service_store

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
X, LINKEDIN = ConnectionPlatform.X, ConnectionPlatform.LINKEDIN
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
millis = st.integers(0, 5_000).map(lambda number: timedelta(milliseconds=number))
MASTODON = ConnectionPlatform("mastodon")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = service_store(tmp_path, "postgresql")
    yield database
    database.close()


def its_time(database: Database) -> datetime:
    asked = text("SELECT clock_timestamp()")
    found: datetime = database.read_now(lambda rows: rows.execute(asked).scalar_one())
    return found.astimezone(UTC)


@pytest.mark.logs_error("this machine's clock is wrong")
@pytest.mark.parametrize("ahead", [timedelta(), HOUR, -HOUR, 8 * SECOND], ids=str)
async def test_it_is_never_ahead_of_the_database_and_never_far_behind(
    database: Database, ahead: timedelta
) -> None:
    machine = MovingClock()
    machine.ahead = ahead
    clock = DatabaseClock(database, machine)
    for _ in range(20):
        before, shown, after = its_time(database), clock(), its_time(database)
        assert shown <= after
        # Behind by no more than a call to the database takes, of which there were three.
        assert before - shown < 3 * (after - before) + SECOND
        assert clock.latest() >= shown
        await clock.measure()


@pytest.mark.logs_error("this machine's clock is wrong")
async def test_a_machine_that_is_wrong_from_the_start_says_so_once(database: Database) -> None:
    machine = MovingClock()
    machine.ahead = -HOUR
    with capture_logs() as logged:
        clock = DatabaseClock(database, machine)
        await clock.measure()
        machine.ahead = timedelta()
        await clock.measure()
    assert [entry["event"] for entry in logged] == [
        "this machine's clock is wrong",
        "this machine's clock agrees with the database's again",
    ]


@pytest.mark.logs_error("this machine's clock is wrong")
@pytest.mark.parametrize(("ahead", "seconds"), [(HOUR, 3_600), (-HOUR, -3_600), (SECOND, None)], ids=str)
def test_the_companion_says_how_far_a_machine_is_wrong(
    tmp_path: Path, database: Database, ahead: timedelta, seconds: int | None
) -> None:
    machine = MovingClock()
    machine.ahead = ahead
    with run_service(tmp_path, {}, clock=DatabaseClock(database, machine)) as service:
        root = service.new_caller().http.get(f"{service.base_url}/companion/v1").json()
        service.forget_callers()
    found = root["clock_ahead_seconds"]
    assert found == seconds or abs(found - (seconds or 0)) <= 1


@pytest.mark.logs_error("this machine's clock is wrong")
@pytest.mark.parametrize("ahead", [HOUR, -HOUR, 8 * SECOND, -8 * SECOND], ids=str)
async def test_a_machine_that_disagrees_says_so_until_it_agrees_again(
    database: Database, ahead: timedelta
) -> None:
    machine = MovingClock()
    clock = DatabaseClock(database, machine)
    problems = [clock.problem]
    machine.ahead = ahead
    await clock.measure()
    problems.append(clock.problem)
    assert abs(abs(clock.skew) - abs(ahead)) < SECOND
    machine.ahead = ahead / abs(ahead) * (TOLERATED - SECOND)
    await clock.measure()
    first, second, third = *problems, clock.problem
    assert first is third is None
    assert second is not None
    assert ("ahead of" in second) == (ahead > timedelta())


def test_after_standing_still_it_may_be_as_late_as_the_machine_says(database: Database) -> None:
    """The steady clock stands during a suspend, so a lease may be over although it does not show that."""
    machine, stopped = MovingClock(), 7.0
    clock = DatabaseClock(database, machine, lambda: stopped)
    shown, latest = clock(), clock.latest()
    machine.ahead = HOUR
    assert clock() == shown
    assert clock.latest() >= latest + HOUR - SECOND


async def test_a_server_whose_clock_is_set_back_is_followed(database: Database) -> None:
    steady = 100.0
    clock = DatabaseClock(database, MovingClock(), lambda: steady)
    shown = clock()
    steady -= 50  # as if the server had gone back by so much
    await clock.measure()
    assert abs(clock() - shown) < 10 * SECOND


class Computer:
    """A computer whose clock is ``ahead`` of the right time."""

    def __init__(self, ahead: timedelta = timedelta()) -> None:
        self.right = NOON
        self.ahead = ahead
        self.steady = 5.0
        self.clock = PlatformClock(lambda: self.right + self.ahead, lambda: self.steady)

    def pass_(self, length: timedelta) -> None:
        self.right += length
        self.steady += length.total_seconds()

    def hear(
        self,
        platform: ConnectionPlatform = X,
        *,
        there: timedelta = timedelta(),
        back: timedelta = timedelta(),
        wrong: timedelta = timedelta(),
        server: str = "",
    ) -> None:
        """A call whose answer takes so long each way, from a platform whose clock may be wrong."""
        self.clock()  # which every call is begun by
        asked = self.steady
        self.pass_(there)
        told = (self.right + wrong).replace(microsecond=0)
        self.pass_(back)
        self.clock.heard(TimeSource(platform, server), told, asked)


@given(
    st.integers(-(10**8), 10**8).map(lambda number: timedelta(milliseconds=number)), millis, millis, millis
)
def test_a_clock_that_was_heard_is_never_much_ahead_and_never_moved_forward(
    ahead: timedelta, began: timedelta, there: timedelta, back: timedelta
) -> None:
    computer = Computer(ahead)
    computer.pass_(began)
    computer.hear(there=there, back=back)
    shown = computer.clock()
    assert shown <= computer.right + ahead
    assert shown <= computer.right + 2 * SECOND
    if ahead > 2 * SECOND + there + back:
        assert computer.right - back - SECOND <= shown <= computer.right
    assert computer.clock.lead <= max(ahead + back + SECOND, timedelta())
    if ahead + back <= SECOND:
        assert computer.clock.lead == timedelta()


@pytest.mark.parametrize("ahead", [8 * SECOND, 20 * SECOND, HOUR, 5_000 * HOUR])
def test_a_clock_that_is_ahead_is_held_back_until_it_is_right(ahead: timedelta) -> None:
    computer = Computer(ahead)
    assert computer.clock() == NOON + ahead, "nothing is known yet"
    computer.hear()
    assert computer.clock() == NOON
    computer.pass_(HOUR)
    assert computer.clock() == NOON + HOUR
    computer.ahead = timedelta()
    computer.hear()
    assert computer.clock() == computer.right


def test_the_platform_that_is_closest_counts() -> None:
    computer = Computer()
    computer.hear(LINKEDIN, wrong=-HOUR)
    assert computer.clock() == NOON - HOUR, "nobody says otherwise"
    computer.hear(X)
    assert computer.clock() == NOON
    computer.hear(LINKEDIN, wrong=-HOUR)
    assert computer.clock() == NOON


@given(
    st.integers(-20_000, 20_000).map(lambda number: timedelta(milliseconds=number)),
    st.lists(st.tuples(st.sampled_from([X, LINKEDIN]), millis, millis), min_size=1, max_size=6),
    st.integers(0, 6),
)
def test_no_slow_answer_undoes_what_a_quick_one_proved(
    ahead: timedelta, slow: list[tuple[ConnectionPlatform, timedelta, timedelta]], quick: int
) -> None:
    """A clock that is ahead is never believed, and one that isn't makes nothing late."""
    computer = Computer(ahead)
    for number, (platform, there, back) in enumerate(slow):
        if number == quick:
            computer.hear(X)
        computer.hear(platform, there=there, back=back)
        assert computer.clock() <= computer.right + 2 * SECOND
        if number >= quick:
            assert computer.clock() >= computer.right + min(ahead, timedelta()) - SECOND


def test_what_was_heard_before_the_clock_was_set_counts_no_more() -> None:
    computer = Computer()
    computer.hear(X)
    computer.ahead = HOUR
    computer.hear(LINKEDIN)
    assert computer.clock() == NOON


def test_an_answer_that_took_long_tells_nothing() -> None:
    computer = Computer(HOUR)
    computer.hear(there=11 * SECOND)
    assert computer.clock.lead == timedelta()


@pytest.mark.parametrize("is_first", [False, True])
def test_an_answer_from_before_a_suspend_holds_nothing_up(*, is_first: bool) -> None:
    computer = Computer()
    if not is_first:
        computer.hear()
    computer.clock()
    asked = computer.steady
    told = computer.right
    computer.pass_(SECOND)
    computer.right += HOUR  # the clock that never jumps stands still meanwhile
    computer.clock.heard(TimeSource(X), told, asked)
    assert computer.clock() == computer.right


def test_a_server_counts_until_a_platform_answers() -> None:
    computer = Computer(HOUR)
    computer.hear(MASTODON, server="wool.example", wrong=-HOUR)
    assert computer.clock() == NOON - HOUR, "nobody says otherwise"
    assert not computer.clock.is_proven()
    assert computer.clock.is_proven(by_servers=True)
    computer.hear(MASTODON, server="yarn.example", wrong=-MINUTE)
    assert computer.clock() == NOON - MINUTE, "the closest"
    computer.hear(X)
    assert computer.clock() == NOON
    computer.hear(MASTODON, server="wool.example", wrong=HOUR)
    assert computer.clock() == NOON, "a server that agrees with our clock changes nothing any more"


def test_no_deadline_depends_on_a_server() -> None:
    computer = Computer()
    computer.hear(MASTODON, server="wool.example", wrong=HOUR)
    assert computer.clock.behind(MASTODON) == timedelta()


def test_a_clock_is_proven_until_it_jumps() -> None:
    computer = Computer()
    assert not computer.clock.is_proven()
    computer.pass_(HOUR)
    assert computer.clock.uncertain_for == HOUR
    computer.hear()
    assert computer.clock.is_proven()
    computer.pass_(100 * HOUR)
    assert computer.clock.is_proven()
    for jump in (3 * SECOND, -3 * SECOND, -HOUR):
        computer.ahead += jump
        assert not computer.clock.is_proven(by_servers=True)
        assert computer.clock.uncertain_for == timedelta()
        computer.hear()
        assert computer.clock.is_proven()


def test_many_small_steps_are_a_jump() -> None:
    computer = Computer()
    computer.hear()
    for _ in range(3):
        computer.ahead += SECOND
        computer.clock()
    assert not computer.clock.is_proven()


@given(
    st.integers(-(10**8), 10**8).map(lambda number: timedelta(milliseconds=number)), millis, millis, millis
)
def test_how_far_a_clock_is_behind_a_platform_is_known(
    ahead: timedelta, began: timedelta, there: timedelta, back: timedelta
) -> None:
    computer = Computer(ahead)
    computer.pass_(began)
    computer.hear(X, there=there, back=back)
    behind = computer.clock.behind(X)
    assert timedelta() <= behind <= max(-ahead, timedelta())
    if -ahead > 2 * SECOND + back:
        assert behind >= -ahead - SECOND - back
    assert computer.clock.behind(LINKEDIN) == behind, "as far as anybody knows"
    computer.hear(LINKEDIN, wrong=ahead)
    assert computer.clock.behind(LINKEDIN) <= 2 * SECOND


def test_a_clock_that_was_set_right_is_not_behind_any_more() -> None:
    computer = Computer(-HOUR)
    computer.hear(X)
    assert computer.clock.behind(X) == HOUR
    computer.ahead = timedelta()
    computer.hear(LINKEDIN)
    assert computer.clock.behind(X) == timedelta()
