"""Limits on connected clients, and on how long they may keep the service waiting."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final

import structlog
from pydantic import BaseModel, ConfigDict, Field

from app.service.peers import network_of

_log = structlog.get_logger(__name__)

_DESCRIPTORS_WANTED: Final = 65_536
_DESCRIPTORS_OF_MACOS: Final = 10_240
"""The maximum on macOS, which may report no limit."""
_RESERVED_MIN: Final = 128
"""Minimum number of descriptors reserved for the database, platforms, webhooks and files."""
_CONNECTIONS_MAX: Final = 4_096
_CALLBACKS_MAX: Final = 128
_LOG_EVERY_S: Final = 60.0

Seconds = Annotated[float, Field(gt=0, le=3_600)]
ConnectionCount = Annotated[int, Field(ge=8, le=1_000_000)]


class ListeningSettings(BaseModel):
    """Limits on clients that connect.

    Attributes:
        connections: Maximum number of connections. By default what the process may open, minus a reserve.
        connections_per_peer: Maximum number of connections per address. By default half of ``connections``.
        head_seconds: Time limit for the TLS handshake and the request headers.
        body_seconds: Time limit for a JSON body or a form.
        idle_seconds: How long a connection stays open between two requests.
        stalled_seconds: How long a client may stop reading its response.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    connections: ConnectionCount | None = None
    connections_per_peer: ConnectionCount | None = None
    head_seconds: Seconds = 10
    body_seconds: Seconds = 30
    idle_seconds: Seconds = 30
    stalled_seconds: Seconds = 60


