"""Work in threads whose caller is cancelled."""

import asyncio
import threading

import pytest

from app.workspace.threads import completed, in_thread


async def test_a_thread_has_ended_when_its_cancelled_caller_goes_on() -> None:
    began, may_end, ended = threading.Event(), threading.Event(), []

    def work() -> None:
        began.set()
        may_end.wait()
        ended.append(True)

    working = asyncio.ensure_future(in_thread(work))
    await asyncio.to_thread(began.wait)
    for _ in range(3):
        working.cancel()
        await asyncio.sleep(0.01)
    assert not working.done()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert ended == [True]


async def test_a_result_and_an_error_reach_the_caller() -> None:
    assert await in_thread(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        await in_thread(divmod, 7, 0)


async def test_an_error_of_a_cancelled_caller_is_dropped() -> None:
    may_fail = asyncio.Event()

    async def work() -> None:
        await may_fail.wait()
        raise OSError

    working = asyncio.ensure_future(completed(work()))
    await asyncio.sleep(0)
    working.cancel()
    await asyncio.sleep(0)
    may_fail.set()
    with pytest.raises(asyncio.CancelledError):
        await working
