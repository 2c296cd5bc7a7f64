"""The time of processes that share a database is the database's, whatever their machines' clocks say."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from app.database import Database
from app.service.clock import TOLERATED, DatabaseClock
from tests.service.running import MovingClock, run_service
from tests.stores import service_store

HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)


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
def test_it_is_never_ahead_of_the_database_and_never_far_behind(database: Database, ahead: timedelta) -> None:
    machine = MovingClock()
    machine.ahead = ahead
    clock = DatabaseClock(database, machine)
    for _ in range(20):
        before, shown, after = its_time(database), clock(), its_time(database)
        assert shown <= after
        # Behind by no more than a call to the database takes, of which there were three.
        assert before - shown < 3 * (after - before) + SECOND
        assert clock.latest() >= shown
        asyncio.run(clock.measure())


@pytest.mark.logs_error("this machine's clock is wrong")
def test_a_machine_that_is_wrong_from_the_start_says_so_once(database: Database) -> None:
    machine = MovingClock()
    machine.ahead = -HOUR
    with capture_logs() as logged:
        clock = DatabaseClock(database, machine)
        asyncio.run(clock.measure())
        machine.ahead = timedelta()
        asyncio.run(clock.measure())
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
def test_a_machine_that_disagrees_says_so_until_it_agrees_again(database: Database, ahead: timedelta) -> None:
    machine = MovingClock()
    clock = DatabaseClock(database, machine)
    problems = [clock.problem]
    machine.ahead = ahead
    asyncio.run(clock.measure())
    problems.append(clock.problem)
    assert abs(abs(clock.skew) - abs(ahead)) < SECOND
    machine.ahead = ahead / abs(ahead) * (TOLERATED - SECOND)
    asyncio.run(clock.measure())
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


def test_a_server_whose_clock_is_set_back_is_followed(database: Database) -> None:
    steady = 100.0
    clock = DatabaseClock(database, MovingClock(), lambda: steady)
    shown = clock()
    steady -= 50  # as if the server had gone back by so much
    asyncio.run(clock.measure())
    assert abs(clock() - shown) < 10 * SECOND
