"""The loop that never waits, and programs that die on it."""

import asyncio
import threading
import time
from contextlib import suppress
from datetime import timedelta
from itertools import repeat

import pytest

from tests.simulation import loop as loops
from tests.simulation.lives import DeathError, Life, WorldClock, outside, owned_tasks
from tests.simulation.loop import FreezingLoop, SimulatedLoop, StandstillError, simulate


def test_a_day_takes_no_time() -> None:
    async def story(loop: SimulatedLoop) -> float:
        await asyncio.sleep(86_400)
        return loop.time()

    began = time.monotonic()
    assert simulate(story) == pytest.approx(86_400)
    assert time.monotonic() - began < 5


def test_timers_end_in_their_order() -> None:
    async def story(_: SimulatedLoop) -> list[int]:
        ended: list[int] = []

        async def after(seconds: int) -> None:
            await asyncio.sleep(seconds)
            ended.append(seconds)

        await asyncio.gather(*(after(seconds) for seconds in (5, 1, 3)))
        return ended

    assert simulate(story) == [1, 3, 5]


def test_work_for_threads_is_done_in_place() -> None:
    async def story(_: SimulatedLoop) -> int:
        return await asyncio.to_thread(threading.get_ident)

    assert simulate(story) == threading.get_ident()


def test_a_standstill_is_no_endless_wait() -> None:
    async def story(_: SimulatedLoop) -> None:
        await asyncio.Event().wait()

    with pytest.raises(StandstillError):
        simulate(story)


def test_a_loop_that_never_rests_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "_MOST_TURNS", 1_000)

    async def story(_: SimulatedLoop) -> None:
        for _turn in repeat(None):
            await asyncio.sleep(0)

    with pytest.raises(StandstillError):
        simulate(story)


def test_what_is_dead_has_no_effect_any_more() -> None:
    async def story(loop: SimulatedLoop) -> list[str]:
        loop.set_task_factory(owned_tasks)
        done: list[str] = []
        life = Life("one", WorldClock(loop), timedelta(), lambda: done.append("died"))

        async def work() -> None:
            try:
                await asyncio.sleep(10)
            finally:
                life.must_live()
                done.append("tidied up")

        life.start(work())
        outside(asyncio.sleep(1)).add_done_callback(lambda _: life.die())
        await asyncio.sleep(60)
        with pytest.raises(DeathError):
            await life.passes()
        return done

    assert simulate(story) == ["died"]


def test_what_stands_still_goes_on_later() -> None:
    async def story(loop: SimulatedLoop) -> tuple[float, float]:
        life = Life("one", WorldClock(loop), timedelta(), lambda: None)
        life.stand_still(30, suspended=True)
        await life.passes()
        return loop.time(), life.steady()

    assert simulate(story) == (30, 0)


def test_less_than_the_loop_can_wait_is_no_standstill(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "_MOST_TURNS", 1_000)

    async def story(loop: SimulatedLoop) -> float:
        life = Life("one", WorldClock(loop), timedelta(), lambda: None)
        life.stand_still(30)
        await asyncio.sleep(30 - 5e-10)

        async def a_turn_later() -> None:
            await asyncio.sleep(0)
            await life.passes()

        await asyncio.gather(life.passes(), a_turn_later())
        return loop.time()

    assert simulate(story) == pytest.approx(30)


def test_the_steady_clock_stands_still_during_a_suspend_and_never_goes_back() -> None:
    async def story(loop: SimulatedLoop) -> list[float]:
        life = Life("one", WorldClock(loop), timedelta(), lambda: None)
        await asyncio.sleep(10)
        life.stand_still(30, suspended=True)
        seen = [life.steady()]
        for seconds in (20, 20):
            await asyncio.sleep(seconds)
            seen.append(life.steady())
        return [*seen, life.steady(at=5), life.steady(at=25)]

    assert simulate(story) == [10, 10, 20, 5, 10]


def test_timers_of_a_program_are_frozen_while_its_computer_is_suspended() -> None:
    async def story(loop: SimulatedLoop) -> dict[str, float]:
        loop.set_task_factory(owned_tasks)
        life = Life("one", WorldClock(loop), timedelta(), lambda: None)
        ended: dict[str, float] = {}

        async def sleep(name: str, seconds: float) -> None:
            await asyncio.sleep(seconds)
            ended[name] = loop.time()

        async def cancelled() -> None:
            with suppress(TimeoutError):
                async with asyncio.timeout(20):
                    await asyncio.sleep(3_000)
            ended["timeout"] = loop.time()

        tasks = [life.start(sleep("before", 5)), life.start(sleep("meanwhile", 20)), life.start(cancelled())]
        await asyncio.sleep(10)
        life.stand_still(3_600, suspended=True)
        tasks.append(life.start(sleep("begun meanwhile", 20)))
        await asyncio.sleep(20)
        life.stand_still(4_000)  # stalled also after it, while its clock goes on
        tasks.append(outside(sleep("the world's", 20)))
        await asyncio.gather(*tasks)
        return ended

    assert simulate(story, FreezingLoop) == {
        "before": 5,
        "meanwhile": 4_030,
        "timeout": 4_030,
        "begun meanwhile": 4_030,
        "the world's": 50,
    }


def test_a_cancelled_timer_does_not_end_after_a_suspend() -> None:
    async def story(loop: SimulatedLoop) -> list[str]:
        loop.set_task_factory(owned_tasks)
        life = Life("one", WorldClock(loop), timedelta(), lambda: None)
        ended: list[str] = []

        async def begin() -> asyncio.TimerHandle:
            return asyncio.get_running_loop().call_later(10, ended.append, "ended")

        timer = await life.start(begin())
        life.stand_still(30, suspended=True)
        await asyncio.sleep(20)
        timer.cancel()
        await asyncio.sleep(60)
        return ended

    assert simulate(story, FreezingLoop) == []