@dataclass(frozen=True, slots=True)
class Caps:
    """Maximum number of connections, in total and per peer."""

    total: int
    per_peer: int

    @classmethod
    def for_api(cls, settings: ListeningSettings, descriptors: int) -> "Caps":
        """Return the limits of the API's listener, for a process with this many descriptors."""
        room = max(8, descriptors - _reserve(descriptors) - cls.for_callbacks(descriptors).total)
        total = min(settings.connections or _CONNECTIONS_MAX, room)
        return cls(total, min(settings.connections_per_peer or total // 2, total))

    @classmethod
    def for_callbacks(cls, descriptors: int) -> "Caps":
        """Return the limits of the callback listener, whose clients are all on this machine."""
        total = max(4, min(_CALLBACKS_MAX, (descriptors - _reserve(descriptors)) // 8))
        return cls(total, total)


if sys.platform == "win32":

    def raise_descriptor_limit() -> int:
        """Return the number of sockets the process may open. Windows doesn't limit them."""
        return _DESCRIPTORS_WANTED

else:
    import resource

    def raise_descriptor_limit() -> int:
        """Raise the limit on open descriptors as far as allowed, and return it."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = _DESCRIPTORS_WANTED if hard == resource.RLIM_INFINITY else min(hard, _DESCRIPTORS_WANTED)
        for wanted in (most, min(most, _DESCRIPTORS_OF_MACOS)):
            if soft == resource.RLIM_INFINITY or soft >= wanted:
                break
            try:
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            except (OSError, ValueError):
                continue
            return wanted
        return min(soft, _DESCRIPTORS_WANTED) if soft != resource.RLIM_INFINITY else _DESCRIPTORS_WANTED


def _drop_nothing() -> None:
    return


def _reserve(descriptors: int) -> int:
    return min(max(_RESERVED_MIN, descriptors // 4), descriptors // 2)


class Place:
    """An admitted connection, until its socket is closed."""

    def __init__(self, gate: "ConnectionGate", peer: str, drop: Callable[[], None]) -> None:
        self.peer = peer
        self.drop = drop
        self.deadline: float | None = None
        self._gate = gate

    def wait(self, seconds: float) -> None:
        """Start waiting for the client, for at most ``seconds``."""
        self.deadline = self._gate.now() + seconds
        self._gate.set_waiting(self)

    def hurry(self, seconds: float) -> None:
        """Wait at most ``seconds`` from now on, unless an earlier limit applies."""
        until = self._gate.now() + seconds
        self.deadline = until if self.deadline is None else min(self.deadline, until)

    def work(self) -> None:
        """Stop waiting: the request is complete and the service is working on it."""
        self.deadline = None
        self._gate.set_working(self)

    def leave(self) -> None:
        """Free the place after the socket was closed. Calling it again has no effect."""
        self._gate.forget(self)
        # breaks the reference cycle between place and connection, which holds their buffers
        self.drop = _drop_nothing


class ConnectionGate:
    """Admits connections up to its limits, dropping those that waited longest to make room.

    Only drops connections waiting for their client: without a complete request, between two requests, or with
    a client that doesn't read. For the event loop's thread.
    """

    def __init__(self, caps: Caps, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self._caps = caps
        self._open = _Places()
        self._waiting = _Places()
        self._full_logged_at: float | None = None

    def __len__(self) -> int:
        return len(self._open)

    def admit(self, host: str, drop: Callable[[], None], seconds: float) -> Place | None:
        """Admit a new connection; None if every place is taken by a client being served.

        Args:
            host: The client's address.
            drop: Closes the connection immediately.
            seconds: Time limit for the client's first request.
        """
        peer = network_of(host)
        if self._open.of(peer) >= self._caps.per_peer and not self._make_room(peer):
            self._log_full(peer)
            return None
        if len(self) >= self._caps.total and not self._make_room(self._waiting.largest()):
            self._log_full(peer)
            return None
        place = Place(self, peer, drop)
        self._open.add(place)
        place.wait(seconds)
        return place

    def sweep(self) -> None:
        """Drop the connections whose time limit has passed."""
        now = self.now()
        for place in self._open.all():
            if place.deadline is not None and place.deadline <= now:
                self._drop(place)

    def set_waiting(self, place: Place) -> None:
        """Put a place at the end of those waiting for their clients."""
        if place in self._open:
            self._waiting.remove(place)
            self._waiting.add(place)

    def set_working(self, place: Place) -> None:
        """Protect a place from being dropped."""
        self._waiting.remove(place)

    def forget(self, place: Place) -> None:
        """Free a place."""
        self._open.remove(place)
        self._waiting.remove(place)

    def _make_room(self, peer: str) -> bool:
        longest = self._waiting.first(peer)
        if longest is None:
            return False
        self._drop(longest)
        return True

    def _drop(self, place: Place) -> None:
        self.forget(place)
        place.drop()

    def _log_full(self, peer: str) -> None:
        now = self.now()
        if self._full_logged_at is None or now - self._full_logged_at >= _LOG_EVERY_S:
            self._full_logged_at = now
            _log.warning("a connection was refused: too many are in use", peer=peer, connections=len(self))


class _Places:
    """Places by peer, in the order of adding."""

    def __init__(self) -> None:
        self._by_peer: dict[str, dict[Place, None]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, place: Place) -> bool:
        return place in self._by_peer.get(place.peer, ())

    def add(self, place: Place) -> None:
        self._by_peer.setdefault(place.peer, {})[place] = None
        self._count += 1

    def remove(self, place: Place) -> None:
        """Remove a place, if it is there."""
        if place not in self:
            return
        self._count -= 1
        del self._by_peer[place.peer][place]
        if not self._by_peer[place.peer]:
            del self._by_peer[place.peer]

    def of(self, peer: str) -> int:
        """Return the number of a peer's places."""
        return len(self._by_peer.get(peer, ()))

    def first(self, peer: str) -> Place | None:
        return next(iter(self._by_peer.get(peer, ())), None)

    def largest(self) -> str:
        """Return the peer with the most places; empty without peers."""
        return max(self._by_peer, key=self.of, default="")

    def all(self) -> list[Place]:
        return [place for places in self._by_peer.values() for place in places]
