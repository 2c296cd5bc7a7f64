"""Until when the call that publishes may leave this computer.

A process that stood still for long, as when its machine was put to sleep, may wake up in the middle of a
publication that another process has taken over since. What it has not sent by then it must not send any more.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from app.platforms.base import FailureKind, PlatformError

Permit = Callable[[], bool]
"""Whether it may still be sent; asked at the last moment."""


def _always() -> bool:
    return True


_permit: Final[ContextVar[Permit]] = ContextVar("permit", default=_always)


@contextmanager
def permitted(permit: Permit) -> Iterator[None]:
    """Calls in this block publish only while ``permit`` says so."""
    former = _permit.set(permit)
    try:
        yield
    finally:
        _permit.reset(former)


def require_permit() -> None:
    """Raises PlatformError (TRANSIENT) when nothing may be sent any more: nothing was published then."""
    if not _permit.get()():
        raise PlatformError(
            FailureKind.TRANSIENT, "stood_still", "The program stood still for too long, so nothing was sent."
        )
