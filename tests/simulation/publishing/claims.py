"""Which claims the calls to platforms rest on."""

from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Final, Protocol, TypeVar
from uuid import UUID

from app.platforms.adapters import Adapter
from app.platforms.base import Departure, Publication
from app.platforms.wire import Reply, Request
from tests.simulation.outside import SimulatedWire

T = TypeVar("T")

_OF_THE_CLAIMED: Final = ("publish", "look_back", "follow")
"""Methods of adapters that only the worker calls that has claimed the post."""

_called_for: Final[ContextVar[UUID | None]] = ContextVar("called_for", default=None)
"""The post that calls are made for; None where no claim is needed."""


class Sending(Protocol):
    """Looks at a request to a platform just before it's sent."""

    def __call__(self, post_id: UUID, *, may_publish: bool) -> None:
        """Take the post that it's for, and whether it may publish it."""


class _WatchedDeparture:
    """A departure that shows the publishing calls that it has allowed."""

    def __init__(self, departure: Departure, allowed: Callable[[], None]) -> None:
        self._departure = departure
        self._allowed = allowed

    @property
    def has_departed(self) -> bool:
        return self._departure.has_departed

    async def depart(self) -> None:
        await self._departure.depart()

    def holds(self) -> bool:
        holds = self._departure.holds()
        if holds:
            self._allowed()
        return holds


class WatchedWire(SimulatedWire):
    """A network that looks at every request for a claimed post."""

    sending: Sending

    async def exchange(self, request: Request) -> Reply:
        if (post_id := _called_for.get()) is not None:
            self.sending(post_id, may_publish=False)
        return await super().exchange(request)


def watch(adapters: Iterable[Adapter], wire: WatchedWire, sending: Sending) -> None:
    """Show each request that adapters make for a claimed post to ``sending``."""
    wire.sending = sending
    for adapter in adapters:
        for name in _OF_THE_CLAIMED:
            method = getattr(adapter, name, None)
            if method is not None:
                vars(adapter)[name] = _watched(method, sending)


def _watched(method: Callable[..., Awaitable[T]], sending: Sending) -> Callable[..., Awaitable[T]]:
    async def call(publication: Publication, **more: Any) -> T:
        def allowed() -> None:
            sending(publication.post_id, may_publish=True)

        before = _called_for.set(publication.post_id)
        try:
            departure = _WatchedDeparture(publication.departure, allowed)
            return await method(replace(publication, departure=departure), **more)
        finally:
            _called_for.reset(before)

    return call
