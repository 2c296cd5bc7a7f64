"""What our processes begin with: fast startup, little memory, limits for helpers, and standard streams."""

import ctypes
import gc
import os
import signal
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
"""Parameter of `mallopt` from glibc's malloc.h."""
_patching: Final = threading.Lock()


def leave_out(*modules: str) -> None:
    """Make later imports of modules fail as if they weren't installed.

    For optional imports of libraries, such as command lines and coloured tracebacks.
    """
    for name in modules:  # None makes the import fail
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]


@contextmanager
def uncollected() -> Iterator[None]:
    """Import with the garbage collector off, and exclude the imported objects from later collections.

    Modules are never freed. Otherwise the collector would scan them repeatedly during the import, which takes
    a sixth of the time.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def import_without_authorities(module: str) -> None:
    """Import a module that creates unused TLS contexts, without loading certificates into them.

    Loading the system's certificates takes 20 ms and up to 2 MB per context. Contexts that other threads
    create meanwhile are complete.
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
    """Make all threads share one arena of glibc's allocator. Call this before starting any thread.

    Otherwise each thread keeps its own free memory, although our threads take turns anyway.
    """
    if libc := _glibc():
        libc.mallopt(_M_ARENA_MAX, 1)


def give_back() -> None:
    """Return free memory of glibc's heap to the system. Blocking."""
    if libc := _glibc():
        libc.malloc_trim(0)


@cache
def _glibc() -> ctypes.CDLL | None:
    libc = ctypes.CDLL(None) if sys.platform == "linux" else None
    return libc if hasattr(libc, "malloc_trim") else None


def give_way(nice: int) -> None:
    """Lower the CPU priority of this process. No effect on Windows."""
    if sys.platform != "win32":
        os.nice(nice)


def limit_processor_time(seconds: float) -> None:
    """End this process by SIGPROF after it has used the processor for so long; 0 lifts the limit.

    Each call starts again. Waiting for a disk, or for a turn on a busy computer, doesn't count. No effect on
    Windows.
    """
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


def was_processor_limit(exit_code: int | None) -> bool:
    """Return whether a process with this exit code ended because of `limit_processor_time`."""
    return sys.platform != "win32" and exit_code == -signal.SIGPROF


def provide_streams() -> None:
    """Discard writes to a missing standard stream, instead of failing with an error."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123  open until exit
