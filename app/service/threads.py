"""Blocking work in threads that neither begins nor continues behind the back of a cancelled caller.

Cancelling a wait for a thread drops work that hasn't begun, and leaves work that has begun running alone.
For closing and deleting, both are wrong: a file stays open, or bytes are deleted while a thread writes them.
"""

import asyncio
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call ``work`` in a thread. If the caller is cancelled, the cancellation waits for its end."""
    return await ended(begun(work, *args, **kwargs))


def begun(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[T]:
    """Hand ``work`` to a thread immediately, with the caller's context variables."""
    call = partial(copy_context().run, work, *args, **kwargs)
    return asyncio.get_running_loop().run_in_executor(None, call)


async def ended(work: asyncio.Future[T]) -> T:
    """Return the result of work that continues if the caller is cancelled; wait for its end in that case."""
    await settled(work)
    return work.result()


async def settled(work: asyncio.Future[Any]) -> None:
    """Wait for the end of work, good or bad, however often the caller is cancelled meanwhile."""
    cancelled = None
    while not work.done():
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError as error:
            cancelled = error
    if not work.cancelled():
        work.exception()  # retrieved, so that asyncio doesn't log it
    if cancelled is not None:
        raise cancelled
