"""Requests to the other service and its replies, before they're sent over the network."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from tests.hostile.world import World

Manner = Literal["whole", "chunked", "old", "cut", "dropped"]
"""``old``: like HTTP/1.0, ended by closing. ``cut``: shorter than announced. ``dropped``: nothing."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request. ``path`` follows ``/api/v1``.

    ``number`` counts all requests, ``turn`` those to this endpoint, from 0.
    """

    method: str
    path: tuple[str, ...]
    query: Mapping[str, str]
    body: Any
    number: int
    turn: int
    world: "World"

    @property
    def endpoint(self) -> str:
        """Its name with ``{id}`` in place of IDs, such as ``GET posts/{id}``."""
        return endpoint_of(self.method, self.path)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply. ``raw`` replaces ``body`` as JSON; ``wait`` is in seconds; ``reason`` is a phrase."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    manner: Manner = "whole"
    reason: str | None = None
    wait: float = 0.0

    def but(self, **changes: Any) -> "Reply":
        """Return a copy with changes."""
        return replace(self, **changes)

    @property
    def is_good(self) -> bool:
        return self.status < 300


Bend = Callable[[Asked, Reply], Reply]
"""Turns a specified reply into another one."""

_WORDS = {
    "analytics",
    "attempts",
    "attach-from-url",
    "boards",
    "bulk",
    "companion",
    "connections",
    "content-history",
    "deliveries",
    "initiate",
    "media",
    "posts",
    "quotas",
    "reauth",
    "replay",
    "test",
    "upload-url",
    "usage",
    "webhooks",
}


def endpoint_of(method: str, path: tuple[str, ...]) -> str:
    """Return the name of an endpoint."""
    return f"{method} {'/'.join(part if part in _WORDS else '{id}' for part in path)}"


def error(status: int, code: str, message: str, details: Any = None) -> Reply:
    """Return an error in the specified format."""
    told = {"code": code, "message": message} | ({"details": details} if details is not None else {})
    return Reply(status, {"error": told, "request_id": f"req-{status}"})


def missing() -> Reply:
    return error(404, "not_found", "There is no such thing.")
