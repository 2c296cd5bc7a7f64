"""Settings that can't be written: memory shows what the next start will."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from app.workspace.media.sending import SpeedLimit
from app.workspace.messages import Problem
from tests.workspace.failing_disk import busy, refuse
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import Opened, opened, until


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


SEVENS = ("INSERT ON settings", "instr(NEW.value, '777')")
"""The writing of a setting with this number."""
Change = Callable[[Opened, int], Awaitable[None]]
Shown = Callable[[Opened], object]


async def _use_emoji(workspace: Opened, number: int) -> None:
    await workspace.emoji.use(f"{number}")


async def _add_word(workspace: Opened, number: int) -> None:
    await (workspace.spelling.remove if number == 1 else workspace.spelling.add)(f"{number}")


async def _set_cap(workspace: Opened, number: int) -> None:
    await workspace.spending.set_cap(number)


async def _set_speed(workspace: Opened, number: int) -> None:
    await workspace.media.uploads.limit.set(number)


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        (_use_emoji, lambda one: one.emoji.recent),
        (_add_word, lambda one: one.spelling.is_mine("777")),
        (_set_cap, lambda one: one.spending.cap),
        (_set_speed, lambda one: one.media.uploads.limit.rate),
    ],
)
async def test_what_could_not_be_stored_is_as_before(
    tmp_path: Path, service: ModelService, change: Change, shown: Shown
) -> None:
    async with opened(tmp_path, service) as workspace:
        await change(workspace, 1)
        before = shown(workspace)
        await refuse(workspace, *SEVENS)
        with pytest.raises(Problem):
            await change(workspace, 777)
        assert shown(workspace) == before


async def test_a_newer_value_stays_when_the_one_before_could_not_be_stored(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        await workspace.spending.load()
        await refuse(workspace, *SEVENS)
        first, second = workspace.spending.set_cap(777), workspace.spending.set_cap(5)
        found = await asyncio.gather(first, second, return_exceptions=True)
        assert [type(one) for one in found] == [Problem, type(None)]
        assert workspace.spending.cap == 5


async def test_what_was_stored_although_the_caller_was_cancelled_stays(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        await workspace.spending.load()
        async with busy(workspace):
            setting = asyncio.ensure_future(workspace.spending.set_cap(5))
            await until(lambda: workspace.spending.cap == 5)
            setting.cancel()
            await asyncio.gather(setting, return_exceptions=True)
        await refuse(workspace, *SEVENS)
        with pytest.raises(Problem):
            await workspace.spending.set_cap(777)
        assert workspace.spending.cap == 5


async def test_the_stored_speed_applies_if_another_one_was_set_before_it_was_loaded(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        await workspace.media.uploads.limit.set(5)
        limit = SpeedLimit(workspace._core)
        await refuse(workspace, *SEVENS)
        with pytest.raises(Problem):
            await limit.set(777)
        assert limit.rate == 5


@pytest.mark.parametrize("is_stored", [False, True])
async def test_a_speed_applies_although_the_stored_one_cannot_be_read(
    tmp_path: Path, service: ModelService, *, is_stored: bool
) -> None:
    """The choice isn't replaced either when the stored speed can be read again."""
    async with opened(tmp_path, service) as workspace:
        await workspace.media.uploads.limit.set(5)
        limit = SpeedLimit(workspace._core)
        told: list[int] = []
        limit.listen(told.append)
        with _unreadable(workspace):
            if is_stored:
                await limit.set(777)
            else:
                await refuse(workspace, *SEVENS)
                with pytest.raises(Problem):
                    await limit.set(777)
        await limit.load()
        assert (limit.rate, told) == (777, [777])
        assert await _stored_speed(workspace) == (777 if is_stored else 5)


@contextmanager
def _unreadable(workspace: Opened) -> Iterator[None]:
    """Within it, settings can't be read."""

    def refuse_reading(*call: Any) -> None:
        if call[2].startswith("SELECT settings"):
            raise sqlite3.OperationalError("disk I/O error")

    engine = workspace._core.database.engine
    event.listen(engine, "before_cursor_execute", refuse_reading)
    try:
        yield
    finally:
        event.remove(engine, "before_cursor_execute", refuse_reading)


async def _stored_speed(workspace: Opened) -> int:
    limit = SpeedLimit(workspace._core)
    await limit.load()
    return limit.rate
