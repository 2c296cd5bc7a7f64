"""What is asked of the other service, and what it answers, before it goes over the network."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from tests.hostile.world import World

Manner = Literal["whole", "chunked", "old", "cut", "dropped"]
"""``old``: as HTTP/1.0, ended by closing. ``cut``: less than announced. ``dropped``: nothing at all."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request. ``path`` is what follows ``/api/v1``.

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
        """Its name with ``{id}`` in place of ids, such as ``GET posts/{id}``."""
        return endpoint_of(self.method, self.path)


@dataclass(frozen=True, slots=True)
class Reply:
    """``raw`` stands in place of ``body`` as JSON; ``wait`` is in seconds; ``reason`` is a phrase."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    manner: Manner = "whole"
    reason: str | None = None
    wait: float = 0.0

    def but(self, **changes: Any) -> "Reply":
        """The same with changes."""
        return replace(self, **changes)

    @property
    def is_good(self) -> bool:
        return self.status < 300


Bend = Callable[[Asked, Reply], Reply]
"""Makes of a reply as specified one that is not."""

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
    """The name of an endpoint."""
    return f"{method} {'/'.join(part if part in _WORDS else '{id}' for part in path)}"


def error(status: int, code: str, message: str, details: Any = None) -> Reply:
    """An error as the specification writes it."""
    told = {"code": code, "message": message} | ({"details": details} if details is not None else {})
    return Reply(status, {"error": told, "request_id": f"req-{status}"})


def missing() -> Reply:
    return error(404, "not_found", "There is no such thing.")
