"""What the exporter measures itself."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from app.database import Database, DatabaseUnreachableError
from app.service.clock import system_clock
from app.service.monitoring.prometheus import Exporter, PrometheusMeter
from app.service.store.folder import DataFolder

_BLOCKED_S = 0.6


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(DataFolder(tmp_path).open_database()) as database:
        yield database


def _exporter(database: Database, wrong_by: int | None = None) -> Exporter:
    return Exporter(PrometheusMeter(), database, system_clock, lambda: wrong_by)


async def _value(exporter: Exporter, name: str) -> float:
    lines = (await exporter.render()).decode().splitlines()
    [value] = [line.rpartition(" ")[2] for line in lines if line.startswith(f"{name} ")]
    return float(value)


async def test_a_blocked_event_loop_shows(database: Database) -> None:
    exporter = _exporter(database)
    measuring = asyncio.create_task(exporter.measure_lag())
    await asyncio.sleep(0.4)
    time.sleep(_BLOCKED_S)  # noqa: ASYNC251  blocks the loop, as bad code would
    await asyncio.sleep(0.01)
    measuring.cancel()

    assert await _value(exporter, "kalends_event_loop_lag_seconds_count") == 1
    assert await _value(exporter, "kalends_event_loop_lag_seconds_sum") >= _BLOCKED_S - 0.2


async def test_a_wrong_clock_shows(database: Database) -> None:
    assert await _value(_exporter(database), "kalends_clock_wrong_by_seconds") == 0
    assert await _value(_exporter(database, -7), "kalends_clock_wrong_by_seconds") == -7


async def test_without_the_database_the_rest_is_exported(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    exporter = _exporter(database)
    assert await _value(exporter, "kalends_database_up") == 1

    async def unreachable(*_work: Any, **_more: Any) -> None:
        raise DatabaseUnreachableError("The database can't be reached.")

    monkeypatch.setattr(database, "read", unreachable)

    assert await _value(exporter, "kalends_database_up") == 0
    text = (await exporter.render()).decode()
    assert "kalends_posts_lag_seconds" not in text
    assert "kalends_database_pool_size" in text


async def test_writes_that_wait_are_counted(database: Database) -> None:
    exporter, release = _exporter(database), asyncio.Event()
    loop = asyncio.get_running_loop()
    first = database.submit(lambda _rows: asyncio.run_coroutine_threadsafe(release.wait(), loop).result(60))
    await asyncio.sleep(0.1)
    more = [database.submit(lambda _rows: None) for _ in range(3)]

    assert await _value(exporter, "kalends_database_waiting_writes") == 3
    assert await _value(exporter, "kalends_database_connections_in_use") >= 1
    release.set()
    await asyncio.wrap_future(first)
    await asyncio.wrap_future(more[-1])
    assert await _value(exporter, "kalends_database_waiting_writes") == 0


async def test_a_database_of_another_version_does_not_hide_the_other_numbers(database: Database) -> None:
    await database.write(lambda rows: rows.execute(text("ALTER TABLE posts RENAME TO other")))
    assert await _value(_exporter(database), "kalends_database_up") == 0
