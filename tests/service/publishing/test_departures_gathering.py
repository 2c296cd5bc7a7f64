"""Writes that pile up go together, and one that fails takes nobody with it."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy import Column, Connection, Integer, MetaData, Table, insert, select
from sqlalchemy.exc import IntegrityError

from app.database import Database
from app.database.dialects import sqlite_engine
from app.service.publishing.departures import Gatherer

T = TypeVar("T")
metadata = MetaData()
numbers = Table("numbers", metadata, Column("n", Integer, primary_key=True))


def lock_all(_rows: Connection, items: Sequence[int]) -> list[bool]:
    return [True] * len(items)


async def test_what_piles_up_goes_together_and_a_bad_item_alone(tmp_path: Path) -> None:
    groups: list[list[int]] = []

    def work(rows: Connection, items: Sequence[int]) -> list[int]:
        groups.append(list(items))
        rows.execute(insert(numbers), [{"n": item} for item in items])
        return [item * 10 for item in items]

    async def scene(database: Database) -> None:
        gatherer = Gatherer(database.write, lock_all, work, partial(asyncio.sleep, 0))
        assert await gatherer.write(1) == 10
        items = [2, 3, 1, 4]
        results = await asyncio.gather(*map(gatherer.write, items), return_exceptions=True)

        assert groups[1] == items
        assert [results[0], results[1], results[3]] == [20, 30, 40]
        with pytest.raises(IntegrityError):
            raise results[2]  # type: ignore[misc]

    database = Database(sqlite_engine(tmp_path / "store.db"), "the store")
    try:
        database.write_now(metadata.create_all)
        await scene(database)
        stored = database.read_now(lambda rows: sorted(rows.scalars(select(numbers.c.n))))
        assert stored == [1, 2, 3, 4]
    finally:
        database.close()


async def test_what_is_locked_waits_alone(tmp_path: Path) -> None:
    """Whatever comes later goes first, even if a write of what is locked takes long."""
    groups: list[list[int]] = []
    is_free = asyncio.Event()

    async def write(work: Callable[[Connection], T]) -> T:
        result = await database.write(work)
        if groups[-1] == [2]:
            await is_free.wait()
        return result

    def work(_rows: Connection, items: Sequence[int]) -> list[int]:
        groups.append(list(items))
        return [item * 10 for item in items]

    def lock(_rows: Connection, items: Sequence[int]) -> list[bool]:
        return [item != 2 for item in items]

    async def scene() -> None:
        gatherer = Gatherer(write, lock, work, partial(asyncio.sleep, 0))
        locked = asyncio.create_task(gatherer.write(2))
        assert await asyncio.gather(*map(gatherer.write, [1, 3])) == [10, 30]
        assert await gatherer.write(4) == 40
        assert groups == [[1, 3], [2], [4]]
        is_free.set()
        assert await locked == 20
        await gatherer.close()

    database = Database(sqlite_engine(tmp_path / "store.db"), "the store")
    try:
        await scene()
    finally:
        database.close()
