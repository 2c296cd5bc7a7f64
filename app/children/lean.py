"""Processes of ours that start sooner and keep less memory."""

import ctypes
import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ssl import SSLContext

_M_ARENA_MAX: Final = -8
"""Of `mallopt`, as glibc's malloc.h has it."""
_patching: Final = threading.Lock()


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


def import_without_authorities(module: str) -> None:
    """Import a module that makes TLS contexts of its own, which nobody uses, without authorities in them.

    Reading those of the system takes 20 ms and up to 2 MB for each context. Contexts that other threads make
    meanwhile have them.
    """
    import ssl

    importing = threading.get_ident()

    def load_elsewhere(context: "SSLContext", purpose: ssl.Purpose = ssl.Purpose.SERVER_AUTH) -> None:
        if threading.get_ident() != importing:
            load(context, purpose)

    def read_elsewhere(context: "SSLContext") -> None:
        if threading.get_ident() != importing:
            read(context)

    with _patching:
        load, read = ssl.SSLContext.load_default_certs, ssl.SSLContext.set_default_verify_paths
        ssl.SSLContext.load_default_certs = load_elsewhere  # type: ignore[assignment, method-assign]
        ssl.SSLContext.set_default_verify_paths = read_elsewhere  # type: ignore[assignment, method-assign]
        try:
            import_module(module)
        finally:
            ssl.SSLContext.load_default_certs = load  # type: ignore[method-assign]
            ssl.SSLContext.set_default_verify_paths = read  # type: ignore[method-assign]


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
