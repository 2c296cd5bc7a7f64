"""The service's parts that endpoints use, assembled once at startup."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID, uuid4

from starlette.requests import Request

from app.database import Database
from app.service.api.cursors import Cursors
from app.service.api.routing import Depends
from app.service.clock import Clock
from app.service.companion.feed import ChangeFeed
from app.service.connections.parts import ConnectionParts
from app.service.limits import RateLimiter
from app.service.media.parts import MediaParts
from app.service.usage.counter import UsageCounter
from app.service.webhooks.console import WebhookConsole


@dataclass(frozen=True)
class Service:
    """The parts that endpoints use.

    Attributes:
        limiter: None if calls aren't limited.
        notify: Wakes the publishing engine after a post was created or rescheduled.
        clock_ahead_seconds: How far ahead this machine's clock is, if that prevents publishing.
        practice: Whether all platforms are practice platforms.
        new_id: Returns ids for new posts and batches.
    """

    database: Database
    clock: Clock
    cursors: Cursors
    usage: UsageCounter
    limiter: RateLimiter | None
    feed: ChangeFeed
    connections: ConnectionParts
    media: MediaParts
    webhooks: WebhookConsole
    notify: Callable[[], None]
    clock_ahead_seconds: Callable[[], int | None]
    practice: bool
    new_id: Callable[[], UUID] = uuid4


def service_of(request: Request) -> Service:
    """Return the application's service."""
    service: Service = request.app.state.service
    return service


ServiceDep = Annotated[Service, Depends(service_of)]
