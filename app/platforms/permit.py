"""When, and until when, calls of a publication may leave this computer.

A publication gets ready ahead of time, up to its first call, and waits there until it may depart. A process
that stood still for long, as when its machine was put to sleep, may wake up in the middle of a publication
that another process has taken over since. What it has not sent by then it must not send any more.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Protocol

from app.platforms.base import FailureKind, PlatformError


class Permit(Protocol):
    """What whoever has a publication made says about its calls."""

    @property
    def has_departed(self) -> bool:
        """Whether the calls may begin already."""
        ...

    async def depart(self) -> None:
        """Returns when the calls may begin; asked before the first of them."""
        ...

    def holds(self) -> bool:
        """Whether what publishes may still be sent; asked at the last moment."""
        ...


_permit: Final[ContextVar[Permit | None]] = ContextVar("permit", default=None)


@contextmanager
def permitted(permit: Permit) -> Iterator[None]:
    """Calls in this block begin when ``permit`` says so, and publish only while it does."""
    former = _permit.set(permit)
    try:
        yield
    finally:
        _permit.reset(former)


async def departure() -> None:
    """Returns when the calls of this publication may begin."""
    permit = _permit.get()
    if permit is not None and not permit.has_departed:
        await permit.depart()


def require_permit() -> None:
    """Raises PlatformError (TRANSIENT) when nothing may be sent any more: nothing was published then."""
    permit = _permit.get()
    if permit is not None and not permit.holds():
        raise PlatformError(
            FailureKind.TRANSIENT, "stood_still", "The program stood still for too long, so nothing was sent."
        )
