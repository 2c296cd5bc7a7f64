"""Work that has always ended when its caller goes on, even one that is cancelled."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the result of blocking work. If cancelled, wait for its end before raising CancelledError.

    ``asyncio.to_thread`` leaves the thread behind, which may write a file after the caller has cleaned up.
    """
    return await completed(asyncio.to_thread(work, *args, **kwargs))


async def completed(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of work, which goes on if the caller is cancelled: its end is awaited."""
    working, cancelled = asyncio.ensure_future(work), None
    while not working.done():
        try:
            await asyncio.wait([working])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is None:
        return working.result()
    if not working.cancelled():
        working.exception()  # retrieved, so that asyncio doesn't log it
    raise cancelled
