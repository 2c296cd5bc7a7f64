"""Runs a program's coroutine as fast as the interpreter can."""

import asyncio
import gc
import sys
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

if sys.platform == "win32":
    new_event_loop = asyncio.new_event_loop
else:
    from uvloop import new_event_loop

T = TypeVar("T")

_SWITCH_S: Final = 0.0005
"""A thread that writes rows asks for the interpreter after each statement; by default it waits 5 ms
each time, and whoever waits to publish waits with it."""
_COLLECT_AFTER: Final = (50_000, 20, 100)
"""By default, a burst of a thousand posts is interrupted by full collections of 100 ms each."""


def tune() -> None:
    """Keep threads and the garbage collector from holding up the event loop."""
    sys.setswitchinterval(_SWITCH_S)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)


def run(main: Coroutine[Any, Any, T]) -> T:
    """``asyncio.run``, on uvloop where it exists."""
    tune()
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(main)
