"""Processes of ours that start sooner and keep less memory."""

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

_M_ARENA_MAX: Final = -8
"""Of `mallopt`, as glibc's malloc.h has it."""


def leave_out(*modules: str) -> None:
    """Make later imports of modules fail, as if they weren't installed.

    For what libraries import, where it is installed, for command lines and coloured tracebacks of their own.
    """
    for name in modules:  # None is how Python marks what can't be imported
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]


@contextmanager
def uncollected() -> Iterator[None]:
    """Import without the cyclic garbage collector, and leave what was imported out of all later collections.

    Modules stay until the end. The collector would go through all of them again and again while they are
    loaded, which takes a sixth of the time.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def use_one_arena() -> None:
    """Have all threads share one arena of glibc's allocator, before any thread is started.

    Otherwise each of our threads, which take turns anyway, keeps free memory of its own.
    """
    if libc := _glibc():
        libc.mallopt(_M_ARENA_MAX, 1)


def give_back() -> None:
    """Give memory that is free at the end of glibc's heap, and within it, back to the system. Blocking."""
    if libc := _glibc():
        libc.malloc_trim(0)


@cache
def _glibc() -> ctypes.CDLL | None:
    libc = ctypes.CDLL(None) if sys.platform == "linux" else None
    return libc if hasattr(libc, "malloc_trim") else None
